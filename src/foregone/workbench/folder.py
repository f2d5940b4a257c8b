"""The working folder: the tables that lie in it, and a folder `workbench` for everything that is made of them.

Only regular files directly in the folder are read; links are not followed, and no name that comes from a browser becomes a path.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import zipfile
from dataclasses import dataclass
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import IO

from foregone.formats.outputs import write_file, write_text
from foregone.model.errors import InputError
from foregone.model.shown import shown
from foregone.workbench.state import WorkState, first_state, state_from, state_text

MADE = "workbench"  # the folder for what is made here
KINDS = (".csv", ".tsv", ".txt", ".xlsx", ".xlsm", ".xls", ".ods", ".px", ".json", ".jsonstat", ".tab")  # as import reads
NOT_TABLES = ("truth.csv", "statistics.csv", "rules.csv", "places.csv", "left_out.csv", "domain.json")
ZIPPED = (".xlsx", ".xlsm", ".ods")
MOST_UPLOADED = 32_000_000  # bytes of a file, as import reads at most
MOST_UNZIPPED = 400_000_000
MOST_PARTS = 5_000  # files in an archive
LONGEST_NAME = 120
EXAMPLE = "foregone-example"
EXAMPLE_FILES = ("by_age.csv", "by_town.csv", "smokers.csv")


@dataclass(frozen=True, slots=True)
class WorkFolder:
    """A folder of tables and what is made of them; `example`: it holds the bundled example."""

    root: Path
    example: bool = False

    @property
    def made(self) -> Path:
        return self.root / MADE

    @property
    def is_release(self) -> bool:
        """Does it hold a release already, so that there is nothing to import?"""
        return is_plain(self.root / "domain.json") and is_plain(self.root / "statistics.csv")

    def inside(self, name: str) -> Path:
        """A file or folder of those that are made here."""
        return self.made / name

    def tables(self) -> tuple[str, ...]:
        """The names of files that hold tables, in order."""
        return tuple(sorted(entry.name for entry in os.scandir(self.root) if is_table(entry)))

    def links(self) -> tuple[str, ...]:
        """Links that would be tables if they were followed."""
        return tuple(sorted(entry.name for entry in os.scandir(self.root) if entry.is_symlink() and _suffix(entry.name) in KINDS))

    def policies(self) -> tuple[str, ...]:
        """The names of files that may hold a policy."""
        made = (entry for entry in os.scandir(self.root) if entry.is_file(follow_symlinks=False))
        return tuple(sorted(entry.name for entry in made if entry.name.endswith(".toml") and entry.name != "layout.toml"))

    def load(self) -> WorkState:
        """What was said and decided before, or a beginning."""
        path = self.inside("state.json")
        if is_plain(path):
            return state_from(path.read_text("utf-8"), str(path))
        return first_state(() if self.is_release else self.tables(), self.example)

    def save(self, state: WorkState) -> None:
        """Whole or not at all."""
        write_text(self.inside("state.json"), state_text(state), silent=True)

    def put(self, name: str, content: bytes) -> str:
        """Keep a file that somebody uploaded, under its own name, and return that."""
        check_name(name)
        target = self.root / name
        if target.is_symlink() or (target.exists() and not is_plain(target)):
            raise InputError(f"{shown(name)}: a link or a folder of this name is there already; rename the file")
        check_content(name, content)

        def write(draft: Path) -> None:
            draft.write_bytes(content)

        write_file(target, write, silent=True)
        return name

    def lock(self) -> IO[str]:
        """Hold the folder for this process; the system lets go of it when the process ends, however it ends."""
        held = self.inside("lock").open("a+", encoding="utf-8")
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            held.close()
            raise InputError(
                f"{self.root}: a workbench is open on this folder already; use its page, or stop it with Ctrl-C first"
            ) from None
        return held


def open_folder(given: list[Path], here: Path) -> WorkFolder:
    """The working folder for what was given: a folder, files of one folder, or nothing, for the example below `here`."""
    if not given:
        return _made(WorkFolder(_example(here), example=True))
    if len(given) == 1 and given[0].is_dir():
        return _made(WorkFolder(given[0].resolve()))
    missing = [path for path in given if not path.exists()]
    if missing:
        raise InputError([f"{path}: there is no such file or folder; check the name" for path in missing])
    wrong = [path for path in given if path.is_dir() or path.is_symlink() or _suffix(path.name) not in KINDS]
    if wrong:
        raise InputError([f"{path}: give one folder, or files that end in {', '.join(KINDS)} and are no links" for path in wrong])
    folders = {path.resolve().parent for path in given}
    if len(folders) > 1:
        raise InputError("the files lie in different folders, and the workbench works in one; put them into one folder")
    folder = _made(WorkFolder(folders.pop()))
    state = folder.load()
    names = tuple(dict.fromkeys(path.name for path in given))
    if state.files != names:
        folder.save(state.reading(names))
    return folder


def _made(folder: WorkFolder) -> WorkFolder:
    if folder.made.is_symlink() or (folder.made.exists() and not folder.made.is_dir()):
        raise InputError(f"{folder.made}: is a link or a file, and the workbench keeps its work there; move it away")
    try:
        folder.made.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder.root}: cannot be written to ({error.strerror}); copy the tables to a folder of yours") from None
    return folder


def _example(here: Path) -> Path:
    """A folder with the example; what is there from last time stays."""
    root = here / EXAMPLE
    try:
        root.mkdir(exist_ok=True)
        for name in EXAMPLE_FILES:
            if not (root / name).exists():
                (root / name).write_bytes(files("foregone.workbench").joinpath("example", name).read_bytes())
    except OSError as error:
        raise InputError(f"{here}: cannot be written to ({error.strerror}); change to a folder of yours and start again") from None
    return root.resolve()


def is_plain(path: Path) -> bool:
    """A regular file, and no link to one."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def is_table(entry: os.DirEntry[str]) -> bool:
    named = _suffix(entry.name) in KINDS and not entry.name.startswith((".", "~")) and entry.name not in NOT_TABLES
    return named and entry.is_file(follow_symlinks=False)


def _suffix(name: str) -> str:
    return os.path.splitext(name)[1].lower()


def check_name(name: str) -> None:
    """Refuse a file name that could lead anywhere, or that is not one of a table."""
    odd = any(ord(letter) < 32 or letter in '/\\:*?"<>|' for letter in name)
    if not name or odd or name.startswith((".", "~", " ", "-")) or name != name.strip() or len(name) > LONGEST_NAME:
        raise InputError(f"{shown(name[:LONGEST_NAME])}: is not a plain file name; rename the file and drop it again")
    if _suffix(name) not in KINDS or name in NOT_TABLES:
        raise InputError(f"{shown(name)}: files of this kind are not read; use one that ends in {', '.join(KINDS)}")


def check_content(name: str, content: bytes) -> None:
    """Refuse a file that is too large, or that would be once it is unpacked."""
    if len(content) > MOST_UPLOADED:
        raise InputError(f"{shown(name)}: is larger than {MOST_UPLOADED:,} bytes; cut it into several tables")
    if _suffix(name) not in ZIPPED:
        return
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError):
        raise InputError(f"{shown(name)}: is not a workbook; open it in a spreadsheet program and save it again") from None
    if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > MOST_UNZIPPED:
        raise InputError(f"{shown(name)}: unpacks to far more than a table needs, so it was not opened; save the table alone")


def zipped(folder: Path) -> bytes:
    """All regular files of a folder as an archive; the same files give the same bytes."""
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if is_plain(path):
                archive.writestr(zipfile.ZipInfo(path.relative_to(folder).as_posix()), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return made.getvalue()


def cleared(path: Path) -> None:
    """Remove a folder that was made here, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
