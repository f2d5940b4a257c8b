"""Pages: about one release, from its files to the page, and about a run.

A page is written as soon as everything is known that it judges. Explanations come after that, for a limited time, and then it is
written again with those that were found: whoever opens it early, or stops the command, has a complete page without them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from foregone.census.demo import stored_explanations
from foregone.census.subjects import subject_of_release, subject_of_run
from foregone.engine import MAX_RECORDS, Case
from foregone.formats.beside import AllLeftOut, left_out_of, read_assumptions
from foregone.formats.extras import need
from foregone.formats.folder import read_truth
from foregone.formats.policy import read_policies
from foregone.formats.rows import read_prior
from foregone.model.dataset import Dataset
from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.policy import DEFAULT, OF_MANY, Policies, Policy
from foregone.model.progress import Progress
from foregone.pages.collection import collection_of_run
from foregone.pages.commands import IN_PYTHON, Place
from foregone.pages.explanations import check_source, explained_facts, explained_located
from foregone.pages.ranking import audited_release, with_survival
from foregone.pages.release_page import PageOptions
from foregone.pages.write import Written, check_page, today, write_collection_page, write_release_page
from foregone.policy.judge import Judged
from foregone.policy.reader import as_read
from foregone.policy.sentences import assumed_sentence
from foregone.questions.ask import audit
from foregone.questions.asked import Source, as_case, as_release
from foregone.questions.baseline import Guesser, as_guesser
from foregone.solvers.deadline import Deadline

SHOWN, EXPLAINED, EXPLAINED_OF_MANY = 200, 30, 10  # facts on a page, and facts with a derivation
EXPLAIN_SECONDS = 20.0  # for all derivations of a page together

K = TypeVar("K")
D = TypeVar("D")


class StoppedReport(KeyboardInterrupt):
    """Ctrl-C while explanations were made: the page is there, with those that were found; `written` would have been returned."""

    def __init__(self, written: Written) -> None:
        super().__init__()
        self.written = written


def report(
    release: Source,
    out: str | Path,
    *,
    prior: Dataset | str | Path | None = None,
    prior_table: str | Path | None = None,
    redact: bool = False,
    policy: Policy | Policies | str | Path | None = None,
    top: int = SHOWN,
    explain: int = EXPLAINED,
    title: str = "",
    source: str = "",
    date: str = "",
    time_limit: float | None = None,
    max_records: int = MAX_RECORDS,
    progress: Progress | None = None,
    groups: Groups | str = Groups.PUBLISHED,
    assumptions: tuple[str, ...] = (),
    truth: Dataset | None = None,
    subtitle: str = "",
    name: str = "",
    place: Place | None = None,
    left_out: AllLeftOut | None = None,
    explain_seconds: float | None = EXPLAIN_SECONDS,
) -> Written:
    """Write one self-contained page about a release: who is singled out, and the published numbers that force it.

    Beside `out`, an .html file, goes the outcome for machines and, when the page cannot hold every fact, a claims file.
    `prior` are records to tell how surprising each fact is, or a CSV file of them, and `source` the name the page gives them;
    `redact` hides values. Where a release folder holds the truth, or `truth` is given, the true number of those singled out stands
    beside the least one. `assumptions` are said on the page, after those that a release folder holds. `title` and `subtitle` head
    the page; `name` is what it calls the release, and `place` where the commands on it find the release. `policy` is what must not
    be, or that and what has to be looked at, or a policy file; it also says what a reader knows besides what is printed. `left_out`
    are numbers of imported files that are no part of it; by default those that left_out.csv beside the release names.

    The page is there as soon as the audit is done. Then the first `explain` facts are explained, for at most `explain_seconds`
    together (None: for as long as it takes; 0: none), and it is written again with what was found. How far that gets depends on the
    machine, so only a page whose explanations were all made in time is the same everywhere.

    Parameters
    ----------
    release : Release, Case, str or Path
        A release, a case made of one, or the path of one.
    out : str or Path
        The page, an .html file.
    prior : Dataset, str or Path, optional
        Records to tell how surprising each fact is.
    prior_table : str or Path, optional
        Instead of records, a table to guess from: a CSV file with some of the columns and `weight`.
    redact : bool
        Hide values.
    policy : Policy, Policies, str or Path, optional
        What the page judges.
    top : int
        How many facts the page shows.
    explain : int
        How many of them are explained.
    title, subtitle, name, source, date : str
        What the page says of itself, of the release and of `prior`.
    time_limit : float, optional
        Seconds; without one it takes as long as it takes.
    max_records : int
        Refuse a release that leaves more kinds of record possible.
    progress : callable, optional
        Called with what is being done, how much of it is done, and how much there is.
    groups : {"published", "none"}
        Whether claims name groups of values.
    assumptions : tuple of str
        Sentences that the page begins with.
    truth : Dataset, optional
        The microdata, for the true number of those singled out.
    place : Place, optional
        Where commands on the page find the release.
    left_out : AllLeftOut, optional
        Numbers of imported files that are no part of it.
    explain_seconds : float, optional
        For all explanations; None: as long as they take.

    Returns
    -------
    Written
        The paths written and what the page says.

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError.
    ContradictionError
        The published numbers contradict each other; an InputError, too.
    TooLargeError
        More kinds of record stay possible than `max_records`.
    """
    page = Path(out)
    if prior is not None and prior_table is not None:
        raise InputError("--prior and --prior-table both say what a guesser has; give one of them")
    given = [Path(path) for path in (release, prior, prior_table, policy) if isinstance(path, str | Path)]
    check_page(page, given)
    policies = _policies(policy, DEFAULT)
    stored_release = as_release(release)
    path = str(release) if isinstance(release, str | Path) else ""
    drawn: Dataset | Guesser | None
    if prior_table is not None:
        drawn = as_guesser(prior_table, stored_release.domain)
    else:
        drawn = prior if prior is None or isinstance(prior, Dataset) else read_prior(Path(prior), stored_release.domain)
    published = as_read(stored_release, policies.fail)
    begun = release if isinstance(release, Case) and published is stored_release else published
    case = as_case(begun, time_limit, max_records)  # for the audit and for every explanation
    result = audit(case, time_limit=case.deadline.seconds, max_records=max_records, progress=progress, groups=groups)
    true = truth or (read_truth(Path(path), published) if path else None)
    limits = Judged(result, time_limit=time_limit, max_records=max_records, progress=progress)
    audited = audited_release(result, subject_of_release(published.domain), drawn, true, limits)
    audited = replace(audited, truth=None) if redact else audited  # the true number stands beside the least one
    audited = audited if drawn is None else with_survival(audited, top)
    said = assumed_sentence(policies.fail)
    known = (*(read_assumptions(Path(path)) if path else ()), *assumptions, *([said] if published is not stored_release else []))
    if left_out is None:
        left_out = AllLeftOut() if stored_release.source is None else left_out_of(stored_release.source, stored_release)
    options = PageOptions(
        date or today(),
        name or Path(path).name or path or "release",
        title,
        subtitle,
        place or (Place(path) if path else IN_PYTHON),
        top,
        redact,
        source or next((Path(path).name for path in (prior, prior_table) if isinstance(path, str | Path)), ""),
        policies=policies,
        assumptions=known,
        left_out=left_out,
    )
    wanted = audited.listed[: min(explain, top)] if explain_seconds != 0 else ()
    written = replace(write_release_page(audited, {}, page, options), wanted=len(wanted), warning=left_out.warning)
    stored = stored_explanations(published.fingerprint())
    found = explained_facts(case, wanted, stored, _kept(progress), Deadline.after(explain_seconds))
    return _again(written, found, lambda made: write_release_page(audited, made, page, options, written))


def report_run(
    run: Path,
    out: Path,
    *,
    source: Path | None = None,
    redact: bool = False,
    policy: Policies | Path | None = None,
    top: int = SHOWN,
    explain: int = EXPLAINED_OF_MANY,
    explain_seconds: float | None = EXPLAIN_SECONDS,
    title: str = "",
    subtitle: str = "",
    date: str = "",
    place: Place | None = None,
    progress: Progress | None = None,
) -> Written:
    """Write one page about all releases of a run.

    With `source`, the file that the run was made from, the first `explain` facts are explained once the page is there, for at most
    `explain_seconds` together, and it is written again with what was found.
    """
    check_page(out, [run, source, policy if isinstance(policy, Path) else None])
    policies = _policies(policy, OF_MANY)
    need("duckdb", "pyarrow")
    collection = collection_of_run(run, subject_of_run, policies, top)
    if source is not None and collection.subject.republish is None:
        raise InputError("--source explains census blocks; for another release use `foregone report RELEASE`")
    options = PageOptions(date or today(), title=title, subtitle=subtitle, place=place, redact=redact, out=out)
    wanted = collection.found[:explain] if source is not None and explain_seconds != 0 else ()
    if source is not None:
        check_source(collection, source)
    written = replace(write_collection_page(collection, {}, options), wanted=len(wanted))
    if source is None or not wanted:
        return written
    found = explained_located(collection, source, wanted, _kept(progress), explain_seconds)
    return _again(written, found, lambda made: write_collection_page(collection, made, options, written))


def _policies(policy: Policy | Policies | str | Path | None, default: Policy) -> Policies:
    if isinstance(policy, str | Path):
        return read_policies(Path(policy), default)
    return policy if isinstance(policy, Policies) else Policies(default if policy is None else policy)


def _kept(progress: Progress | None) -> Progress | None:
    """Progress that says, too, that nobody has to wait for the page any more."""
    if progress is None:
        return None
    return lambda stage, done, total, share=None, /: progress(f"{stage} (the page is there; Ctrl-C keeps it)", done, total, share)


def _again(written: Written, found: Iterator[tuple[K, D]], write: Callable[[dict[K, D]], Written]) -> Written:
    """Collect explanations and write the page with them; also when somebody stops it in the middle."""
    made: dict[K, D] = {}
    try:
        made.update(found)  # one by one: what is there stays there
    except KeyboardInterrupt:
        raise StoppedReport(write(made) if made else written) from None
    return write(made) if made else written
