"""`foregone serve`: the workbench."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from foregone.cli.options import argument, option
from foregone.cli.show import note, say


def serve(
    given: Annotated[
        list[Path] | None,
        argument("[FOLDER | FILE...]", "A folder with tables, or tables of one folder; nothing for an example."),
    ] = None,
    port: Annotated[int, option("--port", "The port of this machine; a free one by default.", min=0, max=65535)] = 0,
    browser: Annotated[bool, option("--browser/--no-browser", "Whether to open a browser.")] = True,
    host: Annotated[
        str, option("--host", "Only this machine can ask: 127.0.0.1. Anything else is refused, and says how instead.")
    ] = "127.0.0.1",
) -> None:
    """Open the workbench: see a sheet, click numbers away, publish it.

    Prints an address that opens once, in a browser on this machine, and serves until Ctrl-C. Your tables stay as they are; what is
    made of them goes to a folder `workbench` beside them. Nothing is loaded from elsewhere and nothing is sent anywhere.
    """
    from foregone.formats.extras import need

    need("starlette", "uvicorn", extra="workbench")
    from foregone.workbench.serve import serve as start

    start(given or [], port, browser, say, note, host)
