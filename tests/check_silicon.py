#!/usr/bin/env python3
# Compares a mesh of routers, register by register, with what was measured, and simulate-wormhole with both.
# SPDX-License-Identifier: MIT
"""Simulate multicasts on meshes of routers that copy flit by flit, and end with "N passed, N failed".

  check_silicon.py [--bin DIR] [--seeds FIRST:END]

The measured scenarios (tests/reference/router_multicast.jsonl) are simulated by oracle/silicon.py and by
simulate-wormhole --preset floonoc; every seed then makes another scenario, on other meshes, with other lengths, starts
and buffers, several packets a source, which is compared between the two. (FIFOs have 2 flits or more: with one, a source
could offer a flit in every other cycle only, where a node of simulate-wormhole offers one in each.) Each tail must leave in the same cycle, and
what stands still in one must be a deadlock in the other. What stood still when measured, check-deadlock must not call
safe; each deadlock that it finds must stand still whatever the arbitration, and every verdict must hold for --verify.
"""
import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import tally
from oracle.silicon import Mesh, Packet

MEASURED = pathlib.Path(__file__).parent / "reference" / "router_multicast.jsonl"
SHORT = 500
# A node takes a cycle to offer a flit to its router, which simulate-wormhole does not count.
OFFERED = 1
# What the random scenarios must have among them, in hundredths.
LEAST = {"stuck": 5, "contended": 40}


class Scenario:
    def __init__(self, dims, fifo_flits, packets):
        self.dims, self.fifo_flits, self.packets = dims, fifo_flits, packets

    def tails(self):
        """By the oracle: [(packet, node, cycle)], and whether all arrive."""
        mesh = Mesh(*self.dims, self.fifo_flits, self.packets).run()
        return sorted((i, node, cycle) for i, packet in enumerate(self.packets) for node, cycle in packet.tails.items()), mesh.complete()

    def stream(self):
        records = [{"kind": "topology", "format": 1, "family": "mesh", "dims": self.dims}]
        records += [{"kind": "multicast", "id": i, "source": packet.source, "destinations": packet.destinations,
                     "length_flits": packet.flits, "start_cycle": packet.start} for i, packet in enumerate(self.packets)]
        return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in [*records, {"kind": "end"}])


def measured():
    for line in MEASURED.read_text().splitlines():
        record = json.loads(line)
        packets = [Packet(m["source"], sorted(m["destinations"]), record["length_flits"]) for m in record["multicasts"]]
        yield Scenario([4, 4], 2, packets), [tuple(tail) for tail in record["tail_ejections"]], record["complete"]


def random_scenario(rng):
    dims = rng.choice([[2, 2], [3, 3], [4, 3], [4, 4], [5, 2], [6, 6], [8, 4], [7, 1]])
    nodes = dims[0] * dims[1]
    count = rng.randint(1, min(14, 1 + nodes))
    packets = []
    start = 0
    for _ in range(count):
        source = rng.randrange(nodes)
        others = [node for node in range(nodes) if node != source]
        wanted = rng.choice([1, 2, 3, 4, 8, nodes])
        packets.append(Packet(source, sorted(rng.sample(others, min(wanted, len(others)))), rng.choice([1, 2, 3, 4, 5, 9, 16, 30]), start))
        start += rng.choice([0, 0, 0, 1, 2, 7])
    return Scenario(dims, rng.choice([2, 2, 3, 4, 8]), packets)


def simulated(scenario, bin_dir, trace):
    """By simulate-wormhole: tails, as its trace tells those of unfinished multicasts too, and the outcome."""
    command = [bin_dir / "simulate-wormhole", "--preset", "floonoc", "--buffer-flits", str(scenario.fifo_flits), "--trace", trace]
    done = subprocess.run(command, input=routes_of(scenario, bin_dir), capture_output=True, text=True, check=False, timeout=120)
    if done.returncode not in (0, 1):
        return done.stderr, None
    summary = next(record for record in map(json.loads, done.stdout.splitlines()) if record["kind"] == "summary")
    return arrivals_of(trace), summary["outcome"]


def routes_of(scenario, bin_dir):
    stream = scenario.stream()
    for tool in ["plan-multicast", "xy-tree"], ["route-expand"]:
        stream = subprocess.run([bin_dir / tool[0], *tool[1:]], input=stream, capture_output=True, text=True, check=True, timeout=120).stdout
    return stream


def judge(name, scenario, complete, arguments, tallied):
    """The answer of check-deadlock on the scenario's packets, each at any time."""
    routes, witness, verdict = (arguments.folder / file for file in ("routes", "witness", "verdict"))
    routes.write_text(routes_of(scenario, arguments.bin))
    preset = ["--preset", "floonoc", "--buffer-flits", str(scenario.fifo_flits)]
    tool = arguments.bin.resolve() / "check-deadlock"
    done = subprocess.run([tool, *preset, "--witness", witness, routes], capture_output=True, text=True, check=False, timeout=300)
    verdict.write_text(done.stdout)
    answer = json.loads(done.stdout.splitlines()[1])["answer"]
    tallied.check(answer != "unknown" and (complete or answer == "deadlock"), f"{name}: check-deadlock says {answer}, complete: {complete}")
    verified = subprocess.run([tool, "--verify", verdict, routes], capture_output=True, text=True, check=False, timeout=300)
    tallied.check(verified.returncode == 0, f"{name}: {verified.stderr}")
    for arbitration in ("round-robin", "first-come") if answer == "deadlock" else ():
        done = subprocess.run([arguments.bin.resolve() / "simulate-wormhole", *preset, "--output-arbitration", arbitration, "--summary-only", witness],
                              capture_output=True, text=True, check=False, timeout=120)
        tallied.check('"outcome":"deadlock"' in done.stdout, f"{name}: its witness does not stand still under {arbitration}")
    return answer


def arrivals_of(trace):
    events = json.loads(pathlib.Path(trace).read_text())
    events = events["traceEvents"] if isinstance(events, dict) else events
    return sorted(arrival for event in events if (arrival := arrival_of(event)))


def arrival_of(event):
    """(multicast, node, cycle) of an event that is the arrival of a tail."""
    if event["ph"] != "i":
        return None
    return event["args"]["multicast"], event["args"]["host"], event["ts"] + OFFERED


def compare(name, scenario, wanted, complete, arguments, tallied):
    got, outcome = simulated(scenario, arguments.bin.resolve(), arguments.trace)
    tallied.check(got == wanted and outcome == ("complete" if complete else "deadlock"),
                  f"{name}: simulate-wormhole says {outcome}, {got}; wanted {complete}, {wanted}\n{scenario.stream()}")


def kinds_of(scenario, tails, complete):
    yield "scenario"
    if not complete:
        yield "stuck"
    alone = all(cycle == packet.start + distance(scenario.dims[0], packet.source, node) + packet.flits
                for i, node, cycle in tails for packet in [scenario.packets[i]])
    if not alone:
        yield "contended"


def distance(width, one, other):
    return abs(one % width - other % width) + abs(one // width - other // width)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=tally.BUILD / "bin", type=pathlib.Path, help="folder of the tools")
    parser.add_argument("--seeds", default=f"0:{SHORT}", help="the first, and the one after the last")
    arguments = parser.parse_args()
    counts, tallied = collections.Counter(), tally.Tally()
    with tempfile.TemporaryDirectory() as folder:
        arguments.folder = pathlib.Path(folder)
        arguments.trace = str(arguments.folder / "trace.json")
        for number, (scenario, tails, complete) in enumerate(measured()):
            tallied.check(scenario.tails() == (tails, complete), f"measured scenario {number}: the oracle says {scenario.tails()}")
            compare(f"measured scenario {number}", scenario, tails, complete, arguments, tallied)
            counts["judged " + judge(f"measured scenario {number}", scenario, complete, arguments, tallied)] += 1
        seeds = range(*map(int, arguments.seeds.split(":")))
        for seed in seeds:
            scenario = random_scenario(random.Random(seed))
            tails, complete = scenario.tails()
            counts.update(kinds_of(scenario, tails, complete))
            compare(f"seed {seed}", scenario, tails, complete, arguments, tallied)
    for kind, least in LEAST.items() if len(seeds) >= SHORT else ():
        tallied.check(100 * counts[kind] >= least * len(seeds), f"only {counts[kind]} of {len(seeds)} scenarios: {kind}")
    print(", ".join(f"{kind}: {count}" for kind, count in counts.items()))
    return tallied.close()


if __name__ == "__main__":
    sys.exit(main())
