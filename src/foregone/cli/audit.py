"""`foregone audit`: what is certain about a release and, with --hide, --round or --below, what would be if it were changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Annotated, Any

from foregone.cli import options as opt
from foregone.cli.answers import tell
from foregone.cli.options import argument, option
from foregone.cli.progress import slow
from foregone.cli.show import DONE, UNDECIDED, say, say_assumed, say_first, say_lines, say_places, stop, stop_by
from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.shown import shown
from foregone.model.statement import LARGEST_BASE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from foregone.model.claims_table import ClaimRow
    from foregone.model.release import Release
    from foregone.policy.judge import Judgement
    from foregone.questions.baseline import Guesses
    from foregone.questions.compare import Comparison
    from foregone.workflows.audit import AuditedFiles
    from foregone.workflows.what_if import Change

LISTED = 20  # cells and breaches of each kind that are spelled out
COMPARED = 5  # facts of each kind that a comparison spells out


def audit(
    release: opt.ReleasePath,
    more: Annotated[list[str] | None, argument("", "Further names after --hide.", hidden=True)] = None,
    out: Annotated[Path | None, option("--out", "Write the claims here; the ending picks csv, parquet or json.")] = None,
    all_: Annotated[bool, option("--all", "List every form of each fact, not only the fullest one.")] = False,
    min_columns: Annotated[int, option("--min-columns", "Only claims that name at least this many columns.", min=1)] = 1,
    max_columns: Annotated[
        int | None, option("--max-columns", "With --all: only claims that name at most this many columns.", min=1)
    ] = None,
    count: Annotated[int | None, option("--count", "Only claims about exactly this many records.", min=1)] = None,
    undecided: Annotated[
        bool, option("--undecided", "Write the undecided claims instead; the file has one more column, status.")
    ] = False,
    proofs: Annotated[
        Path | None, option("--proofs", "Write proofs of every certain claim here (.json), for `foregone check`.")
    ] = None,
    policy: Annotated[
        Path | None, option("--policy", "A policy file (TOML); if the release breaks it, say how and exit with status 1.")
    ] = None,
    hide: Annotated[
        list[str] | None, option("--hide", "What if these numbers or tables were withheld?", metavar="NAME ...")
    ] = None,
    round_: Annotated[
        int | None, option("--round", "What if counts were rounded to multiples of BASE?", metavar="BASE", min=1, max=LARGEST_BASE)
    ] = None,
    below: Annotated[
        int | None,
        option("--below", "What if counts from 1 to N - 1 were given as that range?", metavar="N", min=1, max=LARGEST_BASE),
    ] = None,
    round_only: Annotated[
        list[str] | None,
        option("--round-only", "What if this one count were rounded to a multiple? Repeatable.", metavar="NAME=BASE"),
    ] = None,
    page: Annotated[
        Path | None, option("--page", "With --hide, --round or --below: also a page (.html), before and after.")
    ] = None,
    prior_table: opt.PriorTable = None,
    truth: Annotated[
        Path | None,
        option(
            "--truth",
            "The true records (CSV), if they do not lie beside the release as truth.csv. The claims file gets the column survives:"
            " would a claim still be certain, of one record fewer, without one of the records that it is about?",
        ),
    ] = None,
    groups: opt.GroupsOption = Groups.PUBLISHED,
    engine: opt.EngineOption = opt.EngineName.cells,
    solver: opt.SolverOption = opt.Solver.highs,
    solutions: opt.Solutions = None,
    big_m: opt.BigM = False,
    time_limit: opt.TimeLimit = None,
    max_records: opt.MaxRecords = opt.LIMIT,
) -> None:
    """Find every certain claim of a release, and who is singled out.

    --hide, --round and --below ask what would be certain if the release were changed, and show it before and after. Nothing is
    written unless --out names a file for the claims that would still be certain, or a folder for the changed release.

    A truth.csv beside the release is used only to confirm the claims at the end.
    """
    from foregone.formats.claims import check_suffix, claim_entries, write_claims

    if hide or more or round_ or below or round_only:
        from foregone.workflows.what_if import Change

        if more and not hide:
            raise InputError(f"unexpected argument {shown(more[0])}; names follow --hide; see `foregone audit --help`")
        if (
            all_
            or undecided
            or proofs is not None
            or prior_table is not None
            or truth is not None
            or engine != opt.EngineName.cells
        ):
            raise InputError("--hide, --round, --below: only --out, --page, --policy, --time-limit, --max-records go with them")
        change = Change((*(hide or ()), *(more or ())), round_ or 1, below or 0, tuple(map(_rounded, round_only or ())))
        _what_if(release, change, out, time_limit, max_records, page, policy)
        return
    if page is not None:
        raise InputError("--page goes with --hide, --round or --below; for the release as it is, use `foregone report`")
    from foregone.engine import write_proofs
    from foregone.formats.outputs import check_outputs
    from foregone.formats.policy import read_policy
    from foregone.model.sentences import confirmation, plural
    from foregone.policy.sentences import assumed_sentence
    from foregone.workflows.audit import audit_files, judge_audited, rows_of

    if out is not None:
        check_suffix(out)
    chosen = opt.engine_of(engine, solver, solutions, big_m, max_records, groups)
    if proofs is not None and not chosen.proves:
        raise InputError("--proofs: a solver's answer is not a proof that can be checked; leave out --engine onehot")
    if prior_table is not None and out is None:
        raise InputError("--prior-table adds columns to the claims file; name one with --out")
    if truth is not None and (out is None or undecided):
        raise InputError("--truth adds a column to the file of certain claims; name one with --out, without --undecided")
    check_outputs([release, policy, prior_table, truth], {"--out": out, "--proofs": proofs})
    rules = None if policy is None else read_policy(policy)
    with slow("Auditing") as progress:
        found = audit_files(release, chosen, time_limit=time_limit, max_records=max_records, progress=progress, proofs=proofs)
    result = found.audit
    rows = rows_of(result, undecided=undecided, every=all_, min_columns=min_columns, max_columns=max_columns, count=count)
    beside = _beside(found, rows, prior_table, truth, undecided, time_limit)
    tell(
        claims=lambda: claim_entries(found.release.domain, rows, "status" if undecided else "ground", beside),
        facts=len(result.facts),
        undecided=len(result.open),
        records=list(result.size),
        singled_out=lambda: result.singled_out,
    )
    if found.marks is not None:
        _say_pierced(found.marks, found.release, release)
    say_lines(result.summary())
    say_assumed(found.assumptions, found.left_out.warning)
    if found.singled_out is not None:
        number = found.singled_out
        nouns = plural(found.release.domain.record, number)
        say(f"In the true records {number:,} {nouns} {'is' if number == 1 else 'are'} singled out.")
    if found.truth is not None:
        say(confirmation(result, found.truth))
    if out is not None:
        write_claims(out, found.release.domain, rows, "status" if undecided else "ground", beside)
        say(f"{len(rows):,} {'claim' if len(rows) == 1 else 'claims'} written to {out}.")
        for line in _said_beside(beside, rows, found.release.domain.record):
            say(line)
    if proofs is not None:
        size = write_proofs(result, proofs)
        say(f"Proofs of all {len(result.facts):,} facts written to {proofs} ({size:,} bytes).")
    if rules is None or policy is None:
        stop(UNDECIDED if found.undecided else DONE)
    with slow("Auditing") as progress:
        answer = judge_audited(found, rules, progress)
    if answer.assumed:
        say(f"Assumed: {assumed_sentence(rules)}.")
    _say_judgement(answer.judgement, answer.release, release, policy, found.marks)
    stop_by(answer.judgement.verdict)


def _beside(
    found: AuditedFiles, rows: list[ClaimRow], table: Path | None, truth: Path | None, undecided: bool, time_limit: float | None
) -> dict[str, list[Any]] | None:
    """Further columns of the claims file: what guessers get, where there is a table; and whether claims survive the deletion of a
    record, where there are true records and either was asked for."""
    from foregone.formats.claims import GUESSES, SURVIVES
    from foregone.formats.folder import read_true_records
    from foregone.questions.baseline import as_guesser, guesses, survivors

    made, domain = dict[str, list[Any]](), found.release.domain
    if table is not None:
        told = guesses(as_guesser(table, domain), rows, found.audit.size)
        made |= {name: [row[at] for row in told] for at, name in enumerate(GUESSES)}
    records = found.truth if truth is None else read_true_records(truth, found.release)
    if records is not None and not undecided and (truth is not None or table is not None):
        made[SURVIVES] = survivors(rows, found.release, records, time_limit)
    return made or None


def _said_beside(beside: dict[str, list[Any]] | None, rows: Sequence[ClaimRow], noun: str) -> Iterator[str]:
    """What the further columns say, in sentences."""
    from foregone.formats.claims import GUESSES, SURVIVES
    from foregone.model.sentences import plural

    if beside and GUESSES[0] in beside:
        told = zip(*(beside[name] for name in GUESSES), strict=True)
        yield _guessed_sentence([guess for row, guess in zip(rows, told, strict=True) if row.count == 1], noun)
    if beside and SURVIVES in beside:
        several = [yes for row, yes in zip(rows, beside[SURVIVES], strict=True) if row.count > 1]
        number, known = len(several), [yes for yes in several if yes is not None]
        open_ = "" if len(known) == number else f" (not known of {number - len(known):,})"
        yield (
            f"{sum(known):,} of {number:,} {plural('claim', number)} about several {plural(noun, 2)} would survive the deletion of"
            f" any one of them, so they are about anybody alike{open_}; a claim about exactly one never does."
        )


def _guessed_sentence(guessed: Sequence[Guesses], noun: str) -> str:
    """What guessers would get of the claims about exactly one record, and of those apart that are not the most frequent values."""
    from statistics import fmean

    from foregone.model.sentences import plural

    if not guessed:
        return f"No claim is about exactly one {noun}, so there is nothing to compare with a guesser."
    known, missed = [g for g in guessed if g[2] is not None], [share for _, share, modal in guessed if modal is False]
    ones = f"{len(guessed):,} {plural('claim', len(guessed))} about exactly one {noun}"
    if not known:
        return f"Of {ones} none names only columns of the table, so nobody can say what a guesser would name first."
    told = f"Of {ones} a guesser who names the most frequent values would"
    if len(known) < len(guessed):
        told = f"Of {ones} {len(known):,} {'names' if len(known) == 1 else 'name'} only columns of the table."
        told += " Of these, a guesser who names the most frequent values would"
    if not missed:
        return f"{told} miss none."
    chance = f"{100 * fmean(missed):.2g} %"
    return f"{told} miss {len(missed):,}; one who draws a {noun} from the table gets these with a chance of {chance}, on average."


def _say_pierced(found: Judgement, release: Release, path: Path) -> None:
    """Which marks, and cells left empty, can be worked out: what somebody who printed them wants to know first."""
    from foregone.model.sentences import plural
    from foregone.policy.sentences import doubt_sentence, placed_sentence

    cells = found.narrow
    tell(worked_out=[{"name": cell.label, "low": cell.low, "high": cell.high, "mark": cell.mark} for cell in cells])
    if cells:
        number = len(cells)
        say(f"{number:,} hidden {plural('cell', number)} can be worked out:")
    rest = f"; all are in the answer of {join(['foregone', 'bounds', str(path), '--hidden'])}"
    say_first(cells, LISTED, lambda cell: f"  {placed_sentence(release, cell)}.", "  and", rest)
    for doubt in found.doubts:
        say(f"Undecided: {doubt_sentence(doubt)}.")


def _say_judgement(found: Judgement, release: Release, path: Path, policy: Path, before: Judgement | None = None) -> None:
    """How a policy is broken, what could not be judged, and what came out. Cells that were told `before` are only counted."""
    from foregone.model.sentences import plural
    from foregone.policy.judge import Narrow
    from foregone.policy.sentences import by_weight, doubt_sentence, placed_sentence, verdict_sentence

    tell(policy={"file": policy, "verdict": found.verdict.name.lower()})
    tell(breaches=lambda: [placed_sentence(release, breach) for breach in found.breaches])
    told = {replace(cell, primary=False) for cell in before.narrow} if before is not None else set()
    for title, every in by_weight(found.breaches):
        some = [breach for breach in every if not isinstance(breach, Narrow) or replace(breach, primary=False) not in told]
        above = len(every) - len(some)
        say(f"{title}: {above:,} {plural('cell', above)} told above{' and' if some else ''}" if above else f"{title}:")
        page = join(["foregone", "report", str(path), "--policy", str(policy), "--out", "report.html"])
        say_first(some, LISTED, lambda breach: f"  {placed_sentence(release, breach)}.", "  and", f", all on the page of {page}")
    for doubt in found.doubts:
        say(f"Undecided: {doubt_sentence(doubt)}.")
    say(verdict_sentence(found, policy.name))


def _rounded(text: str) -> tuple[str, int]:
    """`by_age.B4=5`: the last equal sign separates the name from the base."""
    name, _, base = text.rpartition("=")
    if not name or not base.isdecimal() or not 1 <= int(base) <= LARGEST_BASE:
        raise InputError(f"--round-only {shown(text)}: cannot be read; write NAME=BASE, such as by_age.B4=5")
    return name, int(base)


def _what_if(
    path: Path,
    change: Change,
    out: Path | None,
    time_limit: float | None,
    max_records: int,
    page: Path | None,
    policy: Path | None,
) -> None:
    """Both sides in one table; a policy is judged for both, and what comes out for the changed release is the exit status."""
    from foregone.formats.claims import check_suffix, claim_entries, write_claims
    from foregone.formats.folder import check_release_output, write_release
    from foregone.formats.outputs import check_outputs
    from foregone.formats.policy import read_policies
    from foregone.model.policy import Policies
    from foregone.workflows.what_if import what_if, write_page

    if page is not None and page.suffix not in (".html", ".htm"):
        raise InputError(f"{page}: the ending is not that of a page; use .html")
    check_outputs([path, policy], {"--page": page})
    claims = out is not None and out.suffix != ""
    if out is not None and claims:
        check_suffix(out)
        check_outputs([path], {"--out": out})
    elif out is not None:
        check_release_output(out, [path])
    policies = Policies() if policy is None else read_policies(policy)
    with slow("Auditing") as progress:
        made = what_if(path, change, policies, time_limit=time_limit, max_records=max_records, progress=progress)
    found = made.found
    tell(what_if=change.text, claims=lambda: claim_entries(made.changed.domain, found.after.rows()))
    say(f"What if: {change.text}.")
    _say_compared(found)
    if made.changed.figures and change.coarser:
        say("Sums, means, medians and percentages were left as they are published.")
    say_places(made.published, change.hide)
    say_assumed(made.assumptions, made.left_out.warning)
    if out is not None and claims:
        write_claims(out, made.changed.domain, found.after.rows())
        say(f"{len(found.after.facts):,} claims that would still be certain were written to {out}.")
    elif out is not None:
        write_release(made.changed, out)
        say(f"The changed release was written to {out}.")
    outcomes = made.outcomes() if page is not None or policy is not None else None
    if page is not None and outcomes is not None:
        write_page(made, outcomes, page)
        say(f"The page is {page}; it shows numbers that would be withheld, so keep it as confidential as the release itself.")
    if policy is None or outcomes is None:
        stop(UNDECIDED if found.before.open or found.after.open else DONE)
    tell(outcomes={when: {"verdict": one.verdict, "why": one.why} for when, one in zip(("before", "after"), outcomes, strict=True)})
    for when, outcome in zip(("before", "after"), outcomes, strict=True):
        say(f"Outcome {when}: {outcome.verdict}: {outcome.why}.")
    stop_by(outcomes[1].fail)


def _say_compared(found: Comparison) -> None:
    from foregone.model.sentences import claim_sentence
    from foregone.questions.compare import measures

    measured = measures(found.before, found.after)
    tell(measures=[{"measure": name, "before": one, "after": other} for name, one, other in measured])
    say(f"  {'':<32}{'before':>10}{'after':>10}")
    for name, one, other in measured:
        say(f"  {name:<32}{one:>10,}{other:>10,}")
    domain = found.before.release.domain
    kinds = (
        ("would no longer be certain", found.vanish),
        ("would still be certain", found.stay),
        ("would be undecided", found.open),
    )
    for word, facts in kinds:
        if not facts:
            continue
        say(f"{len(facts):,} of {len(found.before.facts):,} facts {word}:")
        say_first(facts, COMPARED, lambda fact: f"  {claim_sentence(domain, fact.predicate, fact.count)}")
