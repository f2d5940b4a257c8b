(* No choice of actions that meets every clause costs less than a bound (src/foregone/checker/verdicts/choice.py, `no_cheaper`).

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

(* Action 0 costs the first number of the list, action 1 the second, and so on; further actions cost nothing. *)
Fixpoint price_from (a : N) (costs : list Z) (S : choice) : Z :=
  match costs with [] => 0 | c :: rest => (if S a then c else 0) + price_from (N.succ a) rest S end.
Definition price (costs : list Z) (S : choice) : Z := price_from 0 costs S.

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

(* what is paid for which clauses; None if a clause is not there or a number is negative *)
Fixpoint payments (cs : clauses) (ps : list (N * Z)) : option (list (clause * Z)) :=
  match ps with
  | [] => Some []
  | (k, n) :: ps' =>
      match clause_at k cs, payments cs ps' with
      | Some c, Some rest => if 0 <=? n then Some ((c, n) :: rest) else None
      | _, _ => None
      end
  end.

(* A clause says of the actions taken: the items less those given are at least 1 less the number of those given.  (Python has
   sets; where a list names an action twice, `length` only asks for less.)  Times what is paid for it and added up: *)
Definition owed (c : clause) : Z := 1 - Z.of_nat (length (given c)).
Fixpoint owed_in_all (bs : list (clause * Z)) : Z := match bs with [] => 0 | (c, n) :: bs' => n * owed c + owed_in_all bs' end.
(* what an action gets from clauses whose item it is, less what it gives to those where it is given *)
Definition share (a : N) (c : clause) : Z := Z.b2z (has a (items c)) - Z.b2z (has a (given c)).
Fixpoint gets (a : N) (bs : list (clause * Z)) : Z := match bs with [] => 0 | (c, n) :: bs' => n * share a c + gets a bs' end.
(* what actions get above their cost, as a number that is not positive *)
Fixpoint too_much (a : N) (costs : list Z) (over : Z) (bs : list (clause * Z)) : Z :=
  match costs with [] => 0 | c :: rest => Z.min 0 (over * c - gets a bs) + too_much (N.succ a) rest over bs end.

Inductive plan :=
  | Choose (a : N) (yes no : plan)                          (* action a is taken, or left out *)
  | Unmet (k : N)                                          (* clause k cannot be met any more *)
  | Pay (ps : list (N * Z)) (over : Z)                     (* for clauses, in units of 1/over *)
  | Apart (l : list N) (b : Z) (here rest : plan).         (* for actions of a list b is paid, for all others what is left *)

(* the costs of the actions of a list, or of all others; and the clauses that name no other actions, or all the rest *)
Fixpoint costs_of (l : list N) (mine : bool) (a : N) (costs : list Z) : list Z :=
  match costs with [] => [] | c :: rest => (if Bool.eqb (has a l) mine then c else 0) :: costs_of l mine (N.succ a) rest end.
Definition clauses_of (l : list N) (mine : bool) (cs : clauses) : clauses :=
  filter (fun kc => Bool.eqb (forallb (fun a => has a l) (given (snd kc) ++ items (snd kc))) mine) cs.

(* `bound` is what is still to be paid *)
Fixpoint branch (costs : list Z) (cs : clauses) (bound : Z) (t : plan) {struct t} : bool :=
  match t with
  | Choose a yes no =>
      match nth_error costs (N.to_nat a) with
      | Some c => branch costs (when_taken a cs) (bound - c) yes && branch costs (when_left a cs) bound no
      | None => false
      end
  | Unmet k => match clause_at k cs with Some {| given := []; items := [] |} => true | _ => false end
  | Pay ps over =>
      match payments cs ps with
      | Some bs => (0 <? over) && (bound <=? - (- (owed_in_all bs + too_much 0 costs over bs) / over))
      | None => false
      end
  | Apart l b here rest =>
      branch (costs_of l true 0 costs) (clauses_of l true cs) b here
        && branch (costs_of l false 0 costs) (clauses_of l false cs) (bound - b) rest
  end.

(* clauses only name actions that have a cost *)
Definition costed (costs : list Z) (c : clause) : bool :=
  forallb (fun a => a <? N.of_nat (length costs))%N (given c ++ items c).
Definition all_costed (costs : list Z) (cs : clauses) : bool := forallb (fun kc => costed costs (snd kc)) cs.
Definition no_cheaper (costs : list Z) (cs : clauses) (bound : Z) (t : plan) : bool :=
  all_costed costs cs && branch costs cs bound t.

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

Local Ltac bits := cbn [Z.b2z andb orb] in *; lia.

(* actions that are taken and in a list, of as many as there are costs *)
Fixpoint taken (S : choice) (l : list N) (a : N) (costs : list Z) : Z :=
  match costs with [] => 0 | _ :: rest => Z.b2z (S a && has a l) + taken S l (N.succ a) rest end.
Lemma taken_not_negative S l : forall costs a, 0 <= taken S l a costs.
Proof.
  induction costs as [|c costs IH]; intros a; cbn [taken]; [lia|]. specialize (IH (N.succ a)). destruct (S a && has a l); bits.
Qed.
Lemma taken_one S l : forall costs a i, (i < length costs)%nat -> In (a + N.of_nat i)%N l -> S (a + N.of_nat i)%N = true ->
  1 <= taken S l a costs.
Proof.
  induction costs as [|c costs IH]; intros a [|i] L I T; cbn [length] in L; try lia; cbn [taken].
  - rewrite N.add_0_r in *. rewrite T, (proj2 (has_In _ _) I). assert (X := taken_not_negative S l costs (N.succ a)). bits.
  - replace (a + N.of_nat (Datatypes.S i))%N with (N.succ a + N.of_nat i)%N in * by lia.
    specialize (IH (N.succ a) i ltac:(lia) I T). destruct (S a && has a l); bits.
Qed.
(* no more than the list has, and one less where one of it is not taken *)
Lemma taken_above S b : forall costs a, (b < a)%N -> taken S [b] a costs = 0.
Proof.
  induction costs as [|c costs IH]; intros a L; cbn [taken]; [reflexivity|]. rewrite IH by lia. unfold has. cbn [existsb].
  rewrite (proj2 (N.eqb_neq a b)) by lia. destruct (S a); reflexivity.
Qed.
Lemma taken_single S b : forall costs a, taken S [b] a costs <= Z.b2z (S b).
Proof.
  induction costs as [|c costs IH]; intros a; cbn [taken]; [destruct (S b); bits|]. unfold has. cbn [existsb].
  destruct (N.eqb_spec a b) as [->|_]; [rewrite taken_above by lia; destruct (S b); bits|].
  specialize (IH (N.succ a)). destruct (S a); bits.
Qed.
Lemma taken_cons S b l : forall costs a, taken S (b :: l) a costs <= taken S [b] a costs + taken S l a costs.
Proof.
  induction costs as [|c costs IH]; intros a; cbn [taken]; [lia|]. specialize (IH (N.succ a)). unfold has in *. cbn [existsb].
  destruct (S a), (a =? b)%N, (existsb (N.eqb a) l); bits.
Qed.
Lemma taken_most S costs a : forall l, taken S l a costs <= Z.of_nat (length l) - (if forallb S l then 0 else 1).
Proof.
  induction l as [|b l IH].
  - cbn. generalize a. clear. induction costs as [|c costs IH]; intros a; cbn [taken]; [lia|]. specialize (IH (N.succ a)).
    rewrite andb_false_r. bits.
  - assert (X := taken_cons S b l costs a). assert (Y := taken_single S b costs a). cbn [length forallb] in *.
    destruct (S b), (forallb S l); bits.
Qed.

(* what a clause says of the actions taken *)
Lemma meets_owed costs S c : costed costs c = true -> meets S c -> owed c <= taken S (items c) 0 costs - taken S (given c) 0 costs.
Proof.
  intros K H. unfold owed. assert (X := taken_most S costs 0 (given c)). assert (Y := taken_not_negative S (items c) costs 0).
  destruct (forallb S (given c)) eqn:E; [|lia]. rewrite forallb_forall in E. destruct (H E) as [b [B T]].
  unfold costed in K. rewrite forallb_forall in K. specialize (K b (in_or_app _ _ _ (or_intror B))). apply N.ltb_lt in K.
  assert (Z := taken_one S (items c) costs 0 (N.to_nat b)). rewrite N2Nat.id in Z. specialize (Z ltac:(lia) B T). lia.
Qed.
Lemma when_taken_costed costs a cs : all_costed costs cs = true -> all_costed costs (when_taken a cs) = true.
Proof.
  unfold all_costed, costed, when_taken. rewrite !forallb_forall. intros H kc I. apply in_flat_map in I as [[j d] [J I]].
  cbn [fst snd] in I. destruct (has a (items d)); [destruct I|]. destruct I as [<-|[]]. specialize (H _ J).
  cbn [snd given items] in *. rewrite forallb_forall in *. intros b B. apply H. rewrite in_app_iff, ?without_In in *. tauto.
Qed.
Lemma when_left_costed costs a cs : all_costed costs cs = true -> all_costed costs (when_left a cs) = true.
Proof.
  unfold all_costed, costed, when_left. rewrite !forallb_forall. intros H kc I. apply in_flat_map in I as [[j d] [J I]].
  cbn [fst snd] in I. destruct (has a (given d)); [destruct I|]. destruct I as [<-|[]]. specialize (H _ J).
  cbn [snd given items] in *. rewrite forallb_forall in *. intros b B. apply H. rewrite in_app_iff, ?without_In in *. tauto.
Qed.

(* what the taken actions get is at least what is owed, and at most their price and what they get above it *)
Fixpoint got (a : N) (costs : list Z) (S : choice) (bs : list (clause * Z)) : Z :=
  match costs with [] => 0 | _ :: rest => (if S a then gets a bs else 0) + got (N.succ a) rest S bs end.
Lemma got_price S over bs : forall costs a, got a costs S bs + too_much a costs over bs <= over * price_from a costs S.
Proof.
  induction costs as [|c costs IH]; intros a; cbn [got price_from too_much]; [lia|].
  specialize (IH (N.succ a)). destruct (S a); lia.
Qed.
Lemma got_cons S c n bs : forall costs a,
  got a costs S ((c, n) :: bs) = n * (taken S (items c) a costs - taken S (given c) a costs) + got a costs S bs.
Proof.
  induction costs as [|d costs IH]; intros a; cbn [got taken]; [lia|]. rewrite IH. cbn [gets]. unfold share. destruct (S a); bits.
Qed.
Lemma payments_ok costs S cs : all_costed costs cs = true -> all_met S cs ->
  forall ps bs, payments cs ps = Some bs -> owed_in_all bs <= got 0 costs S bs.
Proof.
  intros K H. induction ps as [|[k n] ps IH]; intros bs E; cbn [payments] in E.
  - inversion E; subst. cbn [owed_in_all]. clear. generalize 0%N. induction costs as [|c costs IH]; intros a; [cbn; lia|].
    cbn [got gets]. specialize (IH (N.succ a)). destruct (S a); lia.
  - destruct (clause_at k cs) as [c|] eqn:C; [|discriminate]. destruct (payments cs ps) as [rest|]; [|discriminate].
    destruct (0 <=? n) eqn:P; [|discriminate]. apply Z.leb_le in P. inversion E; subst; clear E. specialize (IH _ eq_refl).
    rewrite got_cons. cbn [owed_in_all]. apply clause_at_In in C. unfold all_costed in K. rewrite forallb_forall in K.
    assert (X := meets_owed costs S c (K _ C) (H _ _ C)). nia.
Qed.

(* what is paid for the actions of a list and what is paid for all others add up to the price *)
Lemma price_apart l S : forall costs a,
  price_from a (costs_of l true a costs) S + price_from a (costs_of l false a costs) S = price_from a costs S.
Proof.
  induction costs as [|c costs IH]; intros a; cbn [costs_of price_from]; [lia|]. specialize (IH (N.succ a)).
  destruct (has a l); cbn [Bool.eqb]; destruct (S a); lia.
Qed.
Lemma costs_of_length l mine : forall costs a, length (costs_of l mine a costs) = length costs.
Proof. induction costs as [|c costs IH]; intros a; cbn [costs_of length]; [reflexivity|]. rewrite IH. reflexivity. Qed.
Lemma clauses_of_costed l mine costs cs : all_costed costs cs = true ->
  all_costed (costs_of l mine 0 costs) (clauses_of l mine cs) = true.
Proof.
  unfold all_costed, costed, clauses_of. rewrite costs_of_length, !forallb_forall. intros H kc I. apply filter_In in I as [I _].
  exact (H _ I).
Qed.
Lemma clauses_of_ok l mine S cs : all_met S cs -> all_met S (clauses_of l mine cs).
Proof. intros H k c I. unfold clauses_of in I. apply filter_In in I as [I _]. exact (H _ _ I). Qed.

Lemma branch_ok : forall t costs cs bound, all_costed costs cs = true -> branch costs cs bound t = true ->
  forall S, all_met S cs -> bound <= price costs S.
Proof.
  induction t as [a yes IHt no IHl|k|ps over|l b here IHh rest IHr]; intros costs cs bound C K S H; cbn [branch] in K.
  - destruct (nth_error costs (N.to_nat a)) as [c|] eqn:E; [|discriminate]. apply andb_prop in K as [K1 K2].
    destruct (S a) eqn:T; [|exact (IHl _ _ _ (when_left_costed _ _ _ C) K2 S (when_left_ok _ _ _ H T))].
    assert (L := IHt _ _ _ (when_taken_costed _ _ _ C) K1 _ (when_taken_ok _ _ _ H T)).
    assert (X := price_leaving S costs 0 (N.to_nat a) c E). rewrite N2Nat.id in X. specialize (X T). unfold price in *.
    rewrite X. replace (0 + a)%N with a by lia. lia.
  - destruct (clause_at k cs) as [[[|] [|]]|] eqn:E; try discriminate.
    destruct (H _ _ (clause_at_In _ _ _ E)) as [b [[] _]]. intros a [].
  - destruct (payments cs ps) as [bs|] eqn:E; [|discriminate]. apply andb_prop in K as [K1 K2].
    apply Z.ltb_lt in K1. apply Z.leb_le in K2.
    assert (X := payments_ok _ _ _ C H _ _ E). assert (Y := got_price S over bs costs 0). unfold price.
    assert (W : - price_from 0 costs S <= - (owed_in_all bs + too_much 0 costs over bs) / over)
      by (apply Z.div_le_lower_bound; lia). lia.
  - apply andb_prop in K as [K1 K2].
    assert (X := IHh _ _ _ (clauses_of_costed l true _ _ C) K1 S (clauses_of_ok l true S cs H)).
    assert (Y := IHr _ _ _ (clauses_of_costed l false _ _ C) K2 S (clauses_of_ok l false S cs H)).
    assert (Z := price_apart l S costs 0). unfold price in *. lia.
Qed.

(* Whoever meets all clauses pays at least the bound. *)
Theorem no_cheaper_ok : forall costs t cs bound, no_cheaper costs cs bound t = true ->
  forall S, (forall k c, In (k, c) cs -> meets S c) -> bound <= price costs S.
Proof. intros costs t cs bound K. apply andb_prop in K as [C K]. exact (branch_ok t costs cs bound C K). Qed.
