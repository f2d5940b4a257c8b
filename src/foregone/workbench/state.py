"""Everything that somebody said and decided at the workbench, as one value; every click makes a new one.

It is a JSON file in the working folder. What was made from it (the release, the protected release, the files) lies beside it and
can be made again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from foregone.model.errors import InputError
from foregone.model.review import Decision

FORMAT = "foregone-workbench/1"
MOST_STEPS = 500  # that can be taken back
Try = tuple[tuple[str, str], ...]
"""What is tried out: names of numbers, each with `withhold` or `round:5`."""


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """The answer to a question of the import: the keys of the layout file that say so, and the same in words."""

    table: str
    words: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    whole: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WantedRule:
    """What must not be, and what it may cost: nobody is singled out by `columns` columns or more (0: nobody asks), each mark keeps
    `stars` possible values (0: nobody asks); or what the policy file says. `keep` are numbers that stay.
    """

    columns: int = 2
    stars: int = 2
    policy: str = ""
    keep: tuple[str, ...] = ()
    cost: str = "one"


@dataclass(frozen=True, slots=True)
class WorkState:
    """`version` grows with every change, so that a page knows when it is out of date."""

    version: int = 0
    files: tuple[str, ...] = ()
    record: str = ""
    rule: str = ""
    tokens: tuple[tuple[str, str], ...] = ()
    answers: tuple[GivenAnswer, ...] = ()
    tries: tuple[Try, ...] = ((),)
    at: int = 0  # which of the tries is on the screen
    wanted: WantedRule = WantedRule()
    signature: Decision | None = None  # what a reviewer decided about the files

    @property
    def trying(self) -> Try:
        return self.tries[self.at]

    def changed(self, **changes: Any) -> WorkState:
        return replace(self, version=self.version + 1, **changes)

    def reading(self, files: tuple[str, ...]) -> WorkState:
        """With other files to read; answers about tables stay, and those that concern none of them are not used."""
        return self.changed(files=files, tries=((),), at=0, signature=None)

    def meaning(self, token: str, counts: str) -> WorkState:
        """A sign stands for these counts; an empty text takes that back."""
        others = tuple(pair for pair in self.tokens if pair[0] != token)
        return self.changed(tokens=(*others, (token, counts)) if counts else others, tries=((),), at=0, signature=None)

    def answered(self, answer: GivenAnswer) -> WorkState:
        return self.changed(answers=(*self.answers, answer), tries=((),), at=0, signature=None)

    def unanswered(self, number: int) -> WorkState:
        """Ask again: without one of the answers, and without those that came after it and may rest on it."""
        return self.changed(answers=self.answers[: max(number, 0)], tries=((),), at=0, signature=None)

    def tried(self, name: str, action: str) -> WorkState:
        """One number shown, withheld or rounded; what was taken back before is gone."""
        others = tuple(pair for pair in self.trying if pair[0] != name)
        now = others if action == "show" else (*others, (name, action))
        return self if now == self.trying else self._step(now)

    def cleared(self) -> WorkState:
        return self._step(()) if self.trying else self

    def _step(self, now: Try) -> WorkState:
        kept = (*self.tries[: self.at + 1], now)[-MOST_STEPS:]
        return self.changed(tries=kept, at=len(kept) - 1)

    def undone(self) -> WorkState:
        return self.changed(at=self.at - 1) if self.at else self

    def redone(self) -> WorkState:
        return self.changed(at=self.at + 1) if self.at + 1 < len(self.tries) else self

    def wanting(self, **changes: Any) -> WorkState:
        """Another rule; what was signed before was about something else."""
        return self.changed(wanted=replace(self.wanted, **changes), signature=None)

    def pinned(self, name: str) -> WorkState:
        """A number that must stay, or need no longer."""
        keep = self.wanted.keep
        now = tuple(other for other in keep if other != name) if name in keep else (*keep, name)
        return self.wanting(keep=now)


def first_state(files: tuple[str, ...], example: bool) -> WorkState:
    """A beginning; what the stars of the example mean is known."""
    return WorkState(files=files, record="patient", tokens=(("*", "1..4"),)) if example else WorkState(files=files)


def state_text(state: WorkState) -> str:
    return json.dumps({"format": FORMAT, **asdict(state)}, ensure_ascii=False, indent=1) + "\n"


def state_from(text: str, place: str) -> WorkState:
    """A state as its file has it.

    >>> state_from(state_text(WorkState(files=("a.csv",)).tried("a.B2", "withhold")), "state.json").trying
    (('a.B2', 'withhold'),)
    """
    try:
        content = json.loads(text)
        if content["format"] != FORMAT:
            raise InputError(f"{place}: is of another version of the workbench; move it away to begin again")
        wanted, signature = content["wanted"], content["signature"]
        return WorkState(
            version=int(content["version"]),
            files=tuple(map(str, content["files"])),
            record=str(content["record"]),
            rule=str(content["rule"]),
            tokens=tuple((str(token), str(counts)) for token, counts in content["tokens"]),
            answers=tuple(GivenAnswer(**answer) for answer in content["answers"]),
            tries=tuple(tuple((str(name), str(action)) for name, action in one) for one in content["tries"]) or ((),),
            at=min(max(int(content["at"]), 0), max(len(content["tries"]) - 1, 0)),
            wanted=WantedRule(**{**wanted, "keep": tuple(map(str, wanted["keep"]))}),
            signature=None if signature is None else Decision(**signature),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{place}: cannot be read ({error}); move it away to begin again, your tables are untouched") from None
