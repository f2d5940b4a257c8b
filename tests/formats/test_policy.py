"""One policy file for protect, audit and report."""

from __future__ import annotations

from pathlib import Path

import pytest

from foregone import InputError
from foregone.formats.policy import read_policies, read_policy
from foregone.model.policy import Knowledge, Policy, Primary
from foregone.pages.thresholds import NEVER, Limit, read_thresholds


def written(folder: Path, text: str) -> Path:
    path = folder / "policy.toml"
    path.write_text(text)
    return path


def test_every_key(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        'singled_out_columns = 4\nsmallest_group = 3\nattribute = ["DX"]\nprimary = "1..3"\nmin_width = 4\nboth_sides = 20\n'
        'know = ["zeros-shown", "primary<=3"]\n',
    )
    expected = Policy(4, 3, ("DX",), Primary(1, 3), 4, 20, Knowledge(True, 3))
    assert read_policy(path) == expected
    assert read_thresholds(path).fail == Limit(4, 3, min_width=4, primary=Primary(1, 3), attribute=("DX",))


def test_cells_alone_do_not_forbid_claims(tmp_path: Path) -> None:
    path = written(tmp_path, 'primary = ["T.1", "T.2"]\n')
    policy = read_policy(path)
    assert policy == Policy(primary=Primary(names=("T.1", "T.2")))
    assert not policy.over(10, 1)
    assert read_thresholds(path).fail == Limit(NEVER, 2, min_width=2, primary=Primary(names=("T.1", "T.2")))


def test_the_keys_of_thresholds_mean_the_same(tmp_path: Path) -> None:
    path = written(tmp_path, "[fail]\nfewest_columns = 6\n[review]\nsmallest_group = 5\n")
    policies = read_policies(path)
    assert (policies.fail, policies.review) == (Policy(6), Policy(1, 5))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('primary = "3..1"\n', 'row 1: primary is .3..1., a range of counts such as "1..3"'),
        ("min_width = 1\n", "row 1: min_width is 1, a whole number from 2 to 1,000"),
        ('know = ["everything"]\n', 'row 1: know is .*, a list of "zeros-shown"'),
        ('primary = "0..3"\nknow = ["zeros-shown"]\n', "primary includes 0, but know has"),
        ('know = ["primary<=3"]\n', "no cells are primary"),
        ('primary = "1..4"\nknow = ["primary<=3"]\n', "they cannot both be true"),
        ("fewest_columns = 2\nsingled_out_columns = 2\n", "row 2: singled_out_columns is given here and under"),
        ("attribute = []\n", "row 1: attribute is .*, a list of columns"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_policies(written(tmp_path, text))


def test_intervals_are_judged_in_whole_numbers() -> None:
    policy = Policy(primary=Primary(1, 3), min_width=3, both_sides=50)
    assert policy.wide_enough(2, 1, 3)
    assert policy.wide_enough(2, 0, None)
    assert not policy.wide_enough(2, 1, 2)
    assert not policy.wide_enough(3, 2, 6)
    assert policy.wide_enough(None, 2, 6)
