"""The parts of the checker: how much of it a plain audit needs, and what the kernel is made of."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from foregone import Figure, Measure, Predicate, Release, audit, checker
from foregone.census.demo import demo_release
from foregone.checker import kernel
from foregone.checker.read.refusal import SENTENCES
from foregone.engine import proofs

ROOT = Path(__file__).parents[2]
FOLDER = Path(checker.__file__).parent
RUN = """
import sys
from pathlib import Path
from foregone.checker import check, read_json, read_release
result = check(read_release(Path("release")), read_json(Path("proofs.json")), True)
assert (result.rejected, result.complete) == ([], True), result
print(*(module.__file__ for name, module in sys.modules.items() if name.startswith("foregone.checker")))
"""


def needed(folder: Path, release: Release) -> set[str]:
    """The files of the checker that are loaded where it stands alone, to check that an audit is right and complete."""
    release.write(folder / "release")
    (folder / "proofs.json").write_text(json.dumps(proofs(audit(release))))
    shutil.copytree(FOLDER, folder / "alone" / "foregone" / "checker", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "alone" / "foregone" / "__init__.py").touch()
    alone = {"PYTHONPATH": str(folder / "alone")}
    ran = subprocess.run([sys.executable, "-S", "-c", RUN], cwd=folder, env=alone, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return {Path(name).relative_to(folder / "alone" / "foregone" / "checker").as_posix() for name in ran.stdout.split()}


def lines(name: str) -> int:
    """Lines of a file that are not blank; comments and docstrings are there to be read, too."""
    return sum(bool(line.strip()) for line in (FOLDER / name).read_text("utf-8").splitlines())


def test_an_audit_without_figures_needs_less_than_a_thousand_lines(tmp_path: Path) -> None:
    release, _ = demo_release()
    used = needed(tmp_path, release)
    assert {name for name in used if not name.endswith("__init__.py")} == {
        "kernel.py",
        "read/refusal.py",
        "read/values.py",
        "read/files.py",
        "read/proofs.py",
        "encode/release.py",
        "verdicts/datasets.py",
        "verdicts/claims.py",
    }
    total = sum(map(lines, used))
    assert total < 1000
    for page in ("docs/soundness.md", "docs/proofs.md"):
        (said,) = re.findall(r"needs ([0-9,]+) lines", " ".join((ROOT / page).read_text("utf-8").split()))
        assert int(said.replace(",", "")) == total, f"{page}: {total} lines are needed"


def test_figures_are_loaded_where_there_are_some(tmp_path: Path) -> None:
    plain, _ = demo_release()
    release = Release(plain.domain, plain.statistics, plain.rules, figures=[Figure.exact(Measure.PERCENT, "", Predicate(), 100)])
    assert "encode/figures.py" in needed(tmp_path, release)


def test_the_kernel_stands_alone_and_says_nothing() -> None:
    """It imports the standard library; and what it raises has a name, for which there is a sentence elsewhere."""
    tree = ast.parse(Path(kernel.__file__).read_text("utf-8"))
    modules = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert {(name or "").partition(".")[0] for name in modules} <= sys.stdlib_module_names
    raised = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc is not None]
    names = {ast.literal_eval(call.args[0]) for call in raised if isinstance(call, ast.Call)}
    assert len(names) == len(raised)
    assert names == set(SENTENCES)


def test_theorems_that_comments_name_are_there() -> None:
    proved = "".join(path.read_text("utf-8") for path in (ROOT / "formal").glob("*.v"))
    named = [
        name
        for path in FOLDER.rglob("*.py")
        for found in re.findall(r"Coq: ([\w, ]+)", path.read_text("utf-8"))
        for name in found.replace(",", " ").split()
    ]
    assert len(named) > 15
    assert [name for name in named if not re.search(rf"^(Theorem|Lemma) {name}\b", proved, re.MULTILINE)] == []
