"""Random damage to files of every kind, for as long as one likes:

    python -m tests.hostile.campaign --seconds 600 --seed 1 --keep found

Every file that ends in anything but a clean answer is kept, with the command that it broke.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from time import monotonic

from tests.cli.commands import sensible
from tests.hostile.good import good
from tests.hostile.releases import Make, proofs, releases
from tests.hostile.test_hostile import ANY, MEGABYTES, SECONDS, imported, layout_cases, table_cases
from tests.hostile.workbooks import workbooks

GOOD_SHARE = 0.8  # of the files that were in order before
TOKENS = [
    b"0", b"-1", b"9" * 25, b"1e9", b"1e400", b"nan", b"inf", b"null", b"true", b'""', b'"', b"'", b",", b";", b"\n", b"\r\n",
    b"\0", b"[", b"]", b"{", b"}", b"<", b">", b"&", b"=", b"|", b"*", b"..", b"%", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80",
    "\u202e".encode(), b"\x1b[2J", b"A1:XFD1048576", b"999999999", b"<!DOCTYPE a>", b"2147483648", b"18446744073709551616", b" ",
    b"\t", b"x" * 5000, b"Total", b"1.5", b"(", b")", b"@",
]  # fmt: skip


def damaged(raw: bytes, rng: random.Random) -> bytes:
    """A few changes: letters, pieces cut out, doubled or moved, tokens put in."""
    made = bytearray(raw)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        at, to = sorted((rng.randrange(len(made) + 1), rng.randrange(len(made) + 1)))
        to = min(to, at + rng.choice([1, 3, 10, 60, 400]))
        kind = rng.randrange(7)
        if kind == 0 and made:
            made[min(at, len(made) - 1)] = rng.randrange(256)
        elif kind == 1:
            del made[at:to]
        elif kind == 2:
            made[at:at] = made[at:to] * rng.choice([1, 2, 5, 50])
        elif kind == 3:
            del made[at:]
        elif kind == 4:
            made[at:to] = rng.choice(TOKENS)
        elif kind == 5:
            made[at:at] = rng.choice(TOKENS)
        else:
            numbers = [i for i, letter in enumerate(made) if 48 <= letter <= 57]
            if numbers:
                one = rng.choice(numbers)
                made[one : one + 1] = rng.choice(TOKENS[:10])
    return bytes(made)


def damaged_archive(raw: bytes, rng: random.Random) -> bytes:
    """A workbook with damage to one of its parts, or to the archive itself."""
    try:
        with zipfile.ZipFile(BytesIO(raw)) as archive:
            parts = {info.filename: archive.read(info) for info in archive.infolist() if info.file_size < 10_000_000}
    except Exception:  # this one is no archive any more
        return damaged(raw, rng)
    if not parts or rng.random() < 0.15:
        return damaged(raw, rng)
    name = (
        rng.choice([name for name in parts if "sheet" in name.lower()] or list(parts))
        if rng.random() < 0.6
        else rng.choice(list(parts))
    )
    parts[name] = damaged(parts[name], rng)
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, content in parts.items():
            archive.writestr(part, content)
    return made.getvalue()


def bad_cases(folder: Path) -> Iterator[tuple[str, Make]]:
    yield from ((f"workbook {what}", imported("t.xlsx", write)) for what, write in workbooks().items())
    yield from table_cases()
    yield from ((f"layout {what}", make) for what, make in layout_cases())
    yield from releases()
    yield from proofs(folder)


def used() -> int:
    """Megabytes, the most since they were last counted anew."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) // 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=Path("found"))
    given = parser.parse_args()
    rng, end, seen, number, bad = random.Random(given.seed), monotonic() + given.seconds, Counter[int](), 0, 0

    def late(*_: object) -> None:
        raise AssertionError(f"more than {3 * SECONDS} seconds")

    signal.signal(signal.SIGALRM, late)
    with tempfile.TemporaryDirectory() as temporary:
        well, ill = list(good(Path(temporary))), list(bad_cases(Path(temporary)))
        while monotonic() < end:
            number += 1
            inside = Path(temporary) / str(number)
            inside.mkdir()
            what, make = rng.choice(well if rng.random() < GOOD_SHARE else ill)
            arguments = make(inside)
            files = [path for path in inside.rglob("*") if path.is_file() and path.stat().st_size < 2_000_000]
            for path in rng.sample(files, min(len(files), rng.choice([1, 1, 2]))):
                raw = path.read_bytes()
                path.write_bytes(damaged_archive(raw, rng) if path.suffix == ".xlsx" else damaged(raw, rng))
            Path("/proc/self/clear_refs").write_text("5")
            before, begin = used(), monotonic()
            signal.alarm(3 * SECONDS)
            try:
                ran = sensible(inside, *arguments, statuses=ANY)
                seen[ran.status] += 1
                assert monotonic() - begin < SECONDS, f"{monotonic() - begin:.1f} seconds"
                assert used() - before < MEGABYTES, f"{used() - before} MB"
            except Exception as error:
                bad += 1
                print(f"{what}: {' '.join(map(str, arguments))}\n    {str(error)[-600:]}", flush=True)
                shutil.copytree(inside, given.keep / f"{given.seed}-{number}", dirs_exist_ok=True)
            finally:
                signal.alarm(0)
            shutil.rmtree(inside)
    print(f"{number:,} files, {bad} bad; by exit status {dict(sorted(seen.items()))}")


if __name__ == "__main__":
    main()
