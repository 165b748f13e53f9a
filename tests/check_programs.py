#!/usr/bin/env python3
# Compares check-deadlock with an independent exploration of random routes with programs.
# SPDX-License-Identifier: MIT
"""Ask for verdicts on routes with programs, explore these, and end with "N passed, N failed".

  check_programs.py [--bin DIR] [--cases N] [--first SEED] [--jobs N] [--states N] [--keep DIR] [--self-test]

Every seed makes a small network, flows and what their hosts do (oracle/random_programs.py), which
check-deadlock must judge as oracle/programs.py does, where one flit, one grant or one step of a process
follows another. Programs whose answer is known are judged by both first. Of some that can deadlock every
suggestion is followed (--change): it must be answered as promised, verified, and explored to be safe. Cases
with more states than the limit are counted, not compared; so is the answer unknown. A case that is answered
otherwise is kept, with what leads to the standstill. --self-test explores without check-deadlock. """
import argparse
import collections
import functools
import json
import multiprocessing
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import tally
from oracle.programs import Programs
from oracle.random_programs import drawn_case, flat
from oracle.random_routes import stream_of

SHORT, STATES, SECONDS = 300, 8000, 300
# What the cases have to have among them, in hundredths, or they would not say much any more.
LEAST = {"explored": 60, "deadlock": 20, "safe": 30, "trees": 5, "forever": 10, "counters": 20, "joins": 10,
         "suggestions": 5}
ONE_IN = 3  # of the seeds is asked what helps


# Programs whose answer is known.


def network(routers, hosts, links, slots=1):
    """A graph of links that run one way; link k is channel 2k."""
    return {"kind": "topology", "format": 1, "family": "graph", "routers": routers, "hosts": hosts,
            "links": [{"ends": ends, "one_way": True} for ends in links],
            "host_links": [{"buffer_flits": [slots, 1]} for _ in hosts]}


def flow(number, source, flits, hops, **worm):
    return {"kind": "routes", "id": number, "source": source, "length_flits": flits, "start_cycle": 0,
            "destinations": [~hop for hop in hops if hop < 0], "worms": [{"hops": hops, **worm}]}


def program(*processes, **counters):
    """Each process is (host, steps...), a step {"send": 1}, or (rounds, steps...)."""
    def steps(listed):
        return [{"repeat": one[0], "steps": steps(one[1:])} if isinstance(one, tuple) else one
                for one in listed]

    return {"kind": "program", "counters": [{"name": name, "start": start}
                                            for name, start in counters.items()],
            "processes": [{"name": f"p{number}", **({} if host is None else {"host": host}),
                           "steps": steps(listed)} for number, (host, *listed) in enumerate(processes)]}


def send(number):
    return {"send": number}


def receive(flits, number=None, **more):
    return {"receive": flits, **({} if number is None else {"from": number}), **more}


def take(name):
    return {"take": name}


def give(name):
    return {"give": name}


def two_arbiters(apart):
    """Each of two flows holds the arbiter that the other one needs next."""
    topology = network(2, [0, 0, 1, 1], [[0, 1], [1, 0], [0, 1], [1, 0]])
    flows = [flow(1, 0, 3, [0, 2, ~1]), flow(2, 2, 3, [6, 4, ~3] if apart else [2, 0, ~3])]
    return topology, flows, program((0, send(1)), (2, send(2)), (1, receive(3)), (3, receive(3))), 1


def join(windows):
    """A core takes a packet of each of two streams that share an arbiter, from windows for so many."""
    topology = network(3, [0, 0, 2, 2], [[0, 1], [1, 2]])
    flows = [flow(1, 0, 4, [0, 2, ~2]), flow(2, 1, 4, [0, 2, ~3])]
    behind = [(host, (2, take(f"free{host}"), receive(4), give(f"full{host}"))) for host in (2, 3)]
    core = None, (2, take("full2"), take("full3"), give("free2"), give("free3"))
    return topology, flows, program((0, (2, send(1))), (1, (2, send(2))), *behind, core, free2=windows,
                                    free3=windows, full2=0, full3=0), 1


def exchange(slots):
    """Two nodes send before they receive; packets of two flits."""
    topology = {"kind": "topology", "format": 1, "family": "mesh", "dims": [2, 1]}
    return topology, [flow(1, 0, 2, [0, ~1]), flow(2, 1, 2, [5, ~0])], program(
        (0, send(1), receive(2)), (1, send(2), receive(2))), slots


def relay(packets):
    """A node sends on what it has received, by the arbiter that brought it."""
    topology = network(3, [0, 2, 2], [[0, 1], [1, 2], [2, 0]])
    flows = [flow(1, 0, 4, [0, 2, ~1]), flow(2, 1, 4, [4, 0, 2, ~2])]
    return topology, flows, program((0, (packets, send(1))), (1, ("forever", receive(4, 1), send(2))),
                                    (2, (packets, receive(4)))), 1


def table(last):
    """Philosophers, the last of whom takes his forks in this order."""
    eats = [(None, ("forever", take(one), take(other), give(one), give(other)))
            for one, other in [("f0", "f1"), ("f1", "f2"), last]]
    return (*exchange(2)[:2], program(*eats, f0=1, f1=1, f2=1), 1)


def tails(until):
    """Windows that a tail closes, and some that take from two packets."""
    return network(1, [0, 0, 0], []), [flow(1, 0, 2, [~2]), flow(2, 1, 2, [~2])], program(
        (0, send(1)), (1, send(2)), (2, receive(3, **until), receive(2))), 1


def two_trees(slots, replication):
    """Two senders to the same two hosts of one switch."""
    worm = {"hop_parents": [-1, -1], "replication": replication}
    return network(1, [0, 0, 0, 0], [], slots), [flow(1, 0, 2, [~2, ~3], **worm),
                                                 flow(2, 1, 2, [~2, ~3], **worm)], program(
        (0, send(1)), (1, send(2)), (2, ("forever", receive(1))), (3, ("forever", receive(1)))), 1


def sides(same):
    """A node takes a packet from one side first, then one from the other, or from the same side."""
    topology = {"kind": "topology", "format": 1, "family": "mesh", "dims": [3, 1]}
    flows = [flow(1, 0, 2, [0, ~1]), flow(2, 0 if same else 2, 2, [0 if same else 9, ~1])]
    return topology, flows, program((0, send(1)), (0 if same else 2, send(2)),
                                    (1, receive(2, 2), receive(2, 1))), 1


def rounds():
    """What a loop sends in its second round may be ahead of another's first packet, wanted before it."""
    topology = network(2, [0, 0, 1], [[0, 1]])
    flows = [flow(1, 0, 4, [0, ~2]), flow(2, 1, 4, [0, ~2])]
    loop = 1, (2, send(2), give("first"), give("next"), take("go"))
    answer, wanted = (None, (2, take("next"), give("go"))), (receive(4, 2), receive(4, 1), receive(4, 2))
    return topology, flows, program(loop, (0, take("first"), send(1)), answer, (2, *wanted), first=0, next=0,
                                    go=0), 1


def bounded(takes):
    """A counter to which more is given than its limit, unless some is taken."""
    record = program((None, (3, give("c"))), *[(None, (takes, take("c")))] * bool(takes), c=0)
    record["counters"][0]["limit"] = 1
    return (*exchange(2)[:2], record, 1)


def full(room):
    """Two processes give to a counter; only what the first of them does next makes room again."""
    record = program((None, give("c"), give("x")), (None, give("c")), (None, take("x"), take("c")), c=0, x=0)
    record["counters"][0]["limit"] = room
    return (*exchange(2)[:2], record, 1)


def ends(sender, receiver, slots=1):
    """A packet a round, for so many rounds at each end."""
    topology, flows, *_ = exchange(slots)
    return topology, flows, program((0, (sender, send(1))), (1, (receiver, receive(2)))), slots


def left(packets):
    """A sender without a receiver."""
    topology, flows, _, slots = exchange(2)
    return topology, flows, program((0, (packets, send(1)))), slots


KNOWN = [("two arbiters", two_arbiters(False), "deadlock"),
         ("arbiters of their own", two_arbiters(True), "safe"),
         ("a join, windows of one", join(1), "deadlock"), ("a join, windows of two", join(2), "safe"),
         ("an exchange without a buffer", exchange(1), "deadlock"),
         ("an exchange, buffered", exchange(2), "safe"),
         ("a relay of one", relay(1), "safe"), ("a relay of two", relay(2), "deadlock"),
         ("philosophers", table(("f2", "f0")), "deadlock"),
         ("one takes the other first", table(("f0", "f2")), "safe"),
         ("until the tail", tails({"until": "tail"}), "safe"), ("across packets", tails({}), "deadlock"),
         ("from the side that comes later", sides(True), "deadlock"),
         ("from both sides", sides(False), "safe"),
         ("a second round before a first", rounds(), "deadlock"),
         ("a limit", bounded(0), "deadlock"), ("a limit, some taken", bounded(2), "safe"),
         ("a counter with room for one", full(1), "deadlock"),
         ("a counter with room for both", full(2), "safe"),
         ("a receiver for ever", ends(2, "forever"), "safe"),
         ("both for ever", ends("forever", "forever"), "safe"),
         ("a packet left before its host", left(1), "safe"), ("a second one", left(2), "deadlock"),
         ("a sender for ever", ends("forever", 2), "safe"),
         ("whose next one waits for a channel", ends("forever", 2, 2), "safe"),
         ("a packet too few", ends(1, 2), "deadlock"),
         ("trees in lock step", two_trees(2, "lock-step"), "deadlock"),
         ("copies one by one", two_trees(2, "asynchronous"), "safe"),
         ("with short buffers", two_trees(1, "asynchronous"), "deadlock")]


def halo(ranks, rounds, slots):
    """Each rank of a row sends to both neighbours before it takes what they sent from its mailboxes."""
    topology = {"kind": "topology", "format": 1, "family": "mesh", "dims": [ranks, 1]}
    flows, processes, counters = [], [], {}
    for rank in range(ranks):
        peers = [peer for peer in (rank - 1, rank + 1) if 0 <= peer < ranks]
        for peer in peers:
            number, side = 2 * rank + (peer > rank), f"{peer} to {rank}"
            flows.append(flow(number, rank, 4, [4 * rank + (0 if peer > rank else 1), ~peer]))
            counters |= {f"free {side}": slots, f"full {side}": 0}
            processes.append((rank, ("forever", take(f"free {side}"), receive(4, 2 * peer + (rank > peer)),
                                     give(f"full {side}"))))
        processes.append((rank, (rounds, *[send(2 * rank + (peer > rank)) for peer in peers],
                                 *[step for peer in peers for step in (take(f"full {peer} to {rank}"),
                                                                       give(f"free {peer} to {rank}"))])))
    return topology, flows, program(*processes, **counters), 4


def stages(count, packets):
    """A chain of relays that go on for ever, between a source and a sink that end."""
    topology = {"kind": "topology", "format": 1, "family": "mesh", "dims": [count + 2, 1]}
    flows = [flow(at, at, 6, [4 * at, ~(at + 1)]) for at in range(count + 1)]
    relays = [(at, ("forever", receive(6), send(at))) for at in range(1, count + 1)]
    return topology, flows, program((0, (packets, send(0))), *relays, (count + 1, (packets, receive(6)))), 2


# Too large to be explored; an order proves them.
LARGE = [("ranks in a row", halo(100, 10, 1)), ("a chain of relays", stages(200, 50))]


# The comparison.


def stream(case):
    topology, flows, program_record, _ = case
    return stream_of(topology, [program_record, *flows])


def told(bin_dir, case, *arguments):
    """(exit status, records, what is on stderr) of check-deadlock."""
    command = [str(bin_dir / "check-deadlock"), *arguments, "-"]
    try:
        done = subprocess.run(command, input=stream(case), capture_output=True, text=True, check=False,
                              timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None, [], f"no answer in {SECONDS} seconds"
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr.strip()


def verified(bin_dir, case, verdict):
    """The exit status of --verify."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write(stream_of(case[0], [verdict]))
        file.flush()
        return told(bin_dir, case, "--verify", file.name)[0]


def forged(rng, verdict):
    """A verdict with something else in the place of its evidence, or of its answer."""
    verdict = json.loads(json.dumps(verdict))
    run = verdict.get("run", [])
    kind = rng.choice(["left out", "twice", "swapped", "cut", "answer"] if run else ["answer"])
    place, other = (rng.randrange(len(run)), rng.randrange(len(run))) if run else (0, 0)
    if kind == "answer":
        verdict["answer"] = "safe-unreachable" if verdict["answer"] == "deadlock" else "deadlock"
        verdict.pop("standstill", None)
        if not verdict.pop("run", None):
            verdict["run"] = []
    elif kind == "left out":
        run.pop(place)
    elif kind == "twice":
        run.insert(other, run[place])
    elif kind == "swapped":
        run[place], run[other] = run[other], run[place]
    else:
        del run[place:]
    return verdict


def order_with_more(bin_dir, case):
    """The order that proves a program safe that has more windows, and buffers for whole packets."""
    topology, flows, program_record, _ = json.loads(json.dumps(case))
    for counter in program_record.get("counters", []):
        counter.update({key: counter[key] + 9 for key in ("start", "limit") if key in counter})
    for link in topology.get("links", []) + topology.get("host_links", []):
        link["buffer_flits"] = [32, 32]
    more = topology, flows, program_record, 32
    verdicts = told(bin_dir, more, "--buffer-flits", "32", "--state-limit", "1")[1]
    return [order for verdict in verdicts for order in verdict.get("process_order", [])]


def replays(bin_dir, case, run):
    """Whether the simulator stands still where it grants as the witness says, or is refused since processes
    wait beside others that go on for ever."""
    ever = "forever" in json.dumps(case[2])
    if ever and not run:
        return True  # nothing is granted before: what is stuck is so from the start
    slots = ["--buffer-flits", str(case[3])]
    written = subprocess.run([bin_dir / "check-deadlock", *slots, "--state-limit", "20000", "--witness", "-"],
                             input=stream(case), capture_output=True, text=True, timeout=60, check=False)
    done = subprocess.run([bin_dir / "simulate-wormhole", "--summary-only", *slots],
                          input=written.stdout, capture_output=True, text=True, timeout=60, check=False)
    return '"outcome":"deadlock"' in done.stdout or ever and "while others go on for ever" in done.stderr


def stands_simulated(bin_dir, case):
    """Whether a run of the simulator ends in a deadlock. Programs that never end run for a while."""
    run = subprocess.run([bin_dir / "simulate-wormhole", "--summary-only", "--measure-cycles", "3000",
                          "--buffer-flits", str(case[3])], input=stream(case), capture_output=True, text=True,
                         timeout=60, check=False)
    if run.returncode not in (0, 1):
        raise SystemExit(f"simulate-wormhole: {run.stderr}{stream(case)}")
    return '"outcome":"deadlock"' in run.stdout


def faults(bin_dir, case, programs, explored, limit):
    """(the answer, what is wrong with it)."""
    status, records, words = told(bin_dir, case, "--buffer-flits", str(case[3]), "--state-limit", "5000")
    verdicts = [record for record in records if record["kind"] == "verdict"]
    answer = verdicts[0]["answer"] if len(verdicts) == 1 else "none"
    statuses = {"deadlock": [1], "safe": [0], "safe-unreachable": [0], "unknown": [1, 2]}
    if status not in statuses.get(answer, []):
        return answer, f"check-deadlock: status {status}: {words}"
    if answer == "unknown":
        return answer, ""
    if explored not in (None, answer.replace("-unreachable", "")):
        return answer, f"check-deadlock: {answer}; explored: {explored}"
    if stands_simulated(bin_dir, case) and answer != "deadlock":
        return answer, f"simulate-wormhole comes to a standstill: {answer}"
    if answer == "deadlock" and not replays(bin_dir, case, verdicts[0].get("run")):
        return answer, "the witness does not stand still in the simulator"
    if answer == "deadlock" and programs.stands_after(verdicts[0].get("run", []), limit) is False:
        return answer, "no standstill comes of the run"
    if verified(bin_dir, case, verdicts[0]) not in ([0, 2] if answer == "safe-unreachable" else [0]):
        return answer, f"--verify refuses: {answer}"
    if answer == "deadlock" and (order := order_with_more(bin_dir, case)):
        safe = {**verdicts[0], "answer": "safe", "process_order": order}
        safe = {key: value for key, value in safe.items() if key not in ("run", "standstill")}
        if verified(bin_dir, case, safe) != 1:
            return answer, f"--verify does not refuse {json.dumps(safe)}"
    untrue = {**verdicts[0], "standstill": [*verdicts[0].get("standstill", [])[1:], "rank 0 sleeps"]}
    if answer == "deadlock" and "forever" not in json.dumps(case[2]) and verified(bin_dir, case, untrue) != 1:
        return answer, f"--verify does not refuse {json.dumps(untrue)}"
    rng = random.Random(json.dumps(verdicts))
    changed = forged(rng, verdicts[0])
    good = (changed["answer"] == answer and programs.stands_after(changed.get("run", []), limit)) is not False
    if not good and verified(bin_dir, case, changed) == 0:
        return answer, f"--verify takes {json.dumps(changed)}"
    return answer, ""


def changed(bin_dir, case, change):
    """The case as --change writes it; a text where it is refused."""
    status, records, words = told(bin_dir, case, "--buffer-flits", str(case[3]), "--change", change)
    if status != 0 or len(records) < 3:
        return f"--change {change}: status {status}: {words}"
    for counter in records[1].get("counters", []):
        counter.setdefault("start", 0)
    return records[0], [one for one in records if one["kind"] == "routes"], records[1], case[3]


def cures(bin_dir, case, limit):
    """(what is said to help, what is wrong with it)."""
    slots = ["--buffer-flits", str(case[3])]
    status, records, words = told(bin_dir, case, *slots, "--suggest")
    suggestions = [one for record in records for one in record.get("suggestions", [])]
    if status not in (1, 2) or bool(suggestions) == ("--suggest: no change" in words):
        return [], f"--suggest: status {status}: {words}"
    for one in suggestions:
        after = changed(bin_dir, case, one["change"])
        if isinstance(after, str):
            return suggestions, after
        verdicts = [record for record in told(bin_dir, after, *slots)[1] if record["kind"] == "verdict"]
        if [verdict["answer"] for verdict in verdicts] != [one["answer"]]:
            return suggestions, f"--change {one['change']} is not {one['answer']}"
        if verified(bin_dir, after, verdicts[0]) != 0:
            return suggestions, f"--change {one['change']}: --verify refuses"
        if Programs(*after).judged(limit)[0] == "deadlock":
            return suggestions, f"--change {one['change']}: explored: deadlock"
    return suggestions, ""


def kinds(case):
    """What a case is made of, to be counted."""
    _, flows, program_record, _ = case
    if any(len(record["destinations"]) > 1 for record in flows):
        yield "trees"
    if "forever" in json.dumps(program_record):
        yield "forever"
    if program_record.get("counters"):
        yield "counters"
    if any(len({step.get("from", -1) for step in flat(process["steps"]) if "receive" in step}) > 1
           for process in program_record["processes"]):
        yield "joins"


def compared(arguments, name, case, wanted=None):
    """(what is wrong, [what to count]) of a case, which is explored; a number is a seed."""
    label, begun = (f"seed {name}", time.time()) if case is None else (name, time.time())
    case = case or drawn_case(name)
    programs = Programs(*case)
    explored, standstill = programs.judged(max(arguments.states, 10000 if wanted else 0))
    seconds = time.time() - begun
    counted = [*kinds(case), *([explored, "explored"] if explored else ["too many states"]),
               *(["explored in a second"] if explored and seconds < 1 else [])]
    wrong = f"{label}: explored: {explored}, known: {wanted}" if wanted not in (None, explored) else ""
    if not arguments.self_test and not wrong:
        answer, fault = faults(arguments.bin, case, programs, explored, arguments.states)
        counted.append(f"answer {answer}")
        if answer == "unknown" and explored:
            counted.append("unknown though explored")
        if not fault and answer == "deadlock" and (wanted or name % ONE_IN == 0):
            suggestions, fault = cures(arguments.bin, case, arguments.states)
            counted += ["suggestions"] * len(suggestions)
        wrong = fault and f"{label}: {fault}"
    if wrong and arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
        path = arguments.keep / (label.replace(" ", "-") + ".jsonl")
        path.write_text(stream(case))
        events = programs.told(standstill) if standstill else []
        path.with_suffix(".txt").write_text("\n".join([wrong, f"--buffer-flits {case[3]}", *events, ""]))
        wrong += f"; {path}"
    return wrong, counted


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=tally.BUILD / "bin", type=pathlib.Path, help="folder of the tools")
    parser.add_argument("--cases", default=SHORT, type=int, help="how many seeds")
    parser.add_argument("--first", default=0, type=int, help="the first seed")
    parser.add_argument("--jobs", default=1, type=int, help="cases at once")
    parser.add_argument("--states", default=STATES, type=int, help="states to explore of a case at most")
    parser.add_argument("--keep", default=pathlib.Path(tempfile.gettempdir()) / "programs", type=pathlib.Path,
                        help="folder for cases that differ")
    parser.add_argument("--self-test", action="store_true", help="explore only")
    arguments = parser.parse_args()
    arguments.bin = arguments.bin.resolve()
    if not arguments.self_test and not (arguments.bin / "check-deadlock").exists():
        parser.error(f"no check-deadlock in {arguments.bin}: build first")
    tallied, counted = tally.Tally(), collections.Counter()
    for name, case, wanted in KNOWN:
        wrong, _ = compared(arguments, name, case, wanted)
        tallied.check(not wrong, wrong)
    for name, case in LARGE if not arguments.self_test else ():
        verdicts = [one for one in told(arguments.bin, case, "--buffer-flits", str(case[3]))[1]
                    if one["kind"] == "verdict"]
        tallied.check([one["answer"] for one in verdicts] == ["safe"]
                      and not verified(arguments.bin, case, verdicts[0]),
                      f"{name}: not safe, or not verified")
    seeds = range(arguments.first, arguments.first + arguments.cases)
    with multiprocessing.Pool(arguments.jobs) as pool:
        for wrong, said in pool.imap(functools.partial(compared, arguments, case=None), seeds, 4):
            tallied.check(not wrong, wrong)
            counted.update(said)
    print(", ".join(f"{kind} {count}" for kind, count in sorted(counted.items())))
    for kind, least in LEAST.items() if arguments.cases >= SHORT else ():
        tallied.check(100 * counted[kind] >= least * arguments.cases, f"only {counted[kind]} of "
                      f"{arguments.cases}: {kind}")
    return tallied.close()


if __name__ == "__main__":
    sys.exit(main())
