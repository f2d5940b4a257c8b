(* What the theorems rest on: "Closed under the global context" means on no axiom at all. *)
From Foregone Require Import Checker Proofs Complete Choice Pairs PairProofs.
Check sound.
Print Assumptions sound.
Check exact_list.
Print Assumptions exact_list.
Check no_cheaper_ok.
Print Assumptions no_cheaper_ok.
Check pairs_fit.
Print Assumptions pairs_fit.
Check pairs_come_from.
Print Assumptions pairs_come_from.
Check distance_ok.
Print Assumptions distance_ok.
Definition all_others :=
  (contradiction_ok, check_fact, check_sound, check_contradiction,
   not_vacuous, consistentb_ok, exact_list_of_groups, check_exact, check_witnesses, accepted_ok, accepted_exact,
   reach_far_enough, limit_ok_ok).
Print Assumptions all_others.
