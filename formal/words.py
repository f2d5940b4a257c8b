"""Plain data as the words that the extracted checker reads (README.md describes them). Standard library only.

A box is a list with one whole number per column: bit x tells whether code x is in the set. A form is a list of (weight, box).
A statistic is (form, low or None, high or None), a rule is a box, an either-or is a pair of limits (form, most). Terms are
lists of (row, multiplier). A tree is ("leaf", terms, d), ("nothing", terms), ("split", form, at, below, above) or ("either",
k, left, right). A step is ("columns", c, masks), ("prune", terms) or ("bound", form, b, tree). A fact is (box, m, boxes,
upper, lower). A witness is a list of (n, codes). A kind is (codes, low, high, lower, upper). A choice is (costs, clauses, bound,
plan): a clause is (number, given, items), a plan ("choose", action, taken, left), ("unmet", clause) or ("pay", pairs, over).

What these functions do to a release has to be trusted (a slip could make it another release); what they do to a proof has not.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

Box = Sequence[int]
Form = Sequence[tuple[int, Box]]
Terms = Sequence[tuple[int, int]]
Tree = tuple[Any, ...]
Step = tuple[Any, ...]
Fact = tuple[Box, int, Sequence[Box], Tree, Tree]
Witness = Sequence[tuple[int, Sequence[int]]]
Statistic = tuple[Form, int | None, int | None]
Limit = tuple[Form, int]
Kind = tuple[Sequence[int], int, int, Tree, Tree]
Choice = tuple[Sequence[int], Sequence[tuple[int, Sequence[int], Sequence[int]]], int, Tree]


def release_words(
    sizes: Sequence[int],
    statistics: Sequence[Statistic],
    rules: Sequence[Box],
    groups: Sequence[Sequence[int]] | None = None,
    eithers: Sequence[tuple[Limit, Limit]] = (),
) -> str:
    """`sizes`: how many codes each column has; `groups`: per column the sets that claims may name besides single codes."""
    width = len(sizes)
    lines = [f"release {width}", _box([(1 << _whole(size, least=1)) - 1 for size in sizes], width), f"statistics {len(statistics)}"]
    for form, low, high in statistics:
        lines += [_form(form, width, sizes), " ".join("-" if bound is None else str(_whole(bound)) for bound in (low, high))]
    lines += [f"rules {len(rules)}", *(_box(rule, width, sizes) for rule in rules), f"eithers {len(eithers)}"]
    lines += [f"{_form(form, width, sizes)} {_whole(most)}" for sides in eithers for form, most in sides]
    lines.append("groups")
    groups = [()] * width if groups is None else groups
    if len(groups) != width:
        raise ValueError("groups must be listed for every column")
    lines += [_numbers(masks, least=1) for masks in groups]
    return _file(lines)


def proof_words(steps: Sequence[Step], facts: Sequence[Fact], contradiction: Tree | None = None, width: int | None = None) -> str:
    """`width`, the number of columns, is only needed where neither a fact nor a form shows it."""
    width = _width(steps, facts) if width is None else width
    lines = [f"proof {width}", f"steps {len(steps)}"]
    for step in steps:
        lines += _step(step, width)
    lines.append(f"facts {len(facts)}")
    for box, m, forms, upper, lower in facts:
        lines += [f"{_whole(m)} {_box(box, width)}", str(len(forms)), *(_box(form, width) for form in forms)]
        lines += [*_tree(upper, width), *_tree(lower, width)]
    lines += ["contradiction none"] if contradiction is None else ["contradiction tree", *_tree(contradiction, width)]
    return _file(lines)


def witness_words(witnesses: Sequence[Witness], width: int | None = None) -> str:
    """`width`, the number of columns, is only needed where no witness has a record."""
    if width is None:
        width = next((len(codes) for witness in witnesses for _, codes in witness), None)
        if width is None:
            raise ValueError("no record shows the number of columns: say width=")
    lines = [f"witnesses {width} {len(witnesses)}"]
    for witness in witnesses:
        lines.append(str(len(witness)))
        lines += [f"{_whole(n, least=1)} {_box(codes, width)}" for n, codes in witness]
    return _file(lines)


def distance_words(
    width: int, counts: int, steps: Sequence[Step], kinds: Sequence[Kind], limit: tuple[int, Sequence[Step], Tree]
) -> str:
    """`counts`: how many statistics are counts. The steps and the tree of the limit are about pairs, with one column more."""
    lines = [f"distance {width}", f"counts {_whole(counts, least=0)}", f"steps {len(steps)}"]
    lines += [line for step in steps for line in _step(step, width)]
    lines.append(f"kinds {len(kinds)}")
    for codes, low, high, lower, upper in kinds:
        lines += [f"{_whole(low)} {_whole(high)} {_box(codes, width)}", *_tree(lower, width), *_tree(upper, width)]
    twice, about_pairs, proof = limit
    lines += [f"limit {_whole(twice)}", str(len(about_pairs))]
    lines += [line for step in about_pairs for line in _step(step, width + 1)]
    return _file([*lines, *_tree(proof, width + 1)])


def choice_words(choices: Sequence[Choice]) -> str:
    """Several problems, one after the other."""
    lines = [f"choices {len(choices)}"]
    for costs, clauses, bound, plan in choices:
        lines += [" ".join(map(str, [len(costs), *map(_whole, costs)])), str(len(clauses))]
        lines += [f"{_whole(k, least=0)} {_numbers(given)} {_numbers(items)}" for k, given, items in clauses]
        lines += [str(_whole(bound)), *_plan(plan)]
    return _file(lines)


def _plan(plan: Tree) -> Iterator[str]:
    match plan:
        case ("choose", action, taken, left):
            yield f"choose {_whole(action, least=0)}"
            yield from _plan(taken)
            yield from _plan(left)
        case ("unmet", k):
            yield f"unmet {_whole(k, least=0)}"
        case ("pay", pairs, over):
            yield f"pay {_whole(over)} {_terms(pairs)}"
        case ("apart", parts):
            yield f"apart {len(parts)}"
            for actions, bound, own in parts:
                yield f"{_numbers(actions)} {_whole(bound)}"
                yield from _plan(own)
        case _:
            raise ValueError(f"not a plan: {plan!r:.100}")


def nodes(tree: Tree) -> Iterator[Tree]:
    """A tree and all below it, in the order in which they are written; trees may be deeper than Python's own stack."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        if node[0] == "split":
            _, _, _, below, above = node
            todo += [above, below]
        elif node[0] == "either":
            _, _, left, right = node
            todo += [right, left]


def _step(step: Step, width: int) -> Iterable[str]:
    match step:
        case ("columns", c, masks):
            return [f"columns {_whole(c, least=0)} {_numbers(masks)}"]
        case ("prune", terms):
            return [f"prune {_terms(terms)}"]
        case ("bound", form, b, tree):
            return [f"bound {_whole(b)} {_form(form, width)}", *_tree(tree, width)]
    raise ValueError(f"not a step: {step!r:.100}")


def _tree(tree: Tree, width: int) -> Iterator[str]:
    for node in nodes(tree):
        match node:
            case ("leaf", terms, d):
                yield f"leaf {_whole(d)} {_terms(terms)}"
            case ("nothing", terms):
                yield f"nothing {_terms(terms)}"
            case ("split", form, at, _, _):
                yield f"split {_whole(at)} {_form(form, width)}"
            case ("either", k, _, _):
                yield f"either {_whole(k, least=0)}"
            case _:
                raise ValueError(f"not a tree: {node!r:.100}")


def _terms(terms: Terms) -> str:
    return " ".join([str(len(terms)), *(f"{_whole(row, least=0)} {_whole(u)}" for row, u in terms)])


def _form(form: Form, width: int, sizes: Sequence[int] | None = None) -> str:
    return " ".join([str(len(form)), *(f"{_whole(w)} {_box(box, width, sizes)}" for w, box in form)])


def _box(box: Box, width: int, sizes: Sequence[int] | None = None) -> str:
    if len(box) != width:
        raise ValueError(f"{len(box)} columns where {width} are due: {box!r:.100}")
    if sizes is not None and any(mask >> size for mask, size in zip(box, sizes, strict=True)):
        raise ValueError(f"a code that its column does not have: {box!r:.100}")
    return " ".join(str(_whole(mask, least=0)) for mask in box)


def _numbers(masks: Sequence[int], least: int = 0) -> str:
    return " ".join([str(len(masks)), *(str(_whole(mask, least=least)) for mask in masks)])


def _whole(value: int, least: int | None = None) -> int:
    if type(value) is not int or (least is not None and value < least):
        raise ValueError(f"not a whole number{'' if least is None else f' from {least}'}: {value!r:.100}")
    return value


def _width(steps: Sequence[Step], facts: Sequence[Fact]) -> int:
    for box, *_ in facts:
        return len(box)
    for step in steps:
        if step[0] == "bound":
            for _, box in step[1]:
                return len(box)
    raise ValueError("no fact and no form shows the number of columns: say width=")


def _file(lines: Iterable[str]) -> str:
    return "\n".join([*lines, "end"]) + "\n"
