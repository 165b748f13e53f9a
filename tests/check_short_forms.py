#!/usr/bin/env python3
# What depends_on and nodes that are busy until they have answered say, said as programs: the same verdicts.
# SPDX-License-Identifier: MIT
"""Say small sets of routes both ways, ask check-deadlock about both, and end with "N passed, N failed".

  check_short_forms.py [--bin DIR] [--seeds FIRST:LAST]

- depends_on: a multicast starts when others have come to its source. As a program: for each multicast a
  process at its source takes a counter for each that it depends on, and sends; at each destination a process
  receives it, and gives these counters.
- --consumption-release answered: a node that has taken a multicast takes nothing else by that consumption
  channel until its answer has left. As a program: its process receives, then sends. Here each consumption
  channel is one flow's, paths are sent one to three times: a program does not choose by what comes, so it
  does not say that a node is busy for another flow.

Most sets are drawn anew until they can deadlock where nothing waits (depends_on), or where nodes are busy.
One of the two answers may be `unknown`, which is counted. """
import collections
import json
import random
import subprocess
import sys

import tally
from oracle.network import Network
from oracle.random_programs import drawn_flows, drawn_network
from oracle.random_routes import stream_of

SHORT, TRIES = 200, 20
# Of the sets, in hundredths.
LEAST = {"deadlock": 15, "safe": 30, "decided by what waits": 7}
LIMITS = ["--search-limit", "20000", "--state-limit", "20000"]
BUSY = {"answered": ["--consumption-release", "answered"], "depends_on": []}


def repeated(times, steps):
    return steps if times == 1 else [{"repeat": times, "steps": steps}]


def program(processes, counters=()):
    return {"kind": "program", "counters": [{"name": name} for name in counters],
            "processes": [{"name": f"p{number}", "host": host, "steps": steps}
                          for number, (host, steps) in enumerate(processes)]}


def with_depends(rng, flows):
    """(routes, of which some depend on earlier ones that come to their sources; flows; their program)."""
    routes, processes, counters = [], [], []
    for number, flow in enumerate(flows):
        earlier = [one["id"] for one in flows[:number] if flow["source"] in one["destinations"]]
        chosen = sorted(rng.sample(earlier, rng.randint(min(1, len(earlier)), len(earlier))))
        routes.append({**flow, **({"depends_on": chosen} if chosen else {})})
        counters += [f"{one} for {flow['id']}" for one in chosen]
        processes.append((flow["source"], [*({"take": f"{one} for {flow['id']}"} for one in chosen),
                                           {"send": flow["id"]}]))
    for flow in flows:
        for host in flow["destinations"]:
            gives = [{"give": f"{flow['id']} for {one['id']}"} for one in routes
                     if one["source"] == host and flow["id"] in one.get("depends_on", [])]
            processes.append((host, [{"receive": flow["length_flits"], "from": flow["id"]}, *gives]))
    return routes, flows, program(processes, counters)


def ways_in(flow):
    """Host and the hop by which the flow comes to it."""
    worm = flow["worms"][0]
    parents = worm.get("hop_parents", range(-1, len(worm["hops"]) - 1))
    return {(hop, worm["hops"][parent]) for hop, parent in zip(worm["hops"], parents) if hop < 0}


def with_answers(rng, network, flows):
    """(multicasts of which each is there several times, with answers; flows; their program); None if two
    flows would come by one consumption channel."""
    routes, kept, processes = [], [], []
    for flow in flows:
        times, answers = rng.choice([1, 2, 2, 3] if len(flow["destinations"]) == 1 else [1]), []
        for host in flow["destinations"]:
            answer = one_way_back(rng, network, 1000 + len(kept) + len(answers), host, flow["source"])
            answers.append(answer)
            processes.append((host, repeated(times, [{"receive": flow["length_flits"], "from": flow["id"]},
                                                     {"send": answer["id"]}])))
            processes.append((flow["source"], repeated(times, [{"receive": answer["length_flits"],
                                                                "from": answer["id"]}])))
        processes.append((flow["source"], repeated(times, [{"send": flow["id"]}])))
        kept += [flow, *answers]
        for _ in range(times):
            number = len(routes)
            routes.append({**flow, "id": number, "workload": {"answers": "source"}})
            routes += [{**answer, "id": number + 1 + at, "depends_on": [number],
                        "workload": {"answer": "true"}}
                       for at, answer in enumerate(answers)]
    ways = [way for flow in kept for way in ways_in(flow)]
    return (routes, kept, program(processes)) if len(set(ways)) == len(ways) else None


def one_way_back(rng, network, number, source, destination):
    """By any shortest way."""
    start, end = network.router_of[source], network.router_of[destination]
    unseen = [((), start)]
    for way, router in unseen:
        if router == end:
            break
        unseen += [((*way, channel), to) for channel, (begin, to)
                   in rng.sample(sorted(network.ends.items()), len(network.ends)) if begin == router]
    return {"kind": "routes", "id": number, "source": source, "destinations": [destination],
            "length_flits": rng.choice([1, 2, 4]), "start_cycle": 0,
            "worms": [{"hops": [*way, ~destination]}]}


def cycle_of(rng, network):
    """Channels round a cycle of three routers at least; None if a walk finds none."""
    start = rng.choice(sorted(network.ends.values()))[0]
    way, router = [], start
    while not way or router != start:
        following = [(channel, to) for channel, (begin, to) in sorted(network.ends.items()) if begin == router
                     and to not in [network.ends[one][0] for one in way[1:]]]
        if not following or len(way) > 6:
            return None
        channel, router = rng.choice(following)
        way.append(channel)
    return way if len(way) > 2 else None


def part_of(rng, network, cycle, number):
    """A flow along a part of the cycle."""
    first, length = rng.randrange(len(cycle)), rng.randint(1, len(cycle) - 1)
    way = [cycle[(first + at) % len(cycle)] for at in range(length)]
    ends = network.ends[way[0]][0], network.ends[way[-1]][1]
    hosts = [[host for host, router in enumerate(network.router_of) if router == end] for end in ends]
    if not all(hosts):
        return None
    source, destination = map(rng.choice, hosts)
    return {"kind": "routes", "id": number, "source": source, "destinations": [destination],
            "length_flits": rng.choice([1, 2, 4, 6]), "start_cycle": 0,
            "worms": [{"hops": [*way, ~destination]}]}


def drawn(rng, depends):
    """(which form, topology, routes, flows, program, options); None if the flows are not for that form."""
    topology = drawn_network(rng)
    network = Network(topology)
    if not depends and topology["family"] == "graph":
        return None
    flows, cycle = drawn_flows(rng, topology)[:2], cycle_of(rng, network)
    if cycle:
        flows = rng.sample(flows, min(len(flows), rng.choice([0, 0, 1]))) + [
            flow for number in range(rng.choice([2, 3, 3, 4, 5]))
            if (flow := part_of(rng, network, cycle, 100 + number))]
    said = flows and (with_depends(rng, flows) if depends else with_answers(rng, network, flows))
    slots = ["--buffer-flits", str(rng.choice([1, 1, 2, 4]))]
    return ("depends_on" if depends else "answered", topology, *said, slots) if said else None


def asked(bin_dir, stream, *options):
    """(the answer, its verdict); what is on stderr in place of an answer that there is none of."""
    done = subprocess.run([bin_dir / "check-deadlock", *LIMITS, *options, "-"], input=stream, text=True,
                          capture_output=True, check=False, timeout=300)
    verdicts = [one for one in map(json.loads, done.stdout.splitlines()) if one["kind"] == "verdict"]
    return verdicts[0]["answer"].replace("-unreachable", "") if verdicts else done.stderr


def without(routes):
    """Nothing waits."""
    return [{key: value for key, value in one.items() if key not in ("depends_on", "workload")}
            for one in routes]


def compared(bin_dir, seed):
    """(what is wrong, what to count)."""
    rng = random.Random(f"short forms {seed}")
    depends, wanted = rng.random() < 0.5, rng.random() < 0.7
    for _ in range(TRIES):
        while (case := drawn(rng, depends)) is None:
            pass
        form, topology, routes, flows, said, options = case
        free = asked(bin_dir, stream_of(topology, without(routes)), *options)
        short = asked(bin_dir, stream_of(topology, routes), *options, *BUSY[form])
        if not wanted or "deadlock" == (free if depends else short):
            break
    long = asked(bin_dir, stream_of(topology, [said, *flows]), *options)
    known = {short, long} <= {"safe", "deadlock"}
    counted = [form, short if known else "unknown", f"{form}: {short if known else 'unknown'}"]
    counted += ["decided by what waits"] * (known and free not in (short, "unknown"))
    agree = short == long or "unknown" in (short, long)
    return "" if agree else f"seed {seed}: {form}: {short}, as a program {long}", counted


def main():
    arguments = tally.seeds_option(__doc__, SHORT)
    tallied, all_counted = tally.Tally(), collections.Counter()
    for seed in arguments.seeds:
        wrong, counted = compared(arguments.bin, seed)
        tallied.check(not wrong, wrong)
        all_counted.update(counted)
    print(", ".join(f"{kind} {count}" for kind, count in sorted(all_counted.items())))
    for kind, least in LEAST.items() if len(arguments.seeds) >= SHORT else ():
        tallied.check(100 * all_counted[kind] >= least * len(arguments.seeds),
                      f"only {all_counted[kind]}: {kind}")
    return tallied.close()


if __name__ == "__main__":
    sys.exit(main())
