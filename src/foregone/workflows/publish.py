"""What a protection leaves on disk: the folder that gets published, and beside it what its owner keeps."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from foregone.census.subjects import subject_of_release
from foregone.formats.beside import place_rows, read_assumptions
from foregone.formats.outputs import write_text
from foregone.formats.protection import private_folder, still_assumed, write_private, write_protection, write_record
from foregone.model.protection import Protection
from foregone.pages.protection_page import render_protection
from foregone.pages.write import today

if TYPE_CHECKING:
    from foregone.protection.many import ProtectionOfMany


@dataclass(frozen=True, slots=True)
class WrittenOut:
    """Where everything went. `folder` is all that may be published; `private`, the page and the certificate tell what is withheld.
    None stands for a page or a certificate that has no file of its own: it is in the private folder, if it was made.
    """

    folder: Path
    private: Path
    page: Path | None
    certificate: Path | None


def publish(found: Protection, release: Path, out: Path, page: Path | None = None, certificate: Path | None = None) -> WrittenOut:
    """Write a protected release to `out`, with what the original at `release` says about its numbers and still holds."""
    shown = render_protection(found, subject_of_release(found.original.domain), today())
    proof = "" if found.certificate is None else json.dumps(found.certificate, separators=(",", ":"), ensure_ascii=False) + "\n"
    write_protection(found, out, still_assumed(found, read_assumptions(release)), place_rows(release))
    write_private(found, out, "" if page else shown, "" if certificate else proof)
    if page is not None:
        write_text(page, shown)
    if certificate is not None and proof:
        write_text(certificate, proof)
    return WrittenOut(out, private_folder(out), page, certificate)


def publish_choice(found: ProtectionOfMany, out: Path) -> None:
    """Write down which tables of many releases may be published."""
    write_record(found.json(), [(name, name in (found.withheld or ())) for name in found.names], out)
