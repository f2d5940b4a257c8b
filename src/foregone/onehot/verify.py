"""The paper's second step: one integer program per claim (its section 5.3).

A claim R(a, m) is verified when the program of the release together with "the number of matching records is not m" is
infeasible. S[k] = 1 exactly when record k matches. There are two ways to say "not m":

`disjunction` (default) defines S as W is defined, and with one binary Y and the tightest constants

    sum S <= (m - 1) + (N - m + 1) Y        and        sum S >= (m + 1) Y.

`big_m` is the paper's own form with T, U, S, Y and a constant M much larger than N. Its printed constraints have slips,
which are corrected here:

- Constraints part 1 compare X[k, j] with v, the number of indices; they mean a[j], the claimed 0 or 1 at index j.
- The products (1 - T) U are not linear. With T = 1 the term -M T already switches the row off, so U alone does the same.
- The last constraint of part 3 reads 1 - M (Y - 1), which no Y = 0 can satisfy together with the other; its own
  explanation uses 1 - M (1 - Y), and so does this module.

The claims of the paper fix one value per column. A column for which a claim allows several values enters the big-M
form as one index, whose X is the sum over the allowed values and whose a is 1.
"""

from __future__ import annotations

from enum import StrEnum

from foregone.model.claim import Claim, Finding, Ground, Possibility, Verdict
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.onehot.generate import contradiction
from foregone.onehot.model import Masks, OneHot, encode, matches
from foregone.solvers.answer import Undecided
from foregone.solvers.ip.outcome import Adapter, NoPoint, Point, ask
from foregone.solvers.ip.program import Draft, IntegerProgram

SECONDS = 180.0  # per claim, as in the paper


class Negation(StrEnum):
    """How "the number of matching records is not m" is written."""

    DISJUNCTION = "disjunction"
    BIG_M = "big-m"


def broken_claim(model: OneHot, claim: Claim, form: Negation = Negation.DISJUNCTION) -> IntegerProgram:
    """The program whose solutions are the consistent datasets in which the claim is false."""
    masks = claim.predicate.masks(model.release.domain)
    draft = Draft(model.program)
    if form == Negation.BIG_M:
        _not_equal_big_m(draft, model, _matches_big_m(draft, model, masks), claim.count)
    else:
        _not_equal(draft, model, _matches(draft, model, masks), claim.count)
    return draft.program()


def true_claim(model: OneHot, claim: Claim) -> IntegerProgram:
    """The program whose solutions are the consistent datasets in which the claim holds: the mirrored question."""
    draft = Draft(model.program)
    found = _matches(draft, model, claim.predicate.masks(model.release.domain))
    draft.row([(s, 1) for s in found], claim.count, claim.count)
    return draft.program()


def check(
    model: OneHot, claim: Claim, adapter: Adapter, seconds: float | None = SECONDS, form: Negation = Negation.DISJUNCTION
) -> Finding:
    """Verify one claim against a model that is already built; a time-out leaves it undecided."""
    match ask(adapter, broken_claim(model, claim, form), seconds):
        case NoPoint():
            return Finding(claim, Verdict.VERIFIED, Ground.SOLVER)
        case Point(point=point):
            witness = model.dataset(point)
            if witness.count(claim.predicate) == claim.count:
                raise AssertionError("a dataset that should break the claim does not; please report this release")
            return Finding(claim, Verdict.REFUTED, witness=witness)
        case Undecided(reason=reason):
            return Finding(claim, Verdict.UNDECIDED, reason=reason)


def verify(
    release: Release,
    predicate: Predicate,
    count: int,
    adapter: Adapter,
    seconds: float | None = SECONDS,
    form: Negation = Negation.DISJUNCTION,
) -> Finding:
    """Is it certain that exactly `count` records match?"""
    model, claim = encode(release), Claim(predicate, count)
    finding = check(model, claim, adapter, seconds, form)
    if finding.verdict != Verdict.VERIFIED:
        return finding
    doubt = _unfit(model, adapter, seconds)
    return Finding(claim, Verdict.UNDECIDED, reason=doubt) if doubt else finding


def possible(
    release: Release, predicate: Predicate, count: int, adapter: Adapter, seconds: float | None = SECONDS
) -> Possibility:
    """Is there a consistent dataset in which exactly `count` records match?"""
    model, claim = encode(release), Claim(predicate, count)
    match ask(adapter, true_claim(model, claim), seconds):
        case NoPoint():
            doubt = _unfit(model, adapter, seconds)
            return Possibility(claim, impossible=not doubt, reason=doubt)
        case Point(point=point):
            witness = model.dataset(point)
            if witness.count(predicate) != count:
                raise AssertionError("a dataset in which the claim should hold breaks it; please report this release")
            return Possibility(claim, witness)
        case Undecided(reason=reason):
            return Possibility(claim, reason=reason)


def _unfit(model: OneHot, adapter: Adapter, seconds: float | None) -> str:
    """Nothing is certain or impossible about a release that no dataset fits: an error, or why that is not known."""
    match ask(adapter, model.program, seconds):
        case NoPoint():
            raise contradiction(adapter.name)
        case Undecided(reason=reason):
            return f"no dataset that fits the release is known: {reason}"
        case Point():
            return ""


def _matches(draft: Draft, model: OneHot, masks: Masks) -> range:
    """S as W is defined; for an empty predicate S says whether the record exists."""
    if masks:
        return matches(draft, model, masks)
    if model.present is not None:
        return range(model.present, model.present + model.records)
    return draft.variables(model.records, 1, 1)


def _not_equal(draft: Draft, model: OneHot, found: range, count: int) -> None:
    if count > model.records:
        return  # never the case, so every dataset breaks the claim
    y = draft.variables(1)[0]
    draft.row([*((s, 1) for s in found), (y, -(model.records - count + 1))], None, count - 1)
    draft.row([*((s, 1) for s in found), (y, -(count + 1))], 0, None)


def _matches_big_m(draft: Draft, model: OneHot, masks: Masks) -> range:
    """The paper's T, U and S over A_oh, the one-hot indices of the claimed columns."""
    if not masks:
        return _matches(draft, model, masks)
    big = _big(model)
    found = draft.variables(model.records)
    for k, s in enumerate(found):
        indices = _indices(model, k, masks)
        t = draft.variables(len(indices))
        u = draft.variables(len(indices))
        for (terms, a), tj, uj in zip(indices, t, u, strict=True):
            x, minus = [(j, 1) for j in terms], [(j, -1) for j in terms]
            draft.row([*x, (tj, big)], None, a + big)  # X - a <= M (1 - T)
            draft.row([*minus, (tj, big)], None, big - a)  # a - X <= M (1 - T)
            draft.row([*x, (tj, big), (uj, big)], 1 + a, None)  # X - a >= 1 - M T - M U
            draft.row([*minus, (tj, big), (uj, -big)], 1 - a - big, None)  # a - X >= 1 - M T - M (1 - U)
            draft.row([(s, 1), (tj, -1)], None, 0)
        draft.row([(s, -1), *((tj, 1) for tj in t)], None, len(indices) - 1)
    return found


def _indices(model: OneHot, record: int, masks: Masks) -> list[tuple[list[int], int]]:
    """A_oh for one record: the variables of each index and the value a that the claim gives it."""
    made: list[tuple[list[int], int]] = []
    for column, mask in masks.items():
        if mask.bit_count() > 1:
            made.append((model.values(record, column, mask), 1))
            continue
        full = model.release.domain.columns[column].full
        claimed = model.values(record, column, mask)
        made += [([j], int(j in claimed)) for j in model.values(record, column, full)]
    return made


def _not_equal_big_m(draft: Draft, model: OneHot, found: range, count: int) -> None:
    y = draft.variables(1)[0]
    big = _big(model) + count
    draft.row([*((s, 1) for s in found), (y, -big)], None, count - 1)  # sum S - m <= M Y - 1
    draft.row([*((s, 1) for s in found), (y, -big)], count + 1 - big, None)  # sum S - m >= 1 - M (1 - Y)


def _big(model: OneHot) -> int:
    return 10 * (model.records + 1)
