"""What is asked about every release of a run."""

from __future__ import annotations

from dataclasses import dataclass

from foregone.model.families import Groups


@dataclass(frozen=True, slots=True)
class Asked:
    """Which claims are certain, and whether the whole dataset is determined: either or both."""

    claims: bool = True
    unique: bool = False
    groups: Groups = Groups.PUBLISHED  # of values that claims may name

    @property
    def words(self) -> list[str]:
        """As run.json says it."""
        return [name for name in ("claims", "unique") if getattr(self, name)]


CLAIMS = Asked()
