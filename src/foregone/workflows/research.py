"""Many releases and the paper's study from Python: `fg.run`, `fg.query` and `fg.study`, as the commands of these names.

What comes back are values that know where the results lie and show themselves in a notebook.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foregone.batch.overview import overview
from foregone.batch.query import answer, checked_sql, grouped
from foregone.batch.run_folder import open_run
from foregone.batch.source import FARTHEST, RunQuestions
from foregone.census.kinds import KINDS
from foregone.census.records import RecordKind
from foregone.census.sources import RunOptions
from foregone.census.subjects import subject_of_run
from foregone.engine import MAX_RECORDS
from foregone.evaluation import ABOUT, STUDY_PAGE
from foregone.evaluation.run import study as whole_study
from foregone.evaluation.run import study_options
from foregone.evaluation.tables import study_summary
from foregone.model.errors import InputError
from foregone.model.families import Groups
from foregone.model.progress import Progress
from foregone.model.shown import shown
from foregone.questions.asked import as_groups
from foregone.workflows.run import Hands, carry_out

if TYPE_CHECKING:
    import pandas as pd

HEAD = 10  # rows of a table that a notebook shows


@dataclass(frozen=True)
class Run:
    """The results of a run in a folder: facts, a summary line of each release, and what failed. Ask it with `fg.query`."""

    path: Path

    def __repr__(self) -> str:
        return f"<Run in {self.path}\n{self.overview}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.overview)}</pre>"

    @cached_property
    def overview(self) -> str:
        """What was found, in a few lines."""
        with open_run(self.path, subject_of_run) as opened:
            return overview(opened)

    @cached_property
    def about(self) -> dict[str, Any]:
        """What run.json says: the command, the settings, the input and the versions."""
        content: dict[str, Any] = json.loads((self.path / "run.json").read_text("utf-8"))
        return content

    @property
    def facts(self) -> pd.DataFrame:
        """Every certain fact, with the id of its release."""
        return query(self.path, sql="SELECT * FROM facts")

    @property
    def summary(self) -> pd.DataFrame:
        """A line for each release: how many records, facts and claims, what is undecided, and seconds of processor time."""
        return query(self.path, sql="SELECT * FROM summary")

    @property
    def failures(self) -> pd.DataFrame:
        """The releases that could not be audited, and why."""
        return query(self.path, sql="SELECT * FROM failures")


@dataclass(frozen=True)
class Study:
    """The results of a study in a folder. `text` is what the command prints; `table` gives any of its files as a data frame."""

    path: Path
    text: str

    def __repr__(self) -> str:
        return f"<Study in {self.path}\n{self.text}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"

    @property
    def page(self) -> Path:
        """The page about it, which needs nothing but itself."""
        return self.path / STUDY_PAGE

    @cached_property
    def about(self) -> dict[str, Any]:
        """What study.json says: the command, the seed, the versions and how long everything took."""
        content: dict[str, Any] = json.loads((self.path / ABOUT).read_text("utf-8"))
        return content

    @property
    def tables(self) -> list[str]:
        """The names of its tables; those of another reading begin with its name."""
        files = [*self.path.rglob("*.csv"), *self.path.rglob("*.parquet")]
        return sorted(file.relative_to(self.path).with_suffix("").as_posix() for file in files)

    def table(self, name: str) -> pd.DataFrame:
        """One of its tables, such as "households", "side_by_side" or "renter-3/ablation"; codes of places stay text.

        Parameters
        ----------
        name : str
            A name that `tables` lists.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas as pd

        if name not in self.tables:
            raise InputError(f"{shown(name)} is not a table of this study; give one of {', '.join(self.tables)}")
        if (parquet := self.path / f"{name}.parquet").is_file():
            return pd.read_parquet(parquet)
        return pd.read_csv(self.path / f"{name}.csv", dtype=dict.fromkeys(("state", "tract", "block", "removed"), str))


def run(
    source: str | Path,
    out: str | Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    shard: str | None = None,
    limit: int | None = None,
    state: str | None = None,
    time_limit: float | None = None,
    memory: float | None = None,
    subject: str = "household",
    variant: str = "official",
    tables: Iterable[str] = (),
    rules: str = "none",
    units: str | None = None,
    groups: Groups | str = Groups.PUBLISHED,
    unique: bool = False,
    farthest: bool = False,
    farthest_limit: float = FARTHEST,
    prior_table: str | Path | None = None,
    max_records: int = MAX_RECORDS,
    retry_failed: bool = False,
    progress: Progress | None = None,
) -> Run:
    """Audit many releases, or every block of a census file, and keep the results in a folder. Called again, it continues.

    Parameters
    ----------
    source : str or Path
        A unit or person file, a folder of releases, or a table of releases.
    out : str or Path
        The folder of the run.
    workers : int, optional
        Processes on this machine; all cores if not given.
    scheduler : str, optional
        The address of a Dask cluster, instead of `workers`.
    shard : str, optional
        "I/N" does share I of N.
    limit : int, optional
        Only the first so many blocks, in the order of their codes.
    state : str, optional
        Only the blocks of one state, two digits.
    time_limit : float, optional
        Seconds for each release; what is not decided by then is undecided.
    memory : float, optional
        Gigabytes for each worker.
    subject : str
        "household" or "person": what the records of a census file are.
    variant, tables, rules, units
        Which tables are published about a block, as for the command.
    groups : str
        "published": claims also name groups of values wherever tables do; "none": single values only.
    unique : bool
        Also tell whether only one dataset fits each release.
    farthest : bool
        With `unique`: also look for two datasets that are as far apart as possible.
    farthest_limit : float
        Seconds of processor time that this may take for each release.
    prior_table : str or Path, optional
        What a guesser would guess from, for the columns `chance`, `guess` and `modal` of the facts: a CSV file with some of the
        columns and `weight`, or records; of a census file also "tract" or "state".
    max_records : int
        A release with more kinds of possible record fails.
    retry_failed : bool
        Do parts with failed or undecided releases again.
    progress : callable, optional
        Called with what is being done, how much of it is done, and how much there is.

    Returns
    -------
    Run

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError. Also a folder that holds another run.
    """
    kind = _kind(subject, rules, units)
    _enough(workers=(workers, 1), limit=(limit, 1), max_records=(max_records, 1), time_limit=(time_limit, 0), memory=(memory, 0.1))
    options = RunOptions(kind.book.choose(variant, tables), rules, units or kind.units, state, limit, subject)
    hands = Hands(workers, scheduler, shard, time_limit, memory, retry_failed)
    asked = RunQuestions(True, unique, as_groups(groups), farthest_limit if farthest else None, max_records, str(prior_table or ""))
    if farthest and not unique:
        raise InputError("--farthest goes with --unique; set both, or leave out --farthest")
    telling: dict[str, Any] = {"progress": progress} if progress else {}
    carry_out(Path(source), Path(out), options, asked, hands, None, **telling)
    return Run(Path(out))


def _kind(subject: str, rules: str, units: str | None) -> RecordKind:
    """What the records of a census file are; refuses words that it does not know."""
    if subject not in KINDS:
        raise InputError(f"--subject {shown(subject)}: use one of {', '.join(KINDS)}")
    kind = KINDS[subject]
    known = {"rules": (rules, ["none", *(["edit"] if kind.edited else [])]), "units": (units or kind.units, list(kind.records))}
    problems = [f"--{name} {shown(word)}: use {' or '.join(words)}" for name, (word, words) in known.items() if word not in words]
    if problems:
        raise InputError(problems)
    return kind


def _enough(**given: tuple[float | None, float]) -> None:
    """Refuse numbers below the least that makes sense; what is not given is None."""
    few = {name: ends for name, ends in given.items() if ends[0] is not None and not ends[0] >= ends[1]}
    if few:
        raise InputError([f"--{name.replace('_', '-')} {number}: give {least} or more" for name, (number, least) in few.items()])


def query(run: Run | str | Path, *, by: str | None = None, columns: int | None = None, sql: str | None = None) -> pd.DataFrame:
    """Ask a run who is singled out, and where.

    Parameters
    ----------
    run : Run, str or Path
        A run, or its folder.
    by : str, optional
        "state", "county", "tract", "size" or "k" (the number of attributes told, or more).
    columns : int, optional
        With `by`: only facts that tell so many attributes or more.
    sql : str, optional
        One SELECT over the tables facts, summary and failures, instead of `by`.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    InputError
        A folder that holds no run, or a question that cannot be asked of it; it is a ValueError.
    """
    if (by is None) == (sql is None):
        raise InputError("--by and --sql are two different questions; give one of them")
    if columns is not None and by in (None, "k"):
        raise InputError("--columns goes with --by state, county, tract or size")
    with open_run(run.path if isinstance(run, Run) else Path(run), subject_of_run) as opened:
        text = grouped(opened, by, columns) if by is not None else checked_sql(opened, sql or "")
        opened.seal()
        found = answer(opened, text)
        import pandas as pd

        return pd.DataFrame(found.rows, columns=list(found.header))


def study(
    source: str | Path,
    out: str | Path,
    *,
    subject: str = "household",
    variant: str | None = None,
    tables: Iterable[str] = (),
    per_state: int = 5,
    min_columns: int | None = None,
    engine: str = "cells",
    solver: str = "highs",
    solutions: int | None = None,
    big_m: bool = False,
    rules: str = "none",
    units: str | None = None,
    territories: bool = False,
    experiments: int = 0,
    seed: int = 0,
    workers: int | None = None,
    time_limit: float | None = None,
    protect: bool = False,
    likely: bool = False,
    progress: Progress | None = None,
) -> Study:
    """The paper's whole study on one census file: a sample of blocks, every table and figure, and a page, in a new folder.

    Parameters
    ----------
    source : str or Path
        A unit or person file (csv, gz or zip), or Parquet made of it by `foregone census ingest`.
    out : str or Path
        A new folder.
    subject : str
        "household" or "person".
    variant : str, optional
        Which tables; if not given, every reading that could be the paper's, side by side.
    tables : iterable of str
        Only these tables, such as "H13*".
    per_state : int
        Blocks per state in each of the two sets.
    min_columns : int, optional
        Only claims that name so many columns or more (households: 6, persons: 1).
    engine, solver, solutions, big_m
        "cells" is exact and complete; "onehot" is the paper's own method, with a solver, a number of datasets to generate, and its
        big-M form.
    rules : str
        "edit": also show what is certain when the edit rules of the census are known.
    units : str, optional
        "households", "all" housing units, or "untied": all of them, and nothing is known beside the tables, as in the paper's
        program.
    territories : bool
        Also draw from the District of Columbia and the territories.
    experiments : int
        Blocks for each experiment on what differs from the paper; 0 leaves them out.
    seed : int
        Decides which blocks are drawn.
    workers : int, optional
        Processes; all cores if not given.
    time_limit : float, optional
        Seconds for each audit.
    protect : bool
        Also find which tables could still be published.
    likely : bool
        Also look beyond what is certain: how far shares of datasets can be relied on, and what a register makes of it.
    progress : callable, optional
        Called with what is being done, how much of it is done, and how much there is.

    Returns
    -------
    Study

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError. Also a folder that is there already.
    """
    _kind(subject, rules, units)
    _enough(
        per_state=(per_state, 1), experiments=(experiments, 0), seed=(seed, 0), workers=(workers, 1), time_limit=(time_limit, 0)
    )
    if engine not in ("cells", "onehot"):
        raise InputError(f"--engine {shown(engine)}: use cells or onehot")
    if engine == "cells" and (solver != "highs" or solutions is not None or big_m):
        raise InputError("--solver, --solutions, --big-m: are for --engine onehot; set that, or leave them out")
    _enough(solutions=(solutions, 1))
    options = study_options(
        subject,
        variant,
        tables,
        per_state=per_state,
        min_columns=min_columns,
        engine=engine,
        rules=rules,
        units=units,
        seed=seed,
        workers=workers,
        time_limit=time_limit,
        solver=solver,
        protect=protect,
        likely=likely,
        territories=territories,
        solutions=solutions,
        big_m=big_m,
        experiments=experiments,
    )
    found = whole_study(Path(source), Path(out), options, progress)
    return Study(Path(out), study_summary(found, Path(out)))
