"""Hostile settings: layouts and policies with something else in every place."""

from __future__ import annotations

from collections.abc import Iterator

TOML = [
    "3", "-1", "0", "1.5", "nan", "inf", "true", '""', '"x"', '"\\u0000"', f'"{"x" * 2000}"', "[]", "{}", "[1]", '["A"]', '[["A"]]',
    '{"A" = 1}', '{"Age" = ["Total"]}', '{"Age" = {"x" = ["0-17"]}}', "2024-05-09", "07:32:00", "10000000000000000",
    "9223372036854775807", '"1-9999999"', '"0"', '"5-1"', '"2-3,2-3"', '["ZZZZZZZZ"]', '"B"',
]  # fmt: skip
TABLE = [
    "name", "file", "sheet", "header", "body", "labels", "numbers", "percents", "rows", "columns", "totals", "groups", "where",
    "percent_within", "sections", "outside", "leave_out", "strange",
]  # fmt: skip
VARIABLE = ["name", "same", "different", "groups", "strange"]
ROOT = ["rule", "record", "tokens", "table", "variables", "strange"]
POLICY = [
    "fewest_columns", "singled_out_columns", "smallest_group", "largest_baseline", "attribute", "attribute_from", "stars",
    "primary", "min_width", "both_sides", "know", "fail", "review", "strange",
]  # fmt: skip
POLICY_VALUES = [
    "3", "-1", "0", "1.5", "nan", "inf", "true", '""', '"x"', f'"{"9" * 500}"', "[]", "{}", "[1]", '["A"]', '[["A"]]', '{"A" = 1}',
    "2024-05-09", "100000000000000", "9223372036854775807", '"1..3"', '"3..1"', '"0..999999999999999"',
    '["zeros-shown", "primary<=3"]', '"unknown"',
]  # fmt: skip
TEXTS = {
    "nothing": b"",
    "blanks": b"\n\n",
    "a mark alone": b"\xef\xbb\xbf",
    "NUL": b"a = 1\0",
    "UTF-16": "a = 1".encode("utf-16"),
    "no encoding": b"a = '\xff'",
    "YAML": b"table:\n  - name: t\n",
    "JSON": b'{"table": []}',
    "a key twice": b"record = 'x'\nrecord = 'y'\n",
    "a table twice": b"[tokens]\n[tokens]\n",
    "deep": b"a = " + b"[" * 5000,
    "deep and closed": b"a = " + b"[" * 300 + b"]" * 300,
    "deep keys": b".".join([b"a"] * 3000) + b" = 1",
    "a long number": b"a = " + b"9" * 10_000,
    "a long line": b"a = '" + b"x" * 300_000 + b"'",
    "a half character": b'a = "\\ud800"',
    "many tables": b"[[table]]\nname = 't'\n" * 3000,
    "many names": b"".join(
        b"[[table]]\nname = 't-%d'\nheader = '1'\nbody = '2-3'\nlabels = ['A']\nnumbers = ['B']\n" % i for i in range(2, 400)
    ),
    "cut": b"[[table]]\nname = 't",
    "many tokens": b"[tokens]\n" + b"".join(b'"t%d" = "1..4"\n' % i for i in range(2000)),
    "tokens that are none": b'[tokens]\n"*" = "4..1"\n',
    "tokens of great numbers": b'[tokens]\n"*" = "0..999999999999999999"\n',
    "an empty token": b'[tokens]\n"" = "1..4"\n',
    "a number as token": b'[tokens]\n"3" = "0..9"\n',
    "all rows": b"[[table]]\nname = 't'\nbody = '" + b",".join([b"1-1048576"] * 50) + b"'\n",
}


def layouts() -> Iterator[tuple[str, bytes]]:
    yield from TEXTS.items()
    for key in ROOT:
        for value in TOML:
            yield f"{key} is {value:.20}", f"{key} = {value}\n".encode()
    for key in TABLE:
        for value in TOML:
            name = "" if key == "name" else 'name = "t"\n'
            yield f"table.{key} is {value:.20}", f"[[table]]\n{name}{key} = {value}\n".encode()
    for key in VARIABLE:
        for value in TOML:
            yield f"variables.Age.{key} is {value:.20}", f'[variables."Age"]\n{key} = {value}\n'.encode()
    for value in TOML:
        yield f"variables.Age is {value:.20}", f'[variables]\n"Age" = {value}\n'.encode()
        yield f"tokens.* is {value:.20}", f'[tokens]\n"*" = {value}\n'.encode()


def policies() -> Iterator[tuple[str, bytes]]:
    yield from TEXTS.items()
    for key in POLICY:
        for value in POLICY_VALUES:
            yield f"{key} is {value:.20}", f"{key} = {value}\n".encode()
    for value in POLICY_VALUES:
        yield f"review is {value:.20}", f"[review]\nsmallest_group = {value}\n".encode()
        yield f"min_width beside a range is {value:.20}", f'primary = "1..3"\nmin_width = {value}\n'.encode()
        yield f"both_sides beside a range is {value:.20}", f'primary = "1..3"\nboth_sides = {value}\n'.encode()
