#!/usr/bin/env python3
# Compares simulate-wormhole --vc-allocation islip with a plain model of routers that allocate, on random
# streams.
# SPDX-License-Identifier: MIT
"""Simulate random streams twice and end with "N passed, N failed".

  check_allocating.py [--bin DIR] [--seeds FIRST:END]

Every seed makes a network with 1 to 5 virtual channels, a stream of routes (by planners, or by hand with
arbitrary hops) and a router. simulate-wormhole must answer as oracle/allocating.py does: every arrival,
waits, outcome, and where there is a deadlock its cycle and who is blocked. A stream that is answered
otherwise is kept in $TMPDIR, and the command that repeats it is printed. An oracle with a pointer that does
not move must be found out. """
import collections
import copy
import json
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

import tally
from oracle.allocating import Allocating, Simulation
from oracle.candidates import Relation
from oracle.network import Network
from oracle.random_routes import Dice, random_graph, random_routes, stream_of

SHORT = 300
# What these streams must have among them, in hundredths.
LEAST = {"deadlock": 5, "contended": 40, "routed on the way": 8}
# Of the first so many seeds at least this many must find out a pointer that does not move.
CONTROL_SEEDS, CONTROL_FOUND = 60, 3


def run(command, stream=None):
    return subprocess.run(list(map(str, command)), input=stream, capture_output=True, text=True, check=False,
                          timeout=120)


# Streams.


def random_router(rng):
    def perhaps(probability, low, high, default):
        return rng.randint(low, high) if rng.random() < probability else default

    router = Allocating(vc_allocation="islip", hop_cycles=perhaps(0.4, 1, 4, 1),
                        credit_cycles=perhaps(0.4, 1, 4, 1), buffer_flits=rng.randint(1, 8),
                        routing_cycles=perhaps(0.3, 1, 3, 0), startup_cycles=perhaps(0.2, 1, 6, 0),
                        relay_startup_cycles=perhaps(0.2, 1, 6, 0), overhead_cycles=perhaps(0.2, 1, 5, 0),
                        header_flits=perhaps(0.2, 1, 3, 0), injection_channels=perhaps(0.5, 1, 3, 0),
                        consumption_channels=perhaps(0.5, 1, 3, 0),
                        vc_allocation_cycles=perhaps(0.4, 0, 3, 1), vc_reuse=rng.choice(["drained", "early"]),
                        vc_selection=rng.choice(["preferred", "any"]))
    if rng.random() < 0.4:
        router.consumption_cycles = rng.randint(1, router.hop_cycles + router.credit_cycles)
    return router


def hand_made(rng, router):
    """(topology, routes): walks and trees of walks, whose virtual channels are those stated."""
    family = rng.choice(["mesh", "mesh", "torus", "torus", "graph", "graph", "hypercube"])
    topology = {"kind": "topology", "format": 1, "family": family}
    if family == "graph":
        topology.update(random_graph(rng))
        for link in topology["links"] + topology.get("host_links", []):
            link.pop("flit_cycles", None)  # a flit crosses in every cycle
    elif family == "hypercube":
        topology["dimensions"] = rng.choice([2, 3])
    else:
        topology["dims"] = rng.choice([[2, 2], [3, 2], [3, 3], [4, 1]] if family == "mesh"
                                      else [[3], [4], [3, 3], [2, 3]])
    dice = Dice(rng, Network(topology), router, rng.random() < 0.5)
    dice.virtual_channels = rng.choice([1, 1, 2, 3, 5])
    if rng.random() < 0.7:
        topology["virtual_channels"] = min(5, dice.virtual_channels + rng.choice([0, 0, 1]))
    while True:
        routes = random_routes(dice, rng.randint(2, 10))
        if routes:
            return topology, routes


NETWORKS = {"mesh": (["2 2", "3 3", "4 3", "4 4", "5 2", "3 2 2"],
                     ["separate", "dual-path", "multi-path", "fixed-path", "xy-tree", "xy-tree", "xy-path",
                      "otms", "ocms", "u-mesh", "column-path", "binomial", "shortest-path-tree", "rpm", "dpm",
                      "rectangle"]), "torus": (["3 3", "4 4", "4", "5 3", "2 4"],
                                               ["separate", "dual-path", "u-torus", "t2w", "btl", "dual-arm",
                                                "binomial", "xy-tree", "shortest-path-tree"]),
            "hypercube": (["2", "3", "4"], ["separate", "dual-path", "multi-path", "u-cube", "otms",
                                            "xy-tree", "binomial"]), "ccc": (["3"], ["separate", "u-ccc"]),
            "irregular": (["--switches 4 --ports 6 --hosts 2", "--switches 6 --ports 6 --hosts 2",
                           "--switches 3 --ports 4 --hosts 1"], ["separate", "u-tree", "switch-ordered",
                                                                 "mpm-ssr", "ocms-up-down", "otms-up-down",
                                                                 "opm", "steiner-tree"]),
            "dragonfly": (["--group-routers 2 --hosts 1 --global-links 1", "--group-routers 2 --hosts 2 "
                           "--global-links 2 --groups 3", "--group-routers 3 --hosts 1 --global-links 1"],
                          ["separate", "opm"]),}


# (planner, its routing functions) where routers route the worms, or the ways are drawn.
UNICASTS = ["separate", "separate", "binomial"]
CHOICES = {"mesh": [(UNICASTS, ["west-first", "north-last", "negative-first", "odd-even", "minimal-adaptive",
                                "minimal-adaptive-return", "fully-adaptive", "label-adaptive",
                                "booksim-min-adapt", "yx", "o1turn", "valiant", "romm", "given", "given"]),
                    (["dual-path", "multi-path", "otms"], ["label-adaptive"])],
           "torus": [(UNICASTS, ["fully-adaptive", "booksim-min-adapt", "booksim-min-adapt", "yx",
                                 "either-way"])], "hypercube": [(UNICASTS,
                                                                 ["negative-first", "minimal-adaptive",
                                                                  "minimal-adaptive-return", "fully-adaptive",
                                                                  "label-adaptive", "valiant", "given"]),
                                                                (["dual-path", "multi-path"],
                                                                 ["label-adaptive"])], "dragonfly": [
                                                                     (UNICASTS,
                                                                      ["dragonfly-minimal",
                                                                       "dragonfly-valiant", "dragonfly-ugal",
                                                                       "dragonfly-ugal", "dragonfly-ugal"])],
           "irregular": [(UNICASTS, ["fully-adaptive", "up-down-adaptive", "up-down-adaptive", "given"])],}


def random_relation(rng, topology):
    """Rules that lead closer with every hop: some channels, some virtual channels, here and there by how a
    header came."""
    network = Network(topology)
    vcs = rng.randint(1, topology.get("virtual_channels", 3))
    routers = sorted({end for ends in network.ends.values() for end in ends})
    fully = Relation("fully-adaptive", topology, network)

    def some(channels):
        return [lanes(channel) for channel in rng.sample(channels, rng.randint(1, len(channels)))]

    def lanes(channel):
        chosen = sorted(rng.sample(range(vcs), rng.randint(1, vcs)))
        return {"channel": channel, **({"vcs": chosen} if rng.random() < 0.6 else {})}

    rules = []
    for at in routers:
        entering = [channel for channel, (_, end) in network.ends.items() if end == at]
        for to in routers:
            if at == to:
                continue
            closer = [channel for channel, _ in fully.closer(at, to)]
            rules.append({"router": at, "to": [to], "take": some(closer)})
            if rng.random() < 0.3:
                came = rng.sample(entering, rng.randint(1, len(entering)))
                rules.append({"router": at, "to": [to], **({"starts": True} if rng.random() < 0.5 else {}),
                              "from": [lanes(channel) for channel in came], "take": some(closer)})
    rng.shuffle(rules)
    return {**({"virtual_channels": vcs} if vcs > 1 else {}), "rules": rules}


# What deadlocks where many are under way at once.
CROWDED = {"mesh": ["xy-tree", "xy-path", "shortest-path-tree"], "torus": ["xy-tree", "shortest-path-tree"],
           "hypercube": ["xy-tree"], "irregular": ["steiner-tree"]}


def differ(rng, topology):
    """Some links have slots, lengths and virtual channels of their own."""
    def own():
        most = {"hop_cycles": 4, "buffer_flits": 8, "virtual_channels": topology.get("virtual_channels", 0)}
        return {key: [rng.randint(1, bound), rng.randint(1, bound)] for key, bound in most.items() if bound
                and rng.random() < 0.5}

    for link in topology.get("links", []):
        link.update(own() if rng.random() < 0.4 else {})
    if "dims" in topology:
        topology["link_classes"] = [{"dimension": rng.randrange(len(topology["dims"])),
                                     "every": rng.choice([1, 2]), **own()} for _ in range(2)]


def planned(rng, bins, router):
    """(topology, routes) by the tools, or None where the planner refuses the network."""
    family = rng.choice(["mesh"] * 5 + ["torus"] * 3 + ["hypercube", "hypercube", "irregular", "irregular",
                                                        "ccc", "dragonfly"])
    sizes, planners = NETWORKS[family]
    crowded = family in CROWDED and rng.random() < 0.3
    if crowded:
        planners = CROWDED[family]
        router.buffer_flits = min(router.buffer_flits, 3)
    lanes = [] if rng.random() < 0.15 else ["--virtual-channels",
                                            rng.choice([1, 2] if crowded else [1, 2, 2, 3, 4, 5])]
    seed = ["--seed", rng.randrange(1000)]
    routing = []
    if family in CHOICES and rng.random() < 0.5:
        planners, functions = rng.choice(CHOICES[family])
        routing = ["--routing", rng.choice(functions)]
    wired = rng.choice(["dragonfly", "dragonfly-absolute",
                        "dragonfly-palm-tree"]) if family == "dragonfly" else family
    stream = run([bins / "gen-topology", wired, *rng.choice(sizes).split(), *lanes, *(
        seed if family == "irregular" else [])]).stdout
    topology = json.loads(stream.splitlines()[0])
    if rng.random() < 0.3:
        differ(rng, topology)
        stream = stream_of(topology, [])
    if "given" in routing:
        topology["relation"] = random_relation(rng, topology)
        stream = stream_of(topology, [])
    hosts = len(Network(topology).router_of)
    longest = rng.choice([2, 5, 10, 20])
    many = f"1:{min(hosts - 1, rng.choice([6, 12] if crowded else [1, 3, 6, 12]))}"
    stages = [["gen-multicast", "--count", rng.randint(8, 12) if crowded else rng.randint(2, 12),
               "--destinations", many, "--length-flits", rng.randint(8, 20) if crowded
               else rng.randint(1, longest), "--interval", 0 if crowded
               else rng.choice([0, 0, 1, 4, 10]), *seed], ["plan-multicast", rng.choice(planners), *routing],
              ["route-expand"]]
    for tool, *options in stages:
        done = run([bins / tool, *options], stream)
        if done.returncode:
            return None
        stream = done.stdout
    records = [json.loads(line) for line in stream.splitlines()]
    routes = [record for record in records if record["kind"] == "routes"]
    start = 0  # at random, though the tools would have them apart
    for route in routes:
        start += rng.choice([0, 0, 0, 1, 3, 9])
        route["start_cycle"] = start
    depend(rng, routes)
    return records[0], routes


def depend(rng, routes):
    for number, route in enumerate(routes):
        earlier = [other["id"] for other in routes[:number] if route["source"] in other["destinations"]]
        if earlier and rng.random() < 0.5:
            route["depends_on"] = sorted(rng.sample(earlier, 1))


def random_case(seed, bins):
    """(topology, routes, router)."""
    rng = random.Random(seed)
    router = random_router(rng)
    while True:
        case = hand_made(rng, router) if rng.random() < 0.35 else planned(rng, bins, router)
        if case:
            return (*case, router)


# Comparison.


def delivery_of(multicast):
    arrivals = [multicast.arrivals[host] for host in multicast.record["destinations"]]
    return {"id": multicast.id, "latency_cycles": max(arrivals) - multicast.record["start_cycle"],
            "arrival_cycles": arrivals, "source_queueing_cycles": multicast.queueing(),
            "blocked_cycles": multicast.blocked, "contention": multicast.contention}


def answer_of(simulation):
    """What simulate-wormhole must say of a simulation that is over."""
    multicasts = simulation.multicasts.values()
    events = sum((multicast.events for multicast in multicasts if multicast.complete()),
                 collections.Counter())
    return {"deliveries": sorted((delivery_of(multicast) for multicast in multicasts if multicast.complete()),
                                 key=lambda record: record["id"]), "events": dict(events) if events else None,
            "outcome": "complete" if simulation.finished() else "deadlock",
            "delivered_destinations": sum(len(multicast.arrivals) for multicast in multicasts),
            "source_queueing_cycles": sum(multicast.queueing() for multicast in multicasts),
            "blocked_cycles": sum(multicast.blocked for multicast in multicasts),
            "contention": sum(multicast.contention for multicast in multicasts)}


def said_of(records):
    """The same, by the tool's records."""
    summary = next(record for record in records if record["kind"] == "summary")
    deliveries = [{key: record[key] for key in ("id", "latency_cycles", "arrival_cycles",
                                                "source_queueing_cycles", "blocked_cycles", "contention")}
                  for record in records if record["kind"] == "delivery"]
    return {"deliveries": sorted(deliveries, key=lambda record: record["id"]),
            "events": summary.get("events"), **{key: summary[key]
                                                for key in ("outcome", "delivered_destinations",
                                                            "source_queueing_cycles", "blocked_cycles",
                                                            "contention")}}


def core_of(waits):
    """Without, repeatedly, the worms that none of them waits for."""
    worms, kept = None, set(waits)
    while kept != worms:
        worms = kept
        kept = worms & {other for worm in worms for other in waits[worm]}
    return worms


def first_standstill(topology, routes, router, end):
    """As `deadlock` of a summary, by halving: a deadlock never goes away. Of worms only their names."""
    def stuck_after(cycle):
        return Simulation(topology, routes, router).run(cycle).stuck()

    def names_of(worms):
        return sorted((worm.multicast.id, worm.index) for worm in worms)

    low, high = 0, end
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if stuck_after(middle) else (middle + 1, high)
    waits = stuck_after(low)
    return {"cycle": low, "worms": names_of(core_of(waits)), "blocked": names_of(waits)}


def differences(wanted, said):
    return [f"{key}: it says {said[key]}, wanted {value}" for key, value in wanted.items()
            if said[key] != value]


class Case:
    def __init__(self, seed, bins):
        self.seed, self.bins = seed, bins
        self.topology, self.routes, self.router = random_case(seed, bins)
        self.stream = stream_of(self.topology, self.routes)
        self.simulation = Simulation(self.topology, self.routes, self.router).run()
        self.wanted = answer_of(self.simulation)
        self.command = [bins / "simulate-wormhole", "--events", *self.router.options()]

    def differences(self):
        done = run(self.command, self.stream)
        if done.returncode not in (0, 1):
            return [f"status {done.returncode}: {done.stderr.strip()}"]
        records = [json.loads(line) for line in done.stdout.splitlines()]
        said = said_of(records)
        wrong = differences(self.wanted, said)
        if done.returncode != (self.wanted["outcome"] == "deadlock"):
            wrong.append(f"status {done.returncode}")
        deadlock = next(record for record in records if record["kind"] == "summary").get("deadlock")
        if not wrong and deadlock:
            standstill = first_standstill(self.topology, self.routes, self.router, self.simulation.cycle)
            names = {key: [(worm["multicast"], worm["worm"]) for worm in deadlock[key]]
                     for key in ("worms", "blocked")}
            wrong = differences(standstill, {"cycle": deadlock["cycle"], **names})
        return wrong

    def report(self, wrong):
        path = pathlib.Path(tempfile.gettempdir()) / f"allocating-{self.seed}.jsonl"
        path.write_text(self.stream)
        return f"seed {self.seed}: " + "; ".join(wrong) + f"\n  {shlex.join(map(str, [*self.command, path]))}"

    def kinds(self):
        yield "stream"
        yield "planned" if "planner" in self.routes[0] else "by hand"
        if "hops" not in self.routes[0]["worms"][0]:
            yield "routed on the way"
        if self.wanted["outcome"] == "deadlock":
            yield "deadlock"
        if self.wanted["contention"]:
            yield "contended"

    def finds_stuck_pointer(self):
        other = Simulation(copy.deepcopy(self.topology), copy.deepcopy(self.routes), self.router,
                           stuck_pointer=True).run()
        return answer_of(other) != self.wanted


def main():
    arguments = tally.seeds_option(__doc__, SHORT)
    seeds = arguments.seeds
    counts, tallied, found = collections.Counter(), tally.Tally(), 0
    for seed in seeds:
        case = Case(seed, arguments.bin)
        counts.update(case.kinds())
        wrong = case.differences()
        tallied.check(not wrong, case.report(wrong) if wrong else "")
        if seed - seeds[0] < CONTROL_SEEDS:
            found += case.finds_stuck_pointer()
    for kind, least in LEAST.items() if len(seeds) >= SHORT else ():
        tallied.check(100 * counts[kind] >= least * len(seeds), f"only {counts[kind]} of {len(seeds)} "
                      f"streams: {kind}")
    if len(seeds) >= CONTROL_SEEDS:
        tallied.check(found >= CONTROL_FOUND, f"a pointer that does not move changes only {found} of "
                      f"{CONTROL_SEEDS} streams")
    print(", ".join(f"{kind}: {count}" for kind, count in counts.items()) + "; a pointer that does not move "
          f"changes {found}")
    return tallied.close()


if __name__ == "__main__":
    sys.exit(main())
