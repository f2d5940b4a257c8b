(* No choice of actions that meets every clause costs less than a bound (src/foregone/checker/choice.py, `no_cheaper`).

   Part 1 says what is meant and has to be read; Checker.v explains the notation.  Part 2 is the program.  Part 3 proves
   theorem `no_cheaper_ok`: what the program accepts is true. *)
Require Import ZArith NArith List Bool Lia.
Import ListNotations.
Open Scope Z_scope.

(* ============================================================ Part 1: the specification (read this part) *)

(* Actions are numbered from 0.  A choice tells of each action whether it is taken. *)
Definition choice := N -> bool.

(* A clause: whoever takes all of the actions `given` must take at least one of `items`. *)
Record clause := { given : list N; items : list N }.
Definition meets (S : choice) (c : clause) : Prop :=
  (forall a, In a (given c) -> S a = true) -> exists a, In a (items c) /\ S a = true.

(* Action 0 costs the first number of the list, action 1 the second, and so on; there are no further actions to choose. *)
Fixpoint price_from (a : N) (costs : list Z) (S : choice) : Z :=
  match costs with [] => 0 | c :: rest => (if S a then c else 0) + price_from (N.succ a) rest S end.
Definition price (costs : list Z) (S : choice) : Z := price_from 0 costs S.
Definition among (costs : list Z) (S : choice) : Prop := forall a, S a = true -> (a < N.of_nat (length costs))%N.

(* ============================================================ Part 2: the program *)
Definition clauses := list (N * clause).                   (* with numbers to name them by *)
Fixpoint clause_at (k : N) (cs : clauses) : option clause :=
  match cs with [] => None | (j, c) :: cs' => if (k =? j)%N then Some c else clause_at k cs' end.

Definition has (a : N) (l : list N) : bool := existsb (N.eqb a) l.
Definition without (a : N) (l : list N) : list N := filter (fun b => negb (a =? b)%N) l.

(* what is left of the clauses where an action is taken, and where it is left out; neither mentions it any more *)
Definition when_taken (a : N) (cs : clauses) : clauses :=
  flat_map (fun kc => let c := snd kc in
    if has a (items c) then [] else [(fst kc, {| given := without a (given c); items := items c |})]) cs.
Definition when_left (a : N) (cs : clauses) : clauses :=
  flat_map (fun kc => let c := snd kc in
    if has a (given c) then [] else [(fst kc, {| given := given c; items := without a (items c) |})]) cs.

(* what is paid for which clause; None if a clause is not there or the number is negative *)
Fixpoint payments (cs : clauses) (ps : list (N * Z)) : option (list (clause * Z)) :=
  match ps with
  | [] => Some []
  | (k, n) :: ps' =>
      match clause_at k cs, payments cs ps' with
      | Some c, Some rest => if 0 <=? n then Some ((c, n) :: rest) else None
      | _, _ => None
      end
  end.
(* what an action gets: the payments of the clauses that it meets, less those of the clauses that only bind who takes it *)
Definition mark (b : bool) : Z := if b then 1 else 0.
Fixpoint paid (a : N) (bs : list (clause * Z)) : Z :=
  match bs with [] => 0 | (c, n) :: bs' => n * (mark (has a (items c)) - mark (has a (given c))) + paid a bs' end.
Fixpoint paid_in_all (bs : list (clause * Z)) : Z :=
  match bs with [] => 0 | (c, n) :: bs' => n * (1 - Z.of_nat (length (given c))) + paid_in_all bs' end.
(* what actions get above their costs *)
Fixpoint above (a : N) (costs : list Z) (over : Z) (bs : list (clause * Z)) : Z :=
  match costs with [] => 0 | c :: rest => Z.max 0 (paid a bs - over * c) + above (N.succ a) rest over bs end.

Inductive plan :=
  | Choose (a : N) (yes no : plan)                          (* action a is taken, or left out *)
  | Unmet (k : N)                                          (* clause k cannot be met any more *)
  | Pay (ps : list (N * Z)) (over : Z).                    (* what is paid for clauses, in units of 1/over *)

(* `bound` is what is still to be paid *)
Fixpoint no_cheaper (costs : list Z) (cs : clauses) (bound : Z) (t : plan) : bool :=
  match t with
  | Choose a yes no =>
      match nth_error costs (N.to_nat a) with
      | Some c => no_cheaper costs (when_taken a cs) (bound - c) yes && no_cheaper costs (when_left a cs) bound no
      | None => false
      end
  | Unmet k => match clause_at k cs with Some {| given := []; items := [] |} => true | _ => false end
  | Pay ps over =>
      match payments cs ps with
      | Some bs => (0 <? over) && (bound <=? - ((above 0 costs over bs - paid_in_all bs) / over))
      | None => false
      end
  end.

(* ============================================================ Part 3: the proofs *)
Lemma has_In a l : has a l = true <-> In a l.
Proof.
  unfold has. rewrite existsb_exists. split.
  - intros [b [I E]]. apply N.eqb_eq in E. subst. exact I.
  - intros I. exists a. split; [exact I|apply N.eqb_refl].
Qed.
Lemma without_In a b l : In b (without a l) <-> In b l /\ a <> b.
Proof. unfold without. rewrite filter_In, negb_true_iff, N.eqb_neq. reflexivity. Qed.
Lemma clause_at_In k cs c : clause_at k cs = Some c -> In (k, c) cs.
Proof.
  induction cs as [|[j d] cs IH]; cbn [clause_at]; [discriminate|]. destruct (N.eqb_spec k j) as [->|N]; intros E.
  - inversion E. left; reflexivity.
  - right. exact (IH E).
Qed.

Definition all_met (S : choice) (cs : clauses) : Prop := forall k c, In (k, c) cs -> meets S c.
Definition leaving (a : N) (S : choice) : choice := fun b => if (a =? b)%N then false else S b.

Lemma when_taken_ok a S cs : all_met S cs -> S a = true -> all_met (leaving a S) (when_taken a cs).
Proof.
  intros H T k c I. unfold when_taken in I. apply in_flat_map in I as [[j d] [J I]]. cbn [fst snd] in I.
  destruct (has a (items d)) eqn:E; [destruct I|]. destruct I as [I|[]]. inversion I; subst; clear I.
  intros G. cbn [given items] in *. destruct (H _ _ J) as [b [B X]].
  - intros b B. destruct (N.eq_dec a b) as [<-|N]; [exact T|].
    assert (Y := G b (proj2 (without_In a b (given d)) (conj B N))). unfold leaving in Y.
    rewrite (proj2 (N.eqb_neq a b) N) in Y. exact Y.
  - exists b. split; [exact B|]. unfold leaving. destruct (N.eqb_spec a b) as [<-|_]; [|exact X].
    rewrite (proj2 (has_In a (items d)) B) in E. discriminate.
Qed.
Lemma when_left_ok a S cs : all_met S cs -> S a = false -> all_met S (when_left a cs).
Proof.
  intros H T k c I. unfold when_left in I. apply in_flat_map in I as [[j d] [J I]]. cbn [fst snd] in I.
  destruct (has a (given d)); [destruct I|]. destruct I as [I|[]]. inversion I; subst; clear I.
  intros G. cbn [given items] in *. destruct (H _ _ J G) as [b [B X]]. exists b. split; [|exact X].
  apply without_In. split; [exact B|]. intros <-. congruence.
Qed.

(* an action that is taken adds its cost to the price of the others *)
Lemma price_above a S : forall costs b, (a < b)%N -> price_from b costs (leaving a S) = price_from b costs S.
Proof.
  induction costs as [|c costs IH]; intros b L; [reflexivity|]. cbn [price_from]. rewrite IH by lia.
  unfold leaving. rewrite (proj2 (N.eqb_neq a b)) by lia. reflexivity.
Qed.
Lemma price_leaving S : forall costs b i c, nth_error costs i = Some c -> S (b + N.of_nat i)%N = true ->
  price_from b costs S = c + price_from b costs (leaving (b + N.of_nat i) S).
Proof.
  induction costs as [|d costs IH]; intros b [|i] c E T; try discriminate E; cbn [price_from].
  - inversion E; subst. rewrite N.add_0_r in *. rewrite T, price_above by lia. unfold leaving. rewrite N.eqb_refl. lia.
  - replace (b + N.of_nat (Datatypes.S i))%N with (N.succ b + N.of_nat i)%N in * by lia.
    rewrite (IH _ _ _ E T). unfold leaving at 2. rewrite (proj2 (N.eqb_neq (N.succ b + N.of_nat i) b)) by lia. lia.
Qed.

(* what the taken actions got is at most their price and what they got above it, and at least all that was paid *)
Fixpoint got (a : N) (costs : list Z) (S : choice) (bs : list (clause * Z)) : Z :=
  match costs with [] => 0 | _ :: rest => (if S a then paid a bs else 0) + got (N.succ a) rest S bs end.
Lemma got_above S over bs : forall costs a, got a costs S bs <= over * price_from a costs S + above a costs over bs.
Proof.
  induction costs as [|c costs IH]; intros a; cbn [got price_from above]; [lia|]. specialize (IH (N.succ a)). destruct (S a); lia.
Qed.
(* how many actions of a list are taken, each counted once *)
Fixpoint tally (a : N) (costs : list Z) (S : choice) (l : list N) : Z :=
  match costs with [] => 0 | _ :: rest => mark (S a && has a l) + tally (N.succ a) rest S l end.
Lemma got_cons S c n bs : forall costs a,
  got a costs S ((c, n) :: bs) = n * (tally a costs S (items c) - tally a costs S (given c)) + got a costs S bs.
Proof.
  induction costs as [|d costs IH]; intros a; cbn [got tally]; [lia|]. rewrite IH. cbn [paid]. unfold mark.
  destruct (S a), (has a (items c)), (has a (given c)); cbn [andb]; lia.
Qed.
Lemma tally_not_negative S l : forall costs a, 0 <= tally a costs S l.
Proof. induction costs as [|c costs IH]; intros a; cbn [tally]; [lia|]. specialize (IH (N.succ a)). unfold mark. destruct (S a && has a l); lia. Qed.
Lemma tally_some S l : forall costs a i, (i < length costs)%nat -> In (a + N.of_nat i)%N l -> S (a + N.of_nat i)%N = true ->
  1 <= tally a costs S l.
Proof.
  induction costs as [|c costs IH]; intros a [|i] L I T; cbn [length] in L; try lia; cbn [tally].
  - rewrite N.add_0_r in *. rewrite T, (proj2 (has_In _ _) I). assert (X := tally_not_negative S l costs (N.succ a)). cbn [andb mark]. lia.
  - replace (a + N.of_nat (Datatypes.S i))%N with (N.succ a + N.of_nat i)%N in * by lia.
    specialize (IH (N.succ a) i ltac:(lia) I T). unfold mark. destruct (S a && has a l); lia.
Qed.
(* with the repetitions of a list it is never less *)
Fixpoint taken_of (S : choice) (l : list N) : Z := match l with [] => 0 | a :: l' => mark (S a) + taken_of S l' end.
Lemma tally_below S x : forall costs a, (x < a)%N -> tally a costs S [x] = 0.
Proof.
  induction costs as [|c costs IH]; intros a L; cbn [tally]; [reflexivity|]. rewrite IH by lia. unfold has. cbn [existsb].
  rewrite (proj2 (N.eqb_neq a x)), andb_false_r by lia. reflexivity.
Qed.
Lemma tally_single S x : forall costs a, tally a costs S [x] <= mark (S x).
Proof.
  induction costs as [|c costs IH]; intros a; cbn [tally]; [unfold mark; destruct (S x); lia|].
  unfold has at 1. cbn [existsb]. rewrite orb_false_r. destruct (N.eqb_spec a x) as [->|E].
  - rewrite tally_below, andb_true_r by lia. lia.
  - rewrite andb_false_r. specialize (IH (N.succ a)). cbn [mark]. lia.
Qed.
Lemma tally_cons S x l : forall costs a, tally a costs S (x :: l) <= tally a costs S [x] + tally a costs S l.
Proof.
  induction costs as [|c costs IH]; intros a; cbn [tally]; [lia|]. specialize (IH (N.succ a)). unfold has in *. cbn [existsb].
  unfold mark. destruct (S a), (a =? x)%N, (existsb (N.eqb a) l); cbn [andb orb]; lia.
Qed.
Lemma tally_taken S costs a l : tally a costs S l <= taken_of S l.
Proof.
  induction l as [|x l IH]; cbn [taken_of].
  - revert a. induction costs as [|c costs IHc]; intros a; cbn [tally]; [lia|]. specialize (IHc (N.succ a)). rewrite andb_false_r. cbn [mark]. lia.
  - assert (A := tally_cons S x l costs a). assert (B := tally_single S x costs a). lia.
Qed.
Lemma taken_of_all S l : taken_of S l <= Z.of_nat (length l).
Proof. induction l as [|x l IH]; cbn [taken_of length]; [lia|]. unfold mark. destruct (S x); lia. Qed.
Lemma taken_of_some S l : forallb S l = false -> taken_of S l <= Z.of_nat (length l) - 1.
Proof.
  induction l as [|x l IH]; cbn [forallb taken_of length]; intros H; [discriminate|]. unfold mark. destruct (S x); cbn [andb] in H.
  - specialize (IH H). lia.
  - assert (A := taken_of_all S l). lia.
Qed.
Lemma payments_ok costs S cs : among costs S -> all_met S cs -> forall ps bs, payments cs ps = Some bs ->
  paid_in_all bs <= got 0 costs S bs.
Proof.
  intros A H. induction ps as [|[k n] ps IH]; intros bs E; cbn [payments] in E.
  - inversion E; subst. cbn [paid_in_all]. clear. generalize 0%N. induction costs as [|c costs IH]; intros a; cbn [got paid]; [lia|].
    specialize (IH (N.succ a)). destruct (S a); lia.
  - destruct (clause_at k cs) as [c|] eqn:C; [|discriminate]. destruct (payments cs ps) as [rest|]; [|discriminate].
    destruct (0 <=? n) eqn:P; [|discriminate]. apply Z.leb_le in P.
    inversion E; subst; clear E. rewrite got_cons. cbn [paid_in_all]. specialize (IH _ eq_refl).
    assert (X : 1 - Z.of_nat (length (given c)) <= tally 0 costs S (items c) - tally 0 costs S (given c)); [|nia].
    assert (G := tally_taken S costs 0 (given c)). destruct (forallb S (given c)) eqn:F.
    + rewrite forallb_forall in F. destruct (H _ _ (clause_at_In _ _ _ C) F) as [b [B T]].
      assert (Y := tally_some S (items c) costs 0 (N.to_nat b)). rewrite N2Nat.id in Y.
      specialize (Y ltac:(specialize (A b T); lia) B T). assert (L := taken_of_all S (given c)). lia.
    + assert (L := taken_of_some S _ F). assert (Q := tally_not_negative S (items c) costs 0). lia.
Qed.

(* Whoever takes some of these actions and meets all clauses pays at least the bound. *)
Theorem no_cheaper_ok : forall costs t cs bound, no_cheaper costs cs bound t = true ->
  forall S, among costs S -> (forall k c, In (k, c) cs -> meets S c) -> bound <= price costs S.
Proof.
  intros costs. induction t as [a yes IHt no IHl|k|ps over]; intros cs bound K S A H; cbn [no_cheaper] in K.
  - destruct (nth_error costs (N.to_nat a)) as [c|] eqn:E; [|discriminate]. apply andb_prop in K as [K1 K2].
    destruct (S a) eqn:T; [|exact (IHl _ _ K2 S A (when_left_ok _ _ _ H T))].
    assert (L : bound - c <= price costs (leaving a S)).
    { refine (IHt _ _ K1 _ _ (when_taken_ok _ _ _ H T)). intros b B. unfold leaving in B. destruct (a =? b)%N; [discriminate|exact (A b B)]. }
    assert (X := price_leaving S costs 0 (N.to_nat a) c E). rewrite N2Nat.id in X. specialize (X T). unfold price in *.
    rewrite X. replace (0 + a)%N with a by lia. lia.
  - destruct (clause_at k cs) as [[[|] [|]]|] eqn:E; try discriminate.
    destruct (H _ _ (clause_at_In _ _ _ E)) as [b [[] _]]. intros a [].
  - destruct (payments cs ps) as [bs|] eqn:E; [|discriminate]. apply andb_prop in K as [K1 K2].
    apply Z.ltb_lt in K1. apply Z.leb_le in K2.
    assert (X := payments_ok _ _ _ A H _ _ E). assert (Y := got_above S over bs costs 0). unfold price.
    assert (W : - price_from 0 costs S <= (above 0 costs over bs - paid_in_all bs) / over) by (apply Z.div_le_lower_bound; lia). lia.
Qed.
