"""One release with its proof as a Coq file, so that Coq's kernel alone checks it: no extraction, no OCaml, no driver.

The arguments are the plain data that words.py describes. Read the release at the top of the file and the theorems at its end;
then `coqc -Q formal/build Foregone FILE.v` either fails or has proved them. Standard library only.
"""

from collections.abc import Iterable, Sequence

from words import Box, Fact, Form, Limit, Statistic, Step, Terms, Tree, Witness, nodes

HEAD = """\
(* A release, a proof, and what follows from them. Codes are numbered from 0; bit x of a set tells whether code x is in it. *)
From Coq Require Import ZArith NArith List Bool.
From Foregone Require Import Checker Proofs Complete.
Import ListNotations.
Open Scope Z_scope.
"""

CHECKED = """\
Lemma checked : accepted (check R groups steps facts None W) = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
"""

COMPLETE = """\
Lemma all_checked : (let v := check R groups steps facts None W in accepted v && nothing_missed v) = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Lemma checked : accepted (check R groups steps facts None W) = true.
Proof. exact (proj1 (andb_prop _ _ all_checked)). Qed.
Lemma complete_too : nothing_missed (check R groups steps facts None W) = true.
Proof. exact (proj2 (andb_prop _ _ all_checked)). Qed.
"""

CERTAIN = """\
Lemma claims_are_listed : flat_map claims facts = listing.
Proof. vm_cast_no_check (eq_refl listing). Qed.

(* There is a consistent dataset, and every listed claim holds in all of them. *)
Theorem certain : (exists D, consistent R D) /\\
  forall D, consistent R D -> forall p m, In (p, m) listing -> count p D = m.
Proof.
  destruct (accepted_ok _ _ _ _ _ _ checked) as [E H]. split; [exact E|]. intros D C p m I. rewrite <- claims_are_listed in I.
  apply in_flat_map in I as [f [F I]]. exact (H D C f p m F I).
Qed.
Print Assumptions certain.
"""

EXACTLY = """\
Lemma exactly_sayable : forall c m, sayable groups c -> says_nothing c = false -> 1 <= m ->
  ((forall D, consistent R D -> count (box_of (domain R) c) D = m) <-> listed listing (box_of (domain R) c) m = true).
Proof. rewrite <- claims_are_listed. exact (accepted_exact _ _ _ _ _ _ checked complete_too). Qed.

(* A conjunction of single codes has m >= 1 records in every consistent dataset exactly when it is listed with m. *)
Theorem exactly : forall c m, length c = length (domain R) -> says_nothing (codes c) = false -> 1 <= m ->
  ((forall D, consistent R D -> count (box_of (domain R) (codes c)) D = m) <->
   listed listing (box_of (domain R) (codes c)) m = true).
Proof. intros c m L S P. apply exactly_sayable; [apply codes_sayable; rewrite L; reflexivity|exact S|exact P]. Qed.
Print Assumptions exactly.
"""

NOTHING = """\
Lemma checked : contradicts (check R groups steps facts (Some no) W) = Some true.
Proof. vm_cast_no_check (eq_refl (Some true)). Qed.

(* The release contradicts itself: no dataset is consistent with it. *)
Theorem nothing_fits : forall D, ~ consistent R D.
Proof. exact (check_contradiction _ _ _ _ _ _ _ eq_refl checked). Qed.
Print Assumptions nothing_fits.
"""


def theorem(
    sizes: Sequence[int],
    statistics: Sequence[Statistic],
    rules: Sequence[Box],
    steps: Sequence[Step],
    facts: Sequence[Fact],
    witnesses: Sequence[Witness],
    groups: Sequence[Sequence[int]] | None = None,
    complete: bool = True,
    contradiction: Tree | None = None,
    eithers: Sequence[tuple[Limit, Limit]] = (),
) -> str:
    """The text of the file; `complete=False` leaves out `exactly`; with a contradiction the theorem is `nothing_fits`."""
    w = _Writer()
    w.lines.append("(* ---- the release *)")
    stats = [w.name("q", "statistic", w.statistic(statistic)) for statistic in statistics]
    domain = w.box([(1 << size) - 1 for size in sizes])
    forbidden = _list([w.box(rule) for rule in rules])
    limits = [(f"({w.form(left)}, {_whole(a)})", f"({w.form(right)}, {_whole(b)})") for (left, a), (right, b) in eithers]
    choices = _list([w.name("e", "limit * limit", f"({left}, {right})") for left, right in limits])
    content = f"domain := {domain}; statistics := {_list(stats)}; rules := {forbidden}; eithers := {choices}"
    w.define("R", "release", f"{{| {content} |}}")
    groups = [()] * len(sizes) if groups is None else groups
    w.define("groups", "list (list N)", _list(_naturals(masks) for masks in groups))
    w.lines.append("(* ---- the proof *)")
    w.define("steps", "list step", _list([w.name("s", "step", w.step(step)) for step in steps]))
    w.define("facts", "list fact", _list([w.name("f", "fact", w.fact(fact)) for fact in facts]))
    if contradiction is not None:
        w.define("no", "tree", w.tree(contradiction))
    w.lines.append("(* ---- datasets that fit *)")
    found = [_list(f"({n}%N, {_naturals(codes)})" for n, codes in witness) for witness in witnesses]
    w.define("W", "list dataset", _list([w.name("w", "dataset", text) for text in found]))
    if contradiction is not None:
        return HEAD + "\n".join(w.lines) + "\n" + NOTHING
    w.lines.append("(* ---- the claims, each with its count *)")
    listing = [(box, m) for what, m, forms, _, _ in facts for box in (what, *forms)]
    w.define("listing", "list (box * Z)", _list(f"({w.box(box)}, {_whole(m)})" for box, m in listing))
    return HEAD + "\n".join(w.lines) + "\n" + (COMPLETE + CERTAIN + EXACTLY if complete else CHECKED + CERTAIN)


class _Writer:
    """Definitions one after the other; boxes that are used again have one name, and so do the inner nodes of trees."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.boxes: dict[tuple[int, ...], str] = {}
        self.used: dict[str, int] = {}

    def define(self, name: str, kind: str, text: str) -> str:
        self.lines.append(f"Definition {name} : {kind} := {text}.")
        return name

    def name(self, letter: str, kind: str, text: str) -> str:
        self.used[letter] = number = self.used.get(letter, -1) + 1
        return self.define(f"{letter}{number}", kind, text)

    def box(self, box: Box) -> str:
        key = tuple(box)
        if key not in self.boxes:
            self.boxes[key] = self.name("b", "box", _naturals(key))
        return self.boxes[key]

    def form(self, form: Form) -> str:
        return _list(f"({_whole(weight)}, {self.box(box)})" for weight, box in form)

    def statistic(self, statistic: Statistic) -> str:
        form, low, high = statistic
        return f"{{| about := {self.form(form)}; low := {_option(low)}; high := {_option(high)} |}}"

    def step(self, step: Step) -> str:
        match step:
            case ("columns", c, masks):
                return f"Columns {c}%nat {_naturals(masks)}"
            case ("prune", terms):
                return f"Prune {_terms(terms)}"
            case ("bound", form, b, tree):
                return f"Bound {self.form(form)} {_whole(b)} {self.tree(tree)}"
        raise ValueError(f"not a step: {step!r:.100}")

    def fact(self, fact: Fact) -> str:
        what, m, forms, upper, lower = fact
        return (f"{{| what := {self.box(what)}; times := {_whole(m)}; forms := {_list(self.box(q) for q in forms)}; "
                f"upper := {self.tree(upper)}; lower := {self.tree(lower)} |}}")

    def tree(self, tree: Tree) -> str:
        done: list[str] = []
        for node in reversed(list(nodes(tree))):      # from the end: what is below a node comes before it
            match node:
                case ("leaf", terms, d):
                    done.append(f"(Leaf {_terms(terms)} {_whole(d)})")
                case ("nothing", terms):
                    done.append(f"(Nothing {_terms(terms)})")
                case ("split", form, at, _, _):
                    below, above = done.pop(), done.pop()
                    done.append(self.name("t", "tree", f"Split {self.form(form)} {_whole(at)} {below} {above}"))
                case ("either", k, _, _):
                    left, right = done.pop(), done.pop()
                    done.append(self.name("t", "tree", f"Either {k}%nat {left} {right}"))
                case _:
                    raise ValueError(f"not a tree: {node!r:.100}")
        return done.pop()


def _list(items: Iterable[str]) -> str:
    return f"[{'; '.join(items)}]"


def _naturals(values: Iterable[int]) -> str:
    return _list(f"{value}%N" for value in values)


def _terms(terms: Terms) -> str:
    return _list(f"({row}%N, {_whole(u)})" for row, u in terms)


def _whole(value: int) -> str:
    return f"({value})"


def _option(value: int | None) -> str:
    return "None" if value is None else f"(Some {_whole(value)})"
