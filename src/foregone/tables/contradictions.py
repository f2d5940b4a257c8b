"""Imported tables that cannot all be true: which cells of which files, and which token's meaning would let them fit."""

from __future__ import annotations

from collections.abc import Iterator

from foregone.engine import start
from foregone.model.errors import ContradictionError, InputError, TooLargeError, UndecidedError
from foregone.model.marks import range_text
from foregone.model.release import Release
from foregone.model.shown import shown
from foregone.model.statement import Statistic
from foregone.questions.ask import bounds
from foregone.rules.rule import CountRange
from foregone.tables.build import Standing
from foregone.tables.importing import Imported
from foregone.tables.reading.sentences import toml_value
from foregone.tables.values import ANY

PATIENCE = 30.0  # seconds to find out whether the tables fit together
MOST_SHOWN = 12


def check_tables(imported: Imported, time_limit: float = PATIENCE) -> str:
    """Raise ContradictionError with cells when no dataset fits; a remark when that could not be decided."""
    try:
        start(imported.release, time_limit)
    except ContradictionError as error:
        if not error.conflict:
            raise
        raise ContradictionError(_lines(imported, error), error.conflict, error.smallest) from None
    except (UndecidedError, TooLargeError):
        return "Whether the tables fit together was not decided in the time allowed."
    return ""


def _lines(imported: Imported, error: ContradictionError) -> list[str]:
    release = imported.release
    cells = []
    for i in error.conflict[:MOST_SHOWN]:
        at = _standing(imported, i)
        meant = release.statistics[i].range_text if i < len(release.statistics) else at.shown
        cells.append(f"{at.place.text}: {shown(at.shown)}" + ("" if at.shown == meant else f", {meant}"))
    if len(error.conflict) > MOST_SHOWN:
        cells.append(f"and {len(error.conflict) - MOST_SHOWN} more")
    kind = "no dataset has all of these" if error.smallest else "no dataset has all of these (perhaps fewer already conflict)"
    tables = _tables(imported, error.conflict)
    which = f"table {tables[0]} contradicts itself" if len(tables) == 1 else f"the tables {_and(tables)} contradict each other"
    return [f"{which}; {kind}: {'; '.join(cells)}", *_remedies(imported, error.conflict)]


def _tables(imported: Imported, conflict: tuple[int, ...]) -> list[str]:
    """The tables that the numbers of a conflict are from."""
    names = (_standing(imported, i).name.rpartition(".")[0] for i in conflict)
    return list(dict.fromkeys(names))


def _and(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _standing(imported: Imported, index: int) -> Standing:
    """Where the published number stands that makes a statement: the rows of the release and `standing` are in one order."""
    row = imported.release.row_of(index)
    assert row is not None, "an imported release has no statements of its own"
    return imported.standing[row]


def _remedies(imported: Imported, conflict: tuple[int, ...]) -> list[str]:
    """For each token in the conflict: what it would have to mean there."""
    found = []
    counts = [i for i in conflict if i < len(imported.release.statistics)]
    for token in dict.fromkeys(imported.standing[i].shown for i in counts if imported.standing[i].token):
        relaxed = _relaxed(imported, token)
        try:
            start(relaxed, PATIENCE)
            needed, spans = [], [(s.low, s.high) for s, at in _counted(imported) if at.shown == token]
            for i in counts:
                if imported.standing[i].shown == token:
                    low, high = bounds(relaxed, relaxed.statistics[i].predicate, time_limit=PATIENCE)
                    spans.append((low, high))
                    needed.append(f"{range_text(low, high)} in {imported.standing[i].place.text}")
        except ContradictionError:
            continue
        except (InputError, UndecidedError, TooLargeError):
            continue
        found.append(
            f"they would fit if {shown(token)} meant something else: it would have to be {' and '.join(needed)};"
            f" say {_option(imported, token, spans)}"
        )
    if not found:
        tables = _tables(imported, conflict)
        tokens = any(at.token for at in imported.standing)
        also = ", and whether the tables are about the same people" if len(tables) > 1 else ""
        found.append(f"{'no other meaning of a token makes them fit: ' if tokens else ''}check these cells{also}")
        found += [_apart(tables)] if len(tables) > 1 else []
    return found


def _apart(tables: list[str]) -> str:
    """What to write into the layout file if the tables count different people."""
    each = " ".join(f'[[table]] name = {toml_value(name)} fixed = {{"counted in" = {toml_value(name)}}}' for name in tables)
    return (
        f"if they count different people, say so in the layout file: {each};"
        f" or leave one of them out: [[table]] name = {toml_value(tables[-1])} leave_out = true"
    )


def _option(imported: Imported, token: str, spans: list[tuple[int, int | None]]) -> str:
    """The meaning to try: what the token means now and what it would have to mean, if the tables fit then."""
    highs = [high for _, high in spans]
    counts = CountRange(min(low for low, _ in spans), None if None in highs else max(high for high in highs if high is not None))
    try:
        start(_relaxed(imported, token, counts), PATIENCE)
    except (InputError, UndecidedError, TooLargeError):
        return "--token"
    return f"--token '{token}={counts.text}'"


def _counted(imported: Imported) -> Iterator[tuple[Statistic, Standing]]:
    return zip(imported.release.statistics, imported.standing, strict=False)


def _relaxed(imported: Imported, token: str, counts: CountRange = ANY) -> Release:
    """The release if the token could mean any number, or any of these counts."""
    statistics = [
        statistic.known(counts.low, counts.high, withheld=False) if at.shown == token else statistic
        for statistic, at in _counted(imported)
    ]
    return imported.release.changed(statistics=statistics)
