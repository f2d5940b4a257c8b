"""Who may ask: one person, in a browser on this machine, who has the address that the terminal printed.

Other programs and other users of the machine reach the same port, and so does any page that the browser has open. Each check below
stops one of them, before anything else looks at the request.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass, field
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foregone.workbench.folder import MOST_UPLOADED

LOOPBACK = "127.0.0.1"
NAMES = (LOOPBACK, "localhost")
MOST_BODY = MOST_UPLOADED + 1_000
MOST_SESSIONS = 32
WAY_ON = "Open the address that the terminal printed; press Enter there for a new one. Nothing is lost."
OPENED = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/">'
    '<link rel="icon" href="/icon.svg"><title>Foregone</title></head><body><p><a href="/">Open the workbench</a></p></body></html>'
)


class Refusal(Exception):
    """A request that is not answered, with a status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


@dataclass
class Guard:
    """Launch tokens that are good for one opening, and the sessions that were opened: cookie -> token against forged requests."""

    port: int
    token: str = ""
    sessions: dict[str, str] = field(default_factory=dict)

    @property
    def cookie(self) -> str:
        """A name of its own for each port: browsers share cookies between the ports of a host."""
        return f"foregone-{self.port}"

    def address(self) -> str:
        """A new address to open; the one before, if nobody used it, is no longer good."""
        self.token = secrets.token_urlsafe(32)
        return f"http://{LOOPBACK}:{self.port}/?token={self.token}"

    def open(self, token: str) -> str | None:
        """A new session for the launch token, which is then used up; None, and nothing is used up, for any other."""
        if not self.token or not hmac.compare_digest(token.encode(), self.token.encode()):
            return None
        self.token = ""
        session = secrets.token_urlsafe(32)
        while len(self.sessions) >= MOST_SESSIONS:
            del self.sessions[next(iter(self.sessions))]
        self.sessions[session] = secrets.token_urlsafe(32)
        return session

    def session_of(self, cookies: str) -> str | None:
        """The session that a browser names, if it is one of ours."""
        try:
            found = SimpleCookie(cookies).get(self.cookie)
        except CookieError:
            return None
        given = found.value.encode() if found is not None else b""
        return next((session for session in self.sessions if hmac.compare_digest(session.encode(), given)), None)

    def check_host(self, host: str) -> None:
        """DNS rebinding makes any page the same origin as this one; but its name stays in the Host header."""
        if host not in {f"{name}:{self.port}" for name in NAMES}:
            raise Refusal(421, "This is not the name of this workbench. " + WAY_ON)

    def check_post(self, headers: MutableMapping[str, str], session: str) -> None:
        """What changes something must come from our own page: by its origin, and with its token."""
        if (
            headers.get("origin") != f"http://{headers.get('host')}"
            or headers.get("sec-fetch-site", "same-origin") != "same-origin"
        ):
            raise Refusal(403, "This did not come from the workbench's own page, so nothing was done. " + WAY_ON)
        if not hmac.compare_digest(headers.get("x-csrf-token", "").encode(), self.sessions[session].encode()):
            raise Refusal(403, "This page is from an earlier start of the workbench, so nothing was done. Reload it.")


def security_headers(nonce: str) -> list[tuple[bytes, bytes]]:
    """What the browser may do with an answer: run and load what carries the nonce, keep nothing, tell nobody."""
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; img-src 'self';"
        " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    texts = {
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": "camera=(), microphone=(), geolocation=()",
    }
    return [(name.encode(), text.encode()) for name, text in texts.items()]


class Guarded:
    """An application behind a guard. In `scope["state"]` it finds the session's `csrf` token and the `nonce` of this answer."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self.app, self.guard = app, guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        nonce = secrets.token_urlsafe(16)
        try:
            session = self._admitted(scope)
        except Refusal as refusal:
            await _answer(send, nonce, refusal.status, page_of(refusal.sentence))
            return
        if session is None:
            cookie = f"{self.guard.cookie}={self._opened(scope)}; HttpOnly; SameSite=Strict; Path=/"
            await _answer(send, nonce, 200, OPENED, [(b"set-cookie", cookie.encode())])
            return
        scope.setdefault("state", {}).update(csrf=self.guard.sessions[session], nonce=nonce)
        await self.app(scope, _bounded(receive), _with_headers(send, nonce))

    def _admitted(self, scope: Scope) -> str | None:
        """The session of a request that may be answered; None for one that brings the launch token."""
        headers = headers_of(scope)
        self.guard.check_host(headers.get("host", ""))
        if scope["method"] not in ("GET", "HEAD", "POST"):
            raise Refusal(405, "This is not something the workbench does.")
        if _length(headers) > MOST_BODY:
            raise Refusal(413, f"The file is larger than {MOST_UPLOADED:,} bytes; cut it into several tables.")
        session = self.guard.session_of(headers.get("cookie", ""))
        if scope["method"] == "GET" and scope["path"] == "/" and _token(scope):
            if self.guard.token and hmac.compare_digest(_token(scope).encode(), self.guard.token.encode()):
                return None
            if session is None:
                raise Refusal(403, "This address was used already, or is not the last one. " + WAY_ON)
        if session is None:
            raise Refusal(403, "This workbench belongs to somebody who has its address. " + WAY_ON)
        if scope["method"] == "POST":
            self.guard.check_post(headers, session)
        return session

    def _opened(self, scope: Scope) -> str:
        session = self.guard.open(_token(scope))
        assert session is not None, "the token was compared"
        return session


def headers_of(scope: Scope) -> dict[str, str]:
    """Names in small letters. A header that stands twice is joined, so that it fits nothing it should fit."""
    made: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        made[key] = f"{made[key]}; {text}" if key in made else text
    return made


def page_of(sentence: str) -> str:
    head = '<meta charset="utf-8"><link rel="icon" href="/icon.svg"><title>Foregone</title>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body><p>{escape(sentence)}</p></body></html>'


def _token(scope: Scope) -> str:
    query: bytes = scope.get("query_string", b"")
    return parse_qs(query.decode("latin-1")).get("token", [""])[0]


def _length(headers: MutableMapping[str, str]) -> int:
    text = headers.get("content-length", "0")
    return int(text) if text.isascii() and text.isdigit() else MOST_BODY + 1


def _bounded(receive: Receive) -> Receive:
    """A body that says nothing of its length, or lies about it, ends where it becomes too long."""
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MOST_BODY:
            raise Refusal(413, f"The file is larger than {MOST_UPLOADED:,} bytes; cut it into several tables.")
        return message

    return bounded


def _with_headers(send: Send, nonce: str) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message.get("headers", [])}  # an answer may be stricter than others
            message["headers"] = [*message.get("headers", []), *(pair for pair in security_headers(nonce) if pair[0] not in own)]
        await send(message)

    return sending


async def _answer(send: Send, nonce: str, status: int, page: str, further: Iterable[tuple[bytes, bytes]] = ()) -> None:
    headers: list[Any] = [(b"content-type", b"text/html; charset=utf-8"), *further, *security_headers(nonce)]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": page.encode()})
