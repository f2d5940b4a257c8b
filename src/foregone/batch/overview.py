"""A run in words, for the terminal: the line while it works, the sentences at its end, and an overview of what it found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from foregone.batch.guessing import NONMODAL
from foregone.batch.query import answer, grouped, lies_somewhere, place_sql, table_text
from foregone.batch.run import RunOutcome, Tally
from foregone.batch.run_folder import RunFolder
from foregone.batch.time_left import duration, time_left
from foregone.model.sentences import certain_claims, plural

WORST = 5  # places named
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


@dataclass(frozen=True, slots=True)
class RunTotals:
    """What all finished parts found together. `singled_out` is None where the true records are not known."""

    releases: int
    records: int
    verified: int
    singletons: int
    facts: int
    undecided: int
    unsettled: int  # releases with something undecided
    failed: int
    with_any: int  # releases in which somebody is singled out
    singled_out: int | None
    widest: int  # most attributes of a single record that are certain


def run_totals(run: RunFolder) -> RunTotals:
    def total(name: str) -> str:
        return f"coalesce(sum({name}), 0)::BIGINT"

    told = run.counted or "singletons"
    asked = {  # in the order of the fields
        "releases": "count(*)",
        **{name: total(name) for name in ("records", "verified", "singletons", "facts", "undecided")},
        "unsettled": "count_if(undecided > 0)",
        "failed": "(SELECT count(*) FROM failures)",
        "with_any": f"count_if({told} > 0)",
        "singled_out": total(told) if run.counted else "NULL",
        "widest": f"greatest(0, {', '.join(f'max(CASE WHEN singletons_{k} > 0 THEN {k} END)' for k in run.widths()) or 0})",
    }
    return RunTotals(*run.rows(f"SELECT {', '.join(asked.values())} FROM summary")[0])


def headline(run: RunFolder, found: RunTotals) -> str:
    """The main result in a sentence."""
    of = f"{found.releases:,} {plural(run.noun, found.releases)}"
    noun = plural(run.record, found.singled_out or 0)
    if found.singled_out is None:
        return f"Somebody is singled out with certainty in {found.with_any:,} of {of}."
    share = 100 * found.singled_out / found.records if found.records else 0.0
    is_ = "is" if found.singled_out == 1 else "are"
    return f"{found.singled_out:,} {noun} ({share:.1f} %) {is_} singled out with certainty, in {found.with_any:,} of {of}."


def overview(run: RunFolder, most: int | None = None) -> str:
    found = run_totals(run)
    about = run.about
    lines = [run.unfinished] if run.unfinished else []
    lines.append(
        f"{run.path}: {found.releases:,} {plural(run.noun, found.releases)}, {found.records:,} {plural(run.record, found.records)}."
        + (" The data are synthetic: nobody in them is real." if about.get("synthetic") else "")
    )
    lines.append(headline(run, found))
    lines.append(certain_claims(found.verified, found.facts, found.singletons, run.record, found.undecided, failed=found.failed))
    if run.guessed:
        lines.append(guessed(run))
    if "unique" in run.measures:
        lines.append(_determined(run))
    lines += ["", "By number of attributes told, k or more:", _table(run, "k", ("releases", "records", "undecided"), most)]
    worst = _worst(run)
    if worst:
        lines += ["", worst]
    failures = run.rows("SELECT reason, count(*) FROM failures GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3")
    lines += [f"Failed: {count:,} because {reason}" for reason, count in failures]
    lines += ["", made_by(run)]
    return "\n".join(lines)


def more_questions(run: RunFolder) -> str:
    """What else the command can be asked."""
    levels = ", ".join([*run.subject.geography.levels, "size"])
    return f"More: --by {levels} or k; --sql 'SELECT ...' over facts, summary and failures; --out."


def guessed(run: RunFolder) -> str:
    """What guessers would get of the facts about exactly one record; those apart that the most frequent values miss."""
    asked = "count(*), count(*) FILTER (NOT modal), avg(guess) FILTER (NOT modal), count(modal)"
    number, missed, chance, known = run.rows(f"SELECT {asked} FROM facts WHERE count = 1")[0]
    noun, column = run.record, f"{run.counted}_{NONMODAL}"
    facts = f"{number:,} {plural('fact', number)} about exactly one {noun}"
    place = f"the {run.noun}'s {run.guessed}" if run.guessed in run.subject.geography.levels else run.guessed
    told = f"Without these tables, guessing from {place}: of {facts}, whoever names the most frequent values misses {missed:,}"
    if known < number:
        told += f" (of the {known:,} of which that can be said)"
    if missed:
        told += f"; a {noun} drawn at random from there has the values of these with a chance of {100 * chance:.2g} %, on average"
    if missed and run.counted and column in run.measures:
        about = int(run.rows(f"SELECT coalesce(sum({column}), 0)::BIGINT FROM summary")[0][0])
        are = "is" if about == 1 else "are"
        told += f". {about:,} {plural(noun, about)} {are} singled out by what that guesser misses"
    return f"{told}."


def _determined(run: RunFolder) -> str:
    """Of how many releases only one dataset fits."""
    found = dict(run.rows('SELECT "unique", count(*) FROM summary GROUP BY 1'))
    one, several = found.get("true", 0), found.get("false", 0)
    whole = sum(found.values())
    return (
        f"Determined (only one dataset fits): {one:,} of {whole:,} {plural(run.noun, whole)}. Not determined: {several:,}."
        f" Undecided: {whole - one - several:,}."
    )


def _table(run: RunFolder, by: str, without: tuple[str, ...], most: int | None) -> str:
    found = answer(run, grouped(run, by))
    keep = [i for i, name in enumerate(found.header) if name not in without]
    return table_text([found.header[i] for i in keep], [[row[i] for i in keep] for row in found.rows], most)


def _worst(run: RunFolder) -> str:
    """The places with the largest share, by the largest level of which there are several."""
    if not run.counted:
        return ""
    level = exposed_level(run)
    if not level:
        return ""
    order = f"SELECT * FROM ({grouped(run, level)}) ORDER BY share DESC NULLS LAST, {level} LIMIT {WORST}"
    found = answer(run, order)
    told = []
    for row in found.rows:
        values = dict(zip(found.header, row, strict=True))
        place = f"{values[level]} {values.get('name', '')}".rstrip()
        told.append(f"{place} {100 * (values['share'] or 0):.1f} %")
    return f"Largest shares by {level}: {', '.join(told)}."


def exposed_level(run: RunFolder) -> str:
    """The largest level with more than one place; nothing where releases lie nowhere."""
    geography = run.subject.geography
    for level in geography.levels:
        places = f"SELECT count(DISTINCT {place_sql(geography, level)}) FROM summary WHERE {lies_somewhere(geography)}"
        if run.rows(places)[0][0] > 1:
            return level
    return ""


def made_by(run: RunFolder) -> str:
    about = run.about
    source, told = about.get("input", {}), run.subject.settings
    made = f"Made by foregone {about.get('versions', {}).get('foregone', '(unknown version)')}"
    if source:
        made += f" from {source.get('name', 'an unnamed file')} (SHA-256 {str(source.get('sha256', ''))[:16]}...)"
    return f"{made}; {', '.join(told)}." if told else f"{made}."
