"""The synthetic country: same bytes for a seed, every edit rule obeyed, roughly national, and alike inside blocks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from foregone.census.household.kind import UNIT_COLUMNS, edit_rules, household_domain
from foregone.census.household.sentences import BOOK
from foregone.census.synthetic.country import block_sizes, write_country
from foregone.census.synthetic.households import Tracts, block, households
from foregone.model.errors import InputError


@pytest.fixture(scope="module")
def many() -> pd.DataFrame:
    """A hundred thousand households in 5,000 blocks of 1,000 tracts."""
    rng = np.random.default_rng(3)
    of = np.repeat(np.arange(5000), 20)
    made = households(Tracts.draw(1000, rng), of // 5, of, rng)
    return pd.DataFrame({**made, "VACS": 0})


def test_same_seed_same_bytes_and_another_seed_differs(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.csv", "b.csv", "c.csv")]
    for path, seed in zip(paths, (1, 1, 2), strict=True):
        write_country(path, 2, 2, 10, seed)
    assert paths[0].read_bytes() == paths[1].read_bytes() != paths[2].read_bytes()


def test_layout_and_row_classes(units: pd.DataFrame) -> None:
    assert tuple(units.columns[:-1]) == UNIT_COLUMNS
    assert (units.SCHEMA_BUILD_ID == "SYNTHETIC").all()
    assert (units.TABBLK.str[0] == units.TABBLKGRPCE).all()
    assert units.block.str.fullmatch("[0-9]{15}").all()
    quarters, vacant = units[units.RTYPE == "4"], units[units.VACS != "0"]
    rest = [name for name in UNIT_COLUMNS[9:] if name != "VACS"]
    assert (vacant[rest].astype(int) == 0).all(axis=None)
    assert (quarters[[*rest, "VACS"]].astype(int) == 0).all(axis=None)
    occupied = units[(units.RTYPE == "2") & (units.VACS == "0")]
    assert (occupied[["TEN", "HHSIZE", "HHT", "HHT2", "THHLDRAGE", "THHSPAN", "THHRACE", "HHSEX"]].astype(int) > 0).all(axis=None)
    assert len(vacant) > 0.04 * len(units)


def test_every_edit_rule_is_obeyed(many: pd.DataFrame) -> None:
    text = many.astype(str)
    for rule in edit_rules():
        broken = np.logical_and.reduce([text[name].isin(codes) for name, codes in rule.allowed])
        assert not broken.any(), rule.text()
    h = many
    couple = h.HHT2 <= 4
    assert ((h.HHT2.isin((1, 3, 6, 10))) == (h.PAOC <= 3)).all()
    assert set(zip(h.PAOC, h.PAC, strict=True)) <= {(1, 1), (1, 3), (2, 2), (2, 3), (3, 3), (4, 1), (4, 2), (4, 3), (4, 4)}
    assert (h.TP18[h.PAC < 4] == 1).all()
    assert ((h.TP75 <= h.TP65) & (h.TP65 <= h.TP60)).all()
    for flag, first in (("TP60", 6), ("TP65", 7), ("TP75", 8)):
        own = first <= h.THHLDRAGE
        assert (h[flag][own] == 1).all()
        alone = (h.HHSIZE == 1) | ((h.HHSIZE == 2) & (h.PAC < 4)) | ((h.HHSIZE == 3) & (h.PAOC == 3) & ~couple)
        assert (h[flag][alone] == own[alone]).all()
    young = (h.THHLDRAGE == 1) & couple & ((h.HHSIZE == 2) | ((h.HHSIZE == 3) & (h.PAOC < 4)) | ((h.HHSIZE == 4) & (h.PAOC == 3)))
    assert not h.TP75[young].any()
    male = h.HHSEX == 1
    assert male[h.HHT.isin((2, 4, 5))].all()
    assert not male[h.HHT.isin((3, 6, 7))].any()
    assert not (male & (h.THHLDRAGE >= 8) & h.PAOC.isin((1, 3))).any()
    assert not (~male & (h.THHLDRAGE >= 8) & (h.PAOC != 4)).any()
    assert not (~male & (h.THHLDRAGE >= 6) & h.PAOC.isin((1, 3))).any()
    assert ((h.CPLT == 0) == (h.HHSIZE == 1)).all()
    assert ((h.UPART == 0) == (h.HHSIZE == 1)).all()
    assert (h.CPLT.isin((1, 2)) == (h.HHT == 1)).all()
    assert (h.CPLT.isin((3, 4)) == h.HHT2.isin((3, 4))).all()
    assert (h.UPART.isin((1, 2)) <= male).all()
    assert ((h.MULTG == 0) == (h.HHSIZE <= 2)).all()
    assert (h.HHSIZE[couple & (h.MULTG == 2)] >= 4).all()


def test_national_shares_are_roughly_right(many: pd.DataFrame) -> None:
    wanted = {
        "TEN": {1: 45.4, 2: 19.7},
        "HHSIZE": {1: 26.7, 2: 32.8, 3: 16.1, 4: 13.4, 5: 6.5, 6: 2.6, 7: 1.9},
        "HHT": {1: 48.4, 2: 5.0, 3: 13.1, 4: 11.9, 6: 14.8},
        "THHLDRAGE": {1: 4.6, 2: 15.4, 3: 18.2, 4: 21.3, 5: 9.8, 6: 8.4, 7: 11.6, 8: 7.6, 9: 3.1},
        "THHRACE": {1: 76.9, 2: 12.1, 3: 0.8, 4: 4.0, 6: 4.2, 7: 1.9},
        "THHSPAN": {2: 11.5},
        "TP18": {1: 33.4},
        "TP65": {1: 24.9},
    }
    for name, shares in wanted.items():
        for code, share in shares.items():
            assert 100 * (many[name] == code).mean() == pytest.approx(share, abs=3.0), (name, code)


def test_sizes_have_a_long_tail_and_enough_blocks_of_the_median_sizes() -> None:
    sizes = block_sizes(50, 100, np.random.default_rng(0))
    assert np.median(sizes) == 10
    assert sizes.min() >= 1
    assert sizes.max() > 200
    assert 15 < sizes.mean() < 25
    for row in sizes:
        assert (row == 10).sum() >= 5
        assert (row == np.sort(row)[49]).sum() >= 5


def test_ten_household_blocks_are_as_alike_as_real_ones() -> None:
    """About 91 % of the 621 queries are 0 and 3 to 5 % are 1 (in the paper's blocks 90.9 and 3.4)."""
    queries = [dict(predicate.allowed) for _, _, predicate in BOOK.queries("621")]
    rng = np.random.default_rng(1)
    of = np.repeat(np.arange(400), 10)
    made = households(Tracts.draw(400, rng), of, of, rng)
    text = {name: made[name].astype(str) if name in made else np.full(4000, "0") for name in household_domain().names}
    zero = one = 0
    for query in queries:
        match = np.logical_and.reduce([np.isin(text[name], list(codes)) for name, codes in query.items()])
        counts = match.reshape(400, 10).sum(axis=1)
        zero += int((counts == 0).sum())
        one += int((counts == 1).sum())
    assert 0.89 <= zero / (400 * 621) <= 0.93
    assert 0.028 <= one / (400 * 621) <= 0.05


def test_a_single_block_is_reproducible() -> None:
    assert block(10, 3) == block(10, 3)
    assert len(block(17, 1)) == 17


def test_large_states_are_made_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foregone.census.synthetic.country.CHUNK", 150)
    made = write_country(tmp_path / "units.csv", 2, 3, 20, 0)
    frame = pd.read_csv(tmp_path / "units.csv", dtype=str)
    assert len(frame) == made.households + made.vacant + made.quarters
    assert len(frame.groupby(["TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK"])) == made.blocks == 120
    assert ((frame.RTYPE == "2") & (frame.VACS == "0")).sum() == made.households


def test_impossible_countries_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="`states` 51"):
        write_country(tmp_path / "units.csv", states=51)
    with pytest.raises(InputError, match="9,000"):
        write_country(tmp_path / "units.csv", blocks=20_000)
    assert not list(tmp_path.iterdir())
