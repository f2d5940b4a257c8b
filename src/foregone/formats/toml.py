"""Settings files: TOML, with errors that name the row and show the right way."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foregone.formats.text import read_text
from foregone.model.errors import InputError

YAML = re.compile(r"\s*[\w-]+\s*:(\s|$)|---\s*$")  # how a line of YAML begins
POSITION = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a file says, and where it says it."""

    path: Path
    text: str
    content: dict[str, Any]

    def place(self, key: str, table: str = "") -> str:
        """File, row and key, for a message; without the row where it is written in an unusual way."""
        inside = ""
        for row, line in enumerate(self.text.splitlines(), start=1):
            if heading := re.fullmatch(r"\s*\[\s*([\w.-]+)\s*\]\s*(#.*)?", line):
                inside = heading[1]
                if not key and inside == table:
                    return f"{self.path}, row {row}"
            if key and inside == table and re.match(rf"\s*{re.escape(key)}\s*=", line):
                return f"{self.path}, row {row}"
        return f"{self.path}, [{table}]" if table else str(self.path)


def read_toml(path: Path, example: str) -> Settings:
    """Read a settings file; `example` is a line or two of one, for whoever wrote something else."""
    text = read_text(path)
    try:
        return Settings(path, text, tomllib.loads(text))
    except RecursionError:
        raise InputError(f"{path}: nested too deeply to be read; write it as in {example}") from None
    except ValueError as error:  # a TOMLDecodeError, or a number of thousands of digits
        lines, found = text.splitlines(), POSITION.search(str(error))
        if found is None:
            raise InputError(f"{path}: cannot be read ({error}); write it as in {example}") from None
        row = int(found[1] or len(lines))
        line = lines[row - 1].strip()
        if YAML.match(line):
            raise InputError(f"{path}, row {row}: {line!r} looks like YAML; write TOML, such as {example}") from None
        raise InputError(f"{path}, row {row}: not valid TOML ({POSITION.sub('', str(error))}); write it as in {example}") from None
