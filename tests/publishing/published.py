"""From files to published files, as a steward does it: import, protect, publish; and looking for numbers in all bytes."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from foregone.formats.folder import read_release, write_release
from foregone.model.protection import Protection
from foregone.model.release import Release
from foregone.publishing.outcome import PublishedFiles
from foregone.tables.importing import beside, read_tables
from foregone.tables.layout_file import read_layout
from foregone.workflows.protect import ProtectionAsked, protect_files, write_protected
from foregone.workflows.publish import publish

SMALL = 'primary = "1..4"\n'
# counts that stand nowhere by chance; both small ones, and the two that protect them, are withheld
ROWS: list[list[object]] = [
    ["0-17", 4711, 3, 4714],
    ["18-64", 2, 4713, 4715],
    ["65+", 4717, 4719, 9436],
    ["Total", 9430, 9435, 18865],
]
HEAD = ["Age", "Male", "Female", "Total"]
SECRET = ("4711", "4713")


@dataclass(frozen=True)
class Steward:
    """What a steward has after all three steps."""

    made: PublishedFiles
    protected: Path
    original: Release
    withheld: tuple[str, ...]

    @property
    def private(self) -> Path:
        return self.protected.with_name(f"{self.protected.name}-private")

    def file(self, name: str) -> Path:
        return self.made.folder / name


def imported(tmp_path: Path, files: Sequence[Path], tokens: Sequence[str] = (), rule: str = "") -> Path:
    """A release of files, read as layout.toml says where there is one."""
    layout = tmp_path / "layout.toml"
    made = read_tables(files, rule=rule, tokens=tokens, layout=read_layout(layout) if layout.exists() else None, record="patient")
    write_release(made.release, tmp_path / "release", beside=beside(made))
    return tmp_path / "release"


def protected(
    tmp_path: Path,
    files: Sequence[Path],
    policy: str = SMALL,
    tokens: Sequence[str] = (),
    rule: str = "",
    asked: ProtectionAsked | None = None,
) -> Protection:
    """Import, and protect under a policy."""
    release = imported(tmp_path, files, tokens, rule)
    (tmp_path / "policy.toml").write_text(policy, "utf-8")
    wanted = replace(asked or ProtectionAsked(), policy=tmp_path / "policy.toml")
    found = protect_files(release, wanted)
    assert isinstance(found, Protection)
    write_protected(found, release, tmp_path / "protected", asked=wanted)
    return found


def steward(
    tmp_path: Path,
    files: Sequence[Path],
    policy: str = SMALL,
    tokens: Sequence[str] = (),
    rule: str = "",
    asked: ProtectionAsked | None = None,
) -> Steward:
    """Import, protect under a policy, and publish."""
    found = protected(tmp_path, files, policy, tokens, rule, asked)
    made = publish(tmp_path / "protected", tmp_path / "files")
    return Steward(made, tmp_path / "protected", read_release(tmp_path / "release"), found.withheld)


def all_bytes(path: Path) -> Iterator[tuple[str, bytes]]:
    """A file, and every part of it where it is an archive; in archives in it, too."""
    raw = path.read_bytes()
    yield path.name, raw
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                yield f"{path.name}/{name}", archive.read(name)


def holding(folder: Path, number: str) -> list[str]:
    """Where a number stands anywhere in the bytes of a folder of files, with and without marks between thousands, as text of any
    encoding, and not as a part of a longer number.
    """
    grouped = (
        [f"{int(number):,}".replace(",", sign) for sign in (",", ".", " ", "'", "\u00a0", "\u202f")] if number.isdigit() else []
    )
    found = []
    for path in sorted(file for file in folder.rglob("*") if file.is_file()):
        for place, raw in all_bytes(path):
            for form in {number, *grouped}:
                for encoding in ("utf-8", "utf-16-le", "utf-16-be", "cp1252"):
                    try:
                        wanted = form.encode(encoding)
                    except UnicodeEncodeError:
                        continue
                    digit = (
                        b"[0-9]" if encoding in ("utf-8", "cp1252") else b"[0-9]\x00" if encoding == "utf-16-le" else b"\x00[0-9]"
                    )
                    if re.search(b"(?<!" + digit + b")" + re.escape(wanted) + b"(?!" + digit + b")", raw):
                        found.append(f"{place}: {form} ({encoding})")
    return found
