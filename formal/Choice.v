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

(* what is paid for which items; None if a clause is not there or need not be met, or the number is negative *)
Fixpoint payments (cs : clauses) (ps : list (N * Z)) : option (list (list N * Z)) :=
  match ps with
  | [] => Some []
  | (k, n) :: ps' =>
      match clause_at k cs, payments cs ps' with
      | Some c, Some rest => match given c with
                             | [] => if 0 <=? n then Some ((items c, n) :: rest) else None
                             | _ => None
                             end
      | _, _ => None
      end
  end.
Fixpoint paid (a : N) (bs : list (list N * Z)) : Z :=
  match bs with [] => 0 | (l, n) :: bs' => (if has a l then n else 0) + paid a bs' end.
Fixpoint paid_in_all (bs : list (list N * Z)) : Z := match bs with [] => 0 | (_, n) :: bs' => n + paid_in_all bs' end.
Fixpoint affordable (a : N) (costs : list Z) (over : Z) (bs : list (list N * Z)) : bool :=
  match costs with [] => true | c :: rest => (paid a bs <=? over * c) && affordable (N.succ a) rest over bs end.

Inductive plan :=
  | Choose (a : N) (yes no : plan)                          (* action a is taken, or left out *)
  | Unmet (k : N)                                          (* clause k cannot be met any more *)
  | Pay (ps : list (N * Z)) (over : Z).                    (* for clauses, in units of 1/over, never more than an action costs *)

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
      | Some bs => (0 <? over) && affordable 0 costs over bs && (bound <=? - (- paid_in_all bs / over))
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

(* what the taken actions got is at most their price, and at least all that was paid *)
Fixpoint got (a : N) (costs : list Z) (S : choice) (bs : list (list N * Z)) : Z :=
  match costs with [] => 0 | _ :: rest => (if S a then paid a bs else 0) + got (N.succ a) rest S bs end.
Lemma got_affordable S over bs : forall costs a, affordable a costs over bs = true -> got a costs S bs <= over * price_from a costs S.
Proof.
  induction costs as [|c costs IH]; intros a H; cbn [got price_from affordable] in *; [lia|].
  apply andb_prop in H as [H1 H2]. apply Z.leb_le in H1. specialize (IH _ H2). destruct (S a); lia.
Qed.
Lemma got_cons S l n bs : forall costs a, got a costs S ((l, n) :: bs) = got a costs S [(l, n)] + got a costs S bs.
Proof.
  induction costs as [|c costs IH]; intros a; cbn [got]; [lia|]. rewrite IH. cbn [paid]. destruct (S a); lia.
Qed.
Lemma got_not_negative S l n : 0 <= n -> forall costs a, 0 <= got a costs S [(l, n)].
Proof.
  intros P. induction costs as [|c costs IH]; intros a; cbn [got paid]; [lia|]. specialize (IH (N.succ a)).
  destruct (S a), (has a l); lia.
Qed.
Lemma got_one S l n : 0 <= n -> forall costs a i, (i < length costs)%nat -> In (a + N.of_nat i)%N l -> S (a + N.of_nat i)%N = true ->
  n <= got a costs S [(l, n)].
Proof.
  intros P. induction costs as [|c costs IH]; intros a [|i] L I T; cbn [length] in L; try lia; cbn [got paid].
  - rewrite N.add_0_r in *. rewrite T, (proj2 (has_In _ _) I). assert (X := got_not_negative S l n P costs (N.succ a)). lia.
  - replace (a + N.of_nat (Datatypes.S i))%N with (N.succ a + N.of_nat i)%N in * by lia.
    specialize (IH (N.succ a) i ltac:(lia) I T). destruct (S a), (has a l); lia.
Qed.
Lemma payments_ok costs S cs : among costs S -> all_met S cs -> forall ps bs, payments cs ps = Some bs ->
  paid_in_all bs <= got 0 costs S bs.
Proof.
  intros A H. induction ps as [|[k n] ps IH]; intros bs E; cbn [payments] in E.
  - inversion E; subst. cbn [paid_in_all]. clear. generalize 0%N. induction costs as [|c costs IH]; intros a; cbn [got paid]; [lia|].
    specialize (IH (N.succ a)). destruct (S a); lia.
  - destruct (clause_at k cs) as [c|] eqn:C; [|discriminate]. destruct (payments cs ps) as [rest|]; [|discriminate].
    destruct (given c) eqn:G; [|discriminate]. destruct (0 <=? n) eqn:P; [|discriminate]. apply Z.leb_le in P.
    inversion E; subst; clear E. rewrite got_cons. cbn [paid_in_all]. specialize (IH _ eq_refl).
    destruct (H _ _ (clause_at_In _ _ _ C)) as [b [B T]]; [rewrite G; intros a []|].
    assert (X := got_one S (items c) n P costs 0 (N.to_nat b)).
    rewrite N2Nat.id in X. specialize (X ltac:(specialize (A b T); lia) B T). lia.
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
  - destruct (payments cs ps) as [bs|] eqn:E; [|discriminate]. apply andb_prop in K as [K K3]. apply andb_prop in K as [K1 K2].
    apply Z.ltb_lt in K1. apply Z.leb_le in K3.
    assert (X := payments_ok _ _ _ A H _ _ E). assert (Y := got_affordable S _ _ _ _ K2). unfold price.
    assert (W : - price_from 0 costs S <= - paid_in_all bs / over) by (apply Z.div_le_lower_bound; lia). lia.
Qed.
