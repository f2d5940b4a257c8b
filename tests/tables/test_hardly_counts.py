"""Numbers that look like counts and are none, or count some records twice: asked or refused, never read without a word."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

import pytest

import foregone as fg
from foregone.model.errors import InputError
from foregone.tables.importing import NotImported, read_tables
from foregone.tables.layout_file import GivenLayout, read_layout, with_choice
from foregone.tables.reading.question import Reads, Speaks

SEXES = "Town,Male,Female\nAmbridge,310,290\nDarrington,401,388\nPenny Hassett,55,61\n"

# what is written, and what the question is about
ASKED: dict[str, tuple[str, Reads]] = {
    "of which, in rows": ("Kind,Male,Female\nEmployed,30,40\nof which part-time,5,22\nRetired,8,6\n", Reads.OF_WHICH),
    "of which, in German": ("Art;Anzahl\nBeschäftigte;30\ndarunter Teilzeit;5\nRentner;8\n", Reads.OF_WHICH),
    "numbers so far, by week": ("Week,Cases to date\n1,3\n2,9\n3,14\n4,20\n5,31\n6,40\n", Reads.AGAIN),
    "an amount in the title": (f"Median income\n\n{SEXES}", Reads.LEFT_OUT),
    "money in the title": (f"Ausgaben in Euro nach Ort\n\n{SEXES}", Reads.LEFT_OUT),
    "an average in the title": (f"Average number of visits\n\n{SEXES}", Reads.LEFT_OUT),
    "shares in the title": (f"Percentage of pupils\n\n{SEXES}", Reads.LEFT_OUT),
    "rates in the title": (f"Deaths per million\n\n{SEXES}", Reads.LEFT_OUT),
    "lines that add up to 100": ("Town,Male,Female\nA,30,70\nB,41,59\nC,25,75\n", Reads.LEFT_OUT),
    "several conditions": ("Condition present,N\nDiabetes,120\nAsthma,20\nGout,6\n", Reads.ROWS),
    "several languages": ("Language spoken,N\nEnglish,120\nFrench,20\nWelsh,6\n", Reads.ROWS),
    "several ethnic groups": ("Ethnicity (total response),N\nMaori,120\nPacific,20\nEuropean,600\n", Reads.ROWS),
    "a note that people are counted twice": ("Service,N\nA,120\nB,20\nC,6\n\nPeople are counted in each service\n", Reads.ROWS),
    "cases and deaths in rows": ("Town,Type,Value\nA,Cases,12\nA,Deaths,2\nB,Cases,20\nB,Deaths,4\n", Reads.ROWS),
    "indicators in rows": ("Town,Indicator name,Value\nA,Pupils,12\nA,Area,2\nB,Pupils,20\nB,Area,4\n", Reads.ONE_MEASURE),
    "households beside persons": ("Town,Households,Persons\nA,12,30\nB,20,50\nC,30,62\n", Reads.MEASURES),
    "pupils beside teachers": ("School,Pupils,Teachers\nA,120,7\nB,340,20\nC,222,15\n", Reads.MEASURES),
    "-1 in place of a code": (
        "Area,County code,Number\nLand,-1,95\nNorth,10,50\nEast End,10,31\nSouth,20,40\nEast End,20,22\n",
        Reads.ROWS,
    ),
    "totals of different things": ("System,tests,total_cases,total_deaths\nA,155,16,1\nB,277,24,5\nC,91,9,0\n", Reads.MEASURES),
    "two trees of labels": (
        "Label (Grouping),N\nEnrolled,30\n  School,20\n  College,10\nAt college,10\n  Men,4\n",
        Reads.ROWS,
    ),
    "open ends that hold each other": ("Age,N\nunder 60,90\nover 60,50\nover 75,20\n", Reads.ROWS),
    "commas between semicolons": ("Ort;Fälle\nA;12,345\nB;4,567\n", Reads.COUNT_AMONG),
    "a year below its quarters": ("Quarter,Deaths\nQ1,5\nQ2,8\nQ3,7\nQ4,10\n2020,30\n", Reads.TOTAL),
    "a total by its code": (
        "sex,age,n\n1,1,10\n1,2,12\n1,9,22\n2,1,7\n2,2,8\n2,9,15\n9,1,17\n9,2,20\n9,9,37\n",
        Reads.TOTAL,
    ),
}



def rows_of(head: str, *columns: Sequence[object]) -> str:
    """A list with a heading and some columns of the same length."""
    return f"{head}\n" + "".join(f"{','.join(map(str, row))}\n" for row in zip(*columns, strict=True))


NAMES, TWO, EIGHT = [f"P{i}" for i in range(8)], "ABABABAB", range(1, 9)
LISTS = {
    "votes of single people": rows_of("senator,party,vote", NAMES, TWO, [0, 1, 1, 0, 1, 1, 0, 1]),
    "marks of single people": rows_of("child,exam", NAMES, [50, 57, 64, 40, 47, 54, 61, 68]),
    "ages of single people by another name": rows_of("child,sex,yrs", NAMES, "MFMFMFMF", [20, 31, 42, 53, 64, 75, 26, 37]),
    "a code list": rows_of("code,term,Category", NAMES, [f"Type {i}" for i in EIGHT], [1, 2, 1, 3, 2, 2, 1, 1]),
    "yields of plots": rows_of("block,variety,yield", [1, 1, 1, 1, 2, 2, 2, 2], "VMGRVMGR", [60, 73, 86, 99, 71, 84, 97, 69]),
    "a time series without words": rows_of("rownames,time,value", EIGHT, [1980 + i / 10 for i in EIGHT], range(1000, 1056, 7)),
    "counts that only row numbers tell apart": rows_of("rownames,count,spray", EIGHT, [2, 5, 8, 4, 7, 3, 6, 9], "AAAABBBB"),
    "numbers of the title that are labels": "Accidents of ships\n\n"
    + rows_of("type,years,incidents,service", "AABBCCDD", [60, 65] * 4, [0, 0, 3, 3, 0, 1, 1, 0], [12, 63, 95, 10, 44, 87, 30, 9]),
    "dates and a value": rows_of("date,value", [f"2021-01-0{i}" for i in EIGHT], [5, 7, 4, 9, 2, 8, 6, 3]),
}

NAMED = {
    "a plural": "Town,Smokers\nA,3\nB,6\n",
    "the title": "Deaths registered in 2021\n\nTown,2021\nA,3\nB,6\n",
    "the name of the file": "deaths:Town,2021\nA,3\nB,6\n",
    "a sign": "Town,G\nA,3\nB,<5\n",
    "a total": "Town,G\nA,3\nB,6\nTotal,9\n",
    "percentages": "Town,G,%\nA,3,33.3\nB,6,66.7\n",
    "people by sex and age": "sex,ageband,value\nM,0-17,3\nM,18+,9\nF,0-17,7\nF,18+,5\n",
    "a pivot table": "Ward,Count of patient ID\nA,3\nB,6\n",
    "another language": "Ort;Einwohner\nA;310\nB;61\n",
}

# what is written, and words of the refusal
REFUSED: dict[str, tuple[str, str]] = {
    "of which, as a heading": ("Kind,N\nEmployed,30\nof which:,\npart-time,5\nRetired,8\n", "row 3 says 'of which:'"),
    "of which, below the total": ("Kind,N\nMen,30\nWomen,40\nTotal,70\nof which foreign,9\n", 'body = "2-4"'),
    "a stand-in for what is not known": ("Town,Male,Female\nA,3,9999\nB,4,7\nC,9999,8\n", "`tokens` '9999=0..'"),
    "thousands, short": (f"Population (1000s)\n\n{SEXES}", "units of 1,000"),
    "thousands, in German": (f"Bevölkerung in 1 000\n\n{SEXES}", "units of 1,000"),
    "thousands, in French": (f"Effectifs (en milliers)\n\n{SEXES}", "units of 1,000"),
    "thousands, below": (f"{SEXES}\nUnit: thousands\n", "units of 1,000"),
    "records with an age": ("id,sex,age\n1,M,34\n2,F,51\n3,F,20\n4,M,77\n", "none of its columns holds counts"),
    "years": ("School,Opened\nA,1903\nB,1955\nC,1980\n", "it holds years"),
    "days": ("Sex,Length of stay (days)\nM,15\nF,95\n", "none of its columns holds counts"),
    "money": ("Sex,Benefit paid (£)\nM,1500\nF,9500\n", "none of its columns holds counts"),
    "codes with zeros in front": ("Land,number\nAruba,533\nAfghanistan,004\nAngola,024\n", "it holds codes"),
    "numbers of rows left of dates": ("rownames,days,date\n1,6,Oct18\n2,4,Oct24\n3,5,Nov9\n", "none of its columns holds counts"),
    "times": ("Ward,Time\nA,12\nB,31\n", "it holds times"),
    "per mille": ("Age,‰\n0-17,3\n18+,30\n", "none of its columns holds counts"),
}

# what is written, how many records it counts, and words that must be said
READ: dict[str, tuple[str, str, str]] = {
    "weighted beside unweighted": ("Town,Weighted N,Unweighted N\nA,120,9\nB,207,15\nC,71,3\n", "27 records", "Weighted N"),
    "the largest in a row": ("Town,Mon,Tue\nA,2,4\nB,6,8\nMaximum,6,8\n", "20 records", "row 4 (Maximum) is left out"),
    "an average in a row": ("Year,Deaths\n2018,5\n2019,8\n2020,7\n5-year average,6\n", "20 records", "row 5"),
    "the year so far": ("Month,Deaths\nJan,5\nFeb,8\nMar,7\nYTD,20\n", "20 records", "total row"),
    "at least so many": ("Children,Families\nat least 1,50\nat least 2,30\nat least 3,10\n", "50 records", "list of Children"),
    "semesters": ("Semester,Students\nWS 2019,50\nSS 2020,80\n", "counted again for each Semester", "list of Semester"),
    "a total in Russian": ("Возраст;М;Ж;Всего\n0-17;10;11;21\n18+;20;25;45\nВсего;30;36;66\n", "66 records", "total row"),
    "income behind by": ("Households by income\n\nIncome,Male,Female\n0-10,31,29\n11+,43,18\n", "121 records", "Income"),
    "part below, indented": ("Kind,N\nEmployed,30\n  incl. part-time,5\nRetired,8\n", "38 records", "Employed is made of"),
}


def written(folder: Path, text: str) -> Path:
    path = folder / "t.csv"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(("text", "reads"), ASKED.values(), ids=ASKED)
def test_asked(tmp_path: Path, text: str, reads: Reads) -> None:
    with pytest.raises(NotImported) as raised:
        read_tables([written(tmp_path, text)])
    assert reads in [choice.reads for choice in raised.value.questions[0].choices]


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_numbers_count_only_where_something_says_so(tmp_path: Path, text: str) -> None:
    """A list about single people, plots or months is asked about, and left out as well as read."""
    with pytest.raises(NotImported) as raised:
        read_tables([written(tmp_path, text)])
    question = raised.value.questions[0]
    assert {choice.reads for choice in question.choices} == {Reads.LEFT_OUT, Reads.COUNT_AMONG}
    assert not any(choice.clues for choice in question.choices if choice.reads == Reads.COUNT_AMONG)
    counted = next(choice for choice in question.choices if choice.reads == Reads.COUNT_AMONG)
    with contextlib.suppress(NotImported):  # about dates, and the like
        read_tables([tmp_path / "t.csv"], layout=with_choice(GivenLayout(), "t", counted))


@pytest.mark.parametrize("text", NAMED.values(), ids=NAMED)
def test_numbers_that_something_says_to_count_are_read(tmp_path: Path, text: str) -> None:
    file, _, rest = text.rpartition(":")
    path = tmp_path / f"{file or 't'}.csv"
    path.write_text(rest, "utf-8")
    assert len(read_tables([path], tokens=[]).standing) >= 2


@pytest.mark.parametrize(("text", "words"), REFUSED.values(), ids=REFUSED)
def test_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError) as raised:
        read_tables([written(tmp_path, text)])
    assert words in " ".join(raised.value.problems)


@pytest.mark.parametrize(("text", "records", "words"), READ.values(), ids=READ)
def test_read(tmp_path: Path, text: str, records: str, words: str) -> None:
    made = read_tables([written(tmp_path, text)])
    assert records in made.records
    assert words in " ".join(made.said)


def test_of_which_is_a_part_after_the_answer(tmp_path: Path) -> None:
    """Either answer counts the part-time once: 30 + 8, and 40 + 6."""
    path = written(tmp_path, ASKED["of which, in rows"][0])
    with pytest.raises(NotImported) as raised:
        read_tables([path])
    for choice in raised.value.questions[0].choices:
        assert read_tables([path], layout=with_choice(GivenLayout(), "t", choice)).records == "84 records"


def test_one_of_two_trees_is_taken_with_its_parts(tmp_path: Path) -> None:
    path = written(tmp_path, ASKED["two trees of labels"][0])
    with pytest.raises(NotImported) as raised:
        read_tables([path])
    alone = next(choice for choice in raised.value.questions[0].choices if choice.reads == Reads.ROWS)
    made = read_tables([path], layout=with_choice(GivenLayout(), "t", alone))
    assert (made.records, len(made.standing)) == ("30 records", 3)


def test_counts_may_add_up_to_100(tmp_path: Path) -> None:
    path = written(tmp_path, ASKED["lines that add up to 100"][0])
    with pytest.raises(NotImported) as raised:
        read_tables([path])
    left_out, counted = raised.value.questions[0].choices
    assert left_out.clues[0].kind == Speaks.HUNDRED
    assert read_tables([path], layout=with_choice(GivenLayout(), "t", counted)).records == "300 records"


def test_a_stand_in_that_is_explained(tmp_path: Path) -> None:
    path = written(tmp_path, REFUSED["a stand-in for what is not known"][0])
    assert read_tables([path], tokens=["9999=0.."]).records == "22 or more records"


ONE_WAY = {
    "group and subgroup": "group,subgroup,n\nAge,0-17,10\nAge,18+,20\nSex,M,12\nSex,F,18\n",
    "with a total": "Characteristic,Category,Cases\nTotal,Total,30\nAge,0-17,10\nAge,18+,20\nSex,M,12\nSex,F,18\n",
    "levels by number": "var\tlevel\tn\nAge\t==1\t10 (33.3)\nAge\t==2\t20 (66.7)\nSex\t==1\t12 (40.0)\nSex\t==0\t18 (60.0)\n",
}


@pytest.mark.parametrize("text", ONE_WAY.values(), ids=ONE_WAY)
def test_a_list_that_names_a_variable_in_each_row_is_several_tables(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    made = read_tables([path])
    assert made.records == "30 records"
    assert "t: list of Age" in made.said[0]
    assert "t-2: list of Sex" in made.said[1]
    (tmp_path / "layout.toml").write_text(made.layout, "utf-8")
    assert read_tables([path], layout=read_layout(tmp_path / "layout.toml")).release == made.release


def test_towns_below_regions_are_no_variables(tmp_path: Path) -> None:
    path = written(tmp_path, "Region,Town,n\nNorth,A,10\nNorth,B,20\nSouth,C,12\nSouth,D,18\n")
    assert read_tables([path]).records == "60 records"


def test_a_column_of_signs_is_no_total(tmp_path: Path) -> None:
    """N may be a value; nothing says that it is the sum of others where it shows no number."""
    path = written(tmp_path, "Town,G,N,R\nA,12,*,4\nB,20,*,6\n")
    with pytest.raises(NotImported) as raised:
        read_tables([path], tokens=["*=1..4"])
    assert "'N'" in raised.value.questions[0].place


def test_counts_with_percentages_below_no_headings_say_what_to_type(tmp_path: Path) -> None:
    path = written(tmp_path, "age\t==1\t10 (33.3)\nage\t==2\t20 (66.7)\n\nmale\t==1\t12 (40.0)\nmale\t==0\t18 (60.0)\n")
    with pytest.raises(InputError) as raised:
        read_tables([path])
    assert "type a line of headings above all of them" in raised.value.problems[0]


HEADLESS = (
    "all\t==1\t30 (100.0)\t9 (30.0)\n\nage\t==1\t10 (33.3)\t3 (30.0)\nage\t==2\t20 (66.7)\t6 (30.0)\n\n"
    "male\t==1\t12 (40.0)\t HIDDEN\nmale\t==0\t18 (60.0)\t7 (38.9)\n"
    "years\tmedian-iqr\t49 (34-64)\t 48 (40-55)\n\nasthma\t==1\t4 (13.3)\t1 (25.0)\n"
)


def test_lists_without_headings_ask_which_column_and_are_tables_by_variable(tmp_path: Path) -> None:
    path = written(tmp_path, HEADLESS)
    with pytest.raises(NotImported) as raised:
        read_tables([path])
    (question,) = raised.value.questions
    assert [choice.settings for choice in question.choices] == [{"numbers": ["C"]}, {"numbers": ["D"]}]
    first, second = (
        read_tables([path], layout=GivenLayout(tables={"t": {"numbers": (column,)}}), tokens=tokens)
        for column, tokens in ((3, ()), (4, ("HIDDEN=0..7",)))
    )
    assert (first.records, second.records) == ("30 records", "9 records")
    assert [column.name for column in first.release.domain.columns] == ["age", "male", "asthma"]
    assert first.release.domain.columns[2].codes == ("==1", "(any other)")  # whoever has no asthma is not shown
    assert fg.bounds(second.release, {"male": "==1"}) == (2, 2)  # all men and women are shown
    again = tmp_path / "layout.toml"
    again.write_text(first.layout, encoding="utf-8")
    assert read_tables([path], layout=read_layout(again)).release == first.release
