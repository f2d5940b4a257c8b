"""Releases that come with the package, each with the true records behind it."""

from __future__ import annotations

from importlib.resources import as_file, files

from foregone.formats.folder import read_release, read_truth
from foregone.model.dataset import Dataset
from foregone.model.release import Release


def bundled(name: str) -> tuple[Release, Dataset]:
    """A release by the name of its folder, and the truth, which no audit sees."""
    with as_file(files("foregone.census").joinpath(name)) as folder:
        release = read_release(folder)
        truth = read_truth(folder, release)
    assert truth is not None
    return release, truth
