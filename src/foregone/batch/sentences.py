"""How a run is told: the line while it works and the sentences at its end."""

from __future__ import annotations

from pathlib import Path

from foregone.batch.dispatch import Tally
from foregone.batch.run import RunOutcome
from foregone.batch.time_left import duration, time_left
from foregone.model.sentences import certain_claims, plural

SHOWN = {"undecided": "undecided", "failures": "failed", "verified": "verified", "singletons": "singletons"}


def line(tally: Tally, left: float | None = None, claims: bool = True) -> str:
    """Where the run is, in one line; `left` are the seconds that it will still take, if that can be told. What was found so far is
    told only where it is about claims."""
    fresh = tally.totals["releases"]
    rate = fresh / tally.seconds if tally.seconds else 0.0
    parts = [
        f"{tally.earlier + fresh:,} of {tally.releases:,} {plural(tally.noun, tally.releases)}",
        f"{rate:,.1f} per second" if fresh else "starting",
        *([time_left(left)] if left is not None else []),
        *([tally.note] if tally.note else []),
        *(f"{tally.totals[name]:,} {word}" for name, word in SHOWN.items() if claims or name == "failures"),
    ]
    return " · ".join(parts)


def closing(ran: RunOutcome, out: Path) -> str:
    """What was found, what stayed open and where it all is."""
    tally, totals = ran.tally, ran.totals
    noun = plural(tally.noun, totals["releases"])
    share = "" if ran.complete else ", this shard's share"
    others = totals["releases"] - tally.totals["releases"] if ran.complete else 0
    who = "earlier" if tally.releases == totals["releases"] else "earlier or by other shards"
    earlier = f" ({others:,} of them {who})" if others else ""
    found = totals["verified"], totals["facts"], totals["singletons"]
    sentences = [
        f"{totals['releases']:,} {noun} audited{share}{earlier} in {duration(tally.seconds)}:"
        f" {certain_claims(*found, 'record', totals['undecided'], failed=totals['failures'])}",
    ]
    if totals["failures"]:
        sentences.append(f"What failed, and why, is in {out / 'failures'}; to do it again, add --retry-failed.")
    if totals["undecided"]:
        sentences.append("The summary counts what is undecided; to do it again, add --retry-failed and a longer --time-limit.")
    if ran.complete:
        sentences.append(f"Results are in {out}: facts, summary, failures and run.json.")
    else:
        sentences.append(f"Other shards have not finished yet; the last one to do so completes {out / 'run.json'}.")
    if ran.synthetic:
        sentences.append("The file is synthetic: nobody in it is real.")
    return "\n".join(sentences)
