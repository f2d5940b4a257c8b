"""The page about one release, from the release to the files: what `fg.report` and `foregone report RELEASE` do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from foregone.census.demo_page import stored_explanations
from foregone.census.subjects import subject_of_release
from foregone.engine import MAX_RECORDS
from foregone.formats.assumptions import read_assumptions
from foregone.formats.folder import read_truth
from foregone.formats.left_out import AllLeftOut, left_out_of
from foregone.model.dataset import Dataset
from foregone.model.families import Groups
from foregone.model.policy import Policies, Policy
from foregone.model.progress import Progress
from foregone.pages.commands import IN_PYTHON, Place
from foregone.pages.explanations import explain_facts
from foregone.pages.ranking import audited_release
from foregone.pages.release_page import PageOptions
from foregone.pages.write import Written, check_page, today, write_release_page
from foregone.policy.judge import Judged
from foregone.policy.reader import as_read
from foregone.policy.sentences import assumed_sentence
from foregone.questions.ask import audit
from foregone.questions.asked import Source, as_release

SHOWN, EXPLAINED = 200, 30  # facts on the page, and facts with a derivation


def report(
    release: Source,
    out: str | Path,
    prior: Dataset | None = None,
    redact: bool = False,
    policy: Policy | Policies | None = None,
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
) -> Written:
    """Write one self-contained page about a release: who is singled out, and the published numbers that force it.

    Beside `out`, an .html file, goes the outcome for machines and, when the page cannot hold every fact, a claims file.
    `prior` are records to tell how surprising each fact is, and `source` the name the page gives them; `redact` hides values.
    Where a release folder holds the truth, or `truth` is given, the true number of those singled out stands beside the least one.
    `assumptions` are said on the page, after those that a release folder holds. `title` and `subtitle` head the page; `name` is
    what it calls the release, and `place` where the commands on it find the release. `policy` is what must not be, or that and
    what has to be looked at; it also says what a reader knows besides what is printed. `left_out` are numbers of imported files
    that are no part of it; by default those that left_out.csv beside the release names.
    """
    page = Path(out)
    check_page(page)
    stored_release = as_release(release)
    path = "" if stored_release is release else str(release)
    called = name or Path(path).name or path or "release"
    policies = policy if isinstance(policy, Policies) else Policies() if policy is None else Policies(policy)
    published = as_read(stored_release, policies.fail)
    result = audit(published, time_limit, max_records, progress, groups)
    true = truth or (read_truth(Path(path), published) if path else None)
    subject = subject_of_release(published.domain)
    limits = Judged(result, time_limit=time_limit, max_records=max_records, progress=progress)
    audited = audited_release(result, subject, prior, true, limits)
    audited = replace(audited, truth=None) if redact else audited  # the true number stands beside the least one
    stored = stored_explanations(published.fingerprint())
    explained = explain_facts(published, audited.listed, min(explain, top), stored, progress)
    said = assumed_sentence(policies.fail)
    known = (*(read_assumptions(Path(path)) if path else ()), *assumptions, *([said] if published is not stored_release else []))
    if left_out is None:
        left_out = AllLeftOut() if stored_release.source is None else left_out_of(stored_release.source, stored_release)
    options = PageOptions(
        date or today(),
        called,
        title,
        subtitle,
        place or (Place(path) if path else IN_PYTHON),
        top,
        explain,
        redact,
        source,
        policies=policies,
        assumptions=known,
        left_out=left_out,
    )
    return write_release_page(audited, explained, page, options)
