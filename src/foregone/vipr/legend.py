"""What the names in a certificate stand for, as tables: boxes, constraints, facts; and a page of text about the folder.

A checker proves that the program has no better solution. That the program says what was published is read here.
"""

from __future__ import annotations

from collections.abc import Iterator

from foregone.checker.kernel import Box, Form, PlainDomain, PlainRelease
from foregone.checker.read.values import where_of, words_of
from foregone.vipr.export import Exported

Table = tuple[list[str], list[list[object]]]

TEXT = """\
Proofs of Foregone as certificates in the VIPR format, version 1.0. Any checker of that format checks them, for example

    viprchk {first}

{what}

unknowns.csv     the unknowns x0, x1, ...: how many records have these codes; blank is any code
constraints.csv  what is published, constraint by constraint
{facts}
A constraint gives each unknown the least that one of its records adds (the most, where something is at least a number), so that
every dataset that matches the published numbers is a solution. docs/proofs.md of Foregone has the formulas.
"""
FACTS = "facts.csv        the facts: each is proved, because the unknowns `over` and `under` are proved to be 0\n"
PROVED = "facts.vipr proves that every fact of facts.csv holds in every dataset, and that {number} listed datasets are solutions."
NOTHING = "contradiction.vipr proves that no dataset matches the published numbers."
CEILINGS = "\nceilings.vipr proves, from published numbers alone, that its either-ors (e0l, e0r, ...) give way far enough."


def tables(release: PlainRelease, made: Exported) -> dict[str, Table]:
    """Tables by file name."""
    domain = release.domain
    said = ["constraint", "name", "says"], list(_says(release, made))
    found = {"unknowns.csv": _unknowns(domain, made), "constraints.csv": said}
    if made.facts:
        rows = [[f"o{k}", f"u{k}", *_codes(domain, fact.what), fact.times] for k, fact in enumerate(made.facts)]
        found["facts.csv"] = (["over", "under", *domain.columns, "count"], rows)
    return found


def text(made: Exported) -> str:
    """What is in the folder."""
    certificates = made.certificates
    first, found = next(iter(certificates.items()))
    what = NOTHING if found.goal is None else PROVED.format(number=len(found.solutions))
    what += CEILINGS if len(certificates) > 1 else ""
    return TEXT.format(first=first, what=what, facts=FACTS if made.facts else "")


def _unknowns(domain: PlainDomain, made: Exported) -> Table:
    unknowns = made.model.unknowns
    rows = list[list[object]]()
    for i in range(unknowns.count):
        box = tuple((c, side[i]) for c, side in enumerate(unknowns.cover.sides))
        rows.append([f"x{i}", "yes" if i < unknowns.kept else "no", *_codes(domain, box)])
    return ["unknown", "proved_empty", *domain.columns], rows


def _codes(domain: PlainDomain, box: Box) -> list[str]:
    where = where_of(domain, box)
    named = zip(domain.columns, domain.codes, strict=True)
    return ["" if len(where.get(name, codes)) == len(codes) else "|".join(where[name]) for name, codes in named]


def _says(release: PlainRelease, made: Exported) -> Iterator[list[object]]:
    domain = release.domain
    for constraint, kind, number in made.model.legend:
        if kind == "rule":
            yield [constraint, "", f"no record has {words_of(domain, release.rules[number])}"]
            continue
        about, low, high = release.statistics[number]
        name = release.names[number] if number < len(release.names) else ""
        ends = [f"at least {low}"] if constraint.endswith("l") else [f"at most {high}"] if constraint.endswith("h") else [str(low)]
        yield [constraint, name, f"{_words(domain, about)}: {ends[0]}"]


def _words(domain: PlainDomain, form: Form) -> str:
    parts = [("" if weight == 1 else f"{weight} times ") + (words_of(domain, box) or "all records") for weight, box in form]
    return "; plus ".join(parts)
