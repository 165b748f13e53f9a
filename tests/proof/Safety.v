(* Worms whose numbers rise are safe.
   SPDX-License-Identifier: MIT *)
From Coq Require Import NArith PArith List Bool Arith Lia Wf_nat.
From Proof Require Import Network Claims.
Import ListNotations.
Local Open Scope N_scope.

Ltac split_bools :=
  repeat match goal with
         | H : (_ && _)%bool = true |- _ => apply andb_true_iff in H; destruct H
         | H : (_ <? _) = true |- _ => apply N.ltb_lt in H
         | H : (_ =? _) = true |- _ => apply N.eqb_eq in H
         end.

Lemma inside_iff w p : inside w p = true <-> (1 <= p <= size w)%nat.
Proof. unfold inside. rewrite andb_true_iff, !Nat.leb_le. tauto. Qed.

Lemma in_following w p q : In q (following w p) <-> inside w q = true /\ parent w q = p.
Proof.
  unfold following, places. rewrite filter_In, in_seq, inside_iff, Nat.eqb_eq. intuition lia.
Qed.

Lemma no_following w p : following w p = [] -> forall q, inside w q = true -> parent w q <> p.
Proof. intros E q I P. assert (In q (following w p)) as M by (apply in_following; auto). rewrite E in M. destruct M. Qed.

Lemma some_following w p : following w p <> [] -> exists q, inside w q = true /\ parent w q = p.
Proof.
  destruct (following w p) as [|q l] eqn:E; [congruence|]. exists q.
  apply in_following. rewrite E. now left.
Qed.

Lemma length_change k t f l : length (change_from k t f l) = length l.
Proof. revert k. induction l; simpl; auto. Qed.

Lemma nth_change t f l d : forall k p, (p < length l)%nat ->
  nth p (change_from k t f l) d = if t (k + p)%nat then f (nth p l d) else nth p l d.
Proof.
  induction l as [|x l IH]; simpl; intros k p L; [lia|].
  destruct p as [|p]; [now rewrite Nat.add_0_r|].
  rewrite IH by lia. now rewrite Nat.add_succ_comm.
Qed.

(* Induction over places from the source on, and towards it. *)
Lemma rising (P : nat -> Prop) : (forall p, (forall q, (q < p)%nat -> P q) -> P p) -> forall p, P p.
Proof. intros H p. apply (well_founded_induction Nat.lt_wf_0). exact H. Qed.

Lemma falling (n : nat) (P : nat -> Prop) :
  (forall p, (p <= n)%nat -> (forall q, (p < q <= n)%nat -> P q) -> P p) -> forall p, (p <= n)%nat -> P p.
Proof.
  intros H p. remember (n - p)%nat as k eqn:E. revert p E.
  induction k as [k IH] using rising. intros p E L. apply H; [exact L|].
  intros q Q. apply (IH (n - q)%nat); lia.
Qed.

Section Safety.

Variable slots : resource -> N.
Hypothesis some_slots : forall r, 1 <= slots r.

Record sound (c : copy) : Prop := {
  lists_all : length (at_places c) = S (size (route c));
  at_source : here c 0 = Place Held (flits (route c)) 0;
  is_formed : well_formed (route c);
  flows : forall p, inside (route c) p = true -> entered (here c p) <= entered (here c (parent (route c) p));
  took : forall p, inside (route c) p = true -> taken (here c p) <= entered (here c p);
  idle_empty : forall p, inside (route c) p = true -> held (here c p) = Idle -> entered (here c p) = 0;
  granted_after : forall p, inside (route c) p = true -> held (here c p) <> Idle ->
    1 <= entered (here c (parent (route c) p));
  freed_after : forall p, inside (route c) p = true -> held (here c p) = Freed ->
    (forall q, inside (route c) q = true -> parent (route c) q = p -> entered (here c q) = flits (route c)) /\
    (following (route c) p = [] -> taken (here c p) = flits (route c));
  in_turn : how (route c) = Chain -> forall p q, inside (route c) p = true -> held (here c p) <> Idle ->
    (1 <= q < p)%nat -> held (here c q) <> Idle;
  level : how (route c) <> Apart -> forall p q, inside (route c) p = true -> inside (route c) q = true ->
    parent (route c) p = parent (route c) q -> entered (here c p) = entered (here c q)
}.

Lemma parent_below c p : sound c -> inside (route c) p = true -> (parent (route c) p < p)%nat.
Proof. intros S I. now apply (is_formed c S). Qed.

Lemma parent_inside c p : sound c -> inside (route c) p = true -> parent (route c) p <> 0%nat ->
  inside (route c) (parent (route c) p) = true.
Proof. intros S I N. pose proof (parent_below c p S I). apply inside_iff in I. apply inside_iff. lia. Qed.

Lemma entered_most c p : sound c -> inside (route c) p = true -> entered (here c p) <= flits (route c).
Proof.
  intros S. induction p as [p IH] using rising. intros I.
  pose proof (flows c S p I). pose proof (parent_below c p S I).
  destruct (Nat.eq_dec (parent (route c) p) 0) as [Z|Z].
  - rewrite Z, (at_source c S) in H. exact H.
  - specialize (IH (parent (route c) p) H0 (parent_inside c p S I Z)). lia.
Qed.

Lemma behind_most c p : sound c -> inside (route c) p = true ->
  entered (here c (parent (route c) p)) <= flits (route c).
Proof.
  intros S I. destruct (Nat.eq_dec (parent (route c) p) 0) as [Z|Z].
  - rewrite Z, (at_source c S). simpl. lia.
  - apply entered_most; auto. now apply parent_inside.
Qed.

Lemma freed_full c p : sound c -> inside (route c) p = true -> held (here c p) = Freed ->
  entered (here c p) = flits (route c).
Proof.
  intros S I F. destruct (freed_after c S p I F) as [Q T]. pose proof (entered_most c p S I).
  destruct (following (route c) p) as [|q l] eqn:E.
  - specialize (T eq_refl). pose proof (took c S p I). lia.
  - assert (In q (following (route c) p)) as M by (rewrite E; now left).
    apply in_following in M. destruct M as [Iq P]. pose proof (flows c S q Iq) as Fl.
    rewrite (Q q Iq P), P in Fl. lia.
Qed.

Lemma all_left_iff c p : all_left c p = true <->
  (forall q, inside (route c) q = true -> parent (route c) q = p -> entered (here c q) = flits (route c)) /\
  (following (route c) p = [] -> taken (here c p) = flits (route c)).
Proof.
  unfold all_left. destruct (following (route c) p) as [|x l] eqn:E.
  - rewrite N.eqb_eq. split; [|tauto]. intros H. split; [|auto].
    intros q I P. now destruct (no_following _ _ E q I).
  - rewrite forallb_forall. rewrite <- E. split.
    + intros H. split; [|intros Z; congruence]. intros q I P. apply N.eqb_eq, H, in_following. auto.
    + intros [H _] q M. apply in_following in M. destruct M. apply N.eqb_eq. auto.
Qed.

Lemma here_change c t f p : length (at_places c) = S (size (route c)) -> (p <= size (route c))%nat ->
  here (change c t f) p = if t p then f (here c p) else here c p.
Proof. intros L I. unfold here, change. simpl. apply nth_change. lia. Qed.

Lemma in_moved w p q : In q (moved w p) -> inside w p = true ->
  inside w q = true /\ parent w q = parent w p.
Proof.
  unfold moved. destruct (how w); intros M I; [apply in_following in M|destruct M as [<-|[]]|apply in_following in M]; auto.
Qed.

Lemma existsb_eqb q l : existsb (Nat.eqb q) l = true <-> In q l.
Proof.
  rewrite existsb_exists. split.
  - intros [x [M E]]. apply Nat.eqb_eq in E. now subst.
  - intros M. exists q. split; [exact M|apply Nat.eqb_refl].
Qed.

(* What an event changes, place by place. *)
Lemma act_route fr c e c' : act slots fr c e = Some c' -> route c' = route c /\ length (at_places c') = length (at_places c).
Proof.
  destruct e; simpl; match goal with |- context [if ?b then _ else _] => destruct b end; try discriminate;
    intros H; inversion H; subst; unfold change; simpl; rewrite length_change; auto.
Qed.

Ltac places_of S :=
  let L := fresh "L" in pose proof (lists_all _ S) as L.

Lemma act_sound fr c e c' : act slots fr c e = Some c' -> sound c -> sound c'.
Proof.
  intros A S. destruct (act_route fr c e c' A) as [R Len].
  pose proof (lists_all c S) as L. pose proof (at_source c S) as Src. pose proof (is_formed c S) as F.
  pose proof (flows c S) as Fl. pose proof (took c S) as T. pose proof (idle_empty c S) as Ie.
  pose proof (granted_after c S) as G. pose proof (freed_after c S) as Fr. pose proof (in_turn c S) as It.
  pose proof (level c S) as Lv.
  assert (forall p, inside (route c) p = true -> (parent (route c) p < p <= size (route c))%nat) as Par.
  { intros p I. split; [now apply F|]. apply inside_iff in I. lia. }
  assert (forall p, inside (route c) p = true -> (p <= size (route c))%nat) as Ins.
  { intros p I. apply inside_iff in I. lia. }
  destruct e as [p0|p0|p0|p0]; simpl in A;
    match goal with H : (if ?b then _ else _) = _ |- _ => destruct b eqn:C; [|discriminate] end;
    inversion A; subst c'; clear A; split_bools.
  - (* Grant *)
    assert (forall q, (q <= size (route c))%nat ->
      here (change c (Nat.eqb p0) (fun x => Place Held (entered x) (taken x))) q =
      if Nat.eqb p0 q then Place Held (entered (here c q)) (taken (here c q)) else here c q) as X
      by (intros; now apply here_change).
    set (c' := change c _ _) in *. change (route c' = route c) in R.
    assert (forall q, (q <= size (route c))%nat -> entered (here c' q) = entered (here c q) /\ taken (here c' q) = taken (here c q)
      /\ (held (here c' q) = held (here c q) \/ (q = p0 /\ held (here c' q) = Held))) as Y.
    { intros q Q. rewrite X by auto. destruct (Nat.eqb p0 q) eqn:E; [apply Nat.eqb_eq in E; subst|]; simpl; auto. }
    unfold asks in H1. split_bools. unfold is_idle in H1. destruct (held (here c p0)) eqn:Hp0; try discriminate.
    apply inside_iff in H. 
    split; rewrite ?R; auto.
    + rewrite Len. exact L.
    + rewrite X by lia. destruct p0; [lia|]. exact Src.
    + intros p I. destruct (Y p) as [-> _]; auto. destruct (Y (parent (route c) p)) as [-> _]; [|now apply Fl].
      specialize (Par p I). lia.
    + intros p I. destruct (Y p) as [-> [-> _]]; auto.
    + intros p I Hh. destruct (Y p) as [E [_ [D|[_ D]]]]; auto; rewrite E; [|congruence]. apply Ie; congruence.
    + intros p I Hh. specialize (Par p I). destruct (Y (parent (route c) p)) as [-> _]; [lia|].
      destruct (Y p) as [_ [_ [D|[D _]]]]; auto; [apply G; congruence|]. subst. lia.
    + intros p I Hh. destruct (Y p) as [_ [-> [D|[_ D]]]]; auto; [|congruence].
      destruct (Fr p I) as [Q T']; [congruence|]. split; [|exact T'].
      intros q Iq P. destruct (Y q) as [-> _]; auto.
    + intros Ch p q I Hh Q.
      match goal with H : context [match how _ with _ => _ end] |- _ =>
        rewrite Ch, forallb_forall in H; rename H into Before end.
      assert (q <= size (route c))%nat as Qs by (specialize (Ins p I); lia).
      destruct (Y q) as [_ [_ [->|[_ ->]]]]; auto; [|discriminate].
      destruct (Y p) as [_ [_ [D|[-> _]]]]; auto; [apply (It Ch p q); auto; congruence|].
      assert (In q (seq 1 (pred p0))) as M by (apply in_seq; lia).
      specialize (Before q M). unfold is_idle in Before. now destruct (held (here c q)).
    + intros Hw p q I Iq P. destruct (Y p) as [-> _]; auto. destruct (Y q) as [-> _]; auto.
  - (* Move *)
    set (t := fun q => existsb (Nat.eqb q) (moved (route c) p0)).
    assert (forall q, (q <= size (route c))%nat ->
      here (change c t (fun x => Place (held x) (entered x + 1) (taken x))) q =
      if t q then Place (held (here c q)) (entered (here c q) + 1) (taken (here c q)) else here c q) as X
      by (intros; now apply here_change).
    fold t in R, Len |- *. set (c' := change c _ _) in *. change (route c' = route c) in R.
    rewrite forallb_forall in H0.
    assert (forall q, t q = true -> In q (moved (route c) p0)) as TM by (intros q Q; now apply existsb_eqb).
    assert (forall q, t q = true -> inside (route c) q = true /\ parent (route c) q = parent (route c) p0 /\
      held (here c q) = Held /\ entered (here c q) < entered (here c (parent (route c) q))) as M.
    { intros q Q. apply TM in Q. destruct (in_moved _ _ _ Q H). specialize (H0 q Q). unfold can_enter in H0.
      split_bools. repeat split; auto. unfold is_held in *. now destruct (held (here c q)). }
    assert (forall q, (q <= size (route c))%nat -> held (here c' q) = held (here c q) /\ taken (here c' q) = taken (here c q)
      /\ entered (here c q) <= entered (here c' q)
      /\ ((t q = false /\ entered (here c' q) = entered (here c q)) \/ (t q = true /\ entered (here c' q) = entered (here c q) + 1))) as Y.
    { intros q Q. rewrite X by auto. destruct (t q); simpl; repeat split; auto; lia. }
    split; rewrite ?R; auto.
    + rewrite Len. exact L.
    + rewrite X by lia. destruct (t 0%nat) eqn:E; [|exact Src]. apply M in E. destruct E as [E _].
      apply inside_iff in E. lia.
    + intros p I. pose proof (Par p I). destruct (Y p) as [_ [_ [_ [[_ ->]|[E ->]]]]]; auto;
      destruct (Y (parent (route c) p)) as [_ [_ [Le _]]]; try lia.
      * specialize (Fl p I). lia.
      * apply M in E. lia.
    + intros p I. destruct (Y p) as [_ [-> [Le _]]]; auto. specialize (T p I). lia.
    + intros p I Hh. destruct (Y p) as [E [_ [_ D]]]; auto. rewrite E in Hh. destruct D as [[_ ->]|[D _]]; auto.
      apply M in D. intuition congruence.
    + intros p I Hh. pose proof (Par p I). destruct (Y p) as [E _]; auto. rewrite E in Hh. specialize (G p I Hh).
      destruct (Y (parent (route c) p)) as [_ [_ [Le _]]]; lia.
    + intros p I Hh. destruct (Y p) as [E [-> _]]; auto. rewrite E in Hh. destruct (Fr p I Hh) as [Q T'].
      split; [|exact T']. intros q Iq P. destruct (Y q) as [_ [_ [_ D]]]; auto. destruct D as [[_ ->]|[D _]]; auto.
      apply M in D. destruct D as [_ [_ [_ D]]]. rewrite (Q q Iq P), P in D. pose proof (entered_most c p S I). lia.
    + intros Ch p q I Hh Q. assert (q <= size (route c))%nat as Qs by (specialize (Ins p I); lia).
      destruct (Y q) as [-> _]; auto. destruct (Y p) as [E _]; auto. rewrite E in Hh. now apply (It Ch p q).
    + intros Hw p q I Iq P. specialize (Lv Hw p q I Iq P).
      assert (t p = t q) as E.
      { unfold t, moved. destruct (how (route c)); [| congruence |];
        apply eq_true_iff_eq; rewrite !existsb_eqb, !in_following; intuition congruence. }
      destruct (Y p) as [_ [_ [_ [[E1 ->]|[E1 ->]]]]]; auto; destruct (Y q) as [_ [_ [_ [[E2 ->]|[E2 ->]]]]]; auto;
      congruence || lia.
  - (* Take *)
    assert (forall q, (q <= size (route c))%nat ->
      here (change c (Nat.eqb p0) (fun x => Place (held x) (entered x) (taken x + 1))) q =
      if Nat.eqb p0 q then Place (held (here c q)) (entered (here c q)) (taken (here c q) + 1) else here c q) as X
      by (intros; now apply here_change).
    set (c' := change c _ _) in *. change (route c' = route c) in R.
    assert (forall q, (q <= size (route c))%nat -> entered (here c' q) = entered (here c q) /\ held (here c' q) = held (here c q)
      /\ (taken (here c' q) = taken (here c q) \/ (q = p0 /\ taken (here c' q) = taken (here c q) + 1))) as Y.
    { intros q Q. rewrite X by auto. destruct (Nat.eqb p0 q) eqn:E; [apply Nat.eqb_eq in E; subst|]; simpl; auto. }
    split; rewrite ?R; auto.
    + rewrite Len. exact L.
    + apply inside_iff in H. rewrite X by lia. destruct p0; [lia|]. exact Src.
    + intros p I. destruct (Y p) as [-> _]; auto. destruct (Y (parent (route c) p)) as [-> _]; [|now apply Fl].
      specialize (Par p I). lia.
    + intros p I. specialize (T p I). destruct (Y p) as [-> [_ [->|[-> ->]]]]; auto. lia.
    + intros p I. destruct (Y p) as [-> [-> _]]; auto.
    + intros p I Hh. specialize (Par p I). destruct (Y (parent (route c) p)) as [-> _]; [lia|].
      destruct (Y p) as [_ [D _]]; auto. rewrite D in Hh. auto.
    + intros p I Hh. destruct (Y p) as [_ [D E]]; auto. rewrite D in Hh. destruct (Fr p I Hh) as [Q T'].
      split; [intros q Iq P; destruct (Y q) as [-> _]; auto|]. intros N.
      destruct E as [->|[-> ->]]; auto. specialize (T' N). pose proof (entered_most c p0 S I). lia.
    + intros Ch p q I Hh Q. assert (q <= size (route c))%nat as Qs by (specialize (Ins p I); lia).
      destruct (Y q) as [_ [-> _]]; auto. destruct (Y p) as [_ [E _]]; auto. rewrite E in Hh. now apply (It Ch p q).
    + intros Hw p q I Iq P. destruct (Y p) as [-> _]; auto. destruct (Y q) as [-> _]; auto.
  - (* Release *)
    assert (forall q, (q <= size (route c))%nat ->
      here (change c (Nat.eqb p0) (fun x => Place Freed (entered x) (taken x))) q =
      if Nat.eqb p0 q then Place Freed (entered (here c q)) (taken (here c q)) else here c q) as X
      by (intros; now apply here_change).
    set (c' := change c _ _) in *. change (route c' = route c) in R.
    assert (forall q, (q <= size (route c))%nat -> entered (here c' q) = entered (here c q) /\ taken (here c' q) = taken (here c q)
      /\ (held (here c' q) = held (here c q) \/ (q = p0 /\ held (here c' q) = Freed))) as Y.
    { intros q Q. rewrite X by auto. destruct (Nat.eqb p0 q) eqn:E; [apply Nat.eqb_eq in E; subst|]; simpl; auto. }
    unfold is_held in H1. destruct (held (here c p0)) eqn:Hp0; try discriminate.
    apply all_left_iff in H0.
    split; rewrite ?R; auto.
    + rewrite Len. exact L.
    + apply inside_iff in H. rewrite X by lia. destruct p0; [lia|]. exact Src.
    + intros p I. destruct (Y p) as [-> _]; auto. destruct (Y (parent (route c) p)) as [-> _]; [|now apply Fl].
      specialize (Par p I). lia.
    + intros p I. destruct (Y p) as [-> [-> _]]; auto.
    + intros p I Hh. destruct (Y p) as [E [_ [D|[_ D]]]]; auto; rewrite E; [|congruence]. apply Ie; congruence.
    + intros p I Hh. specialize (Par p I). destruct (Y (parent (route c) p)) as [-> _]; [lia|].
      destruct (Y p) as [_ [_ [D|[-> D]]]]; auto; apply G; congruence.
    + intros p I Hh. assert ((forall q, inside (route c) q = true -> parent (route c) q = p ->
        entered (here c q) = flits (route c)) /\ (following (route c) p = [] -> taken (here c p) = flits (route c))) as Z.
      { destruct (Y p) as [_ [_ [D|[-> _]]]]; auto; apply Fr; congruence. }
      destruct Z as [Q T']. destruct (Y p) as [_ [-> _]]; auto. split; [|exact T'].
      intros q Iq P. destruct (Y q) as [-> _]; auto.
    + intros Ch p q I Hh Q. assert (q <= size (route c))%nat as Qs by (specialize (Ins p I); lia).
      destruct (Y q) as [_ [_ [->|[_ ->]]]]; auto; [|discriminate].
      destruct (Y p) as [_ [_ [D|[-> _]]]]; auto;
      [apply (It Ch p q)|apply (It Ch p0 q)]; auto; congruence.
    + intros Hw p q I Iq P. destruct (Y p) as [-> _]; auto. destruct (Y q) as [-> _]; auto.
Qed.

Lemma fresh_sound w : well_formed w -> sound (fresh w).
Proof.
  intros F. assert (forall p, inside w p = true -> here (fresh w) p = Place Idle 0 0) as H.
  { intros p I. apply inside_iff in I. unfold here, fresh. simpl. destruct p as [|p]; [lia|]. apply nth_repeat. }
  split; simpl; auto.
  - now rewrite repeat_length.
  - intros p I. rewrite H by auto. simpl. lia.
  - intros p I. rewrite H by auto. simpl. lia.
  - intros p I. now rewrite H.
  - intros p I. rewrite H by auto. now simpl.
  - intros p I. rewrite H by auto. now simpl.
  - intros _ p q I. rewrite H by auto. now simpl.
  - intros _ p q I Iq _. now rewrite !H.
Qed.

(* A copy that can do nothing. *)

Definition stuck (fr : resource -> bool) (c : copy) : Prop := forall e, act slots fr c e = None.
Definition waits (fr : resource -> bool) (c : copy) (p : nat) : Prop :=
  inside (route c) p = true /\ fr (resource_at (route c) p) = false.

Lemma not_all {A} (f : A -> bool) l : forallb f l = false -> exists x, In x l /\ f x = false.
Proof.
  induction l as [|x l IH]; simpl; [discriminate|]. intros H. apply andb_false_iff in H.
  destruct H as [H|H]; [exists x; auto|]. destruct (IH H) as [y [M E]]. exists y. auto.
Qed.

Lemma no_room c p : room slots c p = false ->
  (following (route c) p = [] /\ taken (here c p) + 1 <= entered (here c p)) \/
  exists q, inside (route c) q = true /\ parent (route c) q = p /\ entered (here c q) + 1 <= entered (here c p).
Proof.
  unfold room. pose proof (some_slots (resource_at (route c) p)).
  destruct (following (route c) p) as [|x l] eqn:E; intros R.
  - left. apply N.ltb_ge in R. split; [auto|lia].
  - right. apply not_all in R. destruct R as [q [M R]]. rewrite <- E in M. apply in_following in M.
    apply N.ltb_ge in R. exists q. intuition lia.
Qed.

Lemma has_room c p : (following (route c) p = [] -> entered (here c p) < taken (here c p) + slots (resource_at (route c) p)) ->
  (forall q, inside (route c) q = true -> parent (route c) q = p ->
     entered (here c p) < entered (here c q) + slots (resource_at (route c) p)) -> room slots c p = true.
Proof.
  intros T Q. unfold room. destruct (following (route c) p) as [|x l] eqn:E.
  - apply N.ltb_lt. auto.
  - rewrite <- E. apply forallb_forall. intros q M. apply in_following in M. apply N.ltb_lt. intuition.
Qed.

Section Stuck.

Variable fr : resource -> bool.
Variable c : copy.
Hypothesis S : sound c.
Hypothesis no_event : stuck fr c.
Local Notation w := (route c).

Lemma no_take p : inside w p = true -> following w p = [] -> entered (here c p) <= taken (here c p).
Proof.
  intros I F. specialize (no_event (Take p)). simpl in no_event. rewrite I, F in no_event.
  simpl in no_event. destruct (taken (here c p) <? entered (here c p)) eqn:E; [discriminate|]. now apply N.ltb_ge.
Qed.

Lemma no_grant p : inside w p = true -> asks c p = true -> waits fr c p.
Proof.
  intros I A. specialize (no_event (Grant p)). simpl in no_event. rewrite I, A in no_event.
  split; [exact I|]. now destruct (fr (resource_at (route c) p)).
Qed.

Lemma no_release p : inside w p = true -> held (here c p) = Held -> all_left c p = false.
Proof.
  intros I A. specialize (no_event (Release p)). simpl in no_event. unfold is_held in no_event.
  rewrite I, A in no_event. now destruct (all_left c p).
Qed.

Lemma no_move p : inside w p = true -> exists q, In q (moved w p) /\ can_enter slots c q = false.
Proof.
  intros I. specialize (no_event (Move p)). simpl in no_event. rewrite I in no_event.
  simpl in no_event. apply not_all. now destruct (forallb (can_enter slots c) (moved w p)).
Qed.

Lemma left_over p : all_left c p = false ->
  (following w p = [] /\ taken (here c p) <> flits w) \/
  exists q, inside w q = true /\ parent w q = p /\ entered (here c q) < flits w.
Proof.
  unfold all_left. destruct (following w p) as [|x l] eqn:E; intros A.
  - left. split; auto. intros Q. rewrite Q, N.eqb_refl in A. discriminate.
  - right. apply not_all in A. destruct A as [q [M R]]. rewrite <- E in M. apply in_following in M.
    destruct M as [I P]. exists q. repeat split; auto. apply N.eqb_neq in R.
    pose proof (entered_most c q S I). lia.
Qed.

Variable num : resource -> N.
Hypothesis rises : forall a b, next_to w a b -> num a < num b.
Let n p := num (resource_at w p).

(* Trees whose buffers hold them where they branch. *)

Section Tree.
Hypothesis apart : how w = Apart.
Hypothesis enough : fits slots w.

Lemma tree_rises p q : inside w p = true -> inside w q = true -> parent w q = p -> n p < n q.
Proof. intros Ip Iq P. apply rises. exists p, q. rewrite apart. auto. Qed.

Lemma tree_move p : inside w p = true -> held (here c p) = Held ->
  entered (here c p) < entered (here c (parent w p)) -> room slots c p = false.
Proof.
  intros I H E. destruct (no_move p I) as [q [M C]]. unfold moved in M. rewrite apart in M.
  destruct M as [<-|[]]. unfold can_enter, is_held in C. rewrite H in C.
  apply N.ltb_lt in E. rewrite E in C. exact C.
Qed.

Lemma tree_full p : (p <= size w)%nat -> inside w p = true -> room slots c p = false -> exists q, waits fr c q /\ n p < n q.
Proof.
  revert p. apply (falling (size w) (fun p => inside w p = true -> room slots c p = false ->
    exists q, waits fr c q /\ n p < n q)).
  intros p L IH I R. destruct (no_room c p R) as [[F T]|[q [Iq [P E]]]].
  - pose proof (no_take p I F). lia.
  - pose proof (tree_rises p q I Iq P) as N. destruct (held (here c q)) eqn:H.
    + exists q. split; auto. apply no_grant; auto. unfold asks, is_idle. rewrite H. rewrite P, apart.
      replace (0 <? entered (here c p)) with true; auto. symmetry. apply N.ltb_lt. lia.
    + destruct (IH q) as [r [W N']]; auto.
      * apply inside_iff in Iq. pose proof (parent_below c q S) as B. rewrite P in B.
        split; [apply B; now apply inside_iff|lia].
      * apply tree_move; auto. rewrite P. lia.
      * exists r. split; auto. lia.
    + pose proof (freed_full c q S Iq H). pose proof (entered_most c p S I). lia.
Qed.

(* A flit that has not come yet can come as far as there is room. *)
Lemma tree_supply p : inside w p = true -> held (here c p) = Held -> entered (here c p) < flits w -> room slots c p = false.
Proof.
  induction p as [p IH] using rising. intros I H E. destruct (room slots c p) eqn:R; auto.
  pose proof (flows c S p I) as F. pose proof (parent_below c p S I) as B.
  destruct (N.eq_dec (entered (here c p)) (entered (here c (parent w p)))) as [Q|Q].
  2: { rewrite (tree_move p) in R; auto. lia. }
  destruct (Nat.eq_dec (parent w p) 0) as [Z|Z].
  { rewrite Z, (at_source c S) in Q. simpl in Q. lia. }
  pose proof (parent_inside c p S I Z) as Ia. set (a := parent w p) in *.
  assert (held (here c a) = Held) as Ha.
  { destruct (held (here c a)) eqn:X; auto.
    - pose proof (idle_empty c S a Ia X) as Y. pose proof (granted_after c S p I) as G. fold a in G.
      rewrite Y in G. assert (1 <= 0) by (apply G; congruence). lia.
    - destruct (freed_after c S a Ia X) as [Y _]. specialize (Y p I eq_refl). lia. }
  rewrite Q in E. specialize (IH a B Ia Ha E).
  rewrite (has_room c a) in IH; [discriminate|..].
  - intros F'. exfalso. apply (no_following w a F' p I). reflexivity.
  - intros q Iq P. destruct (Nat.eq_dec p q) as [<-|D].
    + rewrite Q. pose proof (some_slots (resource_at w a)). lia.
    + pose proof (enough p q I Iq D) as Y. rewrite P in Y. fold a in Y. specialize (Y eq_refl Z). lia.
Qed.

Lemma tree_held p : inside w p = true -> held (here c p) = Held -> exists q, waits fr c q /\ n p < n q.
Proof.
  intros Ip Hp.
  assert (forall q, inside w q = true -> held (here c q) = Held -> entered (here c q) < flits w ->
    exists r, waits fr c r /\ n q < n r) as Short.
  { intros q I H E. apply tree_full; auto; [apply inside_iff in I; lia|]. now apply tree_supply. }
  pose proof (entered_most c p S Ip) as Most.
  destruct (N.eq_dec (entered (here c p)) (flits w)) as [E|E]; [|apply Short; auto; lia].
  destruct (left_over p (no_release p Ip Hp)) as [[F T]|[q [I [P L]]]].
  - pose proof (no_take p Ip F). pose proof (took c S p Ip). lia.
  - pose proof (tree_rises p q Ip I P) as N. destruct (held (here c q)) eqn:H.
    + exists q. split; auto. apply no_grant; auto. unfold asks, is_idle. rewrite H. rewrite P, apart, E.
      replace (0 <? flits w) with true; auto. symmetry. apply N.ltb_lt. lia.
    + destruct (Short q I H L) as [r [W N']]. exists r. split; auto. lia.
    + pose proof (freed_full c q S I H). lia.
Qed.

Lemma tree_idle p : inside w p = true -> held (here c p) = Idle -> exists q, waits fr c q.
Proof.
  induction p as [p IH] using rising. intros I H.
  destruct (Nat.eq_dec (parent w p) 0) as [Z|Z].
  - exists p. apply no_grant; auto. unfold asks, is_idle. rewrite H. rewrite Z, apart, (at_source c S). simpl.
 destruct (is_formed c S) as [F _]. replace (0 <? flits w) with true; auto.
    symmetry. apply N.ltb_lt. lia.
  - pose proof (parent_inside c p S I Z) as Ia. destruct (held (here c (parent w p))) eqn:X.
    + apply (IH (parent w p)); auto. apply (parent_below c p S I).
    + destruct (tree_held (parent w p) Ia X) as [q [W _]]. now exists q.
    + destruct (freed_after c S (parent w p) Ia X) as [Y _]. specialize (Y p I eq_refl).
      rewrite (idle_empty c S p I H) in Y. destruct (is_formed c S) as [F _]. lia.
Qed.

End Tree.

(* Paths of any length. *)

Section Path.
Hypothesis chain : how w = Chain.
Hypothesis one_way : path w.

Lemma path_rises p q : (1 <= p < q)%nat -> inside w q = true -> n p < n q.
Proof.
  intros L. induction q as [|q IH]; [lia|]. intros I. apply inside_iff in I.
  assert (inside w q = true) as Iq by (apply inside_iff; lia).
  assert (n q < n (Datatypes.S q)) as N.
  { apply rises. exists q, (Datatypes.S q). rewrite chain. repeat split; auto. now apply inside_iff. }
  destruct (Nat.eq_dec p q) as [->|D]; [exact N|]. assert (n p < n q); [apply IH; auto; lia|lia].
Qed.

(* What follows one hop stands before what follows the next, and only the last of those beside each other goes on. *)
Lemma path_parents p q : (1 <= p <= q)%nat -> inside w q = true -> parent w q = parent w p \/ (p <= parent w q)%nat.
Proof.
  intros L. induction q as [|q IH]; [lia|]. intros I. destruct (Nat.eq_dec p (Datatypes.S q)) as [->|D]; [auto|].
  destruct (one_way _ I) as [E|[_ E]]; simpl in E; [right; lia|]. rewrite E. apply IH; [lia|].
  apply inside_iff in I. apply inside_iff. lia.
Qed.

Lemma only_last p q r : inside w p = true -> inside w q = true -> inside w r = true ->
  parent w p = parent w q -> (p < q)%nat -> parent w r <> p.
Proof.
  intros Ip Iq Ir P L E. pose proof (parent_below c p S Ip) as Bp.
  pose proof (parent_below c r S Ir) as Br. apply inside_iff in Ip. 
  destruct (Nat.le_gt_cases q r) as [Q|Q].
  - destruct (path_parents q r) as [X|X]; auto; lia.
  - destruct (path_parents r q) as [X|X]; auto; lia.
Qed.

Lemma same_level p q : inside w p = true -> inside w q = true -> parent w p = parent w q ->
  entered (here c p) = entered (here c q).
Proof. intros. apply (level c S); auto. congruence. Qed.

(* The first hop that is not granted waits for its resource. *)
Lemma path_first p : inside w p = true -> held (here c p) = Idle ->
  (forall q, (1 <= q < p)%nat -> held (here c q) <> Idle) -> waits fr c p.
Proof.
  intros I H Before. apply no_grant; auto. destruct (is_formed c S) as [F _].
  assert (forall a b, inside w b = true -> (b <= p)%nat -> parent w b = a -> 1 <= entered (here c a)) as Flow.
  { induction a as [a IH] using rising. intros b Ib Lb P. destruct (Nat.eq_dec a 0) as [->|Z].
    { rewrite (at_source c S). simpl. lia. }
    pose proof (parent_inside c b S Ib) as Ia. pose proof (parent_below c b S Ib) as Ba.
    rewrite P in Ia, Ba. specialize (Ia Z). pose proof (parent_below c a S Ia) as Baa.
    assert (1 <= entered (here c (parent w a))) as Up by (apply (IH _ Baa a); auto; lia).
    destruct (N.eq_dec (entered (here c a)) 0) as [E|E]; [|lia]. exfalso.
    destruct (no_move a Ia) as [q [M C]]. unfold moved in M. rewrite chain in M. apply in_following in M.
    destruct M as [Iq Pq]. pose proof (same_level q a Iq Ia Pq) as Lv. rewrite E in Lv.
    assert (q <= a)%nat as Lq.
    { destruct (Nat.le_gt_cases q a); auto. destruct (only_last a q b); auto. }
    assert (held (here c q) = Held) as Hq.
    { destruct (held (here c q)) eqn:X; auto.
      - destruct (Before q); auto. apply inside_iff in Iq. lia.
      - pose proof (freed_full c q S Iq X) as Y. lia. }
    unfold can_enter, is_held in C. rewrite Hq, Pq, Lv in C.
    replace (0 <? entered (here c (parent w a))) with true in C by (symmetry; apply N.ltb_lt; lia).
    simpl in C. rewrite has_room in C; [discriminate|..]; rewrite Lv;
      pose proof (some_slots (resource_at w q)); intros; lia. }
  unfold asks, is_idle. rewrite H. rewrite chain.
  replace (0 <? entered (here c (parent w p))) with true by (symmetry; apply N.ltb_lt; specialize (Flow _ p I (le_n p) eq_refl); lia).
  simpl. apply forallb_forall. intros q M. apply in_seq in M. specialize (Before q).
  destruct (held (here c q)); auto; exfalso; apply Before; auto; apply inside_iff in I; lia.
Qed.

Lemma first_idle k : (exists p, (1 <= p <= k)%nat /\ held (here c p) = Idle /\
    forall q, (1 <= q < p)%nat -> held (here c q) <> Idle) \/
  forall q, (1 <= q <= k)%nat -> held (here c q) <> Idle.
Proof.
  induction k as [|k [[p [L H]]|H]]; [right; intros; lia|left; exists p; split; [lia|exact H]|].
  destruct (held (here c (Datatypes.S k))) eqn:X.
  - left. exists (Datatypes.S k). split; [lia|]. split; auto. intros q Q. apply H. lia.
  - right. intros q Q. destruct (Nat.eq_dec q (Datatypes.S k)) as [->|D]; [congruence|apply H; lia].
  - right. intros q Q. destruct (Nat.eq_dec q (Datatypes.S k)) as [->|D]; [congruence|apply H; lia].
Qed.

(* When all is granted nothing keeps flits from moving. *)
Lemma path_granted : (forall q, inside w q = true -> held (here c q) <> Idle) ->
  forall q, inside w q = true -> entered (here c q) = flits w.
Proof.
  intros All. assert (forall a, (a <= size w)%nat -> forall q, inside w q = true -> parent w q = a ->
    entered (here c q) = entered (here c a)) as Same.
  { apply (falling (size w) (fun a => forall q, inside w q = true -> parent w q = a -> entered (here c q) = entered (here c a))).
    intros a La IH q Iq P. pose proof (flows c S q Iq) as F. rewrite P in F.
    destruct (N.eq_dec (entered (here c q)) (entered (here c a))) as [E|E]; auto. exfalso.
    destruct (no_move q Iq) as [r [M C]]. unfold moved in M. rewrite chain in M. apply in_following in M.
    destruct M as [Ir Pr]. pose proof (same_level r q Ir Iq Pr) as Lv. rewrite P in Pr.
    pose proof (behind_most c q S Iq) as Most. rewrite P in Most.
    assert (held (here c r) = Held) as Hr.
    { destruct (held (here c r)) eqn:X; auto; [now destruct (All r)|].
      pose proof (freed_full c r S Ir X) as Y. lia. }
    unfold can_enter, is_held in C. rewrite Hr, Pr, Lv in C.
    replace (entered (here c q) <? entered (here c a)) with true in C by (symmetry; apply N.ltb_lt; lia).
    simpl in C. destruct (no_room c r C) as [[Fo T]|[s [Is [Ps Es]]]].
    - pose proof (no_take r Ir Fo). lia.
    - rewrite (IH r) in Es; auto; [lia|]. pose proof (parent_below c r S Ir) as B.
      rewrite Pr in B. apply inside_iff in Ir. lia. }
  induction q as [q IH] using rising. intros I. pose proof (parent_below c q S I) as B.
  pose proof (parent_inside c q S I) as Ip.
  rewrite (Same (parent w q)); auto; [|apply inside_iff in I; lia].
  destruct (Nat.eq_dec (parent w q) 0) as [->|Z]; [rewrite (at_source c S); reflexivity|]. apply IH; auto.
Qed.

Lemma path_idle p : inside w p = true -> held (here c p) = Idle -> exists q, waits fr c q.
Proof.
  intros I H. destruct (first_idle (size w)) as [[q [L [Hq B]]]|N].
  - exists q. apply path_first; auto. now apply inside_iff.
  - destruct (N p); auto. now apply inside_iff.
Qed.

Lemma path_held p : inside w p = true -> held (here c p) = Held -> exists q, waits fr c q /\ n p < n q.
Proof.
  intros I H. destruct (first_idle (size w)) as [[q [L [Hq B]]]|N].
  - assert (inside w q = true) as Iq by now apply inside_iff.
    exists q. split; [now apply path_first|]. apply path_rises; auto. apply inside_iff in I. split; [lia|].
    destruct (Nat.lt_trichotomy p q) as [X|[X|X]]; auto; [congruence|].
    destruct (in_turn c S) with (p := p) (q := q); auto; [now apply inside_iff|congruence|lia].
  - exfalso. assert (forall q, inside w q = true -> entered (here c q) = flits w) as Full.
    { apply path_granted. intros q Iq. apply N. now apply inside_iff. }
    destruct (left_over p (no_release p I H)) as [[F T]|[q [Iq [P L]]]]; [|rewrite Full in L; auto; lia].
    pose proof (no_take p I F). pose proof (took c S p I). rewrite Full in H0, H1; auto. lia.
Qed.

End Path.

Hypothesis c_covered : covered slots w.

Lemma some_held p : inside w p = true -> held (here c p) = Held -> exists q, waits fr c q /\ n p < n q.
Proof.
  destruct c_covered as [_ Shape]. destruct (how w) eqn:E; [now apply path_held|now apply tree_held|destruct Shape].
Qed.

Lemma some_idle p : inside w p = true -> held (here c p) = Idle -> exists q, waits fr c q.
Proof.
  destruct c_covered as [_ Shape]. destruct (how w) eqn:E; [now apply path_idle|now apply tree_idle|destruct Shape].
Qed.

End Stuck.

(* Whole networks. *)

(* What is still to happen at a place. *)
Definition weight (most : N) (x : place) : N :=
  match held x with Idle => 2 | Held => 1 | Freed => 0 end + (most - entered x) + (most - taken x).
Definition total (most : N) (l : list place) : N := fold_right (fun x n => weight most x + n) 0 l.
Definition to_do (s : state) : N := fold_right (fun c n => total (flits (route c)) (at_places c) + n) 0 s.

Lemma total_change most t f d l : forall k,
  (forall p, (p < length l)%nat -> t (k + p)%nat = true -> weight most (f (nth p l d)) < weight most (nth p l d)) ->
  total most (change_from k t f l) <= total most l /\
  ((exists p, (p < length l)%nat /\ t (k + p)%nat = true) -> total most (change_from k t f l) < total most l).
Proof.
  induction l as [|x l IH]; simpl; intros k H; [split; [lia|intros [p [L _]]; lia]|].
  destruct (IH (Datatypes.S k)) as [Le Lt].
  { intros p L T. apply (H (Datatypes.S p)); [lia|]. now rewrite Nat.add_succ_r. }
  specialize (H 0%nat). rewrite Nat.add_0_r in H. simpl in H. split.
  - destruct (t k); [specialize (H ltac:(lia) eq_refl)|]; lia.
  - intros [[|p] [L T]].
    + rewrite Nat.add_0_r in T. rewrite T in *. specialize (H ltac:(lia) eq_refl). lia.
    + rewrite Nat.add_succ_r in T. assert (total most (change_from (Datatypes.S k) t f l) < total most l) as Less.
      { apply Lt. exists p. split; [lia|exact T]. }
      destruct (t k); [specialize (H ltac:(lia) eq_refl)|]; lia.
Qed.

Lemma act_less fr c e c' : act slots fr c e = Some c' -> sound c ->
  total (flits (route c')) (at_places c') < total (flits (route c)) (at_places c).
Proof.
  intros A S. destruct (act_route fr c e c' A) as [-> _].
  assert (forall t f, (forall p, t p = true -> inside (route c) p = true) -> (exists p, t p = true) ->
    (forall p, t p = true -> weight (flits (route c)) (f (here c p)) < weight (flits (route c)) (here c p)) ->
    total (flits (route c)) (change_from 0 t f (at_places c)) < total (flits (route c)) (at_places c)) as Less.
  { intros t f In [p T] H. pose proof (lists_all c S) as L.
    apply (total_change (flits (route c)) t f (Place Idle 0 0) (at_places c) 0).
    - intros q _ Q. simpl in Q. apply (H q Q).
    - exists p. simpl. split; [|exact T]. apply In, inside_iff in T. lia. }
  destruct e as [p|p|p|p]; simpl in A;
    match goal with H : (if ?b then _ else _) = _ |- _ => destruct b eqn:C; [|discriminate] end;
    inversion A; subst c'; clear A; split_bools; simpl; apply Less.
  - intros q E. apply Nat.eqb_eq in E. now subst.
  - exists p. apply Nat.eqb_refl.
  - intros q E. apply Nat.eqb_eq in E. subst q. unfold asks, is_idle in *. split_bools. unfold weight. cbn [held entered taken].
    destruct (held (here c p)); try discriminate. lia.
  - intros q E. apply existsb_eqb in E. now destruct (in_moved _ _ _ E H).
  - exists p. apply existsb_eqb. unfold moved. destruct (how (route c)); simpl; auto; now apply in_following.
  - intros q E. apply existsb_eqb in E. destruct (in_moved _ _ _ E H) as [I _]. rewrite forallb_forall in H0.
    specialize (H0 q E). unfold can_enter in H0. split_bools. pose proof (behind_most c q S I).
    unfold weight. cbn [held entered taken]. destruct (held (here c q)); lia.
  - intros q E. apply Nat.eqb_eq in E. now subst.
  - exists p. apply Nat.eqb_refl.
  - intros q E. apply Nat.eqb_eq in E. subst q. pose proof (entered_most c p S H). unfold weight. cbn [held entered taken].
    destruct (held (here c p)); lia.
  - intros q E. apply Nat.eqb_eq in E. now subst.
  - exists p. apply Nat.eqb_refl.
  - intros q E. apply Nat.eqb_eq in E. subst q. unfold is_held in *. unfold weight. cbn [held entered taken].
    destruct (held (here c p)); try discriminate. lia.
Qed.

Lemma step_less s s' : step slots s s' -> (forall c, In c s -> sound c) -> to_do s' < to_do s.
Proof.
  intros H. destruct H as [before c after e c' A]. intros All.
  assert (total (flits (route c')) (at_places c') < total (flits (route c)) (at_places c)) as L.
  { apply (act_less _ c e c' A). apply All, in_elt. }
  clear A All. unfold to_do. rewrite !fold_right_app. simpl.
  induction before as [|x l IH]; simpl; lia.
Qed.

Lemma step_routes s s' (P : copy -> Prop) : step slots s s' ->
  (forall fr c e c', act slots fr c e = Some c' -> P c -> P c') -> (forall c, In c s -> P c) -> forall c, In c s' -> P c.
Proof.
  intros H Keep. destruct H as [before c after e c' A]. intros All d M. apply in_app_or in M.
  destruct M as [M|[<-|M]]; [apply All, in_or_app; auto| |apply All, in_or_app; right; now right].
  apply (Keep _ c e c' A). apply All, in_elt.
Qed.

Section Worms.
Variable W : worm -> Prop.
Variable num : resource -> N.
Hypothesis all_covered : forall w, W w -> covered slots w.
Hypothesis all_rise : forall w, W w -> forall a b, next_to w a b -> num a < num b.

Definition fine (c : copy) : Prop := sound c /\ W (route c).

Lemma step_fine s s' : step slots s s' -> (forall c, In c s -> fine c) -> forall c, In c s' -> fine c.
Proof.
  intros H. apply step_routes; auto. intros fr c e c' A [S R]. destruct (act_route fr c e c' A) as [E _].
  split; [now apply (act_sound fr c e c')|now rewrite E].
Qed.

Lemma reachable_fine s : reachable slots W s -> forall c, In c s -> fine c.
Proof.
  unfold reachable. intros R. remember [] as none eqn:E. induction R; subst.
  - intros c [].
  - apply (step_fine s'); auto.
  - intros c M. apply in_app_or in M. destruct M as [M|[<-|[]]]; auto. split; auto.
    apply fresh_sound. now destruct (all_covered w).
Qed.

Lemma steps_less n s s' : steps slots n s s' -> (forall c, In c s -> fine c) ->
  (forall c, In c s' -> fine c) /\ N.of_nat n + to_do s' <= to_do s.
Proof.
  intros H F. induction H; [split; auto; lia|]. destruct IHsteps as [F' L]; auto. split.
  - now apply (step_fine s').
  - pose proof (step_less s' s'' H0 (fun c M => proj1 (F' c M))). lia.
Qed.

Lemma bounded (s : state) : exists most, forall c p, In c s -> (p <= size (route c))%nat -> num (resource_at (route c) p) <= most.
Proof.
  induction s as [|c s [m IH]]; [exists 0; intros c p []|].
  assert (forall k, exists most, forall p, (p <= k)%nat -> num (resource_at (route c) p) <= most) as One.
  { induction k as [|k [x Hx]].
    - exists (num (resource_at (route c) 0)). intros p L. replace p with 0%nat by lia. lia.
    - exists (N.max x (num (resource_at (route c) (Datatypes.S k)))). intros p L.
      destruct (Nat.eq_dec p (Datatypes.S k)) as [->|D]; [lia|]. specialize (Hx p ltac:(lia)). lia. }
  destruct (One (size (route c))) as [x Hx]. exists (N.max m x). intros d p [<-|M] L.
  - specialize (Hx p L). lia.
  - specialize (IH d p M L). lia.
Qed.

Lemma not_free s r : free s r = false ->
  exists c p, In c s /\ inside (route c) p = true /\ held (here c p) = Held /\ resource_at (route c) p = r.
Proof.
  unfold free. intros F. apply negb_false_iff, existsb_exists in F. destruct F as [c [M H]].
  unfold holds in H. apply existsb_exists in H. destruct H as [p [P H]]. apply andb_true_iff in H. destruct H as [H E].
  exists c, p. apply Pos.eqb_eq in E. unfold places in P. apply in_seq in P. unfold is_held in H.
  repeat split; auto; [apply inside_iff; lia|now destruct (held (here c p))].
Qed.

Lemma nothing_waits s : (forall c, In c s -> fine c) -> (forall c, In c s -> stuck (free s) c) ->
  forall c p, In c s -> ~ waits (free s) c p.
Proof.
  intros F St. destruct (bounded s) as [most B].
  assert (forall k c p, In c s -> most - num (resource_at (route c) p) = N.of_nat k -> ~ waits (free s) c p) as H.
  { induction k as [k IH] using rising. intros c p M E [I Fr].
    destruct (not_free s _ Fr) as [d [q [Md [Iq [Hq R]]]]]. destruct (F d Md) as [S Wd].
    destruct (some_held (free s) d S (St d Md) num (all_rise _ Wd) (all_covered _ Wd) q Iq Hq) as [r [Wr L]].
    rewrite R in L. pose proof (proj1 Wr) as Ir. apply inside_iff in Ir. pose proof (B d r Md ltac:(lia)) as Br.
    apply (IH (N.to_nat (most - num (resource_at (route d) r)))) with (c := d) (p := r); auto; lia. }
  intros c p M. apply (H (N.to_nat (most - num (resource_at (route c) p))) c p M). lia.
Qed.

Theorem rising_is_safe : safe slots W.
Proof.
  intros s R. pose proof (reachable_fine s R) as F. split.
  - exists (N.to_nat (to_do s)). intros n s' H. destruct (steps_less n s s' H F) as [_ L]. lia.
  - intros n s' H No c M p I. destruct (steps_less n s s' H F) as [F' _].
    assert (forall d, In d s' -> stuck (free s') d) as St.
    { intros d Md e. destruct (act slots (free s') d e) as [d'|] eqn:A; auto. exfalso.
      apply in_split in Md. destruct Md as [before [after E]]. apply (No (before ++ d' :: after)). subst s'.
      now apply Step with (e := e). }
    pose proof (nothing_waits s' F' St) as None. destruct (F' c M) as [S Wc].
    assert (held (here c p) = Freed) as Hp.
    { destruct (held (here c p)) eqn:E; auto; exfalso.
      - destruct (some_idle (free s') c S (St c M) num (all_rise _ Wc) (all_covered _ Wc) p I E) as [q Q].
        now apply (None c q).
      - destruct (some_held (free s') c S (St c M) num (all_rise _ Wc) (all_covered _ Wc) p I E) as [q [Q _]].
        now apply (None c q). }
    split; auto. now apply (freed_after c S p I).
Qed.

End Worms.

End Safety.
