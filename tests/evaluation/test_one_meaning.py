"""One number has one meaning: what a run, a query, the page about a run and the study count are the same things."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import foregone as fg
from foregone.census.kinds import publisher
from foregone.census.unit_files.units import open_units
from tests.country import command

pytestmark = pytest.mark.slow


def test_query_page_and_audits_count_the_same_attributes(country: Path, tmp_path: Path) -> None:
    """By k attributes or more, which a policy counts too, against audits of all blocks one by one."""
    by_k = fg.query(country / "RUN", by="k").set_index("k")
    facts = fg.query(country / "RUN", sql="SELECT count, attributes FROM facts")
    command("report", country / "RUN", "--out", tmp_path / "run.html")
    told = json.loads((tmp_path / "run.results.json").read_text("utf-8"))
    tables = publisher("household", "official", "households")
    with open_units(country / "units.parquet", "official", "households") as units:
        records = units.records(units.sizes()[0])
    audits = [(fg.audit(tables.release(codes)), tables.dataset(codes)) for codes in records.values()]
    for k in by_k.index:
        about_one = [fact for audit, _ in audits for fact in audit if fact.count == 1 and fact.attributes >= k]
        singled = sum(audit.singled_out_in(truth, int(k)) for audit, truth in audits)
        assert by_k.facts_about_one[k] == len(about_one) == ((facts["count"] == 1) & (facts.attributes >= k)).sum()
        assert by_k.singled_out[k] == singled == told["found"]["records_singled_out_by_attributes"].get(str(k), 0)
        assert by_k.releases_with_any[k] == sum(audit.singled_out_in(truth, int(k)) > 0 for audit, truth in audits)
    assert told["found"]["most_attributes"] == by_k.index[by_k.singled_out > 0].max()
    least = told["policies"]["fail"]["singled_out_columns"]
    broken = sum(fact.count == 1 and fact.attributes >= least for audit, _ in audits for fact in audit)
    assert told["policies"]["fail"]["breaches"] == broken == ((facts["count"] == 1) & (facts.attributes >= least)).sum()


def test_the_study_counts_what_a_run_of_the_same_claims_counts(country: Path, tmp_path: Path) -> None:
    """Households that claims with exactly k columns single out, over single values and the tables of the study."""
    fg.run(country / "units.parquet", tmp_path / "RUN", variant="621", groups="none", workers=1)
    summary = fg.query(tmp_path / "RUN", sql="SELECT * FROM summary").set_index("release")
    blocks = pd.read_csv(country / "study" / "blocks.csv", dtype=str)
    found = pd.read_csv(country / "study" / "households.csv")
    claims = pd.read_parquet(country / "study" / "claims.parquet")
    assert found.households.sum() > 0
    for row in found[found.claims == "singleton"].itertuples():
        some = blocks.block[blocks.set == row.set]
        assert row.households == summary.loc[some, f"households_{row.columns}"].sum(), row
        listed = (claims.set == row.set) & (claims["columns"] == row.columns)
        assert (listed & (claims["count"] == 1)).sum() == summary.loc[some, f"singletons_{row.columns}"].sum(), row
        assert listed.sum() == summary.loc[some, f"verified_{row.columns}"].sum(), row
