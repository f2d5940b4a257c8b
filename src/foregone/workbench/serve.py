"""Start the workbench: a folder, a port of this machine alone, two processes, and an address that opens once."""

from __future__ import annotations

import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import uvicorn

from foregone.formats.extras import need
from foregone.model.errors import InputError
from foregone.workbench.folder import WorkFolder, open_folder
from foregone.workbench.guard import LOOPBACK, NAMES, Guard
from foregone.workbench.hands import Hand

Say = Callable[[str], None]


def begin_desk(root: str) -> object:
    """What the processes begin with; loaded there and not here, so that the page is there at once."""
    from foregone.workbench.screens import begin

    return begin(root)


def serve(given: list[Path], port: int, browser: bool, say: Say, note: Say, host: str = LOOPBACK) -> None:
    """Serve until Ctrl-C. `say` prints a line: the address, and a new one whenever somebody presses Enter in the terminal; `note`
    prints what else is worth knowing.
    """
    need("starlette", "uvicorn", extra="workbench")
    check_host(host)
    folder = open_folder(given, Path.cwd())
    held = folder.lock()
    listening = bound(port)
    guard = Guard(listening.getsockname()[1])
    quick, slow = Hand(folder.root, begin_desk), Hand(folder.root, begin_desk, ready=False)
    try:
        from foregone.workbench.server import application

        app = application(folder, guard, quick, slow)
        say(f"Open {guard.address()}")
        note(f"working in {folder.root}; what is made goes to {folder.made}. Enter: a new address. Ctrl-C: stop, nothing is lost")
        if browser:
            threading.Thread(target=open_browser, args=(folder, guard), daemon=True).start()
        if _asked_from_terminal():
            threading.Thread(target=_listen, args=(guard, say), daemon=True).start()
        config = uvicorn.Config(
            app, log_level="error", access_log=False, server_header=False, lifespan="off", ws="none", timeout_graceful_shutdown=2
        )
        with suppress(KeyboardInterrupt):  # that is how it ends
            uvicorn.Server(config).run(sockets=[listening])
    finally:
        quick.close()
        slow.close()
        launcher(folder).unlink(missing_ok=True)
        held.close()


def check_host(host: str) -> None:
    """This machine and nobody else: whoever reaches the port would be one token away from confidential numbers."""
    if host not in NAMES:
        raise InputError(
            f"--host {host}: is refused, since others on the network could then ask; the workbench listens on {LOOPBACK} alone."
            f" From another machine use: ssh -L PORT:{LOOPBACK}:PORT THIS-MACHINE"
        )


def bound(port: int) -> socket.socket:
    """A port of this machine; 0 lets the system choose."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((LOOPBACK, port))
        made.listen()  # whoever opens the address at once waits for a moment
    except OSError as error:
        made.close()
        raise InputError(f"--port {port}: cannot be used ({error.strerror}); leave it out and a free one is chosen") from None
    return made


def launcher(folder: WorkFolder) -> Path:
    return folder.inside("open.html")


def open_browser(folder: WorkFolder, guard: Guard) -> None:
    """Open the address by way of a file that only its owner can read: other users see the arguments of a program, and with them
    an address that is given to it.
    """
    path = launcher(folder)
    address = f"http://{LOOPBACK}:{guard.port}/?token={guard.token}"
    path.unlink(missing_ok=True)
    with suppress(OSError), os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0; url={address}"><title>Foregone</title>')
    webbrowser.open(path.as_uri())


def _asked_from_terminal() -> bool:
    """Is there somebody at a terminal, with this command in front? One in the background would be stopped for asking."""
    try:
        return sys.stdin is not None and sys.stdin.isatty() and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except OSError:
        return False


def _listen(guard: Guard, say: Say) -> None:
    for _ in sys.stdin:
        say(f"Open {guard.address()}")
