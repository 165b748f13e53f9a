(* Reads certificates and asks the checker: lines of integers, of which the first says what a line holds.
     1 RESOURCE SLOTS                 the next resource in the order of the numbering, and the slots of its buffer
     3 HOW FLITS [RESOURCE BEHIND]... a worm: 0 a path, 1 a tree of asynchronous copies, 2 of copies in lock step; its hops,
                                      each behind hop BEHIND, 0 being the source
     4 RESOURCE RESOURCE              a leg: a worm that has the one may ask for the other
     5 FLITS                          the longest of the trees that follow legs
     6 HOP...                         the last worm is in the witness, and asks for these hops when all are there
     0 LINES                          the end, and how many lines came before it
   SPDX-License-Identifier: MIT *)
open Checker

exception Refused of string

let rec positive n = if n = 1 then XH else if n land 1 = 1 then XI (positive (n / 2)) else XO (positive (n / 2))
let resource n = if n < 1 then raise (Refused "a resource below 1") else positive n
let number n = if n < 0 then raise (Refused "a number below 0") else if n = 0 then N0 else Npos (positive n)
let place n =
  if n < 0 || n > 1_000_000 then raise (Refused "a hop that is none");
  let rec up n from = if n = 0 then from else up (n - 1) (S from) in
  up n O

let rec hops = function
  | [] -> []
  | takes :: behind :: rest -> let hop = { takes = resource takes; behind = place behind } in hop :: hops rest
  | [ _ ] -> raise (Refused "a hop without the one before it")

let copying = function
  | 0 -> Chain
  | 1 -> Apart
  | 2 -> Together
  | _ -> raise (Refused "an unknown way to copy")

let empty = { slots_said = []; numbering = []; worms = []; legs = []; longest = N0; witness = [] }

(* Each line is put in front; the end turns all lists. *)
let take c = function
  | [ 1; r; slots ] ->
    { c with slots_said = (resource r, number slots) :: c.slots_said; numbering = resource r :: c.numbering }
  | 3 :: how :: flits :: rest -> { c with worms = { how = copying how; flits = number flits; hops = hops rest } :: c.worms }
  | [ 4; held; wanted ] -> { c with legs = (resource held, resource wanted) :: c.legs }
  | [ 5; flits ] -> { c with longest = number flits }
  | 6 :: late when c.worms <> [] -> { c with witness = (List.hd c.worms, List.map place late) :: c.witness }
  | _ -> raise (Refused "a line of another form")

let integers line =
  try List.map int_of_string (List.filter (( <> ) "") (String.split_on_char ' ' line))
  with Failure _ -> raise (Refused "what is no integer")

(* A certificate from a file that may hold several; None at its end. *)
let rec read channel lines c =
  match input_line channel with
  | exception End_of_file -> if lines = 0 then None else raise (Refused "no end")
  | line -> (
    match integers line with
    | [ 0; said ] when said = lines -> Some c
    | 0 :: _ -> raise (Refused "another number of lines than it says")
    | numbers -> read channel (lines + 1) (take c numbers))

let judge c =
  let c = { slots_said = List.rev c.slots_said; numbering = List.rev c.numbering; worms = List.rev c.worms;
            legs = List.rev c.legs; longest = c.longest; witness = List.rev c.witness } in
  let count = List.length in
  if c.witness <> [] then
    if proves_deadlock c then Some (Printf.sprintf "deadlock: %d worms" (count c.witness)) else None
  else if c.worms = [] && c.legs = [] then raise (Refused "neither worms nor legs")
  else if proves_safe c then Some (Printf.sprintf "safe: %d worms, %d legs" (count c.worms) (count c.legs))
  else None

let () =
  Gc.set { (Gc.get ()) with space_overhead = 2000 };  (* certificates are small *)
  let status = ref 0 in
  let say file code text = Printf.printf "%s: %s\n%!" file text; status := max !status code in
  let rec each file channel any =
    match read channel 0 empty with
    | Some c ->
      (match judge c with Some text -> say file 0 text | None -> say file 1 "not proved");
      each file channel true
    | None -> if not any then raise (Refused "nothing") in
  let open_each file =
    try each file (open_in file) false with
    | Refused why -> say file 2 ("no certificate: it has " ^ why)
    | Sys_error why -> say file 2 why in
  List.iter open_each (List.tl (Array.to_list Sys.argv));
  exit !status
