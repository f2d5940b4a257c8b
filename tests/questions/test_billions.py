"""Tables of very many records: witnesses are counts, so the size of the numbers costs nothing, and no sum wraps or rounds."""

from __future__ import annotations

import random
from contextlib import suppress
from itertools import product
from time import process_time

import numpy as np
import pytest

from foregone import (
    Dataset,
    Domain,
    Ground,
    Predicate,
    Release,
    Statistic,
    TooLargeError,
    UndecidedError,
    Verdict,
    audit,
    bounds,
    explain,
    generate,
    unique,
    verify,
)
from foregone.engine import Evidence, Witness
from foregone.engine.system.decode import dataset_of
from foregone.engine.system.linear import compile_release
from foregone.engine.witnesses.pool import Pool
from foregone.model.statement import LARGEST, Statement
from foregone.questions.ask import possible

BILLION = 10**9
HUGE = 1 << 60
where = Predicate.of


def shared_out(sizes: dict[str, int], total: int, seed: int) -> Dataset:
    """So many records shared out at random over all cells of a table."""
    rng = random.Random(seed)
    domain = Domain.of({name: [str(v) for v in range(size)] for name, size in sizes.items()})
    kinds = list(product(*(column.codes for column in domain.columns)))
    cuts = sorted(rng.randrange(total + 1) for _ in kinds[1:])
    return Dataset.of_kinds(domain, dict(zip(kinds, np.diff([0, *cuts, total]).tolist(), strict=True)))


def published(truth: Dataset, *margins: str, blur: int = 0, seed: int = 0) -> Release:
    """The number of records and some margins; with blur about a third of the counts are ranges."""
    rng = random.Random(seed)
    statistics = [Statistic.exact(Predicate(), len(truth), "records")]
    for names in margins:
        for codes in product(*(truth.domain.column(name).codes for name in names)):
            predicate = where(dict(zip(names, codes, strict=True)))
            count = truth.count(predicate)
            low, high = (count, count) if rng.random() < 0.67 else (max(0, count - rng.randint(0, blur)), count + blur)
            statistics.append(Statistic(predicate, low, high, predicate.text()))
    return Release(truth.domain, statistics)


def check_witnesses(evidence: object, release: Release) -> None:
    assert isinstance(evidence, Evidence)
    assert evidence.witnesses
    for witness in evidence.witnesses[:6]:
        dataset = dataset_of(evidence.system, witness)
        assert witness.size == len(dataset) == BILLION
        assert dataset.broken(release) == []
        assert len(dataset.kinds) <= release.domain.size


@pytest.mark.parametrize("blur", [0, 1000])
def test_a_small_table_of_a_billion_records(blur: int) -> None:
    truth = shared_out({"A": 3, "B": 3}, BILLION, 1)
    assert len(truth) == BILLION
    assert len(truth.kinds) <= 9
    with pytest.raises(TooLargeError, match="kinds"):
        _ = truth.records
    release = published(truth, "A", "B", blur=blur)
    begin = process_time()
    result = audit(release)
    assert process_time() - begin < 20
    assert not result.open
    assert result.broken_by(truth) == []
    check_witnesses(result.evidence, release)
    exact = {(s.predicate, s.low) for s in release.statistics if s.low == s.high and s.predicate.allowed}
    assert exact <= {(fact.predicate, fact.count) for fact in result}
    for a, b in product("012", "012"):
        cell = where({"A": a, "B": b})
        least, most = bounds(release, cell)
        assert most is not None
        assert least <= truth.count(cell) <= most
        assert possible(release, cell, least - 1).impossible if least else True
        for count in (least, most):
            found = possible(release, cell, count).witness
            assert found is not None
            assert found.count(cell) == count


def test_every_question_about_a_billion_records() -> None:
    truth = shared_out({"A": 3, "B": 3}, BILLION, 2)
    release = published(truth, "A", "B")
    women = truth.count(where({"A": "0"}))
    assert verify(release, {"A": "0"}, women).ground == Ground.PUBLISHED
    assert verify(release, {"A": ["0", "1"]}, BILLION - truth.count(where({"A": "2"}))).verdict == Verdict.VERIFIED
    refuted = verify(release, {"A": "0"}, women + 1)
    assert refuted.verdict == Verdict.REFUTED
    assert refuted.witness is not None
    assert len(refuted.witness) == BILLION
    answer = unique(release, time_limit=10)
    assert answer.verdict == Verdict.REFUTED
    assert answer.second is not None
    assert len(answer.first) == len(answer.second) == BILLION
    assert 0 < answer.distance <= answer.limit <= BILLION
    made = generate(release, 5)
    assert len(set(made.datasets)) == 5
    assert made.complete is False
    assert all(len(dataset) == BILLION and not dataset.broken(release) for dataset in made.datasets)
    assert explain(release, {"A": "0"}, women).statistics == (1,)


def test_all_datasets_of_a_billion_records_can_be_few() -> None:
    """Generating ends with all there are, though each has a billion records."""
    domain = Domain.of({"A": ["0", "1"], "B": ["0", "1"]})
    texts = {"": BILLION, "A=0": BILLION - 2, "B=0": BILLION - 1}
    release = Release(domain, [Statistic.exact(Predicate.parse(text, domain), count) for text, count in texts.items()])
    made = generate(release, 9)
    assert made.complete is True
    assert [dict(dataset.kinds).get(("1", "1"), 0) for dataset in sorted(made.datasets, key=lambda d: d.kinds)] in ([0, 1], [1, 0])
    assert generate(release, 1).complete is False


@pytest.mark.slow
@pytest.mark.parametrize("margins", [("A", "B", "C"), ("AC", "BC")])
def test_a_wide_table_of_a_billion_records(margins: tuple[str, ...]) -> None:
    truth = shared_out({"A": 40, "B": 20, "C": 4}, BILLION, 3)
    release = published(truth, *margins)
    begin = process_time()
    result = audit(release)
    assert process_time() - begin < 20  # about half a second when nothing else runs
    assert not result.open
    assert result.kinds == 3200
    assert result.broken_by(truth) == []
    check_witnesses(result.evidence, release)
    assert len(result) >= sum(bool(s.predicate.allowed) for s in release.statistics)


def test_weighted_sums_of_a_billion_records() -> None:
    """The number of records and a sum of ages tell the two kinds apart."""
    domain = Domain.of({"AGE": ["20", "50"]})
    ages = tuple((int(code), where({"AGE": code})) for code in domain.columns[0].codes)
    total = 20 * 700_000_001 + 50 * 299_999_999
    release = Release(domain, [Statistic.exact(Predicate(), BILLION)], (), [Statement(ages, total, total)])
    result = audit(release)
    assert {(fact.predicate.text(), fact.count) for fact in result} == {("AGE=20", 700_000_001), ("AGE=50", 299_999_999)}
    assert bounds(release, {"AGE": "20"}) == (700_000_001, 700_000_001)
    assert unique(release).verdict == Verdict.VERIFIED


# Numbers at which floating point rounds and 64 bits wrap around


BINARY = Domain.of({"A": ["0", "1"], "B": ["0", "1"]})


def one_column(*limits: tuple[int, int | None]) -> Release:
    domain = Domain.of({"A": [str(i) for i in range(len(limits))]})
    return Release(domain, [Statistic(where({"A": str(i)}), low, high) for i, (low, high) in enumerate(limits)])


@pytest.mark.parametrize("miss", [1, -1, 100])
def test_a_dataset_that_misses_a_huge_count_by_one_is_no_witness(miss: int) -> None:
    """Added up in floating point, 2^60 and 2^60 + 1 are the same."""
    domain = Domain.of({"A": ["0", "1"]})
    release = Release(domain, [Statistic.exact(Predicate(), 2 * HUGE), Statistic.exact(where({"A": "0"}), HUGE)])
    system = compile_release(release)
    good = Witness.of_counts(np.array([0, 1]), np.array([HUGE, HUGE]))
    for bad in ([HUGE + miss, HUGE], [HUGE + miss, HUGE - miss], [HUGE, HUGE + miss]):
        wrong = Witness.of_counts(np.array([0, 1]), np.array(bad))
        assert system.consistent([good, wrong, good]) == [True, False, True]
        pool = Pool(system)
        assert not pool.add(wrong)
        assert pool.add(good)
        assert len(pool) == 1
    assert system.tabulate(good).tolist() == [2 * HUGE, HUGE]


def test_tabulation_beyond_64_bits() -> None:
    release = one_column(*[(0, LARGEST)] * 4)
    whole = Release(release.domain, [*release.statistics, Statistic(Predicate(), 1, None)])
    system = compile_release(whole)
    witness = Witness.of_counts(np.arange(4), np.full(4, LARGEST))
    assert witness.size == 4 * LARGEST
    assert sorted(system.tabulate(witness).tolist()) == [LARGEST] * 4 + [4 * LARGEST]
    assert system.consistent([witness]) == [True]  # wrapped around, the sum would be 0
    pool = Pool(system)
    assert pool.add(witness)
    assert pool.counts(np.ones(4, dtype=bool)) == pool.counts(np.ones(4, dtype=np.int64)) == [4 * LARGEST]
    assert pool.counts(np.full(4, -3)) == [-12 * LARGEST]
    sets = [np.array([0, 1]), np.array([], dtype=np.int64), np.arange(4)]
    assert witness.inside(sets, 4).tolist() == [2 * LARGEST, 0, 4 * LARGEST]


AGES = ((1 << 31, where({"A": "0"})), (-(1 << 31), where({"A": "1"})))
HUGE_RELEASES: dict[str, tuple[Release, list[tuple[int, ...]]]] = {  # with some of the datasets that fit
    "four from 0 to 2^62": (one_column(*[(0, LARGEST)] * 4), [(0,) * 4, (LARGEST,) * 4]),
    "four of 2^62": (one_column(*[(LARGEST, LARGEST)] * 4), [(LARGEST,) * 4]),
    "one open": (one_column((LARGEST, LARGEST), (0, 3), (LARGEST - 1, None)), [(LARGEST, 0, LARGEST - 1), (LARGEST, 3, LARGEST)]),
    "one large, one small": (one_column((LARGEST, LARGEST), (1, 1), (0, 2)), [(LARGEST, 1, 0), (LARGEST, 1, 2)]),
    "two by two": (
        published(Dataset.of_kinds(BINARY, dict(zip(product("01", "01"), (HUGE, 1, HUGE + 1, HUGE - 1), strict=True))), "A", "B"),
        [(HUGE, 1, HUGE + 1, HUGE - 1), (HUGE + 1, 0, HUGE, HUGE)],
    ),
    "weighted": (
        Release(Domain.of({"A": ["0", "1"]}), [Statistic(Predicate(), 0, LARGEST)], (), [Statement(AGES, -LARGEST, LARGEST)]),
        [(0, 0), (LARGEST >> 31, LARGEST >> 31), (LARGEST // 2, LARGEST // 2)],
    ),
}


@pytest.mark.parametrize("name", HUGE_RELEASES)
def test_huge_counts_are_never_answered_wrongly(name: str) -> None:
    """Floating point cannot find datasets among such numbers, so that much stays undecided; whatever is said is true."""
    release, known = HUGE_RELEASES[name]
    kinds = list(product(*(column.codes for column in release.domain.columns)))
    truth = [Dataset.of_kinds(release.domain, dict(zip(kinds, counts, strict=True))) for counts in known]
    assert all(dataset.broken(release) == [] for dataset in truth)
    with suppress(UndecidedError):
        result = audit(release, time_limit=5)
        assert all(result.broken_by(dataset) == [] for dataset in truth)
    for condition in (Predicate(), where({"A": "0"}), where({"A": ["0", "1"]})):
        counts = [dataset.count(condition) for dataset in truth]
        for count in {*counts, 0, 1, LARGEST, 4 * LARGEST, 4 * LARGEST - 1}:
            with suppress(UndecidedError):
                finding = verify(release, condition, count, time_limit=5)
                assert finding.verdict != Verdict.VERIFIED or set(counts) == {count}
                if finding.witness is not None:
                    assert finding.witness.broken(release) == []
                    assert finding.witness.count(condition) != count
        with suppress(UndecidedError):
            least, most = bounds(release, condition, time_limit=5)
            assert least <= min(counts)
            assert most is None or max(counts) <= most
    with suppress(UndecidedError):
        answer = unique(release, time_limit=5)
        assert answer.verdict != Verdict.VERIFIED or len(truth) == 1
        assert answer.distance <= answer.limit
        if answer.second is not None:
            assert answer.first.broken(release) == answer.second.broken(release) == []


@pytest.mark.parametrize("digits", [10, 12])
def test_numbers_far_above_a_billion_are_still_decided(digits: int) -> None:
    """The relaxation is asked in larger units and all is decided."""
    truth = shared_out({"A": 3, "B": 3}, 10**digits, digits)
    release = published(truth, "A", "B", blur=1000)
    result = audit(release, time_limit=20)
    assert not result.open
    assert result.broken_by(truth) == []
    cell = where({"A": "1", "B": "2"})
    least, most = bounds(release, cell, time_limit=20)
    assert most is not None
    assert least <= truth.count(cell) <= most
    assert possible(release, cell, most + 1, time_limit=20).impossible
    for count in (least, most):
        found = possible(release, cell, count, time_limit=20).witness
        assert found is not None
        assert found.count(cell) == count
