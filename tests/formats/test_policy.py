"""One policy file for protect, audit and report."""

from __future__ import annotations

from pathlib import Path

import pytest

from foregone import InputError
from foregone.formats.policy import read_policies, read_policy
from foregone.model.policy import DEFAULT, OF_MANY, Knowledge, Policies, Policy, Primary, whose


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


def test_cells_alone_do_not_forbid_claims(tmp_path: Path) -> None:
    path = written(tmp_path, 'primary = ["T.1", "T.2"]\n')
    policy = read_policy(path)
    assert policy == Policy(primary=Primary(names=("T.1", "T.2")))
    assert not policy.over(10, 1)


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
        ('[review]\nknow = ["zeros-shown"]\n', "row 2: know is about every reader"),
        ("attribute = []\n", "row 1: attribute is .*, a list of columns"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_policies(written(tmp_path, text))


@pytest.mark.parametrize(("true", "low", "high", "far"), [(2, 1, 3, True), (2, 0, None, True), (3, 2, 6, False), (4, 2, 5, False)])
def test_both_sides_are_judged_in_whole_numbers(true: int, low: int, high: int | None, far: bool) -> None:
    assert Policy(primary=Primary(1, 3), both_sides=50).reaches(true, low, high) == far


def test_what_a_file_does_not_say_is_the_default(tmp_path: Path) -> None:
    path = written(tmp_path, "[review]\nfewest_columns = 2\n")
    assert read_policies(path).fail == DEFAULT == Policy(2, stars=2)
    assert read_policies(path, OF_MANY).fail == OF_MANY == Policy(3)
    assert read_policies(written(tmp_path, "smallest_group = 5\n"), OF_MANY).fail == Policy(3, 5)
    assert [origin for _, _, origin in read_policies(path).both] == ["policy.toml", ""]
    known = read_policies(written(tmp_path, 'know = ["zeros-shown"]\n')).fail
    assert known == Policy(2, stars=2, know=Knowledge(True))
    assert read_policy(written(tmp_path, "know = []\n")).know == Knowledge()
    assert read_policy(written(tmp_path, "min_width = 3\n")) == Policy(stars=3)
    assert read_policy(written(tmp_path, 'attribute = "DX"\nattribute_from = []\n')) == Policy(attribute=("DX",), attribute_from=())


def test_whose_policy_it_is_is_known() -> None:
    assert [whose(origin) for _, _, origin in Policies().both] == ["the default"] * 2
    assert next(whose(origin) for _, _, origin in Policies(Policy(4)).both) == "set by the caller"
    assert [origin for _, _, origin in Policies(Policy(4), Policy(2), ("a.toml", "")).both] == ["a.toml", "the caller"]
