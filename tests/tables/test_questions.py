"""Every kind of question is asked about some file, and each of its answers, as the layout file has it, is taken and leads on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from foregone.model.errors import InputError
from foregone.tables.importing import NotImported, read_tables
from foregone.tables.layout_file import read_layout
from foregone.tables.reading.question import Reads, TableQuestion
from foregone.tables.reading.sentences import choice_lines
from tests.tables import test_easily_misread, test_hardly_counts, test_shapes

FILES: dict[str, dict[str, str]] = {
    **{f"hardly: {what}": {"t.csv": text} for what, (text, _) in test_hardly_counts.ASKED.items()},
    **{f"shapes: {what}": {file: text} for what, (file, text, *_) in test_shapes.ASKED.items()},
    **{f"misread: {what}": {file: text} for what, (file, text, _) in test_easily_misread.ASKED.items()},
    "no headings": {"t.txt": test_hardly_counts.HEADLESS},
    "files of the same shape": {
        "june.csv": "Town,Male,Female\nAmbridge,31,29\nDarrington,41,38\n",
        "july.csv": "Town,Male,Female\nAmbridge,35,20\nDarrington,44,31\n",
    },
    "a last total below regions": {
        "t.csv": "Place,Male,Female\nNorth,,\nTown,3,4\nVillage,1,2\nSouth,,\nTown,5,6\nVillage,0,0\nTotal,9,12\n",
    },
    "numbers that may be labels": {"t.csv": "Town,Ward,Male,Female\nAmbridge,12,3,4\nDarrington,15,5,6\nHassett,19,7,2\n"},
    "percentages of either": {"t.csv": "Town,Male n,Male %,Female n,Female %\nA,10,50,10,50\nB,10,50,10,50\n"},
    "the same labels below two names": {
        "one.csv": "Town,Male,Female\nAmbridge,3,9\nDarrington,2,8\n",
        "two.csv": "Birthplace,0-17,18+\nAmbridge,4,9\nDarrington,5,4\n",
    },
    "labels of one file only": {
        "one.csv": "Town,Male,Female\nAmbridge,3,4\nDarrington,5,6\nHassett,1,2\n",
        "two.csv": "Town,Male,Female\nAmbridge,3,4\nElsewhere,6,8\n",
    },
    "headings that stand twice": {
        "t.csv": ",2021,2021,2022,2022\nSchool,Pupils,Share,Pupils,Pupils\nA,12,50.1,14,15\nB,31,49.9,30,31\nC,7,48.0,9,9\n",
    },
    "sums of others": {"t.csv": "Kind,Number\nA,3\nB,4\nAB,7\nC,20\nD,1\nCD,21\n"},
    "labels of several levels": {
        "births.csv": "Area,Boys,Girls\nBorsetshire,700,811\nAmbridge,112,131\nWest,400,458\nLoxley,255,298\nEast,300,353\n"
        "Felpersham,145,160\nDarrington,188,222\n",
    },
    "a total that two columns can be left out of": {
        "t.csv": "Age,Male,Female,Staff,Guests,Total\n0-17,3,4,5,5,12\n18+,7,6,9,9,22\n",
    },
}


def asked(paths: list[Path], layout: Path | None = None) -> tuple[tuple[TableQuestion, ...], str]:
    """What is asked about files, and the layout so far; nothing where they are read."""
    try:
        read_tables(paths, layout=read_layout(layout) if layout else None)
    except NotImported as error:
        if not error.questions:
            raise
        return error.questions, error.layout
    return (), ""


def answered(layout: str) -> Iterator[tuple[int, int, str]]:
    """The layout so far with one answer to one question, each in turn: its numbers and the text."""
    lines = layout.split("\n")
    starts = [i for i, line in enumerate(lines) if line.startswith("# Question: ")]
    for number, start in enumerate(starts):
        choices: list[list[int]] = []
        for i in range(start + 1, len(lines)):
            if not lines[i].startswith("#"):
                break
            if lines[i].startswith("#   "):
                choices.append([])
            else:
                choices[-1].append(i)
        for choice, taken in enumerate(choices):
            assert taken, (lines[start], choice)  # an answer without a line
            yield number, choice, "\n".join(line[1:] if i in taken else line for i, line in enumerate(lines))


def refused_or_asked(paths: list[Path], layout: Path) -> tuple[tuple[TableQuestion, ...], str]:
    """What is asked after an answer; or what is said where nothing could be read."""
    try:
        return asked(paths, layout)[0], ""
    except InputError as error:
        return (), " ".join(error.problems)


def written(folder: Path, what: str) -> list[Path]:
    paths = [folder / name for name in FILES[what]]
    for path, text in zip(paths, FILES[what].values(), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def test_every_kind_of_reading_is_among_the_answers(tmp_path: Path) -> None:
    seen = {choice.reads for what in FILES for question in asked(written(tmp_path, what))[0] for choice in question.choices}
    assert seen == set(Reads)


@pytest.mark.parametrize("what", FILES)
def test_each_answer_is_taken_and_leads_on(tmp_path: Path, what: str) -> None:
    paths = written(tmp_path, what)
    questions, layout = asked(paths)
    tables = [*dict.fromkeys(question.table for question in questions)]
    in_order = [question for table in tables for question in questions if question.table == table]
    assert questions
    given = tmp_path / "layout.toml"
    tried = 0
    for number, choice, text in answered(layout):
        given.write_text(text, encoding="utf-8")
        question = in_order[number]
        further, wrong = refused_or_asked(paths, given)
        promised = ("is left out, as the layout says",) if question.choices[choice].reads == Reads.LEFT_OUT else ()
        assert not wrong or any(words in wrong for words in (*promised, "means is not known")), wrong
        again = [(other.table, other.place, other.kind) for other in further]
        assert (question.table, question.place, question.kind) not in again, (question.place, choice)
        tried += 1
    assert tried == sum(len(question.choices) for question in questions)


def test_a_measure_makes_answers_about_the_columns_void(tmp_path: Path) -> None:
    """Who has said that a column is no total, and takes one measure then, need not take the first line back."""
    path, given = tmp_path / "t.csv", tmp_path / "layout.toml"
    path.write_text("sex,remand,sentenced,prisoners\nMale,28,49,77\nFemale,3,8,11\n", encoding="utf-8")
    (first,), _ = asked([path])
    value = next(choice for choice in first.choices if choice.reads == Reads.VALUE)
    (second,), _ = read_after(path, given, choice_lines(value))
    measure = next(choice for choice in second.choices if choice.reads == Reads.MEASURES)
    given.write_text("\n".join(['[[table]]\nname = "t"', *choice_lines(value), *choice_lines(measure)]), encoding="utf-8")
    assert read_tables([path], layout=read_layout(given)).records == "31 records"


def read_after(path: Path, given: Path, lines: Sequence[str]) -> tuple[tuple[TableQuestion, ...], str]:
    given.write_text("\n".join(['[[table]]\nname = "t"', *lines]), encoding="utf-8")
    return asked([path], given)


def test_columns_that_were_named_can_still_be_measures(tmp_path: Path) -> None:
    path, given = tmp_path / "t.csv", tmp_path / "layout.toml"
    path.write_text("Town,Cases,Deaths\nA,30,4\nB,41,9\nC,22,1\n", encoding="utf-8")
    assert read_after(path, given, ['numbers = ["B", "C"]'])[0]
    assert not read_after(path, given, ['numbers = ["B", "C"]', 'measure = "Deaths"'])[0]


def test_a_number_of_which_digits_were_cut_is_a_range(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Sex,People\nMale,1.14e+07\nFemale,10700123\n", encoding="utf-8")
    assert read_tables([path]).records == "22,050,123 to 22,150,123 records"


def test_a_measure_is_not_taken_for_a_longer_one(tmp_path: Path) -> None:
    path, given = tmp_path / "t.csv", tmp_path / "layout.toml"
    heads = "Town,Partly or fully vaccinated,fully vaccinated,% fully vaccinated\n"
    path.write_text(heads + "A,31,29,90%\nB,42,30,71%\nC,25,20,80%\n", encoding="utf-8")
    assert not read_after(path, given, ['measure = "fully vaccinated"'])[0]
    assert read_tables([path], layout=read_layout(given)).records == "79 records"


def test_an_answer_about_columns_leaves_a_list_of_variables_what_it_is(tmp_path: Path) -> None:
    path, given = tmp_path / "t.csv", tmp_path / "layout.toml"
    rows = "group,subgroup,NO_COUNT,SO_COUNT\nCitywide,Citywide,37,21\nAge,0-17,10,5\nAge,18+,26,16\nSex,F,20,11\nSex,M,17,10\n"
    path.write_text(rows, encoding="utf-8")
    lines = ['totals = {"Age" = ["Citywide"]}', 'exclusive = ["t columns"]']
    further, _ = read_after(path, given, lines)
    assert {question.table for question in further} <= {"t-2"}
