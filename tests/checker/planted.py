"""Bugs to plant in the checker, one plausible mistake each; the forger must find every one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from foregone.checker import kernel
from foregone.checker.encode import release as release_module
from foregone.checker.kernel import Cover, above, columns, inside, least, most, neg, scale, touching
from foregone.checker.read import proofs, values
from foregone.checker.read.refusal import Refused
from foregone.checker.verdicts import claims as claims_module
from foregone.checker.verdicts import datasets as datasets_module
from foregone.checker.verdicts.datasets import Witnesses

Plant = Callable[[pytest.MonkeyPatch], None]


def everywhere(patch: pytest.MonkeyPatch, name: str, planted: Any) -> None:
    """Plant a function in every module of the checker that knows it by name."""
    for module in (kernel, values, proofs, release_module, datasets_module, claims_module):
        if hasattr(module, name):
            patch.setattr(module, name, planted)


def assuming(state: Any, row: kernel.Row) -> Any:
    """Inside a branch, where one more row holds."""
    return state._replace(rows=[*state.rows, row])


def touching_is_inside(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "inside", touching)


def inside_is_touching(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "touching", inside)


def a_column_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    honest = Cover.meeting
    patch.setattr(Cover, "meeting", lambda self, box, whole: honest(self, box[1:], whole))


def most_forgets_what_is_subtracted(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "most", lambda cover, form: (most(cover, form)[0], []))


def most_forgets_what_is_added(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "most", lambda cover, form: ([], most(cover, form)[1]))


def least_is_most(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "least", most)


def sums_without_carry(patch: pytest.MonkeyPatch) -> None:
    def add(_cover: Cover, sums: list[int], weight: int, boxes: int) -> None:
        sums += [0] * (weight.bit_length() - len(sums))
        for k in range(weight.bit_length()):
            if weight >> k & 1:
                sums[k] |= boxes

    everywhere(patch, "add", add)


def only_the_last_digit_is_compared(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "above", lambda plus, minus, among: above(plus[:1], minus[:1], among))


def nothing_is_above(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "above", lambda *_: 0)


def signs_are_lost(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "neg", lambda form: form)


def multiples_are_lost(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "scale", lambda times, form: form if times > 0 else scale(-1, form))


def sets_need_not_cover(patch: pytest.MonkeyPatch) -> None:
    def planted(cover: Cover, c: int, sets: Any) -> Cover:
        if not sets:
            return columns(cover, c, sets)
        union = everything = 0
        for codes in sets:
            union |= codes
        for codes in cover.sides[c]:
            everything |= codes
        made = columns(cover, c, [*sets, everything & ~union])
        made.left &= touching(made, ((c, union),))
        return made

    everywhere(patch, "columns", planted)


def the_last_set_is_lost(patch: pytest.MonkeyPatch) -> None:
    def planted(cover: Cover, c: int, sets: Any) -> Cover:
        made = columns(cover, c, sets)
        if len(sets) > 1:
            made.left &= ~(inside(made, ((c, sets[-1]),)))
        return made

    everywhere(patch, "columns", planted)


def negative_sums_prune(patch: pytest.MonkeyPatch) -> None:
    def planted(cover: Cover, row: kernel.Row) -> Cover:
        plus, minus = least(cover, row.about)
        kernel.add(cover, minus if row.most >= 0 else plus, abs(row.most), cover.left)
        cover.left &= ~above(plus, minus, cover.left)
        return cover

    everywhere(patch, "prune", planted)


def prune_at_the_bound(patch: pytest.MonkeyPatch) -> None:
    honest = kernel.prune
    everywhere(patch, "prune", lambda cover, row: honest(cover, row._replace(most=row.most - 1)))


def missing_rows_say_anything(patch: pytest.MonkeyPatch) -> None:
    honest = kernel.add_up

    def planted(state: Any, terms: Any) -> Any:
        known = state.rows
        there = [term for term in terms if term[0] < len(known) and known[term[0]] is not None]
        form, total = honest(state, there)
        return kernel.Row(form, total - sum(times for number, times in terms if (number, times) not in there))

    everywhere(patch, "add_up", planted)


def multipliers_do_not_scale_the_bound(patch: pytest.MonkeyPatch) -> None:
    honest = kernel.add_up

    def planted(state: Any, terms: Any) -> Any:
        return kernel.Row(honest(state, terms).about, sum(state.rows[number].most for number, _ in terms))

    everywhere(patch, "add_up", planted)


def bounds_off_by_one(patch: pytest.MonkeyPatch) -> None:
    honest = kernel.at_most
    everywhere(patch, "at_most", lambda state, form, goal, tree: honest(state, form, goal + 1, tree))


def half_a_tree_is_enough(patch: pytest.MonkeyPatch) -> None:
    honest = kernel.at_most

    def planted(state: Any, form: Any, goal: int, tree: Any) -> None:
        if isinstance(tree, kernel.Split):
            planted(assuming(state, kernel.Row(tree.form, tree.at)), form, goal, tree.below)
        else:
            honest(state, form, goal, tree)

    everywhere(patch, "at_most", planted)


def rows_of_a_branch_stay(patch: pytest.MonkeyPatch) -> None:
    """The row of the lower branch is still there in the upper one."""
    honest = kernel.at_most

    def planted(state: Any, form: Any, goal: int, tree: Any) -> None:
        if isinstance(tree, kernel.Split):
            below = assuming(state, kernel.Row(tree.form, tree.at))
            planted(below, form, goal, tree.below)
            planted(assuming(below, kernel.Row(neg(tree.form), -(tree.at + 1))), form, goal, tree.above)
        else:
            honest(state, form, goal, tree)

    everywhere(patch, "at_most", planted)


def a_gap_between_the_branches(patch: pytest.MonkeyPatch) -> None:
    honest = kernel.at_most

    def planted(state: Any, form: Any, goal: int, tree: Any) -> None:
        if isinstance(tree, kernel.Split):
            for row, part in (((tree.form, tree.at), tree.below), ((neg(tree.form), -(tree.at + 2)), tree.above)):
                planted(assuming(state, kernel.Row(*row)), form, goal, part)
        else:
            honest(state, form, goal, tree)

    everywhere(patch, "at_most", planted)


def nothing_needs_no_contradiction(patch: pytest.MonkeyPatch) -> None:
    honest = kernel.at_most

    def planted(state: Any, form: Any, goal: int, tree: Any) -> None:
        if not isinstance(tree, kernel.Nothing):
            honest(state, form, goal, tree)
        elif kernel.add_up(state, tree.terms).most >= 0:
            raise Refused("no contradiction")

    everywhere(patch, "at_most", planted)


def zero_is_below_zero(patch: pytest.MonkeyPatch) -> None:
    honest = kernel.at_most

    def planted(state: Any, form: Any, goal: int, tree: Any) -> None:
        if isinstance(tree, kernel.Nothing) and kernel.add_up(state, tree.terms).most <= 0:
            return
        honest(state, form, goal, tree)

    everywhere(patch, "at_most", planted)


def small_bounds_are_believed(patch: pytest.MonkeyPatch) -> None:
    honest = kernel.at_most

    def planted(state: Any, form: Any, goal: int, tree: Any) -> None:
        try:
            honest(state, form, goal, tree)
        except kernel.Fails:
            if len(form) == 1 and form[0][0] in (1, -1) and goal in (0, 1, -1):
                return
            raise

    everywhere(patch, "at_most", planted)


def high_and_low_are_swapped(patch: pytest.MonkeyPatch) -> None:
    honest = kernel.start

    def planted(release: Any) -> Any:
        state = honest(release)
        rows = list(state.rows)
        for k in range(len(release.statistics)):
            rows[2 * k : 2 * k + 2] = reversed(rows[2 * k : 2 * k + 2])
        return state._replace(rows=rows)

    everywhere(patch, "start", planted)


def ranges_are_taken_for_their_low(patch: pytest.MonkeyPatch) -> None:
    honest = kernel.start

    def planted(release: Any) -> Any:
        return honest(release._replace(statistics=tuple(s._replace(high=s.low) for s in release.statistics)))

    everywhere(patch, "start", planted)


def only_the_upper_bound_is_looked_at(patch: pytest.MonkeyPatch) -> None:
    def planted(state: Any, fact: Any) -> Any:
        kernel.at_most(state, ((1, fact.what),), fact.times, fact.upper)
        return [(box, fact.times) for box in (fact.what, *fact.forms)]

    everywhere(patch, "fact_ok", planted)


def only_the_lower_bound_is_looked_at(patch: pytest.MonkeyPatch) -> None:
    def planted(state: Any, fact: Any) -> Any:
        kernel.at_most(state, ((-1, fact.what),), -fact.times, fact.lower)
        return [(box, fact.times) for box in (fact.what, *fact.forms)]

    everywhere(patch, "fact_ok", planted)


def forms_are_believed(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "same", lambda *_: True)


def forms_may_be_wider(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "same", lambda cover, p, q: not cover.left & touching(cover, p) & ~inside(cover, q))


def forms_may_be_narrower(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "same", lambda cover, p, q: not cover.left & touching(cover, q) & ~inside(cover, p))


def any_dataset_fits(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "consistent", lambda _, witnesses: [""] * len(witnesses.of))


def rules_are_not_for_datasets(patch: pytest.MonkeyPatch) -> None:
    honest = datasets_module.consistent
    everywhere(patch, "consistent", lambda release, witnesses: honest(release._replace(rules=()), witnesses))


def records_count_once(patch: pytest.MonkeyPatch) -> None:
    honest = Witnesses.__init__

    def planted(self: Witnesses, domain: Any, datasets: Any) -> None:
        honest(self, domain, [[(1, codes) for _, codes in dataset] for dataset in datasets])

    patch.setattr(Witnesses, "__init__", planted)


def complete_whatever_is_listed(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "complete", lambda *_: (True, ""))


def complete_without_forms(patch: pytest.MonkeyPatch) -> None:
    """As before: the same count is enough, wherever the claims lie."""
    honest = datasets_module.complete

    def planted(domain: Any, claims: Any, datasets: Any) -> Any:
        return honest(domain, [*claims, *(((), m) for _, m in claims)], datasets)

    everywhere(patch, "complete", planted)


def complete_without_closed_claims(patch: pytest.MonkeyPatch) -> None:
    honest = datasets_module.complete

    def planted(domain: Any, claims: Any, datasets: Any) -> Any:
        points = [tuple((c, 1 << v) for c, v in enumerate(codes)) for dataset in datasets for _, codes in dataset]
        return honest(domain, [*claims, *((point, m) for point in points for m in {m for _, m in claims})], datasets)

    everywhere(patch, "complete", planted)


def the_first_column_is_not_gone_through(patch: pytest.MonkeyPatch) -> None:
    honest = datasets_module.complete

    def planted(domain: Any, claims: Any, datasets: Any) -> Any:
        alike = [[(n, (0, *codes[1:])) for n, codes in dataset] for dataset in datasets]
        return honest(domain, claims, alike)

    everywhere(patch, "complete", planted)


def numbers_may_be_negative(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "whole", lambda value, _=0: int(value))


def only_the_first_code_is_read(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "bits", lambda positions: 1 << min(positions))


def codes_are_added_up(patch: pytest.MonkeyPatch) -> None:
    """The mistake that version 1 had, where a set was a sum of powers of two."""
    everywhere(patch, "bits", lambda positions: sum(2 << position for position in positions))


def conditions_are_dropped(patch: pytest.MonkeyPatch) -> None:
    honest = values.box_of
    everywhere(patch, "box_of", lambda domain, where: honest(domain, where)[:1])


def seals_are_not_looked_at(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "opened", lambda _, document, *kind: proofs.plain(document, *kind))


def a_dataset_is_not_needed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(claims_module, "any", lambda _: True, raising=False)  # the only question of this kind that matters there


def marks_from_the_wrong_end(patch: pytest.MonkeyPatch) -> None:
    honest = kernel.marked
    everywhere(patch, "marked", lambda flags: honest(list(flags)[::-1]))


def a_box_is_not_marked(patch: pytest.MonkeyPatch) -> None:
    honest = Cover.having
    patch.setattr(Cover, "having", lambda self, c: {side: boxes & (boxes - 1) for side, boxes in honest(self, c).items()})


def everything_is_dominated(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "never_positive", lambda *_: True)


def the_last_code_is_not_in_the_domain(patch: pytest.MonkeyPatch) -> None:
    honest = kernel.full
    everywhere(patch, "full", lambda domain, c: honest(domain, c) >> 1 or 1)


def failed_bounds_become_rows(patch: pytest.MonkeyPatch) -> None:
    """The file goes on after a step that failed, as if it had not."""
    honest = kernel.build

    def planted(release: Any, steps: Any) -> Any:
        kept = kernel.at_most
        kernel.at_most = lambda *_: None
        try:
            return honest(release, steps)
        finally:
            kernel.at_most = kept

    everywhere(patch, "build", planted)


def a_term_is_lost(patch: pytest.MonkeyPatch) -> None:
    honest = proofs.terms_of
    everywhere(patch, "terms_of", lambda value: honest(value)[:-1])


def below_and_above_are_swapped(patch: pytest.MonkeyPatch) -> None:
    honest = proofs.tree_of

    def planted(domain: Any, value: Any, depth: int = 0) -> Any:
        if isinstance(value, dict) and "split" in value and {"below", "above"} <= set(value):
            value = {**value, "below": value["above"], "above": value["below"]}
        return honest(domain, value, depth)

    everywhere(patch, "tree_of", planted)


def the_upper_tree_serves_for_both(patch: pytest.MonkeyPatch) -> None:
    honest = proofs.fact_of
    everywhere(patch, "fact_of", lambda domain, value: (fact := honest(domain, value))._replace(lower=fact.upper))


def prunes_are_not_read(patch: pytest.MonkeyPatch) -> None:
    honest = proofs.step_of

    def planted(domain: Any, value: Any) -> Any:
        step = honest(domain, value)
        return step._replace(terms=[]) if isinstance(step, kernel.Prune) else step

    everywhere(patch, "step_of", planted)


def datasets_lose_a_record(patch: pytest.MonkeyPatch) -> None:
    honest = proofs.witness_of
    everywhere(patch, "witness_of", lambda domain, value: honest(domain, value)[1:])


def one_side_is_enough(patch: pytest.MonkeyPatch) -> None:
    """Of an either-or only the left branch is looked at."""
    honest = kernel.at_most

    def planted(state: Any, form: Any, goal: int, tree: Any) -> None:
        if isinstance(tree, kernel.PlainEither) and tree.number < len(state.eithers):
            planted(assuming(state, state.eithers[tree.number][0]), form, goal, tree.left)
        else:
            honest(state, form, goal, tree)

    everywhere(patch, "at_most", planted)


def the_left_side_holds_on_the_right(patch: pytest.MonkeyPatch) -> None:
    honest = kernel.start

    def planted(release: Any) -> Any:
        return honest(release)._replace(eithers=[(left, left) for left, _ in release.eithers])

    everywhere(patch, "start", planted)


def datasets_need_keep_no_side(patch: pytest.MonkeyPatch) -> None:
    honest = datasets_module.consistent
    everywhere(patch, "consistent", lambda release, witnesses: honest(release._replace(eithers=()), witnesses))


BUGS: list[Plant] = [
    one_side_is_enough,
    the_left_side_holds_on_the_right,
    datasets_need_keep_no_side,
    marks_from_the_wrong_end,
    a_box_is_not_marked,
    everything_is_dominated,
    the_last_code_is_not_in_the_domain,
    failed_bounds_become_rows,
    a_term_is_lost,
    below_and_above_are_swapped,
    the_upper_tree_serves_for_both,
    prunes_are_not_read,
    datasets_lose_a_record,
    touching_is_inside,
    inside_is_touching,
    a_column_is_forgotten,
    most_forgets_what_is_subtracted,
    most_forgets_what_is_added,
    least_is_most,
    sums_without_carry,
    only_the_last_digit_is_compared,
    nothing_is_above,
    signs_are_lost,
    multiples_are_lost,
    sets_need_not_cover,
    the_last_set_is_lost,
    negative_sums_prune,
    prune_at_the_bound,
    missing_rows_say_anything,
    multipliers_do_not_scale_the_bound,
    bounds_off_by_one,
    half_a_tree_is_enough,
    rows_of_a_branch_stay,
    a_gap_between_the_branches,
    nothing_needs_no_contradiction,
    zero_is_below_zero,
    small_bounds_are_believed,
    high_and_low_are_swapped,
    ranges_are_taken_for_their_low,
    only_the_upper_bound_is_looked_at,
    only_the_lower_bound_is_looked_at,
    forms_are_believed,
    forms_may_be_wider,
    forms_may_be_narrower,
    any_dataset_fits,
    rules_are_not_for_datasets,
    records_count_once,
    complete_whatever_is_listed,
    complete_without_forms,
    complete_without_closed_claims,
    the_first_column_is_not_gone_through,
    numbers_may_be_negative,
    only_the_first_code_is_read,
    codes_are_added_up,
    conditions_are_dropped,
    seals_are_not_looked_at,
    a_dataset_is_not_needed,
]
