"""The parts of a workbook that was written: results of formulas put back, caches taken out, and a last look at all of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import BytesIO
from xml.etree import ElementTree
from xml.sax.saxutils import escape, unescape
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from foregone.publishing.secrets import Secrets

FORMULA = re.compile(r'<c r="([A-Z]+[0-9]+)"([^>]*)>(<f[^>]*?(?:/>|>.*?</f>))<v ?(?:/>|>[^<]*</v>)</c>', re.DOTALL)
CACHE = re.compile(r"<((?:\w+:)?)(numCache|strCache|multiLvlStrCache)\b.*?</\1\2>", re.DOTALL)
SAVED = re.compile(r"(<dcterms:modified[^>]*>)[^<]*(</)")
WORDS = re.compile(r"(<(?:a|t|x)?:?t(?: [^>]*)?>)([^<]*)(</)")
PAGE_LINES = ("oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter")
TEXT_ONLY = ("f", "formula", "formula1", "formula2", *PAGE_LINES)
PAGE_CODE = re.compile(r'&"[^"]*"|&K[0-9A-Fa-f+.-]+|&[0-9]+|&[A-Za-z]')  # fonts, sizes and colours in lines of a page
VALUES = ("filter", "customFilter", "inputCells")  # elements of a sheet with a number of a cell as an attribute
KINDS = {
    "customXml": "data of other programs (custom XML)",
    "thumbnail": "a picture of the first page",
    "externalLinks": "values remembered from other files",
    "pivotCache": "a copy of the source of a pivot table",
    "pivotTables": "pivot tables, whose cells stay as they are",
    "threadedComments": "threads of comments",
    "persons": "names of people who commented",
    "embeddings": "embedded documents",
    "ctrlProps": "form controls",
    "activeX": "controls",
    "slicers": "slicers",
    "slicerCaches": "values remembered for slicers",
    "timelines": "timelines",
    "printerSettings": "settings of a printer",
    "connections.xml": "connections to other data",
    "queryTables": "queries of other data",
    "model": "a data model",
    "richData": "linked data types",
    "vbaProject.bin": "macros",
    "webextensions": "add-ins",
    "diagrams": "diagrams",
    "media": "pictures",
    "charts": "charts",
    "chartsheets": "sheets that are charts",
    "drawings": "drawings",
}

Results = Mapping[str, str | None]
"""Cell -> the attribute and element that hold its result, as XML."""


def finished(made: bytes, results: Mapping[str, Results], secrets: Secrets, mark: str, saved: str) -> bytes:
    """A workbook as a library saved it, with the results of its formulas (`results` by part and cell), and without what charts
    remember of their data. It says that it was `saved` when the original was, so that the same files give the same bytes.
    """
    out = BytesIO()
    with ZipFile(BytesIO(made)) as archive, ZipFile(out, "w", ZIP_DEFLATED) as copy:
        for info in archive.infolist():
            content = archive.read(info)
            if info.filename in results:
                content = _with_results(content.decode("utf-8"), results[info.filename]).encode("utf-8")
            elif info.filename.startswith("xl/charts/"):
                text = CACHE.sub("", content.decode("utf-8"))
                content = WORDS.sub(lambda found: f"{found[1]}{_clean(found[2], secrets, mark)}{found[3]}", text).encode("utf-8")
            elif info.filename == "docProps/core.xml" and saved:
                content = SAVED.sub(lambda found: f"{found[1]}{saved}{found[2]}", content.decode("utf-8")).encode("utf-8")
            copy.writestr(ZipInfo(info.filename), content, ZIP_DEFLATED)
    return out.getvalue()


def _clean(text: str, secrets: Secrets, mark: str) -> str:
    return escape(secrets.cleaned(unescape(text), mark).text)


def _with_results(text: str, results: Results) -> str:
    def put(found: re.Match[str]) -> str:
        said = results.get(found[1])
        if said is None:
            return found[0]
        kind, _, value = said.partition(" ")
        attributes = re.sub(r' t="\w*"', "", found[2]) + (f' t="{kind}"' if kind else "")
        return f'<c r="{found[1]}"{attributes}>{found[3]}<v>{value}</v></c>'

    return FORMULA.sub(put, text)


def taken_out(before: bytes, after: bytes) -> list[str]:
    """Kinds of parts that the original has and what was written has not, a sentence each."""
    had, has = (_kinds(content) for content in (before, after))
    return [f"{words[0].upper()}{words[1:]}: not in the written file." for kind, words in KINDS.items() if kind in had - has]


def _kinds(content: bytes) -> set[str]:
    with ZipFile(BytesIO(content)) as archive:
        return {
            kind
            for name in archive.namelist()
            for piece in name.split("/")
            for kind in KINDS
            if piece == kind or piece.startswith(f"{kind}.")
        }


def left_behind(content: bytes, secrets: Secrets, sheets: Mapping[str, str]) -> list[str]:
    """Where a withheld number of two digits or more still stands in a workbook, apart from the cells themselves, which are looked
    at one by one: a line for each part. `sheets` names the sheets by their parts.
    """
    found = []
    with ZipFile(BytesIO(content)) as archive:
        for name in archive.namelist():
            if not name.lower().endswith((".xml", ".vml")) or name.startswith("xl/theme/") or name == "[Content_Types].xml":
                continue
            place = f"sheet {sheets[name]}" if name in sheets else f"part {name}"
            found += [f"{place}: {what}" for what in _texts_with(archive.read(name), name in sheets, name, secrets)]
    return list(dict.fromkeys(found))


def _texts_with(content: bytes, sheet: bool, name: str, secrets: Secrets) -> list[str]:
    found = []
    for element in ElementTree.fromstring(content).iter():
        tag = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
        texts = [element.text or ""] if (tag in TEXT_ONLY if sheet else name != "xl/sharedStrings.xml") else []
        if tag in VALUES:
            texts.append(element.get("val") or "")
        if tag == "numFmt":
            texts += re.findall(r'"([^"]*)"', element.get("formatCode") or "")
        if tag in ("definedName", "f", *TEXT_ONLY[1:4]) and texts:
            texts = re.split(r"[^0-9.]+", re.sub(r"\$?[A-Za-z]+\$?[0-9]+", " ", texts[0]))
        if tag in PAGE_LINES:
            texts = [PAGE_CODE.sub(" ", text) for text in texts]
        held = [text for text in texts if text.strip() and secrets.cleaned(text, "").text != text]
        found += [f"{held[0].strip()[:60]!r} holds a number that is not shown"] if held else []
    return found
