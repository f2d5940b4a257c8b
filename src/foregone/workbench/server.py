"""The routes of the workbench: screens, what is clicked on them, files in and files out.

The server itself computes nothing. It keeps the state, hands work to a process, and shows how far that is when it takes longer than
a moment.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote

import anyio
from jinja2 import DictLoader, Environment, StrictUndefined
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from foregone.model.errors import InputError
from foregone.version import __version__
from foregone.workbench.actions import ACTIONS
from foregone.workbench.folder import WorkFolder, zipped
from foregone.workbench.guard import Guard, Guarded, Refusal, page_of
from foregone.workbench.hands import Hand, Job
from foregone.workbench.state import WorkState

MOMENT = 0.9  # seconds that a screen waits for its answer before it shows progress instead
SCREENS = {
    "read": ("Read", "How your tables were read"),
    "exposed": ("Exposed", "What they give away"),
    "try": ("Try", "What withholding would change"),
    "protect": ("Protect", "The least to withhold"),
    "publish": ("Publish", "The files, ready to publish"),
}
ICON = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#a3370f" d="M8 1 15 8 8 15 1 8Z"/></svg>'
LONG = {"protect": "protecting", "publish": "publishing"}  # what is begun on a screen and takes long
STYLES = (("foregone.pages", "style.css"), ("foregone.workbench", "workbench.css"))


def _stamp(path: Path) -> int:
    """When a file was last written; 0 where there is none."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def text_of(package: str, name: str) -> str:
    return files(package).joinpath("templates", name).read_text("utf-8")


@cache
def shell() -> Environment:
    """The frame of all screens, and what is shown while they are made."""
    texts = {name: text_of("foregone.workbench", name) for name in ("shell.html", "working.html", "problems.html")}
    return Environment(loader=DictLoader(texts), autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)


@dataclass
class Workbench:
    """The state, and the two processes that work: one keeps the case warm, the other does what takes long."""

    folder: WorkFolder
    state: WorkState
    quick: Hand
    slow: Hand

    def change(self, change: Callable[[WorkState], WorkState]) -> None:
        """A new state, on the disk before anybody sees it."""
        made = change(self.state)
        if made is not self.state:
            self.folder.save(made)
            self.state = made

    async def job(self, task: str, further: tuple[Any, ...] = (), asked: Mapping[str, Any] | None = None) -> Job:
        """Ask, and wait a moment for the answer."""
        job = self.quick.ask((task, self.state.version, *further), task, state=self.state, **(asked or {}))
        await anyio.to_thread.run_sync(job.done.wait, MOMENT)
        return job

    async def part(self, screen: str, patient: bool = False) -> str:
        """What a screen shows now: its content, how far the work is, or why it cannot be done."""
        return self.shown(await self.job(screen, *self._with(screen, patient)), screen)

    def _with(self, screen: str, patient: bool) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What else a screen shows: how the long work behind it goes, and what came of it."""
        if screen == "try":
            return (patient,), {"patient": patient}
        task = LONG.get(screen)
        if task is None:
            return (), {}
        self.slow.ask(("warm",), "warm")  # so that it does not begin when somebody waits for it
        jobs = [job for key, job in self.slow.jobs.items() if key[0] == task and key[1] == self.state.version]
        running = any(not job.done.is_set() for job in jobs)
        problems = jobs[-1].problems if jobs and not running else ()
        made = tuple(_stamp(self.folder.inside(name)) for name in ("protected.json", "published.json"))
        asked: dict[str, Any] = {"running": running, "problems": problems}
        return (running, problems, made), asked | ({"today": date.today().isoformat()} if screen == "publish" else {})

    def shown(self, job: Job, screen: str) -> str:
        if not job.done.is_set():
            return shell().get_template("working.html").render(said=job.said, share=job.share, screen=screen)
        if job.problems or job.html is None:
            return shell().get_template("problems.html").render(problems=job.problems, screen=screen)
        return job.html


def application(folder: WorkFolder, guard: Guard, quick: Hand, slow: Hand) -> Guarded:
    """Everything that the browser can ask for, behind the guard."""
    bench = Workbench(folder, folder.load(), quick, slow)
    routes = [
        Route("/", first, methods=["GET"]),
        Route("/style.css", style, methods=["GET"]),
        Route("/script.js", script, methods=["GET"]),
        Route("/icon.svg", icon, methods=["GET"]),
        Route("/pulse", pulse, methods=["GET"]),
        Route("/why", why, methods=["GET"]),
        Route("/upload", upload, methods=["POST"]),
        Route("/stop", stop, methods=["POST"]),
        Route("/begin/{screen}", begin_work, methods=["POST"]),
        Route("/files.zip", files_zip, methods=["GET"]),
        Route("/sign-off.html", sign_off, methods=["GET"]),
        Route("/do/{action}", act, methods=["POST"]),
        Route("/{screen}", screen_page, methods=["GET"]),
    ]
    app = Starlette(routes=routes, exception_handlers={Refusal: refused, 404: not_there, 405: not_there, 500: failed})
    app.state.bench = bench
    return Guarded(app, guard)


def bench_of(request: Request) -> Workbench:
    bench: Workbench = request.app.state.bench
    return bench


async def first(_: Request) -> Response:
    return RedirectResponse("/exposed", 303)


async def screen_page(request: Request) -> Response:
    """A screen, whole; or its part alone, where the script asks for that."""
    screen, bench = request.path_params["screen"], bench_of(request)
    if screen not in SCREENS:
        return await not_there(request, InputError("not found"))
    main = await bench.part(screen, bool(request.query_params.get("patient")))
    if request.headers.get("x-part"):
        return part_response(bench, main)
    text = (
        shell()
        .get_template("shell.html")
        .render(
            main=main,
            screen=screen,
            screens=SCREENS,
            state=bench.state,
            folder=bench.folder.root.name,
            example=bench.folder.example,
            csrf=request.state.csrf,
            nonce=request.state.nonce,
            version=__version__,
        )
    )
    return HTMLResponse(text)


def part_response(bench: Workbench, main: str, status: int = 200) -> Response:
    return HTMLResponse(main, status, headers={"x-version": str(bench.state.version)})


async def pulse(request: Request) -> Response:
    """Is the page up to date, and how far is the work?"""
    bench = bench_of(request)
    working = [hand.current for hand in (bench.quick, bench.slow)]
    jobs = [{"task": job.key[0], "said": job.said, "share": job.share, "seconds": round(job.seconds, 1)} for job in working if job]
    return JSONResponse({"version": bench.state.version, "jobs": jobs})


async def why(request: Request) -> Response:
    bench, query = bench_of(request), request.query_params
    fact = query.get("fact", "-1")
    number = int(fact) if fact.isascii() and fact.isdigit() else -1
    job = await bench.job("why", (query.get("cell", ""), number), {"cell": query.get("cell", ""), "fact": number})
    await anyio.to_thread.run_sync(job.done.wait)  # the page shows that it waits
    return part_response(bench, bench.shown(job, "why"))


async def act(request: Request) -> Response:
    """Something was clicked: a new state, and the screen as it is then."""
    bench, action = bench_of(request), request.path_params["action"]
    form = {name: values[-1] for name, values in parse_qs((await request.body()).decode("utf-8", "replace")).items()}
    screen = form.get("screen", "read")
    if action not in ACTIONS or screen not in SCREENS:
        return await not_there(request, InputError("not found"))
    try:
        bench.change(lambda state: ACTIONS[action](state, form))
    except InputError as error:
        return JSONResponse({"problems": error.problems}, 422)
    return part_response(bench, await bench.part(screen))


async def begin_work(request: Request) -> Response:
    """Begin what takes long; it goes on when the page is left."""
    bench, screen = bench_of(request), request.path_params["screen"]
    if screen not in LONG:
        return await not_there(request, InputError("not found"))
    job = bench.slow.ask((LONG[screen], bench.state.version), LONG[screen], state=bench.state)
    if job.done.is_set():  # somebody wants it again
        bench.slow.jobs.pop(job.key)
        bench.slow.ask(job.key, LONG[screen], state=bench.state)
    return part_response(bench, await bench.part(screen))


async def files_zip(request: Request) -> Response:
    """The files to publish as one archive."""
    bench = bench_of(request)
    if not bench.folder.inside("files").is_dir():
        return await not_there(request, InputError("not found"))
    content = await anyio.to_thread.run_sync(zipped, bench.folder.inside("files"))
    return Response(content, media_type="application/zip", headers={"content-disposition": 'attachment; filename="files.zip"'})


async def sign_off(request: Request) -> Response:
    """The sheet to sign: a page of its own, which runs nothing and may only use the style that is in it."""
    bench = bench_of(request)
    job = bench.slow.ask(("signoff", bench.state.version), "signoff", state=bench.state)
    await anyio.to_thread.run_sync(job.done.wait)
    bench.slow.jobs.pop(job.key, None)
    if job.problems or job.html is None:
        return HTMLResponse(page_of(" ".join(job.problems)), job.status)
    styles = [hashlib.sha256(style.encode()).digest() for style in re.findall(r"<style>(.*?)</style>", job.html, re.DOTALL)]
    allowed = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in styles) or "'none'"
    policy = f"default-src 'none'; style-src {allowed}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
    name = {"content-disposition": 'attachment; filename="sign-off.html"'} if request.query_params.get("download") else {}
    return HTMLResponse(job.html, headers={"content-security-policy": policy, **name})


async def upload(request: Request) -> Response:
    """A file that was dropped: its bytes are the body, its name is in a header."""
    bench, name = bench_of(request), unquote(request.headers.get("x-file-name", ""))
    content = await request.body()
    try:
        kept = bench.folder.put(name, content)
    except InputError as error:
        return JSONResponse({"problems": error.problems}, 422)
    begun = bench.state.files if not bench.folder.example else tuple(f for f in bench.state.files if f != kept)
    bench.change(lambda state: state.reading((*(file for file in begun if file != kept), kept)))
    return JSONResponse({"name": kept, "version": bench.state.version})


async def stop(request: Request) -> Response:
    bench = bench_of(request)
    for hand in (bench.quick, bench.slow):
        await anyio.to_thread.run_sync(hand.stop)
    return JSONResponse({})


@cache
def style_text() -> str:
    return "\n".join(text_of(package, name) for package, name in STYLES)


async def style(_: Request) -> Response:
    return Response(style_text(), media_type="text/css")


async def script(_: Request) -> Response:
    return Response(text_of("foregone.workbench", "workbench.js"), media_type="text/javascript")


async def icon(_: Request) -> Response:
    return Response(ICON, media_type="image/svg+xml")


async def refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return HTMLResponse(page_of(error.sentence), error.status)


async def not_there(_: Request, error: Exception) -> Response:
    return HTMLResponse(page_of("There is nothing here; go back to the workbench."), getattr(error, "status_code", 404))


async def failed(_: Request, error: Exception) -> Response:
    sentence = f"Something went wrong in the workbench itself ({type(error).__name__}); nothing is lost. Reload the page."
    return HTMLResponse(page_of(sentence), 500)
