"""Play the reader: take the protected tables of the README and of the tutorial as they are printed, type them in with
their footnote, add what each mark tells, and look for somebody.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from foregone import Policy, Release, audit, bounds, protect
from foregone.formats.folder import read_release
from foregone.model.marks import Ranges
from foregone.policy.judge import Judged, PolicyVerdict, judge
from tests.country import command

EXAMPLES = Path(__file__).parents[2] / "examples"
PAGES = {"README.md": ("by_age", "by_town", "smokers"), "tutorial.md": ("by_age", "by_town")}
NOBODY = Policy(singled_out_columns=1, stars=2)  # more than either page promises: not even one column tells of one patient


def printed(folder: Path, names: tuple[str, ...], options: list[object]) -> list[Path]:
    """The files of a steward with the mark in every cell that is not shown; the footnote goes with the token of the import."""
    files = [EXAMPLES / f"{name}.csv" for name in names]
    command("import", *files, "--out", folder / "clinic", "--record", "patient", "--token", "*=1..4")
    command("protect", folder / "clinic", "--out", folder / "protected", *options)
    hidden = [number for number in read_release(folder / "protected").published if number.withheld]
    places = {row["name"]: row for row in csv.DictReader((folder / "protected" / "places.csv").open(encoding="utf-8"))}
    made = []
    for file in files:
        rows = list(csv.reader(io.StringIO(file.read_text("utf-8"))))
        for number in hidden:
            place = places[number.name]
            if place["file"] == file.name:
                rows[int(place["row"]) - 1][ord(place["column"]) - ord("A")] = "*"
        kept = [row for row in rows if not any("fewer than" in cell for cell in row)]  # the old footnote is gone
        made.append(folder / file.name)
        with made[-1].open("w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows(kept)
    return made


def typed(folder: Path, files: list[Path], meaning: str) -> Release:
    """What a reader types in: the printed tables, and the footnote about the mark."""
    (folder / "layout.toml").write_text('[[table]]\nname = "smokers"\npercent_within = ["Age"]\n')  # as the heading says
    layout = ["--layout", folder / "layout.toml"] if len(files) > 2 else []
    command("import", *files, "--out", folder / "typed", "--record", "patient", "--token", f"*={meaning}", *layout)
    return read_release(folder / "typed")


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_a_reader_finds_nobody(tmp_path: Path, page: str) -> None:
    policy: list[object] = ["--policy", EXAMPLES / "policy.toml"] if page == "tutorial.md" else []
    files = printed(tmp_path, PAGES[page], policy)
    protected = read_release(tmp_path / "protected")
    assert dict(protected.domain.marks) == {"*": ((1, None),)}
    read = typed(tmp_path, files, "1..")
    assert judge(NOBODY, Judged(audit(read))).verdict == PolicyVerdict.KEPT
    # the release that protect wrote is what the reader typed: as many numbers that are not shown, and the same limits of each
    assert {(s.predicate, s.low, s.high) for s in read.statistics} == {(s.predicate, s.low, s.high) for s in protected.statistics}
    for cell in read.statistics:
        if cell.hidden:
            low, high = bounds(read, cell.predicate)
            assert high is None or low < high, cell.label


@pytest.mark.slow
def test_two_marks_tell_what_the_old_footnote_excludes(tmp_path: Path) -> None:
    """The tables that used to be called safe: two cells withheld beside stars for 1 to 4. Who knows that no count of 1 to 4
    is withheld without a star finds the man; protect with two marks knows it as well, and withholds more.
    """
    files = [EXAMPLES / "by_age.csv", EXAMPLES / "by_town.csv"]
    command("import", *files, "--out", tmp_path / "clinic", "--record", "patient", "--token", "*=1..4")
    clinic = read_release(tmp_path / "clinic")
    old = protect(clinic, marks="one").withheld
    five: Ranges = ((5, None),)
    undone = Release(
        clinic.domain,
        [s.known(five[0][0], None) if s.name in old else s for s in clinic.statistics],
        clinic.rules,
    )
    assert judge(NOBODY, Judged(audit(undone))).verdict == PolicyVerdict.BROKEN
    two = protect(clinic, marks="two")
    assert two.release is not None
    assert set(two.marks) == {"*", "[c]"}
    assert two.after == 0
    assert judge(Policy(2, stars=2), Judged(audit(two.release))).verdict == PolicyVerdict.KEPT
    assert all(s.low >= five[0][0] for s in two.release.statistics if s.mark == "[c]" and s.table == "by_age")
