"""Try what was built: `python -m tests.dist dist` installs the wheel into an environment of its own and runs the demo from it.

It runs in a temporary folder far from the source, so that nothing but the wheel and what it depends on is there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

from foregone.loop import STEM
from foregone.version import __version__

ROOT = Path(__file__).parents[1]
BESIDE = (
    *("README.md", "CHANGELOG.md", "LICENSE", "CITATION.cff", "Makefile", "pyproject.toml", "hatch_build.py"),
    *("docs/index.md", "tests/dist.py"),
)


def sources() -> set[str]:
    """Every file of the package, data too; not the libraries that were compiled here."""
    files = [file for file in (ROOT / "src" / "foregone").rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    return {file.relative_to(ROOT / "src").as_posix() for file in files if not file.name.startswith(STEM)}


def missing(wheel: Path, sdist: Path) -> list[str]:
    """What a build left out."""
    with zipfile.ZipFile(wheel) as opened:
        there = set(opened.namelist())
    with tarfile.open(sdist) as packed:
        inside = {name.partition("/")[2] for name in packed.getnames()}
    wanted = [*(f"src/{name}" for name in sources()), *BESIDE]
    lost = [f"{wheel.name}: {name}" for name in sources() - there] + [f"{sdist.name}: {n}" for n in wanted if n not in inside]
    compiled = {name for name in there if STEM in name}
    if bool(compiled) == wheel.name.endswith("-py3-none-any.whl"):  # a wheel with libraries is for one platform, and only that
        lost.append(f"{wheel.name}: named for another kind of machine than it is for ({len(compiled)} libraries)")
    lost += [f"{sdist.name}: {name} is compiled" for name in inside if STEM in name]
    return sorted(lost)


def tried(wheel: Path) -> None:
    """Install it where nothing else is, and do what a newcomer does first."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        venv.create(home / "env", with_pip=True)
        bin_ = home / "env" / ("Scripts" if os.name == "nt" else "bin")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}

        def run(program: str, *arguments: str) -> str:
            done = subprocess.run([bin_ / program, *arguments], cwd=home, env=clean, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{program} {' '.join(arguments)} ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
            return done.stdout

        run("pip", "install", "--quiet", "--disable-pip-version-check", str(wheel.resolve()))
        loop = "pure" if wheel.name.endswith("-py3-none-any.whl") else "native"
        assert run("foregone", "--version").startswith(f"foregone {__version__}, {loop} loop")
        assert "every one is right" in run("foregone", "demo")
        assert (home / "foregone-demo.html").stat().st_size > 10_000
        assert "out of scope" in run("foregone", "help", "limits")
        assert "1..7" in run("foregone", "rules", "nhs-hes")
        run("foregone", "demo", "--out", "block")
        run("foregone", "audit", "block", "--proofs", "proofs.json")
        assert "0 rejected" in run("foregone", "check", "block", "proofs.json", "--complete")


def main(folder: Path) -> None:
    (wheel,), (sdist,) = folder.glob(f"foregone-{__version__}-*.whl"), folder.glob(f"foregone-{__version__}.tar.gz")
    left_out = missing(wheel, sdist)
    if left_out:
        sys.exit("left out of what was built:\n" + "\n".join(left_out))
    tried(wheel)
    print(f"{wheel.name} and {sdist.name} are complete; the wheel was installed on its own, and the demo ran from it.")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
