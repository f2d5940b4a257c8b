"""`audit --hide --round --below`: what would still be certain, before and after in one table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from foregone.cli.show import NO, UNDECIDED, say, say_assumptions, say_left_out, say_places, slow, stop
from foregone.model.errors import InputError

if TYPE_CHECKING:
    from foregone.model.audit import Audit
    from foregone.model.policy import Policies
    from foregone.model.release import Release
    from foregone.pages.outcome import Outcome
    from foregone.questions.compare import Comparison

LISTED = 5  # facts of each kind that are spelled out


@dataclass(frozen=True, slots=True)
class Change:
    """What would be published instead."""

    hide: tuple[str, ...] = ()
    base: int = 1
    below: int = 0

    def of(self, release: Release) -> Release:
        made = release.round(self.base, self.below) if self.base > 1 or self.below > 1 else release
        return made.hide(*self.hide) if self.hide else made

    @property
    def text(self) -> str:
        parts = [f"{', '.join(self.hide)} withheld"] if self.hide else []
        parts += [f"counts from 1 to {self.below - 1} given as that range"] if self.below > 1 else []
        parts += [f"{'other ' if self.below > 1 else ''}counts rounded to multiples of {self.base}"] if self.base > 1 else []
        return "; ".join(parts) or "nothing changed"


def what_if(
    path: Path,
    change: Change,
    out: Path | None,
    time_limit: float | None,
    max_records: int,
    page: Path | None = None,
    policy: Path | None = None,
) -> None:
    """Audit a release as it is and as it would be; `page` shows both. A policy is judged for both, and what comes out for the
    changed release is the exit status.
    """
    from foregone.formats.claims import check_suffix, write_claims
    from foregone.formats.folder import check_release_output, read_release, write_release
    from foregone.formats.outputs import check_outputs
    from foregone.formats.policy import read_policies
    from foregone.model.policy import Policies
    from foregone.policy.judge import PolicyVerdict
    from foregone.policy.reader import as_read
    from foregone.questions.ask import audit
    from foregone.questions.compare import compare

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
    published = read_release(path)
    try:
        changed = change.of(published)
    except InputError as error:
        raise InputError([f"--hide: {problem}" for problem in error.problems]) from None
    with slow("Auditing") as progress:
        before = audit(as_read(published, policies.fail), time_limit, max_records, progress)
        after = audit(as_read(changed, policies.fail), time_limit, max_records, progress)
    found = compare(before, after)
    say(f"What if: {change.text}.")
    _table(before, after)
    _listed(found)
    if changed.figures and (change.base > 1 or change.below > 1):
        say("Sums, means, medians and percentages were left as they are published.")
    say_places(published, change.text)
    say_assumptions(path)
    say_left_out(path, changed)
    if out is not None and claims:
        write_claims(out, changed.domain, after.rows())
        say(f"{len(after.facts):,} claims that would still be certain were written to {out}.")
    elif out is not None:
        write_release(changed, out)
        say(f"The changed release was written to {out}.")
    outcomes = _judged(found, policies, time_limit, max_records) if page is not None or policy is not None else None
    if page is not None and outcomes is not None:
        _page(found, change, path, outcomes, page)
    if policy is not None and outcomes is not None:
        say(f"Outcome before: {outcomes[0].verdict}: {outcomes[0].why}.")
        say(f"Outcome after: {outcomes[1].verdict}: {outcomes[1].why}.")
        if outcomes[1].fail == PolicyVerdict.BROKEN:
            stop(NO)
        if outcomes[1].fail == PolicyVerdict.UNDECIDED:
            stop(UNDECIDED)
    elif before.open or after.open:
        stop(UNDECIDED)


def _judged(found: Comparison, policies: Policies, time_limit: float | None, max_records: int) -> tuple[Outcome, Outcome]:
    from foregone.pages.outcome import judged_outcome
    from foregone.policy.judge import Judged

    before, after = (
        judged_outcome(Judged(audit, time_limit=time_limit, max_records=max_records), policies)
        for audit in (found.before, found.after)
    )
    return before, after


def _page(found: Comparison, change: Change, path: Path, outcomes: tuple[Outcome, Outcome], page: Path) -> None:
    from foregone.census.subjects import subject_of_release
    from foregone.pages.what_if_page import write_what_if_page
    from foregone.pages.write import today

    subject = subject_of_release(found.before.release.domain)
    write_what_if_page(found, change.text, subject, outcomes, path.name or str(path), today(), page)
    say(f"The page is {page}; it shows numbers that would be withheld, so keep it as confidential as the release itself.")


def _table(before: Audit, after: Audit) -> None:
    from foregone.questions.compare import measures

    say(f"  {'':<32}{'before':>10}{'after':>10}")
    for name, one, other in measures(before, after):
        say(f"  {name:<32}{one:>10,}{other:>10,}")


def _listed(found: Comparison) -> None:
    from foregone.model.sentences import claim_sentence

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
        for fact in facts[:LISTED]:
            say(f"  {claim_sentence(domain, fact.predicate, fact.count)}")
        if len(facts) > LISTED:
            say(f"  ... and {len(facts) - LISTED:,} more")
