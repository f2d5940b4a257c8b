"""The packages of Foregone and who imports whom, as drawn in CONTRIBUTING.md: `python -m tests.packages` draws it anew."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
BETWEEN = re.compile(r"(?s)(<!-- packages: drawn by tests/packages\.py -->\n).*?(<!-- /packages -->)")
YES, NO, UPWARDS, DIAGONAL = "x", "·", "!", "\\"


def layers() -> list[str]:
    """The packages from top to bottom, as the contract in pyproject.toml has them; in brackets are single modules."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    [contract] = [c for c in settings["tool"]["importlinter"]["contracts"] if c["id"] == "layers"]
    return [name.strip() for layer in contract["layers"] for name in layer.split("|") if "(" not in name]


def imports() -> set[tuple[str, str]]:
    """Pairs of packages of which the first imports the second somewhere, be it inside a function."""
    graph = grimp.build_graph("foregone", cache_dir=None)
    pairs = [(one, other) for one in graph.modules for other in graph.find_modules_directly_imported_by(one)]
    inside = [(one.split(".")[1], other.split(".")[1]) for one, other in pairs if "." in one and "." in other]
    return {(one, other) for one, other in inside if one != other}


def drawn(order: list[str], found: set[tuple[str, str]]) -> str:
    """A row says what a package imports. All marks lie above the diagonal as long as imports point downwards."""
    order = [name for name in order if any(name in pair for pair in found)]
    width = max(map(len, order))
    lines = [" " * width + "  " + "  ".join(order)]
    for i, one in enumerate(order):
        cells = []
        for j, other in enumerate(order):
            mark = DIAGONAL if j == i else NO if (one, other) not in found else YES if j > i else UPWARDS
            cells.append(mark.center(len(other)))
        lines.append(f"{one:<{width}}  {'  '.join(cells)}".rstrip())
    return "\n".join(lines)


def page(text: str) -> str:
    """The text of CONTRIBUTING.md with the graph as it is now."""
    graph = drawn(layers(), imports())
    assert BETWEEN.search(text), "CONTRIBUTING.md has no place for the graph"
    return BETWEEN.sub(lambda found: f"{found[1]}\n```text\n{graph}\n```\n\n{found[2]}", text)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
    print(f"{PAGE.name}: drawn anew.")
