"""What a judge found, on the terminal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING

from foregone.cli.show import NO, UNDECIDED, say, stop

if TYPE_CHECKING:
    from foregone.model.release import Release
    from foregone.policy.judge import Judged, Judgement

LISTED = 20  # of each kind that are spelled out


def say_pierced(judged: Judged, path: Path) -> Judgement:
    """Which marks, and cells left empty, can be worked out: what somebody who printed them wants to know first."""
    from foregone.model.sentences import plural
    from foregone.policy.judge import pierced
    from foregone.policy.sentences import doubt_sentence, placed_sentence

    found = pierced(judged)
    cells = found.narrow
    if cells:
        number = len(cells)
        say(f"{number:,} {plural('cell', number)} that {'is' if number == 1 else 'are'} not shown can be worked out:")
    for cell in cells[:LISTED]:
        say(f"  {placed_sentence(judged.release, cell)}.")
    if len(cells) > LISTED:
        say(f"  and {len(cells) - LISTED:,} more; all are in the answer of {join(['foregone', 'bounds', str(path), '--hidden'])}")
    for doubt in found.doubts:
        say(f"Undecided: {doubt_sentence(doubt)}.")
    return found


def say_judgement(found: Judgement, release: Release, path: Path, policy: Path, before: Judgement | None = None) -> None:
    """How a policy is broken, what could not be judged, and what came out, which is also the exit status. Of cells that were told
    `before` nothing more is said.
    """
    from foregone.model.sentences import plural
    from foregone.policy.judge import Narrow, PolicyVerdict
    from foregone.policy.sentences import by_weight, doubt_sentence, placed_sentence, verdict_sentence

    told = {replace(cell, primary=False) for cell in before.narrow} if before is not None else set()
    for title, every in by_weight(found.breaches):
        some = [breach for breach in every if not isinstance(breach, Narrow) or replace(breach, primary=False) not in told]
        above = len(every) - len(some)
        say(f"{title}: {above:,} {plural('cell', above)} told above{' and' if some else ''}" if above else f"{title}:")
        for breach in some[:LISTED]:
            say(f"  {placed_sentence(release, breach)}.")
        if len(some) > LISTED:
            page = join(["foregone", "report", str(path), "--policy", str(policy), "--out", "report.html"])
            say(f"  and {len(some) - LISTED:,} more, all on the page of {page}")
    for doubt in found.doubts:
        say(f"Undecided: {doubt_sentence(doubt)}.")
    say(verdict_sentence(found, policy.name))
    match found.verdict:
        case PolicyVerdict.BROKEN:
            stop(NO)
        case PolicyVerdict.UNDECIDED:
            stop(UNDECIDED)
