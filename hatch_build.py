"""Compiles the audit loop while Foregone is installed from source. Without a C++ compiler it is installed all the same, and runs
pure.

FOREGONE_REQUIRE_NATIVE=1 makes it an error when the loop cannot be compiled. An editable install has the libraries in the source
tree, beside the files that load them; a wheel holds them, and is for machines of this kind and any Python.
"""

from __future__ import annotations

import importlib.util
import os
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "src/foregone/engine/native"
INSIDE = "foregone/engine/native"


class CustomBuildHook(BuildHookInterface[Any]):
    """Called by hatchling before it puts a wheel together."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """`version` is editable or standard; what `build_data` is told about goes into the wheel."""
        home = Path(self.root) / FOLDER
        compiling = _module(home / "build.py")
        try:
            if version == "editable":
                if compiling.due():
                    compiling.build(home, compiling.variants())
                return
            self._scratch = tempfile.TemporaryDirectory()
            made = compiling.build(Path(self._scratch.name), compiling.variants())
        except compiling.BuildError as error:
            if os.environ.get("FOREGONE_REQUIRE_NATIVE"):
                raise
            self.app.display_warning(f"there is no compiled loop, and audits run in pure Python, about 20 times slower: {error}")
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
        build_data["force_include"] |= {str(path): f"{INSIDE}/{path.name}" for path in made}


def _module(path: Path) -> Any:
    """A file of the package, which is not installed yet."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made
