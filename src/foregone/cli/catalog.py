"""Every command in one table: where it is, what it does in a line, and how it is typed.

Lists of commands are made from this table alone, so that `foregone --help` loads none of them; a command is loaded when it runs.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A command: its name, the function behind it as `module:name` (none for a group), a line about it, and examples."""

    name: str
    function: str
    line: str
    examples: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()  # options that may stand without a value
    answers: bool = True  # has --json; a command that only serves has no answer


Sections = dict[str, tuple[Entry, ...]]

COMMANDS: Sections = {
    "Begin": (
        Entry(
            "demo",
            "foregone.cli.census:demo",
            "Show what the tables of a synthetic census block give away.",
            ("foregone demo", "foregone demo --textbook --page textbook.html"),
        ),
        Entry(
            "serve",
            "foregone.cli.serve:serve",
            "Open the workbench: see a sheet, click numbers away, publish it.",
            ("foregone serve", "foregone serve tables/", "foregone serve by_age.csv by_town.csv --no-browser"),
        ),
        Entry(
            "help",
            "foregone.cli.help:help_",
            "Read about a topic, such as policy or exit-codes.",
            ("foregone help", "foregone help policy"),
        ),
    ),
    "Bring in your tables": (
        Entry(
            "import",
            "foregone.cli.tables:import_",
            "Make a release from spreadsheets, lists and statistical files.",
            (
                "foregone import by_age.csv by_town.csv --out clinic --record patient --token '*=1..4'",
                "foregone import hospitals.xlsx --rule nhs-hes --out hospitals",
            ),
        ),
        Entry(
            "tabulate",
            "foregone.cli.tables:tabulate",
            "Make a release from your own records, as tables of counts.",
            (
                "foregone tabulate people.csv --margins SEX,AGE --margins AGE,TOWN --out release",
                "foregone tabulate people.csv --margins SEX,AGE --rule round:5 --out rounded",
            ),
        ),
        Entry(
            "join",
            "foregone.cli.tables:join",
            "Combine several releases about overlapping people into one.",
            ("foregone join june july --people joined --out both",),
        ),
        Entry(
            "rules",
            "foregone.cli.tables:rules",
            "List the release rules, or what values mean under one.",
            ("foregone rules", "foregone rules nhs-hes"),
        ),
    ),
    "See what is certain": (
        Entry(
            "audit",
            "foregone.cli.audit:audit",
            "Find every certain claim of a release, and who is singled out.",
            (
                "foregone audit release --out claims.csv",
                "foregone audit release --policy policy.toml",
                "foregone audit release --hide by_age.D4 --round 5",
            ),
        ),
        Entry(
            "report",
            "foregone.cli.report:report",
            "Write a page: who is singled out, and the numbers that force it.",
            (
                "foregone report release --out report.html",
                "foregone report release --out report.html --gate policy.toml",
            ),
        ),
        Entry(
            "explain",
            "foregone.cli.questions:explain",
            "Show the few published numbers that force a claim.",
            ("foregone explain release 'SEX=F, AGE=65-74' --count 1",),
        ),
        Entry(
            "verify",
            "foregone.cli.questions:verify",
            "Is it certain that exactly --count records match?",
            (
                "foregone verify release 'SEX=F, AGE=65-74' --count 1",
                "foregone verify release 'SEX=F, AGE=65-74' --count 2 --possible",
            ),
        ),
        Entry(
            "bounds",
            "foregone.cli.questions:bounds",
            "The least and the greatest number of records that can match.",
            (
                "foregone bounds release 'SEX=F, AGE=65-74|75-84'",
                "foregone bounds release --hidden --out intervals.csv",
            ),
        ),
        Entry(
            "unique",
            "foregone.cli.questions:unique",
            "Does only one dataset fit? If not, show two that differ much.",
            ("foregone unique release", "foregone unique release --proofs unique.json"),
        ),
        Entry(
            "generate",
            "foregone.cli.questions:generate",
            "Write several different datasets that all fit the release.",
            ("foregone generate release -k 20 --out datasets",),
        ),
    ),
    "Beyond certain": (
        Entry(
            "likely",
            "foregone.cli.likely:likely",
            "How many datasets fit, and in what share of them a claim holds.",
            (
                "foregone likely release",
                "foregone likely release 'SEX=F, AGE=65-74' --count 1 --prior polya:10",
                "foregone likely release --prior state.csv --out likely.csv",
            ),
        ),
        Entry(
            "link",
            "foregone.cli.likely:link",
            "Who in a register is matched with certainty, and what is learnt.",
            ("foregone link release register.csv --on SEX,AGE --assume register-in-tables --out matches.csv",),
        ),
    ),
    "Protect and prove": (
        Entry(
            "protect",
            "foregone.cli.protect:protect",
            "Withhold the least that keeps a policy, and prove it is the least.",
            (
                "foregone protect release --out protected",
                "foregone protect release --columns 2 --out protected",
                "foregone protect release --policy policy.toml --keep N --out protected --proofs certificate.json",
            ),
            ("--proofs",),
        ),
        Entry(
            "publish",
            "foregone.cli.publish:publish",
            "Write the imported files back, marked, ready to publish.",
            ("foregone publish protected --files to-publish",),
        ),
        Entry(
            "review",
            "foregone.cli.publish:review",
            "Make a sheet for whoever signs a release off.",
            (
                "foregone review protected --out sheet.html",
                "foregone review protected --accept --name 'A. Reviewer' --reason 'as agreed' --out sheet.html",
            ),
        ),
        Entry(
            "check",
            "foregone.cli.check:check",
            "Check a file of proofs, exactly and without any solver.",
            (
                "foregone check release proofs.json",
                "foregone check release proofs.json --complete",
                "foregone check release proofs.json --export vipr certificates",
            ),
        ),
    ),
    "Many releases": (
        Entry(
            "run",
            "foregone.cli.run:run",
            "Audit many releases, or every block of a census file.",
            ("foregone run units.parquet --out RUN", "foregone run releases/ --out RUN --workers 4"),
        ),
        Entry(
            "query",
            "foregone.cli.run:query",
            "Ask a finished run who is singled out, and where.",
            ("foregone query RUN", "foregone query RUN --by state --out states.csv"),
        ),
        Entry(
            "census",
            "",
            "Census files: households and persons, block by block.",
            ("foregone census synth --out units.csv", "foregone census study units.parquet --out STUDY"),
        ),
    ),
    "Other": (
        Entry(
            "solvers",
            "foregone.cli.questions:solvers",
            "List the solvers that --engine onehot can use.",
            ("foregone solvers",),
        ),
    ),
}

CENSUS: Sections = {
    "Commands": (
        Entry(
            "tables",
            "foregone.cli.census:tables",
            "List the block-level tables, or show one of them.",
            ("foregone census tables", "foregone census tables --table P20"),
        ),
        Entry(
            "synth",
            "foregone.cli.census:synth",
            "Write a synthetic census file. Nobody in it is real.",
            ("foregone census synth --out units.csv", "foregone census synth --subject person --out persons.csv --states 1"),
        ),
        Entry(
            "ingest",
            "foregone.cli.census:ingest",
            "Check a census file row by row and store it as Parquet.",
            ("foregone census ingest units.csv --out units.parquet",),
        ),
        Entry(
            "release",
            "foregone.cli.census:release",
            "Publish the tables of a block or a tract as a release.",
            (
                "foregone census release units.parquet 010010201001000 --out block",
                "foregone census release units.parquet 01 --each --out releases.parquet",
            ),
        ),
        Entry(
            "study",
            "foregone.cli.census:study",
            "Run the paper's whole study on one census file.",
            ("foregone census study units.parquet --out STUDY",),
        ),
        Entry(
            "variability",
            "foregone.cli.census:variability",
            "Is each block determined? If not, how far can datasets differ?",
            ("foregone census variability persons.csv --tract-tables --out VARIABILITY",),
        ),
    ),
}
