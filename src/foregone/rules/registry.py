"""Release rules by the names people type."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

from foregone.model.dataset import Dataset
from foregone.model.domain import near
from foregone.model.errors import InputError
from foregone.model.marks import parse_ranges
from foregone.model.release import Release
from foregone.model.shown import shown
from foregone.model.statement import Statistic
from foregone.rules.rule import Band, CountRange, Rule, Totals, added, is_mark

MADE = re.compile(r"(round|below|random):([1-9][0-9]{0,5})")
FIELDS = {"from": "first", "to": "last", "round": "base"}  # of a band that rules.toml calls by another name
TOTALS = {
    Totals.OWN: "Totals are treated like any other cell.",
    Totals.GRAND_EXACT: "The total of everything is exact; other totals are treated like any other cell.",
    Totals.SUM: "Totals are sums of the shown values, so they tell nothing more.",
}


@cache
def rules() -> dict[str, Rule]:
    """Every rule that has a name of its own."""
    content = tomllib.loads(files("foregone.rules").joinpath("rules.toml").read_text("utf-8"))
    return {name: _rule(name, entry) for name, entry in content.items()}


def find_rule(name: str) -> Rule:
    """A rule by name; `round:5`, `below:5` and `random:3` are made as they are asked for.

    >>> find_rule("round:5").meaning("10").text, find_rule("below:5").meaning("<5").text
    ('8..12', '1..4')
    """
    if name in rules():
        return rules()[name]
    made = MADE.fullmatch(name)
    if made is None:
        known = [*rules(), "round:5", "below:5", "random:3"]
        raise InputError(f"--rule {shown(name)}: there is no such rule (`foregone rules` lists them all){near(name, known)}")
    kind, number = made[1], int(made[2])
    if kind == "round":
        return Rule(
            name, f"Nearest multiple of {number}, half up", (Band(0, None, base=number),), "Totals are rounded on their own."
        )
    if kind == "random":
        bands = (Band(0, None, base=number, ties="random"),)
        return Rule(name, f"Random rounding to one of the two neighbouring multiples of {number}", bands)
    small = (Band(1, number - 1, shows=f"<{number}"),) if number > 1 else ()
    return Rule(name, f"1 to {number - 1} shown as <{number}", (Band(0, 0), *small, Band(number)), "Zeros stay shown.")


def rules_that_know(token: str) -> list[str]:
    """The names of the rules that show this token."""
    return [name for name, known in rules().items() if token in known.tokens]


def parse_counts(text: str) -> CountRange | None:
    """`7`, `1..4` or `5..`; None when it is none of these.

    >>> parse_counts("1..4"), parse_counts("5.."), parse_counts("4..1")
    (CountRange(low=1, high=4), CountRange(low=5, high=None), None)
    """
    found = None if "|" in text else parse_ranges(text)
    return None if found is None else CountRange(*found[0])


def _rule(name: str, entry: dict[str, Any]) -> Rule:
    also = tuple((token, parse_counts(text)) for token, text in entry.get("also", {}).items())
    bands = tuple(Band(**{FIELDS.get(key, key): value for key, value in band.items()}) for band in entry["bands"])
    exact = entry.get("numbers") == "exact"
    return Rule(name, entry["title"], bands, entry["note"], entry["source"], Totals(entry["totals"]), also, exact)


def rule_text(rule: Rule) -> str:
    """Everything about one rule: what is shown, and which counts it can stand for."""
    lines = [f"{rule.name}: {rule.title}", "", f"  {'shown':<14}true count"]
    lines += [f"  {shown:<14}{meant}" for shown, meant in rule.examples()]
    lines += ["", rule.note] if rule.note else [""]
    lines.append(TOTALS[rule.totals])
    if rule.chance:
        lines.append("Chance decides what is shown: `tabulate --rule` takes a --seed.")
    if rule.source:
        lines.append(f"Source: {rule.source}.")
    return "\n".join(lines)


def rule_list(rules: dict[str, Rule]) -> str:
    width = max(map(len, rules)) + 2
    lines = [f"{name:<{width}}{rule.title}" for name, rule in rules.items()]
    made = [
        ("round:N", "nearest multiple of N, half up"),
        ("below:N", "1 to N - 1 shown as <N"),
        ("random:N", "random rounding to base N"),
    ]
    lines += [f"{name:<{width}}{what}" for name, what in made]
    return "\n".join([*lines, "", "`foregone rules NAME` shows what each shown value can mean."])


def under_rule(release: Release, rule: Rule | str, *, truth: Dataset | None = None, seed: int = 0) -> Release:
    """The release as somebody sees it who reads the tables and knows the rule: each count becomes what its shown value can mean.

    Chance depends on the seed and on which records are counted, so that a cell shows the same wherever it is repeated.

    Parameters
    ----------
    release : Release
        With exact counts.
    rule : Rule or str
        The rule, or its name as `foregone rules` lists it.
    truth : Dataset, optional
        The microdata, for rules that depend on which records are counted.
    seed : int
        Of the rule's chance.

    Returns
    -------
    Release
        With what each shown value can mean.

    Raises
    ------
    InputError
        A rule that is not known, or that needs `truth`; it is a ValueError.

    >>> from foregone import tabulate
    >>> [s.range_text for s in under_rule(tabulate({"SEX": ["F"] * 6}, ["SEX"]), "opensafely-old").statistics]
    ['6 to 7', '6 to 7']
    """
    followed = find_rule(rule) if isinstance(rule, str) else rule
    statistics = [_shown(statistic, followed, truth, seed) for statistic in release.statistics]
    meant = {s.mark: ((s.low, s.high),) for s in statistics if s.mark}
    domain = replace(release.domain, marks=tuple((dict(release.domain.marks) | meant).items()))
    if followed.totals == Totals.SUM:
        statistics = [s if s.predicate.allowed else _sum(s, statistics) for s in statistics]
    return release.changed(domain=domain, statistics=statistics)


def _shown(statistic: Statistic, rule: Rule, truth: Dataset | None, seed: int) -> Statistic:
    if statistic.low != statistic.high:
        raise InputError(f"{statistic.label}: is a range already; a rule can be applied to exact counts only")
    if not statistic.predicate.allowed and rule.totals == Totals.GRAND_EXACT:
        return statistic
    shown = rule.show(statistic.low, Random(f"{seed} {_counted(statistic, truth)}"))
    meant = rule.meaning(shown)
    assert meant is not None, "a rule knows what it shows"
    mark = shown if is_mark(shown, meant) else ""
    return replace(statistic, low=meant.low, high=meant.high, withheld=meant == CountRange(0), mark=mark)


def _counted(statistic: Statistic, truth: Dataset | None) -> str:
    """Which records a cell counts: the same records are shown the same way."""
    if truth is None:
        return statistic.predicate.text()
    return repr(truth.matching(statistic.predicate))


def _sum(total: Statistic, statistics: list[Statistic]) -> Statistic:
    """A total that adds up what is shown in the first table says what that table says."""
    first = next((s.table for s in statistics if s.table), "")
    cells = [CountRange(s.low, s.high) for s in statistics if s.table == first and s.predicate.allowed]
    known = added(cells) if cells else CountRange(0)
    return replace(total, low=known.low, high=known.high)
