"""Shapes that are easily misread, with made-up numbers: each is read right, asked about, or refused with a reason."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from foregone.tables.importing import NotImported, read_tables
from foregone.tables.layout_file import GivenLayout, with_choice
from foregone.tables.reading.question import Reads

DAYS = [f"2021-03-{day:02d}" for day in range(1, 13)]
COUNTS = [31, 44, 29, 52, 61, 40, 33, 58, 47, 36, 42, 55]


def listed(heads: str, *columns: Sequence[object]) -> str:
    return heads + "\n" + "".join(",".join(map(str, row)) + "\n" for row in zip(*columns, strict=True))


# what is written; how many numbers and records it becomes, and words that are said
READ: dict[str, tuple[str, int, str, str]] = {
    "words left of an empty column name the rows": (
        "id,campus,,lat,lon,2019,2020,2021\n"
        "a1,Ambridge,,40.07,-80.96,310,325,330\na2,Darrington,,41.12,-81.02,205,211,198\na3,Penny Hassett,,39.5,-82.1,98,120,131\n",
        9,
        "the same ones counted again",
        "campus in rows",
    ),
    "of several times the finest": (
        listed(
            "year,week,yrwk,date,new_cases",
            [2020] * 6 + [2021] * 6,
            [*range(8, 14)] * 2,
            [f"202{y}-{w:02d}" for y in (0, 1) for w in range(8, 14)],
            DAYS,
            COUNTS,
        ),
        12,
        "528 records",
        "column A (year) is left out: it follows from column D (date)",
    ),
    "a column of labels right of the counts": (
        "Town,Patients,Sex\nAmbridge,12,Male\nAmbridge,9,Female\nDarrington,31,Male\nDarrington,28,Female\n",
        4,
        "80 records",
        "list of Town x Sex",
    ),
    "ages as programs write them": (
        "town,age_0_17,age_18_64,age_65up\nAmbridge,12,33,9\nDarrington,31,40,28\nPenny Hassett,4,25,13\n",
        9,
        "195 records",
        "age_0_17/age_18_64/age_65up in columns",
    ),
    "numbers of rows say nothing": (
        "rownames,Freq,Hair,Sex,Age\n1,12,Fair,F,15-24\n2,9,Fair,M,15-24\n3,31,Dark,F,15-24\n4,28,Dark,M,25+\n",
        4,
        "80 or more records",
        "list of Hair x Sex x Age",
    ),
    "counts in the first column": (
        "Deaths,Population,Sex,Town\n3,412,Female,Ambridge\n5,388,Male,Ambridge\n0,97,Female,Darrington\n3,101,Male,Darrington\n",
        4,
        "11 records",
        "list of Sex x Town",
    ),
    "stray blanks before names are no indentation": (
        "ward,candidate,party,votes\nA,Smith,Green,12\nA, Jones,Labour,34\nB,Brown,Green,7\nB, Stone,Labour,15\n",
        4,
        "68 or more records",
        "list of ward x candidate x party, 4 numbers.",
    ),
    "sums by accident among very many places": (
        listed("Municipality,Patients", [f"M{i}" for i in range(60)], [1 + i * i * 7 % 31 for i in range(60)]),
        60,
        "records",
        "list of Municipality, 60 numbers.",
    ),
    "deciles beside a population": (
        listed("Ward,IMD decile,Population", [f"W{i}" for i in range(12)], [3, 1, 10, 7, 2, 5, 9, 4, 6, 8, 1, 3], COUNTS),
        12,
        "528 records",
        "column B (IMD decile) is left out: it holds grades",
    ),
    "words right of the numbers are said to be left out": (
        "id,Patients,city\na1,12,Ambridge\na2,9,Ambridge\na3,31,Darrington\n",
        3,
        "52 records",
        "column C (city) is left out: it holds words",
    ),
    "a name that begins with a word for a statistic": (
        "Party,Members\nGreens,31\nChange UK,12\nIndependents,9\n",
        3,
        "52 records",
        "list of Party, 3 numbers",
    ),
    "times of building are no times of counting": (
        "Época de construção,Norte,Sul,Total\n1919-1945,12,9,21\n1946-1960,31,44,75\n1961-1970,7,5,12\nTotal,50,58,108\n",
        12,
        "108 records",
        "total row and column",
    ),
}


@pytest.mark.parametrize("what", READ)
def test_it_is_read(tmp_path: Path, what: str) -> None:
    text, numbers, records, said = READ[what]
    path = tmp_path / "enrolment.csv"
    path.write_text(text, "utf-8")
    made = read_tables([path])
    assert len(made.release.published) == numbers
    assert records in made.records
    assert said in " ".join(made.said)


# the name of the file, what is written, and what is asked
ASKED: dict[str, tuple[str, str, tuple[Reads, Reads]]] = {
    "new cases by publish date are no weeks": (
        "data.csv",
        listed("area,date,newCasesByPublishDate,cumCasesByPublishDate", ["A"] * 12, DAYS, COUNTS, [9 * n for n in COUNTS]),
        (Reads.MEASURES, Reads.ONE_VARIABLE),
    ),
    "a country, its regions and their towns in any order": (
        "births.csv",
        listed(
            "Year,Area,Births",
            [2019] * 7 + [2020] * 7,
            ["Borsetshire", "Ambridge", "West", "Loxley", "East", "Felpersham", "Darrington"] * 2,
            [700, 112, 400, 255, 300, 145, 188, 811, 131, 458, 298, 353, 160, 222],
        ),
        (Reads.LEVEL, Reads.ONE_VARIABLE),
    ),
    "years without a word that says so": (
        "prisons.csv",
        listed("Prison,Commissioned", "ABCDEFGH", [1891, 1934, 1966, 1901, 1955, 1999, 2004, 1888]),
        (Reads.LEFT_OUT, Reads.COUNT_AMONG),
    ),
    "tiers without a word that says so": (
        "tiers.csv",
        listed("County,Tier", [f"C{i}" for i in range(30)], [1 + i * 7 % 4 for i in range(30)]),
        (Reads.LEFT_OUT, Reads.COUNT_AMONG),
    ),
    "what is known about each subject": (
        "t.csv",
        listed("Subject,Diet,Level", [f"S{i}" for i in range(12)], ["a", "b"] * 6, COUNTS),
        (Reads.LEFT_OUT, Reads.COUNT_AMONG),
    ),
    "a list of measurements": (
        "t.csv",
        listed("rownames,height", range(1, 13), COUNTS).replace("height", "size"),
        (Reads.LEFT_OUT, Reads.COUNT_AMONG),
    ),
    "how many there were and how many of them did it": (
        "t.csv",
        "plate,n,y\na,43,2\nb,51,9\nc,44,4\nd,38,12\n",
        (Reads.MEASURES, Reads.ONE_VARIABLE),
    ),
    "each of them holds the one before": (
        "t.csv",
        "Waiting,Patients\nwithin 4 hours,91\nwithin 8 hours,103\nwithin 12 hours,107\n",
        (Reads.ONE_VARIABLE, Reads.ROWS),
    ),
    "homes with cases are the same homes again, or are they": (
        "homes.csv",
        listed("Date,Number of homes with suspected cases", DAYS, COUNTS),
        (Reads.NEW, Reads.AGAIN),
    ),
    "the file is about fees": (
        "tuition_by_campus.csv",
        "Campus,FY2019,FY2020\nAmbridge,3784,3908\nDarrington,3600,3852\nPenny Hassett,3485,3566\n",
        (Reads.LEFT_OUT, Reads.COUNT_AMONG),
    ),
    "speakers of two languages, one of them hardly shown": (
        "t.csv",
        "town,welsh_speakers,english_speakers\nA,71,167\nB,13,144\nC,36,NA\nD,57,NA\nE,5,NA\nF,8,NA\nG,12,NA\n",
        (Reads.MEASURES, Reads.ONE_VARIABLE),
    ),
}


def still_asked(path: Path, layout: GivenLayout) -> list[tuple[Reads, ...]]:
    try:
        read_tables([path], layout=layout)
    except NotImported as error:
        return [question.kind for question in error.questions]
    return []


@pytest.mark.parametrize("what", ASKED)
def test_it_is_asked_about(tmp_path: Path, what: str) -> None:
    name, text, kind = ASKED[what]
    path = tmp_path / name
    path.write_text(text, "utf-8")
    with pytest.raises(NotImported) as caught:
        read_tables([path])
    assert kind in [question.kind for question in caught.value.questions]
    for choice in range(2):  # whichever answer is given, it is not asked again
        layout = GivenLayout()
        for question in caught.value.questions:
            layout = with_choice(layout, question.table, question.choices[choice])
        assert kind not in still_asked(path, layout)


REFUSED: dict[str, tuple[str, str]] = {
    "rows that only their numbers tell apart": (
        "Index,Estate,Sex,Population\n1,Ambridge,Male,12\n2,Ambridge,Female,15\n3,Loxley,Male,9\n4,Ambridge,Male,31\n5,Loxley,Female,8\n",
        "two cells have the same labels",
    ),
    "rows of a regression without headings": (
        "kids,1,1.01 (0.98-1.05)\nkids,2,1.09 (1.04-1.14)\n",
        "its first row holds numbers, not headings",
    ),
    "places in a list": (
        listed("Town,Position", "ABCDEFGHIJKL", [3, 1, 10, 7, 2, 5, 9, 4, 6, 8, 12, 11]),
        "column B (Position) is left out: it numbers the rows",
    ),
    "counts in thousands": (
        "Town,0-17,18+\nAmbridge,10.2,31.5\nDarrington,12.7,40.1\nLoxley,11.9,29.6\n",
        "if they are counts given in thousands, say unit = 1000 in a layout file",
    ),
    "areas of three levels in one column": (
        "Area,Pupils\nBorsetshire,7003\nAmbridge,112\nWest,6003\nLoxley,2555\nEast,1000\nFelpersham,3448\nDarrington,888\n",
        "all labels together are 3 times 'Borsetshire' in every line",
    ),
    "a word for a number in the last row": (
        "Town,Patients\nAmbridge,5\nDarrington,7\nPenny Hassett,9\nLoxley,NA\n",
        "row 5, column B: what 'NA' means is not known",
    ),
    "a column with one number": (
        "Town,Male,Female\nAmbridge,5,3\nDarrington,7,x\nPenny Hassett,9,x\nLoxley,12,x\n",
        "row 3, column C (also C4, C5): what 'x' means is not known",
    ),
    "a list of old and new codes": (
        "Old,New\n" + "".join(f"{code},{code - code % 7 // 5}\n" for code in range(10001, 10031)),
        "column B (New) is left out: it holds codes",
    ),
    "one number that is not whole among many": (
        listed("Date,Patients in hospital", DAYS, [*COUNTS[:5], 40.5, *COUNTS[6:]]),
        "row 7, column B: a number is not whole",
    ),
    "no names of rows": (
        "lat,lon,2019,2020\n40.07,-80.96,310,325\n41.12,-81.02,205,211\n39.51,-82.1,98,120\n",
        "its rows have no names: column A (lat) holds numbers that are not whole",
    ),
    "a mark of a footnote before a number": (
        "Town,Births\nAmbridge,412\nDarrington,(3)388\nPenny Hassett,97\n",
        "'(3)388' may be 388 with a footnote mark",
    ),
    "fractions without a zero": ("outcome,hr,lc\nstroke,.86,.81\nasthma,1.09,.99\ngout,1.2,1.01\n", "column B (hr) is left out"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused(tmp_path: Path, what: str) -> None:
    text, said = REFUSED[what]
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(NotImported) as caught:
        read_tables([path])
    assert said in " ".join(caught.value.problems)
