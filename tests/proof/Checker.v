(* The checker, and that it is right.
   SPDX-License-Identifier: MIT *)
From Coq Require Import NArith PArith List Bool Arith Lia FMapPositive.
From Proof Require Import Network Claims Safety.
Import ListNotations.
Local Open Scope N_scope.

Module Map := PositiveMap.

(* Slots and numbers, from maps. Of a resource that is said twice the first counts. *)

Definition slots_map (said : list (resource * N)) (m : Map.t N) : Map.t N :=
  fold_left (fun m one => if Map.mem (fst one) m then m else Map.add (fst one) (snd one) m) said m.
Definition look (m : Map.t N) (none : N) (r : positive) : N :=
  match Map.find r m with Some n => n | None => none end.
Definition numbers (order : list resource) : Map.t N :=
  snd (fold_left (fun known r => (fst known + 1, Map.add r (fst known) (snd known))) order (1, Map.empty N)).

Lemma look_slots said r m : look (slots_map said m) 1 r = match Map.find r m with Some n => n | None => slots_in said r end.
Proof.
  unfold look. revert m. induction said as [|[one n] rest IH]; simpl; intros m; [now destruct (Map.find r m)|].
  rewrite IH. rewrite Map.mem_find. destruct (Pos.eqb_spec one r) as [->|D].
  - destruct (Map.find r m) eqn:E; [now rewrite E|]. now rewrite Map.gss.
  - destruct (Map.find one m); auto. now rewrite Map.gso by congruence.
Qed.

Definition slots_of (c : certificate) : resource -> N := look (slots_map (slots_said c) (Map.empty N)) 1.

Lemma slots_same c r : slots_of c r = slots_in (slots_said c) r.
Proof. unfold slots_of. rewrite look_slots. now rewrite Map.gempty. Qed.

Section Worms.
Variables slots num : resource -> N.

(* A resource without a number is 0. *)
Definition rises (a b : resource) : bool := (0 <? num a) && (num a <? num b).

Lemma rises_less a b : rises a b = true -> num a < num b.
Proof. unfold rises. intros R. split_bools. assumption. Qed.

(* Paths: the k-th hop and those behind it. *)
Fixpoint path_rises_from (k : nat) (before : hop) (l : list hop) : bool :=
  match l with
  | [] => true
  | h :: rest => (Nat.eqb (behind h) k || Nat.eqb (behind h) (behind before)) && rises (takes before) (takes h) &&
                 path_rises_from (S k) h rest
  end.
Definition path_ok (w : worm) : bool :=
  match hops w with
  | [] => true
  | h :: rest => Nat.eqb (behind h) 0 && path_rises_from 1 h rest
  end.

(* Trees: which hops have been seen, and which of them are followed by one. *)
Definition key (p : nat) : positive := Pos.of_succ_nat p.
Arguments key : simpl never.
Fixpoint tree_rises_from (flits : N) (k : nat) (known : Map.t resource) (followed : Map.t unit) (l : list hop) : bool :=
  match l with
  | [] => true
  | h :: rest =>
      let up := key (behind h) in
      match behind h with
      | O => true
      | _ => match Map.find up known with
             | Some r => rises r (takes h) && (negb (Map.mem up followed) || (flits <=? slots r))
             | None => false
             end
      end && tree_rises_from flits (S k) (Map.add (key k) (takes h) known) (Map.add up tt followed) rest
  end.
Definition worm_ok (w : worm) : bool :=
  (1 <=? flits w) &&
  match how w with
  | Chain => path_ok w
  | Apart => tree_rises_from (flits w) 1 (Map.empty resource) (Map.empty unit) (hops w)
  | Together => false
  end.

Lemma path_from k b l : path_rises_from k b l = true -> forall j g h, nth_error (b :: l) j = Some g ->
  nth_error (b :: l) (S j) = Some h -> (behind h = (k + j)%nat \/ behind h = behind g) /\ num (takes g) < num (takes h).
Proof.
  revert k b. induction l as [|x l IH]; simpl; intros k b H j g h G E.
  - destruct j; discriminate.
  - split_bools. destruct j as [|j]; simpl in G, E.
    + inversion G; inversion E; subst. apply orb_true_iff in H. rewrite !Nat.eqb_eq in H. split; [lia|now apply rises_less].
    + destruct (IH (S k) x H0 j g h G E). split; auto. now rewrite Nat.add_succ_r.
Qed.

Lemma hop_at_nth w p : inside w p = true -> nth_error (hops w) (pred p) = Some (hop_at w p).
Proof.
  intros I. apply inside_iff in I. unfold hop_at. destruct (nth_error (hops w) (pred p)) eqn:E.
  - f_equal. symmetry. now apply nth_error_nth.
  - apply nth_error_None in E. unfold size in I. lia.
Qed.

Lemma path_ok_right w : how w = Chain -> path_ok w = true ->
  (forall p, inside w p = true -> (parent w p < p)%nat) /\ path w /\ forall a b, next_to w a b -> num a < num b.
Proof.
  intros Ch H. unfold path_ok in H.
  assert (forall p, inside w p = true -> (1 < p)%nat ->
    (parent w p = pred p \/ parent w p = parent w (pred p)) /\ num (resource_at w (pred p)) < num (resource_at w p)) as Next.
  { intros p I L. assert (inside w (pred p) = true) as I' by (apply inside_iff in I; apply inside_iff; lia).
    pose proof (hop_at_nth w p I) as G. pose proof (hop_at_nth w (pred p) I') as G'.
    unfold parent, resource_at. destruct (hops w) as [|h rest]; [destruct (pred p); discriminate|].
    apply andb_true_iff in H. destruct H as [_ H]. replace (pred p) with (S (pred (pred p))) in G by lia.
    destruct (path_from 1 h rest H _ _ _ G' G) as [[X|X] Y]; split; auto. left. lia. }
  assert (inside w 1 = true -> parent w 1 = 0%nat) as First.
  { intros I. pose proof (hop_at_nth w 1 I) as G. unfold parent. destruct (hops w) as [|h rest]; [discriminate|].
    simpl in G. injection G as G. rewrite <- G. apply andb_true_iff in H. now apply Nat.eqb_eq. }
  assert (path w) as P.
  { intros p I. destruct (Nat.eq_dec p 1) as [->|D]; [left; simpl; auto|].
    assert (1 < p)%nat by (apply inside_iff in I; lia). destruct (Next p I H0) as [[X|X] _]; auto. }
  repeat split; auto.
  - induction p as [p IH] using rising. intros I. pose proof (proj1 (inside_iff w p) I) as L.
    destruct (P p I) as [->|[L' ->]]; [lia|].
    assert (parent w (pred p) < pred p)%nat; [|lia]. apply IH; [lia|]. apply inside_iff. lia.
  - intros a b [p [q [Ip [Iq [<- [<- N]]]]]]. rewrite Ch in N. subst q.
    apply (Next (S p)); auto. apply inside_iff in Ip. lia.
Qed.

Lemma key_inj p q : key p = key q -> p = q.
Proof. unfold key. intros E. apply SuccNat2Pos.inj. exact E. Qed.

Lemma tree_from w : forall l before known followed, hops w = before ++ l ->
  (forall p r, Map.find (key p) known = Some r -> (1 <= p <= length before)%nat /\ r = resource_at w p) ->
  (forall p, (1 <= p <= length before)%nat -> Map.mem (key (parent w p)) followed = true) ->
  tree_rises_from (flits w) (S (length before)) known followed l = true ->
  forall q, (length before < q)%nat -> inside w q = true ->
    (parent w q < q)%nat /\ (parent w q <> 0%nat -> num (resource_at w (parent w q)) < num (resource_at w q) /\
    forall p, (1 <= p < q)%nat -> parent w p = parent w q -> flits w <= slots (resource_at w (parent w q))).
Proof.
  induction l as [|h l IH]; simpl; intros before known followed E Known Followed H q L I.
  { apply inside_iff in I. unfold size in I. rewrite E, app_nil_r in I. lia. }
  apply andb_true_iff in H. destruct H as [Now Later].
  assert (hop_at w (S (length before)) = h) as Here.
  { unfold hop_at. simpl. rewrite E, app_nth2 by lia. now rewrite Nat.sub_diag. }
  destruct (Nat.eq_dec q (S (length before))) as [->|D].
  - unfold parent at 1 2 3 5 6, resource_at at 2. rewrite Here. destruct (behind h) as [|up]; [split; [lia|congruence]|].
    destruct (Map.find (key (S up)) known) as [r|] eqn:F; [|discriminate]. destruct (Known _ _ F) as [B ->].
    split_bools. split; [lia|]. intros _. split; [now apply rises_less|]. intros p Lp Pp.
    rewrite <- Pp in H0. rewrite (Followed p) in H0 by lia. simpl in H0. rewrite <- Pp. now apply N.leb_le.
  - apply (IH (before ++ [h]) (Map.add (key (S (length before))) (takes h) known) (Map.add (key (behind h)) tt followed));
      rewrite ?app_length; simpl; rewrite ?Nat.add_1_r; auto; [now rewrite <- app_assoc| | |lia].
    + intros p r F. destruct (Nat.eq_dec p (S (length before))) as [->|Dp].
      * rewrite Map.gss in F. inversion F. unfold resource_at. rewrite Here. split; [lia|auto].
      * rewrite Map.gso in F by (intros K; now apply key_inj in K). destruct (Known p r F). split; [lia|auto].
    + intros p Lp. rewrite Map.mem_find. destruct (Pos.eq_dec (key (parent w p)) (key (behind h))) as [->|Dk].
      * now rewrite Map.gss.
      * rewrite Map.gso by auto. destruct (Nat.eq_dec p (S (length before))) as [->|Dp].
        -- destruct Dk. unfold parent. now rewrite Here.
        -- rewrite <- Map.mem_find. apply Followed. lia.
Qed.

Lemma worm_ok_right w : worm_ok w = true -> covered slots w /\ forall a b, next_to w a b -> num a < num b.
Proof.
  unfold worm_ok, covered, well_formed. intros H. apply andb_true_iff in H. destruct H as [F H]. apply N.leb_le in F.
  destruct (how w) eqn:E; [|clear -H F E|discriminate].
  - destruct (path_ok_right w E H) as [P [Q R]]. auto.
  - assert (forall q, inside w q = true ->
      (parent w q < q)%nat /\ (parent w q <> 0%nat -> num (resource_at w (parent w q)) < num (resource_at w q) /\
      forall p, (1 <= p < q)%nat -> parent w p = parent w q -> flits w <= slots (resource_at w (parent w q)))) as T.
    { intros q I. apply (tree_from w (hops w) [] (Map.empty resource) (Map.empty unit)); auto; simpl.
      - intros p r G. now rewrite Map.gempty in G.
      - intros; lia.
      - apply inside_iff in I. lia. }
    repeat split; auto; [intros p I; now destruct (T p I)| |].
    + intros p q Ip Iq D P Z. destruct (Nat.lt_total p q) as [X|[X|X]]; [|contradiction|].
      * destruct (T q Iq) as [_ [_ Y]]; [congruence|]. rewrite P. apply (Y p); auto. apply inside_iff in Ip. lia.
      * destruct (T p Ip) as [_ [_ Y]]; [congruence|]. apply (Y q); auto. apply inside_iff in Iq. lia.
    + intros a b [p [q [Ip [Iq [<- [<- N]]]]]]. rewrite E in N. destruct (T q Iq) as [_ Y]. rewrite N in Y.
      apply Y. apply inside_iff in Ip. lia.
Qed.

End Worms.

Definition proves_safe (c : certificate) : bool :=
  let slots := slots_of c in
  let num := look (numbers (numbering c)) 0 in
  forallb (fun said => 1 <=? snd said) (slots_said c) && forallb (worm_ok slots num) (worms c) &&
  forallb (fun leg => rises num (fst leg) (snd leg) && (longest c <=? slots (fst leg))) (legs c).

Theorem proves_safe_right : means_safe proves_safe.
Proof.
  intros c H. unfold proves_safe in H. apply andb_true_iff in H. destruct H as [H Legs].
  apply andb_true_iff in H. destruct H as [Slots Worms].
  rewrite forallb_forall in Slots, Worms, Legs.
  set (num := look (numbers (numbering c)) 0) in *. set (slots := slots_of c) in *.
  assert (forall r, slots r = slots_in (slots_said c) r) as Same by (intros r; apply slots_same).
  assert (forall w, certified c w -> covered (slots_in (slots_said c)) w /\ forall a b, next_to w a b -> num a < num b) as All.
  { intros w [M|[F [Fo Shape]]].
    - destruct (worm_ok_right slots num w (Worms w M)) as [[F Shape] R]. split; auto. split; auto.
      destruct (how w); auto. intros p q Ip Iq D P Z. rewrite <- Same. now apply (Shape p q).
    - split.
      + split; auto. destruct (how w) eqn:E; auto. intros p q Ip Iq D P Z.
        assert (inside w (parent w p) = true) as Ia.
        { destruct F as [_ F]. specialize (F p Ip). apply inside_iff in Ip. apply inside_iff. lia. }
        assert (In (resource_at w (parent w p), resource_at w p) (legs c)) as M.
        { apply Fo. exists (parent w p), p. rewrite E. auto. }
        specialize (Legs _ M). apply andb_true_iff in Legs. destruct Legs as [_ L]. apply N.leb_le in L. simpl in L.
        rewrite <- Same. lia.
      + intros a b N. specialize (Legs _ (Fo a b N)). apply andb_true_iff in Legs. destruct Legs as [L _].
        now apply rises_less in L. }
  apply (rising_is_safe (slots_in (slots_said c))) with (num := num); try (intros w M; now destruct (All w M)).
  intros r. clear -Slots. induction (slots_said c) as [|[one n] rest IH]; simpl; [lia|].
  destruct (Pos.eqb one r); [specialize (Slots (one, n) (or_introl eq_refl)); apply N.leb_le in Slots; exact Slots|].
  apply IH. intros x M. apply Slots. now right.
Qed.

(* A witness is run: its worms start one after the other, each when nothing moves any more, and ask for what they wait for
   only at the end. Whether that is a deadlock is seen from the state in which this ends. *)

Fixpoint replace (s : state) (i : nat) (c : copy) : state :=
  match s, i with
  | [], _ => []
  | _ :: rest, O => c :: rest
  | x :: rest, S j => x :: replace rest j c
  end.

Section Runs.
Variable slots : resource -> N.

Definition try (s : state) (i : nat) (e : event) : option state :=
  match nth_error s i with
  | Some c => match act slots (free s) c e with Some c' => Some (replace s i c') | None => None end
  | None => None
  end.
Definition events (p : nat) : list event := [Release p; Take p; Move p; Grant p].
(* Each allowed event of copy i at a place once, if it can happen; and whether any did. *)
Definition once (allowed : nat -> event -> bool) (i : nat) (x : state * bool) (p : nat) : state * bool :=
  fold_left (fun (x : state * bool) e =>
    if allowed i e then match try (fst x) i e with Some s => (s, true) | None => x end else x) (events p) x.
Definition round (allowed : nat -> event -> bool) (s : state) : state * bool :=
  fold_left (fun x ic => fold_left (once allowed (fst ic)) (places (route (snd ic))) x)
    (combine (seq 0 (length s)) s) (s, false).
Fixpoint settle (fuel : nat) (allowed : nat -> event -> bool) (s : state) : state :=
  match fuel with
  | O => s
  | S k => let (s', any) := round allowed s in if any then settle k allowed s' else s'
  end.
Definition start (fuel : nat) (allowed : nat -> event -> bool) (s : state) (w : worm) : state :=
  settle fuel allowed (s ++ [fresh w]).

Definition can_act (s : state) (c : copy) : bool :=
  existsb (fun p => existsb (fun e => match act slots (free s) c e with Some _ => true | None => false end)
    (events p)) (places (route c)).
Definition undelivered (c : copy) : bool :=
  existsb (fun p => match held (here c p) with Freed => false | _ => true end) (places (route c)).
Definition blocked (s : state) : bool := forallb (fun c => negb (can_act s c)) s && existsb undelivered s.

(* Anything but what worm number i asks for at the end. *)
Definition early (claims : list (worm * list nat)) (i : nat) (e : event) : bool :=
  match e, nth_error claims i with Grant p, Some (_, late) => negb (existsb (Nat.eqb p) late) | _, _ => true end.
Definition grant (i : nat) (e : event) : bool := match e with Grant _ => true | _ => false end.
(* No worms do more than that many things. *)
Definition enough (claims : list (worm * list nat)) : nat := S (N.to_nat (to_do (map (fun claim => fresh (fst claim)) claims))).
Definition last_state (claims : list (worm * list nat)) : state :=
  let first := fold_left (start (enough claims) (early claims)) (map fst claims) [] in
  settle (enough claims) (fun _ _ => true) (fst (round grant first)).

Lemma try_leads W s i e s' : try s i e = Some s' -> step slots s s' /\ leads slots W s s'.
Proof.
  unfold try. destruct (nth_error s i) as [c|] eqn:E; [|discriminate].
  destruct (act slots (free s) c e) as [c'|] eqn:A; [|discriminate]. intros X. inversion X; subst s'; clear X.
  assert (step slots s (replace s i c')) as St.
  { apply nth_error_split in E. destruct E as [before [after [-> <-]]].
    assert (replace (before ++ c :: after) (length before) c' = before ++ c' :: after) as ->.
    { clear A. induction before; simpl; congruence. }
    now apply Step with (e := e). }
  split; auto. apply (Go_on slots W s s); auto. constructor.
Qed.

Lemma leads_trans W a b c : leads slots W a b -> leads slots W b c -> leads slots W a c.
Proof. intros H G. induction G; auto; [apply (Go_on slots W a s')|apply Start]; auto. Qed.

Lemma fold_leads {A} W (f : state * bool -> A -> state * bool) l :
  (forall x a, leads slots W (fst x) (fst (f x a))) -> forall x, leads slots W (fst x) (fst (fold_left f l x)).
Proof.
  intros F. induction l as [|a l IH]; simpl; intros x; [constructor|].
  apply (leads_trans W (fst x) (fst (f x a))); auto.
Qed.

Lemma round_leads W allowed s : leads slots W s (fst (round allowed s)).
Proof.
  change s with (fst (s, false)) at 1. unfold round. apply fold_leads. intros x ic. apply fold_leads. intros y p.
  unfold once. apply fold_leads. intros z e. destruct (allowed (fst ic) e); [|constructor].
  destruct (try (fst z) (fst ic) e) as [s'|] eqn:T; [|constructor]. now destruct (try_leads W _ _ _ _ T).
Qed.

Lemma settle_leads W allowed fuel : forall s, leads slots W s (settle fuel allowed s).
Proof.
  induction fuel as [|k IH]; simpl; intros s; [constructor|]. pose proof (round_leads W allowed s) as L.
  destruct (round allowed s) as [s' any]. destruct any; auto. apply (leads_trans W s s'); auto.
Qed.

Lemma last_reachable claims : reachable slots (fun w => In w (map fst claims)) (last_state claims).
Proof.
  unfold reachable, last_state. generalize (enough claims) (early claims). intros fuel allowed. simpl.
  apply (leads_trans _ [] (fold_left (start fuel allowed) (map fst claims) [])).
  - assert (forall l s, (forall w, In w l -> In w (map fst claims)) ->
      leads slots (fun w => In w (map fst claims)) s (fold_left (start fuel allowed) l s)) as H; [|now apply H].
    induction l as [|w l IH]; simpl; intros s In_all; [constructor|].
    apply (leads_trans _ s (start fuel allowed s w)); auto. unfold start.
    apply (leads_trans _ s (s ++ [fresh w])); [|apply settle_leads].
    apply Start; [constructor|auto].
  - eapply leads_trans; [apply round_leads|apply settle_leads].
Qed.

(* What cannot happen now, cannot when more is held. *)
Lemma act_less_free fr fr' c e : (forall r, fr' r = true -> fr r = true) -> act slots fr c e = None -> act slots fr' c e = None.
Proof.
  intros Le A. destruct e; simpl in *; auto. destruct (inside (route c) p && asks c p); simpl in *; auto.
  destruct (fr' (resource_at (route c) p)) eqn:E; auto. rewrite (Le _ E) in A. discriminate.
Qed.

Lemma cannot_act s c : can_act s c = false -> forall e, act slots (free s) c e = None.
Proof.
  intros H e. assert (forall p, inside (route c) p = true -> forall e', In e' (events p) ->
    act slots (free s) c e' = None) as All.
  { intros p I e' M. destruct (act slots (free s) c e') eqn:A; auto. exfalso.
    assert (can_act s c = true) as T; [|congruence]. unfold can_act. apply existsb_exists. exists p. split.
    - apply inside_iff in I. unfold places. apply in_seq. lia.
    - apply existsb_exists. exists e'. now rewrite A. }
  destruct e as [p|p|p|p]; destruct (inside (route c) p) eqn:I; try (apply (All p I); simpl; tauto); simpl; now rewrite I.
Qed.

Lemma cut (s later before after : state) (c : copy) : before ++ c :: after = s ++ later ->
  (exists x, s = before ++ c :: x) \/ (exists y, before = s ++ y /\ later = y ++ c :: after).
Proof.
  revert before. induction s as [|d s IH]; simpl; intros before E; [right; exists before; auto|].
  destruct before as [|b before]; simpl in E; inversion E; subst.
  - left. now exists s.
  - destruct (IH before H1) as [[x ->]|[y [-> ->]]]; [left; now exists x|right; now exists y].
Qed.

Lemma free_part s later r : free (s ++ later) r = true -> free s r = true.
Proof. unfold free. rewrite existsb_app, negb_orb, andb_true_iff. tauto. Qed.

Lemma stays_blocked W s : (forall c, In c s -> forall e, act slots (free s) c e = None) ->
  forall s', leads slots W s s' -> exists later, s' = s ++ later.
Proof.
  intros Still s' L. remember s as s0 eqn:E in L. induction L; subst.
  - exists []. now rewrite app_nil_r.
  - destruct IHL as [later ->]; auto. remember (s ++ later) as whole eqn:E. destruct H as [before c after e c' A].
    destruct (cut s later before after c E) as [[x X]|[y [-> ->]]].
    + exfalso. assert (In c s) as M by (rewrite X; apply in_elt). rewrite E in A.
      rewrite (act_less_free (free s) (free (s ++ later)) c e) in A; [discriminate| |now apply Still].
      intros r. apply free_part.
    + exists (y ++ c' :: after). now rewrite <- app_assoc.
  - destruct IHL as [later ->]; auto. exists (later ++ [fresh w]). now rewrite app_assoc.
Qed.

Lemma blocked_deadlock W s : reachable slots W s -> blocked s = true -> deadlock slots W s.
Proof.
  intros R B. unfold blocked in B. apply andb_true_iff in B. destruct B as [St Un]. rewrite forallb_forall in St.
  assert (forall c, In c s -> forall e, act slots (free s) c e = None) as Still.
  { intros c M. apply cannot_act. specialize (St c M). now apply negb_true_iff in St. }
  split; [exact R|]. split; [|split].
  - apply existsb_exists in Un. destruct Un as [c [M U]]. exists c. split; auto. intros D. unfold undelivered in U.
    apply existsb_exists in U. destruct U as [p [P H]]. unfold places in P. apply in_seq in P.
    destruct (D p) as [F _]; [apply inside_iff; lia|]. rewrite F in H. discriminate.
  - intros s' H. destruct H as [before c after e c' A]. rewrite Still in A; [discriminate|]. apply in_elt.
  - now apply stays_blocked.
Qed.

End Runs.

Definition proves_deadlock (c : certificate) : bool :=
  let slots := slots_of c in blocked slots (last_state slots (witness c)).

(* Slots by a map are those that the certificate says. *)
Lemma act_same s1 s2 fr c e : (forall r, s1 r = s2 r) -> act s1 fr c e = act s2 fr c e.
Proof.
  intros Same. destruct e as [p|p|p|p]; simpl; auto.
  assert (forall l, forallb (can_enter s1 c) l = forallb (can_enter s2 c) l) as ->; auto.
  induction l as [|q l IH]; simpl; auto. rewrite IH. unfold can_enter, room. now rewrite Same.
Qed.

Lemma step_same s1 s2 s s' : (forall r, s1 r = s2 r) -> step s1 s s' -> step s2 s s'.
Proof.
  intros Same H. destruct H as [before c after e c' A]. rewrite (act_same s1 s2) in A by auto. now apply Step with (e := e).
Qed.

Lemma leads_same s1 s2 W s s' : (forall r, s1 r = s2 r) -> leads s1 W s s' -> leads s2 W s s'.
Proof.
  intros Same L. induction L; [constructor|apply (Go_on s2 W s s'); auto; now apply (step_same s1)|now apply Start].
Qed.

Theorem proves_deadlock_right : means_deadlock proves_deadlock.
Proof.
  intros c H. unfold proves_deadlock in H. set (slots := slots_of c) in *.
  assert (forall r, slots r = slots_in (slots_said c) r) as Same by (intros r; apply slots_same).
  exists (last_state slots (witness c)).
  destruct (blocked_deadlock slots (in_witness c) _ (last_reachable slots (witness c)) H) as [R [U [St Stay]]].
  split; [now apply (leads_same slots)|]. split; [exact U|]. split.
  - intros s' S. apply (St s'). now apply (step_same (slots_in (slots_said c)) slots).
  - intros s' L. apply Stay. now apply (leads_same (slots_in (slots_said c)) slots).
Qed.
