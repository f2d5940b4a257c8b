"""Beyond certain: how many datasets fit and in what share of them a claim holds; and what a register makes of a release."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from foregone.cli import options as opt
from foregone.cli.answers import rows_of_table, tell
from foregone.cli.options import argument, option, seconds
from foregone.cli.progress import slow
from foregone.cli.show import note, say, say_assumptions
from foregone.model.errors import InputError


def likely(
    release: opt.ReleasePath,
    claim: Annotated[
        str | None, argument("[CLAIM]", "Attribute values, such as 'SEX=F, AGE=65-74|75-84'; without: what is most likely.")
    ] = None,
    count: Annotated[int | None, option("--count", "How many records match, says the claim (1 if not given).", min=0)] = None,
    prior: Annotated[
        str,
        option(
            "--prior",
            "How datasets are weighed: uniform (lists of records alike), histograms (datasets alike), polya:A (an urn, neighbours"
            " are alike), or a CSV file with some of the columns and `weight`.",
            metavar="uniform|histograms|polya:A|FILE",
        ),
    ] = "uniform",
    prior_table: opt.PriorTable = None,
    out: Annotated[
        Path | None, option("--out", "Write the claims and their shares here; the ending picks csv, parquet or json.")
    ] = None,
    proofs: Annotated[
        Path | None, option("--proofs", "Write the counts here (.json) for `foregone check`, which counts again by itself.")
    ] = None,
    time: Annotated[float, seconds("How long to count and, where that is too much work, to sample.", "--seconds")] = 10.0,
    seed: Annotated[int, option("--seed", "The same seed draws the same samples.", min=0)] = 0,
    max_records: opt.MaxRecords = opt.LIMIT,
) -> None:
    """How many datasets fit, and in what share of them a claim holds.

    All datasets that fit are counted, exactly, and weighed by a prior; where there are too many they are sampled, and the answer
    says so. Shares are computed; of a small release `foregone check` counts them again. Exit 3: neither was possible.
    """
    from foregone.counting.answer import likely as shares_of
    from foregone.engine import write_document
    from foregone.formats.claims import check_suffix, write_answer
    from foregone.formats.outputs import check_outputs
    from foregone.model.sentences import plural
    from foregone.questions.asked import as_release
    from foregone.questions.baseline import as_guesser

    opt.check_count(count)
    if claim is None and count is not None:
        raise InputError("--count belongs to a claim; name the values that so many records have, or leave it out")
    if out is not None:
        check_suffix(out)
    check_outputs([release, prior_table, *([] if not Path(prior).is_file() else [Path(prior)])], {"--out": out, "--proofs": proofs})
    published = as_release(release)
    shares = Path(prior).is_file() and prior_table is None  # whoever knows the prior can guess from it
    table = as_guesser(Path(prior) if shares else prior_table, published.domain) if shares or prior_table is not None else None
    with slow("Counting datasets"):
        found = shares_of(published, claim, prior=prior, count=count, seconds=time, table=table, seed=seed, max_records=max_records)
    tell(found.json)
    for line in found.lines():
        say(line)
    say_assumptions(release)
    if out is not None:
        write_answer(out, found)
        say(f"{len(found):,} {plural('claim', len(found))} written to {out}.")
    if proofs is not None:
        write_document(found.document(), proofs)
        say(f"Counts written to {proofs}; `foregone check` counts again where the release is small.")


Assumed = StrEnum("Assumed", ["tables-in-register", "register-in-tables", "both"])


def link(
    release: opt.ReleasePath,
    register: Annotated[Path, argument("REGISTER", "A CSV file of people, with some of the columns of the release.")],
    on: Annotated[str, option("--on", "The columns that the release and the register have in common.", metavar="SEX,AGE")],
    assume: Annotated[
        Assumed, option("--assume", "Who is in which: everybody in the tables is in the register, or the reverse, or both.")
    ],
    out: Annotated[Path, option("--out", "Write the register with what was found here; the ending picks csv, parquet or json.")],
    time_limit: opt.TimeLimit = None,
    max_records: opt.MaxRecords = opt.LIMIT,
) -> None:
    """Who in a register is matched with certainty, and what is learnt.

    Adds to every row of the register: matched, learnt (column=value), count (of records with these values, where it is certain) and
    ground. What follows depends on the assumption, which is said with it.
    """
    from foregone.formats.claims import check_suffix, write_answer
    from foregone.formats.outputs import check_outputs
    from foregone.questions.link import link as linked

    check_suffix(out)
    check_outputs([release, register], {"--out": out})
    with slow("Linking"):
        found = linked(release, register, on, assume.value, time_limit=time_limit, max_records=max_records)
    write_answer(out, found)
    told = {"assume": assume.value, "persons": len(found), "matched": found.matched, "learnt_about": found.learning}
    tell(**told, contradictions=found.contradictions, rows=rows_of_table(found))
    say(found.summary())
    for line in found.contradictions[:10]:
        note(line, "warning")
    if len(found.contradictions) > 10:
        note(f"{len(found.contradictions) - 10:,} more contradictions like these", "warning")
    say_assumptions(release)
    say(f"Written to {out}. A match is one of values: that the record is about this person rests on the assumption.")
