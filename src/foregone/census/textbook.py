"""The textbook block: seven people, whose counts, median and mean ages by sex, race and marital status give away all of them.

The numbers are those of a worked example in S. Garfinkel, J. M. Abowd and C. Martindale, "Understanding Database
Reconstruction Attacks on Public Data", Communications of the ACM 62(3), 2019, pages 46 to 53. Nobody in it is real.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from foregone.census.bundled import bundled
from foregone.formats.folder import write_release
from foregone.model.audit import Audit
from foregone.model.claim import Verdict
from foregone.model.dataset import Dataset
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.sentences import confirmation, describe, number
from foregone.questions.ask import audit, unique

SOURCE = "a worked example after Garfinkel, Abowd and Martindale (2019), in which nobody is real"
OPENING = (
    "A block of seven people (nobody in it is real). Published: how many they are, and their median and mean age, by sex, by race,"
    " for those who are married and for Black women; small groups are withheld."
)


def textbook_release() -> tuple[Release, Dataset]:
    """The release, and the one dataset that fits it, which the audit never sees."""
    return bundled("seven")


def run_textbook(say: Callable[[str], None], out: Path | None = None) -> Audit:
    """Audit the block, say whether it is determined, and tell person by person what its tables give away."""
    release, truth = textbook_release()
    say(OPENING)
    say("")
    result = audit(release)
    say("\n".join(result.summary().splitlines()[:2]))
    say("")
    answer = unique(release)
    if answer.verdict is Verdict.VERIFIED:
        people = number(len(answer.first))
        say(f"Only one set of {people} people has all of these numbers, so all of them are known:")
        for record in answer.first.records:
            where = Predicate.of(dict(zip(release.domain.names, record, strict=True)))
            say(f"  {describe(where, release.domain)}")
    else:
        say(f"Whether these are the only seven people with such numbers is {answer.verdict.value}.")
    say("")
    say(confirmation(result, truth))
    if out is not None:
        write_release(release, out, truth)
        say(f"The release is in {out}; try: foregone unique {out}")
    return result
