(* What is proved about the release of pairs limits how far apart two datasets are: theorems `pairs_fit`, `pairs_come_from` and
   `distance_ok`, at the end. *)
Require Import ZArith NArith List Bool Lia.
From Foregone Require Import Checker Proofs Complete Pairs.
Import ListNotations.
Open Scope Z_scope.

(* ------------------------------------------------------------ one more column *)
Lemma inb_last r : forall b x m, inb (r ++ [x]) (b ++ [m]) = inb r b && N.testbit m x.
Proof.
  induction r as [|y r IH]; intros [|q b] x m; cbn [app inb].
  - destruct (N.testbit m x); reflexivity.
  - destruct b; cbn [app inb]; apply andb_false_r.
  - destruct r; cbn [app inb]; apply andb_false_r.
  - rewrite IH. apply andb_assoc.
Qed.
Definition tag (c : N) (D : dataset) : dataset := map (fun e => (fst e, snd e ++ [c])) D.
Lemma count_app p D E : count p (D ++ E) = count p D + count p E.
Proof. induction D as [|[n r] D IH]; [reflexivity|]. cbn [app]. rewrite !count_cons, IH. lia. Qed.
Lemma count_tag c b m D : count (b ++ [m]) (tag c D) = if N.testbit m c then count b D else 0.
Proof.
  unfold tag. induction D as [|[n r] D IH]; [destruct (N.testbit m c); reflexivity|]. cbn [map fst snd].
  rewrite !count_cons, IH. unfold one. rewrite inb_last. destruct (inb r b), (N.testbit m c); cbn [andb]; lia.
Qed.
Lemma count_not_negative p D : 0 <= count p D.
Proof. induction D as [|[n r] D IH]; [cbn [count]; lia|]. rewrite count_cons. unfold one. destruct (inb r p); lia. Qed.

(* the part of a dataset of pairs that has a mark, without it *)
Definition part (c : N) (P : dataset) : dataset :=
  flat_map (fun e => match rev (snd e) with x :: r => if (c =? x)%N then [(fst e, rev r)] else [] | [] => [] end) P.
Lemma count_part c b P : count (on c b) P = count b (part c P).
Proof.
  unfold on. induction P as [|[n r] P IH]; [reflexivity|]. unfold part. cbn [flat_map fst snd]. fold (part c P).
  rewrite count_cons, count_app, IH. destruct r as [|x r _] using rev_ind.
  - cbn [rev count]. unfold one. destruct b; cbn [app inb]; lia.
  - rewrite rev_app_distr. cbn [rev app]. rewrite rev_involutive. unfold one. rewrite inb_last, single_bit.
    destruct (N.eqb_spec c x) as [->|E]; [|rewrite andb_false_r; cbn [count]; lia].
    rewrite andb_true_r, count_cons. unfold one. cbn [count]. lia.
Qed.
Lemma occurs_part c r P : occurs r (part c P) -> occurs (r ++ [c]) P.
Proof.
  intros [n [I L]]. unfold part in I. apply in_flat_map in I as [[k q] [J I]]. cbn [fst snd] in I.
  destruct q as [|x q _] using rev_ind; [destruct I|]. rewrite rev_app_distr in I. cbn [rev app] in I. rewrite rev_involutive in I.
  destruct (N.eqb_spec c x) as [->|E]; [|destruct I]. destruct I as [I|[]]. inversion I; subst. exists n. auto.
Qed.
Lemma occurs_app r D E : occurs r (D ++ E) <-> occurs r D \/ occurs r E.
Proof.
  split.
  - intros [n [I L]]. apply in_app_or in I as [I|I]; [left|right]; exists n; auto.
  - intros [[n [I L]]|[n [I L]]]; exists n; split; auto; apply in_or_app; auto.
Qed.
Lemma occurs_tag c r D : occurs r (tag c D) -> exists q, r = q ++ [c] /\ occurs q D.
Proof.
  intros [n [I L]]. unfold tag in I. apply in_map_iff in I as [[k q] [X J]]. inversion X; subst. exists q. split; [reflexivity|].
  exists n. auto.
Qed.

(* values on one side are values there *)
Lemma value_on c f P D : (forall b, count (on c b) P = count b D) -> value (on_form c f) P = value f D.
Proof. intros H. unfold on_form. induction f as [|[w p] f IH]; cbn [map value fst snd]; [reflexivity|]. rewrite IH, H. reflexivity. Qed.
Lemma holds_on c s P D : (forall b, count (on c b) P = count b D) -> holds P (on_statistic c s) <-> holds D s.
Proof. intros H. unfold holds, on_statistic. cbn [about low high]. rewrite (value_on c _ _ _ H). reflexivity. Qed.
Lemma keeps_on c l P D : (forall b, count (on c b) P = count b D) -> keeps P (on_limit c l) <-> keeps D l.
Proof. intros H. unfold keeps, on_limit. cbn [fst snd]. rewrite (value_on c _ _ _ H). reflexivity. Qed.

(* ------------------------------------------------------------ two datasets as one *)
Definition fewer (k : kind) (D E : dataset) : Z := Z.min (how_many (who k) D) (how_many (who k) E).
Definition own_marks (nobody : record) (n : N) (k : kind) (D E : dataset) : dataset :=
  (Z.to_N (fewer k D E), nobody ++ [n]) ::
  (if wide k then [(if how_many (who k) E <=? how_many (who k) D then 1%N else 0%N, nobody ++ [N.succ n])] else []).
Fixpoint marks (nobody : record) (n : N) (ks : list kind) (D E : dataset) : dataset :=
  match ks with [] => [] | k :: ks' => own_marks nobody n k D E ++ marks nobody (n + codes_for k)%N ks' D E end.
Definition joined (R : release) (ks : list kind) (D E : dataset) : dataset :=
  tag 0 D ++ tag 1 E ++ marks (repeat 0%N (length (domain R))) 2 ks D E.

Lemma codes_for_some k : (1 <= codes_for k)%N.
Proof. unfold codes_for. destruct (wide k); lia. Qed.
Lemma code_after_more ks : forall n, (n <= code_after n ks)%N.
Proof.
  induction ks as [|k ks IH]; intros n; cbn [code_after]; [lia|]. assert (A := codes_for_some k). specialize (IH (n + codes_for k)%N). lia.
Qed.
Lemma marks_codes nobody D E ks : forall n r, occurs r (marks nobody n ks D E) ->
  exists c, r = nobody ++ [c] /\ (n <= c)%N /\ (c < code_after n ks)%N.
Proof.
  induction ks as [|k ks IH]; intros n r O; cbn [marks code_after] in *; [destruct O as [? [[] _]]|].
  assert (A := codes_for_some k). assert (B := code_after_more ks (n + codes_for k)%N).
  apply occurs_app in O as [O|O].
  - unfold own_marks in O. destruct O as [j [[I|I] _]]; [inversion I; exists n; repeat split; lia|].
    unfold codes_for in *. destruct (wide k); [|destruct I]. destruct I as [I|[]]. inversion I. exists (N.succ n). repeat split; lia.
  - destruct (IH _ _ O) as [c [-> L]]. exists c. repeat split; lia.
Qed.
Lemma marks_below nobody D E ks n c b : (c < n)%N -> count (on c b) (marks nobody n ks D E) = 0.
Proof.
  intros L. apply no_match. intros r O. destruct (marks_codes _ _ _ _ _ _ O) as [x [-> [X _]]].
  unfold on. rewrite inb_last, single_bit, (proj2 (N.eqb_neq c x)) by lia. apply andb_false_r.
Qed.
Lemma count_own nobody n k D E c b : inb nobody b = true -> count (on c b) (own_marks nobody n k D E) =
  (if (c =? n)%N then fewer k D E else 0) +
  (if wide k && (c =? N.succ n)%N then (if how_many (who k) E <=? how_many (who k) D then 1 else 0) else 0).
Proof.
  intros I. unfold own_marks, on. rewrite count_cons. unfold one. rewrite inb_last, single_bit, I. cbn [andb].
  assert (P : 0 <= fewer k D E).
  { unfold fewer, how_many. assert (A := count_not_negative (exactly (who k)) D). assert (B := count_not_negative (exactly (who k)) E). lia. }
  rewrite Z2N.id by exact P. destruct (wide k); cbn [andb count]; [|destruct (c =? n)%N; lia].
  rewrite inb_last, single_bit, I. cbn [andb].
  destruct (c =? n)%N, (c =? N.succ n)%N, (how_many (who k) E <=? how_many (who k) D); lia.
Qed.
Lemma own_elsewhere nobody n k D E c b : c <> n -> c <> N.succ n -> count (on c b) (own_marks nobody n k D E) = 0.
Proof.
  intros X Y. apply no_match. intros r [j [[I|I] _]].
  - inversion I. unfold on. rewrite inb_last, single_bit, (proj2 (N.eqb_neq c n)) by exact X. apply andb_false_r.
  - destruct (wide k); [|destruct I]. destruct I as [I|[]]. inversion I. unfold on.
    rewrite inb_last, single_bit, (proj2 (N.eqb_neq c (N.succ n))) by exact Y. apply andb_false_r.
Qed.

(* what comes before the marks from n on: the two datasets, and other marks *)
Record before (P D E : dataset) (n : N) : Prop := {
  begin_first : forall b, count (on 0 b) P = count b D;
  begin_second : forall b, count (on 1 b) P = count b E;
  begin_rest : forall c b, (n <= c)%N -> count (on c b) P = 0
}.
Lemma before_own nobody P D E n k : (2 <= n)%N -> before P D E n -> before (P ++ own_marks nobody n k D E) D E (n + codes_for k).
Proof.
  intros L [A B C]. assert (S := codes_for_some k). split; intros.
  - rewrite count_app, A, own_elsewhere by lia. lia.
  - rewrite count_app, B, own_elsewhere by lia. lia.
  - rewrite count_app, C by lia. unfold codes_for in *. destruct (wide k) eqn:W; [rewrite own_elsewhere by lia; lia|].
    unfold own_marks. rewrite W. cbn [count]. unfold on. rewrite inb_last, single_bit, (proj2 (N.eqb_neq c n)), andb_false_r by lia. lia.
Qed.
Definition within (D : dataset) (k : kind) : Prop := fewest k <= how_many (who k) D <= greatest k.

Lemma holds_between P f l h : (forall x, l = Some x -> x <= value f P) -> (forall x, h = Some x -> value f P <= x) -> holds P (between f l h).
Proof. intros A B. split; assumption. Qed.
Lemma kind_statistics_ok dom nobody D E ks : inb nobody dom = true ->
  (forall k, In k ks -> within D k /\ within E k) -> forall n P, (2 <= n)%N -> before P D E n ->
  forall s, In s (kind_statistics dom n ks) -> holds (P ++ marks nobody n ks D E) s.
Proof.
  intros I. induction ks as [|k ks IH]; intros W n P L B s J; [destruct J|]. cbn [kind_statistics marks] in *.
  destruct (W k (or_introl eq_refl)) as [WD WE]. unfold within in WD, WE.
  apply in_app_or in J as [J|J]; [|apply in_app_or in J as [J|J]].
  3: { rewrite app_assoc. apply IH; [intros q Q; apply W; right; exact Q| |apply before_own; assumption|exact J].
       assert (S := codes_for_some k). lia. }
  all: assert (S := codes_for_some k); destruct B as [B1 B2 B3];
    assert (X : count (on 0 (exactly (who k))) (P ++ own_marks nobody n k D E ++ marks nobody (n + codes_for k) ks D E) = how_many (who k) D)
      by (rewrite !count_app, B1, own_elsewhere, marks_below by lia; unfold how_many; lia);
    assert (Y : count (on 1 (exactly (who k))) (P ++ own_marks nobody n k D E ++ marks nobody (n + codes_for k) ks D E) = how_many (who k) E)
      by (rewrite !count_app, B2, own_elsewhere, marks_below by lia; unfold how_many; lia);
    assert (M : count (on n dom) (P ++ own_marks nobody n k D E ++ marks nobody (n + codes_for k) ks D E) = fewer k D E)
      by (rewrite !count_app, B3, (count_own _ _ _ _ _ _ _ I), marks_below, N.eqb_refl, (proj2 (N.eqb_neq n (N.succ n))), andb_false_r by lia; lia);
    unfold fewer in M.
  - cbn [In] in J. destruct J as [J|[J|[J|[J|[]]]]]; subst s; apply holds_between; intros x H; inversion H; subst x; cbn [value];
    rewrite ?X, ?Y, ?M; lia.
  - destruct (wide k) eqn:V; [|destruct J]. unfold codes_for in *. rewrite V in *.
    assert (A : count (on (N.succ n) dom) (P ++ own_marks nobody n k D E ++ marks nobody (n + 2) ks D E) =
                if how_many (who k) E <=? how_many (who k) D then 1 else 0).
    { rewrite !count_app, B3, (count_own _ _ _ _ _ _ _ I), marks_below, V, N.eqb_refl, (proj2 (N.eqb_neq (N.succ n) n)) by lia. cbn [andb]. lia. }
    cbn [In] in J. destruct J as [J|[J|[J|[]]]]; subst s; apply holds_between; intros x H; inversion H; subst x; cbn [value];
    rewrite ?X, ?Y, ?M, ?A; destruct (Z.leb_spec (how_many (who k) E) (how_many (who k) D)); lia.
Qed.
Definition least_of (ks : list kind) (D E : dataset) : Z := fold_right (fun k s => fewer k D E + s) 0 ks.
Lemma shared_value dom nobody D E ks : inb nobody dom = true -> forall n P, (2 <= n)%N -> before P D E n ->
  value (shared dom n ks) (P ++ marks nobody n ks D E) = -2 * least_of ks D E.
Proof.
  intros I. induction ks as [|k ks IH]; intros n P L B; [reflexivity|]. cbn [shared marks value].
  change (least_of (k :: ks) D E) with (fewer k D E + least_of ks D E).
  assert (S := codes_for_some k). assert (B' := before_own nobody _ _ _ _ k L B). rewrite app_assoc, (IH (n + codes_for k)%N _ ltac:(lia) B').
  rewrite !count_app, (begin_rest _ _ _ _ B), (count_own _ _ _ _ _ _ _ I), marks_below, N.eqb_refl, (proj2 (N.eqb_neq n (N.succ n))),
    andb_false_r by lia. lia.
Qed.

(* ------------------------------------------------------------ every two datasets, taken as one, fit the release of pairs *)
Lemma nobody_in (dom : box) : forallb (fun m => N.testbit m 0) dom = true -> inb (repeat 0%N (length dom)) dom = true.
Proof. induction dom as [|m dom IH]; cbn [forallb length repeat inb]; [reflexivity|]. intros H. apply andb_prop in H as [-> H]. exact (IH H). Qed.
Lemma ones_bit c n : (c < n)%N -> N.testbit (N.ones n) c = true.
Proof. apply N.ones_spec_low. Qed.
Lemma mark_rules_ok (dom : box) marked : forall before p, In p (mark_rules before dom marked) ->
  length p = S (length before + length dom) /\ exists c, (c < length before + length dom)%nat /\ N.testbit (nth c p 0%N) 0 = false.
Proof.
  induction dom as [|m dom IH]; intros before p I; cbn [mark_rules] in I; [destruct I|]. cbn [length].
  apply in_app_or in I as [I|I].
  - destruct (N.ldiff m 1 =? 0)%N; [destruct I|]. destruct I as [<-|[]]. split.
    + rewrite !app_length. cbn [length]. lia.
    + exists (length before). split; [lia|]. cbn [app]. rewrite nth_middle, N.ldiff_spec. apply andb_false_r.
  - destruct (IH _ _ I) as [A [c [C B]]]. rewrite app_length in *. cbn [length] in *. split; [lia|]. exists c. split; [lia|exact B].
Qed.
Lemma mark_rules_last (dom : box) marked : forall before p, In p (mark_rules before dom marked) -> exists q, p = q ++ [marked].
Proof.
  induction dom as [|m dom IH]; intros before p I; cbn [mark_rules] in I; [destruct I|]. apply in_app_or in I as [I|I]; [|exact (IH _ _ I)].
  destruct (N.ldiff m 1 =? 0)%N; [destruct I|]. destruct I as [<-|[]]. exists (before ++ [N.ldiff m 1] ++ dom). rewrite <- !app_assoc. reflexivity.
Qed.
Lemma joined_before D E : before (tag 0 D ++ tag 1 E) D E 2.
Proof.
  split; intros; unfold on; rewrite count_app, !count_tag, !single_bit.
  - rewrite (proj2 (N.eqb_neq 0 1)), N.eqb_refl by lia. lia.
  - rewrite (proj2 (N.eqb_neq 1 0)), N.eqb_refl by lia. lia.
  - rewrite (proj2 (N.eqb_neq c 0)), (proj2 (N.eqb_neq c 1)) by lia. lia.
Qed.
Lemma joined_sides R ks D E : (forall b, count (on 0 b) (joined R ks D E) = count b D) /\ (forall b, count (on 1 b) (joined R ks D E) = count b E).
Proof.
  destruct (joined_before D E) as [A B _]. unfold joined. split; intros b; rewrite app_assoc, count_app, marks_below by lia.
  - rewrite A. lia.
  - rewrite B. lia.
Qed.

(* what the form says about two datasets: their records, less twice those that they share of the kinds listed *)
Definition reach (R : release) (ks : list kind) (D E : dataset) : Z :=
  count (domain R) D + count (domain R) E - 2 * least_of ks D E.

Theorem pairs_fit : forall R counts ks, first_codes R = true -> forall D E, consistent R D -> consistent R E ->
  (forall k, In k ks -> within D k /\ within E k) ->
  consistent (pair_release R counts ks) (joined R ks D E) /\ value (twice_the_distance R ks) (joined R ks D E) = reach R ks D E.
Proof.
  intros R counts ks F D E [D1 [D2 [D3 D4]]] [E1 [E2 [E3 E4]]] W. unfold first_codes in F.
  destruct (joined_sides R ks D E) as [A B]. assert (N := nobody_in _ F). assert (T := code_after_more ks 2).
  split; [split; [|split; [|split]]|].
  - intros r O. cbn [pair_release domain]. unfold joined in O. apply occurs_app in O as [O|O]; [|apply occurs_app in O as [O|O]].
    + apply occurs_tag in O as [q [-> O]]. rewrite inb_last, (D1 _ O), ones_bit by lia. reflexivity.
    + apply occurs_tag in O as [q [-> O]]. rewrite inb_last, (E1 _ O), ones_bit by lia. reflexivity.
    + destruct (marks_codes _ _ _ _ _ _ O) as [c [-> [_ C]]]. rewrite inb_last, N, ones_bit by exact C. reflexivity.
  - intros s I. cbn [pair_release statistics] in I.
    assert (S : forall part, incl part (statistics R) -> In s (both_sides part) -> holds (joined R ks D E) s).
    { intros part L J. unfold both_sides in J. apply in_app_or in J as [J|J]; apply in_map_iff in J as [q [<- J]].
      - apply (holds_on _ _ _ _ A), D2, L, J.
      - apply (holds_on _ _ _ _ B), E2, L, J. }
    apply in_app_or in I as [I|I]; [|apply in_app_or in I as [I|I]].
    + refine (S _ _ I). intros q Q. rewrite <- (firstn_skipn counts (statistics R)). apply in_or_app. left. exact Q.
    + refine (S _ _ I). intros q Q. rewrite <- (firstn_skipn counts (statistics R)). apply in_or_app. right. exact Q.
    + unfold joined. rewrite app_assoc. apply (kind_statistics_ok (domain R)); [exact N|exact W|lia|exact (joined_before D E)|exact I].
  - intros p r I O. cbn [pair_release rules] in I. unfold joined in O. apply in_app_or in I as [I|I].
    + apply in_map_iff in I as [q [<- I]]. apply occurs_app in O as [O|O]; [|apply occurs_app in O as [O|O]].
      * apply occurs_tag in O as [x [-> O]]. rewrite inb_last, (D3 _ _ I O). reflexivity.
      * apply occurs_tag in O as [x [-> O]]. rewrite inb_last, (E3 _ _ I O). reflexivity.
      * destruct (marks_codes _ _ _ _ _ _ O) as [c [-> [C _]]]. rewrite inb_last.
        replace (N.testbit 3 c) with false; [apply andb_false_r|]. symmetry. apply N.bits_above_log2. cbn. lia.
    + destruct (N.ldiff (N.ones (code_after 2 ks)) 3 =? 0)%N; [destruct I|].
      destruct (mark_rules_last _ _ _ _ I) as [q Q]. destruct (mark_rules_ok _ _ _ _ I) as [L [c [C K]]]. cbn [length Nat.add] in L, C.
      apply occurs_app in O as [O|O]; [|apply occurs_app in O as [O|O]].
      * apply occurs_tag in O as [x [-> O]]. subst p. rewrite inb_last, N.ldiff_spec. cbn [N.testbit negb Pos.testbit].
        rewrite andb_false_r. apply andb_false_r.
      * apply occurs_tag in O as [x [-> O]]. subst p. rewrite inb_last, N.ldiff_spec. cbn [N.testbit negb Pos.testbit].
        rewrite andb_false_r. apply andb_false_r.
      * destruct (marks_codes _ _ _ _ _ _ O) as [x [-> _]].
        destruct (inb (repeat 0%N (length (domain R)) ++ [x]) p) eqn:X; [|reflexivity].
        assert (Y := inb_nth _ _ c X ltac:(lia)). rewrite app_nth1 in Y by (rewrite repeat_length; exact C).
        rewrite nth_repeat in Y. congruence.
  - intros e I. cbn [pair_release eithers] in I. apply in_app_or in I as [I|I]; apply in_map_iff in I as [q [<- I]]; unfold on_either; cbn [fst snd].
    + rewrite !(keeps_on _ _ _ _ A). exact (D4 _ I).
    + rewrite !(keeps_on _ _ _ _ B). exact (E4 _ I).
  - unfold twice_the_distance, reach. cbn [value]. rewrite A, B. unfold joined. rewrite app_assoc.
    rewrite (shared_value (domain R) _ _ _ _ N 2 _ ltac:(lia) (joined_before D E)). lia.
Qed.

(* ------------------------------------------------------------ and every dataset that fits it comes from two *)
Lemma kind_statistics_say dom P D E ks : (forall b, count (on 0 b) P = count b D) -> (forall b, count (on 1 b) P = count b E) ->
  forall n, (forall s, In s (kind_statistics dom n ks) -> holds P s) -> value (shared dom n ks) P <= -2 * least_of ks D E.
Proof.
  intros A B. induction ks as [|k ks IH]; intros n H; [cbn; lia|]. cbn [shared value].
  change (least_of (k :: ks) D E) with (fewer k D E + least_of ks D E). cbn [kind_statistics] in H.
  assert (T := IH (n + codes_for k)%N (fun s I => H s (in_or_app _ _ _ (or_intror (in_or_app _ _ _ (or_intror I)))))).
  assert (S := fun s I => H s (in_or_app _ _ _ (or_introl I))).
  assert (V := fun s I => H s (in_or_app _ _ _ (or_intror (in_or_app _ _ _ (or_introl I))))).
  clear H IH.
  destruct (S _ (or_introl eq_refl)) as [S1 S2]. destruct (S _ (or_intror (or_introl eq_refl))) as [S3 S4].
  destruct (S _ (or_intror (or_intror (or_introl eq_refl)))) as [S5 S6].
  destruct (S _ (or_intror (or_intror (or_intror (or_introl eq_refl))))) as [_ S7]. clear S.
  specialize (S1 _ eq_refl). specialize (S2 _ eq_refl). specialize (S3 _ eq_refl). specialize (S4 _ eq_refl).
  specialize (S5 _ eq_refl). specialize (S6 _ eq_refl). specialize (S7 _ eq_refl).
  cbn [between about value] in S1, S2, S3, S4, S5, S6, S7. rewrite ?A, ?B in *.
  assert (Q := count_not_negative (on (N.succ n) dom) P). unfold fewer, how_many.
  destruct (wide k) eqn:W.
  - destruct (V _ (or_introl eq_refl)) as [_ V1]. destruct (V _ (or_intror (or_introl eq_refl))) as [_ V2].
    destruct (V _ (or_intror (or_intror (or_introl eq_refl)))) as [_ V3]. clear V.
    specialize (V1 _ eq_refl). specialize (V2 _ eq_refl). specialize (V3 _ eq_refl). cbn [between about value] in V1, V2, V3.
    rewrite ?A, ?B in *. assert (Z : count (on (N.succ n) dom) P = 0 \/ count (on (N.succ n) dom) P = 1) by lia.
    destruct Z as [Z|Z]; rewrite Z in *; lia.
  - unfold wide in W. apply Z.ltb_ge in W. lia.
Qed.

Theorem pairs_come_from : forall R counts ks P, consistent (pair_release R counts ks) P ->
  consistent R (part 0 P) /\ consistent R (part 1 P) /\ value (twice_the_distance R ks) P <= reach R ks (part 0 P) (part 1 P).
Proof.
  intros R counts ks P [H1 [H2 [H3 H4]]]. cbn [pair_release domain statistics rules eithers] in *.
  assert (S : forall c, (c = 0 \/ c = 1)%N -> consistent R (part c P)).
  { intros c C. assert (A := fun b => count_part c b P). split; [|split; [|split]].
    - intros r O. specialize (H1 _ (occurs_part _ _ _ O)). rewrite inb_last in H1. apply andb_prop in H1 as [H1 _]. exact H1.
    - intros s I. apply (holds_on _ _ _ _ A), H2. rewrite <- (firstn_skipn counts (statistics R)) in I.
      apply in_app_or in I as [I|I]; apply in_or_app; [left|right; apply in_or_app; left]; unfold both_sides; apply in_or_app;
      (destruct C as [->| ->]; [left|right]); apply in_map, I.
    - intros p r I O. specialize (H3 (p ++ [3%N]) (r ++ [c])). rewrite inb_last in H3.
      destruct (inb r p); [|reflexivity]. replace (N.testbit 3 c) with true in H3 by (destruct C as [->| ->]; reflexivity).
      cbn [andb] in H3. apply H3; [|exact (occurs_part _ _ _ O)]. apply in_or_app. left. apply in_map_iff. exists p. auto.
    - intros e I. specialize (H4 (on_either c e)). unfold on_either in H4. cbn [fst snd] in H4. rewrite !(keeps_on _ _ _ _ A) in H4.
      apply H4, in_or_app. destruct C as [->| ->]; [left|right]; apply in_map_iff; exists e; auto. }
  split; [apply S; left; reflexivity|split; [apply S; right; reflexivity|]].
  unfold twice_the_distance, reach. cbn [value]. rewrite !count_part.
  assert (K := kind_statistics_say (domain R) P (part 0 P) (part 1 P) ks (fun b => count_part 0 b P) (fun b => count_part 1 b P) 2).
  specialize (K (fun s I => H2 s (in_or_app _ _ _ (or_intror (in_or_app _ _ _ (or_intror I)))))). lia.
Qed.

(* ------------------------------------------------------------ the distance is at most what the form says *)
Lemma exactly_is x : forall r, inb x (exactly r) = true <-> x = r.
Proof.
  unfold exactly. induction x as [|v x IH]; intros [|w r]; cbn [map inb]; split; intros H; try discriminate; try reflexivity.
  - apply andb_prop in H as [H1 H2]. rewrite single_bit in H1. apply N.eqb_eq in H1. apply IH in H2. congruence.
  - inversion H; subst. rewrite single_bit, N.eqb_refl. apply IH. reflexivity.
Qed.
Lemma sum_plus f g l : sum (fun r => f r + g r) l = sum f l + sum g l.
Proof. unfold sum. induction l as [|r l IH]; cbn [fold_right]; [reflexivity|]. rewrite IH. lia. Qed.
Lemma sum_same f g l : (forall r, f r = g r) -> sum f l = sum g l.
Proof. intros H. unfold sum. induction l as [|r l IH]; cbn [fold_right]; [reflexivity|]. rewrite IH, H. reflexivity. Qed.
Lemma sum_times k f l : sum (fun r => k * f r) l = k * sum f l.
Proof. unfold sum. induction l as [|r l IH]; cbn [fold_right]; [lia|]. rewrite IH. lia. Qed.
Lemma sum_absent x n l : ~ In x l -> sum (fun r => n * one x (exactly r)) l = 0.
Proof.
  unfold sum. induction l as [|r l IH]; cbn [fold_right]; intros H; [reflexivity|]. rewrite IH by (intros I; apply H; right; exact I).
  unfold one. destruct (inb x (exactly r)) eqn:E; [|lia]. apply exactly_is in E. destruct H. left. congruence.
Qed.
Lemma sum_present x n l : NoDup l -> In x l -> sum (fun r => n * one x (exactly r)) l = n.
Proof.
  induction l as [|r l IH]; intros U I; [destruct I|]. inversion U; subst.
  change (sum (fun q => n * one x (exactly q)) (r :: l)) with (n * one x (exactly r) + sum (fun q => n * one x (exactly q)) l).
  unfold one at 1. destruct (inb x (exactly r)) eqn:E.
  - apply exactly_is in E. subst. rewrite sum_absent by assumption. lia.
  - destruct I as [I|I]; [|rewrite IH by assumption; lia].
    subst. rewrite (proj2 (exactly_is x x) eq_refl) in E. discriminate.
Qed.
Lemma all_counted dom l D : NoDup l -> (forall r, occurs r D -> inb r dom = true) -> (forall n r, In (n, r) D -> In r l) ->
  count dom D = sum (fun r => how_many r D) l.
Proof.
  intros U. induction D as [|[n x] D IH]; intros H I.
  - unfold sum, how_many. cbn [count]. clear. induction l as [|r l IH]; cbn [fold_right]; lia.
  - rewrite count_cons, (IH (fun r O => H r (occurs_cons _ _ _ _ O)) (fun k r J => I k r (or_intror J))).
    rewrite (sum_same (fun r => how_many r ((n, x) :: D)) (fun r => Z.of_N n * one x (exactly r) + how_many r D))
      by (intros r; unfold how_many; rewrite count_cons; reflexivity).
    rewrite sum_plus, sum_present by (try assumption; eapply I; left; reflexivity).
    destruct (N.eq_dec n 0) as [->|Z]; [lia|]. unfold one. rewrite (H x (occurs_head x n D ltac:(lia))). lia.
Qed.
Lemma sum_middle f r l m : sum f (l ++ r :: m) = f r + sum f (l ++ m).
Proof. unfold sum. induction l as [|q l IH]; cbn [app fold_right]; [reflexivity|]. rewrite IH. lia. Qed.
Lemma some_at_most_all f l : (forall r, 0 <= f r) -> forall some, NoDup some -> (forall r, In r some -> In r l \/ f r = 0) -> sum f some <= sum f l.
Proof.
  intros P some. revert l. induction some as [|r some IH]; intros l U I.
  - clear I U. unfold sum. cbn [fold_right]. induction l as [|q l IH]; cbn [fold_right]; [lia|]. assert (A := P q). lia.
  - inversion U; subst. change (sum f (r :: some)) with (f r + sum f some). destruct (I r (or_introl eq_refl)) as [J|J].
    + apply in_split in J as [l1 [l2 ->]].
      rewrite sum_middle. assert (K := IH (l1 ++ l2) H2). enough (sum f some <= sum f (l1 ++ l2)) by lia. apply K.
      intros q Q. destruct (I q (or_intror Q)) as [X|X]; [|right; exact X]. left.
      apply in_app_or in X as [X|[X|X]]; [apply in_or_app; left; exact X|congruence|apply in_or_app; right; exact X].
    + rewrite J. apply IH; [assumption|]. intros q Q. apply I. right. exact Q.
Qed.
Lemma not_there r D : ~ In r (map snd D) -> how_many r D = 0.
Proof.
  intros H. apply no_match. intros x [n [I _]]. destruct (inb x (exactly r)) eqn:E; [|reflexivity]. apply exactly_is in E. subst.
  destruct H. apply in_map_iff. exists (n, r). auto.
Qed.
Theorem reach_far_enough : forall R ks D E, consistent R D -> consistent R E -> NoDup (map who ks) -> twice_apart D E <= reach R ks D E.
Proof.
  intros R ks D E [HD _] [HE _] U. unfold twice_apart, reach. set (l := kinds_in (D ++ E)).
  assert (N : NoDup l) by apply NoDup_nodup.
  assert (I : forall r, In r l <-> In r (map snd D) \/ In r (map snd E)).
  { intros r. unfold l, kinds_in. rewrite nodup_In, map_app, in_app_iff. reflexivity. }
  rewrite (all_counted (domain R) l D N HD) by (intros n r J; apply I; left; exact (in_map snd _ _ J)).
  rewrite (all_counted (domain R) l E N HE) by (intros n r J; apply I; right; exact (in_map snd _ _ J)).
  assert (L : least_of ks D E <= sum (fun r => Z.min (how_many r D) (how_many r E)) l).
  { replace (least_of ks D E) with (sum (fun r => Z.min (how_many r D) (how_many r E)) (map who ks)).
    - apply some_at_most_all; [|exact U|].
      + intros r. assert (A := count_not_negative (exactly r) D). assert (B := count_not_negative (exactly r) E). unfold how_many. lia.
      + intros r _. destruct (in_dec (list_eq_dec N.eq_dec) r l) as [J|J]; [left; exact J|right].
        rewrite I in J. rewrite (not_there r D), (not_there r E) by tauto. reflexivity.
    - clear. unfold sum, least_of, fewer. induction ks as [|k ks IH]; cbn [map fold_right]; [reflexivity|]. rewrite IH. reflexivity. }
  rewrite (sum_same _ (fun r => how_many r D + (how_many r E + -2 * Z.min (how_many r D) (how_many r E)))) by (intros r; lia).
  rewrite !sum_plus, sum_times. lia.
Qed.

(* ------------------------------------------------------------ the theorems *)
Lemma same_record_is r : forall q, same_record r q = true <-> r = q.
Proof.
  induction r as [|x r IH]; intros [|y q]; cbn [same_record]; split; intros H; try discriminate; try reflexivity.
  - apply andb_prop in H as [H1 H2]. apply N.eqb_eq in H1. apply IH in H2. congruence.
  - inversion H; subst. rewrite N.eqb_refl. apply IH. reflexivity.
Qed.
Lemma different_ok l : different l = true -> NoDup l.
Proof.
  induction l as [|r l IH]; cbn [different]; intros H; [constructor|]. apply andb_prop in H as [H1 H2]. constructor; [|exact (IH H2)].
  intros I. apply negb_true_iff in H1. assert (X : existsb (same_record r) l = true) by (apply existsb_exists; exists r; split; [exact I|apply same_record_is; reflexivity]).
  congruence.
Qed.
Lemma kinds_ok_ok R ss ks : kinds_ok R ss ks = true -> NoDup (map who (map fst ks)) /\
  forall D, consistent R D -> forall k, In k (map fst ks) -> within D k.
Proof.
  unfold kinds_ok. destruct (build R ss) as [st|] eqn:E; [|discriminate]. intros H. apply andb_prop in H as [H1 H2]. split.
  - rewrite map_map. exact (different_ok _ H2).
  - intros D C k I. apply in_map_iff in I as [[j [lower upper]] [X I]]. cbn [fst] in X. subst j.
    rewrite forallb_forall in H1. specialize (H1 _ I). unfold kind_ok in H1. cbn [fst snd] in H1. apply andb_prop in H1 as [A B].
    assert (T := build_ok _ _ _ _ E C). assert (P := proves_ok _ _ _ _ _ T A). assert (Q := proves_ok _ _ _ _ _ T B).
    cbn [value] in P, Q. unfold within, how_many. lia.
Qed.

(* Where the limits of the kinds and the limit of the file are accepted, no two datasets of the release are farther apart. *)
Theorem limit_ok_ok : forall R ss ks, kinds_ok R ss ks = true ->
  forall counts pss twice t, limit_ok R counts (map fst ks) pss twice t = true ->
  forall D E, consistent R D -> consistent R E -> twice_apart D E <= twice.
Proof.
  intros R ss ks K counts pss twice t H D E CD CE. apply kinds_ok_ok in K as [U W]. unfold limit_ok in H.
  apply andb_prop in H as [F H]. destruct (build (pair_release R counts (map fst ks)) pss) as [st|] eqn:B; [|discriminate].
  destruct (pairs_fit R counts (map fst ks) F D E CD CE (fun k I => conj (W D CD k I) (W E CE k I))) as [C V].
  assert (X := proves_ok _ _ _ _ _ (build_ok _ _ _ _ B C) H). assert (Y := reach_far_enough R (map fst ks) D E CD CE U). lia.
Qed.

(* The same for what the program says about a file: the two listed datasets fit and are so far apart, and no two are farther. *)
Theorem distance_ok : forall R counts W V ss ks pss twice t v, check_distance R counts W V ss ks pss twice t = v ->
  (forall far, farthest v = Some far -> consistent R W /\ consistent R V /\ twice_apart W V = far) /\
  (limit_holds v = true -> forall D E, consistent R D -> consistent R E -> twice_apart D E <= twice).
Proof.
  intros R counts W V ss ks pss twice t v <-. unfold check_distance. cbn [farthest limit_holds]. split.
  - intros far H. destruct (consistentb R W) eqn:A; [|discriminate]. destruct (consistentb R V) eqn:B; [|discriminate].
    inversion H. split; [apply not_vacuous; exact A|split; [apply not_vacuous; exact B|reflexivity]].
  - destruct (kinds_ok R ss ks) eqn:K; [|discriminate]. intros H. exact (limit_ok_ok _ _ _ K _ _ _ _ H).
Qed.
