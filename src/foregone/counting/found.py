"""What was found out about how often claims hold, as values: for files, for people, for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from foregone.checker import digest
from foregone.checker.verdicts.counted import FORMAT, VERSION
from foregone.model.audit import PrintedHow, exact_columns
from foregone.model.claim import Claim
from foregone.model.claims_table import KINDS, frame_of, values_of
from foregone.model.errors import UndecidedError
from foregone.model.release import Release
from foregone.model.sentences import claim_sentence, plural
from foregone.version import __version__

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

COUNTED, SAMPLED = "counted", "sampled"
MORE = {
    "share": "float64",
    "low": "float64",
    "high": "float64",
    "method": "object",
    "prior": "object",
    "guess": "object",
    "modal": "object",
    "certain": "bool",
}
LAST = (
    "Shares are computed, not proved, and depend on the prior; certain is only what `foregone audit` finds."
    " Singled out is not named."
)
LONG = 10**15  # numbers above are said by their size


@dataclass(frozen=True, slots=True)
class ClaimShare:
    """In what share of the datasets that fit a claim holds, weighted by a prior.

    `low` and `high` are equal to it when all datasets were counted, and a 99 % interval when they were sampled. `others` are the
    shares by other priors. `certain` is what the audit says. `guess` and `modal` tell what somebody with a table would guess, where
    there is one.
    """

    claim: Claim
    share: float
    low: float
    high: float
    method: str
    prior: str
    certain: bool
    ground: str | None = None
    printed: PrintedHow = PrintedHow.NO
    attributes: int = 0
    others: tuple[tuple[str, float], ...] = ()
    guess: float | None = None
    modal: bool | None = None
    spread: float | None = None  # R-hat of what was sampled
    fraction: str | None = None  # the share as it was counted, exactly

    @property
    def words(self) -> str:
        """The share in words that nobody can misread."""
        if self.certain:
            return "certain: true in every dataset that fits"
        said = f"true in {percent(self.share)} of the datasets that fit, weighted by {self.prior}"
        if self.method == SAMPLED:
            return f"{said} (sampled; 99 % interval {percent(self.low)} to {percent(self.high)})"
        shares = [self.share, *(share for _, share in self.others)]
        if not self.others:
            return said
        names = ", ".join([self.prior, *(name for name, _ in self.others)])
        return f"{said} ({percent(min(shares))} to {percent(max(shares))} over {names})"


@dataclass(frozen=True)
class Likely:
    """How many datasets fit a release, and in what share of them claims hold: iterate over it, or take `claims`, a data frame.

    `datasets` is their exact number, None where it was not counted; then `at_least` and `at_most` limit it. Without a claim in
    question there are `records`, the most likely full records, and after them claims that are not certain, the most likely ones
    first.
    """

    release: Release
    prior: str
    method: str
    datasets: int | None
    at_least: int
    at_most: int
    shares: tuple[ClaimShare, ...]
    records: int = 0  # how many of the shares are about full records
    checks: str = ""
    distribution: tuple[float, ...] = ()  # for one claim: the shares of 0, 1, 2, ... matching records

    def __iter__(self) -> Iterator[ClaimShare]:
        return iter(self.shares)

    def __len__(self) -> int:
        return len(self.shares)

    def __repr__(self) -> str:
        return f"<Likely: {self.summary()}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(self.summary())}</p>{self.claims.fillna('').to_html(index=False)}"

    @property
    def share(self) -> float:
        """The share of the claim that was asked about; of the first one, where none was."""
        return self.shares[0].share

    def summary(self) -> str:
        """How many datasets fit, in a sentence."""
        if self.datasets is not None:
            verb = "fits" if self.datasets == 1 else "fit"
            return f"{large(self.datasets)} {plural('dataset', self.datasets)} {verb} the release."
        return f"Between {large(self.at_least)} and {large(self.at_most)} datasets fit the release; they were not counted."

    @property
    def header(self) -> list[str]:
        """The columns of a file: those of a claims file, then the shares."""
        return [*self.release.domain.names, *KINDS, *MORE]

    def rows(self) -> list[tuple[object, ...]]:
        """A row for each share, in the order of `header`."""
        domain = self.release.domain
        return [
            (
                *values_of(domain, s.claim.predicate),
                *(s.claim.count, len(s.claim.predicate), s.ground, exact_columns(s.claim.predicate)),
                *(s.printed != PrintedHow.NO, s.printed.value, s.attributes),
                *(s.share, s.low, s.high, s.method, s.prior, s.guess, s.modal, s.certain),
            )
            for s in self.shares
        ]

    @cached_property
    def claims(self) -> pd.DataFrame:
        """One row per claim."""
        return frame_of({**dict.fromkeys(self.release.domain.names, "object"), **KINDS, **MORE}, self.rows())

    def to_arrow(self) -> pa.Table:
        """The claims as an Arrow table."""
        import pyarrow as pa

        return pa.Table.from_pandas(self.claims, preserve_index=False)

    def json(self) -> dict[str, Any]:
        """Everything, as plain data."""
        names = self.release.domain.names
        entries = []
        for s, row in zip(self.shares, self.rows(), strict=True):
            where = {name: value for name, value in zip(names, row, strict=False) if value is not None}
            rest = dict(zip([*KINDS, *MORE], row[len(names) :], strict=True))
            entries.append({"where": where, **rest, "fraction": s.fraction, "others": dict(s.others), "words": s.words})
        told = {"datasets": self.datasets, "at_least": self.at_least, "at_most": self.at_most, "method": self.method}
        return {**told, "prior": self.prior, "checks": self.checks, "distribution": list(self.distribution), "claims": entries}

    def document(self) -> dict[str, Any]:
        """What `foregone check` counts again, in its own way, where the release is small: the number of datasets, and the exact
        share of every claim. Nothing is written about what was sampled."""
        if self.datasets is None:
            raise UndecidedError("the datasets were sampled, not counted, so there is nothing to check; give more seconds")
        shares = [
            {
                "where": {name: sorted(codes) for name, codes in s.claim.predicate.allowed},
                "count": s.claim.count,
                "prior": s.prior,
                "share": s.fraction,
            }
            for s in self.shares
        ]
        content = {"format": FORMAT, "version": VERSION, "tool": f"foregone {__version__}"}
        content |= {"release": self.release.fingerprint(), "datasets": str(self.datasets), "shares": shares}
        return {**content, "digest": digest(content)}

    def lines(self) -> Iterator[str]:
        """What a person reads."""
        yield self.summary()
        if self.checks:
            yield f"Sampled: {self.checks}."
        titled = [
            ("Most likely records:", self.shares[: self.records]),
            ("Most likely claims that are not certain:", self.shares[self.records :]),
        ]
        if self.distribution:
            titled = [("", self.shares)]
        for title, shares in titled:
            if title and shares:
                yield title
            for number, s in enumerate(shares, start=1):
                begin = f"  {number}. " if title else ""
                sentence = claim_sentence(self.release.domain, s.claim.predicate, s.claim.count)
                yield f"{begin}{sentence} {s.words[0].upper()}{s.words[1:]}."
                if s.spread is not None and s.spread > 1.05:
                    yield f"  R-hat is {s.spread:.2f}, above 1.05: the chains disagree; give more seconds before you rely on this."
        if self.method == COUNTED and not self.records and not all(s.certain for s in self.shares):
            told = [f"{count}: {percent(share)}" for count, share in enumerate(self.distribution) if share]
            yield f"Matching records in the datasets that fit: {', '.join(told[:12])}{', ...' if len(told) > 12 else ''}."
        yield LAST


def percent(share: float) -> str:
    """A share as a percentage that never says all or nothing where it is neither.

    >>> [percent(share) for share in (0, 0.0004, 0.5, 0.934, 0.9996, 1)]
    ['0 %', 'less than 0.1 %', '50 %', '93.4 %', 'more than 99.9 %', '100 %']
    """
    if 0 < share < 0.001:
        return "less than 0.1 %"
    if 0.999 < share < 1:
        return "more than 99.9 %"
    return f"{100 * share:.1f} %".replace(".0 %", " %")


def large(number: int) -> str:
    """
    >>> large(1914), large(12345678901234567890)
    ('1,914', '12345678901234567890 (about 1.2e19)')
    """
    if number < LONG:
        return f"{number:,}"
    digits = str(number)
    about = f"about {digits[0]}.{digits[1]}e{len(digits) - 1}"
    return f"{digits} ({about})" if len(digits) <= 60 else about
