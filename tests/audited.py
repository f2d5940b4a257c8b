"""What an audit says, in the form in which the oracle says it."""

from __future__ import annotations

from foregone import Audit, Predicate, Release, audit
from foregone.model.claims_table import codes_of
from tests.oracle import Box, Claim, Datasets, Record, certain_boxes, fewest_matching, matches


def claims_of(result: Audit) -> set[Claim]:
    """Every certain claim over single values; none may be listed twice, and the totals of all claims must add up."""
    names = result.release.domain.names
    rows = result.all_rows()
    assert len({(row.values, row.count) for row in rows}) == len(rows), "a claim is listed twice"
    assert sum(result.claims_by_columns().values()) == len(rows)
    return {
        (tuple((name, value) for name, value in zip(names, row.values, strict=True) if value is not None), row.count)
        for row in rows
        if row.exact == row.columns
    }


def listed(release: Release) -> set[Claim]:
    """The certain claims of a release over single values, none of which may stay undecided."""
    result = audit(release)
    assert not result.open
    return claims_of(result)


def boxes_of(result: Audit) -> dict[Box, int]:
    """Every certain claim that `--all` lists, none of them twice."""
    names, found = result.release.domain.names, {}
    rows = result.all_rows()
    for row in rows:
        box = tuple((n, frozenset(codes_of(v))) for n, v in zip(names, row.values, strict=True) if v is not None)
        assert row.columns == len(box)
        assert row.exact == sum(len(codes) == 1 for _, codes in box)
        found[box] = row.count
    assert len(found) == len(rows), "a claim is listed twice"
    assert sum(result.claims_by_columns().values()) == len(rows)
    return found


def compare(release: Release, datasets: Datasets) -> Audit:
    """The audit, compared with all datasets that fit: claims, closed claims, shortest forms, what is printed, who is told."""
    result = audit(release)
    assert not result.open
    expected = certain_boxes(release, datasets)
    assert boxes_of(result) == expected
    names, possible = release.domain.names, {record for records in datasets for record in records}

    def selected(box: Box) -> frozenset[Record]:
        return frozenset(r for r in possible if all(r[names.index(n)] in g for n, g in box))

    closed = {fact.predicate.allowed for fact in result}
    kinds: dict[frozenset[Record], list[dict[str, frozenset[str]]]] = {}
    for box in expected:
        kinds.setdefault(selected(box), []).append(dict(box))
    smallest = set()
    shortest = {}
    for records, alike in kinds.items():
        full = {n: frozenset.intersection(*(b[n] for b in alike if n in b)) for n in names if any(n in b for b in alike)}
        assert full in alike
        key = tuple(sorted(full.items()))
        smallest.add(key)
        certain_size = len({len(records) for records in datasets}) == 1
        everybody: list[dict[str, frozenset[str]]] = [{}] if records == frozenset(possible) and certain_size else []
        forms = [*alike, *everybody]
        shortest[key] = {tuple(sorted(f.items())) for f in forms if not any(_wider(g, f) for g in forms if g != f)}
    assert closed == smallest
    exact = [s for s in release.statistics if s.low == s.high]
    for fact in result:
        assert {form.allowed for form in fact.shortest} == shortest[fact.predicate.allowed]
        around = [s for s in exact if s.low == fact.count and _wider(_named(release, s.predicate), dict(fact.predicate.allowed))]
        assert fact.published == bool(around)
        about_all = all(matches(r, fact.predicate, names) for r in possible)
        common = {n for n, group in fact.predicate.allowed if all(matches(r, Predicate.of({n: group}), names) for r in possible)}
        assert fact.idle == (frozenset() if about_all else common), fact
        for name in fact.brought:
            group = dict(fact.predicate.allowed)[name]
            others = [(n, codes) for n, codes in fact.predicate.allowed if n != name and n not in fact.idle]
            assert len(group) > 1
            assert any(all(r[names.index(name)] in group for r in possible if r[names.index(n)] in codes) for n, codes in others)
    single = [fact.predicate.allowed for fact in result if fact.count == 1]
    low = fewest_matching(release, single, datasets)
    assert result.singled_out == (low, low)
    return result


def _named(release: Release, predicate: Predicate) -> dict[str, frozenset[str]]:
    """Without the columns that may have any value."""
    return {n: g for n, g in predicate.allowed if len(g) < len(release.domain.column(n).codes)}


def _wider(a: dict[str, frozenset[str]], b: dict[str, frozenset[str]]) -> bool:
    """Does the box a hold the box b?"""
    return all(n in b and b[n] <= g for n, g in a.items())
