(* Every claim that the checker accepts holds in every consistent dataset: theorem `sound`, at the end. *)
Require Import ZArith NArith List Bool Lia FMapPositive.
From Foregone Require Import Checker.
Import ListNotations.
Open Scope Z_scope.

(* ------------------------------------------------------------ values, record by record *)
Definition one (r : record) (p : box) : Z := if inb r p then 1 else 0.
Fixpoint eval (f : form) (r : record) : Z :=
  match f with [] => 0 | (w, p) :: f' => w * one r p + eval f' r end.
Fixpoint total (f : form) (D : dataset) : Z :=
  match D with [] => 0 | (n, r) :: D' => Z.of_N n * eval f r + total f D' end.

Lemma count_cons p n r D : count p ((n, r) :: D) = Z.of_N n * one r p + count p D.
Proof. cbn [count]. unfold one. destruct (inb r p); lia. Qed.
Lemma value_nil f : value f [] = 0.
Proof. induction f as [|[w p] f IH]; cbn [value count]; lia. Qed.
Lemma value_cons f n r D : value f ((n, r) :: D) = Z.of_N n * eval f r + value f D.
Proof. induction f as [|[w p] f IH]; cbn [value eval]; [lia|]. rewrite IH, count_cons. lia. Qed.
Lemma value_total f D : value f D = total f D.
Proof. induction D as [|[n r] D IH]; cbn [total]; [apply value_nil|]. rewrite value_cons. lia. Qed.

Lemma value_app f g D : value (f ++ g) D = value f D + value g D.
Proof. induction f as [|[w p] f IH]; cbn [value app]; [lia|]. rewrite IH. lia. Qed.
Lemma value_neg f D : value (neg f) D = - value f D.
Proof. unfold neg. induction f as [|[w p] f IH]; cbn [value map fst snd]; [lia|]. rewrite IH. lia. Qed.
Lemma value_scale k f D : value (scale k f) D = k * value f D.
Proof. unfold scale. induction f as [|[w p] f IH]; cbn [value map fst snd]; [lia|]. rewrite IH. lia. Qed.
Lemma eval_neg f r : eval (neg f) r = - eval f r.
Proof. unfold neg. induction f as [|[w p] f IH]; cbn [eval map fst snd]; [lia|]. rewrite IH. lia. Qed.

Lemma occurs_cons r n x D : occurs r D -> occurs r ((n, x) :: D).
Proof. intros [k [I P]]. exists k. split; [right; exact I|exact P]. Qed.
Lemma occurs_head r n D : (0 < n)%N -> occurs r ((n, r) :: D).
Proof. intros P. exists n. split; [left; reflexivity|exact P]. Qed.

(* ------------------------------------------------------------ boxes *)
Lemma ldiff_in m q x : (N.ldiff m q =? 0)%N = true -> N.testbit m x = true -> N.testbit q x = true.
Proof.
  intros H Hm. apply N.eqb_eq in H. assert (K := N.ldiff_spec m q x). rewrite H, N.bits_0, Hm in K.
  destruct (N.testbit q x); [reflexivity|discriminate].
Qed.
Lemma inside_ok r : forall b p, inside b p = true -> inb r b = true -> inb r p = true.
Proof.
  induction r as [|x r IH]; intros [|m b] [|q p]; simpl; try congruence.
  intros H1 H2. apply andb_prop in H1 as [H1 H3]. apply andb_prop in H2 as [H2 H4].
  rewrite (ldiff_in _ _ _ H1 H2), (IH _ _ H3 H4). reflexivity.
Qed.
Lemma apart_ok r : forall b p, apart b p = true -> inb r b = true -> inb r p = false.
Proof.
  induction r as [|x r IH]; intros [|m b] [|q p]; simpl; try congruence.
  intros H1 H2. apply andb_prop in H2 as [H2 H4]. apply orb_prop in H1 as [H1|H1].
  - apply N.eqb_eq in H1. assert (K := N.land_spec m q x). rewrite H1, N.bits_0, H2 in K. simpl in K. rewrite <- K. reflexivity.
  - rewrite (IH _ _ H1 H4), andb_false_r. reflexivity.
Qed.
Lemma most_ok f b r : inb r b = true -> eval f r <= most f b.
Proof.
  intros H. induction f as [|[w p] f IH]; simpl; [lia|]. unfold one.
  destruct (0 <? w) eqn:W.
  - apply Z.ltb_lt in W. destruct (apart b p) eqn:A.
    + rewrite (apart_ok _ _ _ A H). lia.
    + destruct (inb r p); lia.
  - apply Z.ltb_ge in W. destruct (inside b p) eqn:A.
    + rewrite (inside_ok _ _ _ A H). lia.
    + destruct (inb r p); lia.
Qed.
Lemma least_most f b : least f b = - most (neg f) b.
Proof.
  unfold neg. induction f as [|[w p] f IH]; cbn [least most map fst snd]; [reflexivity|]. rewrite IH.
  destruct (Z.ltb_spec 0 w), (Z.ltb_spec 0 (- w)), (inside b p), (apart b p); lia.
Qed.
Lemma least_ok f b r : inb r b = true -> least f b <= eval f r.
Proof. intros H. rewrite least_most. assert (K := most_ok (neg f) b r H). rewrite eval_neg in K. lia. Qed.

(* ------------------------------------------------------------ what the state of the checker means *)
Definition rows_hold (M : rows) (D : dataset) : Prop :=
  forall i f b, PositiveMap.find i M = Some (f, b) -> value f D <= b.
Definition covers (C : cover) (D : dataset) : Prop :=
  forall r, occurs r D -> exists b, In b C /\ inb r b = true.
Definition choices_hold (E : list (row * row)) (D : dataset) : Prop := forall e, In e E -> keeps D (fst e) \/ keeps D (snd e).
Definition true_of (st : state) (D : dataset) : Prop :=
  rows_hold (known st) D /\ covers (covering st) D /\ choices_hold (open st) D.

Lemma put_ok M D i f b : rows_hold M D -> value f D <= b -> rows_hold (put i (f, b) M) D.
Proof.
  unfold put. intros H K j g c F. destruct (Pos.eq_dec j (N.succ_pos i)) as [->|N].
  - rewrite PositiveMap.gss in F. inversion F; subst; exact K.
  - rewrite PositiveMap.gso in F by exact N. exact (H _ _ _ F).
Qed.
Lemma add_up_ok M D ts : rows_hold M D -> forall f b, add_up M ts = Some (f, b) -> value f D <= b.
Proof.
  intros H. induction ts as [|[i u] ts IH]; cbn [add_up]; intros f b E.
  - inversion E; subst. cbn [value]. lia.
  - destruct (find i M) as [[g c]|] eqn:F; [|discriminate].
    destruct (add_up M ts) as [[g' c']|]; [|discriminate].
    destruct (0 <? u) eqn:U; [|discriminate]. apply Z.ltb_lt in U.
    inversion E; subst. rewrite value_app, value_scale.
    assert (K := IH _ _ eq_refl). assert (L := H _ _ _ F). nia.
Qed.

Lemma never_positive_ok C D f : covers C D -> never_positive C f = true -> value f D <= 0.
Proof.
  intros H K. rewrite value_total. unfold never_positive in K. rewrite forallb_forall in K.
  assert (L : forall r, occurs r D -> eval f r <= 0).
  { intros r I. destruct (H r I) as [b [B E]]. assert (X := most_ok f b r E). specialize (K b B). apply Z.leb_le in K. lia. }
  clear H K. induction D as [|[n r] D IH]; cbn [total]; [lia|].
  assert (B := IH (fun x I => L x (occurs_cons _ _ _ _ I))).
  destruct (N.eq_dec n 0) as [->|Z]; [lia|]. assert (A := L r (occurs_head r n D ltac:(lia))). nia.
Qed.

Lemma at_most_ok Es C D g goal t : covers C D -> choices_hold Es D -> forall nx M, rows_hold M D ->
  at_most Es nx M C g goal t = true -> value g D <= goal.
Proof.
  intros HC HE. induction t as [ts d|ts|f a below IHb above IHa|k one IHl other IHr]; cbn [at_most]; intros nx M HM K.
  - destruct (add_up M ts) as [[f b]|] eqn:E; [|discriminate].
    apply andb_prop in K as [K K3]. apply andb_prop in K as [K1 K2].
    apply Z.ltb_lt in K1. apply Z.leb_le in K2.
    assert (A := add_up_ok _ _ _ HM _ _ E). assert (B := never_positive_ok _ _ _ HC K3).
    rewrite value_app, value_scale, value_neg in B.
    apply Z.le_trans with (b / d); [|exact K2]. apply Z.div_le_lower_bound; lia.
  - destruct (add_up M ts) as [[f b]|] eqn:E; [|discriminate].
    apply andb_prop in K as [K1 K2]. apply Z.ltb_lt in K1.
    assert (A := add_up_ok _ _ _ HM _ _ E). assert (B := never_positive_ok _ _ _ HC K2).
    rewrite value_neg in B. lia.
  - apply andb_prop in K as [K1 K2]. destruct (Z_le_gt_dec (value f D) a) as [L|L].
    + exact (IHb _ _ (put_ok _ _ _ _ _ HM L) K1).
    + refine (IHa _ _ (put_ok _ _ _ _ _ HM _) K2). rewrite value_neg. lia.
  - destruct (nth_error Es k) as [[[f a] [g' b]]|] eqn:X; [|discriminate]. apply andb_prop in K as [K1 K2].
    destruct (HE _ (nth_error_In _ _ X)) as [L|L]; unfold keeps in L; cbn [fst snd] in L.
    + exact (IHl _ _ (put_ok _ _ _ _ _ HM L) K1).
    + exact (IHr _ _ (put_ok _ _ _ _ _ HM L) K2).
Qed.
Lemma proves_ok st D g goal t : true_of st D -> proves st g goal t = true -> value g D <= goal.
Proof. intros [HM [HC HE]] K. exact (at_most_ok _ _ _ _ _ _ HC HE _ _ HM K). Qed.

(* ------------------------------------------------------------ prune *)
Lemma total_not_negative f D : (forall r, occurs r D -> 0 <= eval f r) -> 0 <= total f D.
Proof.
  induction D as [|[n r] D IH]; cbn [total]; intros H; [lia|].
  assert (B := IH (fun x I => H x (occurs_cons _ _ _ _ I))).
  destruct (N.eq_dec n 0) as [->|Z]; [lia|]. assert (A := H r (occurs_head r n D ltac:(lia))). nia.
Qed.
Lemma member_at_most f D r : (forall x, occurs x D -> 0 <= eval f x) -> occurs r D -> eval f r <= total f D.
Proof.
  intros H [n [I P]]. induction D as [|[k x] D IH]; [destruct I|]. cbn [total].
  assert (T : forall y, occurs y D -> 0 <= eval f y) by (intros y Y; apply H, occurs_cons, Y).
  destruct I as [I|I].
  - inversion I; subst. assert (A := total_not_negative f D T). assert (B := H r (occurs_head r n D P)). nia.
  - specialize (IH T I). destruct (N.eq_dec k 0) as [->|Z]; [lia|]. assert (B := H x (occurs_head x k D ltac:(lia))). nia.
Qed.
Lemma prune_is C f b : prune C (f, b) =
  if forallb (fun x => 0 <=? least f x) C then Some (filter (fun x => least f x <=? b) C) else None.
Proof.
  induction C as [|x C IH]; [reflexivity|]. cbn [prune forallb filter fst snd]. cbv zeta. rewrite IH. replace (0 <=? least f x) with (negb (least f x <? 0)) by (rewrite <- Z.leb_antisym; reflexivity).
  destruct (least f x <? 0); cbn [negb andb]; [reflexivity|]. destruct (forallb _ C); [|reflexivity].
  destruct (least f x <=? b); reflexivity.
Qed.
Lemma prune_ok C D f b C' : covers C D -> value f D <= b -> prune C (f, b) = Some C' -> covers C' D.
Proof.
  rewrite prune_is. intros H V K. destruct (forallb (fun x => 0 <=? least f x) C) eqn:G; [|discriminate].
  inversion K; subst; clear K. rewrite forallb_forall in G.
  assert (P : forall x, occurs x D -> 0 <= eval f x).
  { intros x X. destruct (H x X) as [y [Y E]]. assert (A := least_ok f y x E). specialize (G y Y). apply Z.leb_le in G. lia. }
  intros r I. destruct (H r I) as [x [X E]]. exists x. split; [|exact E]. apply filter_In. split; [exact X|].
  apply Z.leb_le. assert (A := least_ok f x r E). assert (B := member_at_most f D r P I). rewrite value_total in V. lia.
Qed.

(* ------------------------------------------------------------ columns *)
Lemma inb_not_empty r : forall b, inb r b = true -> empty b = false.
Proof.
  unfold empty. induction r as [|x r IH]; intros [|m b]; simpl; try congruence.
  intros H. apply andb_prop in H as [H1 H2]. rewrite (IH _ H2), orb_false_r.
  destruct (m =? 0)%N eqn:E; [|reflexivity]. apply N.eqb_eq in E. subst. rewrite N.bits_0 in H1. discriminate.
Qed.
Lemma union_ok x ms : N.testbit (union ms) x = true -> exists m, In m ms /\ N.testbit m x = true.
Proof.
  unfold union. induction ms as [|m ms IH]; cbn [fold_right]; [rewrite N.bits_0; discriminate|].
  rewrite N.lor_spec. intros H. apply orb_prop in H as [H|H].
  - exists m. split; [left; reflexivity|exact H].
  - destruct (IH H) as [q [Q E]]. exists q. split; [right; exact Q|exact E].
Qed.
Lemma cut_ok r : forall c b m, inb r b = true -> (c < length b)%nat -> N.testbit m (nth c r 0%N) = true -> inb r (cut c m b) = true.
Proof.
  induction r as [|x r IH]; intros c [|y b] m; simpl; try congruence; try lia.
  intros H L T. apply andb_prop in H as [H1 H2]. destruct c as [|c]; simpl.
  - simpl in T. rewrite N.land_spec, H1, T, H2. reflexivity.
  - rewrite H1. apply IH; [exact H2|lia|exact T].
Qed.
Lemma inb_nth r : forall b c, inb r b = true -> (c < length b)%nat -> N.testbit (nth c b 0%N) (nth c r 0%N) = true.
Proof.
  induction r as [|x r IH]; intros [|y b] c; simpl; try congruence; try lia.
  intros H L. apply andb_prop in H as [H1 H2]. destruct c as [|c]; [exact H1|]. apply IH; [exact H2|lia].
Qed.
Lemma split_box_ok c ms b r : inb r b = true -> exists b', In b' (split_box c ms b) /\ inb r b' = true.
Proof.
  intros H. unfold split_box. destruct ((c <? length b)%nat && (N.ldiff (nth c b 0%N) (union ms) =? 0)%N) eqn:E.
  - apply andb_prop in E as [E1 E2]. apply Nat.ltb_lt in E1.
    destruct (union_ok _ _ (ldiff_in _ _ _ E2 (inb_nth _ _ _ H E1))) as [m [I T]].
    assert (K := cut_ok _ _ _ _ H E1 T). exists (cut c m b). split; [|exact K].
    apply filter_In. split; [apply in_map_iff; exists m; auto|]. rewrite (inb_not_empty _ _ K). reflexivity.
  - exists b. split; [left; reflexivity|exact H].
Qed.
Lemma columns_ok C D c ms : covers C D -> covers (columns C c ms) D.
Proof.
  intros H r I. destruct (H r I) as [b [B E]]. destruct (split_box_ok c ms b r E) as [x [X F]].
  exists x. split; [|exact F]. apply in_flat_map. exists b. auto.
Qed.

(* ------------------------------------------------------------ steps, one after the other *)
Lemma advance_ok D st s st' : true_of st D -> advance st s = Some st' -> true_of st' D.
Proof.
  intros H K. assert (G := H). destruct H as [HM [HC HE]]. destruct s as [c ms|ts|f b t]; cbn [advance] in K.
  - inversion K; subst. split; [exact HM|split; [apply columns_ok; exact HC|exact HE]].
  - destruct (add_up (known st) ts) as [[f b]|] eqn:E; [|discriminate].
    destruct (prune (covering st) (f, b)) as [C|] eqn:P; [|discriminate]. inversion K; subst.
    split; [exact HM|split; [exact (prune_ok _ _ _ _ _ HC (add_up_ok _ _ _ HM _ _ E) P)|exact HE]].
  - destruct (proves st f b t) eqn:E; [|discriminate]. inversion K; subst.
    split; [exact (put_ok _ _ _ _ _ HM (proves_ok _ _ _ _ _ G E))|split; [exact HC|exact HE]].
Qed.
Lemma run_ok D ss : forall st st', true_of st D -> run st ss = Some st' -> true_of st' D.
Proof.
  induction ss as [|s ss IH]; cbn [run]; intros st st' H K; [inversion K; subst; exact H|].
  destruct (advance st s) as [st1|] eqn:E; [|discriminate]. exact (IH _ _ (advance_ok _ _ _ _ H E) K).
Qed.

(* ------------------------------------------------------------ the rows of the release *)
Lemma no_match p D : (forall r, occurs r D -> inb r p = false) -> count p D = 0.
Proof.
  induction D as [|[n r] D IH]; intros H; [reflexivity|]. rewrite count_cons, (IH (fun x I => H x (occurs_cons _ _ _ _ I))).
  destruct (N.eq_dec n 0) as [->|Z]; [lia|]. unfold one. rewrite (H r (occurs_head r n D ltac:(lia))). lia.
Qed.
Lemma of_statistics_ok D ss : forall k M k' M', rows_hold M D -> (forall s, In s ss -> holds D s) ->
  of_statistics k ss M = (k', M') -> rows_hold M' D.
Proof.
  induction ss as [|s ss IH]; cbn [of_statistics]; intros k M k' M' HM HS E.
  - inversion E; subst; exact HM.
  - destruct (HS s (or_introl eq_refl)) as [L H]. refine (IH _ _ _ _ _ (fun x I => HS x (or_intror I)) E).
    assert (A : rows_hold (match high s with Some h => put k (about s, h) M | None => M end) D).
    { destruct (high s) as [h|]; [|exact HM]. apply put_ok; [exact HM|apply H; reflexivity]. }
    destruct (low s) as [l|]; [|exact A]. apply put_ok; [exact A|]. rewrite value_neg. specialize (L l eq_refl). lia.
Qed.
Lemma of_rules_ok D ps : forall k M k' M', rows_hold M D -> (forall p r, In p ps -> occurs r D -> inb r p = false) ->
  of_rules k ps M = (k', M') -> rows_hold M' D.
Proof.
  induction ps as [|p ps IH]; cbn [of_rules]; intros k M k' M' HM HP E; [inversion E; subst; exact HM|].
  refine (IH _ _ _ _ _ _ E); [|intros q r Q I; apply HP; [right; exact Q|exact I]]. apply put_ok; [exact HM|].
  cbn [value]. rewrite (no_match p D); [lia|]. intros r I. apply HP; [left; reflexivity|exact I].
Qed.
Lemma start_ok R D : consistent R D -> true_of (start R) D.
Proof.
  intros [HD [HS [HR HE]]]. unfold start.
  destruct (of_statistics 0 (statistics R) (PositiveMap.empty row)) as [k M] eqn:E.
  destruct (of_rules k (rules R) M) as [n M'] eqn:F. split; [|split]; cbn [known covering open]; [| |exact HE].
  - refine (of_rules_ok _ _ _ _ _ _ _ HR F). refine (of_statistics_ok _ _ _ _ _ _ _ HS E).
    intros i f b X. rewrite PositiveMap.gempty in X. discriminate.
  - intros r I. exists (domain R). split; [left; reflexivity|exact (HD r I)].
Qed.
Lemma build_ok R ss st D : build R ss = Some st -> consistent R D -> true_of st D.
Proof. intros K H. exact (run_ok _ _ _ _ (start_ok _ _ H) K). Qed.

(* ------------------------------------------------------------ facts *)
Lemma same_ok C D p q : covers C D -> same C p q = true -> count q D = count p D.
Proof.
  intros H K. unfold same in K. rewrite forallb_forall in K.
  assert (L : forall r, occurs r D -> inb r q = inb r p).
  { intros r I. destruct (H r I) as [b [B E]]. specialize (K b B). apply andb_prop in K as [K1 K2].
    apply orb_prop in K1, K2. destruct (inb r p) eqn:P, (inb r q) eqn:Q; try reflexivity.
    - destruct K2 as [K2|K2]; [rewrite (apart_ok _ _ _ K2 E) in P; discriminate|rewrite (inside_ok _ _ _ K2 E) in Q; discriminate].
    - destruct K1 as [K1|K1]; [rewrite (apart_ok _ _ _ K1 E) in Q; discriminate|rewrite (inside_ok _ _ _ K1 E) in P; discriminate]. }
  clear H K. induction D as [|[n r] D IH]; [reflexivity|].
  rewrite !count_cons, (IH (fun x I => L x (occurs_cons _ _ _ _ I))). unfold one.
  destruct (N.eq_dec n 0) as [->|Z]; [lia|]. rewrite (L r (occurs_head r n D ltac:(lia))). reflexivity.
Qed.
Lemma fact_ok_ok st D f : true_of st D -> fact_ok st f = true -> forall p m, In (p, m) (claims f) -> count p D = m.
Proof.
  intros H K p m I. unfold fact_ok in K. apply andb_prop in K as [K K3]. apply andb_prop in K as [K1 K2].
  assert (A := proves_ok _ _ _ _ _ H K1). assert (B := proves_ok _ _ _ _ _ H K2). cbn [value] in A, B.
  assert (E : count (what f) D = times f) by lia.
  unfold claims in I. destruct I as [I|I]; [inversion I; subst; exact E|].
  apply in_map_iff in I as [q [X Q]]. inversion X; subst. rewrite forallb_forall in K3.
  destruct H as [_ [HC _]]. rewrite (same_ok _ _ _ _ HC (K3 _ Q)). exact E.
Qed.
Lemma claims_of_ok st D fs : true_of st D -> forall p m, In (p, m) (claims_of fs (map (fact_ok st) fs)) -> count p D = m.
Proof.
  intros H p m. induction fs as [|f fs IH]; cbn [claims_of map]; [intros []|]. intros I. apply in_app_or in I as [I|I]; [|exact (IH I)].
  destruct (fact_ok st f) eqn:E; [|destruct I]. exact (fact_ok_ok _ _ _ H E _ _ I).
Qed.

(* ------------------------------------------------------------ the theorems *)

(* Every claim of an accepted fact holds in every dataset consistent with the release. *)
Theorem sound : forall R steps st, build R steps = Some st -> forall f, fact_ok st f = true ->
  forall D, consistent R D -> forall p m, In (p, m) (claims f) -> count p D = m.
Proof. intros R ss st K f F D H. exact (fact_ok_ok _ _ _ (build_ok _ _ _ _ K H) F). Qed.

(* A release whose contradiction is proved fits no dataset at all. *)
Theorem contradiction_ok : forall R steps st, build R steps = Some st -> forall t, contradiction st t = true ->
  forall D, ~ consistent R D.
Proof.
  intros R ss st K t F D H. assert (A := proves_ok _ _ _ _ _ (build_ok _ _ _ _ K H) F). cbn [value] in A. lia.
Qed.

(* The same for the verdict on a whole file: fact by fact, for all accepted facts together, and for a contradiction. *)
Theorem check_fact : forall R groups steps facts no W v, check R groups steps facts no W = v ->
  forall i f, nth_error facts i = Some f -> nth_error (facts_hold v) i = Some true ->
  forall D, consistent R D -> forall p m, In (p, m) (claims f) -> count p D = m.
Proof.
  intros R groups ss fs no W v K i f F I. subst v. unfold check in I. destruct (build R ss) as [st|] eqn:E; cbn [facts_hold] in I;
  erewrite map_nth_error in I by exact F; [|discriminate]. inversion I as [T]. exact (sound _ _ _ E _ T).
Qed.
Theorem check_sound : forall R groups steps facts no W v, check R groups steps facts no W = v ->
  forall D, consistent R D -> forall p m, In (p, m) (claims_of facts (facts_hold v)) -> count p D = m.
Proof.
  intros R groups ss fs no W v K D H p m. subst v. unfold check. destruct (build R ss) as [st|] eqn:E; cbn [facts_hold].
  - exact (claims_of_ok _ _ fs (build_ok _ _ _ _ E H) p m).
  - assert (A : claims_of fs (map (fun _ => false) fs) = []); [|rewrite A; intros []].
    induction fs as [|f fs IH]; [reflexivity|exact IH].
Qed.
Theorem check_contradiction : forall R groups steps facts no W v, check R groups steps facts no W = v ->
  contradicts v = Some true -> forall D, ~ consistent R D.
Proof.
  intros R groups ss fs no W v K C. subst v. unfold check in C. destruct (build R ss) as [st|] eqn:E; cbn [contradicts] in C;
  destruct no as [t|]; try discriminate C. cbn [option_map] in C. inversion C as [T]. exact (contradiction_ok _ _ _ E _ T).
Qed.
