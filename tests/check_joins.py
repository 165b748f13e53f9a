#!/usr/bin/env python3
# Compares reductions that routers join flit by flit, register by register, with what was measured, and
# simulate-wormhole with both.
# SPDX-License-Identifier: MIT
"""Simulate reductions beside multicasts and unicasts on meshes of a router that joins, and end with "N
passed, N failed".

  check_joins.py [--bin DIR] [--seeds FIRST:END]

Verdicts of check-deadlock, too: none of these that stands still is called safe, and of small sets, half as
many again, the verdict is what all their runs say (oracle/join_exploration.py), what can be mixed and
interleaved included, and the oracle stands still with its witnesses, and mixes with its runs.

The measured scenarios (tests/reference/router_reduction.jsonl) are simulated by oracle/joins.py: each tail
must leave in the same cycle, and the outcome must be the same. simulate-wormhole --preset floonoc must say
the same of each of their networks, answers being sent when the oracle sends them, but for networks with a
multicast that goes to its own source, which no record says, and those in which an answer is never sent. Of
drawn multicasts with joined answers both networks are simulated together. Every seed makes another scenario,
on other meshes, with other lengths, starts and buffers, which is compared between the two; what is mixed or
interleaved is, too. """
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import tally
from oracle import join_exploration, joins

REFERENCE = pathlib.Path(__file__).parent / "reference" / "router_reduction.jsonl"
SHORT = 110
MOST_STATES = 400  # of a small set; larger ones are left out
WORDS = {"stuck": "deadlock"}
# What the random scenarios must have among them, in thousandths.
LEAST = {"stuck": 100, "interleaved": 20, "corrupted": 2, "mixed": 20}


class Scenario:
    def __init__(self, dims, fifo_flits, networks):
        self.dims, self.fifo_flits, self.networks = dims, fifo_flits, networks

    def run(self):
        return joins.run(self.dims, self.fifo_flits, self.networks)


def tails_of(mesh):
    """[packet, node, cycle], in the order of the cycles."""
    return [[flit.send.packet, node, cycle] for cycle, node, flit in mesh.ejections if flit.last]


def measured():
    for line in REFERENCE.read_text().splitlines():
        record = json.loads(line)
        networks = collections.defaultdict(list)
        for network, node, packet, kind, start, dst, mask, length in record["sends"]:
            begins = {"after": start[0], "delay": start[1]} if isinstance(start, list) else {"start": start}
            networks[network].append(joins.Send(node, packet, kind, tuple(dst), tuple(mask), length,
                                                **begins))
        yield record, Scenario(record["dims"], record["fifo_flits"], networks)


def boxes(rng, dims):
    """A mask and a node of a set of at least two nodes, all in the mesh."""
    while True:
        mask = tuple(rng.randrange(1 << (size - 1).bit_length()) for size in dims)
        at = tuple(rng.randrange(size) for size in dims)
        if mask != (0, 0) and all(a | m < size for a, m, size in zip(at, mask, dims)):
            return mask, at


def random_scenario(rng):
    dims = rng.choice([[2, 2], [3, 3], [4, 4], [4, 2], [5, 3], [8, 2]])
    nodes = range(dims[0] * dims[1])
    sends = []
    for packet in range(rng.randint(1, 5)):
        length = rng.choice([1, 1, 2, 3, 4, 8])
        first = rng.choice([0, 0, 0, 1, 3, 9])
        kind = rng.choice("RRRUM")
        if kind == "R":
            mask, at = boxes(rng, dims)
            like = [send for send in sends if send.kind == "R"]
            dst = tuple(rng.randrange(size) for size in dims)
            if like and rng.random() < 0.3:
                dst, mask = like[0].dst, like[0].mask
                at = next(one[1] for one in iter(lambda: boxes(rng, dims), None) if all(
                    a | m < size for a, m, size in zip(one[1], mask, dims)))
            members = [node for node in nodes if all(not (c ^ a) & ~m
                                                     for c, a, m in zip((node % dims[0], node // dims[
                                                         0]), at, mask))]
            sends += [joins.Send(node, packet, "R", dst, mask, length, first + rng.choice([0, 0, 0, 1, 2, 6]))
                      for node in members]
            continue
        mask, dst = (0, 0), tuple(rng.randrange(size) for size in dims)
        if kind == "M":
            mask, dst = boxes(rng, dims)
        send = joins.Send(0, packet, kind, dst, mask, length, first)
        mesh = joins.Mesh(*dims, 2, [])
        others = sorted(set(nodes) - set(mesh.targets(send)))
        if others:
            send.node = rng.choice(others)
            sends.append(send)
    rng.shuffle(sends)
    return Scenario(dims, rng.choice([2, 2, 2, 3, 4]), {0: sends})


def records(scenario, sends, mesh):
    """The stream of one network; None where records cannot say it. A node's next packet is ready a cycle
    later: so each node sends them in the order in which it was given them."""
    ready, packets = {}, collections.defaultdict(dict)
    for send in sends:
        start = max(send.start, ready.get(send.node, -1) + 1)
        ready[send.node] = start
        packets[send.packet][send.node] = start, send
    lines = []
    for packet, parts in packets.items():
        send = next(iter(parts.values()))[1]
        targets = mesh.targets(send)
        record = {"kind": "multicast", "id": packet, "source": send.node, "destinations": targets,
                  "length_flits": send.length, "start_cycle": parts[send.node][0]}
        if send.node in targets and len(targets) > 1 and send.kind != "R":
            return None
        if send.kind == "R":
            record = {"kind": "reduction", "id": packet, "root": targets[0], "sources": sorted(parts),
                      "length_flits": send.length, "start_cycles": [parts[node][0] for node in sorted(parts)]}
        lines.append((min(start for start, _ in parts.values()), record))
    lines = [record for _, record in sorted(lines, key=lambda line: line[0])]
    topology = {"kind": "topology", "format": 1, "family": "mesh", "dims": scenario.dims}
    return "".join(json.dumps(record, separators=(",", ":")) + "\n"
                   for record in [topology, *lines, {"kind": "end"}])


def simulated(scenario, stream, arguments, expanded=()):
    """Tails, the outcome, what was mixed and interleaved, by simulate-wormhole."""
    tools = [["plan-multicast", "xy-tree"], ["route-expand", *expanded],
             ["simulate-wormhole", "--preset", "floonoc", "--engine", "join", "--buffer-flits",
              str(scenario.fifo_flits), "--trace", arguments.trace]]
    for tool in tools:
        done = subprocess.run([arguments.bin / tool[0], *tool[1:]], input=stream,
                              capture_output=True, text=True, check=False, timeout=120)
        if done.returncode not in (0, 1):
            return done.stderr
        stream = done.stdout
    summary = next(record for record in map(json.loads, stream.splitlines()) if record["kind"] == "summary")
    events = json.loads(pathlib.Path(arguments.trace).read_text())["traceEvents"]
    tails = sorted([event["args"]["multicast"], event["args"]["host"], event["ts"] + 1] for event in events
                   if event["ph"] == "i")
    return tails, summary["outcome"], summary.get("mixed", []), summary.get("interleaved", [])


def wanted_of(sends, mesh):
    targets = {send.packet: mesh.targets(send) for send in sends}
    first, misplaced = {}, set()
    seen = set()
    for cycle, node, flit in mesh.ejections:
        packet = flit.send.packet
        key = packet, node, flit.number
        if node not in targets[packet] or key in seen:
            misplaced.add((packet,))
        elif flit.last:
            first[packet, node] = cycle
        seen.add(key)
    outcome = joins.outcome({0: sends}, {0: mesh})
    mixed = sorted(map(list, {*joins.mixed(mesh), *misplaced}))
    return (sorted([*key, cycle] for key, cycle in first.items()), WORDS.get(outcome, outcome), mixed,
            joins.interleaved(mesh))


def judged(stream, arguments, *options):
    """The verdict on a stream of requests, and what is said when it is verified."""
    for tool in ["plan-multicast", "xy-tree"], ["route-expand"]:
        stream = subprocess.run([arguments.bin / tool[0], *tool[1:]], input=stream,
                                capture_output=True, text=True, check=True, timeout=120).stdout
    check = arguments.bin / "check-deadlock"
    verdicts = pathlib.Path(arguments.trace).with_name("verdicts.jsonl")
    verdicts.unlink(missing_ok=True)
    done = subprocess.run([check, "--preset", "floonoc", *options, "-o", verdicts], input=stream,
                          capture_output=True, text=True, check=False, timeout=600)
    if not verdicts.exists():
        return {"answer": done.stderr}, ""
    verified = subprocess.run([check, "--verify", verdicts], input=stream, capture_output=True, text=True,
                              check=False, timeout=600)
    return json.loads(verdicts.read_text().splitlines()[1]), verified.stderr if verified.returncode else ""


def compare(name, scenario, meshes, arguments, tallied, counts):
    for network, sends in scenario.networks.items():
        mesh = meshes[network]
        if mesh.triggered:
            counts["answers not sent"] += 1
            continue
        stream = records(scenario, mesh.sent_in_order, mesh)
        if stream is None:
            counts["to its own source"] += 1
            continue
        got, wanted = simulated(scenario, stream, arguments), wanted_of(sends, mesh)
        tallied.check(got == wanted, f"{name}, network {network}: simulate-wormhole says {got}; wanted "
                      f"{wanted}\n{stream}")
        counts["mixed"] += 1 if wanted[2] else 0
        counts["simulated"] += 1
        if wanted[1] != "deadlock" or not any(send.kind == "R" for send in sends):
            continue
        verdict, fault = judged(stream, arguments, "--buffer-flits", str(scenario.fifo_flits),
                                "--state-limit", "2000")
        tallied.check(verdict["answer"] in ("deadlock", "unknown") and not fault,
                      f"{name}, network {network}: stands still, but check-deadlock says "
                      f"{verdict['answer']}, {fault}\n{stream}")
        counts["judged " + verdict["answer"]] += 1


def small_set(rng):
    """Two or three messages of one or two flits on a small mesh: dims, sends."""
    dims = rng.choice([[2, 2], [3, 2], [2, 3], [3, 3]])
    nodes = range(dims[0] * dims[1])
    mesh, sends = joins.Mesh(*dims, 2, []), []
    for packet in range(rng.choice([2, 2, 3])):
        kind, length = rng.choice("RRRMU"), rng.choice([1, 1, 2])
        mask, at = boxes(rng, dims)
        if bin(mask[0]).count("1") + bin(mask[1]).count("1") > rng.choice([1, 1, 1, 2]):
            mask = (mask[0], 0) if mask[0] else (0, mask[1])
        dst = tuple(rng.randrange(size) for size in dims)
        if kind == "R":
            if sends and sends[0].kind == "R" and rng.random() < 0.2:
                dst = sends[0].dst
            members = [node for node in nodes if all(not (c ^ a) & ~m
                                                     for c, a, m in zip((node % dims[0], node // dims[
                                                         0]), at, mask))]
            sends += [joins.Send(node, packet, "R", dst, mask, length) for node in members]
            continue
        send = joins.Send(0, packet, kind, at if kind == "M" else dst, mask if kind == "M" else (0, 0),
                          length)
        others = sorted(set(nodes) - set(mesh.targets(send)))
        if others:
            send.node = rng.choice(others)
            sends.append(send)
    return dims, sends


def oracle_run(dims, sends, starts):
    """The oracle's run with starts as verdicts state them, and what is sent in it."""
    begins = {}
    for message in starts:
        nodes = sorted(send.node for send in sends if send.packet == message["multicast"])
        times = message.get("start_cycles") or [message["start_cycle"]]
        begins.update({(message["multicast"], node): time for node, time in zip(nodes, times)})
    named = [send for send in sends if (send.packet, send.node) in begins]
    return join_exploration.run_with(dims, 2, named, begins), named


def check_mixtures(name, dims, sends, verdict, seen, tallied):
    """What verdicts say of messages that are mixed or interleaved: each run shows it, and where all can be
    known all is said."""
    for place, key in enumerate(["mixed", "interleaved"]):
        said = verdict.get(key, [])
        for mixture in said:
            if "run" not in mixture:
                continue
            mesh, named = oracle_run(dims, sends, mixture["run"])
            tallied.check(mixture["multicasts"] in wanted_of(named, mesh)[2 + place],
                          f"{name}: the oracle's run shows nothing {key}: {mixture}")
        sets = {tuple(mixture["multicasts"]) for mixture in said}
        if verdict["answer"] == "safe-unreachable":
            tallied.check(sets == seen[key], f"{name}: {key} {sorted(sets)}, by all runs {sorted(seen[key])}")
        elif verdict["answer"] == "safe":
            tallied.check(seen[key] <= sets, f"{name}: {key} {sorted(seen[key])} by all runs, and not in the "
                          "verdict")


def answered_set(rng):
    """Multicasts on network 0, and on network 1 what answers them, joined: dims, both lists of sends."""
    dims, asked, answers = rng.choice([[3, 3], [4, 4]]), [], []
    mesh = joins.Mesh(*dims, 2, [])
    for packet in range(rng.choice([2, 3, 4])):
        mask, at = boxes(rng, dims)
        send = joins.Send(0, packet, "M", at, mask, rng.choice([1, 1, 2, 4]), rng.choice([0, 0, 1, 3]))
        others = set(range(dims[0] * dims[1])) - set(mesh.targets(send)) - {other.node for other in asked}
        if not others:
            continue
        send.node = rng.choice(sorted(others))
        asked.append(send)
        length = rng.choice([1, 1, 2])
        answers += [joins.Send(node, 100 + packet, "R", mesh.place(send.node), mask, length, after=packet)
                    for node in mesh.targets(send)]
    return dims, asked, answers


def check_answered(seeds, arguments, tallied):
    """Two networks of one clock (route-expand --answers-vc 1), tail by tail."""
    outcomes = collections.Counter()
    for seed in seeds:
        dims, asked, answers = answered_set(random.Random(3_000_000 + seed))
        meshes = joins.run(dims, 2, {0: asked, 1: answers})
        outcome = joins.outcome({0: asked, 1: answers}, meshes)
        each = [wanted_of(sends, meshes[network]) for network, sends in ((0, asked), (1, answers))]
        tails, mixed, interleaved = (sorted(sum((one[part] for one in each), [])) for part in (0, 2, 3))
        wanted = tails, WORDS.get(outcome, outcome), mixed, interleaved
        lines = []
        for send in asked:
            targets = joins.Mesh(*dims, 2, []).targets(send)
            length = next(answer.length for answer in answers if answer.after == send.packet)
            lines += [{"kind": "multicast", "id": send.packet, "source": send.node, "destinations": targets,
                       "length_flits": send.length, "start_cycle": send.start},
                      {"kind": "reduction", "id": 100 + send.packet, "root": send.node, "sources": targets,
                       "length_flits": length, "start_cycles": [send.start] * len(targets),
                       "depends_on": [send.packet]}]
        lines.sort(key=lambda line: (line["start_cycle"] if "start_cycle" in line
                                     else line["start_cycles"][0], line["id"]))
        topology = {"kind": "topology", "format": 1, "family": "mesh", "dims": dims, "virtual_channels": 2}
        stream = "".join(json.dumps(line, separators=(",", ":")) + "\n"
                         for line in [topology, *lines, {"kind": "end"}])
        got = simulated(Scenario(dims, 2, {}), stream, arguments, ["--answers-vc", "1"])
        tallied.check(got == wanted, f"answered set {seed}: simulate-wormhole says {got}; wanted "
                      f"{wanted}\n{stream}")
        outcomes[wanted[1]] += 1
    print("answered on two networks:", ", ".join(f"{kind}: {count}"
                                                 for kind, count in sorted(outcomes.items())))


def lone_set(rng):
    """A reduction of one flit beside unicasts of one flit."""
    dims = rng.choice([[3, 2], [2, 3], [3, 3]])
    nodes = range(dims[0] * dims[1])
    mask, at = boxes(rng, dims)
    dst = tuple(rng.randrange(size) for size in dims)
    sends = [joins.Send(node, 0, "R", dst, mask, 1) for node in nodes
             if all(not (c ^ a) & ~m for c, a, m in zip((node % dims[0], node // dims[0]), at, mask))]
    for packet in range(1, 1 + rng.choice([2, 2, 3])):
        node, to = rng.sample(nodes, 2)
        sends.append(joins.Send(node, packet, "U", (to % dims[0], to // dims[0]), (0, 0), 1))
    return dims, sends


def check_lone_sets(seeds, tallied):
    """None stands still (data/pages/reductions.md)."""
    counted = collections.Counter()
    for seed in seeds:
        dims, sends = lone_set(random.Random(2_000_000 + seed))
        explored = join_exploration.stands_still(dims, 2, sends, MOST_STATES)
        counted["left out" if explored is None else "explored"] += 1
        tallied.check(explored is None or not explored[0], f"lone set {seed} stands still: {sends}")
    print("one reduction beside unicasts:", ", ".join(f"{kind}: {count}"
                                                      for kind, count in sorted(counted.items())))


def check_small_sets(seeds, arguments, tallied):
    """Verdicts on small sets against all their runs, and witnesses against the oracle."""
    answers = collections.Counter()
    for seed in seeds:
        dims, sends = small_set(random.Random(1_000_000 + seed))
        explored = join_exploration.stands_still(dims, 2, sends, MOST_STATES)
        scenario = Scenario(dims, 2, {0: sends})
        stream = records(scenario, sends, joins.Mesh(*dims, 2, []))
        if stream is None or explored is None or not any(send.kind == "R" for send in sends):
            answers["left out"] += 1
            continue
        wanted, seen = explored
        verdict, fault = judged(stream, arguments)
        answer = verdict["answer"]
        answers[answer] += 1
        right = answer == "deadlock" if wanted else answer in ("safe", "safe-unreachable")
        tallied.check(right and not fault, f"small set {seed}: {answer}, {fault}; stands still: "
                      f"{wanted}\n{stream}")
        if right:
            check_mixtures(f"small set {seed}", dims, sends, verdict, seen, tallied)
        if not wanted or not right:
            continue
        mesh, _ = oracle_run(dims, sends, verdict["witness"])
        tallied.check(mesh.stands(), f"small set {seed}: the oracle does not stand still\n{stream}")
    print("small sets:", ", ".join(f"{kind}: {count}" for kind, count in sorted(answers.items())))
    if len(seeds) >= SHORT:
        for answer in "deadlock", "safe", "safe-unreachable":
            tallied.check(100 * answers[answer] >= 2 * len(seeds), f"only {answers[answer]} small sets: "
                          f"{answer}")


def main():
    arguments = tally.seeds_option(__doc__, SHORT)
    counts, drawn, tallied = collections.Counter(), collections.Counter(), tally.Tally()
    with tempfile.TemporaryDirectory() as folder:
        arguments.trace = str(pathlib.Path(folder) / "trace.json")
        for record, scenario in measured():
            name = f"measured scenario {record['id']}"
            meshes = scenario.run()
            tails = sorted([number, *tail] for number, mesh in meshes.items() for tail in tails_of(mesh))
            outcome = joins.outcome(scenario.networks, meshes)
            wanted = sorted(record["tail_ejections"]), record["outcome"]
            tallied.check((tails, outcome) == wanted, f"{name}: the oracle says {outcome}, {tails}; wanted "
                          f"{wanted}")
            counts[outcome] += 1
            compare(name, scenario, meshes, arguments, tallied, counts)
        seeds = arguments.seeds
        for seed in seeds:
            scenario = random_scenario(random.Random(seed))
            meshes = scenario.run()
            drawn[joins.outcome(scenario.networks, meshes)] += 1
            compare(f"seed {seed}", scenario, meshes, arguments, tallied, drawn)
        check_small_sets(range(seeds.start, seeds.stop + len(seeds) // 2), arguments, tallied)
        check_answered(range(seeds.start, seeds.start + len(seeds) // 2), arguments, tallied)
        check_lone_sets(range(seeds.start, seeds.start + len(seeds) // 8), tallied)
    for kind, least in LEAST.items() if len(seeds) >= SHORT else ():
        tallied.check(1000 * drawn[kind] >= least * len(seeds), f"only {drawn[kind]} of {len(seeds)} random "
                      f"scenarios: {kind}")
    print("measured:", ", ".join(f"{kind}: {count}" for kind, count in counts.items()))
    print("random:", ", ".join(f"{kind}: {count}" for kind, count in drawn.items()))
    return tallied.close()


if __name__ == "__main__":
    sys.exit(main())
