"""The workbench as a process of its own, and requests to it as a browser, or somebody else, would send them."""

from __future__ import annotations

import http.client
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from urllib.parse import urlencode

import foregone

SOURCE = Path(foregone.__file__).parents[1]
PATIENCE = 240.0  # seconds; other tests may take most of the machine


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    text: str
    content: bytes = b""


@dataclass
class Serving:
    """A running workbench: its address with the launch token, and the folder it was started in."""

    process: subprocess.Popen[str]
    address: str
    here: Path
    cookie: str = ""
    csrf: str = ""
    port: int = field(init=False)

    def __post_init__(self) -> None:
        self.port = int(re.findall(r":(\d+)/", self.address)[0])

    @property
    def token(self) -> str:
        return self.address.partition("token=")[2]

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def ask(self, path: str, method: str = "GET", body: bytes | str | None = None, **headers: str) -> Reply:
        """A request with these headers and no others; an underscore stands for a hyphen."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.putrequest(method, path, skip_host="host" in sent, skip_accept_encoding=True)
            for name, value in sent.items():
                connection.putheader(name, value)
            content = body.encode() if isinstance(body, str) else body
            if content is not None and "content-length" not in sent:
                connection.putheader("content-length", str(len(content)))
            connection.endheaders(content)
            answer = connection.getresponse()
            got = answer.read()
            return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, got.decode("utf-8", "replace"), got)
        finally:
            connection.close()

    def open(self) -> None:
        """Use the launch token, as the browser does."""
        reply = self.ask(f"/?token={self.token}")
        assert reply.status == 200, reply.text
        self.cookie = reply.headers["set-cookie"].partition(";")[0]
        self.csrf = re.findall(r'name="csrf" content="([^"]+)"', self.ask("/read", cookie=self.cookie).text)[0]

    def see(self, screen: str) -> str:
        """A screen once its work is done."""
        begun = monotonic()
        while monotonic() - begun < PATIENCE:
            text = self.see_now(screen)
            if "data-working" not in text:
                return text
            sleep(0.1)
        raise AssertionError(f"{screen} was not there in time")

    def see_now(self, screen: str) -> str:
        """A screen as it is, perhaps with work under way."""
        return self.ask(f"/{screen}", cookie=self.cookie).text

    def post(self, path: str, **form: str) -> Reply:
        """What the page's own script sends."""
        return self.send(path, urlencode(form))

    def send(self, path: str, body: bytes | str, **headers: str) -> Reply:
        own = {"cookie": self.cookie, "origin": f"http://{self.host}", "x_csrf_token": self.csrf}
        return self.ask(path, "POST", body, **{**own, **headers})


@contextmanager
def serving(here: Path, *given: str | Path, opened: bool = True, timeout: float = PATIENCE) -> Iterator[Serving]:
    """Start `foregone serve` in a folder, and stop it again."""
    begun = start(here, *given, timeout=timeout)
    try:
        if opened:
            begun.open()
        yield begun
    finally:
        begun.process.terminate()
        begun.process.wait(20)


def start(here: Path, *given: str | Path, timeout: float = PATIENCE) -> Serving:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-c", "from foregone.cli.app import main; main()", "serve", *map(str, given), "--no-browser"]
    log = (here / "serve.log").open("w")
    process = subprocess.Popen(
        command, cwd=here, env=environment, stdout=subprocess.PIPE, stderr=log, text=True, stdin=subprocess.DEVNULL
    )
    assert process.stdout is not None
    begun, line = monotonic(), process.stdout.readline()
    assert monotonic() - begun < timeout
    if not line.startswith("Open http://127.0.0.1:"):
        process.wait(20)
        raise AssertionError(f"{line}{(here / 'serve.log').read_text()}")
    return Serving(process, line.removeprefix("Open ").strip(), here)
