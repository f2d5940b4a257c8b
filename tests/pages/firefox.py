"""Firefox, driven over WebDriver BiDi, which it speaks itself: Debian has the browser but no driver for it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
PATIENCE = 60.0  # seconds until a start or an answer is given up


class Firefox:
    """One tab. `errors` collects what the pages complain about."""

    def __init__(self, socket: Any) -> None:
        self.socket, self.number, self.errors = socket, 0, list[str]()
        self.ask("session.new", capabilities={})
        self.tab = self.ask("browsingContext.getTree")["contexts"][0]["context"]
        self.ask("session.subscribe", events=["log.entryAdded"])

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            answer: dict[str, Any] = json.loads(self.socket.recv())
            if answer.get("method") == "log.entryAdded" and answer["params"]["level"] == "error":
                self.errors.append(str(answer["params"].get("text")))
            if answer.get("id") == self.number:
                if answer["type"] == "error":
                    raise AssertionError(answer["message"])
                result: dict[str, Any] = answer["result"]
                return result

    def open(self, page: Path, width: int = 1280, height: int = 900) -> None:
        self.ask("browsingContext.setViewport", context=self.tab, viewport={"width": width, "height": height})
        for url in ("about:blank", page.as_uri()):  # a page that is merely reloaded keeps what was chosen in its forms
            self.ask("browsingContext.navigate", context=self.tab, url=url, wait="complete")

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self.ask(
            "script.evaluate", expression=f"JSON.stringify({script})", target={"context": self.tab}, awaitPromise=True
        )
        if answer["type"] == "exception":
            raise AssertionError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"].get("value", "null"))

    def press(self, *keys: str) -> None:
        typed = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.ask("input.performActions", context=self.tab, actions=[{"type": "key", "id": "keyboard", "actions": typed}])


@contextmanager
def firefox(folder: Path) -> Iterator[Firefox]:
    """Start the browser with a profile in `folder`, and stop it again."""
    from websocket import create_connection

    log = folder / "firefox.log"
    command = [FIREFOX or "", "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port", "0", "about:blank"]
    with log.open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out)
    try:
        begun = monotonic()
        while not (listening := re.search(r"ws://[\d.]+:\d+", log.read_text("utf-8", errors="replace"))):
            if process.poll() is not None or monotonic() - begun > PATIENCE:
                raise AssertionError(f"Firefox did not start: {log.read_text('utf-8', errors='replace')[-500:]}")
            sleep(0.1)
        socket = create_connection(f"{listening[0]}/session", timeout=PATIENCE, suppress_origin=True)
        try:
            yield Firefox(socket)
        finally:
            socket.close()
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
