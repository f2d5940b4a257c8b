"""Policy files mean to the checker what they mean to everybody else: random ones, well made or not, are read by both."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from foregone import ForegoneError
from foregone.checker import Refused, release_of
from foregone.checker.kernel import PlainDomain as Domain
from foregone.checker.read.policy import PlainPolicy as Policy
from foregone.checker.read.policy import policy_of, read_policy
from foregone.formats.policy import read_policy as other_reader

DOMAIN = release_of({"columns": {"DX": ["a", "b"], "AGE": ["1", "2"]}, "statistics": []}).domain
NUMBERS = ["1", "2", "3", "3.0", "2.5", "0", "-1", "true", '"2"', "1e2", "1000", "1001", "1e300", "nan"]
NUMBERS += ["999999999999999", "1000000000000000"]
COLUMNS = ['["DX"]', '"DX"', '["DX", "AGE"]', '["DX", "DX"]', "[]", '""', '[""]', '["NO"]', "3", "[3]", '["AGE"]']
KNOWN = ["[]", '"zeros-shown"', '["zeros-shown"]', '[" zeros-shown "]', '["zeros-shown", "zeros-shown"]', '["primary<=3"]']
KNOWN += ['["primary <= 3", "zeros-shown"]', '"primary<=2"', '["everything"]', '""', "1", '["primary<=3", "primary<=2"]']
KNOWN += ['["primary<=3", "primary <=3"]']
PRIMARY = ['"1..3"', '" 1 .. 3 "', '"0..2"', '"3..1"', '"1..\u0663"', '["T.1"]', '["T.1", "T.1"]', '"T.1"', "[]", '[""]', "3"]
PRIMARY += ['"1..1000000000000000"']
VALUES = {
    "singled_out_columns": NUMBERS,
    "fewest_columns": NUMBERS,
    "smallest_group": NUMBERS,
    "largest_baseline": ["1", "1.0", "0.5", "0", "7", "-1", '"1"', "true", "nan"],
    "attribute": COLUMNS,
    "attribute_from": COLUMNS,
    "primary": PRIMARY,
    "min_width": NUMBERS,
    "both_sides": NUMBERS,
    "stars": [*NUMBERS, '"unknown"', '"known"'],
    "know": KNOWN,
    "something": ["1"],
}


def random_file(rng: random.Random) -> str:
    """Keys outside of tables, in [fail], in [review] or in a table that is none, each with a value that may be right or wrong."""

    def some(most: int) -> str:
        names = rng.choices(list(VALUES), k=rng.randint(0, most))
        tame = rng.random() < 0.6  # otherwise hardly a file would be read
        return "".join(f"{name} = {(rng.choice(VALUES[name][: 2 if tame else None]))}\n" for name in names)

    def table(name: str, most: int) -> str:
        heading = rng.choice([f"[{name}]"] * 9 + [f"[[{name}]]"])
        return f"{heading}\n{some(most)}"

    made = some(3)
    made += table("fail", 3) if rng.random() < 0.4 else ""
    made += table("review", 2) if rng.random() < 0.3 else ""
    made += table(rng.choice(["other", "primary"]), 1) if rng.random() < 0.05 else ""
    return made + ("review = 3" if rng.random() < 0.02 else "")


def by_the_checker(domain: Domain, path: Path) -> Policy | None:
    try:
        return read_policy(domain, path)
    except Refused:
        return None


def by_others(domain: Domain, path: Path) -> Policy | None:
    """As `protect` reads the file and writes it into a certificate."""
    try:
        return policy_of(domain, other_reader(path).json())
    except (ForegoneError, Refused):
        return None


@pytest.mark.parametrize("seed", range(6))
def test_both_read_the_same_policy_or_refuse_it(tmp_path: Path, seed: int) -> None:
    rng, path, read = random.Random(seed), tmp_path / "policy.toml", 0
    for _ in range(700):
        path.write_text(random_file(rng), "utf-8")
        found = by_the_checker(DOMAIN, path)
        assert found == by_others(DOMAIN, path), path.read_text("utf-8")
        read += found is not None
    assert read > 100


def test_a_reader_may_know_more_than_was_asked_and_never_less() -> None:
    def about(*know: str) -> Policy:
        return policy_of(DOMAIN, {"primary": "1..3", "know": list(know)})

    silent = policy_of(DOMAIN, {"primary": "1..3"})  # then readers see what is shown
    assert silent.covers(silent)
    assert about("zeros-shown").covers(silent)
    assert not about().covers(silent)
    assert not about("primary<=3").covers(silent)
    assert not silent.covers(about("zeros-shown"))
    assert about("zeros-shown", "primary<=3").covers(about("zeros-shown"))
    assert about("primary<=3").covers(about())
    assert not about("primary<=4").covers(about("primary<=3"))
    assert not about("zeros-shown").covers(policy_of(DOMAIN, {"primary": "1..2"}))
