"""The table of what is proved names every file of the checker, and only functions and theorems that there are."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHECKER, FORMAL = ROOT / "src" / "foregone" / "checker", ROOT / "formal"
PAGE = (ROOT / "docs" / "soundness.md").read_text("utf-8")
TABLE = PAGE.split("## What is proved by machine\n")[1].split("\n## ")[0]
TRUSTED = PAGE.split("## What has to be trusted\n")[1]


def named(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def test_every_file_is_in_the_table_and_in_the_list() -> None:
    files = {path.relative_to(CHECKER).as_posix() for path in CHECKER.rglob("*.py") if path.name != "__init__.py"}
    parts = {path.name for path in CHECKER.iterdir() if path.is_dir()} | {"kernel.py"}
    for text in (TABLE, TRUSTED):
        assert {name for name in named(text) if name.endswith(".py") and name.split("/")[0] in parts} == files
        assert {"cli/check.py", "workflows/check.py", "workflows/check_folder.py"} <= set(named(text))


def test_every_function_and_every_theorem_is_there() -> None:
    proved = "".join(path.read_text("utf-8") for path in FORMAL.glob("*.v"))
    rows = [line.split(" | ") for line in TABLE.splitlines() if line.startswith("| `")]
    assert len(rows) > 10
    for functions, theorems, _ in rows:
        (file, *listed) = named(functions)
        if ": `" in functions:
            source = (CHECKER / file).read_text("utf-8")
            assert [name for name in listed if not re.search(rf"^(def|class) {name}\b", source, re.MULTILINE)] == [], file
        assert [name for name in named(theorems) if not re.search(rf"^(Theorem|Lemma) {name}\b", proved, re.MULTILINE)] == [], file
