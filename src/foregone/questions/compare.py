"""Two audits about the same columns: which facts stay certain, which do not, and which are new."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING

from foregone.model.audit import Audit, Fact
from foregone.model.errors import InputError
from foregone.model.sentences import claim_sentence, plural
from foregone.questions.ask import audit
from foregone.questions.asked import Source

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 20  # facts in a notebook's table


@dataclass(frozen=True)
class Comparison:
    """The facts of the first audit by what became of them in the second, and facts that only the second has (`appear`)."""

    before: Audit
    after: Audit
    stay: tuple[Fact, ...]
    vanish: tuple[Fact, ...]
    open: tuple[Fact, ...]  # not decided any more

    @cached_property
    def appear(self) -> tuple[Fact, ...]:
        """Facts of the second audit that the first does not hold for certain."""
        return _sorted_out(self.after.facts, self.before)[1]

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Every fact with what became of it, as a data frame: `became` is stays, vanishes, undecided or new."""
        import pandas as pd

        rows = [
            (became, fact.count, fact.attributes, claim_sentence(of.release.domain, fact.predicate, fact.count))
            for became, facts, of in (
                ("vanishes", self.vanish, self.before),
                ("new", self.appear, self.after),
                ("undecided", self.open, self.before),
                ("stays", self.stay, self.before),
            )
            for fact in facts
        ]
        return pd.DataFrame(rows, columns=["became", "count", "attributes", "sentence"])

    def summary(self) -> str:
        """How many of each, in one sentence."""
        whole = len(self.before.facts)
        open_ = f", {len(self.open):,} undecided" if self.open else ""
        return (
            f"Of {whole:,} {plural('fact', whole)}, {len(self.stay):,} stay certain and {len(self.vanish):,} do not{open_};"
            f" {len(self.appear):,} are new."
        )

    def __repr__(self) -> str:
        return f"<Comparison: {self.summary()}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.summary())}</p>{self.frame.head(SHOWN).to_html(index=False)}"


def compare(a: Audit | Source, b: Audit | Source) -> Comparison:
    """What is certain in one release and in another about the same columns: before and after a change, or two ways to publish.

    A fact stays when its fullest form says the same as some fact of the second audit.

    Parameters
    ----------
    a, b : Audit, Release, Case, str or Path
        Audits, or releases that are then audited.

    Returns
    -------
    Comparison
        `stay`, `vanish`, `open` and `appear` are facts; `frame` has all of them with sentences.

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError. Also two releases with other columns or
        codes.

    >>> from foregone import tabulate
    >>> people = {"SEX": ["F", "F", "M"], "AGE": ["1", "2", "2"]}
    >>> print(compare(tabulate(people, ["SEX,AGE"]), tabulate(people, ["SEX", "AGE"])).summary())
    Of 5 facts, 2 stay certain and 3 do not; 0 are new.
    """
    before, after = (one if isinstance(one, Audit) else audit(one) for one in (a, b))
    one, two = before.release.domain, after.release.domain
    if [(c.name, c.codes) for c in one.columns] != [(c.name, c.codes) for c in two.columns]:
        raise InputError("the two releases do not have the same columns and codes, so their facts cannot be compared")
    return Comparison(before, after, *_sorted_out(before.facts, after))


def _sorted_out(facts: Sequence[Fact], other: Audit) -> tuple[tuple[Fact, ...], tuple[Fact, ...], tuple[Fact, ...]]:
    """The facts that another audit holds for certain, those that it does not, and those that it left open."""
    stay: list[Fact] = []
    vanish: list[Fact] = []
    open_: list[Fact] = []
    for fact in facts:
        claim = fact.claim
        stays, unclear = (any(mine.says(claim) for mine in some) for some in (other.facts, other.open))
        (stay if stays else open_ if unclear else vanish).append(fact)
    return tuple(stay), tuple(vanish), tuple(open_)


def measures(before: Audit, after: Audit) -> list[tuple[str, int, int]]:
    """The few numbers that tell two audits apart, in words."""

    def row(words: str, measure: Callable[[Audit], int]) -> tuple[str, int, int]:
        return words, measure(before), measure(after)

    return [
        row("numbers published exactly", lambda audit: sum(s.low == s.high for s in audit.release.statistics)),
        row("certain claims", lambda audit: sum(audit.claims_by_columns().values())),
        row("distinct facts", lambda audit: len(audit.facts)),
        row("of these about exactly one", lambda audit: sum(fact.count == 1 for fact in audit.facts)),
        row("undecided", lambda audit: len(audit.open)),
    ]
