"""One self-contained page: the study's numbers beside the paper's."""

from __future__ import annotations

import base64
import json
from importlib.resources import files
from typing import Any

from foregone.census.geography import describe
from foregone.census.kind import Kind
from foregone.study import tables
from foregone.study.baseline import Floats
from foregone.study.figures import SET_WORDS
from foregone.study.sample import SETS
from foregone.study.tables import CLAIM_KINDS, EDIT, AllClaims, StudyResults

REMOVED_WORDS = {
    "none": "nothing",
    "1": "counts of 1",
    "0": "counts of 0",
    "0,1": "counts of 0 and of 1",
    EDIT: "nothing, edit rules known",
}


def paper_figures(kind: Kind) -> dict[str, Any]:
    """The published figures about such records; nothing where none are published."""
    source = files("foregone.study").joinpath(f"paper-{kind.name}.json")
    content: dict[str, Any] = json.loads(source.read_text("utf-8")) if source.is_file() else {}
    return content


def page(
    results: StudyResults,
    claims: AllClaims,
    chances: dict[str, Floats],
    images: dict[str, bytes],
    told: list[tuple[str, int, str]],
    settings: dict[str, Any],
) -> str:
    from jinja2 import Environment

    kind = results.kind
    paper = paper_figures(kind)
    template = Environment(autoescape=True, trim_blocks=False).from_string(
        files("foregone.study").joinpath("page.html").read_text("utf-8")
    )
    medians = [median for _, median, _ in results.chosen.medians]
    ablation = _ablation(results, paper)
    noun = f"{kind.records[settings['units']]}s"
    return template.render(
        **settings,
        about=kind.book.about(settings["variant"]),
        queries=len(kind.book.queries(settings["variant"])),
        kind=kind.name,
        noun=noun,
        unit_words=kind.meant[settings["units"]],
        paper=paper,
        median=results.chosen.median,
        medians=(min(medians), max(medians)),
        short=any(len(results.of(which)) < settings["per_state"] * len(medians) for which in SETS),
        widths=list(results.widths),
        names=results.names,
        titles=[(name, results.domain.column(name).title) for name in results.names],
        cards=_cards(results, noun),
        set_rows=_sets(results),
        values=[{"value": v, "mean": mean, "share": share} for v, mean, share in tables.statistics_values(results)[1]][:25],
        household_rows=_households(results, paper),
        baseline_rows=_baseline(results, claims, chances),
        ablation_rows=ablation,
        zeros_free=ablation[2]["total"][0] >= 0.95 * ablation[0]["total"][0],
        combination_rows=_combinations(results, claims, paper),
        whole_rows=_whole(results),
        examples=[(describe(block), k, words) for block, k, words in told],
        image={name: "data:image/png;base64," + base64.b64encode(data).decode() for name, data in images.items()},
    )


def _cards(results: StudyResults, noun: str) -> list[tuple[str, str]]:
    number, size = len(results.chosen.blocks), sum(size for *_, size in results.chosen.blocks)
    first = results.least
    single = sum(results.measured[block].singleton[first] for _, block, _ in results.chosen.blocks)
    having = sum(results.measured[block].singleton[first] > 0 for _, block, _ in results.chosen.blocks)
    return [
        (f"{number:,}", "blocks in the two sets"),
        (f"{size:,}", noun),
        (f"{single:,}", f"singled out by {first} columns ({100 * tables.share(single, size):.0f} %)"),
        (f"{100 * tables.share(having, number):.0f} %", f"of blocks have such a {noun[:-1]}"),
    ]


def _sets(results: StudyResults) -> list[list[Any]]:
    rows: list[list[Any]] = []
    for which in SETS:
        sizes = [size for name, _, size in results.chosen.blocks if name == which]
        rows.append([SET_WORDS[which], len(sizes), sum(sizes), tables.share(sum(sizes), len(sizes))])
    return rows


def _households(results: StudyResults, paper: dict[str, Any]) -> list[dict[str, Any]]:
    _, rows = tables.households(results)
    known = any(m.edit for m in results.measured.values())
    edit = tables.households(results, edit=True)[1] if known else []
    groups = []
    for which in SETS:
        for kind in CLAIM_KINDS:
            mine = [row for row in rows if row[:2] == [which, kind]]
            published = paper["households"][which][kind] if paper else {}
            groups.append(
                {
                    "title": f"{SET_WORDS[which].capitalize()}, {'singleton claims' if kind == 'singleton' else 'all claims'}",
                    "blocks": len(results.of(which)),
                    "total": [row[3] for row in mine],
                    "per_block": [row[4] for row in mine],
                    "edit": [row[3] for row in edit if row[:2] == [which, kind]],
                    "paper": [published.get(str(k)) for k in results.widths],
                }
            )
    return groups


def _baseline(results: StudyResults, claims: AllClaims, chances: dict[str, Floats]) -> list[dict[str, Any]]:
    header, rows = tables.baseline_summary(results, claims, chances)
    at = header.index("median")
    return [
        {
            "set": SET_WORDS[which],
            "prior": prior,
            "medians": [row[at] for row in rows if row[0] == which and row[1] == "singleton" and row[3] == prior],
        }
        for which in SETS
        for prior in chances
    ]


def _ablation(results: StudyResults, paper: dict[str, Any]) -> list[dict[str, Any]]:
    _, rows = tables.ablation(results)
    return [
        {
            "words": REMOVED_WORDS[name],
            "share": next(row[1] for row in rows if row[0] == name),
            "total": [row[3] for row in rows if row[0] == name],
            "paper": paper["ablation"].get(name) if paper else None,
        }
        for name in dict.fromkeys(str(row[0]) for row in rows)
    ]


def _combinations(results: StudyResults, claims: AllClaims, paper: dict[str, Any]) -> list[dict[str, Any]]:
    published = {words: share for entries in paper.get("combinations", {}).values() for words, share in entries}
    return [
        {"k": k, "first": rank == 1, "named": str(words).split(), "share": share, "paper": published.get(words)}
        for k, rank, words, share in tables.combinations(results, claims)[1]
    ]


def _whole(results: StudyResults) -> list[list[Any]]:
    rows: list[list[Any]] = []
    for which in SETS:
        measured = results.of(which)
        answers = [m.unique for m in measured]
        apart = [m.variability for m in measured if m.variability is not None]
        counts = [answers.count(word) for word in ("true", "false", "undecided")]
        rows.append([SET_WORDS[which], len(measured), *counts, tables.share(sum(apart), len(apart))])
    return rows
