"""Small releases whose certain claims can be worked out by hand: the paper's toy example and textbook suppression tables."""

from __future__ import annotations

import pytest

from foregone import Domain, Ground, Predicate, Release, Statistic, Verdict, audit, bounds, verify
from tests import oracle

exact = Statistic.exact
where = Predicate.of
Claims = set[tuple[str, int]]


def certain(release: Release) -> Claims:
    """Every certain claim as ('A=0, B=0', count)."""
    result = audit(release)
    assert not result.open
    names = release.domain.names
    return {
        (", ".join(f"{n}={v}" for n, v in zip(names, row.values, strict=True) if v is not None), row.count)
        for row in result.all_rows()
    }


# The paper's toy example (section on removing queries that evaluate to 1)

TOY = Domain.of({"A": ["0", "1"], "B": ["0", "1"], "C": ["0", "1"]})
TOY_COUNTS = (
    exact(where({"A": "0", "B": "0"}), 1),
    exact(where({"B": "0", "C": "0"}), 1),
    exact(where({"B": "0"}), 1),
)


def test_toy_example_of_the_paper() -> None:
    """One record has B=0, one has A=0 and B=0, one has B=0 and C=0: it is the same record."""
    release = Release(TOY, (*TOY_COUNTS, exact(Predicate(), 4)))
    assert certain(release) == {
        ("B=0", 1),
        ("B=1", 3),
        ("A=0, B=0", 1),
        ("B=0, C=0", 1),
        ("A=0, B=0, C=0", 1),
    }
    finding = verify(release, {"A": "0", "B": "0", "C": "0"}, 1)
    assert finding.verdict == Verdict.VERIFIED
    assert verify(release, {"A": "1", "B": "0"}, 0).verdict == Verdict.VERIFIED
    assert verify(release, {"A": "0"}, 1).verdict == Verdict.REFUTED


def test_toy_example_closed_claims() -> None:
    result = audit(Release(TOY, (*TOY_COUNTS, exact(Predicate(), 4))))
    assert [(row.values, row.count) for row in result.rows()] == [(("0", "0", "0"), 1), ((None, "1", None), 3)]
    grounds = {row.values: row.ground for row in result.all_rows()}
    assert grounds[("0", "0", None)] == grounds[(None, "0", None)] == Ground.PUBLISHED
    assert grounds[("0", "0", "0")] != Ground.PUBLISHED


@pytest.mark.parametrize("dropped", range(3))
def test_toy_example_needs_all_three_counts(dropped: int) -> None:
    kept = [s for i, s in enumerate(TOY_COUNTS) if i != dropped]
    release = Release(TOY, (*kept, exact(Predicate(), 4)))
    assert ("A=0, B=0, C=0", 1) not in certain(release)
    assert verify(release, {"A": "0", "B": "0", "C": "0"}, 1).verdict == Verdict.REFUTED


def test_toy_example_with_a_range_of_records() -> None:
    release = Release(TOY, (*TOY_COUNTS, Statistic(Predicate(), 0, 3)))
    assert certain(release) == {("B=0", 1), ("A=0, B=0", 1), ("B=0, C=0", 1), ("A=0, B=0, C=0", 1)}


# Suppression in a two-way table: rows x, y, z, columns p, q, r, all margins published, cells marked None withheld

TABLE = Domain.of({"ROW": ["x", "y", "z"], "COLUMN": ["p", "q", "r"]})
Cells = dict[tuple[str, str], int | tuple[int, int] | None]


def two_way(counts: dict[tuple[str, str], int], shown: Cells) -> Release:
    statistics = [exact(Predicate(), sum(counts.values()), "total")]
    for name, position in (("ROW", 0), ("COLUMN", 1)):
        for code in TABLE.column(name).codes:
            total = sum(n for key, n in counts.items() if key[position] == code)
            statistics.append(exact(where({name: code}), total, f"{name} {code}"))
    for (row, column), value in shown.items():
        if value is not None:
            low, high = value if isinstance(value, tuple) else (value, value)
            statistics.append(Statistic(where({"ROW": row, "COLUMN": column}), low, high, f"{row}{column}"))
    return Release(TABLE, tuple(statistics))


def suppress(counts: dict[tuple[str, str], int], hidden: str) -> Cells:
    return {key: None if "".join(key) in hidden.split() else count for key, count in counts.items()}


def grid(text: str) -> dict[tuple[str, str], int]:
    numbers = [int(word) for word in text.split()]
    keys = [(r, c) for r in "xyz" for c in "pqr"]
    return dict(zip(keys, numbers, strict=True))


def test_hidden_cell_alone_in_its_row_is_no_secret() -> None:
    counts = grid("2 1 1  1 1 0  0 1 1")
    release = two_way(counts, suppress(counts, "xp"))
    assert bounds(release, {"ROW": "x", "COLUMN": "p"}) == (2, 2)
    assert verify(release, {"ROW": "x", "COLUMN": "p"}, 2).ground == Ground.LINEAR


def test_two_hidden_cells_in_every_line_may_still_give_one_away() -> None:
    """Columns p and q, less rows a and b, whose hidden cells all lie in them, leave one hidden cell on its own: cp."""
    domain = Domain.of({"ROW": ["a", "b", "c", "d"], "COLUMN": ["p", "q", "r", "s"]})
    numbers = {"a": (1, 2, 0, 1), "b": (2, 1, 1, 0), "c": (1, 1, 1, 2), "d": (0, 1, 2, 1)}
    table = {row: dict(zip("pqrs", counts, strict=True)) for row, counts in numbers.items()}
    hidden = {("a", "p"), ("a", "q"), ("b", "p"), ("b", "q"), ("c", "p"), ("c", "r"), ("d", "r"), ("d", "s"), ("c", "s")}
    for line in "abcd":
        assert sum(row == line for row, _ in hidden) >= 2
    for line in "pqrs":
        assert sum(column == line for _, column in hidden) >= 2
    statistics = [exact(Predicate(), sum(sum(row.values()) for row in table.values()))]
    statistics += [exact(where({"ROW": row}), sum(values.values())) for row, values in table.items()]
    statistics += [exact(where({"COLUMN": column}), sum(values[column] for values in table.values())) for column in "pqrs"]
    statistics += [
        exact(where({"ROW": row, "COLUMN": column}), count)
        for row, values in table.items()
        for column, count in values.items()
        if (row, column) not in hidden
    ]
    release = Release(domain, tuple(statistics))
    assert bounds(release, {"ROW": "c", "COLUMN": "p"}) == (1, 1)
    finding = verify(release, {"ROW": "c", "COLUMN": "p"}, 1)
    assert (finding.verdict, finding.ground) == (Verdict.VERIFIED, Ground.LINEAR)
    # the others keep a range
    for row, column in hidden - {("c", "p")}:
        least, most = bounds(release, {"ROW": row, "COLUMN": column})
        assert most is not None
        assert least < most
        assert least <= table[row][column] <= most


def test_four_hidden_corners_are_safe() -> None:
    """Four cells at the corners of a rectangle can all shift by one: nothing is fixed, but the range is tight."""
    counts = grid("2 1 1  1 3 0  0 1 1")
    release = two_way(counts, suppress(counts, "xp xq yp yq"))
    assert bounds(release, {"ROW": "x", "COLUMN": "p"}) == (0, 3)
    assert bounds(release, {"ROW": "y", "COLUMN": "q"}) == (1, 4)
    assert verify(release, {"ROW": "x", "COLUMN": "p"}, 2).verdict == Verdict.REFUTED


def test_hidden_zero_margin_gives_cells_away() -> None:
    """A row that adds up to what is shown leaves zeros behind."""
    counts = grid("2 0 0  1 3 0  0 1 1")
    release = two_way(counts, suppress(counts, "xq xr yq yr"))
    for column in "qr":
        assert bounds(release, {"ROW": "x", "COLUMN": column}) == (0, 0)
    assert bounds(release, {"ROW": "y", "COLUMN": "q"}) == (3, 3)


# Linked tables


def linked(*kinds: str) -> Release:
    """Three columns; a table of A by B with a cell hidden and one of B by C: which tables are published is the question."""
    domain = Domain.of({"A": ["0", "1"], "B": ["0", "1"], "C": ["0", "1"]})
    tables = {
        # A=0,B=0 and A=0,B=1 hidden: only their sum is known
        "AB": (exact(where({"A": "0"}), 2), exact(where({"A": "1", "B": "0"}), 1), exact(where({"A": "1", "B": "1"}), 1)),
        # the same columns seen from B: B=0 is split by C, B=1 withheld
        "BC": (exact(where({"B": "0", "C": "0"}), 1), exact(where({"B": "0", "C": "1"}), 1)),
    }
    return Release(domain, (exact(Predicate(), 4), *(s for kind in kinds for s in tables[kind])))


def test_cell_that_follows_only_from_two_linked_tables() -> None:
    hidden = where({"A": "0", "B": "0"})
    assert bounds(linked("AB"), hidden) == (0, 2)
    assert bounds(linked("BC"), hidden) == (0, 2)
    assert bounds(linked("AB", "BC"), hidden) == (1, 1)
    assert ("A=0, B=0", 1) in certain(linked("AB", "BC"))
    for kinds in (("AB",), ("BC",)):
        assert verify(linked(*kinds), hidden, 1).verdict == Verdict.REFUTED
        assert ("A=0, B=0", 1) not in certain(linked(*kinds))
    for tables in (("AB",), ("BC",), ("AB", "BC")):
        assert bounds(linked(*tables), hidden) == oracle.count_range(linked(*tables), hidden, 4)


# Ranges


def ranged(blur: str) -> tuple[Release, dict[str, int]]:
    """One column of five values; each count is shown exactly, as '<5' or rounded to the nearest 5."""
    counts = {"a": 7, "b": 3, "c": 1, "d": 0, "e": 5}
    domain = Domain.of({"V": list(counts)})
    statistics = [exact(Predicate(), sum(counts.values()))]
    for code, count in counts.items():
        low, high = count, count
        if blur == "<5" and 0 < count < 5:
            low, high = 1, 4
        elif blur == "rounded":
            near = 5 * ((count + 2) // 5)
            low, high = max(0, near - 2), near + 2
        statistics.append(Statistic(where({"V": code}), low, high))
    return Release(domain, tuple(statistics)), counts


def range_by_enumeration(release: Release, wanted: str) -> tuple[int, int]:
    """All ways to share out the total among the values, within their limits."""
    limits = {next(iter(dict(s.predicate.allowed)["V"])): (s.low, s.high or 0) for s in release.statistics[1:]}
    total = release.statistics[0].low
    reach = {0}  # what the other values can add up to
    for code, (low, high) in limits.items():
        if code != wanted:
            reach = {r + n for r in reach for n in range(low, high + 1)}
    low, high = limits[wanted]
    possible = [n for n in range(low, high + 1) if total - n in reach]
    return min(possible), max(possible)


@pytest.mark.parametrize("blur", ["<5", "rounded"])
def test_bounds_within_ranges_are_exact(blur: str) -> None:
    release, counts = ranged(blur)
    for code, count in counts.items():
        expected = range_by_enumeration(release, code)
        assert bounds(release, {"V": code}) == expected
        assert expected[0] <= count <= expected[1]


def test_fewer_than_five_in_one_cell_is_no_protection() -> None:
    """A single '<5' cell follows from the total; two of them sum to 4, so each is 1 to 3, not 1 to 4."""
    release, _ = ranged("<5")
    assert bounds(release, {"V": "b"}) == (1, 3)
    assert bounds(release, {"V": "c"}) == (1, 3)
    assert bounds(release, {"V": ["b", "c"]}) == (4, 4)
    alone = Release(release.domain, (*release.statistics, exact(where({"V": "c"}), 1)))
    assert bounds(alone, {"V": "b"}) == (3, 3)
    assert verify(alone, {"V": "b"}, 3).verdict == Verdict.VERIFIED


def test_rounding_that_leaves_one_way() -> None:
    """Rounded parts whose lowest values already use up the total are exact."""
    domain = Domain.of({"V": ["a", "b", "c"]})
    parts = [Statistic(where({"V": code}), low, low + 4) for code, low in (("a", 3), ("b", 0), ("c", 8))]
    release = Release(domain, (exact(Predicate(), 11), *parts))
    assert certain(release) == {("V=a", 3), ("V=c", 8)}
    looser = Release(domain, (exact(Predicate(), 12), *parts))
    assert certain(looser) == set()
    assert bounds(looser, {"V": "a"}) == (3, 4)
