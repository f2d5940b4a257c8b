"""The two releases that come with the package, each audited, told and shown on a page.

The demo is a synthetic block of ten households with every block-level household table. The textbook block is seven people whose
counts, median and mean ages by sex, race and marital status give away all of them: the numbers are those of a worked example in
S. Garfinkel, J. M. Abowd and C. Martindale, "Understanding Database Reconstruction Attacks on Public Data", Communications of the
ACM 62(3), 2019, pages 46 to 53. Nobody in either is real.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path

from foregone.census.household.sentences import household
from foregone.census.subjects import subject_of_release
from foregone.formats.folder import read_release, read_truth, write_release
from foregone.model.audit import Audit, Fact
from foregone.model.claim import Verdict
from foregone.model.dataset import Dataset
from foregone.model.errors import InputError
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.sentences import confirmation, describe, number, plural, singled_out_sentence
from foregone.pages.commands import Place
from foregone.pages.derivation import Derivation, derivation_from
from foregone.pages.ranking import audited_release
from foregone.pages.release_page import PageOptions
from foregone.pages.write import check_page, today, write_release_page
from foregone.questions.ask import audit, unique

SOURCE = "a worked example after Garfinkel, Abowd and Martindale (2019), in which nobody is real"
DEMO = "A synthetic census block (nobody in it is real): ten households, and every table that is published for a block."
TEXTBOOK = (
    "A block of seven people (nobody in it is real). Published: how many they are, and their median and mean age, by sex, by race,"
    " for those who are married and for Black women; small groups are withheld."
)
STORED = ("block-explained.json", "seven-explained.json")

Say = Callable[[str], None]


def demo_release() -> tuple[Release, Dataset]:
    """Ten synthetic households, and the true records behind the release, which the audit never sees."""
    return _bundled("block")


def textbook_release() -> tuple[Release, Dataset]:
    """Seven people, and the one dataset that fits the release, which the audit never sees."""
    return _bundled("seven")


def _bundled(name: str) -> tuple[Release, Dataset]:
    """A release by the name of its folder, and its truth."""
    with as_file(files("foregone.census").joinpath(name)) as folder:
        release = read_release(folder)
        truth = read_truth(folder, release)
    assert truth is not None
    return release, truth


def run_demo(say: Say, out: Path | None = None) -> Audit:
    """Audit the block and tell, household by household, what its tables give away."""
    release, truth = demo_release()
    result = _begun(say, DEMO, release)
    say(f"{singled_out_sentence(result, truth)} Certain, from the published numbers alone:")
    for i, fact in enumerate(singled_out(result, truth), start=1):
        say("")
        told = f"{fact.attributes} {plural('attribute', fact.attributes)}"
        say(f"{i:>3}. Exactly one household is like this ({told}): {household(dict(fact.predicate.allowed))}")
    return _ended(say, result, truth, out, f"audit {out} --out claims.csv")


def run_textbook(say: Say, out: Path | None = None) -> Audit:
    """Audit the block, say whether it is determined, and tell person by person what its tables give away."""
    release, truth = textbook_release()
    result = _begun(say, TEXTBOOK, release)
    answer = unique(release)
    if answer.verdict is Verdict.VERIFIED:
        people = number(len(answer.first))
        say(f"Only one set of {people} people has all of these numbers, so all of them are known:")
        for record in answer.first.records:
            where = Predicate.of(dict(zip(release.domain.names, record, strict=True)))
            say(f"  {describe(where, release.domain)}")
    else:
        say(f"Whether these are the only seven people with such numbers is {answer.verdict.value}.")
    return _ended(say, result, truth, out, f"unique {out}")


def _begun(say: Say, opening: str, release: Release) -> Audit:
    say(opening)
    say("")
    result = audit(release)
    say("\n".join(result.summary().splitlines()[:2]))
    say("")
    return result


def _ended(say: Say, result: Audit, truth: Dataset, out: Path | None, command: str) -> Audit:
    say("")
    say(confirmation(result, truth))
    if out is not None:
        write_release(result.release, out, truth)
        say(f"The release is in {out}; try: foregone {command}")
    return result


def singled_out(result: Audit, truth: Dataset) -> list[Fact]:
    """For each true record that some certain claim singles out, the claim that tells most about it."""
    best: dict[int, Fact] = {}
    index = truth.domain.index
    for fact in result:
        if fact.count == 1:
            tests = [(index[name], codes) for name, codes in fact.predicate.allowed]
            row = next(i for i, record in enumerate(truth.records) if all(record[c] in codes for c, codes in tests))
            if row not in best or _size(fact) > _size(best[row]):
                best[row] = fact
    return sorted(best.values(), key=lambda fact: (*(-n for n in _size(fact)), fact.predicate.text(truth.domain)))


def _size(fact: Fact) -> tuple[int, int, int]:
    return fact.attributes, fact.exact, fact.columns


def stored_explanations(fingerprint: str) -> dict[tuple[str, int], Derivation]:
    """Why the facts of exactly this release are certain, if it is a bundled one: working it out anew takes minutes.

    A test confirms each one.
    """
    for name in STORED:
        content = json.loads(files("foregone.census").joinpath(name).read_text("utf-8"))
        if content["fingerprint"] == fingerprint:
            return {(entry["claim"], entry["count"]): derivation_from(entry) for entry in content["explanations"]}
    return {}


def demo_page(audit: Audit, out: Path, say: Say) -> None:
    """Write the page about the demo and name it; a folder that cannot be written to does not spoil the demo."""
    place = Place("foregone-demo", prepare="foregone demo --out foregone-demo")
    _page(audit, out, say, demo_release()[1], "a synthetic census block, in which nobody is real", place)


def textbook_page(audit: Audit, out: Path, say: Say) -> None:
    """Write the page about the textbook block and name it, or say why it could not be written."""
    place = Place("foregone-textbook", prepare="foregone demo --textbook --out foregone-textbook")
    _page(audit, out, say, textbook_release()[1], SOURCE, place)


def _page(audit: Audit, out: Path, say: Say, truth: Dataset, name: str, place: Place) -> None:
    release = audit.release
    stored = stored_explanations(release.fingerprint())
    audited = audited_release(audit, subject_of_release(release.domain), truth=truth)
    say("")
    try:
        check_page(out)
        written = write_release_page(audited, stored, out, PageOptions(today(), name, place=place))  # none is worked out here
    except InputError as error:
        say(f"The page was not written: {error.problems[0]}. Use --page to write it elsewhere.")
        return
    say(f"To see all this, and why it is certain, open {written.page.absolute()} in a browser.")
