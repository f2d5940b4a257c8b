(* The programs of Checker.v, Choice.v and Pairs.v as OCaml. ExtrOcamlBasic makes Coq's booleans, pairs, lists and options OCaml's
   own; numbers stay as Coq defines them (chains of bits), so arithmetic is part of what is proved.  Z.of_int and N.of_uint read
   decimal digits, Z.to_int and N.to_uint write them. *)
From Coq Require Import Extraction ExtrOcamlBasic ZArith NArith.
From Foregone Require Import Checker Choice Pairs.
Extraction Language OCaml.
Extraction "checker.ml" check accepted no_cheaper pair_release check_distance Z.of_int N.of_uint Z.to_int N.to_uint.
