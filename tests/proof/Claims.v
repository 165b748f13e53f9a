(* What is claimed of which worms: shapes of worms, and what worms do that follow legs.
   SPDX-License-Identifier: MIT *)
From Coq Require Import NArith PArith List Bool Arith.
From Proof Require Import Network.
Import ListNotations.
Local Open Scope N_scope.

(* A worm has flits, and a hop follows the source or one before it in the list. *)
Definition well_formed (w : worm) : Prop :=
  1 <= flits w /\ forall p, inside w p = true -> (parent w p < p)%nat.

(* A path: each hop follows the one before it in the list, or leaves beside it, where that one is a consumption channel. *)
Definition path (w : worm) : Prop :=
  forall p, inside w p = true -> parent w p = pred p \/ ((1 < p)%nat /\ parent w p = parent w (pred p)).

(* Where it branches behind the source, the buffer has room for all of it. *)
Definition fits (slots : resource -> N) (w : worm) : Prop :=
  forall p q, inside w p = true -> inside w q = true -> p <> q -> parent w p = parent w q -> parent w p <> 0%nat ->
    flits w <= slots (resource_at w (parent w p)).

(* One resource is asked for right after the other, or at its end. *)
Definition next_to (w : worm) (a b : resource) : Prop :=
  exists p q, inside w p = true /\ inside w q = true /\ resource_at w p = a /\ resource_at w q = b /\
    match how w with Chain => q = S p | _ => parent w q = p end.

(* Worms that the theorems cover, and that follow legs: paths of any length, and trees that fit. *)
Definition covered (slots : resource -> N) (w : worm) : Prop :=
  well_formed w /\ match how w with Chain => path w | Apart => fits slots w | Together => False end.
Definition follows (legs : list (resource * resource)) (w : worm) : Prop :=
  forall a b, next_to w a b -> In (a, b) legs.

(* A certificate: the slots of resources (any other has one), and worms or what they follow, with the resources in an order
   in which no worm waits for an earlier one; or worms of a witness, in the order of their starts, and the hops that each
   asks for only when all are there. *)
Record certificate := Certificate {
  slots_said : list (resource * N);
  numbering : list resource;
  worms : list worm;
  legs : list (resource * resource);
  longest : N;  (* of trees that follow legs; paths have any length *)
  witness : list (worm * list nat)
}.
Fixpoint slots_in (said : list (resource * N)) (r : resource) : N :=
  match said with
  | [] => 1
  | (one, n) :: rest => if Pos.eqb one r then n else slots_in rest r
  end.

(* The worms that a certificate speaks of: those that it lists, and all that follow its legs. *)
Definition certified (c : certificate) (w : worm) : Prop :=
  In w (worms c) \/
  (well_formed w /\ follows (legs c) w /\
   match how w with Chain => path w | Apart => flits w <= longest c | Together => False end).
Definition in_witness (c : certificate) (w : worm) : Prop := In w (map fst (witness c)).

(* What the checker has to mean by yes. *)
Definition means_safe (says : certificate -> bool) : Prop :=
  forall c, says c = true -> safe (slots_in (slots_said c)) (certified c).
Definition means_deadlock (says : certificate -> bool) : Prop :=
  forall c, says c = true -> exists s, deadlock (slots_in (slots_said c)) (in_witness c) s.
