"""The extracted checker on random tiny releases, compared with a look at every dataset: `make test`, or
`selftest.py 500 7` for 500 rounds from seed 7.

Genuine proofs (enumerations written as trees) must be accepted. Damaged ones may be, but what is accepted must be true, and
what is said about witnesses and completeness must be exactly what a look at everything says. Odd files must be refused.
"""

import itertools
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from words import proof_words, release_words, witness_words

CHECK = Path(__file__).parent / "build" / "check"
ODD = ("+1", "01", "1x", "-0", "0x1", "1_0", "9" * 5000, "\u0661", "--1")   # no numbers, no keywords
COUNTED = ("releases", "contradictory", "facts", "wholes", "damaged", "facts accepted still", "false steps", "refused")


# ---------------------------------------------------------------- a naive twin of what is meant
def within(record, box):
    return all(mask >> code & 1 for code, mask in zip(record, box, strict=True))


def count(box, dataset):
    return sum(n for n, record in dataset if within(record, box))


def value(form, dataset):
    return sum(w * count(box, dataset) for w, box in form)


def fits(release, dataset):
    _, statistics, rules, eithers = release
    if any(within(record, rule) for rule in rules for n, record in dataset if n):
        return False
    if not all(any(value(form, dataset) <= most for form, most in sides) for sides in eithers):
        return False
    values = ((value(form, dataset), low, high) for form, low, high in statistics)
    return all((low is None or low <= v) and (high is None or v <= high) for v, low, high in values)


def inside(box, other):
    return all(a & ~b == 0 for a, b in zip(box, other, strict=True))


# ---------------------------------------------------------------- random releases
def random_box(rng, sizes, share=0.5):
    return [rng.randrange(1, 1 << size) if rng.random() < share else (1 << size) - 1 for size in sizes]


def random_release(rng):
    sizes = rng.choice([(2, 2), (3, 2), (2, 3), (4,), (2, 2, 2), (5,), (3,), (2, 1, 2)])
    records = list(itertools.product(*map(range, sizes)))
    total = rng.randrange(5)
    secret = [(1, rng.choice(records)) for _ in range(total)]
    full = [(1 << size) - 1 for size in sizes]
    statistics = [([(1, full)], total if rng.random() < 0.5 else None, total)]
    for _ in range(rng.randrange(6)):
        weights = [1 if rng.random() < 0.7 else rng.randrange(-3, 4) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
        form = [(w, random_box(rng, sizes, 0.8)) for w in weights]
        v = value(form, secret) + (rng.choice([-1, 1]) if rng.random() < 0.04 else 0)
        low, high = rng.choice([(v, v), (v, v), (v, v), (v - 1, v), (v, None), (None, v), (v, v + 1)])
        statistics.append((form, low, high))
    rules = [box for _ in range(rng.randrange(3)) if count(box := random_box(rng, sizes, 0.9), secret) == 0]
    groups = [[rng.randrange(1, 1 << size) for _ in range(rng.choice([0, 0, 1, 2]))] for size in sizes]
    eithers = []
    for _ in range(rng.choice([0, 0, 1, 2])):
        sides = []
        for slack in rng.sample([0, rng.randrange(-2, 2)], 2):  # the secret keeps one side, and perhaps the other
            form = [(rng.choice([-2, -1, 1, 1, 2]), random_box(rng, sizes, 0.8)) for _ in range(rng.choice([1, 1, 2]))]
            sides.append((form, value(form, secret) + slack))
        eithers.append(tuple(sides))
    return (sizes, statistics, rules, eithers), records, total, groups


# ---------------------------------------------------------------- genuine proofs
class Prove:
    """Trees that go through all numbers of all records; `cells` are the records still possible."""

    def __init__(self, release, cells, total, first):
        self.release, self.cells, self.total, self.first = release, cells, total, first
        _, statistics, rules, _ = release
        self.rows = []
        for k, (form, low, high) in enumerate(statistics):
            self.rows += [(2 * k, form, high)] if high is not None else []
            self.rows += [(2 * k + 1, [(-w, box) for w, box in form], -low)] if low is not None else []
        self.rows += [(2 * (len(statistics) + r), [(1, box)], 0) for r, box in enumerate(rules)]

    def box(self, record):
        return [1 << code for code in record]

    def tree(self, box, sign, goal, row=None, done=(), k=0, floor=None):
        """sign * count(box) <= goal, and `box is None`: a contradiction"""
        row = self.first if row is None else row
        if len(done) == len(self.cells):
            return self.end(box, sign, done)
        cell = [(1, self.box(self.cells[len(done)]))]
        if sum(n for n, _, _ in done) + k > self.total:
            return self.combine(0, [(1, [(1 << size) - 1 for size in self.release[0]])], (*done, (k, None, floor)))
        return ("split", cell, k, self.tree(box, sign, goal, row + 1, (*done, (k, row, floor)), 0, None),
                self.tree(box, sign, goal, row + 1, done, k + 1, row))

    def combine(self, row, form, done):
        """row + what is known of the cells: nothing fits"""
        terms = [(row, 1)]
        for record, (_, most, least) in zip(self.cells, done, strict=False):
            weight = sum(w for w, b in form if within(record, b))
            if weight > 0 and least is not None:
                terms.append((least, weight))
            if weight < 0:
                terms.append((most, -weight))
        return ("nothing", terms)

    def end(self, box, sign, done):
        here = [(n, record) for (n, _, _), record in zip(done, self.cells, strict=True)]
        for row, form, bound in self.rows:
            if value(form, here) > bound:
                return self.combine(row, form, done)
        for k, sides in enumerate(self.release[3]):
            if all(value(form, here) > most for form, most in sides):
                row = self.first + len(self.cells) + sum(n for n, _, _ in done)  # as many splits lie above
                return ("either", k, *(self.combine(row, form, done) for form, _ in sides))
        assert box is not None, "this dataset fits"
        chosen = [d for d, record in zip(done, self.cells, strict=True) if within(record, box)]
        if sign > 0:
            return ("leaf", [(most, 1) for _, most, _ in chosen], 1)
        return ("leaf", [(least, 1) for _, _, least in chosen if least is not None], 1)


def sayable(sizes, groups):
    per_column = [[None, *(1 << v for v in range(size)), *more] for size, more in zip(sizes, groups, strict=True)]
    for choice in itertools.product(*per_column):
        if any(s is not None for s in choice):
            yield [(1 << size) - 1 if s is None else s for s, size in zip(choice, sizes, strict=True)]


def genuine(rng, release, records, total, groups, datasets):
    """steps, facts and a contradiction, all of them right"""
    sizes, statistics, rules, _ = release
    steps = [("columns", c, [1 << v for v in rng.sample(range(size), size)]) for c, size in enumerate(sizes)]
    rng.shuffle(steps)
    cells, row = list(records), 2 * (len(statistics) + len(rules))
    prove = Prove(release, cells, total, row)
    for number, form, bound in prove.rows:
        least = {r: value(form, [(1, r)]) for r in cells}
        exact = {r: sum(min(0, w) if w < 0 and within(r, b) else w * within(r, b) for w, b in form) for r in cells}
        assert least == exact
        if rng.random() < 0.7 and min(least.values(), default=0) >= 0:
            steps.append(("prune", [(number, 1)]))
            cells = [r for r in cells if least[r] <= bound]
    for _ in range(rng.randrange(3)):
        if not cells or not datasets:
            break
        cell = rng.choice(cells)
        most = max(count([1 << c for c in cell], d) for d in datasets)
        box = [1 << c for c in cell]
        steps.append(("bound", [(1, box)], most, Prove(release, cells, total, row).tree(box, 1, most)))
        if rng.random() < 0.5:
            steps.append(("prune", [(row, rng.randrange(1, 4))]))
            cells = cells if most else [r for r in cells if r != cell]
        row += 1
    prove = Prove(release, cells, total, row)
    if not datasets:
        return steps, [], prove.tree(None, 1, -1)
    known = {}
    for box in sayable(sizes, groups):
        counts = {count(box, d) for d in datasets}
        if len(counts) == 1 and (m := counts.pop()) >= rng.choice([0, 1, 1, 1]):
            known.setdefault((m, tuple(r for r in cells if within(r, box))), []).append(box)
    facts = [(boxes[0], m, boxes[1:], prove.tree(boxes[0], 1, m), prove.tree(boxes[0], -1, -m)) for (m, _), boxes in known.items()]
    return steps, facts, None


# ---------------------------------------------------------------- damage
def damage(rng, thing):
    """one whole number somewhere in it is another one, or a part of a list is gone or there twice"""
    if isinstance(thing, bool) or not isinstance(thing, int | list | tuple):
        return thing
    if isinstance(thing, int):
        return thing + rng.choice([-2, -1, 1, 2])
    places = [i for i, x in enumerate(thing) if not isinstance(x, str) and x is not None]
    if not places:
        return thing
    i = rng.choice(places)
    if isinstance(thing, list) and rng.random() < 0.15 and not all(isinstance(x, int) for x in thing):
        return thing[:i] + thing[i + 1:] if rng.random() < 0.6 else [*thing, thing[i]]
    return type(thing)([*thing[:i], damage(rng, thing[i]), *thing[i + 1:]])


def forge(rng, release, records, datasets):
    """random steps and proofs; "nobody is there" with the empty proof shows every record that a step has lost"""
    sizes, statistics, rules, _ = release
    rows = 2 * (len(statistics) + len(rules))

    def terms():
        return [(rng.randrange(rows + 1), rng.choice([-1, 0, 1, 1, 1, 2])) for _ in range(rng.choice([0, 1, 1, 1, 2]))]

    steps = [("columns", c, [1 << v for v in range(size)]) for c, size in enumerate(sizes) if rng.random() < 0.8]
    c = rng.randrange(len(sizes))
    steps.append(("prune", terms()) if rng.random() < 0.7 else
                 ("columns", c, [rng.randrange(1 << sizes[c]) for _ in range(rng.randrange(3))]))
    facts = [([1 << v for v in r], 0, [], ("leaf", [], 1), ("leaf", [], 1)) for r in records]
    for _ in range(5):
        box, m = random_box(rng, sizes), rng.randrange(3)
        m = count(box, rng.choice(datasets)) if datasets and rng.random() < 0.7 else m
        trees = [rng.choice([("leaf", terms(), rng.choice([-1, 0, 1, 1, 2])), ("nothing", terms())]) for _ in range(2)]
        if rng.random() < 0.3:
            trees[0] = ("either", rng.randrange(3), *(rng.choice([("leaf", terms(), 1), ("nothing", terms())]) for _ in range(2)))
        facts.append((box, m, [], *trees))
    return steps, facts, ("nothing", terms())


# ---------------------------------------------------------------- the program
def ask(folder, release_text, proof_text, witness_text):
    for name, text in (("r", release_text), ("p", proof_text), ("w", witness_text)):
        (Path(folder) / name).write_text(text)
    done = subprocess.run([CHECK, *(str(Path(folder) / n) for n in "rpw")], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1, 2), done
    assert (done.returncode == 2) == (done.stdout == "") == (done.stderr != ""), done
    return done.returncode, [line.split() for line in done.stdout.splitlines()]


def verdict(lines):
    state = lines[0][1:]
    facts = [line[2] == "accepted" for line in lines if line[0] == "fact"]
    fitting = [line[2] == "consistent" for line in lines if line[0] == "witness"]
    (no,), (whole,), (file,) = ([line[1] for line in lines if line[0] == key] for key in ("contradiction", "complete", "file"))
    return state, facts, fitting, no, whole == "yes", file == "accepted"


def judge(release, groups, datasets, facts, witnesses, lines):
    """everything the program said is true; returns what it said"""
    sizes = release[0]
    state, held, fitting, no, whole, file = verdict(lines)
    assert len(held) == len(facts)
    assert fitting == [fits(release, w) and all(c < s for _, r in w for c, s in zip(r, sizes, strict=True)) for w in witnesses]
    listing = [(box, m) for (what, m, forms, _, _), ok in zip(facts, held, strict=True) if ok for box in (what, *forms)]
    for box, m in listing:
        assert all(count(box, d) == m for d in datasets), (release, box, m)
    if no == "accepted":
        assert not datasets
    expected = state == ["accepted"] and bool(witnesses) and all(fitting)
    for box in sayable(sizes, groups) if expected else ():
        counts = {count(box, w) for w in witnesses}
        if len(counts) == 1 and (m := counts.pop()) >= 1:
            expected &= any(k == m and inside(b, box) for b, k in listing) and any(k == m and inside(box, b) for b, k in listing)
    assert whole == expected, (release, groups, listing, witnesses)
    assert file == (state == ["accepted"] and all(held) and any(fitting) and no == "absent")
    return state, held, fitting, no, whole, file


def odd_files(rng, folder, texts):
    """any word lost, doubled, changed or added: refused (or, where it is still a file, at least judged)"""
    refused = 0
    for which in range(3):
        words = texts[which].split()
        i = rng.randrange(len(words))
        replaced = [[*words[:i], bad, *words[i + 1:]] for bad in ODD]
        for bad in (words[:i] + words[i + 1:], [*words, "end"], words[:-1], *replaced):
            changed = [*texts]
            changed[which] = "\n".join(bad)
            code, _ = ask(folder, *changed)
            assert code == 2, (which, i, words[i], bad[i:i + 3])
            refused += 1
    return refused


def main():
    rounds, seed = (int(x) for x in (*sys.argv[1:3], *("300", "1")[len(sys.argv) - 1:]))
    rng = random.Random(seed)
    seen = dict.fromkeys(COUNTED, 0)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        for _ in range(rounds):
            release, records, total, groups = random_release(rng)
            datasets = [list(zip(ns, records, strict=True)) for ns in itertools.product(range(total + 1), repeat=len(records))
                        if sum(ns) <= total] if (total + 1) ** len(records) < 400000 else None
            if datasets is None:
                continue
            datasets = [[(n, r) for n, r in d if n] for d in datasets if fits(release, d)]
            steps, facts, no = genuine(rng, release, records, total, groups, datasets)
            width = len(release[0])
            chosen = datasets if len(datasets) <= 60 else rng.sample(datasets, 60)
            release_text = release_words(*release[:3], groups, release[3])
            texts = [release_text, proof_words(steps, facts, no, width), witness_words(chosen, width)]
            _, lines = ask(folder, *texts)
            state, held, _, told, whole, _ = judge(release, groups, datasets, facts, chosen, lines)
            assert state == ["accepted"], (state, release, steps)
            assert all(held), release
            assert told == ("absent" if datasets else "accepted")
            assert whole or not datasets or len(chosen) < len(datasets)
            seen["releases"] += 1
            seen["contradictory"] += no is not None
            seen["facts"] += len(held)
            seen["wholes"] += whole
            for _ in range(10):
                other_steps, other_facts, other_no, other_witnesses = steps, facts, no, chosen
                part = rng.randrange(9)
                if part == 0 and steps:
                    other_steps = damage(rng, steps)
                if part in (1, 2) and facts:
                    other_facts = damage(rng, facts)
                if part == 3 and facts:
                    _, m, forms, upper, lower = rng.choice(facts)
                    other_facts = [(random_box(rng, release[0]), m, [*forms, random_box(rng, release[0])], upper, lower)]
                if part == 4:
                    other_no = damage(rng, no) if no else rng.choice(facts)[3] if facts else ("leaf", [], 1)
                if part == 5:
                    other_witnesses = [damage(rng, w) for w in rng.sample(chosen, min(3, len(chosen)))]
                if part > 5:
                    other_steps, other_facts, other_no = forge(rng, release, records, datasets)
                try:
                    texts = [release_text, proof_words(other_steps, other_facts, other_no, width),
                             witness_words(other_witnesses, width)]
                except (ValueError, TypeError):
                    continue
                code, lines = ask(folder, *texts)
                seen["damaged"] += 1
                if code == 2:
                    seen["refused"] += 1
                    continue
                state, held, *_ = judge(release, groups, datasets, other_facts, other_witnesses, lines)
                seen["facts accepted still"] += sum(held)
                seen["false steps"] += state != ["accepted"]
        seen["refused"] += odd_files(rng, folder, texts)
    print(", ".join(f"{n} {name}" for name, n in seen.items()))


if __name__ == "__main__":
    main()
