"""What `foregone publish` does: the files that a release was imported from, with a mark wherever the protected release shows none."""

from __future__ import annotations

from pathlib import Path

from foregone.publishing.outcome import NotPublished, PublishedFiles


def publish(protected: Path, files: Path) -> PublishedFiles:
    """Write the files of a protected release in the layout they came in to the new folder `files`.

    What `protect` kept private beside `protected` says where the sources are. They are read, marked, written and read again as
    a reader would. Raises `NotPublished` with a line for each thing that cannot be cleaned or would be understood otherwise, and
    `InputError` where sources are missing or have changed; then nothing is written.
    """
    raise NotPublished(f"{protected}: cannot be written to {files} yet")
