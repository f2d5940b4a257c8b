"""What many releases share, as files: domain.json, predicates.csv and rules.csv."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from foregone.formats.folder import domain_json, predicate_cells, read_parts
from foregone.formats.published import WORDS
from foregone.formats.rows import Conditions, header_problems
from foregone.formats.text import csv_text, raise_all, read_rows
from foregone.model.domain import Domain
from foregone.model.shown import shown
from foregone.model.workload import Query, Workload

RELEASE = "release"  # the column of a table of counts with the name of each release


def read_workload(path: Path) -> Workload:
    return Workload(*read_parts(path, "predicates.csv", read_predicates))


def read_predicates(path: Path, domain: Domain) -> tuple[Query, ...]:
    """As statistics.csv, without the numbers; every row has a name, which its column of counts is called by."""
    header, rows = read_rows(path)
    problems = header_problems(path, header, domain, WORDS)
    if "name" not in header:
        problems.append(f"{path}, row 1: there is no column 'name'; counts are found by it, so name every row")
    raise_all(problems)
    conditions = Conditions(header, domain)
    name, table = header.index("name"), header.index("table") if "table" in header else len(header)
    queries = []
    for line, values in rows:
        found: list[str] = []
        predicate = conditions.predicate(values, found)
        problems += [f"{path}, row {line}{problem}" for problem in found]
        queries.append(Query(values[name], [*values, ""][table], predicate))
    problems += name_problems(str(path), zip((line for line, _ in rows), (query.name for query in queries), strict=True))
    raise_all(problems)
    return tuple(queries)


def name_problems(source: str, names: Iterable[tuple[int, str]]) -> list[str]:
    """Names that cannot tell the columns of counts apart."""
    problems, seen = [], {RELEASE: 0}
    for line, name in names:
        place = f"{source}, row {line}, column name"
        if not name:
            problems.append(f"{place}: blank; counts are found by it, so fill it in")
        elif name == RELEASE:
            problems.append(f"{place}: {shown(name)} is the column with the names of releases; choose another name")
        elif name in seen:
            problems.append(f"{place}: {shown(name)} is also the name of row {seen[name]}; give each row its own")
        else:
            for other in (name, f"{name}.low", f"{name}.high"):
                seen.setdefault(other, line)
    return problems


def write_workload(folder: Path, workload: Workload) -> None:
    """domain.json, predicates.csv and, if there are rules, rules.csv."""
    domain = workload.domain
    text = json.dumps(domain_json(domain), indent=1, ensure_ascii=False) + "\n"
    (folder / "domain.json").write_text(text, "utf-8")
    rows: list[list[object]] = [[q.name, q.table, *predicate_cells(q.predicate, domain)] for q in workload.queries]
    (folder / "predicates.csv").write_text(csv_text([*WORDS, *domain.names], rows), "utf-8")
    if workload.rules:
        rules: list[list[object]] = [predicate_cells(rule, domain) for rule in workload.rules]
        (folder / "rules.csv").write_text(csv_text(list(domain.names), rules), "utf-8")
