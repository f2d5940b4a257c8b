"""The study is tried on the same small country as the census files."""

from tests.census.conftest import ingested, raw, units

__all__ = ["ingested", "raw", "units"]
