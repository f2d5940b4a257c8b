"""Generate, then verify: the paper's whole method for a release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING

from foregone.engine.claims.claims_table import Row, as_frame, in_order
from foregone.model.claim import Claim, Finding, Ground, Verdict
from foregone.model.dataset import Dataset
from foregone.model.release import Release
from foregone.model.sentences import claim_sentence, plural
from foregone.onehot.generate import SOLUTIONS, Generated, candidates, generate
from foregone.onehot.model import OneHot, encode
from foregone.onehot.verify import SECONDS, Form, check
from foregone.solvers.ip.outcome import Adapter

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

PATIENCE = 10  # the generate step may take as long as this many claims
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Checked:
    """Every candidate with what its own solve said."""

    findings: tuple[Finding, ...]

    def claims(self, verdict: Verdict) -> list[Claim]:
        return [finding.claim for finding in self.findings if finding.verdict == verdict]

    @cached_property
    def verified(self) -> list[Claim]:
        """Verified claims over every column subset."""
        return self.claims(Verdict.VERIFIED)

    @cached_property
    def open(self) -> list[Claim]:
        return self.claims(Verdict.UNDECIDED)

    @cached_property
    def certain(self) -> list[Claim]:
        """Closed claims: the verified ones to which no column can be added at the same count.

        When a claim and a fuller one have the same count they are about the same records, and so is every claim between
        the two; looking one column ahead is therefore enough.
        """
        shorter: set[tuple[frozenset[tuple[str, frozenset[str]]], int]] = set()
        for claim in self.verified:
            conditions = frozenset(claim.predicate.allowed)
            shorter |= {(conditions - {one}, claim.count) for one in conditions}
        return [c for c in self.verified if (frozenset(c.predicate.allowed), c.count) not in shorter]

    @property
    def reason(self) -> str:
        return next((f.reason for f in self.findings if f.verdict == Verdict.UNDECIDED), "")


@dataclass(frozen=True)
class OneHotAudit:
    """What a release gives away according to the one-hot method, with the face of the cells engine's `Audit`."""

    release: Release
    model: OneHot
    generated: Generated
    found: Checked
    solver: str
    seconds: dict[str, float] = field(default_factory=dict)

    @cached_property
    def claims(self) -> pd.DataFrame:
        """The fullest statement of each certain fact, one row each."""
        return as_frame(self.release.domain, self.rows())

    @cached_property
    def undecided(self) -> pd.DataFrame:
        """Candidates whose solve ended without a proof."""
        return as_frame(self.release.domain, self.open_rows()).rename(columns={"ground": "status"})

    def all_claims(self, max_columns: int | None = None) -> pd.DataFrame:
        """Every certain claim over every subset of columns."""
        return as_frame(self.release.domain, self.all_rows(max_columns))

    def to_arrow(self) -> pa.Table:
        import pyarrow as pa

        return pa.Table.from_pandas(self.claims, preserve_index=False)

    def rows(self) -> list[Row]:
        """Closed claims, sorted."""
        return self._rows(self.found.certain, Ground.SOLVER)

    def open_rows(self) -> list[Row]:
        """Undecided claims over every column subset: each had a solve of its own."""
        return self._rows(self.found.open, "undecided")

    def all_rows(self, max_columns: int | None = None) -> list[Row]:
        """Verified claims with at most `max_columns` columns."""
        most = len(self.release.domain.columns) if max_columns is None else max_columns
        return self._rows([claim for claim in self.found.verified if len(claim.predicate) <= most], Ground.SOLVER)

    def claims_by_columns(self, count: int | None = None) -> dict[int, int]:
        """How many certain claims there are with each number of columns."""
        sizes = Counter(len(c.predicate) for c in self.found.verified if count is None or c.count == count)
        return dict(sorted(sizes.items()))

    def broken_by(self, truth: Dataset) -> list[Claim]:
        """Certain claims that a dataset breaks: none, if the dataset matches the release and the solver is right."""
        return [claim for claim in self.found.verified if truth.count(claim.predicate) != claim.count]

    def summary(self) -> str:
        """One paragraph for people, in the words of the cells engine's summary."""
        domain, found, made = self.release.domain, self.found, self.generated
        program, total = self.model.program, len(found.verified)
        ones = [claim for claim in found.certain if claim.count == 1]
        lines = [
            f"{len(self.release.statistics):,} published numbers; one-hot model with {program.variables:,} variables and"
            f" {program.rows:,} rows, solved by {self.solver}.",
            f"{len(made.datasets):,} different {plural('dataset', len(made.datasets))} generated"
            f"{' (there are no more)' if made.complete else ''}; they agree on {len(found.findings):,}"
            f" {plural('candidate', len(found.findings))}.",
            f"{total:,} {plural('claim', total)} {'is' if total == 1 else 'are'} certain ({len(found.certain):,} distinct"
            f" {plural('fact', len(found.certain))}); {sum(self.claims_by_columns(count=1).values()):,} of them single out"
            f" exactly one {domain.record} ({len(ones):,} {plural('fact', len(ones))}). Undecided: {len(found.open):,}.",
        ]
        if made.reason:
            lines.append(f"Generating stopped early because {made.reason}; that leaves more candidates to verify, nothing else.")
        if found.open:
            lines.append(f"Undecided because {found.reason}; raise --time-limit or use another --solver.")
        if ones:
            best = max(ones, key=lambda claim: len(claim.predicate))
            lines.append("Most telling: " + claim_sentence(domain, best.predicate, 1))
        return "\n".join(lines)

    def _rows(self, claims: list[Claim], word: str) -> list[Row]:
        names, made = self.release.domain.names, []
        for claim in claims:
            codes = {name: next(iter(values)) for name, values in claim.predicate.allowed}
            made.append((tuple(codes.get(name) for name in names), claim.count, len(codes), str(word)))
        return in_order(self.release.domain, made)


def audit(
    release: Release,
    adapter: Adapter,
    solutions: int = SOLUTIONS,
    time_limit: float | None = SECONDS,
    form: Form = Form.DISJUNCTION,
    progress: Progress | None = None,
) -> OneHotAudit:
    """Generate `solutions` datasets, intersect their claim lists, and verify each candidate with a solve of its own.

    `time_limit` is for each claim; the generate step as a whole may take as long as ten claims.
    """
    say = progress or (lambda *_: None)
    begin = perf_counter()
    model = encode(release)
    encoded = perf_counter()
    say("generating datasets", 0, 0)
    made = generate(model, adapter, solutions, None if time_limit is None else PATIENCE * time_limit)
    generated = perf_counter()
    proposed = candidates(release.domain, made.datasets)
    listed = perf_counter()
    findings = []
    for i, claim in enumerate(proposed):
        say("verifying claims", i, len(proposed))
        findings.append(check(model, claim, adapter, time_limit, form))
    end = perf_counter()
    seconds = {
        "encode": encoded - begin,
        "generate": generated - encoded,
        "candidates": listed - generated,
        "verify": end - listed,
        "total": end - begin,
    }
    return OneHotAudit(release, model, made, Checked(tuple(findings)), adapter.name, seconds)
