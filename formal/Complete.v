(* Nothing missed: what all witnesses agree on is listed, so the list is exactly what is certain: theorem `exact_list`. *)
Require Import ZArith NArith List Bool Lia.
From Foregone Require Import Checker Proofs.
Import ListNotations.
Open Scope Z_scope.

(* ------------------------------------------------------------ witnesses *)
Lemma present_in r D : (exists n, In (n, r) (present D)) <-> occurs r D.
Proof.
  split; intros [n H]; exists n.
  - apply filter_In in H as [I P]. split; [exact I|]. apply N.ltb_lt. exact P.
  - destruct H as [I P]. apply filter_In. split; [exact I|]. apply N.ltb_lt. exact P.
Qed.
Lemma holdsb_ok D s : holdsb D s = true <-> holds D s.
Proof.
  unfold holdsb, holds. rewrite andb_true_iff. split; intros [A B]; split.
  - intros l E. rewrite E in A. apply Z.leb_le. exact A.
  - intros h E. rewrite E in B. apply Z.leb_le. exact B.
  - destruct (low s) as [l|]; [apply Z.leb_le, A|]; reflexivity.
  - destruct (high s) as [h|]; [apply Z.leb_le, B|]; reflexivity.
Qed.
Lemma consistentb_ok R D : consistentb R D = true <-> consistent R D.
Proof.
  unfold consistentb, consistent. rewrite !andb_true_iff, !forallb_forall. split.
  - intros [[[A B] C] E]. repeat split.
    + intros r O. apply present_in in O as [n I]. exact (A _ I).
    + apply holdsb_ok, B. assumption.
    + apply holdsb_ok, B. assumption.
    + intros p r P O. apply present_in in O as [n I]. specialize (C p P). rewrite forallb_forall in C.
      specialize (C _ I). apply negb_true_iff. exact C.
    + intros e I. specialize (E e I). apply orb_prop in E as [E|E]; apply Z.leb_le in E; [left|right]; exact E.
  - intros [A [B [C E]]]. repeat split.
    + intros [n r] I. apply A, present_in. exists n. exact I.
    + intros s I. apply holdsb_ok, B, I.
    + intros p P. apply forallb_forall. intros [n r] I. apply negb_true_iff, C; [exact P|]. apply present_in. exists n. exact I.
    + intros e I. apply orb_true_intro. destruct (E e I) as [K|K]; [left|right]; apply Z.leb_le; exact K.
Qed.

(* ------------------------------------------------------------ the walk *)
Fixpoint fits (c : conjunction) (r : record) : bool :=
  match c, r with
  | [], [] => true
  | None :: c', _ :: r' => fits c' r'
  | Some s :: c', x :: r' => N.testbit s x && fits c' r'
  | _, _ => false
  end.
Fixpoint number (c : conjunction) (D : dataset) : Z :=
  match D with [] => 0 | (n, r) :: D' => (if fits c r then Z.of_N n else 0) + number c D' end.
Definition width (n : nat) (D : dataset) : Prop := forall k r, In (k, r) D -> length r = n.

Lemma width_cons n k r D : width n ((k, r) :: D) -> length r = n /\ width n D.
Proof. intros H. split; [apply (H k); left; reflexivity|intros j x I; apply (H j); right; exact I]. Qed.
Lemma skip_width n D : width (S n) D -> width n (skip D).
Proof.
  intros H k r I. apply in_map_iff in I as [[j x] [E J]]. inversion E; subst. specialize (H _ _ J). destruct x; simpl in *; lia.
Qed.
Lemma take_width n s D : width (S n) D -> width n (take s D).
Proof.
  induction D as [|[k [|x r]] D IH]; cbn [take]; intros H; [intros k r []|apply width_cons in H as [H _]; discriminate|].
  apply width_cons in H as [H1 H2]. destruct (N.testbit s x); [|exact (IH H2)].
  intros j y [E|I]; [inversion E; subst; injection H1 as H1; exact H1|exact (IH H2 j y I)].
Qed.
Lemma number_skip n c D : width (S n) D -> number c (skip D) = number (None :: c) D.
Proof.
  induction D as [|[k [|x r]] D IH]; intros H; [reflexivity|apply width_cons in H as [H _]; discriminate|].
  apply width_cons in H as [_ H]. cbn [skip map fst snd tl number fits]. fold (skip D). rewrite (IH H). reflexivity.
Qed.
Lemma number_take n c s D : width (S n) D -> number c (take s D) = number (Some s :: c) D.
Proof.
  induction D as [|[k [|x r]] D IH]; intros H; [reflexivity|apply width_cons in H as [H _]; discriminate|].
  apply width_cons in H as [_ H]. cbn [take number fits].
  destruct (N.testbit s x); cbn [andb number]; rewrite (IH H); lia.
Qed.
Lemma number_all D : width 0 D -> number [] D = size D.
Proof.
  induction D as [|[k r] D IH]; intros H; [reflexivity|]. apply width_cons in H as [H1 H2].
  destruct r; [|discriminate]. cbn [number fits size fold_right fst]. rewrite (IH H2). reflexivity.
Qed.
Lemma number_nobody c D : 1 <= number c D -> nobody D = false.
Proof. destruct D; [cbn [number]; lia|reflexivity]. Qed.

Lemma single_bit v x : N.testbit (single v) x = (v =? x)%N.
Proof. unfold single. rewrite N.setbit_eqb, N.bits_0, orb_false_r. reflexivity. Qed.
Lemma heads_seen v D : forall seen, In v seen -> In v (heads D seen).
Proof.
  induction D as [|[n [|x r]] D IH]; cbn [heads]; intros seen I; [exact I|exact (IH _ I)|].
  apply IH. destruct (existsb (N.eqb x) seen); [exact I|right; exact I].
Qed.
Lemma number_head c v D : 1 <= number (Some (single v) :: c) D -> forall seen, In v (heads D seen).
Proof.
  induction D as [|[n [|x r]] D IH]; cbn [number fits heads]; intros H seen; [lia|apply IH; lia|].
  rewrite single_bit in H. destruct (N.eqb_spec v x) as [->|E]; [|apply IH; cbn [andb] in H; lia].
  apply heads_seen. destruct (existsb (N.eqb x) seen) eqn:F; [|left; reflexivity].
  apply existsb_exists in F as [y [Y F]]. apply N.eqb_eq in F. subst y. exact Y.
Qed.

Lemma walk_ok ok groups : forall w ws said, walk ok groups w ws said = true -> (forall x, In x (w :: ws) -> width (length groups) x) ->
  forall c m, sayable groups c -> 1 <= m -> (forall x, In x (w :: ws) -> number c x = m) -> ok (rev said ++ c) m = true.
Proof.
  induction groups as [|gs groups IH]; intros w ws said K HW c m L P HN; cbn [walk] in K;
  (replace (existsb nobody (w :: ws)) with false in K;
   [|symmetry; apply not_true_iff_false; intros E; apply existsb_exists in E as [x [I E]];
     rewrite (number_nobody c) in E; [discriminate|rewrite (HN x I); exact P]]).
  - destruct c; [|destruct L]. rewrite app_nil_r.
    assert (A : size w = m). { rewrite <- number_all; [apply HN|apply HW]; left; reflexivity. }
    cbv zeta in K. rewrite A in K.
    replace (forallb (fun x => size x =? m) ws) with true in K; [exact K|].
    symmetry. apply forallb_forall. intros x I. apply Z.eqb_eq. rewrite <- number_all; [apply HN|apply HW]; right; exact I.
  - apply andb_prop in K as [K1 K2]. destruct c as [|[s|] c]; cbn [sayable] in L; [destruct L| |]; destruct L as [L1 L2].
    + rewrite forallb_forall in K2.
      assert (V : In s (choices gs w)).
      { unfold choices. apply in_or_app. destruct L1 as [L1|[[v L1]|[g [L1 G]]]]; [discriminate| |].
        - left. inversion L1; subst. apply in_map. apply (number_head c). rewrite (HN w (or_introl eq_refl)). exact P.
        - right. inversion L1; subst. exact G. }
      replace (rev said ++ Some s :: c) with (rev (Some s :: said) ++ c) by (simpl; rewrite <- app_assoc; reflexivity).
      apply (IH _ _ _ (K2 s V)); try assumption.
      * intros x I. change (In x (map (take s) (w :: ws))) in I. apply in_map_iff in I as [y [<- J]]. apply take_width, (HW _ J).
      * intros x I. change (In x (map (take s) (w :: ws))) in I. apply in_map_iff in I as [y [<- J]].
        rewrite (number_take (length groups)); [exact (HN _ J)|exact (HW _ J)].
    + replace (rev said ++ None :: c) with (rev (None :: said) ++ c) by (simpl; rewrite <- app_assoc; reflexivity).
      apply (IH _ _ _ K1); try assumption.
      * intros x I. change (In x (map skip (w :: ws))) in I. apply in_map_iff in I as [y [<- J]]. apply skip_width, (HW _ J).
      * intros x I. change (In x (map skip (w :: ws))) in I. apply in_map_iff in I as [y [<- J]].
        rewrite (number_skip (length groups)); [exact (HN _ J)|exact (HW _ J)].
Qed.

(* ------------------------------------------------------------ conjunctions and boxes *)
Lemma sayable_length groups : forall c, sayable groups c -> length c = length groups.
Proof. induction groups as [|gs groups IH]; intros [|s c]; cbn [sayable length]; try tauto. intros [_ H]. rewrite (IH _ H). reflexivity. Qed.
Lemma inb_length r : forall b, inb r b = true -> length r = length b.
Proof. induction r as [|x r IH]; intros [|m b]; simpl; try congruence. intros H. apply andb_prop in H as [_ H]. rewrite (IH _ H). reflexivity. Qed.
Lemma fits_inb r : forall dom c, length c = length dom -> inb r dom = true -> inb r (box_of dom c) = fits c r.
Proof.
  induction r as [|x r IH]; intros [|m dom] [|[v|] c]; cbn [inb box_of fits length]; intros L H; try discriminate; try reflexivity;
  apply andb_prop in H as [H1 H2]; injection L as L; rewrite (IH _ _ L H2); [reflexivity|rewrite H1; reflexivity].
Qed.
Lemma number_count dom c D : length c = length dom -> (forall r, occurs r D -> inb r dom = true) ->
  number c (present D) = count (box_of dom c) D.
Proof.
  intros L. induction D as [|[n r] D IH]; intros H; [reflexivity|].
  specialize (IH (fun x I => H x (occurs_cons _ _ _ _ I))). cbn [present filter fst] in *. fold (present D) in *.
  destruct (0 <? n)%N eqn:E.
  - cbn [number count]. apply N.ltb_lt in E. rewrite IH, (fits_inb r dom c L (H r (occurs_head r n D E))). reflexivity.
  - apply N.ltb_ge in E. assert (n = 0%N) as -> by lia. rewrite count_cons, IH. lia.
Qed.
Lemma count_mono p q D : inside p q = true -> count p D <= count q D.
Proof.
  intros H. induction D as [|[n r] D IH]; [cbn [count]; lia|]. cbn [count].
  destruct (inb r p) eqn:E; [rewrite (inside_ok _ _ _ H E); lia|destruct (inb r q); lia].
Qed.
Lemma listed_ok l D p m : (forall q k, In (q, k) l -> count q D = k) -> listed l p m = true -> count p D = m.
Proof.
  intros H K. unfold listed in K. apply andb_prop in K as [H1 H2].
  apply existsb_exists in H1 as [[f k] [I1 H1]]. apply existsb_exists in H2 as [[q j] [I2 H2]]. cbn [fst snd] in *.
  apply andb_prop in H1 as [E1 H1]. apply andb_prop in H2 as [E2 H2]. apply Z.eqb_eq in E1, E2. subst k j.
  assert (A := H _ _ I1). assert (B := H _ _ I2).
  assert (X := count_mono _ _ D H1). assert (Y := count_mono _ _ D H2). lia.
Qed.

(* ------------------------------------------------------------ the theorems *)

(* A dataset that the program finds consistent shows that the release does not contradict itself. *)
Theorem not_vacuous : forall R D, consistentb R D = true -> consistent R D.
Proof. intros R D. apply consistentb_ok. Qed.

(* What is certain is listed, and there is at least one consistent dataset. *)
Lemma complete_ok R groups l W : complete R groups l W = true ->
  (exists D, consistent R D) /\
  forall c m, sayable groups c -> says_nothing c = false -> 1 <= m ->
  (forall D, consistent R D -> count (box_of (domain R) c) D = m) -> listed l (box_of (domain R) c) m = true.
Proof.
  intros F. unfold complete, agreed in F. apply andb_prop in F as [F1 F]. apply andb_prop in F as [F2 F3].
  rewrite forallb_forall in F1. apply Nat.eqb_eq in F2. split.
  - destruct W as [|D W]; [discriminate|]. exists D. apply not_vacuous, F1. left; reflexivity.
  - intros c m L S P H. destruct (map present W) as [|w ws] eqn:E; [discriminate|].
    assert (X : says_nothing c || listed l (box_of (domain R) c) m = true); [|rewrite S in X; exact X].
    assert (Y : forall x, In x (w :: ws) -> exists D, consistent R D /\ x = present D).
    { intros x I. rewrite <- E in I. apply in_map_iff in I as [D [<- J]]. exists D. split; [apply not_vacuous, F1, J|reflexivity]. }
    apply (walk_ok _ _ _ _ _ F3) with (c := c) (m := m); try assumption.
    + intros x I k r J. destruct (Y x I) as [D [[A _] ->]]. rewrite F2. apply inb_length, A, present_in. exists k. exact J.
    + intros x I. destruct (Y x I) as [D [A ->]].
      rewrite (number_count (domain R)); [exact (H D A)|rewrite <- F2; apply sayable_length, L|destruct A as [A _]; exact A].
Qed.

(* Where nothing is missed: something sayable has m >= 1 records in every consistent dataset exactly when it is listed with m. *)
Theorem exact_list_of_groups : forall R groups steps st facts W,
  build R steps = Some st -> complete R groups (claims_of facts (map (fact_ok st) facts)) W = true ->
  forall c m, sayable groups c -> says_nothing c = false -> 1 <= m ->
  ((forall D, consistent R D -> count (box_of (domain R) c) D = m) <->
   listed (claims_of facts (map (fact_ok st) facts)) (box_of (domain R) c) m = true).
Proof.
  intros R groups ss st fs W K F c m L S P. split.
  - apply (proj2 (complete_ok _ _ _ _ F)); assumption.
  - intros H D HD. refine (listed_ok _ _ _ _ _ H). exact (claims_of_ok _ _ fs (build_ok _ _ _ _ K HD)).
Qed.

(* The same for conjunctions of single codes: per column one code, or anything. *)
Lemma codes_sayable groups : forall c, length c = length groups -> sayable groups (codes c).
Proof.
  induction groups as [|gs groups IH]; intros [|s c] L; cbn [sayable codes map length] in *; try discriminate; [exact I|].
  injection L as L. split; [|exact (IH c L)]. destruct s as [v|]; [right; left; exists v; reflexivity|left; reflexivity].
Qed.
Theorem exact_list : forall R groups steps st facts W,
  build R steps = Some st -> complete R groups (claims_of facts (map (fact_ok st) facts)) W = true ->
  forall c m, length c = length (domain R) -> says_nothing (codes c) = false -> 1 <= m ->
  ((forall D, consistent R D -> count (box_of (domain R) (codes c)) D = m) <->
   listed (claims_of facts (map (fact_ok st) facts)) (box_of (domain R) (codes c)) m = true).
Proof.
  intros R groups ss st fs W K F c m L S P. apply (exact_list_of_groups R groups ss st fs W K F); try assumption.
  apply codes_sayable. unfold complete, agreed in F. apply andb_prop in F as [_ F]. apply andb_prop in F as [F _].
  apply Nat.eqb_eq in F. rewrite F. exact L.
Qed.

(* ------------------------------------------------------------ the same for the verdict on a whole file *)
Lemma all_true R W : forallb (fun b => b) (map (consistentb R) W) = forallb (consistentb R) W.
Proof. induction W as [|D W IH]; cbn [map forallb]; [reflexivity|rewrite IH; reflexivity]. Qed.

Theorem check_exact : forall R groups steps facts no W v, check R groups steps facts no W = v -> nothing_missed v = true ->
  forall c m, sayable groups c -> says_nothing c = false -> 1 <= m ->
  ((forall D, consistent R D -> count (box_of (domain R) c) D = m) <->
   listed (claims_of facts (facts_hold v)) (box_of (domain R) c) m = true).
Proof.
  intros R groups ss fs no W v K F. subst v. unfold check in *. destruct (build R ss) as [st|] eqn:E; cbn [nothing_missed facts_hold] in *; [|discriminate].
  rewrite all_true in F. apply (exact_list_of_groups R groups ss st fs W E). unfold complete. exact F.
Qed.

(* the witnesses that are marked as fitting are consistent, the others are not *)
Theorem check_witnesses : forall R groups steps facts no W v, check R groups steps facts no W = v ->
  forall i D, nth_error W i = Some D -> (nth_error (witnesses_fit v) i = Some true <-> consistent R D).
Proof.
  intros R groups ss fs no W v K i D I. rewrite <- consistentb_ok.
  assert (A : witnesses_fit v = map (consistentb R) W) by (subst v; unfold check; destruct (build R ss); reflexivity).
  rewrite A. erewrite map_nth_error by exact I. split; intros X; [inversion X; reflexivity|rewrite X; reflexivity].
Qed.

(* an accepted file: all its claims hold in every consistent dataset, and there is one *)
Lemma claims_of_all fs : forall vs, length vs = length fs -> forallb (fun b => b) vs = true -> claims_of fs vs = flat_map claims fs.
Proof.
  induction fs as [|f fs IH]; intros [|v vs] L H; try discriminate L; [reflexivity|].
  cbn [forallb] in H. apply andb_prop in H as [-> H]. injection L as L. cbn [claims_of flat_map]. rewrite (IH _ L H). reflexivity.
Qed.
Lemma check_length R groups ss fs no W : length (facts_hold (check R groups ss fs no W)) = length fs.
Proof. unfold check. destruct (build R ss); cbn [facts_hold]; apply map_length. Qed.
Theorem accepted_ok : forall R groups steps facts no W, accepted (check R groups steps facts no W) = true ->
  (exists D, consistent R D) /\
  forall D, consistent R D -> forall f p m, In f facts -> In (p, m) (claims f) -> count p D = m.
Proof.
  intros R groups ss fs no W A. assert (L := check_length R groups ss fs no W).
  remember (check R groups ss fs no W) as v eqn:E. symmetry in E. unfold accepted in A.
  destruct (failed v); [discriminate|]. destruct (contradicts v); [discriminate|]. apply andb_prop in A as [A1 A2]. split.
  - assert (F : witnesses_fit v = map (consistentb R) W) by (subst v; unfold check; destruct (build R ss); reflexivity).
    rewrite F in A2. apply existsb_exists in A2 as [b [I B]]. apply in_map_iff in I as [D [K J]]. exists D. apply not_vacuous. congruence.
  - intros D H f p m I J. apply (check_sound _ _ _ _ _ _ _ E D H). rewrite (claims_of_all _ _ L A1). apply in_flat_map. exists f. auto.
Qed.

(* an accepted file that misses nothing: its claims are exactly what is certain *)
Theorem accepted_exact : forall R groups steps facts no W, accepted (check R groups steps facts no W) = true ->
  nothing_missed (check R groups steps facts no W) = true ->
  forall c m, sayable groups c -> says_nothing c = false -> 1 <= m ->
  ((forall D, consistent R D -> count (box_of (domain R) c) D = m) <-> listed (flat_map claims facts) (box_of (domain R) c) m = true).
Proof.
  intros R groups ss fs no W A F. rewrite <- (claims_of_all fs (facts_hold (check R groups ss fs no W))).
  - exact (check_exact _ _ _ _ _ _ _ eq_refl F).
  - apply check_length.
  - unfold accepted in A. destruct (failed _); [discriminate|]. destruct (contradicts _); [discriminate|].
    apply andb_prop in A as [A _]. exact A.
Qed.
