"""The bundled block: ten synthetic households, every block-level household table published about them."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path

from foregone.census.household.sentences import household
from foregone.formats.folder import read_release, read_truth, write_release
from foregone.model.audit import Audit
from foregone.model.dataset import Dataset
from foregone.model.predicate import Predicate
from foregone.model.release import Release
from foregone.model.sentences import confirmation, number, plural
from foregone.questions.audit import audit


def demo_release() -> tuple[Release, Dataset]:
    """The release and the true records behind it, which the audit never sees."""
    with as_file(files("foregone.census").joinpath("block")) as folder:
        release = read_release(folder)
        truth = read_truth(folder, release)
    assert truth is not None
    return release, truth


def run_demo(say: Callable[[str], None], out: Path | None = None) -> Audit:
    """Audit the block and tell, household by household, what its tables give away."""
    release, truth = demo_release()
    say("A synthetic census block (nobody in it is real): ten households, and every table that is published for a block.")
    say("")
    result = audit(release)
    say("\n".join(result.summary().splitlines()[:2]))
    known = singled_out(result, truth)
    say("")
    say(f"{number(len(known)).capitalize()} of the ten households are singled out. Certain, from the published numbers alone:")
    for i, predicate in enumerate(known, start=1):
        codes = {name: next(iter(values)) for name, values in predicate.allowed}
        say("")
        told = len(codes)
        say(f"{i:>3}. Exactly one household is like this ({told} {plural('attribute', told)}): {household(codes)}")
    say("")
    say(confirmation(result, truth))
    if out is not None:
        write_release(release, out, truth)
        say(f"The release is in {out}; try: foregone audit {out} --out claims.csv")
    return result


def singled_out(result: Audit, truth: Dataset) -> list[Predicate]:
    """For each true record that some certain claim singles out, the claim that tells most about it."""
    best: dict[int, Predicate] = {}
    index = truth.domain.index
    for fact in result:
        if fact.count == 1:
            predicate = fact.predicate
            tests = [(index[name], codes) for name, codes in predicate.allowed]
            row = next(i for i, record in enumerate(truth.records) if all(record[c] in codes for c, codes in tests))
            if row not in best or len(predicate) > len(best[row]):
                best[row] = predicate
    return sorted(best.values(), key=lambda predicate: (-len(predicate), predicate.text(truth.domain)))
