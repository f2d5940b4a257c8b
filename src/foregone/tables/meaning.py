"""What a shown value can mean: by what the user says of tokens, by the rule in force, or by itself."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from foregone.model.alike import DASHES, folded
from foregone.model.errors import InputError
from foregone.model.shown import shown
from foregone.rules.registry import parse_counts, rules, rules_that_know
from foregone.rules.rule import Counts, Rule, Totals
from foregone.tables.values import Kind, Value, is_dash

ANY = Counts(0, None)
NEGATIVE = re.compile(rf"[{DASHES}][0-9][0-9,.]*")
SPREADSHEET_ERRORS = ("#REF!", "#DIV/0!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!", "#N/A")


@dataclass(frozen=True, slots=True)
class Nothing:
    """There is no number: the combination does not exist or was not asked about."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """What is shown cannot be read; `why` is a sentence for the user."""

    why: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """The rule in force and the tokens that the user explained; `known` are all tokens that any rule knows."""

    rule: Rule | None = None
    tokens: tuple[tuple[str, Counts], ...] = ()
    known: frozenset[str] = field(default_factory=lambda: frozenset(token for rule in rules().values() for token in rule.tokens))

    def of(self, value: Value, zero_dash: bool = False, total: bool = False) -> Counts | Nothing | Unclear:
        """The counts behind a value; `total`: it is a total, which some rules leave exact in tables of the whole country."""
        given = dict(self.tokens)
        if value.text in given:
            return given[value.text]
        if value.kind == Kind.BLANK:
            return Nothing()
        if value.kind == Kind.NUMBER and value.counts is not None:
            return self._number(value.counts.low, total)
        found = None if self.rule is None else self._token(self.rule, value.text)
        if found is not None:
            return found
        if value.kind == Kind.RANGE and value.counts is not None:
            return value.counts
        if is_dash(value.text) and zero_dash:
            return Counts(0, 0)
        if value.kind == Kind.MARKED and value.counts is not None:
            return Unclear(
                f"{shown(value.text)} may be {value.counts.low} with a footnote mark, or something else; if it is"
                f" {value.counts.low}, say --token '{value.text}={value.counts.low}'"
            )
        if NEGATIVE.fullmatch(value.text):
            return Unclear(
                f"{value.text} is less than 0, and no count is; leave its column out with numbers = [...] in a layout file"
            )
        if value.text in SPREADSHEET_ERRORS:
            return Unclear(f"{value.text} is an error of the spreadsheet; correct the formula and save the file again")
        return Unclear(unknown_token(value.text, self.rule))

    def _number(self, number: int, total: bool) -> Counts | Unclear:
        if self.rule is None:
            return Counts(number, number)
        meant = self.rule.meaning(str(number))
        if meant is not None:
            return meant
        if total and self.rule.totals == Totals.GRAND_EXACT:
            return Counts(number, number)
        return Unclear(
            f"{number} is never shown under the rule {self.rule.name}; choose another rule, or say what it means with"
            f" --token '{number}=A..B'"
        )

    @staticmethod
    def _token(rule: Rule, text: str) -> Counts | Nothing | None:
        known = {folded(token): counts for token, counts in rule.tokens.items()}
        if folded(text) not in known:
            return None
        counts = known[folded(text)]
        return Nothing() if counts is None else counts


def unknown_token(text: str, rule: Rule | None) -> str:
    others = [name for name in rules_that_know(text) if rule is None or name != rule.name]
    by = f"the rule {rule.name} does not know it" if rule is not None else "no rule was named"
    know = f"; rules that know it: {', '.join(others)}" if others else ""
    such = f"'{text}=0' if it means none" if is_dash(text) else f"'{text}=1..4', or '{text}=0..' for any number"
    return f"what {shown(text)} means is not known ({by}); say --token '{text}=A..B', such as {such}{know}"


def parse_tokens(texts: list[str]) -> tuple[tuple[str, Counts], ...]:
    """`*=1..4` as it is typed: the last equal sign separates the token from its counts."""
    made, problems = [], []
    for text in texts:
        token, equals, counts = text.rpartition("=")
        read = parse_counts(counts)
        if not equals or not token.strip() or read is None:
            problems.append(f"--token {shown(text)}: cannot be read; write TOKEN=n, TOKEN=a..b or TOKEN=a.., such as '*=1..4'")
        else:
            made.append((token.strip(), read))
    if problems:
        raise InputError(problems)
    return tuple(made)
