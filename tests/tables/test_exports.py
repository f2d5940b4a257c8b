"""Files as offices and programs export them, made up by us: each is read right, at once or after the questions it asks, or refused.

How many records there are was worked out from the files by other means than the importer.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from foregone.model.errors import InputError
from foregone.tables.importing import Imported, NotImported, read_tables
from foregone.tables.layout_file import GivenLayout, read_layout, with_choice
from foregone.tables.reading.question import Reads

FILES = Path(__file__).parent / "exports"
NEW, AGAIN = (0,), (1,)


@dataclass(frozen=True, slots=True)
class Export:
    """What a file must become: its questions by the reading that comes first, which choice answers each, and what is there then."""

    numbers: int
    records: str
    variables: tuple[str, ...]
    asked: tuple[Reads, ...] = ()
    answers: tuple[int, ...] = ()
    tokens: tuple[str, ...] = ()


READ = {
    "abs_tablebuilder.csv": Export(24, "700 records", ("STATE (UR)", "AGE10P - Age in Ten Year Groups", "SEXP Sex")),
    "censusgov_detailed.csv": Export(13, "3,068 records", ("Sex", "Label (Grouping)")),
    "censusgov_download.csv": Export(21, "14,902 records", ("Geographic Area Name", "censusgov_download columns")),
    "censusgov_profile.csv": Export(9, "3,068 records", ("SEX AND AGE", "RACE")),
    "dfe_characteristics.csv": Export(
        9, "257 records", ("time_period", "characteristic"), (Reads.TWO_VARIABLES, Reads.MEASURES, Reads.NEW), (0, 0, 0)
    ),
    "dfe_levels.csv": Export(
        6, "3,169 or more records", ("geographic_level", "phase_type_grouping", "sex"), (Reads.ROWS,), (0,), ("c=0..",)
    ),
    "eurostat.xlsx": Export(6, "342 records", ("GEO (Labels)", "TIME"), (Reads.NEW,), NEW),
    "eurostat_confidential.tsv": Export(12, "572 or more records", ("sex", "geo", "time"), (Reads.NEW,), NEW),
    "eurostat_deaths.tsv": Export(60, "1,583 or more records", ("sex", "age", "geo", "TIME_PERIOD")),
    "eurostat_sdmx.csv": Export(24, "1,354 records", ("sex", "age", "geo", "TIME_PERIOD"), (Reads.NEW,), NEW),
    "genesis_cross.csv": Export(
        30, "1,740 records", ("genesis_cross rows", "genesis_cross rows 2", "Altersgruppen"), (Reads.ONE_VARIABLE,), (0,)
    ),
    "genesis_flat.csv": Export(8, "8,963 records", ("Zeit", "1_Auspraegung_Label", "2_Auspraegung_Label"), (Reads.NEW,), NEW),
    "ine_es.csv": Export(15, "15,607 records", ("ine_es rows", "ine_es columns")),
    "ine_long.csv": Export(24, "708 records", ("Sexo", "Edad", "Periodo"), (Reads.NEW,), NEW),
    "istat.csv": Export(24, "754 records", ("Territorio", "Sesso", "Età")),
    "nomis_census.csv": Export(18, "3,423 records", ("Age", "nomis_census columns"), (Reads.MEASURES,), (1,)),
    "nomis_claimants.csv": Export(
        12, "1,430 records", ("local authority", "nomis_claimants columns"), (Reads.ROUNDED,), (1,)
    ),
    "ons.xlsx": Export(15, "61 records", ("Age group [note 1]", "Sex"), tokens=("[c]=0..",)),
    "opensafely_measures.csv": Export(6, "800 records", ("interval_end", "sex"), (Reads.NEW, Reads.ROUNDED), (0, 1)),
    "opensafely_rounded.csv": Export(
        9, "12,305 records", ("Sex", "Care home"), (Reads.MEASURES, Reads.MEASURES, Reads.ROUNDED), (0, 0, 1)
    ),
    "opensafely_table1.csv": Export(23, "1,200 records", ("Age band", "Sex", "IMD"), (Reads.ROUNDED,), (1,)),
    "pandas_describe.csv": Export(2, "55 records", ("town",)),
    "pandas_groupby.csv": Export(4, "85 records", ("sex", "age")),
    "pandas_index.csv": Export(8, "106 records", ("town", "sex", "age")),
    "pandas_merged.xlsx": Export(15, "106 records", ("town", "age", "sex")),
    "pandas_multi.csv": Export(12, "164 records", ("age", "sex", "smoker")),
    "r_addmargins.csv": Export(12, "105 records", ("r_addmargins rows", "Sex")),
    "r_asdataframe.csv": Export(6, "105 records", ("Var1", "Var2")),
    "r_ftable.txt": Export(8, "610 records", ("Class", "Sex", "Survived")),
    "r_summary.csv": Export(1, "1,200 records", ("r_summary rows",), (Reads.ONE_VARIABLE,), (1,)),
    "r_table.csv": Export(6, "105 records", ("r_table rows", "Sex")),
    "sas_freq.csv": Export(4, "105 records", ("Sex", "Age")),
    "scb_contents.px": Export(24, "5,596 records", ("region", "kön", "år"), (Reads.ONE_MEASURE,), (0,)),
    "simd.csv": Export(8, "729 records", ("Data_Zone",), (Reads.MEASURES,), (0,)),
    "spss_crosstab.csv": Export(12, "105 records", ("Age group", "Sex")),
    "stata_tab2xl.csv": Export(7, "105 records", ("age group",)),
    "statcan.csv": Export(24, "3,336 or more records", ("REF_DATE", "GEO", "Sex", "Age group"), (Reads.NEW,), NEW),
    "statcan_thousands.csv": Export(
        24, "3,324,500 or more records", ("REF_DATE", "GEO", "Sex", "Age group"), (Reads.NEW,), NEW
    ),
    "statcube.csv": Export(24, "5,311 records", ("Jahr", "Bundesland (NUTS 2 Einheit)", "Geschlecht"), (Reads.NEW,), AGAIN),
    "statsnz_infoshare.csv": Export(24, "769 records", ("statsnz_infoshare rows", "region (Annual-Dec)")),
    "statsnz_long.csv": Export(
        12, "1,500 or more records", ("Age group", "Sex", "Area"), (Reads.ROUNDED,), (1,), ("C=0..",)
    ),
    "wonder_county_year.txt": Export(12, "518 records", ("County", "Year")),
    "wonder_totals.txt": Export(34, "7,595 records", ("Ten-Year Age Groups", "Gender"), tokens=("Suppressed=0..9",)),
}
REFUSED = {
    "eurostat_percent.tsv": "its numbers count no records ('percent' says 'percent')",
    "genesis_signs.csv": "a footnote of",
    "r_proptable.csv": "it holds numbers that are not whole",
}


def answered(export: Export, path: Path) -> Imported:
    """The import of a file once its questions are answered as the table above says, one after the other."""
    given, left, seen = GivenLayout(), list(export.answers), list[Reads]()
    while True:
        made = attempted(path, given, export.tokens)
        if isinstance(made, Imported):
            assert tuple(seen) == export.asked
            return made
        assert made.questions, made.problems
        question = made.questions[0]
        seen.append(question.kind[0])
        assert left, (question.kind, made.problems)
        given = with_choice(given, question.table, question.choices[left.pop(0)])


def attempted(path: Path, given: GivenLayout, tokens: tuple[str, ...]) -> Imported | NotImported:
    try:
        return read_tables([path], layout=given, tokens=tokens)
    except NotImported as error:
        return error


@pytest.mark.parametrize("name", READ)
def test_an_export_is_read(name: str) -> None:
    export = READ[name]
    made = answered(export, FILES / name)
    release = made.release
    assert len(release.statistics) + len(release.figures) == export.numbers
    assert made.records.startswith(export.records), made.records
    assert release.domain.names == export.variables


@pytest.mark.parametrize("name", READ)
def test_the_layout_of_an_export_says_the_same_again(name: str, tmp_path: Path) -> None:
    export = READ[name]
    made = answered(export, FILES / name)
    layout = tmp_path / "layout.toml"
    layout.write_text(made.layout, "utf-8")
    again = read_tables([FILES / name], layout=read_layout(layout))
    assert again.release.statistics == made.release.statistics
    assert again.records == made.records


@pytest.mark.parametrize("name", REFUSED)
def test_an_export_without_counts_is_refused(name: str) -> None:
    with pytest.raises(InputError) as caught:
        read_tables([FILES / name])
    assert REFUSED[name] in str(caught.value)


def test_every_file_is_looked_at() -> None:
    assert {path.name for path in FILES.iterdir()} == {*READ, *REFUSED}


def test_the_gallery_shows_what_is_there_and_what_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FILES)
    sections = (Path(__file__).parents[2] / "docs" / "shapes.md").read_text("utf-8").split("\n## ")[1:]
    assert len(sections) > 10
    for section in sections:
        name = section.partition("<!-- ")[2].partition(" -->")[0]
        excerpt, said = (part.partition("```")[0].splitlines() for part in section.split("```text\n")[1:])
        raw = (FILES / name).read_bytes()
        inside = {blanks_alike(line) for line in raw.decode("cp1252" if name.startswith("genesis") else "utf-8-sig").splitlines()}
        assert {blanks_alike(line) for line in excerpt[:-1]} <= inside
        made = answered(READ[name], Path(name))
        assert said == [*made.said, f"Together {made.records}"]
        assert ("It asks" in section) == bool(READ[name].asked)


def blanks_alike(line: str) -> str:
    return line.replace("\t", "    ").replace("\u00a0", " ").rstrip()
