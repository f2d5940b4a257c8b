"""What can be clicked: each action makes a new state from the old one and what the form says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from foregone.model.errors import InputError
from foregone.model.review import Decision
from foregone.workbench.state import GivenAnswer, WorkState

Form = Mapping[str, str]
COUNTS = re.compile(r"[0-9]{1,9}(\.\.([0-9]{1,9})?)?")
ROUND = re.compile(r"round:[1-9][0-9]{0,5}")
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
WORDS = 60  # letters of a noun or a name
LONGEST = 1_000  # letters of anything else


def answer(state: WorkState, form: Form) -> WorkState:
    """A reading was chosen. What it says comes from our own page, and is checked again when the tables are read."""
    try:
        content = json.loads(form.get("answer", ""))
        made = GivenAnswer(str(content["table"]), str(content["words"]), dict(content["settings"]), dict(content["whole"]))
    except (ValueError, KeyError, TypeError):
        raise InputError("this answer was not understood; reload the page and choose again") from None
    return state.answered(made)


def unanswer(state: WorkState, form: Form) -> WorkState:
    return state.unanswered(_whole(form, "number", 0, 10_000))


def token(state: WorkState, form: Form) -> WorkState:
    """What a sign stands for: from `least` to `most`, which may be empty for no limit; nothing takes it back."""
    sign, least, most = form.get("token", "").strip(), form.get("least", "").strip(), form.get("most", "").strip()
    counts = "" if not least and not most else f"{least or 0}" if least == most else f"{least or 0}..{most}"
    if not sign or len(sign) > WORDS or (counts and not COUNTS.fullmatch(counts)):
        raise InputError("say what it stands for in whole numbers, such as 1 to 4; leave the second empty for no limit")
    low, _, high = counts.partition("..")
    if high and int(high) < int(low):
        raise InputError(f"from {low} to {high} holds no number; the second must not be less than the first")
    return state.meaning(sign, counts)


def noun(state: WorkState, form: Form) -> WorkState:
    word = form.get("record", "").strip()
    if len(word) > WORDS or any(ord(letter) < 32 for letter in word):
        raise InputError("give one word for what is counted, such as patient")
    return state.changed(record=word)


def read_files(state: WorkState, form: Form) -> WorkState:
    """Take a file in, or leave it out."""
    name = form.get("file", "")
    now = tuple(other for other in state.files if other != name) if name in state.files else (*state.files, name)
    return state.reading(now)


def try_(state: WorkState, form: Form) -> WorkState:
    """Show, withhold or round one number."""
    name, action = form.get("name", ""), form.get("action", "")
    if action not in ("show", "withhold") and not ROUND.fullmatch(action):
        raise InputError("a number can be shown, withheld or rounded; choose one of these")
    return state.tried(name[:LONGEST], action)


def undo(state: WorkState, _: Form) -> WorkState:
    return state.undone()


def redo(state: WorkState, _: Form) -> WorkState:
    return state.redone()


def clear(state: WorkState, _: Form) -> WorkState:
    return state.cleared()


def rule(state: WorkState, form: Form) -> WorkState:
    """What must not be, in words with numbers."""
    columns = _whole(form, "columns", 1, 99) if form.get("by_columns") else 0
    stars = _whole(form, "stars", 2, 99) if form.get("by_stars") else 0
    own = form.get("policy", "") if form.get("kind") == "own" else ""
    if not own and not columns and not stars:
        raise InputError("nothing would be forbidden; choose at least one rule")
    cost = form.get("cost", "one")
    return state.wanting(columns=columns, stars=stars, policy=own[:LONGEST], cost=cost if cost in ("one", "size") else "one")


def pin(state: WorkState, form: Form) -> WorkState:
    return state.pinned(form.get("name", "")[:LONGEST])


def sign(state: WorkState, form: Form) -> WorkState:
    """A reviewer accepts or rejects what is to be published."""
    name, date, reason = (form.get(key, "").strip() for key in ("name", "date", "reason"))
    if form.get("decision") == "none":
        return state.changed(signature=None)
    accepted = form.get("decision") == "accept"
    if not name or len(name) > WORDS or not DATE.fullmatch(date) or len(reason) > LONGEST:
        raise InputError("a decision needs a name and a date, such as 2026-11-18")
    if not accepted and not reason:
        raise InputError("say in a few words why it is rejected")
    return state.changed(signature=Decision(accepted, name, date, reason))


ACTIONS: dict[str, Callable[[WorkState, Form], WorkState]] = {
    "answer": answer,
    "unanswer": unanswer,
    "token": token,
    "noun": noun,
    "file": read_files,
    "try": try_,
    "undo": undo,
    "redo": redo,
    "clear": clear,
    "rule": rule,
    "pin": pin,
    "sign": sign,
}


def _whole(form: Form, name: str, least: int, most: int) -> int:
    text = form.get(name, "")
    if not (text.isascii() and text.isdigit() and least <= int(text[:9]) <= most):
        raise InputError(f"give a whole number from {least} to {most}")
    return int(text)
