"""What a reader concludes from knowing that the least was withheld, in worlds so small that every dataset can be listed.

    python -m benchmarks.minimality [--only '2 x 2'] [--matrix]

For every dataset of a world the protection is computed, with the number of records kept. A reader who knows the rule keeps the
datasets that fit what is published and would have been published exactly so: same cells withheld, same numbers shown. `broken` are
the protected datasets of which the policy no longer holds among those kept. `reader` is whom the protection was made for: `default`
sees that zeros are shown, `know = []` is taken to know nothing but what the mark can stand for, `either` where that is the same.
`none` are datasets that cannot be protected, `withheld` is the mean number of cells not shown of a protected one. `rule` is the
same for `--reader knows-the-rule`. What is protected with a wider `min_width` is also judged by the ordinary one, 2: whether a
primary cell is then known exactly.

`--matrix` goes through every kind of policy and action in two small worlds (`tests/protection/matrix.py`): how many datasets
are broken by default and by the rule, of how many nothing is published, and how many cells are not printed as they are, on average
of those that are published.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from itertools import product
from time import process_time

from foregone import Policy, Primary
from foregone.model.policy import DEFAULT
from foregone.protection.actions import Allowed
from tests.protection.knowing import TOTAL, World, measure, measure_by_rule, readers
from tests.protection.matrix import ACTIONS, LINE, POLICIES, SQUARE, Outcome, all_at_once, one_by_one, outcome, refused, releases

ONE, TWO = Policy(singled_out_columns=1), Policy(singled_out_columns=2)
ATTRIBUTE = Policy(attribute=("B",))
SMALL = [Policy(primary=Primary(1, most), min_width=width) for most in (2, 3, 4) for width in (2, 3)]
CASES: tuple[tuple[World, list[Policy]], ...] = (
    (World((2,), 2), [ONE]),
    (World((4,), 10), [ONE]),
    (World((4,), 12), SMALL),
    (World((2, 2), 6), [ONE]),
    (World((2, 2), 8), [DEFAULT, ATTRIBUTE]),
    (World((2, 2), 10), SMALL[2:4]),
    (World((2, 3), 6), [TWO, SMALL[0]]),
)


def name_of(world: World) -> str:
    cells = f"{world.widths[0]} cells" if len(world.widths) == 1 else " x ".join(map(str, world.widths))
    return f"{cells}, {world.records} records"


def words(policy: Policy) -> str:
    if policy.stars:
        return "the default policy"
    if policy.primary is not None:
        return f"primary {policy.primary.text}" + (f", min_width {policy.min_width}" if policy.min_width > 2 else "")
    return f"attribute {policy.attribute[0]}" if policy.attribute else f"nobody by {policy.singled_out_columns} or more columns"


def share(part: int, whole: int) -> str:
    """In whole percent; 0 and 100 mean none and all."""
    if not whole:
        return "-"
    percent = (200 * part + whole) // (2 * whole)
    return f"{'under 1' if part and not percent else 'over 99' if part < whole and percent == 100 else percent} %"


def row(world: World, policy: Policy, by: str, reader: str, judged: Policy | None = None) -> str:
    found = measure(world, policy, by, judged)
    mean = f"{found.withheld / found.protected:.2f}" if found.protected else "-"
    said = words(policy) if judged is None else f"{words(policy)}, judged by {judged.min_width}"
    told: list[object] = [found.impossible, found.protected, found.broken, share(found.broken, found.protected), mean, "", "", ""]
    if judged is None:
        known = measure_by_rule(world, policy, Allowed(by, (TOTAL,)))
        told[-3:] = known.protected, known.broken, f"{known.withheld / known.protected:.2f}" if known.protected else "-"
    return f"| {' | '.join(map(str, [name_of(world), said, by, reader, *told]))} |"


def matrix(only: str) -> None:
    """Every pair by itself, then for each kind of action all policies together."""
    heads = "datasets | none: by default | by the rule | broken: by default | by the rule | cells: by default | by the rule |"
    print(f"| world | policy | action | {heads}")
    print("|---|---|---|---|---|---|---|---|---|---|")
    sums: dict[str, list[Outcome]] = {}
    refusals: dict[str, int] = {}
    for world, (policy, rules), (action, options) in product((LINE, SQUARE), POLICIES.items(), ACTIONS.items()):
        some = releases(world, options)
        if not name_of(world).startswith(only):
            continue
        if refused(some, rules, options):
            refusals[action] = refusals.get(action, 0) + 1
            continue
        literally = options.get("groups") == "none"
        least = outcome(world, rules, one_by_one(some, rules, options, "any"), literally)
        found = outcome(world, rules, all_at_once(some, rules, options), literally)
        sums.setdefault(action, []).extend([least, found])
        print(f"| {name_of(world)} | {policy} | {action} | {_told(least, found)} |", flush=True)
    print(f"\n| action | pairs | refused | {heads}")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for action, both in sums.items():
        whole = [Outcome(*map(sum, zip(*some, strict=True))) for some in (both[::2], both[1::2])]
        print(f"| {action} | {len(both) // 2} | {refusals.get(action, 0)} | {_told(*whole)} |")


def _told(least: Outcome, found: Outcome) -> str:
    told = [least.datasets, least.none, found.none, least.broken, found.broken, f"{least.mean:.2f}", f"{found.mean:.2f}"]
    return " | ".join(map(str, told))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="worlds whose name begins with this")
    parser.add_argument("--matrix", action="store_true", help="every policy with every action, in two small worlds")
    options = parser.parse_args()
    if options.matrix:
        matrix(options.only)
        print(f"\n{process_time():.0f} seconds of processor time.")
        return
    print("| world | policy | by | reader | none | protected | broken | share | withheld | rule: protected | broken | withheld |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for world, policies in CASES:
        if not name_of(world).startswith(options.only):
            continue
        for policy, by in product(policies, ("cell", "table")):
            for reader, rules in readers(world, policy, by).items():
                print(row(world, rules, by, reader), flush=True)
                if policy.min_width > 2:
                    print(row(world, rules, by, reader, replace(rules, min_width=2)), flush=True)
    print(f"\n{process_time():.0f} seconds of processor time.")


if __name__ == "__main__":
    main()
