"""The shortest forms of a fact: sets of its items, as bit masks over layers, that say the same as all of them do."""

from __future__ import annotations

from collections.abc import Iterable

from foregone.engine.claims.items import BLANK, LayerItems, Values


class Forms:
    """The items of one closed claim. A form is a set of them that has, with some items of a column, all that follow."""

    def __init__(self, items: LayerItems, closed: Values) -> None:
        self.items = items
        self.closed: list[int] = closed.tolist()
        self.layers = [layer for layer, value in enumerate(self.closed) if value != BLANK]
        self.full = sum([1 << layer for layer in self.layers])
        # per column with several items, those items: only there does an item bring others
        self.crowded = [side for mask in items.crowded if (side := self.full & mask) & (side - 1)]

    def shortest(self, blocked: Iterable[int]) -> list[int]:
        """The forms that hold more than each blocked set, and from which nothing can be taken (Berge's transversals).

        Nothing can be taken: no column can be left out, and no group can be made wider.
        """
        found = [0]
        for top in blocked:
            outside = self.full & ~top
            missed = [form for form in found if not form & outside]
            if not missed:
                continue
            hit = [form for form in found if form & outside]
            left = [1 << layer for layer in self.layers if outside >> layer & 1]
            new = {form | layer for form in missed for layer in left}
            if self.crowded:
                new = {self._closed(form) for form in new}
            found = hit + [form for form in new if all(old & ~form for old in hit)]
            if len(found) > 1:
                found = [form for form in found if not any(other != form and not other & ~form for other in found)]
        if len(found) == 1:
            return found
        return sorted(found, key=lambda form: (len(self.columns(form)), form))

    def columns(self, form: int) -> set[int]:
        """The columns that a form names."""
        return {self.items.columns[layer] for layer in self.layers if form >> layer & 1}

    def box(self, form: int) -> dict[int, int]:
        """What a form allows: column -> values as a bit mask, in the order of columns."""
        found: dict[int, int] = {}
        columns, sets = self.items.columns, self.items.sets
        for layer in self.layers:
            if form >> layer & 1:
                column = columns[layer]
                found[column] = found.get(column, -1) & sets[layer][self.closed[layer]]
        return found

    def _set(self, layer: int) -> int:
        return self.items.sets[layer][self.closed[layer]]

    def _closed(self, form: int) -> int:
        """The form with every item that follows from some of its own."""
        for side in self.crowded:
            part = form & side
            if not part:
                continue
            shared = -1
            for layer in self.layers:
                if part >> layer & 1:
                    shared &= self._set(layer)
            rest = side & ~form
            form |= sum(1 << layer for layer in self.layers if rest >> layer & 1 and not shared & ~self._set(layer))
        return form
