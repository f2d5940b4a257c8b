(* check RELEASE PROOF WITNESSES | check distance RELEASE DISTANCE WITNESSES | check pairs RELEASE DISTANCE | check choices FILE:
   reads files of words, asks the extracted programs, prints their verdicts (or, for pairs, the release of pairs as words).
   The only decisions made here are about reading: whatever is not exactly as README.md says ends with status 2, a message,
   and no verdict at all (nothing is printed before the whole verdict is known). *)
open Checker

exception Refused of string
let refuse fmt = Printf.ksprintf (fun s -> raise (Refused s)) fmt

let most_bytes = 1 lsl 30 and most_items = 100_000_000 and most_columns = 10_000 and most_digits = 4_000
and most_code = 99_999 and most_depth = 10_000 and most_either = 999_999 and most_counts = 3_000_000

(* ------------------------------------------------------------ words *)
type words = { file : string; text : string; mutable at : int; mutable number : int }
let wrong w fmt = Printf.ksprintf (fun s -> refuse "%s: word %d: %s" w.file w.number s) fmt

let read file =
  let channel = try open_in_bin file with Sys_error e -> refuse "%s" e in
  let length = try in_channel_length channel with Sys_error e -> refuse "%s" e in
  if length > most_bytes then refuse "%s: longer than %d bytes" file most_bytes;
  let text = try really_input_string channel length with Sys_error e -> refuse "%s" e | End_of_file -> refuse "%s: cannot be read" file in
  close_in channel;
  { file; text; at = 0; number = 0 }

let space c = c = ' ' || c = '\n'
let rec skip_spaces w = if w.at < String.length w.text && space w.text.[w.at] then (w.at <- w.at + 1; skip_spaces w)
let word w =
  skip_spaces w;
  w.number <- w.number + 1;
  let from = w.at in
  while w.at < String.length w.text && not (space w.text.[w.at]) do w.at <- w.at + 1 done;
  if from = w.at then wrong w "the file ends too early";
  String.sub w.text from (w.at - from)
let expect w keyword = let found = word w in if found <> keyword then wrong w "expected %S, found %S" keyword found
let finish w = expect w "end"; skip_spaces w; if w.at < String.length w.text then wrong w "something follows after the end"

(* ------------------------------------------------------------ numbers: 0, or digits without a leading zero *)
let digits w s from =
  let n = String.length s - from in
  if n < 1 || n > most_digits then wrong w "not a number of 1 to %d digits: %S" most_digits s;
  if s.[from] = '0' && String.length s > 1 then wrong w "not a number as it is written here: %S" s;
  let rec back i rest = if i < from then rest else back (i - 1) (match s.[i] with
    | '0' -> D0 rest | '1' -> D1 rest | '2' -> D2 rest | '3' -> D3 rest | '4' -> D4 rest
    | '5' -> D5 rest | '6' -> D6 rest | '7' -> D7 rest | '8' -> D8 rest | '9' -> D9 rest
    | _ -> wrong w "not a number: %S" s) in
  back (String.length s - 1) Nil
let remember f = let seen = Hashtbl.create 1000 in
  fun w s -> match Hashtbl.find_opt seen s with Some x -> x | None -> let x = f w s in Hashtbl.add seen s x; x
let natural_of = remember (fun w s -> N.of_uint (digits w s 0))
let whole_of = remember (fun w s -> Z.of_int (if s.[0] = '-' then Neg (digits w s 1) else Pos (digits w s 0)))
let natural w = natural_of w (word w)
let whole w = whole_of w (word w)
let optional w = match word w with "-" -> None | s -> Some (whole_of w s)
let small w most = let s = word w in ignore (digits w s 0);
  match int_of_string_opt s with Some k when k <= most -> k | _ -> wrong w "%s is more than %d" s most
let rec nat k = if k = 0 then O else S (nat (k - 1))
let int_of_nat k = let rec go i = function O -> i | S k -> go (i + 1) k in go 0 k

(* ------------------------------------------------------------ data *)
let items k f = let rec go k found = if k = 0 then List.rev found else let x = f () in go (k - 1) (x :: found) in go k []
let several w f = let k = small w most_items in items k f

let box w width = items width (fun () -> natural w)
let form w width = several w (fun () -> let weight = whole w in let p = box w width in (weight, p))
let width_of w width = let k = small w most_columns in if k <> width then wrong w "%d columns, the release has %d" k width

let read_release w =
  expect w "release";
  let width = small w most_columns in
  if width = 0 then wrong w "no columns";
  let domain = box w width in
  expect w "statistics";
  let statistics = several w (fun () ->
    let about = form w width in let low = optional w in let high = optional w in { about; low; high }) in
  expect w "rules";
  let rules = several w (fun () -> box w width) in
  expect w "eithers";
  let limit () = let f = form w width in let most = whole w in (f, most) in
  let eithers = several w (fun () -> let one = limit () in let other = limit () in (one, other)) in
  expect w "groups";
  let groups = items width (fun () -> several w (fun () -> natural w)) in
  finish w;
  (width, { domain; statistics; rules; eithers }, groups)

let terms w = several w (fun () -> let i = natural w in let u = whole w in (i, u))
(* Coq calls them Leaf, Nothing, Split and Either; extraction writes Leaf0 because its own maps have a Leaf, too *)
let rec tree w width depth =
  if depth > most_depth then wrong w "a tree deeper than %d" most_depth;
  match word w with
  | "leaf" -> let d = whole w in Leaf0 (terms w, d)
  | "nothing" -> Nothing (terms w)
  | "split" -> let a = whole w in let f = form w width in
    let below = tree w width (depth + 1) in let above = tree w width (depth + 1) in Split (f, a, below, above)
  | "either" -> let k = small w most_either in
    let one = tree w width (depth + 1) in let other = tree w width (depth + 1) in Either (nat k, one, other)
  | s -> wrong w "expected leaf, nothing, split or either, found %S" s
let step w width () = match word w with
  | "columns" -> let c = small w (width - 1) in Columns (nat c, several w (fun () -> natural w))
  | "prune" -> Prune (terms w)
  | "bound" -> let b = whole w in let f = form w width in Bound (f, b, tree w width 0)
  | s -> wrong w "expected columns, prune or bound, found %S" s
let fact w width () =
  let times = whole w in let what = box w width in let forms = several w (fun () -> box w width) in
  let upper = tree w width 0 in let lower = tree w width 0 in
  { what; times; forms; upper; lower }
let read_proof w width =
  expect w "proof"; width_of w width;
  expect w "steps";
  let steps = several w (step w width) in
  expect w "facts";
  let facts = several w (fact w width) in
  expect w "contradiction";
  let no = (match word w with "none" -> None | "tree" -> Some (tree w width 0) | s -> wrong w "expected none or tree, found %S" s) in
  finish w;
  (steps, facts, no)

let codes w width = items width (fun () -> let s = word w in ignore (digits w s 0);
  match int_of_string_opt s with Some k when k <= most_code -> natural_of w s | _ -> wrong w "code %s is more than %d" s most_code)
let record w width () =
  let n = natural w in
  if n = N0 then wrong w "0 times a record";
  (n, codes w width)
let read_witnesses w width =
  expect w "witnesses"; width_of w width;
  let found = several w (fun () -> several w (record w width)) in
  finish w;
  found

(* a file about distances: the steps and the tree of its limit are about the release of pairs, with one column more *)
let read_distance w width =
  expect w "distance"; width_of w width;
  expect w "counts";
  let counts = nat (small w most_counts) in
  expect w "steps";
  let steps = several w (step w width) in
  expect w "kinds";
  let kinds = several w (fun () ->
    let fewest = whole w in let greatest = whole w in let who = codes w width in
    let lower = tree w width 0 in let upper = tree w width 0 in ({ who; fewest; greatest }, (lower, upper))) in
  expect w "limit";
  let twice = whole w in
  let about_pairs = several w (step w (width + 1)) in
  let proof = tree w (width + 1) 0 in
  finish w;
  (counts, steps, kinds, about_pairs, twice, proof)

let rec plan w depth =
  if depth > most_depth then wrong w "a tree deeper than %d" most_depth;
  match word w with
  | "choose" -> let a = natural w in let yes = plan w (depth + 1) in let no = plan w (depth + 1) in Choose (a, yes, no)
  | "unmet" -> Unmet (natural w)
  | "pay" -> let over = whole w in Pay (terms w, over)
  | "apart" -> let parts = several w (fun () ->
      let l = several w (fun () -> natural w) in let b = whole w in (l, b, plan w (depth + 1))) in
      List.fold_right (fun (l, b, here) rest -> Apart (l, b, here, rest)) parts (Pay ([], whole_of w "1"))
  | s -> wrong w "expected choose, unmet, pay or apart, found %S" s
let read_choices w =
  expect w "choices";
  let found = several w (fun () ->
    let costs = several w (fun () -> whole w) in
    let clauses = several w (fun () -> let k = natural w in
      let given = several w (fun () -> natural w) in let items = several w (fun () -> natural w) in (k, { given; items })) in
    let bound = whole w in
    (costs, clauses, bound, plan w 0)) in
  finish w;
  found

(* ------------------------------------------------------------ what is printed, when all of it is known *)
let out = Buffer.create 10_000
let line fmt = Printf.ksprintf (fun s -> Buffer.add_string out s; Buffer.add_char out '\n') fmt
let print ok =
  (try print_string (Buffer.contents out); flush stdout with Sys_error e -> refuse "%s" e);
  exit (if ok then 0 else 1)
let judged ok = if ok then "accepted" else "rejected"

let digits_of n =
  let text = Buffer.create 20 in
  let rec go = function
    | Nil -> () | D0 r -> add '0' r | D1 r -> add '1' r | D2 r -> add '2' r | D3 r -> add '3' r | D4 r -> add '4' r
    | D5 r -> add '5' r | D6 r -> add '6' r | D7 r -> add '7' r | D8 r -> add '8' r | D9 r -> add '9' r
  and add c r = Buffer.add_char text c; go r in
  go n; Buffer.contents text
let text_of_natural n = digits_of (N.to_uint n)
let text_of_whole z = match Z.to_int z with Pos d -> digits_of d | Neg d -> "-" ^ digits_of d
let text_of_box b = String.concat " " (List.map text_of_natural b)
let text_of_form f =
  String.concat " " (string_of_int (List.length f) :: List.map (fun (w, p) -> text_of_whole w ^ " " ^ text_of_box p) f)
let text_of_end = function None -> "-" | Some z -> text_of_whole z

let say release groups steps facts no witnesses =
  let v = check release groups steps facts no witnesses in
  (match v.failed with None -> line "state accepted" | Some k -> line "state rejected %d" (int_of_nat k));
  List.iteri (fun i ok -> line "fact %d %s" i (judged ok)) v.facts_hold;
  List.iteri (fun i ok -> line "witness %d %s" i (if ok then "consistent" else "inconsistent")) v.witnesses_fit;
  line "contradiction %s" (match v.contradicts with None -> "absent" | Some ok -> judged ok);
  line "complete %s" (if v.nothing_missed then "yes" else "no");
  let ok = accepted v in
  line "file %s" (judged ok);
  print ok

let say_distance release (counts, steps, kinds, about_pairs, twice, proof) one other =
  let v = check_distance release counts one other steps kinds about_pairs twice proof in
  (match v.farthest with None -> line "witnesses inconsistent" | Some far -> line "witnesses apart %s" (text_of_whole far));
  line "kinds %s" (judged v.ranges_hold);
  line "limit %s" (judged v.limit_holds);
  print (v.limit_holds && v.farthest <> None)

let say_pairs release (counts, _, kinds, _, _, _) =
  let p = pair_release release counts (List.map fst kinds) in
  line "release %d" (List.length p.domain); line "%s" (text_of_box p.domain);
  line "statistics %d" (List.length p.statistics);
  List.iter (fun s -> line "%s" (text_of_form s.about); line "%s %s" (text_of_end s.low) (text_of_end s.high)) p.statistics;
  line "rules %d" (List.length p.rules); List.iter (fun b -> line "%s" (text_of_box b)) p.rules;
  line "eithers %d" (List.length p.eithers);
  let limit (f, most) = line "%s %s" (text_of_form f) (text_of_whole most) in
  List.iter (fun (one, other) -> limit one; limit other) p.eithers;
  line "groups"; List.iter (fun _ -> line "0") p.domain;
  line "end";
  print true

let say_choices found =
  let verdicts = List.map (fun (costs, clauses, bound, t) -> no_cheaper costs clauses bound t) found in
  List.iteri (fun i ok -> line "choice %d %s" i (judged ok)) verdicts;
  print (List.for_all (fun ok -> ok) verdicts)

let () =
  try match Sys.argv with
    | [| _; "choices"; file |] -> say_choices (read_choices (read file))
    | [| _; "pairs"; release; distance |] ->
      let width, release, _ = read_release (read release) in
      say_pairs release (read_distance (read distance) width)
    | [| _; release; proof; witnesses |] ->
      let width, release, groups = read_release (read release) in
      let steps, facts, no = read_proof (read proof) width in
      let witnesses = read_witnesses (read witnesses) width in
      say release groups steps facts no witnesses
    | [| _; "distance"; release; distance; witnesses |] ->
      let width, release, _ = read_release (read release) in
      let about = read_distance (read distance) width in
      (match read_witnesses (read witnesses) width with
       | [ one; other ] -> say_distance release about one other
       | _ -> refuse "%s: expected two datasets" witnesses)
    | _ -> refuse "usage: check RELEASE PROOF WITNESSES | distance RELEASE DISTANCE WITNESSES | pairs RELEASE DISTANCE | choices FILE"
  with
  | Refused s -> prerr_endline s; exit 2
  | Stack_overflow | Out_of_memory -> prerr_endline "too large for this machine's limits (see ulimit -s)"; exit 2
