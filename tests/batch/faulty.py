"""Work that goes wrong in a chosen release; worker processes import it from here."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from foregone.batch.part import audit_part
from foregone.batch.part_files import PartJob, PartResult
from foregone.model.audit import Audit
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.questions.ask import audit
from foregone.workers.pool import Beat


def crashing(job: PartJob, beat: Beat, bad: str) -> PartResult:
    """The process is gone the moment it comes to `bad`."""

    return _in(job, beat, bad, os.abort)


def leaving(job: PartJob, beat: Beat, bad: str) -> PartResult:
    return _in(job, beat, bad, lambda: os._exit(7))


def crashing_together(job: PartJob, beat: Beat, bad: str) -> PartResult:
    """The process is gone while the compiled loop has the releases of a part, `bad` among them."""

    def at(release: str) -> None:
        beat(release)
        if bad in job.content.ids:
            os.abort()

    return audit_part(job, at)


def slow(job: PartJob, beat: Beat) -> PartResult:
    """Long enough to be interrupted."""

    def unhurried(release: Release, **asked: Any) -> Audit:
        time.sleep(0.05)
        return audit(release, **asked)

    return audit_part(job, beat, unhurried)


def hungry(job: PartJob, beat: Beat, bad: str) -> PartResult:
    """`bad` needs eight gigabytes."""
    return _in(job, beat, bad, lambda: np.ones(1 << 30).sum())


def endless(job: PartJob, beat: Beat, bad: str) -> PartResult:
    """`bad` takes no notice of its time limit."""
    return _in(job, beat, bad, lambda: time.sleep(600))


def puzzled(job: PartJob, beat: Beat, bad: str) -> PartResult:
    return _in(job, beat, bad, lambda: [][1])


def miscounting(job: PartJob, beat: Beat) -> PartResult:
    """A planted bug: one fact of each release has a wrong count."""

    def wrong(release: Release, **asked: Any) -> Audit:
        found = audit(release, **asked)
        first, *others = found.facts
        return replace(found, facts=(replace(first, count=first.count + 1), *others))

    return audit_part(job, beat, wrong)


def overstating(job: PartJob, beat: Beat) -> PartResult:
    """A planted bug: closed claims are right, but every subset of their columns is said to be certain too."""

    def wrong(release: Release, **asked: Any) -> Audit:
        found = audit(release, **asked)
        shorter = [tuple(Predicate((column,)) for column in fact.predicate.allowed) for fact in found]
        return replace(found, facts=tuple(replace(f, shortest=forms) for f, forms in zip(found, shorter, strict=True)))

    return audit_part(job, beat, wrong)


def _in(job: PartJob, beat: Beat, bad: str, trouble: Callable[[], object]) -> PartResult:
    current = [""]

    def at(release: str) -> None:
        current[0] = release
        beat(release)

    def troubled(release: Release, **asked: Any) -> Audit:
        if current[0] == bad:
            trouble()
        return audit(release, **asked)

    return audit_part(job, at, troubled)
