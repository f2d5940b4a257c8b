"""What is kept of one audit; where the true records are known, every claim is compared with them first."""

from __future__ import annotations

from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from foregone.batch.contents import Ints
from foregone.batch.determined import UNDETERMINED, Determined, known_size
from foregone.batch.results import Identified, PartTables
from foregone.model.audit import Audit


class FalseClaimError(AssertionError):
    """A claim held to be certain is false in the true records: a bug, and a reason to stop everything."""


def keep_audit(
    tables: PartTables, release: str, result: Audit, truth: Ints | None, begin: float, determined: Determined = UNDETERMINED
) -> None:
    """Keep what an audit found; where the true records are known, every claim is compared with them first."""
    width = len(tables.names)
    forms = np.zeros((len(result), width + 1), dtype=np.int64)
    for row, fact in zip(forms, result, strict=True):
        row[: len(fact.forms)] = fact.forms
    forms[:, 0] = 0  # the claim without columns is the number of records
    single = np.array([fact.count == 1 for fact in result], dtype=bool)
    identified = None
    if truth is not None:
        described = _described(release, result, truth)
        identified = _identified(result, described[single], forms[single])
    tables.add(
        release,
        result.rows(),
        [fact.attributes for fact in result],
        [fact.judged for fact in result],
        records=known_size(result.release) if truth is None else len(truth),
        live=result.kinds,
        cells=result.cells,
        verified=forms.sum(axis=0)[1:],
        singletons=forms[single].sum(axis=0)[1:],
        identified=identified,
        undecided=len(result.open),
        seconds=perf_counter() - begin,
        determined=determined,
    )


def _identified(result: Audit, described: NDArray[np.bool_], forms: Ints) -> Identified:
    """How many true records claims about one record describe: at all, by number of columns, and by what they tell at least."""
    single = [fact for fact in result if fact.count == 1]
    width = forms.shape[1] - 1
    named = described.T.astype(np.int64) @ (forms > 0) > 0  # record, number of columns
    steps = np.arange(1, width + 1)
    told, exact = (
        (described[:, :, None] & (np.array(numbers, dtype=np.int64)[:, None, None] >= steps)).any(axis=0).sum(axis=0)
        for numbers in ([fact.attributes for fact in single], [fact.exact_attributes for fact in single])
    )
    return Identified(int(described.any(axis=0).sum()), named.sum(axis=0)[1:].tolist(), told.tolist(), exact.tolist())


def _described(release: str, result: Audit, truth: Ints) -> NDArray[np.bool_]:
    """Which true records (columns) each closed claim (a row) describes; a claim or a form of one that is false is an error.

    The closed claim and the shortest forms having the right count is enough: every other form lies between two of them.
    """
    columns, index = result.release.domain.columns, result.release.domain.index
    closed = [(fact.predicate, fact.count) for fact in result]
    claims = [*closed, *((form, fact.count) for fact in result for form in fact.shortest)]
    match = np.ones((len(claims), len(truth)), dtype=bool)
    allowed: dict[tuple[str, frozenset[str]], NDArray[np.bool_]] = {}  # true records that have one of some codes
    for row, (predicate, _) in zip(match, claims, strict=True):
        for condition in predicate.allowed:
            if condition not in allowed:
                c = index[condition[0]]
                allowed[condition] = np.isin(truth[:, c], [columns[c].index[code] for code in condition[1]])
            row &= allowed[condition]
    wrong = np.flatnonzero(match.sum(axis=1) != [count for _, count in claims])
    if len(wrong):
        predicate, count = claims[wrong[0]]
        text = predicate.text(result.release.domain)
        raise FalseClaimError(f"{release}: the claim that exactly {count} have {text} is false in the true records")
    return match[: len(closed)]
