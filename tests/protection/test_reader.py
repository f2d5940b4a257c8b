"""`--reader knows-the-rule`: whoever knows how a protection was chosen, and lists every dataset, finds out nothing forbidden."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from foregone import Dataset, Domain, Knowledge, Policy, Predicate, Primary, Release, Statistic, check, generate, protect
from foregone.checker import digest
from foregone.checker.encode.asked import Asked, kept_of, marking_of
from foregone.checker.encode.cell_blocks import blocks_of
from foregone.checker.encode.marks import numbers_of
from foregone.checker.encode.release import release_of
from foregone.checker.read.policy import policy_of
from foregone.checker.verdicts.covers import WORD
from foregone.formats.folder import release_texts
from foregone.formats.single import release_json
from foregone.model.errors import InputError
from foregone.model.policy import DEFAULT
from foregone.policy.reader import as_read
from foregone.protection import actions
from foregone.protection.actions import Allowed
from foregone.protection.covers import CoverSearch, first_pattern
from foregone.protection.exact import ExactAttacker
from foregone.protection.patterns import PublicRule
from foregone.protection.published import protected_release
from foregone.protection.world import SmallWorld, datasets_of
from foregone.solvers.deadline import Deadline
from tests.cli.commands import run
from tests.policy.brute import breaks
from tests.protection.brute import exact_breaks, subsets
from tests.protection.by_rule import Candidate, TooManyAlike, published, stable, world_of
from tests.protection.cases import Case, random_case
from tests.protection.knowing import TOTAL, Measured, World, broken_by_rule, measure_by_rule

ONE, TWO = Policy(singled_out_columns=1), Policy(singled_out_columns=2)
NOTHING = Knowledge()


def rule_of(case: Case) -> PublicRule:
    return PublicRule(as_read(case.release, case.policy), case.policy, case.allowed, case.problem.groups)


def test_the_smallest_example() -> None:
    """Two records, one of each value: 0 and 2, and 2 and 0, are published as they are. So nothing can be done for 1 and 1."""
    world, policy = World((2,), 2), replace(ONE, know=NOTHING)
    both, *_ = (d for d in world.datasets() if len(d.kinds) == 2)
    found = protect(world.release(both), policy, keep=[TOTAL], reader="knows-the-rule")
    assert found.release is None
    assert "under no pattern" in found.impossible
    assert protect(world.release(both), policy, keep=[TOTAL]).cost == 2


def test_a_later_pattern_is_taken_where_the_least_tells_too_much() -> None:
    """Counts 1, 2 and 2: the least withholds two cells, and tells which count is 1. All three have to be withheld."""
    world = World((3,), 5)
    truth = Dataset.of_kinds(world.domain, {("a1",): 1, ("a2",): 2, ("a3",): 2})
    least = protect(world.release(truth), ONE, keep=[TOTAL])
    found = protect(world.release(truth), ONE, keep=[TOTAL], reader="knows-the-rule")
    assert (least.cost, found.cost) == (2, 3)
    assert (found.reader, found.optimal, found.proved, found.after) == ("shown", True, True, 0)
    assert found.json()["reader"] == "shown"
    assert "reader" not in least.json()


MEASURED = [
    (World((4,), 8), ONE, Allowed("cell", (TOTAL,))),
    (World((4,), 8), Policy(singled_out_columns=1, smallest_group=3), Allowed("cell", (TOTAL,))),
    (World((4,), 7), Policy(primary=Primary(1, 2), min_width=3), Allowed("cell", (TOTAL,))),
    (World((3,), 12), Policy(primary=Primary(2, 3), both_sides=30), Allowed("cell", (TOTAL,))),
    (World((3,), 7), Policy(primary=Primary(names=("A.a1",)), know=NOTHING), Allowed("cell", (TOTAL,))),
    (World((2, 2), 5), DEFAULT, Allowed("cell", (TOTAL,))),
    (World((2, 2), 5), DEFAULT, Allowed("table", (TOTAL,))),
    (World((2, 2), 6), TWO, Allowed("cell", (TOTAL,), bases=(5,), withhold=False)),
    (World((2, 2), 5), Policy(attribute=("B",)), Allowed("table", (TOTAL,))),
    (World((2, 3), 4), Policy(primary=Primary(1, 2)), Allowed("table", (TOTAL,))),
    (World((2, 3), 4), TWO, Allowed("table", (TOTAL,), merges=(("B", "b1", "b2"), ("B", "b2", "b3")))),
]


@pytest.mark.slow
@pytest.mark.parametrize(("world", "policy", "allowed"), MEASURED)
def test_nothing_is_broken_in_any_world(world: World, policy: Policy, allowed: Allowed) -> None:
    found = measure_by_rule(world, policy, allowed)
    assert found.broken == 0
    assert found.protected > 0


def test_the_measure_sees_what_the_least_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the rule of everybody else in its place, that the datasets which fit keep the policy, the same world is broken."""

    def whoever_fits(self: SmallWorld, pattern: int, together: list[int]) -> list[int]:
        fitting = [y for y in self._fitting(pattern, together[0]) if self.problems[y] is not None]
        return together if self.listed.largest_stable(fitting, (), lambda _: ()) else []

    world, allowed = World((4,), 6), Allowed("cell", (TOTAL,))
    assert measure_by_rule(world, ONE, allowed).broken == 0
    monkeypatch.setattr(SmallWorld, "_stable", whoever_fits)
    assert measure_by_rule(world, ONE, allowed).broken > 5


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(k, k + 25) for k in range(0, 100, 25)])
def test_random_worlds_withstand_a_reader_who_knows_the_rule(seeds: range) -> None:
    """Stars, ranges, rules and groups before, every kind of policy and action, both kinds of marks."""
    worlds = 0
    for seed in seeds:
        case = random_case(Random(f"reader {seed}"))
        if isinstance(case, str) or case.allowed.sizes:
            continue
        rule = rule_of(case)
        datasets = datasets_of(rule, Deadline(), 150)
        if datasets is None or len(rule.things) > 9:
            continue
        known = SmallWorld(rule, datasets)
        known.run()
        assert not broken_by_rule(known, case.largest), seed
        worlds += 1
    assert worlds > 5


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(k, k + 30) for k in range(0, 120, 30)])
def test_the_rule_is_as_it_is_defined(seeds: range) -> None:
    """Every dataset has the pattern that the definition gives it: every pattern, every list of datasets."""
    compared = 0
    for seed in seeds:
        case = random_case(Random(f"rule {seed}"))
        if isinstance(case, str) or case.allowed.sizes:
            continue
        rule = rule_of(case)
        datasets = world_of(rule, case.largest)
        if len(rule.things) > 5 or len(datasets) > 25:
            continue
        try:
            expected = published(rule, datasets, case.largest)
        except TooManyAlike:
            continue
        every = datasets_of(rule, Deadline())
        assert every is not None
        assert set(datasets) <= set(every)
        known = SmallWorld(rule, every)
        known.run()
        assert {every[y]: (cost, pattern) for y, (pattern, cost) in known.published.items()} == expected, seed
        compared += 1
    assert compared > 3


FOLDERS: list[tuple[World, Policy, dict[str, Any]]] = [
    (World((2, 2), 4), DEFAULT, {}),
    (World((3,), 6), Policy(primary=Primary(1, 2)), {}),
    (World((2, 2), 4), Policy(primary=Primary(1, 2)), {"by": "table"}),
    (World((3,), 6), ONE, {"round_to": [5]}),
    (World((3,), 5), Policy(primary=Primary(1, 1)), {"merge": [("A", "a1", "a2")]}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("world", "policy", "options"), FOLDERS)
def test_a_reader_with_the_program_and_the_folder(world: World, policy: Policy, options: dict[str, Any]) -> None:
    """Protects every dataset of a world, and looks at which folders are the same, byte for byte."""
    alike: dict[str, list[tuple[Dataset, frozenset[int]]]] = {}
    protected: dict[str, Release] = {}
    for truth in world.datasets():
        release = world.release(truth)
        found = protect(release, policy, keep=[TOTAL], reader="knows-the-rule", **options)
        if found.release is None:
            continue
        folder = json.dumps(release_texts(found.release))
        secret = policy.primary
        primary = frozenset(i for i, s in enumerate(release.statistics) if secret and secret.holds("", s.low, s.high))
        alike.setdefault(folder, []).append((truth, primary))
        protected[folder] = found.release
    assert any(s.hidden or s.open for release in protected.values() for s in release.statistics)
    for folder, together in alike.items():
        kept = [truth.records for truth, _ in together]
        for primary in {primary for _, primary in together}:
            counts = [{truth.count(world.release(truth).statistics[i].predicate) for truth, _ in together} for i in primary]
            assert all(len(values) >= policy.min_width for values in counts)
            claims = replace(policy, primary=None)
            assert not claims.words or breaks(protected[folder], claims, world.records, kept=kept) is False


POLICIES = [ONE, TWO, DEFAULT, Policy(primary=Primary(1, 2)), Policy(primary=Primary(1, 3), min_width=3), Policy(attribute=("B",))]


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_covered_for_is_what_the_rule_does(policy: Policy) -> None:
    """Where cover datasets are found, the rule publishes all of them under that pattern; and it never takes an earlier one."""
    rng, shown = Random(repr(policy)), 0
    for world in (World((2, 2), 8), World((2, 3), 5)):
        datasets = list(world.datasets())
        for truth in rng.sample(datasets, 6):
            rule = PublicRule(world.release(truth), policy, Allowed(rng.choice(["cell", "table"]), (TOTAL,)))
            problem, true = rule.problem_of(truth), datasets.index(truth)
            known = SmallWorld(rule, datasets)
            known.run(true)
            first = first_pattern(rule, problem, ExactAttacker(problem), Deadline())
            if isinstance(first, str):
                assert true not in known.published
                continue
            cost = rule.cost(problem, first.taken)
            if true in known.published:
                assert (cost, first.pattern) <= known.published[true][::-1]
            cover = CoverSearch(rule, truth, first, Deadline())
            if cover.run():
                assert known.published[true] == (first.pattern, cost)
                assert {datasets.index(dataset) for dataset in cover.cover} <= set(known.alike(true))
                shown += 1
    assert shown > 1


def table(counts: dict[tuple[str, ...], int], rows: int, columns: int) -> Release:
    """A table with its margins, and nothing that has to be kept."""
    domain = Domain.of({"R": [f"r{i}" for i in range(rows)], "C": [f"c{i}" for i in range(columns)]})
    truth = Dataset.of_kinds(domain, counts)
    sides: list[dict[str, str]] = [{}, *({"R": r} for r in domain.columns[0].codes), *({"C": c} for c in domain.columns[1].codes)]
    sides += [{"R": r, "C": c} for r in domain.columns[0].codes for c in domain.columns[1].codes]
    cells = [(Predicate.of(side), " ".join(side.values()) or "all") for side in sides]
    return Release(domain, [Statistic.exact(p, truth.count(p), f"T.{name}", "T") for p, name in cells])


@pytest.fixture(scope="module")
def covered() -> tuple[Release, dict[str, Any]]:
    """A table of which the datasets cannot be listed, and its certificate with cover datasets."""
    release = in_a_table(Random(0), 5, 4)
    found = protect(release, DEFAULT, reader="knows-the-rule", proofs=True)
    assert (found.reader, found.optimal, found.proved) == ("shown", True, True), found.reader_why
    assert found.certificate is not None
    return release, json.loads(json.dumps(found.certificate))


def sealed(document: dict[str, Any]) -> dict[str, Any]:
    return {**document, "digest": digest({key: value for key, value in document.items() if key != "digest"})}


def test_a_certificate_with_cover_datasets_is_accepted(covered: tuple[Release, dict[str, Any]]) -> None:
    release, document = covered
    result = check(release, document)
    assert not result.rejected
    assert result.reason == ""
    assert len(document["reader"]["datasets"]) > 1


def alone(reader: dict[str, Any]) -> None:
    del reader["datasets"][1:], reader["first"][1:]


def without_the_true_one(reader: dict[str, Any]) -> None:
    del reader["datasets"][0], reader["first"][0]


def another_dataset(reader: dict[str, Any]) -> None:
    reader["datasets"][1] = reader["datasets"][1][:-1]


def nothing_explained(reader: dict[str, Any]) -> None:
    reader["first"][1]["explanations"] = []


def no_reason_for_the_last_action(reader: dict[str, Any]) -> None:
    reader["first"][1]["trees"][-1] = {"pay": [], "over": 1}


def one_proof_less(reader: dict[str, Any]) -> None:
    reader["first"][1]["trees"].pop()


def another_order(reader: dict[str, Any]) -> None:
    """As if the patterns stood in another order: what is proved of one action is said of another."""
    reader["first"][1]["trees"].reverse()


def the_proofs_of_another(reader: dict[str, Any]) -> None:
    reader["first"].reverse()


WRONG: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (alone, "the cover datasets do not show that"),
    (without_the_true_one, "the first dataset does not have the counts of the release"),
    (another_dataset, "it would not be published in the same way"),
    (nothing_explained, "something is paid for a clause that is met or is not there"),
    (no_reason_for_the_last_action, "what is paid does not add up"),
    (one_proof_less, "a proof is missing"),
    (another_order, "what is paid does not add up"),
    (the_proofs_of_another, "before: has"),
]


@pytest.mark.parametrize(("change", "why"), WRONG)
def test_what_is_wrong_with_a_cover_is_found(
    covered: tuple[Release, dict[str, Any]], change: Callable[[dict[str, Any]], None], why: str
) -> None:
    release, document = covered
    changed = deepcopy(document)
    change(changed["reader"])
    (found,) = check(release, sealed(changed)).rejected
    assert why in found


def test_what_only_fits_is_no_cover(covered: tuple[Release, dict[str, Any]]) -> None:
    """Datasets that show the same, in the place of one that was proved to be published so; the proofs stay."""
    release, document = covered
    protected = protect(release, DEFAULT, reader="knows-the-rule").release
    assert protected is not None
    for dataset in generate(protected, 6).datasets:
        changed = deepcopy(document)
        changed["reader"]["datasets"][1] = [{"n": n, "record": list(record)} for record, n in dataset.kinds]
        assert check(release, sealed(changed)).rejected or changed["reader"] == document["reader"]


def test_a_certificate_for_this_reader_is_none_for_others(covered: tuple[Release, dict[str, Any]]) -> None:
    """Without what it says of the reader its actions are others; and with a bare yes nothing is confirmed."""
    release, document = covered
    changed = deepcopy(document)
    del changed["reader"]
    assert check(release, sealed(changed)).rejected
    changed["reader"] = {"shown": "yes", "datasets": [], "first": []}
    assert check(release, sealed(changed)).reason == "that it withstands a reader who knows the rule: the program says so"


def test_what_rests_on_a_word_is_said(covered: tuple[Release, dict[str, Any]]) -> None:
    release, document = covered
    changed = deepcopy(document)
    changed["reader"]["first"][1] = WORD
    result = check(release, sealed(changed))
    assert not result.rejected
    assert "no earlier choice protects 1 of the" in result.reason


def in_a_table(rng: Random, rows: int, columns: int) -> Release:
    """Counts that differ as those of real tables do: rows and columns have sizes of their own."""
    sizes = [[2 ** rng.uniform(0, 2.5) for _ in range(length)] for length in (rows, columns)]
    counts: dict[tuple[str, ...], int] = {
        (f"r{i}", f"c{j}"): int(a * b * rng.random()) for i, a in enumerate(sizes[0]) for j, b in enumerate(sizes[1])
    }
    return table(counts, rows, columns)


@pytest.mark.slow
@pytest.mark.parametrize("policy", [Policy(primary=Primary(1, 3)), Policy(primary=Primary(1, 3), min_width=3), DEFAULT])
def test_covers_are_found_and_proved_at_real_size(policy: Policy) -> None:
    shown = 0
    for seed in range(3):
        release = in_a_table(Random(seed), 8, 6)
        found = protect(release, policy, reader="knows-the-rule", proofs=True)
        assert found.certificate is not None
        result = check(release, found.certificate)
        assert not result.rejected
        assert (result.reason == "") == (found.reader == "shown"), result.reason
        shown += found.reader == "shown"
    assert shown == 3


def ones_and_zeros(rng: Random, rows: int, columns: int) -> Release:
    """Totals count hardly more than the number of cells in them."""
    return table({(f"r{i}", f"c{j}"): rng.choice([0, 0, 1, 1, 1, 2]) for i in range(rows) for j in range(columns)}, rows, columns)


@pytest.mark.slow
def test_covers_are_found_where_totals_count_hardly_more_than_their_cells() -> None:
    """Such a total is small, however many cells it has: else which totals are small would tell what is in them."""
    found = protect(ones_and_zeros(Random("sparse 0"), 8, 4), DEFAULT, reader="knows-the-rule", proofs=True)
    assert found.reader == "shown", found.reader_why
    assert found.certificate is not None
    result = check(found.original, found.certificate)
    assert not result.rejected
    assert result.reason == ""


@pytest.mark.slow
def test_covers_are_found_where_counts_are_ones_and_zeros() -> None:
    """Zeros between them, tables in which all counts are 1, and few records in all."""
    for seed in range(6):
        rng = Random(f"sparse {seed}")
        cells = [(f"r{i}", f"c{j}") for i in range(5) for j in range(4)]
        release = table({cell: rng.choice([0, 0, 0, 1, 1, 2]) for cell in cells}, 5, 4)
        found = protect(release, DEFAULT, reader="knows-the-rule")
        assert found.reader == "shown", (seed, found.reader_why)


def test_engine_and_checker_have_the_same_blocks() -> None:
    for seed in range(30):
        rng = Random(seed)
        rows, columns = rng.randint(2, 7), rng.randint(3, 6)
        release = ones_and_zeros(rng, rows + 2, columns) if seed % 2 else in_a_table(rng, rows, columns)
        policy = rng.choice([ONE, DEFAULT, Policy(primary=Primary(1, 2)), Policy(attribute=("C",))])
        rule = PublicRule(release, policy, Allowed(keep=("T.all",), blocks=True))
        content = release_json(release)
        plain = release_of(content)
        numbers = numbers_of(content, plain)
        asked = Asked("cell", True, ("T.all",), {}, False, (), (), "one", "")
        own = policy_of(plain.domain, policy.json())
        kept = kept_of(plain, numbers, asked.keep)
        blocks = blocks_of(numbers, own, kept, asked, marking_of(plain, own, numbers, kept, asked, False), plain.domain.work)
        assert (blocks.first if blocks is not None else None) == (rule.blocks if len(release.statistics) > 16 else None)
        assert {i for i, s in enumerate(release.statistics) if s.low and s.name != "T.all"} <= rule.blocks.keys()


@pytest.mark.parametrize(("world", "policy"), [
    (World((4,), 6), ONE),
    (World((4,), 6), Policy(primary=Primary(1, 2))),
    (World((4,), 6), Policy(singled_out_columns=1, smallest_group=3)),
    (World((2, 2), 8), DEFAULT),
])
def test_in_blocks_nothing_is_broken_and_covers_are_what_the_rule_does(
    world: World, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rule with blocks for every dataset of a small world, by its definition; in the last one totals may be large."""
    monkeypatch.setattr(actions, "SPARSE", 0)
    monkeypatch.setattr(actions, "LARGE", 1)
    rules = {d: PublicRule(world.release(d), policy, Allowed(keep=(TOTAL,), blocks=True)) for d in world.datasets()}
    problems = {d: rule.problem_of(d) for d, rule in rules.items()}
    classes: dict[object, list[Dataset]] = {}
    for d, rule in rules.items():
        classes.setdefault(tuple(sorted(rule.blocks.items())), []).append(d)
    found: dict[Dataset, tuple[int, int]] = {}
    lists: dict[Dataset, list[Dataset]] = {}
    for members in classes.values():
        alike: dict[Any, list[Candidate]] = {}
        for d in members:
            for taken in (some for some in subsets(problems[d]) if problems[d].must <= some):
                shown = protected_release(problems[d], taken).statistics
                key = rules[d].cost(problems[d], taken), rules[d].pattern(problems[d], taken), shown
                alike.setdefault(key, []).append(Candidate(d, problems[d], taken))
        for (cost, pattern, _), together in sorted(alike.items(), key=lambda entry: entry[0][:2]):
            left, before = [one for one in together if one.dataset not in found], -1
            while before != len(left):
                before, kept = len(left), [one.dataset.records for one in left]
                left = [one for one in left if not exact_breaks(one.problem, one.taken, world.records, kept)]
            found |= {one.dataset: (cost, pattern) for one in left}
            lists |= {one.dataset: [other.dataset for other in left] for one in left}
    read: dict[object, list[Candidate]] = {}
    for d, (_, pattern) in found.items():
        done = rules[d].taken(problems[d], pattern)
        assert done is not None
        read.setdefault(protected_release(problems[d], done).statistics, []).append(Candidate(d, problems[d], done))
    assert all(stable(together, world.records) for together in read.values())
    covered = 0
    for d in Random(1).sample(list(rules), 8):
        first = first_pattern(rules[d], problems[d], ExactAttacker(problems[d]), Deadline())
        assert not isinstance(first, str)
        search = CoverSearch(rules[d], d, first, Deadline())
        if search.run():
            assert found[d] == (rules[d].cost(problems[d], first.taken), first.pattern)
            assert set(search.cover) <= set(lists[d])
            covered += 1
    assert covered > 2


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"attacker": "linear", "policy": Policy(primary=Primary(1, 2))}, "use the exact attacker"),
    ({"costs": "size"}, "must be public"),
    ({"reader": "everybody"}, "use any or knows-the-rule"),
    ({"by": "table", "costs": {"A": 3}, "policy": Policy(primary=Primary(1, 2))}, "give costs to cells"),
]


@pytest.mark.parametrize(("options", "why"), REFUSED)
def test_what_is_not_covered_is_refused(options: dict[str, Any], why: str) -> None:
    world = World((2, 2), 4)
    with pytest.raises(InputError, match=why):
        protect(world.release(next(world.datasets())), **{"reader": "knows-the-rule", **options})


def test_what_is_not_shown_ends_with_3(tmp_path: Path) -> None:
    """One cell of 1 in a table whose number of records may be withheld: no dataset is found that covers for it."""
    table({("r0", "c0"): 1, ("r1", "c1"): 40}, 2, 2).write(tmp_path / "release")
    given = ["--reader", "knows-the-rule", "--columns", "1", "--proofs"]
    done = run("protect", tmp_path / "release", "--out", tmp_path / "out", *given)
    record = json.loads((tmp_path / "out-private" / "protect.json").read_text())
    assert (done.status, record["reader"], record["optimal"]) == (3, "not shown", False), done.out
    assert "Not shown: whether it withstands a reader who knows the rule" in done.out
    checked = run("check", tmp_path / "release", tmp_path / "out-private" / "certificate.json", "--protected", tmp_path / "out")
    assert checked.status == 3
    assert "Not shown: that it withstands a reader who knows the rule" in checked.out


def test_a_world_that_can_be_listed_ends_with_0(tmp_path: Path) -> None:
    world = World((3,), 5)
    world.release(Dataset.of_kinds(world.domain, {("a1",): 2, ("a2",): 2, ("a3",): 1})).write(tmp_path / "release")
    given = ["--reader", "knows-the-rule", "--columns", "1", "--keep", TOTAL]
    done = run("protect", tmp_path / "release", "--out", tmp_path / "out", *given)
    assert done.status == 0, done.out
    assert "would be published in this way" in done.out
    plain = run("protect", tmp_path / "release", "--out", tmp_path / "plain", "--columns", "1", "--keep", TOTAL)
    assert "Not covered (--reader any)" in plain.out
    assert "Not covered (--reader any)" in next((tmp_path / "plain-private").glob("*.html")).read_text()


def test_figures_of_the_price() -> None:
    """The rule withholds more on average than the least does, and nothing is broken."""
    found = measure_by_rule(World((4,), 6), Policy(primary=Primary(1, 2)), Allowed("cell", (TOTAL,)))
    assert found == Measured(0, 74, 0, found.withheld)
    assert 184 <= found.withheld <= 230
