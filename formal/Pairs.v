(* How far apart two datasets of a release can be (src/foregone/checker/encode/pairs.py).

   Two datasets are seen as one dataset of another release, the release of pairs: `pair_release`.  What the checker proves about
   every dataset of that release limits the distance of every two datasets of the first one.

   Part 1 says what is meant and has to be read, with the first part of Checker.v.  Part 2 is the program. PairProofs.v has the
   proofs. *)
Require Import ZArith NArith List Bool.
From Foregone Require Import Checker.
Import ListNotations.
Open Scope Z_scope.

(* ============================================================ Part 1: the specification (read this part) *)

(* the box that holds one kind of record, and so how many records of that kind a dataset has *)
Definition exactly (r : record) : box := map single r.
Definition how_many (r : record) (D : dataset) : Z := count (exactly r) D.

(* the kinds of record that are in a list of entries, each once *)
Definition kinds_in (D : dataset) : list record := nodup (list_eq_dec N.eq_dec) (map snd D).

(* Twice the distance: the sum of |x - y| over all kinds of record, of which one dataset has x and the other y. *)
Definition sum (f : record -> Z) (l : list record) : Z := fold_right (fun r k => f r + k) 0 l.
Definition twice_apart (D E : dataset) : Z := sum (fun r => Z.abs (how_many r D - how_many r E)) (kinds_in (D ++ E)).

(* ============================================================ Part 2: the program *)

(* Every dataset has from `fewest` to `greatest` records of one kind. *)
Record kind := { who : record; fewest : Z; greatest : Z }.
Definition wide (k : kind) : bool := fewest k + 1 <? greatest k.

(* The release of pairs has one more column, the last.  Its code 0 marks the records of the first dataset, 1 those of the second;
   then each kind has a code for as many records as the two share ("both") and, if it is wide, a code for one record if the
   first dataset has as many as the second or more ("more"). *)
Definition on (c : N) (b : box) : box := b ++ [single c].
Definition on_form (c : N) (f : form) : form := map (fun wp => (fst wp, on c (snd wp))) f.
Definition on_statistic (c : N) (s : statistic) : statistic := {| about := on_form c (about s); low := low s; high := high s |}.
Definition on_limit (c : N) (l : limit) : limit := (on_form c (fst l), snd l).
Definition on_either (c : N) (e : limit * limit) : limit * limit := (on_limit c (fst e), on_limit c (snd e)).

Definition codes_for (k : kind) : N := if wide k then 2 else 1.
Fixpoint code_after (n : N) (ks : list kind) : N :=
  match ks with [] => n | k :: ks' => code_after (n + codes_for k)%N ks' end.

(* of the x, y and m records of a kind in the first, the second and both, l and u being its limits:
   l <= x, y, m <= u; x + y - m <= u; and where it is wide, a <= 1, y - m + (u - l) a <= u - l, x - m - (u - l) a <= 0 *)
Definition between (f : form) (l h : option Z) : statistic := {| about := f; low := l; high := h |}.
Fixpoint kind_statistics (dom : box) (n : N) (ks : list kind) : list statistic :=
  match ks with
  | [] => []
  | k :: ks' =>
      let x := on 0 (exactly (who k)) in
      let y := on 1 (exactly (who k)) in
      let m := on n dom in
      let a := on (N.succ n) dom in
      let l := fewest k in
      let u := greatest k in
      [between [(1, x)] (Some l) (Some u); between [(1, y)] (Some l) (Some u); between [(1, m)] (Some l) (Some u);
       between [(1, x); (1, y); (-1, m)] None (Some u)] ++
      (if wide k
       then [between [(1, a)] None (Some 1);
             between [(1, y); (-1, m); (u - l, a)] None (Some (u - l));
             between [(1, x); (-1, m); (- (u - l), a)] None (Some 0)]
       else []) ++
      kind_statistics dom (n + codes_for k)%N ks'
  end.

(* records that only count something have the first code of every column *)
Fixpoint mark_rules (before dom : box) (marked : N) : list box :=
  match dom with
  | [] => []
  | m :: dom' =>
      (if (N.ldiff m 1 =? 0)%N then [] else [before ++ [N.ldiff m 1] ++ dom' ++ [marked]]) ++ mark_rules (before ++ [m]) dom' marked
  end.

(* `counts`: how many of the statistics are counts; the others, which are sums, come after the counts of both datasets *)
Definition both_sides (part : list statistic) : list statistic := map (on_statistic 0) part ++ map (on_statistic 1) part.
Definition pair_release (R : release) (counts : nat) (ks : list kind) : release :=
  let all := N.ones (code_after 2 ks) in
  let marked := N.ldiff all 3 in
  {| domain := domain R ++ [all];
     statistics := both_sides (firstn counts (statistics R)) ++ both_sides (skipn counts (statistics R)) ++
                   kind_statistics (domain R) 2 ks;
     rules := map (fun p => p ++ [3%N]) (rules R) ++ (if (marked =? 0)%N then [] else mark_rules [] (domain R) marked);
     eithers := map (on_either 0) (eithers R) ++ map (on_either 1) (eithers R) |}.

(* the records of both datasets, less twice those that they share of the kinds listed *)
Fixpoint shared (dom : box) (n : N) (ks : list kind) : form :=
  match ks with [] => [] | k :: ks' => (-2, on n dom) :: shared dom (n + codes_for k)%N ks' end.
Definition twice_the_distance (R : release) (ks : list kind) : form :=
  (1, on 0 (domain R)) :: (1, on 1 (domain R)) :: shared (domain R) 2 ks.

(* ------------------------------------------------------------ a file about distances *)
Definition kind_ok (st : state) (k : kind * (tree * tree)) : bool :=
  proves st [(-1, exactly (who (fst k)))] (- fewest (fst k)) (fst (snd k)) &&
  proves st [(1, exactly (who (fst k)))] (greatest (fst k)) (snd (snd k)).
Fixpoint same_record (r q : record) : bool :=
  match r, q with [], [] => true | x :: r', y :: q' => (x =? y)%N && same_record r' q' | _, _ => false end.
Fixpoint different (l : list record) : bool :=
  match l with [] => true | r :: l' => negb (existsb (same_record r) l') && different l' end.

Definition kinds_ok (R : release) (ss : list step) (ks : list (kind * (tree * tree))) : bool :=
  match build R ss with
  | Some st => forallb (kind_ok st) ks && different (map (fun k => who (fst k)) ks)
  | None => false
  end.
(* every column has a first code *)
Definition first_codes (R : release) : bool := forallb (fun m => N.testbit m 0) (domain R).
Definition limit_ok (R : release) (counts : nat) (ks : list kind) (ss : list step) (twice : Z) (t : tree) : bool :=
  first_codes R &&
  match build (pair_release R counts ks) ss with
  | Some st => proves st (twice_the_distance R ks) twice t
  | None => false
  end.

Record apartness := {
  farthest : option Z;                                     (* twice the distance of the two listed datasets, if both fit *)
  ranges_hold : bool;                                      (* the limits of all kinds *)
  limit_holds : bool                                       (* no two datasets are farther apart than the file says *)
}.
Definition check_distance (R : release) (counts : nat) (W V : dataset) (ss : list step) (ks : list (kind * (tree * tree)))
  (pss : list step) (twice : Z) (t : tree) : apartness :=
  let ranges := kinds_ok R ss ks in
  {| farthest := if consistentb R W && consistentb R V then Some (twice_apart W V) else None;
     ranges_hold := ranges;
     limit_holds := if ranges then limit_ok R counts (map fst ks) pss twice t else false |}.
