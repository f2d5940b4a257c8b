"""The bundled block: ten synthetic households, every block-level household table published about them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from foregone.census.bundled import bundled
from foregone.census.household.sentences import household
from foregone.formats.folder import write_release
from foregone.model.audit import Audit, Fact
from foregone.model.dataset import Dataset
from foregone.model.release import Release
from foregone.model.sentences import confirmation, plural, singled_out_sentence
from foregone.questions.ask import audit


def demo_release() -> tuple[Release, Dataset]:
    """The release and the true records behind it, which the audit never sees."""
    return bundled("block")


def run_demo(say: Callable[[str], None], out: Path | None = None) -> Audit:
    """Audit the block and tell, household by household, what its tables give away."""
    release, truth = demo_release()
    say("A synthetic census block (nobody in it is real): ten households, and every table that is published for a block.")
    say("")
    result = audit(release)
    say("\n".join(result.summary().splitlines()[:2]))
    known = singled_out(result, truth)
    say("")
    say(f"{singled_out_sentence(result, truth)} Certain, from the published numbers alone:")
    for i, fact in enumerate(known, start=1):
        say("")
        told = fact.attributes
        number_of = f"{told} {plural('attribute', told)}"
        say(f"{i:>3}. Exactly one household is like this ({number_of}): {household(dict(fact.predicate.allowed))}")
    say("")
    say(confirmation(result, truth))
    if out is not None:
        write_release(release, out, truth)
        say(f"The release is in {out}; try: foregone audit {out} --out claims.csv")
    return result


def singled_out(result: Audit, truth: Dataset) -> list[Fact]:
    """For each true record that some certain claim singles out, the claim that tells most about it."""
    best: dict[int, Fact] = {}
    index = truth.domain.index
    for fact in result:
        if fact.count == 1:
            tests = [(index[name], codes) for name, codes in fact.predicate.allowed]
            row = next(i for i, record in enumerate(truth.records) if all(record[c] in codes for c, codes in tests))
            if row not in best or _size(fact) > _size(best[row]):
                best[row] = fact
    return sorted(best.values(), key=lambda fact: (*(-n for n in _size(fact)), fact.predicate.text(truth.domain)))


def _size(fact: Fact) -> tuple[int, int, int]:
    return fact.attributes, fact.exact, fact.columns
