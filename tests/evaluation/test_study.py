"""The study's tables, recomputed for a few blocks by plain pandas and the one-question functions of the package."""

from __future__ import annotations

import json
import re
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import foregone as fg
from foregone.census.household.kind import HOUSEHOLDS, household_domain
from foregone.census.household.sentences import BOOK
from foregone.census.kinds import publisher
from foregone.census.records import UNTIED
from foregone.census.unit_files.units import open_units
from foregone.cli.app import app
from foregone.evaluation.experiments import NOTHING_TIED, STATE_WIDE, STUDIED, TRACT, VACANT
from foregone.evaluation.figures import Panel
from foregone.evaluation.findings import sentence
from foregone.evaluation.measure import REMOVED, BlockTask, verified_claims
from foregone.evaluation.run import study, study_options
from foregone.evaluation.sample import StudyOptions, choose_blocks, drawn_of_size, lower_median
from foregone.formats.extras import need
from foregone.model.errors import InputError

pytestmark = pytest.mark.slow
NAMES = list(household_domain().names)
FILES = {
    "blocks.csv": "set state tract block households",
    "households.csv": "set claims columns households per_block",
    "blocks_with_claims.csv": "set claims columns blocks share",
    "guessers.csv": "set claims columns prior number chance guess modal nonmodal nonmodal_chance nonmodal_guess",
    "ablation.csv": "removed share_removed columns households",
    "columns.csv": "columns column share",
    "combinations.csv": "columns rank combination share",
    "statistics_values.csv": "value mean_per_block share",
    "block_sizes.csv": "state median blocks",
    "reconstruction.csv": "set block unique variability",
    "marginal_sets.csv": "counted_by columns paper 621",
    "side_by_side.csv": "measure set claims by paper 621",
    "figures.csv": "reading figure label measure value paper",
}
SETS = ("state-median", "national-median")
FIGURES = {
    "block_sizes",
    "statistics_values",
    *(f"{what}_{claims}_{which}" for what in ("identified", "blocks") for claims in ("singleton", "all") for which in SETS),
    *(f"chance_{claims}_{which}_{prior}" for claims in ("singleton", "all") for which in SETS for prior in ("tract", "state")),
    *(f"withheld_{removed}" for removed in ("0", "1", "0_1")),
    *(f"columns_{k}" for k in range(6, 11)),
}


def undrawn(panels: list[Panel], *_: object) -> dict[str, str]:
    """In the place of figures, which take their time."""
    return {panel.name: '<svg viewBox="0 0 1 1"></svg>' for panel in panels}


@pytest.fixture(scope="module")
def done(ingested: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("study") / "study"
    study(ingested, out, StudyOptions(per_state=2, rules="edit"))
    return out


@pytest.fixture(scope="module")
def homes(units: pd.DataFrame) -> pd.DataFrame:
    """Occupied units with codes as the study writes them: text without leading zeros."""
    occupied = units[(units.RTYPE == "2") & (units.VACS == "0")]
    return occupied[NAMES].astype(int).astype(str).assign(block=occupied.block)


def table(done: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(done / name, dtype={"block": str, "tract": str, "state": str, "removed": str})


def release(homes: pd.DataFrame, removed: tuple[int, ...] = ()) -> fg.Release:
    """The release of a block's records, tabulated record by record."""
    records = homes[NAMES].to_dict("records")
    statistics = []
    for name, _, predicate in BOOK.queries("621"):
        count = sum(all(record[column] in codes for column, codes in predicate.allowed) for record in records)
        if count not in removed:
            statistics.append(fg.Statistic.exact(predicate, count, name))
    return fg.Release(household_domain(), (*statistics, fg.Statistic.exact(fg.Predicate(), len(homes))))


def identified(homes: pd.DataFrame, claims: pd.DataFrame, k: int) -> int:
    """Households that some claim with k columns describes, by looking at each claim and each household."""
    seen = pd.Series(False, index=homes.index)
    for claim in claims[claims["columns"] == k][NAMES].to_dict("records"):
        seen |= np.logical_and.reduce([homes[name] == code for name, code in claim.items() if isinstance(code, str)])
    return int(seen.sum())


def claims_of(block: pd.DataFrame, removed: tuple[int, ...] = ()) -> pd.DataFrame:
    found = fg.audit(release(block, removed), groups="none").all_claims()  # the claims of the paper
    return found[found["columns"] >= 6].drop(columns=["exact", "published", "printed", "attributes"]).reset_index(drop=True)


def test_every_file_is_there_with_its_columns(done: Path) -> None:
    for name, header in FILES.items():
        assert list(table(done, name).columns) == header.split(), name
    assert list(pd.read_parquet(done / "claims.parquet").columns) == ["set", "block", *NAMES, "count", "columns", "ground"]
    shared = ["set", "block", "columns", "count", "prior"]
    assert list(pd.read_parquet(done / "baseline.parquet").columns) == [*shared, "probability", "claim"]
    assert list(pd.read_parquet(done / "guesses.parquet").columns) == [*shared, "chance", "guess", "modal", "claim"]
    baseline = pd.read_parquet(done / "baseline.parquet")
    assert baseline.claim.tolist() == 2 * list(range(len(baseline) // 2))
    assert {f"{name}.{kind}" for name in FIGURES for kind in ("png", "svg")} == {p.name for p in (done / "figures").iterdir()}
    content = json.loads((done / "study.json").read_text("utf-8"))
    assert content["seed"] == 0
    assert content["undecided"] == 0
    assert content["input"]["synthetic"] is True
    assert {"command", "versions", "timings"} <= set(content)


def test_block_choice(done: Path, homes: pd.DataFrame) -> None:
    sizes = homes.groupby("block").size()
    states = sizes.groupby(sizes.index.str[:2])
    medians = {state: sorted(group)[(len(group) - 1) // 2] for state, group in states}
    listed = table(done, "block_sizes.csv").set_index("state")
    assert listed["median"].to_dict() == medians
    assert listed["blocks"].to_dict() == states.size().to_dict()
    nation = sorted(sizes)[(len(sizes) - 1) // 2]
    blocks = table(done, "blocks.csv")
    assert (blocks.households == blocks.block.map(sizes)).all()
    assert (blocks.tract == blocks.block.str[:11]).all()
    for which, rows in blocks.groupby("set"):
        wanted = rows.state.map(medians) if which == "state-median" else nation
        assert (rows.households == wanted).all()
        expected = {s: min(2, int((g == (medians[s] if which == "state-median" else nation)).sum())) for s, g in states}
        assert rows.groupby("state").size().to_dict() == {s: n for s, n in expected.items() if n}
        assert rows.block.is_unique


def test_claims_and_households_by_hand(done: Path, homes: pd.DataFrame) -> None:
    blocks = table(done, "blocks.csv")
    written = pd.read_parquet(done / "claims.parquet")
    totals: dict[tuple[str, str, int], int] = {}
    having: dict[tuple[str, str, int], int] = {}
    for which, block in zip(blocks["set"], blocks.block, strict=True):
        here = homes[homes.block == block]
        claims = claims_of(here)
        mine = written[(written["set"] == which) & (written.block == block)][list(claims.columns)].reset_index(drop=True)
        pd.testing.assert_frame_equal(mine.astype(object).fillna(""), claims.astype(object).fillna(""))
        for kind, chosen in (("singleton", claims[claims["count"] == 1]), ("all", claims)):
            for k in range(6, 11):
                n = identified(here, chosen, k)
                totals[which, kind, k] = totals.get((which, kind, k), 0) + n
                having[which, kind, k] = having.get((which, kind, k), 0) + (n > 0)
    number = blocks.groupby("set").size()
    rows = table(done, "households.csv")
    assert {(r.set, r.claims, r.columns): r.households for r in _rows(rows)} == totals
    assert all(r.per_block == pytest.approx(r.households / number[r.set], abs=1e-6) for r in _rows(rows))
    rows = table(done, "blocks_with_claims.csv")
    assert {(r.set, r.claims, r.columns): r.blocks for r in _rows(rows)} == having
    assert all(r.share == pytest.approx(r.blocks / number[r.set], abs=1e-6) for r in _rows(rows))


def _rows(frame: pd.DataFrame) -> list[Any]:
    return [pd.Series(row) for row in frame.to_dict("records")]


def test_ablation_by_hand(done: Path, homes: pd.DataFrame) -> None:
    blocks = table(done, "blocks.csv")
    chosen = blocks[blocks["set"] == "national-median"].block
    rows = table(done, "ablation.csv")
    assert list(dict.fromkeys(rows.removed)) == [*REMOVED, "none, edit rules"]
    for name, removed in REMOVED.items():
        total = dict.fromkeys(range(6, 11), 0)
        share = []
        for block in chosen:
            here = homes[homes.block == block]
            left = release(here, removed)
            share.append(1 - (len(left.statistics) - 1) / 621)
            claims = claims_of(here, removed)
            for k in total:
                total[k] += identified(here, claims[claims["count"] == 1], k)
        mine = rows[rows.removed == name]
        assert dict(zip(mine["columns"], mine.households, strict=True)) == total, name
        assert mine.share_removed.tolist() == pytest.approx([np.mean(share)] * 5, abs=1e-6)


def test_edit_rules_only_add(done: Path) -> None:
    rows = table(done, "ablation.csv").set_index(["removed", "columns"]).households
    assert (rows["none, edit rules"] >= rows["none"]).all()
    keys = ["set", "claims", "columns"]
    plain, edit = (table(done, f"{name}.csv").set_index(keys).households for name in ("households", "households_edit"))
    assert (edit >= plain).all()
    assert edit.sum() > plain.sum()


def test_baseline_by_hand(done: Path, homes: pd.DataFrame) -> None:
    claims = pd.read_parquet(done / "claims.parquet")
    baseline = pd.read_parquet(done / "baseline.parquet")
    assert len(baseline) == 2 * len(claims)
    sizes = homes.groupby("block").size()
    picked = np.random.default_rng(0).choice(len(claims), 60, replace=False)
    for prior, digits in (("tract", 11), ("state", 2)):
        mine = baseline[baseline.prior == prior].reset_index(drop=True)
        assert mine.block.tolist() == claims.block.tolist()
        for i in picked.tolist():
            claim = claims.iloc[i]
            place = homes[homes.block.str[:digits] == claim.block[:digits]]
            share = np.logical_and.reduce([place[n] == claim[n] for n in NAMES if pd.notna(claim[n])]).mean()
            n, m = int(sizes[claim.block]), int(claim["count"])
            expected = comb(n, m) * share**m * (1 - share) ** (n - m)
            assert mine.probability[i] == pytest.approx(expected, rel=1e-9)
    guesses = pd.read_parquet(done / "guesses.parquet")
    assert guesses.chance.tolist() == baseline.probability.tolist()
    for prior, digits in (("tract", 11), ("state", 2)):
        mine = guesses[guesses.prior == prior].reset_index(drop=True)
        for i in picked[:20].tolist():
            named = [n for n in NAMES if pd.notna(claims.iloc[i][n])]
            frequent = homes[homes.block.str[:digits] == claims.block[i][:digits]].groupby(named).size()
            own = frequent.get(tuple(claims.iloc[i][named]), 0)
            assert mine.guess[i] == pytest.approx(own / frequent.sum())
            assert bool(mine.modal[i]) == (own == frequent.max())
    for told in table(done, "guessers.csv").query("claims == 'all'").to_dict("records"):
        same = [guesses[name] == told[name] for name in ("set", "columns", "prior")]
        group = guesses[np.logical_and.reduce(same)]
        apart = group[~group.modal]
        assert (told["number"], told["nonmodal"]) == (len(group), len(apart))
        assert told["guess"] == pytest.approx(group.guess.mean() if len(group) else 0, abs=1e-6)
        assert told["nonmodal_guess"] == pytest.approx(apart.guess.mean() if len(apart) else 0, abs=1e-6)
    keys = ["set", "claims", "columns", "prior"]
    summary = {tuple(row[key] for key in keys): row for row in table(done, "baseline_summary.csv").to_dict("records")}
    joined = baseline.assign(claims="all")
    joined = pd.concat([joined, joined[joined["count"] == 1].assign(claims="singleton")])
    for key, group in joined.groupby(keys):
        row = summary[key]
        assert row["number"] == len(group)
        wanted = group.probability.quantile([0, 0.25, 0.5, 0.75, 0.9, 1]).tolist()
        assert [row[name] for name in ("least", "q1", "median", "q3", "p90", "greatest")] == pytest.approx(wanted, rel=1e-5)


def test_columns_and_combinations_by_hand(done: Path) -> None:
    claims = pd.read_parquet(done / "claims.parquet")
    single = claims[claims["count"] == 1]
    shares = table(done, "columns.csv").set_index(["columns", "column"]).share
    listed = table(done, "combinations.csv")
    for k in range(6, 11):
        here = single[single["columns"] == k]
        for name in NAMES:
            assert shares[k, name] == pytest.approx(here[name].notna().mean() if len(here) else 0, abs=1e-6)
        counts = pd.Series([" ".join(n for n in NAMES if row[n]) for row in here[NAMES].notna().to_dict("records")]).value_counts()
        mine = listed[listed["columns"] == k]
        assert mine["rank"].tolist() == list(range(1, len(mine) + 1))
        assert len(mine) == min(5, len(counts))
        assert mine.share.tolist() == pytest.approx((counts.to_numpy()[: len(mine)] / max(1, len(here))).tolist(), abs=1e-6)
        assert all(counts[c] / len(here) == pytest.approx(s, abs=1e-6) for c, s in zip(mine.combination, mine.share, strict=True))


def test_statistics_values_by_hand(done: Path, homes: pd.DataFrame) -> None:
    blocks = table(done, "blocks.csv")
    chosen = blocks[blocks["set"] == "national-median"].block
    values = np.concatenate([[s.low for s in release(homes[homes.block == block]).statistics[:-1]] for block in chosen])
    rows = table(done, "statistics_values.csv")
    assert rows.mean_per_block.tolist() == pytest.approx([(values == v).sum() / len(chosen) for v in rows.value], abs=1e-6)
    assert rows.share.sum() == pytest.approx(1, abs=1e-4)


def test_reconstruction_by_hand(done: Path, homes: pd.DataFrame) -> None:
    for row in table(done, "reconstruction.csv").to_dict("records")[:4]:
        here = homes[homes.block == row["block"]]
        answer = fg.unique(release(here))
        assert row["unique"] == (answer.verdict == fg.Verdict.VERIFIED)
        assert row["variability"] == pytest.approx(answer.distance / len(here), abs=1e-6)


def test_same_bytes_whatever_the_number_of_workers_and_the_input(done: Path, raw: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    study(raw, again, StudyOptions(per_state=2, rules="edit", workers=2))
    names = sorted(str(p.relative_to(done)) for p in done.rglob("*") if p.is_file() and p.name != "study.json")
    assert len(names) > 20
    for name in names:
        assert (done / name).read_bytes() == (again / name).read_bytes(), name


def test_the_page_is_self_contained_and_says_synthetic(done: Path) -> None:
    page = (done / "index.html").read_text("utf-8")
    assert "Synthetic data." in page
    assert page.count('<figure role="img" aria-label=') == page.count("<svg") == len(FIGURES)
    assert re.findall(r'(?:src|href)="(?!#)[^"]*"', page) == []
    assert "http:" not in page.replace("http://www.w3.org", "")
    assert "1,809" in page
    assert "nobody described here is real" in (done / "examples.md").read_text("utf-8")


@pytest.mark.parametrize(
    "options", [StudyOptions(1, units="all"), StudyOptions(1, 7, variant="pac"), StudyOptions(1, variant="official")]
)
def test_other_settings(options: StudyOptions, ingested: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foregone.evaluation.figures.draw_figures", undrawn)
    done = study(ingested, tmp_path / "study", options)
    assert done.undecided == 0
    assert len(done.names) == (11 if options.variant == "pac" else 10)
    rows = pd.read_csv(tmp_path / "study" / "households.csv")
    assert sorted(set(rows["columns"])) == list(range(options.min_columns, len(done.names) + 1))
    for (_, _), group in rows.groupby(["set", "claims"]):
        assert group.households.is_monotonic_decreasing or options.units == "all"


def test_a_false_claim_stops_the_study(ingested: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a truth that is not the one behind the tables, claims come out false and nothing is written."""
    tables = publisher("household", "621", "households")
    counts = type(tables).counts
    monkeypatch.setattr(type(tables), "counts", lambda self, codes: counts(self, np.repeat(codes[:1], len(codes))))
    with pytest.raises(AssertionError, match="false in the truth"):
        study(ingested, tmp_path / "study", StudyOptions(per_state=1))
    assert not list(tmp_path.iterdir())


def test_both_readings_stand_side_by_side_and_experiments_are_told(
    ingested: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files of the first reading are those of a study of it alone; those of the other lie in a folder of its name."""
    monkeypatch.setattr("foregone.evaluation.figures.draw_figures", undrawn)
    options = study_options(per_state=1, workers=1, experiments=2)
    assert (options.variant, options.also) == ("621", ("renter-3",))
    found = study(ingested, tmp_path / "both", options)
    for reading, folder in (("621", tmp_path / "both"), ("renter-3", tmp_path / "both" / "renter-3")):
        study(ingested, tmp_path / reading, StudyOptions(per_state=1, variant=reading, farthest=reading == "621"))
        for name in ("households.csv", "ablation.csv", "combinations.csv", "claims.parquet", "baseline.parquet", "examples.md"):
            assert (folder / name).read_bytes() == (tmp_path / reading / name).read_bytes(), (reading, name)
    beside = pd.read_csv(tmp_path / "both" / "side_by_side.csv", dtype={"by": str})
    per_block = beside[(beside.measure == "households per block") & (beside.set == "national-median") & (beside.by == "6")]
    assert per_block.paper.tolist() == [669 / 250, 1809 / 250]
    for reading, one in (("621", found), ("renter-3", found.others[0])):
        named = {m.block: m for m in one.of("national-median")}
        expected = [sum(m.singleton[6] for m in named.values()), sum(m.any_count[6] for m in named.values())]
        assert (per_block[reading] * len(named)).round().tolist() == expected
    sets = pd.read_csv(tmp_path / "both" / "marginal_sets.csv")
    by_table = sets[sets.counted_by == "table"].set_index("columns")
    assert by_table["621"].to_dict() == {"1": 5, "2": 10, "3": 8, "4": 2, "all": 25}
    assert by_table.paper.to_dict() == {"1": 4, "2": 10, "3": 8, "4": 2, "all": 24}
    tried = pd.read_csv(tmp_path / "both" / "experiments.csv")
    assert set(tried.setting) == {STUDIED, VACANT, NOTHING_TIED, TRACT, STATE_WIDE}
    met = tried[tried.measure == "met per record"].set_index(["setting", "reading"]).value
    assert met[VACANT, "621"] == met[NOTHING_TIED, "621"] > 0  # the same counts, read with less
    assert met[STUDIED, "621"] >= 20  # every household is in so many
    chances = tried[(tried.setting == STUDIED) & (tried.reading == "621") & tried.measure.str.startswith("tract chance")]
    assert chances.value.fillna(-1).tolist() == pytest.approx(_median_chances(ingested, found.chosen.median), abs=1e-6)
    page = (tmp_path / "both" / "index.html").read_text("utf-8")
    assert "Side by side with the paper" in page
    assert "What explains the rest" in page
    numbers = pd.read_csv(tmp_path / "both" / "figures.csv")
    assert set(numbers.figure) == FIGURES
    assert set(numbers.reading.astype(str)) == {"621", "renter-3"}


def _median_chances(ingested: Path, size: int) -> list[float]:
    """How likely the claims about one household of two blocks are by their tract, on median for 6 to 10 columns; -1 for none."""
    tables, options, chances = publisher("household", "621", "households"), StudyOptions(), dict[int, list[float]]()
    with open_units(ingested, "621", "households") as units:
        for block, codes in units.records(drawn_of_size(*units.sizes(), size, 2, 0)).items():
            claims, _ = verified_claims(BlockTask(block, codes, options, False), tables.release(codes), tables)
            tract = units.base.execute("SELECT code FROM units WHERE tract = ?", [block[:11]]).fetchall()
            for mask, value, count, k in zip(claims.mask, claims.value, claims.count, claims.columns, strict=True):
                p = sum(int(code) & int(mask) == int(value) for (code,) in tract) / len(tract)
                if count == 1:
                    chances.setdefault(int(k), []).append(size * p * (1 - p) ** (size - 1))
    return [float(np.median(chances[k])) if k in chances else -1 for k in range(6, 11)]


def test_of_untied_units_nothing_is_known_but_the_tables(ingested: Path) -> None:
    """The same counts as of all units; what is certain is certain of all units, too, and a withheld count is not given back."""
    tables, loose = (publisher("household", "renter-3", units) for units in ("all", UNTIED))
    assert loose.workload.rules == ()
    assert all("VACS" not in dict(query.predicate.allowed) for query in loose.queries if query.table != "H5")
    options, left = StudyOptions(variant="renter-3"), {"all": 0, UNTIED: 0}
    with open_units(ingested, "renter-3", "all") as units:
        blocks, sizes = units.sizes()
        records = units.records([block for block, size in zip(blocks, sizes.tolist(), strict=True) if 5 <= size <= 8][:12])
    for block, codes in records.items():
        assert loose.counts(codes).tolist() == tables.counts(codes).tolist(), block
        assert not tables.dataset(codes).broken(loose.release(codes))
        for removed in ((), (1,)):
            found = []
            for some in (tables, loose):
                claims, _ = verified_claims(BlockTask(block, codes, options, False), some.release(codes, removed), some)
                found.append(set(zip(claims.mask.tolist(), claims.value.tolist(), claims.count.tolist(), strict=True)))
            assert found[1] <= found[0], block
            if removed:
                left["all"], left[UNTIED] = left["all"] + len(found[0]), left[UNTIED] + len(found[1])
    assert left[UNTIED] < left["all"] / 2
    with pytest.raises(InputError, match="not the edit rules"):
        publisher("household", "renter-3", UNTIED, True)


def test_a_household_that_only_the_total_gives_back_is_hidden_by_a_code_for_nobody() -> None:
    """Two owners and a renter whose count of 1 is withheld: known from the total, unless a unit may have no tenure at all."""
    told = {"TEN": ["0", "1", "2"], "SIZE": ["0", "1", "2"]}
    counted: list[tuple[dict[str, str], int]] = [({"TEN": "1"}, 2), ({"SIZE": "1"}, 2), ({"SIZE": "2"}, 1), ({}, 3)]
    stated = [fg.Statistic.exact(fg.Predicate.of(where), count) for where, count in counted]
    both = [fg.Predicate.of({"TEN": ["1", "2"], "SIZE": "0"}), fg.Predicate.of({"TEN": "0", "SIZE": ["1", "2"]})]
    for rules, certain in ((both, (1, 1)), ([], (0, 1))):
        assert fg.bounds(fg.Release(fg.Domain.of(told), stated, rules), {"TEN": "2"}) == certain


def test_territories_are_drawn_from_only_when_asked() -> None:
    blocks = [f"{state}001000100{1000 + i}" for state in ("01", "11", "72") for i in range(10)]
    sizes = np.array([5] * 10 + [9] * 20)
    assert {block[:2] for _, block, _ in choose_blocks(blocks, sizes, 2, 0).blocks} == {"01"}
    assert choose_blocks(blocks, sizes, 2, 0).median == 5
    both = choose_blocks(blocks, sizes, 2, 0, territories=True)
    assert ({block[:2] for _, block, _ in both.blocks}, both.median) == ({"01", "11", "72"}, 9)
    with pytest.raises(InputError, match="`territories`"):
        choose_blocks(blocks[10:], sizes[10:], 2, 0)


def test_lower_median_and_choice_are_seeded() -> None:
    blocks = [f"{state:02d}001000100{1000 + i}" for state in (1, 2) for i in range(40)]
    sizes = np.tile(np.arange(40) % 7 + 1, 2)
    first, again, other = (choose_blocks(blocks, sizes, 3, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert first.median == lower_median(sizes)
    assert len(first.blocks) == 12


def test_sentences_for_vacant_units() -> None:
    of = HOUSEHOLDS, household_domain("621", "all")
    assert sentence(15 << 4, 3 << 4, *of) == "A vacant housing unit."
    assert sentence(15 << 8, 0, *of) == "A vacant housing unit."
    assert sentence(15 << 8, 2 << 8, *of) == "A household of two."


def test_the_release_command(ingested: Path, raw: Path, homes: pd.DataFrame, tmp_path: Path) -> None:
    run = CliRunner().invoke
    block = homes.block.value_counts().index[5]
    made = run(app, ["census", "release", str(ingested), block, "--out", str(tmp_path / "one"), "--truth"])
    assert made.exit_code == 0, made.output
    assert "synthetic" in made.output
    published = fg.Release.read(tmp_path / "one")
    truth = pd.read_csv(tmp_path / "one" / "truth.csv", dtype=str)
    assert len(published.statistics) == 636
    assert len(truth) == (homes.block == block).sum() == published.size_range[0]
    audited = run(app, ["audit", str(tmp_path / "one")])
    assert audited.exit_code == 0, audited.output
    assert "every one is right" in audited.output
    tract, pair = block[:11], [b for b in homes.block.unique() if b[:11] == block[:11]][:2]
    for name, places in (("tract", [tract]), ("pair", pair)):
        command = ["census", "release", str(raw), *places, "--out", str(tmp_path / name), "--truth", "--variant", "621", "--edit"]
        assert run(app, command).exit_code == 0
        inside = homes.block.str[:11] == tract if name == "tract" else homes.block.isin(pair)
        assert len(pd.read_csv(tmp_path / name / "truth.csv")) == inside.sum()
        assert (tmp_path / name / "rules.csv").exists()
    units = run(app, ["census", "release", str(ingested), block, "--out", str(tmp_path / "all"), "--truth", "--units", "all"])
    assert units.exit_code == 0
    assert run(app, ["audit", str(tmp_path / "all")]).exit_code == 0
    for place, words in (("01", ""), ("99", "there is no state 99"), ("x", "is not a place"), ("0100100010010", "is not a place")):
        result = run(app, ["census", "release", str(ingested), place, "--out", str(tmp_path / f"p{place}.json")])
        assert (result.exit_code, words in result.output) == (2 if words else 0, True)


def test_the_study_command(raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foregone.evaluation.figures.draw_figures", undrawn)
    run = CliRunner().invoke
    asked = ["--per-state", "1", "--workers", "1", "--experiments", "2"]
    result = run(app, ["census", "study", str(raw), "--out", str(tmp_path / "study"), *asked])
    assert result.exit_code == 0, result.output
    assert "synthetic" in result.output
    assert "Undecided: 0" in result.output
    again = run(app, ["census", "study", str(raw), "--out", str(tmp_path / "study")])
    assert again.exit_code == 2
    assert "already exists" in again.output
    missing = run(app, ["census", "study", str(tmp_path / "none.csv"), "--out", str(tmp_path / "other")])
    assert missing.exit_code == 2
    columns = run(app, ["census", "study", str(raw), "--out", str(tmp_path / "other"), "--min-columns", "12"])
    assert columns.exit_code == 2
    assert "use 1 to 10" in columns.output


def test_missing_libraries_are_named() -> None:
    with pytest.raises(fg.ForegoneError, match=r"nothing_like_it.*foregone\[census\]"):
        need("json", "nothing_like_it")


def test_other_parquet_files_are_refused(tmp_path: Path) -> None:
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "other.parquet")
    with pytest.raises(InputError, match="census ingest"):
        study(tmp_path / "other.parquet", tmp_path / "study", StudyOptions())
    (tmp_path / "text.parquet").write_text("no")
    with pytest.raises(InputError, match="not a readable Parquet"):
        study(tmp_path / "text.parquet", tmp_path / "study", StudyOptions())


def test_every_combination_of_columns_is_a_possible_claim() -> None:
    """386 combinations of six or more of ten columns: what the priors are asked for at most."""
    assert sum(1 for k in range(6, 11) for _ in combinations(NAMES, k)) == 386
