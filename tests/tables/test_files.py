"""Files as people have them, each with the release it must become. None of them was made by the code under test."""

from __future__ import annotations

from pathlib import Path

import pytest

from foregone.tables.importing import NotImported, read_tables
from tests.cli.commands import run
from tests.tables.tabulated import ANSWERS, FILES, Expected, answers, became, crosstab, listed

SEXES = "Male; Female; *"
TOWNS = crosstab("Town", "Ambridge; Darrington; *", "Sex", SEXES, "4 6 10 / 2 1 3 / 6 7 13")
CASES: dict[str, tuple[list[str], list[str], Expected]] = {
    "a title with commas, totals, thousands, fewer than five, footnotes": (
        ["title_and_footnotes.csv"],
        [],
        crosstab(
            "Age group",
            "0-17; 18-24; 25-64; 65+; *",
            "Sex",
            SEXES,
            "12 9 21 / 0-4 7 10 / 1082 940 2022 / 31 0-4 33 / 1128 958 2086",
        ),
    ),
    "semicolons, blanks between thousands, a dash that a footnote explains": (
        ["nil_dash.csv"],
        [],
        crosstab(
            "Age group",
            "0\u00a0–\u00a017; 18\u00a0–\u00a064; 65 and over; *",
            "Sex",
            "Men; Women; *",
            "1082 940 2022 / 0 1003 1003 / 12 7 19 / 1094 1950 3044",
        ),
    ),
    "a dash that the user explains": (
        ["dash_unexplained.csv"],
        ["-=0"],
        crosstab("Ward", "A; B; *", "dash_unexplained columns", "Day; Night; *", "4 0 4 / 3 2 5 / 7 2 9"),
    ),
    "two levels of headings, the first over several columns": (
        ["two_headers.csv"],
        [],
        listed(
            """
            Age=Under 25, Sex=Male, two_headers columns=Smoker: 3
            Age=Under 25, Sex=Male, two_headers columns=Non-smoker: 9
            Age=Under 25, Sex=Female, two_headers columns=Smoker: 2
            Age=Under 25, Sex=Female, two_headers columns=Non-smoker: 11
            Age=Under 25: 25
            Age=25 and over, Sex=Male, two_headers columns=Smoker: 7
            Age=25 and over, Sex=Male, two_headers columns=Non-smoker: 20
            Age=25 and over, Sex=Female, two_headers columns=Smoker: 5
            Age=25 and over, Sex=Female, two_headers columns=Non-smoker: 24
            Age=25 and over: 56
            Sex=Male, two_headers columns=Smoker: 10
            Sex=Male, two_headers columns=Non-smoker: 29
            Sex=Female, two_headers columns=Smoker: 7
            Sex=Female, two_headers columns=Non-smoker: 35
            : 81
            """
        ),
    ),
    "a column about something else": (
        ["residents.csv"],
        [],
        crosstab("Town", "Ambridge; Penny Hassett; Loxley Barrett; *", "Sex", SEXES, "4 6 10 / 2 1 3 / 5 5 10 / 11 12 23"),
    ),
    "a column that is no part of the total": (
        ["of_which.csv"],
        [],
        crosstab("Town", "Ambridge; Penny Hassett; Loxley Barrett; *", "Sex", SEXES, "4 6 10 / 2 1 3 / 5 5 10 / 11 12 23"),
    ),
    "a total that is called County": (
        ["county.csv"],
        [],
        listed("Town=Ambridge: 4\nTown=Penny Hassett: 2\nTown=Loxley Barrett: 7\n: 13"),
    ),
    "a list with one number a row": (
        ["tidy.csv"],
        ["*=1..4"],
        crosstab("sex", "F; M", "age", "0-4; 5-9; *", "12 8 20 / 1-4 10 13"),
    ),
    "a list whose codes are numbers": (
        ["tidy_codes.csv"],
        [],
        {
            f"agegroup={age}, outcome={outcome}, sex={sex}": number
            for (sex, outcome, age), number in {
                ("1", "alive", "1"): "12",
                ("1", "alive", "2"): "8",
                ("1", "dead", "1"): "1",
                ("1", "dead", "2"): "0",
                ("2", "alive", "1"): "9",
                ("2", "alive", "2"): "10",
                ("2", "dead", "1"): "2",
                ("2", "dead", "2"): "3",
            }.items()
        },
    ),
    "Windows letters, semicolons, points between thousands": (
        ["windows.csv"],
        [],
        crosstab("Alter", "0–17; 18+; *", "windows columns", "Männer; Frauen; *", "1082 940 2022 / 31 12 43 / 1113 952 2065"),
    ),
    "three tables in a file, one of them about staff": (
        ["three_tables.csv"],
        [],
        TOWNS | crosstab("Age", "0-44; 45+; *", "Sex", SEXES, "5 3 8 / 1 4 5 / 6 7 13"),
    ),
    "two tables side by side": (
        ["side_by_side.csv"],
        [],
        crosstab("Age", "0-44; 45+; *", "Sex", "Male; Female", "5 3 / 1 4 / 6 7")
        | crosstab("Town", "Ambridge; Darrington; *", "Sex", "Male; Female", "4 6 / 2 1 / 6 7"),
    ),
    "overlapping ages in two files": (
        ["ages_one.csv", "ages_two.csv"],
        [],
        crosstab(
            "Age",
            "Under 18|18-19; 20–24; 25-64|65 plus; *",
            "ages_one columns",
            "Yes; No; *",
            "1 4 5 / 0 3 3 / 2 6 8 / 3 13 16",
        )
        | crosstab("Age", "Under 18; 18-19|20–24; 25-64; 65 plus; *", "Sex", SEXES, "1 2 3 / 2 3 5 / 3 2 5 / 1 2 3 / 7 9 16"),
    ),
    "totals that come first": (
        ["totals_first.csv"],
        [],
        crosstab("Region", "*; North; South", "totals_first columns", "*; Owned; Rented", "30 18 12 / 20 11 9 / 10 7 3"),
    ),
    "a total below a blank line": (
        ["total_after_blank.csv"],
        [],
        crosstab("Region", "North; South; *", "total_after_blank columns", "Owned; Rented", "11 9 / 7 3 / 18 12"),
    ),
    "two columns of labels, repeated ones left blank": (
        ["two_labels.csv"],
        [],
        crosstab("Age", "0-44; 45+", "two_labels columns", "Ill; Well; *", "2 8 10 / 3 4 7", "Sex=Male")
        | crosstab("Age", "0-44; 45+", "two_labels columns", "Ill; Well; *", "1 9 10 / 5 5 10", "Sex=Female")
        | crosstab("Age", "*", "two_labels columns", "Ill; Well; *", "11 26 37"),
    ),
    "sections with a total each, and one of everybody": (
        ["sections.csv"],
        [],
        crosstab("Age", "0-17; 18+; *", "sections columns", "Ill; Well; *", "2 8 10 / 3 4 7 / 5 12 17", "Sex=Male")
        | crosstab("Age", "0-17; 18+; *", "sections columns", "Ill; Well; *", "1 9 10 / 5 5 10 / 6 14 20", "Sex=Female")
        | crosstab("Age", "*", "sections columns", "Ill; Well; *", "11 26 37"),
    ),
    "both variables named in the corner": (
        ["corner.csv"],
        [],
        crosstab("Age", "young; old; *", "Sex", "F; M; *", "3 2 5 / 4 1 5 / 7 3 10"),
    ),
    "no variable named": (
        ["nameless.csv"],
        [],
        crosstab("nameless rows", "Owned; Rented; *", "nameless columns", "North; South; *", "11 7 18 / 9 3 12 / 20 10 30"),
    ),
    "notes beside and footnote marks on numbers": (["with_notes.csv"], [], TOWNS),
    "a data frame of R, with row numbers": (
        ["r_freq.csv"],
        [],
        crosstab("sex", "F; M", "age", "0-17; 18+", "5 7 / 3 6"),
    ),
    "a table of R with margins": (
        ["r_table.csv"],
        [],
        crosstab("r_table rows", "0-17; 18+; *", "Sex", "F; M; *", "5 3 8 / 7 6 13 / 12 9 21"),
    ),
    "PC-Axis with = and ; in its values, nil and confidential cells": (
        ["trade.px"],
        [],
        crosstab("age", "0-17; 18=adult, any; *", "reported", "known = yes; known = no", "3 4 / ? 2 / 4 6", "sex=women")
        | crosstab("age", "0-17; 18=adult, any; *", "reported", "known = yes; known = no", "0 6 / 5 1 / 5 7", "sex=men"),
    ),
    "JSON-stat with a total by its label": (
        ["population.json"],
        ["c=1..4"],
        crosstab("sex", "*; F; M", "age", "Y0-17; Y18+", "8 12 / 3 1-4 / 5 6"),
    ),
    "PC-Axis that leaves out rows of zeros and begins rows with keys": (
        ["sparse.px"],
        [],
        crosstab("age", "0-17; 18+", "sex", "F; M", "0 0 / 3 ?", "area=North")
        | crosstab("age", "0-17; 18+", "sex", "F; M", "1 4 / 0 0", "area=South"),
    ),
    "a JSON-stat collection, one of its tables about women only": (
        ["collection.json"],
        [],
        listed("sex=F: 3\nsex=M: 4\ntown=A, sex=F: 1\ntown=B, sex=F: 2"),
    ),
    "a JSON-stat bundle as version 1 has it, with a blank cell": (
        ["bundle.json"],
        [],
        listed("sex=F: 3\nsex=M: 4\nage=old: 6"),
    ),
    "a column of codes beside names, blank in the total row": (["codes_beside_names.csv"], [], TOWNS),
    "years beside a column of their codes, which are the same": (
        ["year_codes.csv"],
        [],
        listed("Year=2019, Sex=Female: 4\nYear=2019, Sex=Male: 7\nYear=2020, Sex=Female: 3\nYear=2020, Sex=Male: 9"),
    ),
    "a total of everybody below a blank label": (
        ["blank_label_total.csv"],
        [],
        listed("Region=North, Town=Ambridge: 4\nRegion=North, Town=Darrington: 2\nRegion=South, Town=Penny Hassett: 7\n: 13"),
    ),
    "totals of each region below blank labels, and one of everybody": (
        ["nested_totals.csv"],
        [],
        listed(
            """
            Region=North, Town=Ambridge: 4
            Region=North, Town=Darrington: 2
            Region=North: 6
            Region=South, Town=Penny Hassett: 7
            Region=South, Town=Felpersham: 1
            Region=South: 8
            : 14
            """
        ),
    ),
    "thin spaces between thousands": (
        ["thin_spaces.csv"],
        [],
        crosstab("Age", "0-17; 18+", "Sex", "Male; Female", "1082 2 / 5 6400"),
    ),
    "some of everybody, with their percentage": (
        ["smokers_of_all.csv"],
        [],
        crosstab("Age", "0-17; 18+; *", "smokers_of_all columns", "Smokers; *", "1 3 / 5 11 / 6 14")
        | listed(
            """
            percent of smokers_of_all.D2: Age=0-17, smokers_of_all columns=Smokers: 33.3
            percent of smokers_of_all.D3: Age=18+, smokers_of_all columns=Smokers: 45.5
            percent of smokers_of_all.D4: smokers_of_all columns=Smokers: 42.9
            """
        ),
    ),
    "means and percentages in rows below the counts": (
        ["mean_below.csv"],
        [],
        crosstab("Age", "0-17; 18-64", "Sex", "Male; Female", "5 3 / 7 4"),
    ),
    "a German table": (
        ["german.csv"],
        [],
        crosstab("Ort", "A; B; *", "german columns", "Männer; Frauen; *", "1082 20 1102 / 13 7 20 / 1095 27 1122"),
    ),
    "a single column that counts women": (
        ["women_only.csv"],
        [],
        listed("Sex=Female, Town=Ambridge: 6\nSex=Female, Town=Darrington: 1"),
    ),
    "rows that are too short and too long": (
        ["ragged.csv"],
        [],
        listed(
            """
            Age=0-17, Sex=Male: 1
            Age=0-17, Sex=Female: 2
            Age=18-64, Sex=Male: 5
            Age=18-64, Sex=Female: 6
            Age=18-64: 11
            Age=65+, Sex=Male: 1
            Age=65+, Sex=Female: 1
            Age=65+: 2
            """
        ),
    ),
    "years as headings, a change and a code": (
        ["change.csv"],
        [],
        crosstab("Town", "Ambridge; Darrington", "change columns", "2021; 2022", "5 7 / 7 9"),
    ),
    "dots before the labels of parts": (
        ["dotted.csv"],
        [],
        crosstab(
            "Area", "Ambridge|Darrington; Ambridge; Darrington; South; *", "Sex", "Male; Female", "5 6 / 2 4 / 3 2 / 7 3 / 12 9"
        ),
    ),
    "SDMX-CSV with a confidential observation": (
        ["sdmx.csv"],
        [],
        crosstab("SEX", "*; F; M", "AGE", "Y_LT18; Y_GE18", "8 12 / ? 6 / 5 6"),
    ),
    "tau-Argus with a hierarchy and its suppressed cells": (
        ["firms.tab"],
        [],
        crosstab("REGION", "*; N1|N2; N1; N2; S", "SIZE", "*; small; large", "60 22 38 / 25 ? ? / 12 ? ? / 13 7 6 / 35 12 23"),
    ),
    "rows as the census API sends them": (
        ["census_api.json"],
        [],
        listed("NAME=Ambridge, sex=F: 12\nNAME=Ambridge, sex=M: 9\nNAME=Darrington, sex=F: 3"),
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_a_file_becomes_its_release(what: str) -> None:
    files, tokens, expected = CASES[what]
    made = read_tables([FILES / name for name in files], tokens=tokens, layout=answers(*files))
    assert became(made.release) == expected


PERCENTS: dict[str, tuple[str, Expected]] = {
    "percentages of each row, beside their counts": (
        "row_percent.csv",
        TOWNS
        | listed(
            """
            percent of row_percent.F2: Sex=Male, Town=Ambridge: 40.0
            percent of row_percent.F2: Sex=Female, Town=Ambridge: 60.0
            percent of row_percent.F3: Sex=Male, Town=Darrington: 66.7
            percent of row_percent.F3: Sex=Female, Town=Darrington: 33.3
            percent of row_percent.F4: Sex=Male: 46.2
            percent of row_percent.F4: Sex=Female: 53.8
            """
        ),
    ),
    "percentages of each column, under a second level of headings": (
        "column_percent.csv",
        crosstab("Town", "Ambridge; Darrington; *", "Sex", "Male; Female", "4 6 / 2 1 / 6 7")
        | listed(
            """
            percent of column_percent.B5: Sex=Male, Town=Ambridge: 67
            percent of column_percent.D5: Sex=Female, Town=Ambridge: 86
            percent of column_percent.B5: Sex=Male, Town=Darrington: 33
            percent of column_percent.D5: Sex=Female, Town=Darrington: 14
            """
        ),
    ),
    "percentages of everybody": (
        "table_percent.csv",
        TOWNS
        | listed(
            """
            percent of table_percent.F4: Sex=Male, Town=Ambridge: 30.8
            percent of table_percent.F4: Sex=Female, Town=Ambridge: 46.2
            percent of table_percent.F4: Sex=Male, Town=Darrington: 15.4
            percent of table_percent.F4: Sex=Female, Town=Darrington: 7.7
            percent of table_percent.F4: Sex=Male: 46.2
            percent of table_percent.F4: Sex=Female: 53.8
            """
        ),
    ),
    "percentages with nothing but their base": (
        "percent_only.csv",
        listed(
            """
            Town=Ambridge: 10
            Town=Darrington: 3
            percent of percent_only.D2: Town=Ambridge, percent_only columns=Smokers: 30
            percent of percent_only.D2: Town=Ambridge, percent_only columns=Non-smokers: 70
            percent of percent_only.D3: Town=Darrington, percent_only columns=Smokers: 67
            percent of percent_only.D3: Town=Darrington, percent_only columns=Non-smokers: 33
            """
        ),
    ),
    "percentages without their base": (
        "percent_no_base.csv",
        listed(
            """
            Town=Ambridge: ?
            Town=Darrington: ?
            percent of percent_no_base.base0: Town=Ambridge, percent_no_base columns=Smokers: 30
            percent of percent_no_base.base0: Town=Ambridge, percent_no_base columns=Non-smokers: 70
            percent of percent_no_base.base1: Town=Darrington, percent_no_base columns=Smokers: 67
            percent of percent_no_base.base1: Town=Darrington, percent_no_base columns=Non-smokers: 33
            """
        ),
    ),
    "shares of a list": (
        "share.csv",
        listed(
            """
            Town=Ambridge: 4
            Town=Darrington: 2
            Town=Felpersham: 7
            : 13
            percent of share.B5: Town=Ambridge: 31
            percent of share.B5: Town=Darrington: 15
            percent of share.B5: Town=Felpersham: 54
            """
        ),
    ),
}


@pytest.mark.parametrize("what", PERCENTS)
def test_percentages_have_their_base(what: str) -> None:
    file, expected = PERCENTS[what]
    assert became(read_tables([FILES / file]).release) == expected


def test_percentages_that_no_base_fits_are_left_out() -> None:
    made = read_tables([FILES / "percent_wrong.csv"])
    assert became(made.release) == TOWNS
    assert "the percentages are left out: no total fits as what they are percentages of" in made.said[0]


RULES: dict[str, tuple[str, str, Expected]] = {
    "exact totals of the country beside rounded cells": (
        "nhs.csv",
        "nhs-hes",
        crosstab(
            "Provider", "Trust A; Trust B; *", "nhs columns", "Emergency; Planned; *", "1-7 13-17 18-22 / 8-12 0 8-12 / 12 16 28"
        ),
    ),
    "totals that add up what is shown": (
        "opensafely.csv",
        "opensafely",
        crosstab(
            "ethnicity",
            "White; Black; Asian; *",
            "opensafely columns",
            "vaccinated; unvaccinated; *",
            "118-122 33-37 151-159 / 0-7 8-12 8-19 / 13-17 0-7 13-24 / 131-146 41-56 172-202",
        ),
    ),
    "totals rounded on their own": (
        "rounded.csv",
        "round:5",
        crosstab("Town", "Ambridge; Darrington; *", "Sex", SEXES, "3-7 3-7 13-17 / 8-12 0-2 8-12 / 13-17 8-12 18-22"),
    ),
    "letters for size classes": (
        "business.csv",
        "cbp",
        crosstab("County", "Adams; Brown; Clark", "business columns", "Retail; Building", "12 0-19 / 40 312 / 31 100-249"),
    ),
}


@pytest.mark.parametrize("what", RULES)
def test_numbers_and_tokens_under_a_rule(what: str) -> None:
    file, rule, expected = RULES[what]
    assert became(read_tables([FILES / file], rule=rule, layout=answers(file)).release) == expected


BAD: dict[str, tuple[list[str], list[str]]] = {
    "a token nobody explains": (
        ["tidy.csv"],
        [
            "tidy.csv, row 4, column C: what '*' means is not known (no rule was named); say --token '*=A..B', such as"
            " '*=1..4', or"
            " '*=0..' for any number; rules that know it: nhs-hes, cms"
        ],
    ),
    "a dash nobody explains": (
        ["dash_unexplained.csv"],
        [
            "dash_unexplained.csv, row 2, column C: what '-' means is not known (no rule was named); say --token '-=A..B',"
            " such as"
            " '-=0' if it means none; rules that know it: delaware-doe"
        ],
    ),
    "a token the rule does not know": (
        ["tidy.csv", "--rule", "below:5"],
        [
            "tidy.csv, row 4, column C: what '*' means is not known (the rule below:5 does not know it); say --token"
            " '*=A..B', such as"
            " '*=1..4', or '*=0..' for any number; rules that know it: nhs-hes, cms"
        ],
    ),
    "a number that the rule never shows": (
        ["county.csv", "--rule", "nhs-hes"],
        [
            "county.csv, row 2, column B: 4 is never shown under the rule nhs-hes; choose another rule, or say what it"
            " means with"
            " --token '4=A..B'",
            "county.csv, row 3, column B: 2 is never shown under the rule nhs-hes; choose another rule, or say what it"
            " means with"
            " --token '2=A..B'",
            "county.csv, row 4, column B: 7 is never shown under the rule nhs-hes; choose another rule, or say what it"
            " means with"
            " --token '7=A..B'",
        ],
    ),
    "two readings of a last row": (
        ["shire.csv"],
        [
            "shire.csv, table shire, variable Town: two readings fit: 'Borsetshire' is the total of 'Ambridge', 'Penny Hassett'"
            " ('Borsetshire' equals the sum of 'Ambridge', 'Penny Hassett' in 2 of 2 lines); or 'Borsetshire' is a value of Town"
            ' like the others. Say which in the layout file: [[table]] name = "shire" totals = {"Town" = ["Borsetshire"]} or'
            ' [[table]] name = "shire" totals = {"Town" = []}'
        ],
    ),
    "two readings of percentages": (
        ["percent_doubt.csv"],
        [
            "percent_doubt.csv, table percent_doubt, the percentages: two readings fit: the percentages are of the total for each"
            " Sex; or the percentages are of the total for each Town. Say which in the layout file: [[table]] name ="
            ' "percent_doubt" percent_within = ["Sex"] or [[table]] name = "percent_doubt" percent_within = ["Town"]'
        ],
    ),
    "a column that may count everybody": (
        ["deaths.csv"],
        [
            "deaths.csv, table deaths, variable deaths columns: two readings fit: 'Patients' counts everybody, and others than"
            " 'Deaths', too ('Patients' is the largest number in every line); or 'Patients' is a value of deaths columns like the"
            ' others. Say which in the layout file: [[table]] name = "deaths" totals = {"deaths columns" = ["Patients"]} or'
            ' [[table]] name = "deaths" totals = {"deaths columns" = []}'
        ],
    ),
    "two readings of words": (
        ["group_words_a.csv", "group_words_b.csv"],
        [
            "group_words_b.csv, table group_words_b, variable Town: two readings fit: 'Elsewhere' of Town are values of their own;"
            " or 'Elsewhere' is a group of 'Darrington', 'Felpersham' of group_words_a.csv. Say which in the layout file:"
            ' [variables."Town"] groups = {"Elsewhere" = ["Elsewhere"]} or [variables."Town"] groups = {"Elsewhere" ='
            ' ["Darrington", "Felpersham"]}'
        ],
    ),
    "ages that became dates": (
        ["excel_dates.csv"],
        [
            "excel_dates.csv, row 3: the label '05-Sep' is a date that a spreadsheet made of a group such as 5-9; type it"
            " again as text"
        ],
    ),
    "a total that does not add up": (
        ["wrong_total.csv"],
        [
            "wrong_total.csv, table wrong_total, variable Sex: two readings fit: 'Total' counts everybody, and others than 'Male',"
            " 'Female', too (it is called 'Total'; wrong_total.csv, row 3, column D: 4 is shown as the total of 2 + 1); or 'Total'"
            ' is a value of Sex like the others. Say which in the layout file: [[table]] name = "wrong_total" totals = {"Sex" ='
            ' ["Total"]} or [[table]] name = "wrong_total" totals = {"Sex" = []}'
        ],
    ),
    "rounded numbers without a rule": (
        ["rounded.csv"],
        [
            "rounded.csv, table rounded: two readings fit: the numbers are rounded to multiples of 5; a rule that fits, too, is"
            " opensafely-old or nomis-5 or rr5 or cell-key-2 (all 9 numbers are multiples of 5); or they are exact. Say which in"
            ' the layout file: rule = "round:5" or rule = "exact"'
        ],
    ),
    "no headings": (
        ["no_header.csv"],
        [
            "no_header.csv, rows 1 to 3 are left out: its first row holds numbers, not headings; type a name above each column.",
            "no table could be read, so nothing was imported; a layout file can say how to read one",
        ],
    ),
    "a kind of file that is not read": (
        ["firms.hrc"],
        ["firms.hrc: files that end in '.hrc' are not read; give the .tab file instead"],
    ),
    "a rule that is not there": (
        ["county.csv", "--rule", "nhs"],
        ["--rule 'nhs': there is no such rule (`foregone rules` lists them all); did you mean 'nhs-hes'?"],
    ),
    "a token that says nothing": (
        ["county.csv", "--token", "*"],
        ["--token '*': cannot be read; write TOKEN=n, TOKEN=a..b or TOKEN=a.., such as '*=1..4'"],
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_file_is_named_in_one_line(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments, problems = BAD[what]
    monkeypatch.chdir(FILES)
    done = run("import", *arguments, "--out", tmp_path / "release")
    assert (done.status, done.problems) == (2, [f"error: {problem}" for problem in problems])
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize("stem", ANSWERS)
def test_what_is_answered_for_a_file_is_asked_about_it(stem: str) -> None:
    """Columns without a total, or years without a word for what is counted, are not read in one way or the other."""
    with pytest.raises(NotImported) as caught:
        read_tables([FILES / f"{stem}.csv"], rule="cbp" if stem == "business" else "")
    assert [set(choice.settings) for question in caught.value.questions for choice in question.choices] == (
        [{"dates"}, {"dates"}] if stem == "change" else [{"measure"}, {"exclusive"}]
    )


def test_every_file_is_used() -> None:
    used = {name for files, _, _ in CASES.values() for name in files} | {file for file, _, _ in RULES.values()}
    used |= {file for file, _ in PERCENTS.values()} | {"percent_wrong.csv"}
    used |= {argument for arguments, _ in BAD.values() for argument in arguments}
    assert {path.name for path in FILES.iterdir()} - used == {"firms.rda"}
    assert len(used) > 25
