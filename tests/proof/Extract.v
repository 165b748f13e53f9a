(* The checker in OCaml, and what its proofs rest on.
   SPDX-License-Identifier: MIT *)
From Coq Require Import Extraction ExtrOcamlBasic.
From Proof Require Import Network Claims Checker.

Print Assumptions proves_safe_right.
Print Assumptions proves_deadlock_right.

Extraction "checker.ml" proves_safe proves_deadlock.
