"""A case is a release that remembers: whatever was asked of it before, it says what a fresh one says."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import foregone as fg
from foregone.engine import Case
from tests.strategies import releases


def told(found: fg.Audit) -> list[tuple[object, ...]]:
    return [(fact.predicate, fact.count, fact.ground, fact.shortest) for fact in found.facts]


@settings(max_examples=40, deadline=None)
@given(releases(), st.randoms(use_true_random=False))
def test_questions_in_any_order_have_the_answers_of_a_fresh_case(pair: tuple[fg.Release, fg.Dataset], random: Random) -> None:
    release = pair[0]
    facts = fg.audit(release).facts
    case = Case(release)
    asked = [*facts[:4]] * 2
    random.shuffle(asked)
    for fact in asked:
        claim = fact.predicate
        match random.randrange(5):
            case 0:
                assert told(fg.audit(case)) == told(fg.audit(release))
            case 1:
                assert fg.verify(case, claim, fact.count).verdict == fg.Verdict.VERIFIED
                assert fg.verify(case, claim, fact.count + 1).verdict == fg.Verdict.REFUTED
            case 2:
                assert fg.bounds(case, claim) == fg.bounds(release, claim) == (fact.count, fact.count)
            case 3:
                one, other = fg.explain(case, claim, fact.count), fg.explain(release, claim, fact.count)
                assert len(one.statistics) == len(other.statistics)
                assert one.ways.least == other.ways.least
            case _:
                assert fg.possible(case, claim, fact.count).witness is not None
                assert fg.possible(case, claim, fact.count + 1).impossible


@settings(max_examples=40, deadline=None)
@given(releases(), st.data())
def test_a_weaker_case_says_what_the_weaker_release_says(pair: tuple[fg.Release, fg.Dataset], data: st.DataObject) -> None:
    release = pair[0]
    hidden = data.draw(st.sets(st.sampled_from(range(len(release.statistics)))))
    changed = release.without(hidden) if len(hidden) < len(release.statistics) else release
    case = Case(release)
    fg.audit(case)
    assert told(fg.audit(case.weaker(changed))) == told(fg.audit(changed))


def test_a_stronger_release_is_no_weaker_one() -> None:
    """Datasets that do not fit are not taken over."""
    release = fg.tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "2", "2"]}, margins=["SEX"])
    stronger = fg.tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "1", "2"]}, margins=["SEX,AGE"])
    case = Case(release)
    fg.audit(case)
    assert told(fg.audit(case.weaker(stronger))) == told(fg.audit(stronger))


def test_a_time_limit_is_that_of_the_question() -> None:
    release = fg.tabulate({"SEX": ["F", "F", "M"], "AGE": ["1", "2", "2"]}, margins=["SEX", "AGE"])
    case = Case(release, 0.5)
    assert fg.verify(case, {"SEX": "M"}, 1, time_limit=60).verdict == fg.Verdict.VERIFIED
    assert case.deadline.left() > 1
    with pytest.raises(fg.InputError, match="release or the path"):
        fg.audit(3)  # type: ignore[arg-type]
