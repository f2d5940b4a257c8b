"""Where results go: whole or not at all, never over an input, never into a folder of somebody else."""

from __future__ import annotations

import logging
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from foregone.model.errors import InputError

RUN = "run.json"  # a folder with this file is a run of ours, beside whose results a page or a table may lie
RELEASE = ("domain.json", "statistics.csv")  # a folder with these, and nothing but what goes with them, is a release of ours
# what may lie beside them: not the truth, which may be the only copy
BESIDE = ("rules.csv", "layout.toml", "places.csv", "left_out.csv", "assumptions.txt", "protect.json")
RECORD = "protect.json"  # a folder with this, and nothing but what goes with it, is what protect keeps private
# how it was chosen, from which files it came, what was written from it, and what somebody decided about it
PRIVATE = (
    *(RECORD, "protection.html", "certificate.json", "joined.json"),
    *("sources.json", "layout.toml", "places.csv", "left_out.csv", "published.json", "review.json"),
)
NOTES = logging.getLogger("foregone.outputs")  # told when a file is replaced; the commands print it

Outputs = Mapping[str, Path | None]


def check_outputs(
    inputs: Iterable[Path | None],
    files: Outputs | None = None,
    folders: Outputs | None = None,
    releases: Outputs | None = None,
) -> None:
    """Refuse every place where a result must not go, before any work is done; outputs are named by their options.

    `releases` are folders too, which may take the place of another release.
    """
    read = [path for path in inputs if path is not None]
    problems: list[str] = []
    seen: list[tuple[str, Path]] = []
    kinds = ((False, files, _file_problem), (True, folders, _folder_problem), (True, releases, _release_problem))
    for made, given, check in kinds:
        for name, path in (given or {}).items():
            if path is None:
                continue
            doubled = [f"{name} and {other} are both {path}; give each its own name" for other, at in seen if _same(at, path)]
            over = [problem for source in read if (problem := _input_problem(path, source, made))]
            problem = check(path)
            problems += over[:1] or doubled[:1] or ([problem] if problem else [])
            seen.append((name, path))
    if problems:
        raise InputError(dict.fromkeys(problems))


def _same(one: Path, other: Path) -> bool:
    """Are two paths one file or folder, by whatever names and links?"""
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return os.path.realpath(one) == os.path.realpath(other)


def _input_problem(path: Path, source: Path, folder: bool) -> str:
    if _same(path, source):
        return f"{path}: is the input {source}, which would be lost; choose another name"
    if not os.path.isdir(source):
        return ""
    real, inside = Path(os.path.realpath(path)), Path(os.path.realpath(source))
    if real.is_relative_to(inside):
        ours = real.parent == inside and (inside / RUN).is_file() and real.name != RUN and not folder
        return "" if ours else f"{path}: lies in the input {source}, which must stay as it is; choose a place outside"
    if path.exists() and any(_same(path, Path(entry.path)) for entry in os.scandir(source)):
        return f"{path}: is a part of the input {source}, which would be lost; choose another name"
    return ""


def _file_problem(path: Path) -> str:
    try:
        kind = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        kind = stat.S_IFREG  # as it will be
    except (OSError, ValueError) as error:
        return f"{path}: cannot be written to ({getattr(error, 'strerror', None) or error}); choose another name"
    if not stat.S_ISREG(kind):
        return f"{path}: this is {'a folder' if stat.S_ISDIR(kind) else 'a pipe, a socket or a device'}; give a file name"
    return _parent_problem(Path(os.path.realpath(path)))


def _folder_problem(path: Path) -> str:
    if path.is_symlink() and not path.exists():
        return f"{path}: this link leads nowhere; choose another name or remove it first"
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        return f"{path}: already exists; choose another name or remove it first"
    return _parent_problem(path)


def _release_problem(path: Path) -> str:
    return _parent_problem(path) if is_release(path) else _folder_problem(path)


def is_release(path: Path) -> bool:
    """A folder that holds a release, or what protect keeps private, and nothing else: another one may take its place."""
    if path.is_symlink() or not path.is_dir():
        return False
    names = {entry.name for entry in os.scandir(path) if entry.is_file(follow_symlinks=False)}
    if len(names) < len(os.listdir(path)):
        return False
    return set(RELEASE) <= names <= {*RELEASE, *BESIDE} or {RECORD} <= names <= set(PRIVATE)


def _parent_problem(path: Path) -> str:
    if not path.parent.is_dir():
        return f"{path.parent}: there is no such folder; make it first"
    if not os.access(path.parent, os.W_OK | os.X_OK):
        return f"{path.parent}: cannot be written to; choose another place"
    return ""


def write_file(path: Path, write: Callable[[Path], None], silent: bool = False) -> None:
    """Let `write` make a draft and put it in its place; problems are told as one line. `silent`: not that a file was replaced."""
    with _told(path, _file_problem), drafted(path, silent) as draft:
        write(draft)


def write_text(path: Path, text: str, silent: bool = False) -> None:
    def write(draft: Path) -> None:
        draft.write_text(text, "utf-8")

    write_file(path, write, silent)


@contextmanager
def new_folder(path: Path, release: bool = False) -> Iterator[Path]:
    """A folder that appears under its name only when everything in it is written; a `release` may replace another one."""
    with _told(path, _release_problem if release else _folder_problem), drafted(path) as draft:
        draft.mkdir()
        yield draft


def write_folder(path: Path, texts: Mapping[str, str], release: bool = False, mode: int | None = None) -> None:
    """Texts by file name as a folder, whole or not at all; `mode` says who may look into it."""
    with new_folder(path, release) as folder:
        if mode is not None:
            folder.chmod(mode)
        fill(folder, texts)


def fill(folder: Path, texts: Mapping[str, str]) -> None:
    """Write texts by file name into a folder that is there."""
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")


@contextmanager
def drafted(path: Path, silent: bool = False) -> Iterator[Path]:
    """A name to write to, in a folder of its own beside the target. What is there in the end is put on the disk and then moved
    into place, so that a crash leaves the old file, or the new one, or none; but never half of one. That a file was replaced is
    told unless it is one that is kept up to date (`silent`).
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    scratch = Path(tempfile.mkdtemp(prefix=f".{target.name[:40]}.", dir=target.parent))
    try:
        draft = scratch / target.name
        yield draft
        replaced = target.is_file() or is_release(target)
        if target.is_file():
            shutil.copymode(target, draft)
        _sync(draft)
        if target.is_dir() and replaced:  # a folder does not give way to another: the old one goes with the scratch
            os.replace(target, scratch / "before")
        os.replace(draft, target)
        if replaced and not silent:
            NOTES.info("%s was there already and has been replaced", path)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _sync(path: Path) -> None:
    """All bytes on the disk, of a folder those of every file in it."""
    for name in [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]:
        with name.open("rb") as file:
            os.fsync(file.fileno())


@contextmanager
def _told(path: Path, check: Callable[[Path], str]) -> Iterator[None]:
    try:
        problem = check(path)
        if problem:
            raise InputError(problem)
        yield
    except OSError as error:
        raise InputError(f"{path}: could not be written ({error.strerror or error}); nothing was left behind") from None
