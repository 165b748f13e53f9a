(* The network: worms that take resources one after the other, flit by flit. With Claims.v this is all that has to be
   believed.
   SPDX-License-Identifier: MIT *)
From Coq Require Import NArith PArith List Bool Arith.
Import ListNotations.
Local Open Scope N_scope.

(* A virtual channel with the buffer at its end, an injection channel, a host link, or a consumption channel. One worm has
   it at a time. *)
Definition resource := positive.

(* How a worm is copied at the end of a hop that several hops follow.
     Chain     a path: a flit leaves by all of them in one cycle, and they are asked for in the order of the list, so that
               a consumption channel on the way is had before the next channel is asked for.
     Apart     asynchronously: each reads the buffer by itself.
     Together  in lock step: as a chain, but all are asked for at the same time. *)
Inductive copying := Chain | Apart | Together.

(* A hop takes a resource. `behind` says what it follows: 0 the source, p the p-th hop of the list. *)
Record hop := Hop { takes : resource; behind : nat }.
Record worm := Worm { how : copying; flits : N; hops : list hop }.

(* Places of a worm: 0 is its source, p its p-th hop. *)
Definition size (w : worm) : nat := length (hops w).
Definition places (w : worm) : list nat := seq 1 (size w).
Definition inside (w : worm) (p : nat) : bool := (Nat.leb 1 p && Nat.leb p (size w))%bool.
Definition hop_at (w : worm) (p : nat) : hop := nth (pred p) (hops w) (Hop 1%positive 0).
Definition parent (w : worm) (p : nat) : nat := behind (hop_at w p).
Definition resource_at (w : worm) (p : nat) : resource := takes (hop_at w p).
(* The hops that follow one; of a consumption channel none. *)
Definition following (w : worm) (p : nat) : list nat := filter (fun q => Nat.eqb (parent w q) p) (places w).

(* What has happened at a place: whether its resource has been granted and released, how many flits have entered it, and
   how many a host has taken from it, where no hop follows. A source has all flits from the start. *)
Inductive hold := Idle | Held | Freed.
Record place := Place { held : hold; entered : N; taken : N }.
(* One copy of a worm that is under way, and all of them. *)
Record copy := Copy { route : worm; at_places : list place }.
Definition state := list copy.

Definition here (c : copy) (p : nat) : place := nth p (at_places c) (Place Idle 0 0).
Definition fresh (w : worm) : copy := Copy w (Place Held (flits w) 0 :: repeat (Place Idle 0 0) (size w)).

Definition is_idle (x : place) : bool := match held x with Idle => true | _ => false end.
Definition is_held (x : place) : bool := match held x with Held => true | _ => false end.

Fixpoint change_from (p : nat) (which : nat -> bool) (f : place -> place) (l : list place) : list place :=
  match l with
  | [] => []
  | x :: rest => (if which p then f x else x) :: change_from (S p) which f rest
  end.
Definition change (c : copy) (which : nat -> bool) (f : place -> place) : copy :=
  Copy (route c) (change_from 0 which f (at_places c)).

Section Steps.

Variable slots : resource -> N.  (* of the buffer at a resource's end *)

(* A flit has left a place when everything that follows has it: then its slot is free. *)
Definition room (c : copy) (p : nat) : bool :=
  let all := slots (resource_at (route c) p) in
  match following (route c) p with
  | [] => entered (here c p) <? taken (here c p) + all
  | next => forallb (fun q => entered (here c p) <? entered (here c q) + all) next
  end.
(* The tail has left. *)
Definition all_left (c : copy) (p : nat) : bool :=
  match following (route c) p with
  | [] => taken (here c p) =? flits (route c)
  | next => forallb (fun q => entered (here c q) =? flits (route c)) next
  end.

Definition holds (c : copy) (r : resource) : bool :=
  existsb (fun p => is_held (here c p) && Pos.eqb (resource_at (route c) p) r) (places (route c)).
Definition free (s : state) (r : resource) : bool := negb (existsb (fun c => holds c r) s).

(* The header stands where hop p leaves, and asks for it. *)
Definition asks (c : copy) (p : nat) : bool :=
  is_idle (here c p) && (0 <? entered (here c (parent (route c) p))) &&
  match how (route c) with
  | Chain => forallb (fun q => negb (is_idle (here c q))) (seq 1 (pred p))
  | _ => true
  end.
(* The hops by which a flit that enters hop p leaves the place behind it. *)
Definition moved (w : worm) (p : nat) : list nat :=
  match how w with Apart => [p] | _ => following w (parent w p) end.
Definition can_enter (c : copy) (q : nat) : bool :=
  is_held (here c q) && (entered (here c q) <? entered (here c (parent (route c) q))) && room c q.

Inductive event :=
  | Grant (p : nat)     (* the header at the end of the hop before is granted the resource *)
  | Move (p : nat)      (* a flit moves into a slot *)
  | Take (p : nat)      (* a host takes a flit *)
  | Release (p : nat).  (* the tail has left: the resource is free for the next worm *)

(* What a copy becomes by an event; None if that cannot happen now. *)
Definition act (is_free : resource -> bool) (c : copy) (e : event) : option copy :=
  let w := route c in
  match e with
  | Grant p =>
      if inside w p && asks c p && is_free (resource_at w p)
      then Some (change c (Nat.eqb p) (fun x => Place Held (entered x) (taken x))) else None
  | Move p =>
      if inside w p && forallb (can_enter c) (moved w p)
      then Some (change c (fun q => existsb (Nat.eqb q) (moved w p))
                   (fun x => Place (held x) (entered x + 1) (taken x))) else None
  | Take p =>
      if inside w p && Nat.eqb (length (following w p)) 0 && (taken (here c p) <? entered (here c p))
      then Some (change c (Nat.eqb p) (fun x => Place (held x) (entered x) (taken x + 1))) else None
  | Release p =>
      if inside w p && is_held (here c p) && all_left c p
      then Some (change c (Nat.eqb p) (fun x => Place Freed (entered x) (taken x))) else None
  end.

(* Any copy may be the next to do something, and any event of its that can happen may be the next. *)
Inductive step : state -> state -> Prop :=
  | Step before c after e c' :
      act (free (before ++ c :: after)) c e = Some c' -> step (before ++ c :: after) (before ++ c' :: after).
Inductive steps : nat -> state -> state -> Prop :=
  | No_step s : steps 0 s s
  | One_more n s s' s'' : steps n s s' -> step s' s'' -> steps (S n) s s''.

(* States of worms of a set W: any number of copies of each, each starting at any time. *)
Inductive leads (W : worm -> Prop) : state -> state -> Prop :=
  | Stay s : leads W s s
  | Go_on s s' s'' : leads W s s' -> step s' s'' -> leads W s s''
  | Start s s' w : leads W s s' -> W w -> leads W s (s' ++ [fresh w]).
Definition reachable (W : worm -> Prop) (s : state) : Prop := leads W [] s.

(* Every host has taken every flit that it should, and nothing is held any more. *)
Definition delivered (c : copy) : Prop :=
  forall p, inside (route c) p = true ->
    held (here c p) = Freed /\ (following (route c) p = [] -> taken (here c p) = flits (route c)).

(* From every reachable state, while no new worm starts: every sequence of steps is finite, and where no step is possible
   all worms have been delivered. *)
Definition safe (W : worm -> Prop) : Prop :=
  forall s, reachable W s ->
    (exists most, forall n s', steps n s s' -> (n <= most)%nat) /\
    (forall n s', steps n s s' -> (forall s'', ~ step s' s'') -> forall c, In c s' -> delivered c).

(* A deadlock: a reachable state of worms that are not all delivered, from which no step is possible, nor ever will be,
   whatever starts later. *)
Definition deadlock (W : worm -> Prop) (s : state) : Prop :=
  reachable W s /\ (exists c, In c s /\ ~ delivered c) /\ (forall s', ~ step s s') /\
  (forall s', leads W s s' -> exists later, s' = s ++ later).

End Steps.
