#!/usr/bin/env python3
# Compares a mesh of routers, register by register, with what was measured, and simulate-wormhole with both.
# SPDX-License-Identifier: MIT
"""Simulate multicasts on meshes of three routers that copy, and end with "N passed, N failed".

  check_silicon.py [--bin DIR] [--seeds FIRST:END]

Routers that copy flit by flit (--preset floonoc), in lock step (esp) and one copy after the other (pronoc).
The measured scenarios (tests/reference/router_*.jsonl) are simulated by oracle/silicon.py,
lock_step_router.py and serial_router.py, and by simulate-wormhole; every seed then makes another scenario of
each router, on other meshes, with other lengths, starts and buffers, several packets a source, which is
compared between the two. Each tail must leave in the same cycle, and what stands still in one must be a
deadlock in the other. What stood still when measured, check-deadlock must not call safe; each deadlock that
it finds must stand still when its witness is replayed, and every verdict must hold for --verify. Where the
packets arrived when measured, yet can deadlock in lock step, other start cycles are looked for at which they
stand still.

Buffers are no smaller than a slot's round trip: with less a source
could not offer a flit in every cycle, as a node of simulate-wormhole does.
"""
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import tally
from oracle import lock_step_router, serial_router, silicon
from oracle.silicon import Packet

REFERENCE = pathlib.Path(__file__).parent / "reference"
SHORT = 260
# What the random scenarios must have among them, in hundredths.
LEAST = {"stuck": 4, "contended": 40}
# The measured scenario whose packets stand still only after a packet of another node has held up a header:
# when they start, and it.
HELD_UP = {246: ({0: 0, 3: 0, 1: 6}, Packet(4, [8], 12, 0))}
MOST_STARTS = 200


class Router:
    """`early`: by how many cycles the oracle says later, and `constant` simulate-wormhole says earlier, than
    was measured that a tail left; `arbitrations`: under which a witness must stand still."""

    def __init__(self, mesh, lengths, buffers, early, constant, arbitrations=((),), vcs=(1,)):
        self.mesh, self.lengths, self.buffers, self.early, self.constant = (
            mesh, lengths, buffers, early, constant)
        self.arbitrations, self.vcs = arbitrations, vcs


ROUTERS = {"floonoc": Router(silicon.Mesh, [1, 2, 3, 4, 5, 9, 16, 30], [2, 2, 3, 4, 8], 0, 1,
                             [["round-robin"], ["first-come"]]), "esp": Router(
                                 lock_step_router.Mesh, [2, 3, 4, 5, 6, 9, 16, 30], [2, 3, 4, 4, 4, 8], 1, 1),
           "pronoc": Router(serial_router.Mesh, [1, 2, 3, 4, 4, 4, 5, 8], [4, 4, 4, 5, 8], -1, 2,
                            vcs=[1, 1, 2, 3]),}


class Scenario:
    def __init__(self, router, dims, buffer_flits, packets, vcs=1):
        self.router, self.dims, self.buffer_flits, self.packets, self.vcs = (
            router, dims, buffer_flits, packets, vcs)

    def tails(self):
        """By the oracle, as measured: [(packet, node, cycle)], and whether all arrive."""
        kind = ROUTERS[self.router]
        mesh = kind.mesh(*self.dims, self.buffer_flits, self.packets,
                         **({"vcs": self.vcs} if self.vcs > 1 else {})).run()
        return sorted((i, node, cycle - kind.early) for i, packet in enumerate(self.packets)
                      for node, cycle in packet.tails.items()), mesh.complete()

    def preset(self):
        return ["--preset", self.router, "--buffer-flits", str(self.buffer_flits)]

    def stream(self):
        records = [{"kind": "topology", "format": 1, "family": "mesh", "dims": self.dims,
                    "virtual_channels": self.vcs}]
        order = sorted(enumerate(self.packets), key=lambda numbered: numbered[1].start)
        records += [{"kind": "multicast", "id": i, "source": packet.source,
                     "destinations": packet.destinations, "length_flits": packet.flits,
                     "start_cycle": packet.start} for i, packet in order]
        return "".join(json.dumps(record, separators=(",", ":")) + "\n"
                       for record in [*records, {"kind": "end"}])


def measured():
    for file in ("router_multicast.jsonl", "router_serial_and_lock_step.jsonl"):
        for line in (REFERENCE / file).read_text().splitlines():
            record = json.loads(line)
            packets = []
            for one in record["multicasts"]:
                length = one.get("length_flits", record.get("length_flits"))
                packets.append(Packet(one["source"], sorted(one["destinations"]), length,
                                      one.get("start_cycle", 0), one.get("vc")))
            buffer_flits = record.get("buffer_flits", record.get("fifo_flits", 2))
            scenario = Scenario(record.get("router", "floonoc"), [4, 4], buffer_flits, packets,
                                record.get("virtual_channels", 1))
            yield scenario, [tuple(tail) for tail in record["tail_ejections"]], record["complete"]


def random_scenario(router, rng):
    kind = ROUTERS[router]
    dims = rng.choice([[2, 2], [3, 3], [4, 3], [4, 4], [5, 2], [6, 6], [8, 4], [7, 1]])
    nodes = dims[0] * dims[1]
    count = rng.randint(1, min(14, 1 + nodes))
    packets = []
    start = 0
    for _ in range(count):
        source = rng.randrange(nodes)
        others = [node for node in range(nodes) if node != source]
        wanted = rng.choice([1, 2, 3, 4, 8, nodes])
        packets.append(Packet(source, sorted(rng.sample(others, min(wanted, len(others)))),
                              rng.choice(kind.lengths), start))
        start += rng.choice([0, 0, 0, 1, 2, 7])
    return Scenario(router, dims, rng.choice(kind.buffers), packets, rng.choice(kind.vcs))


def simulated(scenario, bin_dir, trace):
    """By simulate-wormhole: tails, as its trace tells those of unfinished multicasts too, and the outcome."""
    command = [bin_dir / "simulate-wormhole", *scenario.preset(), "--trace", trace]
    done = subprocess.run(command, input=routes_of(scenario, bin_dir), capture_output=True, text=True,
                          check=False, timeout=120)
    if done.returncode not in (0, 1):
        return done.stderr, None
    summary = next(record for record in map(json.loads, done.stdout.splitlines())
                   if record["kind"] == "summary")
    return arrivals_of(trace, ROUTERS[scenario.router].constant), summary["outcome"]


def routes_of(scenario, bin_dir):
    stream = scenario.stream()
    for tool in ["plan-multicast", "xy-tree"], ["route-expand"]:
        stream = subprocess.run([bin_dir / tool[0], *tool[1:]], input=stream, capture_output=True, text=True,
                                check=True, timeout=120).stdout
    return stream


def judge(name, scenario, complete, arguments, tallied):
    """The answer of check-deadlock on the scenario's packets, each at any time."""
    routes, witness, verdict = (arguments.folder / file for file in ("routes", "witness", "verdict"))
    routes.write_text(routes_of(scenario, arguments.bin))
    preset = scenario.preset()
    tool = arguments.bin / "check-deadlock"
    done = subprocess.run([tool, *preset, "--witness", witness, routes], capture_output=True, text=True,
                          check=False, timeout=300)
    verdict.write_text(done.stdout)
    answer = json.loads(done.stdout.splitlines()[1])["answer"]
    settled = answer != "unknown" or scenario.router == "esp"  # whose worms are explored up to a limit
    tallied.check(settled and (complete or answer in ("deadlock", "unknown")), f"{name}: check-deadlock says "
                  f"{answer}, complete: {complete}")
    verified = subprocess.run([tool, "--verify", verdict, routes], capture_output=True, text=True,
                              check=False, timeout=300)
    tallied.check(verified.returncode == 0, f"{name}: {verified.stderr}")
    for arbitration in ROUTERS[scenario.router].arbitrations if answer == "deadlock" else ():
        options = [*preset, *(["--output-arbitration", *arbitration] if arbitration else [])]
        done = subprocess.run([arguments.bin / "simulate-wormhole", *options, "--summary-only",
                               witness], capture_output=True, text=True, check=False, timeout=120)
        tallied.check('"outcome":"deadlock"' in done.stdout, f"{name}: its witness does not stand still with "
                      f"{options}")
    return answer


def other_starts(number, scenario):
    """The scenario's packets, by the oracle standing still as they start at other cycles; None if none such
    are found."""
    rng = random.Random(number)
    if number in HELD_UP:
        starts, other = HELD_UP[number]
        choices = [[at_other_cycle(scenario.packets[i], start) for i, start in starts.items()] + [other]]
    else:
        choices = ([at_other_cycle(packet, rng.randrange(latest)) for packet in scenario.packets]
                   for latest in (rng.choice([4, 10, 20, 30]) for _ in range(MOST_STARTS)))
    shifted = (Scenario(scenario.router, scenario.dims, scenario.buffer_flits, packets)
               for packets in choices)
    return next((one for one in shifted if not one.tails()[1]), None)


def arrivals_of(trace, constant):
    events = json.loads(pathlib.Path(trace).read_text())
    events = events["traceEvents"] if isinstance(events, dict) else events
    return sorted(arrival for event in events if (arrival := arrival_of(event, constant)))


def arrival_of(event, constant):
    """(multicast, node, cycle) of an event that is the arrival of a tail."""
    if event["ph"] != "i":
        return None
    return event["args"]["multicast"], event["args"]["host"], event["ts"] + constant


def compare(name, scenario, wanted, complete, arguments, tallied):
    got, outcome = simulated(scenario, arguments.bin, arguments.trace)
    tallied.check(got == wanted and outcome == ("complete" if complete else "deadlock"),
                  f"{name}: simulate-wormhole says {outcome}, {got}; wanted {complete}, "
                  f"{wanted}\n{scenario.stream()}")


def kinds_of(scenario, tails, complete):
    yield scenario.router
    if not complete:
        yield f"{scenario.router} stuck"
    alone = [tail for packet in scenario.packets for tail in Scenario(scenario.router, scenario.dims,
                                                                      scenario.buffer_flits,
                                                                      [at_other_cycle(packet, packet.start)],
                                                                      scenario.vcs).tails()[0]]
    if sorted(tail[1:] for tail in alone) != sorted(tail[1:] for tail in tails):
        yield f"{scenario.router} contended"


def at_other_cycle(packet, start):
    return Packet(packet.source, packet.destinations, packet.flits, start, packet.vc)


def main():
    arguments = tally.seeds_option(__doc__, SHORT)
    counts, tallied = collections.Counter(), tally.Tally()
    with tempfile.TemporaryDirectory() as folder:
        arguments.folder = pathlib.Path(folder)
        arguments.trace = str(arguments.folder / "trace.json")
        for number, (scenario, tails, complete) in enumerate(measured()):
            name = f"measured scenario {number} of {scenario.router}"
            found = scenario.tails()
            tallied.check(found == (tails, complete), f"{name}: the oracle says {found}")
            compare(name, scenario, tails, complete, arguments, tallied)
            answer = judge(name, scenario, complete, arguments, tallied)
            counts[f"{scenario.router} judged {answer}"] += 1
            if scenario.router == "esp" and complete and answer == "deadlock":
                counts["esp judged deadlock that arrived"] += 1
                standing = other_starts(number, scenario)
                tallied.check(standing is not None, f"{name}: it is not found to stand still at other starts")
                if standing:
                    compare(f"{name}, other starts", standing, *standing.tails(), arguments, tallied)
        for seed in arguments.seeds:
            router = list(ROUTERS)[seed % len(ROUTERS)]
            scenario = random_scenario(router, random.Random(seed))
            tails, complete = scenario.tails()
            counts.update(kinds_of(scenario, tails, complete))
            compare(f"seed {seed}", scenario, tails, complete, arguments, tallied)
    for router in ROUTERS if len(arguments.seeds) >= SHORT else ():
        for kind, least in LEAST.items():
            tallied.check(100 * counts[f"{router} {kind}"] >= least * counts[router],
                          f"only {counts[f'{router} {kind}']} of {counts[router]} scenarios of {router}: "
                          f"{kind}")
    print(", ".join(f"{kind}: {count}" for kind, count in counts.items()))
    return tallied.close()


if __name__ == "__main__":
    sys.exit(main())
