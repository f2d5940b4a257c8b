"""The paper's first step: K consistent datasets, the claims each of them makes, and the claims they all make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from foregone.model.claim import Claim
from foregone.model.claims_table import BETWEEN, codes_of
from foregone.model.dataset import Dataset
from foregone.model.domain import Domain
from foregone.model.errors import ContradictionError, TooLargeError, UndecidedError, option
from foregone.model.families import Families
from foregone.model.predicate import Predicate
from foregone.onehot.model import OneHot
from foregone.solvers.ip.outcome import Adapter, ask_many

SOLUTIONS = 100
MAX_COLUMNS = 16  # 2^16 column subsets; above, listing the claims of one dataset is hopeless

Columns = tuple[int, ...]
ClaimList = dict[tuple[Columns, tuple[str, ...]], int]
"""(columns, values) -> how many records have them."""
Named = Sequence[Mapping[str, Sequence[str]]]
"""For each column and each of its codes, what claims can name that holds it: the code, and groups written as in files."""


@dataclass(frozen=True, slots=True)
class Solutions:
    """Different consistent datasets; `reason` says why there are fewer than asked, unless these are all there are."""

    datasets: tuple[Dataset, ...]
    complete: bool | None
    reason: str = ""


def generate(model: OneHot, adapter: Adapter, k: int = SOLUTIONS, seconds: float | None = None) -> Solutions:
    """Up to k consistent datasets; records in another order, where hashes collide, do not count as different."""
    found = ask_many(adapter, model.program, model.chosen, k, seconds)
    datasets = dict.fromkeys(map(model.dataset, found.points))
    if datasets:
        return Solutions(tuple(datasets), found.complete, found.reason)
    if found.complete:
        raise contradiction(adapter.name)
    raise UndecidedError(
        f"no dataset that fits the release was found: {found.reason}; raise {option('time_limit')} or use another solver"
    )


def contradiction(solver: str) -> ContradictionError:
    return ContradictionError(
        f"no dataset matches the release, says {solver}; the cells engine tells which published numbers contradict each other",
        (),
        False,
    )


def named_in(domain: Domain, families: Families) -> Named:
    """What claims can name, by the codes it holds."""
    found = []
    for c, column in enumerate(domain.columns):
        members = families.members(c, len(column.codes))
        if members is None:
            raise TooLargeError(
                f"column {column.name}: its groups overlap in more ways than the one-hot method can list; use the cells engine,"
                f" or {option('groups')} none"
            )
        told = [(mask, BETWEEN.join(column.codes_of(mask))) for mask in members]
        found.append({code: tuple(text for mask, text in told if mask >> i & 1) for i, code in enumerate(column.codes)})
    return found


def claim_list(dataset: Dataset, named: Named | None = None) -> ClaimList:
    """Every claim R(a, m) with m >= 1 that holds in a dataset: all column subsets with the multiplicities found.

    >>> domain = Domain.of({"SEX": ["F", "M"], "AGE": ["young", "old"]})
    >>> claim_list(Dataset.of(domain, [("F", "old"), ("M", "old")]))[(1,), ("old",)]
    2
    """
    _refuse_wide(dataset.domain)
    width = len(dataset.domain.columns)
    found: ClaimList = {}
    for size in range(1, width + 1):
        for columns in combinations(range(width), size):
            for values, count in _counts(dataset, columns, named).items():
                found[columns, values] = count
    return found


def intersection(datasets: Iterable[Dataset], named: Named | None = None) -> ClaimList:
    """The claims that all datasets make: every verified claim with m >= 1 is among them.

    After the first dataset only column subsets that still have a candidate are looked at.
    """
    left: dict[Columns, dict[tuple[str, ...], int]] | None = None
    for dataset in datasets:
        if left is None:
            left = {}
            for (columns, values), count in claim_list(dataset, named).items():
                left.setdefault(columns, {})[values] = count
            continue
        for columns in list(left):
            counts = _counts(dataset, columns, named)
            left[columns] = {values: count for values, count in left[columns].items() if counts[values] == count}
            if not left[columns]:
                del left[columns]
    return {(columns, values): count for columns, claims in (left or {}).items() for values, count in claims.items()}


def candidates(domain: Domain, datasets: Iterable[Dataset], families: Families | None = None) -> list[Claim]:
    """The intersection as claims, in a fixed order: short ones first, then by the domain's order of columns and codes.

    Without families, claims name single codes.
    """
    names = domain.names

    def order(entry: tuple[Columns, tuple[str, ...]]) -> tuple[object, ...]:
        columns, values = entry
        sides = zip(columns, values, strict=True)
        return len(columns), columns, [[domain.columns[c].index[code] for code in codes_of(v)] for c, v in sides]

    found = intersection(datasets, None if families is None else named_in(domain, families))
    return [
        Claim(Predicate.of({names[c]: codes_of(value) for c, value in zip(*entry, strict=True)}), found[entry])
        for entry in sorted(found, key=order)
    ]


def _counts(dataset: Dataset, columns: Columns, named: Named | None) -> Counter[tuple[str, ...]]:
    if named is None:
        return Counter(tuple([record[c] for c in columns]) for record in dataset.records)
    return Counter(values for record in dataset.records for values in product(*(named[c][record[c]] for c in columns)))


def _refuse_wide(domain: Domain) -> None:
    if len(domain.columns) > MAX_COLUMNS:
        raise TooLargeError(
            f"the one-hot method lists all subsets of columns and {len(domain.columns)} columns have too many"
            f" (at most {MAX_COLUMNS}); use the cells engine or leave out columns"
        )
