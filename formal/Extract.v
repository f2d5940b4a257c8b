(* The program of Checker.v as OCaml. ExtrOcamlBasic makes Coq's booleans, pairs, lists and options OCaml's own; numbers stay
   as Coq defines them (chains of bits), so arithmetic is part of what is proved.  Z.of_int and N.of_uint read decimal digits. *)
From Coq Require Import Extraction ExtrOcamlBasic ZArith NArith.
From Foregone Require Import Checker.
Extraction Language OCaml.
Extraction "checker.ml" check accepted Z.of_int N.of_uint.
