(* What the theorems rest on: "Closed under the global context" means on no axiom at all. *)
From Foregone Require Import Checker Proofs Complete.
Check sound.
Print Assumptions sound.
Check exact_list.
Print Assumptions exact_list.
Definition all_others :=
  (contradiction_ok, check_fact, check_sound, check_contradiction,
   not_vacuous, consistentb_ok, exact_list_of_groups, check_exact, check_witnesses, accepted_ok, accepted_exact).
Print Assumptions all_others.
