(* Foregone: the checker of proofs, as a program that theorems are proved about (Proofs.v, Complete.v).

   For readers who know no Coq.  `list N` is a list of natural numbers (0, 1, 2, ...), Z are the whole numbers, `A * B` are
   pairs, `option A` is either `Some a` or `None`.  `Definition` names something, `Fixpoint` is a definition that may call
   itself on a smaller part, `match x with pattern => result | ... end` looks at how x was made: a list is empty (`[]`) or
   a first element and a rest (`x :: rest`).  `=?`, `<?`, `<=?`, `&&`, `||` compute true or false; `=`, `<=`, `/\`, `->`,
   `forall` state something that then has to be proved.

   Part 1 says what is meant: it has to be read, because no theorem can say that it is what you mean.
   Part 2 is the program: it need not be read to believe its verdicts, because the theorems speak about it. *)
Require Import ZArith NArith List Bool FMapPositive.
Import ListNotations.
Open Scope Z_scope.

(* ============================================================ Part 1: the specification (read this part) *)

(* A code is a position in the list of codes of its column; a record has one code per column. *)
Definition record := list N.

(* A box has one set of codes per column; a set of codes is a number whose bit x tells whether code x is in it.
   Predicates are boxes: a column that a predicate does not name has all its codes in the set. *)
Definition box := list N.

(* is the record in the box?  (every code in the set of its column; not if the lengths differ) *)
Fixpoint inb (r : record) (b : box) : bool :=
  match r, b with
  | [], [] => true
  | x :: r', m :: b' => N.testbit m x && inb r' b'
  | _, _ => false
  end.

(* A dataset lists records, each with how many times it is there; (0, r) says nothing. *)
Definition dataset := list (N * record).
Definition occurs (r : record) (D : dataset) : Prop := exists n, In (n, r) D /\ (0 < n)%N.

(* how many records of the dataset are in the box *)
Fixpoint count (p : box) (D : dataset) : Z :=
  match D with
  | [] => 0
  | (n, r) :: D' => (if inb r p then Z.of_N n else 0) + count p D'
  end.

(* A form is a sum of counts with whole weights. *)
Definition form := list (Z * box).
Fixpoint value (f : form) (D : dataset) : Z :=
  match f with [] => 0 | (w, p) :: f' => w * count p D + value f' D end.

(* What is published: bounds on forms (low = high where the number itself is published); rules: boxes no record is in; and
   either-ors: of two limits at least one holds, where a limit says that the value of a form is at most a number. *)
Record statistic := { about : form; low : option Z; high : option Z }.
Definition limit := (form * Z)%type.
Record release := { domain : box; statistics : list statistic; rules : list box; eithers : list (limit * limit) }.

Definition holds (D : dataset) (s : statistic) : Prop :=
  (forall l, low s = Some l -> l <= value (about s) D) /\ (forall h, high s = Some h -> value (about s) D <= h).

Definition keeps (D : dataset) (l : limit) : Prop := value (fst l) D <= snd l.

(* the datasets that could have been behind the release *)
Definition consistent (R : release) (D : dataset) : Prop :=
  (forall r, occurs r D -> inb r (domain R) = true) /\
  (forall s, In s (statistics R) -> holds D s) /\
  (forall p r, In p (rules R) -> occurs r D -> inb r p = false) /\
  (forall e, In e (eithers R) -> keeps D (fst e) \/ keeps D (snd e)).

(* What can be claimed: a conjunction names a set of codes in some columns and nothing (None) in the others. *)
Definition conjunction := list (option N).
Fixpoint box_of (dom : box) (c : conjunction) : box :=
  match dom, c with
  | m :: dom', None :: c' => m :: box_of dom' c'
  | m :: dom', Some s :: c' => s :: box_of dom' c'
  | _, _ => []
  end.
Definition single (v : N) : N := N.setbit 0 v.             (* the set of the one code v *)
Definition codes (c : list (option N)) : conjunction := map (option_map single) c.   (* a conjunction of single codes *)
Definition says_nothing (c : conjunction) : bool := forallb (fun s => match s with None => true | Some _ => false end) c.

(* the conjunctions that are spoken of: each column names nothing, a single code, or one of the groups listed for it *)
Fixpoint sayable (groups : list (list N)) (c : conjunction) : Prop :=
  match groups, c with
  | [], [] => True
  | gs :: groups', s :: c' =>
      (s = None \/ (exists v, s = Some (single v)) \/ (exists g, s = Some g /\ In g gs)) /\ sayable groups' c'
  | _, _ => False
  end.

(* a set is part of another, column by column *)
Fixpoint inside (b p : box) : bool :=
  match b, p with
  | [], [] => true
  | m :: b', q :: p' => (N.ldiff m q =? 0)%N && inside b' p'
  | _, _ => false
  end.

(* a box is listed with a count if it lies between two boxes of the list with that count, one inside it, one around it *)
Definition listed (l : list (box * Z)) (p : box) (m : Z) : bool :=
  existsb (fun c => (snd c =? m) && inside (fst c) p) l && existsb (fun c => (snd c =? m) && inside p (fst c)) l.

(* ============================================================ Part 2: the program *)

(* A row is a limit that holds.  Rows have numbers 0, 1, 2, ... *)
Definition row := limit.
Definition rows := PositiveMap.t row.
Definition find (i : N) (M : rows) : option row := PositiveMap.find (N.succ_pos i) M.
Definition put (i : N) (r : row) (M : rows) : rows := PositiveMap.add (N.succ_pos i) r M.

(* A cover: every record of every consistent dataset is in one of these boxes. *)
Definition cover := list box.

(* next: the number that the next derived row gets; open: the either-ors *)
Record state := { next : N; known : rows; covering : cover; open : list (row * row) }.

(* ------------------------------------------------------------ arithmetic of forms *)
Definition scale (k : Z) (f : form) : form := map (fun wp => (k * fst wp, snd wp)) f.
Definition neg (f : form) : form := map (fun wp => (- fst wp, snd wp)) f.

(* no record is in both boxes *)
Fixpoint apart (b p : box) : bool :=
  match b, p with
  | [], [] => false
  | m :: b', q :: p' => (N.land m q =? 0)%N || apart b' p'
  | _, _ => true
  end.

(* a bound on what one record of the box adds to the form: at most `most`, at least `least` *)
Fixpoint most (f : form) (b : box) : Z :=
  match f with
  | [] => 0
  | (w, p) :: f' =>
      (if 0 <? w then (if apart b p then 0 else w) else (if inside b p then w else 0)) + most f' b
  end.
Fixpoint least (f : form) (b : box) : Z :=
  match f with
  | [] => 0
  | (w, p) :: f' =>
      (if 0 <? w then (if inside b p then w else 0) else (if apart b p then 0 else w)) + least f' b
  end.

(* rows times positive numbers, added up; None if a row does not exist or a number is not positive *)
Definition terms := list (N * Z).
Fixpoint add_up (M : rows) (ts : terms) : option row :=
  match ts with
  | [] => Some ([], 0)
  | (i, u) :: ts' =>
      match find i M, add_up M ts' with
      | Some (f, b), Some (g, c) => if 0 <? u then Some (scale u f ++ g, u * b + c) else None
      | _, _ => None
      end
  end.

(* ------------------------------------------------------------ bounds and their proofs *)
Inductive tree :=
  | Leaf (ts : terms) (d : Z)                              (* the sum of the terms, divided by d, is the bound *)
  | Nothing (ts : terms)                                   (* the terms contradict each other: nothing fits this branch *)
  | Split (f : form) (at_ : Z) (below above : tree)        (* either f <= at, or f >= at + 1 *)
  | Either (k : nat) (one other : tree).                   (* either-or number k: its left side holds, or its right side *)

Definition never_positive (C : cover) (f : form) : bool := forallb (fun b => most f b <=? 0) C.

(* does the tree prove that g is at most goal? *)
Fixpoint at_most (E : list (row * row)) (nx : N) (M : rows) (C : cover) (g : form) (goal : Z) (t : tree) : bool :=
  match t with
  | Leaf ts d =>
      match add_up M ts with
      | Some (f, total) => (0 <? d) && (total / d <=? goal) && never_positive C (scale d g ++ neg f)
      | None => false
      end
  | Nothing ts =>
      match add_up M ts with
      | Some (f, total) => (total <? 0) && never_positive C (neg f)
      | None => false
      end
  | Split f a below above =>
      at_most E (N.succ nx) (put nx (f, a) M) C g goal below &&
      at_most E (N.succ nx) (put nx (neg f, - (a + 1)) M) C g goal above
  | Either k one other =>
      match nth_error E k with
      | Some (l, r) =>
          at_most E (N.succ nx) (put nx l M) C g goal one && at_most E (N.succ nx) (put nx r M) C g goal other
      | None => false
      end
  end.
Definition proves (st : state) (g : form) (goal : Z) (t : tree) : bool :=
  at_most (open st) (next st) (known st) (covering st) g goal t.

(* ------------------------------------------------------------ smaller covers *)

(* without the boxes whose records would push the form above its bound; only if no record of the cover makes the form negative *)
Fixpoint prune (C : cover) (r : row) : option cover :=
  match C with
  | [] => Some []
  | b :: C' =>
      let l := least (fst r) b in
      if l <? 0 then None else
      match prune C' r with
      | Some K => Some (if l <=? snd r then b :: K else K)
      | None => None
      end
  end.

Fixpoint cut (c : nat) (m : N) (b : box) : box :=
  match b, c with
  | [], _ => []
  | x :: b', O => N.land x m :: b'
  | x :: b', S c' => x :: cut c' m b'
  end.
Definition union (ms : list N) : N := fold_right N.lor 0%N ms.
Definition empty (b : box) : bool := existsb (fun m => (m =? 0)%N) b.
Definition split_box (c : nat) (ms : list N) (b : box) : list box :=
  if (c <? length b)%nat && (N.ldiff (nth c b 0%N) (union ms) =? 0)%N
  then filter (fun b => negb (empty b)) (map (fun m => cut c m b) ms)
  else [b].
Definition columns (C : cover) (c : nat) (ms : list N) : cover := flat_map (split_box c ms) C.

(* ------------------------------------------------------------ steps *)
Inductive step :=
  | Columns (c : nat) (ms : list N)                        (* look at a column, some codes at a time *)
  | Prune (ts : terms)                                     (* drop the boxes that a sum of rows leaves empty *)
  | Bound (f : form) (b : Z) (t : tree).                   (* a bound with its proof is a row *)

Definition advance (st : state) (s : step) : option state :=
  match s with
  | Columns c ms => Some {| next := next st; known := known st; covering := columns (covering st) c ms; open := open st |}
  | Prune ts =>
      match add_up (known st) ts with
      | Some r => match prune (covering st) r with
                  | Some C => Some {| next := next st; known := known st; covering := C; open := open st |}
                  | None => None
                  end
      | None => None
      end
  | Bound f b t =>
      if proves st f b t
      then Some {| next := N.succ (next st); known := put (next st) (f, b) (known st); covering := covering st; open := open st |}
      else None
  end.

(* Statistic k has row 2k (its high) and row 2k+1 (its low); rules follow on with even numbers; derived rows come next. *)
Fixpoint of_statistics (k : N) (ss : list statistic) (M : rows) : N * rows :=
  match ss with
  | [] => (k, M)
  | s :: ss' =>
      let M1 := match high s with Some h => put k (about s, h) M | None => M end in
      let M2 := match low s with Some l => put (N.succ k) (neg (about s), - l) M1 | None => M1 end in
      of_statistics (N.succ (N.succ k)) ss' M2
  end.
Fixpoint of_rules (k : N) (ps : list box) (M : rows) : N * rows :=
  match ps with
  | [] => (k, M)
  | p :: ps' => of_rules (N.succ (N.succ k)) ps' (put k ([(1, p)], 0) M)
  end.
Definition start (R : release) : state :=
  let (k, M) := of_statistics 0%N (statistics R) (PositiveMap.empty row) in
  let (n, M') := of_rules k (rules R) M in
  {| next := n; known := M'; covering := [domain R]; open := eithers R |}.

Fixpoint run (st : state) (ss : list step) : option state :=
  match ss with
  | [] => Some st
  | s :: ss' => match advance st s with Some st' => run st' ss' | None => None end
  end.
Definition build (R : release) (ss : list step) : option state := run (start R) ss.

(* the number of the first step that fails, counted from 0 (only to tell people) *)
Fixpoint stuck (st : state) (ss : list step) : nat :=
  match ss with
  | [] => O
  | s :: ss' => match advance st s with Some st' => S (stuck st' ss') | None => O end
  end.

(* ------------------------------------------------------------ facts *)

(* on every box of the cover the two boxes have the same records *)
Definition same (C : cover) (p q : box) : bool :=
  forallb (fun b => (apart b q || inside b p) && (apart b p || inside b q)) C.

(* exactly `times` records are in `what`, and in each of the other ways to say the same *)
Record fact := { what : box; times : Z; forms : list box; upper : tree; lower : tree }.
Definition fact_ok (st : state) (f : fact) : bool :=
  proves st [(1, what f)] (times f) (upper f) &&
  proves st [(-1, what f)] (- times f) (lower f) &&
  forallb (same (covering st) (what f)) (forms f).
Definition claims (f : fact) : list (box * Z) := (what f, times f) :: map (fun q => (q, times f)) (forms f).

(* the claims of the facts that are accepted, given the verdict on each *)
Fixpoint claims_of (fs : list fact) (vs : list bool) : list (box * Z) :=
  match fs, vs with
  | f :: fs', v :: vs' => (if v then claims f else []) ++ claims_of fs' vs'
  | _, _ => []
  end.

(* the release contradicts itself: no dataset makes 0 at most -1 *)
Definition contradiction (st : state) (t : tree) : bool := proves st [] (-1) t.

(* ------------------------------------------------------------ witnesses *)
Definition holdsb (D : dataset) (s : statistic) : bool :=
  match low s with Some l => l <=? value (about s) D | None => true end &&
  match high s with Some h => value (about s) D <=? h | None => true end.
Definition keepsb (D : dataset) (l : limit) : bool := value (fst l) D <=? snd l.
Definition present (D : dataset) : dataset := filter (fun e => (0 <? fst e)%N) D.
Definition consistentb (R : release) (D : dataset) : bool :=
  forallb (fun e => inb (snd e) (domain R)) (present D) && forallb (holdsb D) (statistics R) &&
  forallb (fun p => forallb (fun e => negb (inb (snd e) p)) (present D)) (rules R) &&
  forallb (fun e => keepsb D (fst e) || keepsb D (snd e)) (eithers R).

(* ------------------------------------------------------------ nothing missed *)

(* The walk goes through the columns from first to last and through all that can be said in each, and keeps of every
   witness only the records that fit so far, without the columns already passed.  As soon as one witness has none left,
   nothing that is said further on can have a count of 1 or more in all of them. *)
Definition skip (D : dataset) : dataset := map (fun e => (fst e, tl (snd e))) D.
Fixpoint take (s : N) (D : dataset) : dataset :=
  match D with
  | [] => []
  | (n, x :: r) :: D' => if N.testbit s x then (n, r) :: take s D' else take s D'
  | (_, []) :: D' => take s D'
  end.
Fixpoint heads (D : dataset) (seen : list N) : list N :=
  match D with
  | [] => seen
  | (_, x :: _) :: D' => heads D' (if existsb (N.eqb x) seen then seen else x :: seen)
  | (_, []) :: D' => heads D' seen
  end.
Definition choices (gs : list N) (D : dataset) : list N := map single (heads D []) ++ gs.
Definition size (D : dataset) : Z := fold_right (fun e k => Z.of_N (fst e) + k) 0 D.
Definition nobody (D : dataset) : bool := match D with [] => true | _ => false end.

Fixpoint walk (ok : conjunction -> Z -> bool) (groups : list (list N)) (w : dataset) (ws : list dataset) (said : conjunction) : bool :=
  if existsb nobody (w :: ws) then true else
  match groups with
  | [] => let m := size w in if forallb (fun x => size x =? m) ws then ok (rev said) m else true
  | gs :: groups' =>
      walk ok groups' (skip w) (map skip ws) (None :: said) &&
      forallb (fun s => walk ok groups' (take s w) (map (take s) ws) (Some s :: said)) (choices gs w)
  end.

(* whatever all witnesses agree on is listed; and all witnesses are consistent *)
Definition agreed (R : release) (groups : list (list N)) (l : list (box * Z)) (W : list dataset) : bool :=
  (length groups =? length (domain R))%nat &&
  match map present W with
  | [] => false
  | w :: ws => walk (fun c m => says_nothing c || listed l (box_of (domain R) c) m) groups w ws []
  end.
Definition complete (R : release) (groups : list (list N)) (l : list (box * Z)) (W : list dataset) : bool :=
  forallb (consistentb R) W && agreed R groups l W.

(* ------------------------------------------------------------ a whole file *)
Record verdict := {
  failed : option nat;                                     (* the first step that fails *)
  facts_hold : list bool;                                  (* one per fact *)
  witnesses_fit : list bool;                               (* one per witness *)
  contradicts : option bool;                               (* if the file claims a contradiction: is it proved? *)
  nothing_missed : bool
}.
Definition check (R : release) (groups : list (list N)) (ss : list step) (fs : list fact) (no : option tree) (W : list dataset) : verdict :=
  let fit := map (consistentb R) W in
  match build R ss with
  | Some st =>
      let vs := map (fact_ok st) fs in
      {| failed := None; facts_hold := vs; witnesses_fit := fit; contradicts := option_map (contradiction st) no;
         nothing_missed := if forallb (fun b => b) fit then agreed R groups (claims_of fs vs) W else false |}
  | None =>
      {| failed := Some (stuck (start R) ss); facts_hold := map (fun _ => false) fs; witnesses_fit := fit;
         contradicts := option_map (fun _ => false) no; nothing_missed := false |}
  end.

(* all of it holds, and some dataset is shown to be consistent *)
Definition accepted (v : verdict) : bool :=
  match failed v, contradicts v with
  | None, None => forallb (fun b => b) (facts_hold v) && existsb (fun b => b) (witnesses_fit v)
  | _, _ => false
  end.
