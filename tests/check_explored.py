#!/usr/bin/env python3
# Compares check-deadlock with an independent exploration of random streams.
# SPDX-License-Identifier: MIT
"""Ask for verdicts on random streams, explore these, and end with "N passed, N failed".

  check_explored.py [--bin DIR] [--seeds FIRST:END]

Every seed makes a router and small streams of routes (oracle/random_routes.py), on graphs and other networks,
with nodes that answer, relays and trees, and streams of planners of any network on graphs with links that run
one way. check-deadlock must answer as oracle/exploration.py does, --verify must accept its evidence, and each
witness must stand still in simulate-wormhole. A witness that was changed at random is refused, or fits
together as well. A stream that is answered otherwise is kept in $TMPDIR, and the command that repeats it is
printed. """
import collections
import json
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

import tally
from oracle.exploration import Exploration
from oracle.network import Network
from oracle.random_routes import Dice, random_routes, random_topology, stream_of
from oracle.router import Router

SHORT, STREAMS, STATES, CHANGES = 24, 18, 2000, 10
PLANNED = ["route-paths", "route-tree"]  # the last streams of a batch; that of paths is free of deadlock
# What these streams have to have among them, in hundredths, or they would not say much any more.
LEAST = {"compared": 80, "answers": 30, "safe": 20, "safe-unreachable": 10, "deadlock": 5,
         "deadlock of answers": 1}


def random_router(rng):
    router = Router(buffer_flits=rng.choice([1, 1, 2, 3]), header_flits=rng.choice([0, 0, 0, 1]),
                    injection_channels=rng.choice([0, 0, 1, 2]))
    router.consumption_channels = rng.choice([0, 0, 1, 1, 2])
    router.consumption_release = rng.choice(["answered", "answered", "answered", "arrived"])
    router.vc_reuse = rng.choice(["drained", "drained", "early"])
    router.replication = rng.choice(["as-planned", "as-planned", "per-flit"])
    return router


def random_stream(rng, router):
    """(topology, routes): a few worms, few enough to be explored."""
    while True:
        topology = random_topology(rng, rng.random() < 0.7)
        dice = Dice(rng, Network(topology), router, False)
        dice.virtual_channels, dice.most_hops, dice.longest = (rng.choice([1, 1, 1, 2]),
                                                               rng.choice([1, 2, 3]), rng.choice([2, 4, 8]))
        routes = random_routes(dice, rng.randint(2, 5))
        if routes and sum(len(record["worms"]) for record in routes) <= 8:
            return topology, routes


def planned_stream(rng, router, bin_dir, planner):
    """(topology, routes): multicasts by a planner of any network, on a graph some of whose links run one
    way."""
    while True:
        routers = rng.choice([3, 4])
        order = rng.sample(range(routers), routers)
        ends = ([[a, b] for a, b in zip(order, order[1:] + order[:1])]
                + [rng.sample(range(routers), 2) for _ in range(rng.randrange(3))])
        hosts = [router for router in range(routers) for _ in range(rng.choice([1, 1, 2]))]
        topology = {"kind": "topology", "format": 1, "family": "graph", "routers": routers, "hosts": hosts,
                    "links": [{"ends": pair, **({"one_way": True} if rng.random() < 0.7 else {})}
                              for pair in ends]}
        requests = [{"kind": "multicast", "id": number, "source": nodes[0], "destinations": sorted(nodes[1:]),
                     "start_cycle": 0, "length_flits": rng.choice([1, router.buffer_flits, 4])}
                    for number, nodes in enumerate(rng.sample(range(len(hosts)),
                                                              rng.choice([3, 3, min(4, len(hosts))]))
                                                   for _ in range(rng.choice([2, 3])))]
        stream = stream_of(topology, requests)
        for command in (["plan-multicast", planner], ["route-expand"]):
            done = subprocess.run([str(bin_dir / command[0]), *command[1:]], input=stream,
                                  capture_output=True, text=True, check=False, timeout=60)
            if done.returncode != 0:
                break  # one-way links that leave a node out
            stream = done.stdout
        else:
            routes = records_of(stream, "routes")
            if sum(len(record["worms"]) for record in routes) <= 6:
                return topology, routes


def change(rng, witness):
    """Says of a witness something else, and what."""
    worm = rng.choice(witness)
    kind = rng.choice(["a worm left out", "a worm twice", "another worm", "a hop held no more", "a hop held",
                       "a hop waited for", "holds and waits swapped", "waits for nothing", "lengths",
                       "starts", "answers nothing"])
    if kind == "a worm left out":
        witness.remove(worm)
    elif kind == "a worm twice":
        witness.append(worm)
    elif kind == "another worm":
        worm["multicast"] = rng.choice(witness)["multicast"]
    elif kind == "a hop held no more" and worm["holds"]:
        worm["holds"].remove(rng.choice(worm["holds"]))
    elif kind == "a hop held":
        worm["holds"].append(rng.randrange(-2, 5))
    elif kind == "a hop waited for":
        worm["waits"] = [rng.randrange(-1, 5)]
    elif kind == "holds and waits swapped":
        worm["holds"], worm["waits"] = worm["waits"], worm["holds"]
    elif kind == "waits for nothing":
        worm["waits"] = []
    elif kind == "lengths":
        worm["length_flits"] = rng.choice([1, 2, 3, 2**31, 2**53 - 1])
    elif kind == "starts":
        worm["start_cycle"] = rng.choice([0, 1, 2**31, 2**52])
    elif kind == "answers nothing":
        worm.pop("answers", None)
    return kind


def records_of(text, kind):
    return [record for record in map(json.loads, text.splitlines()) if record["kind"] == kind]


class Batch:
    """Streams for one router, asked about in one run."""

    def __init__(self, seed, bin_dir, work):
        rng = random.Random(seed)
        self.seed, self.bin, self.work, self.router = seed, bin_dir, work, random_router(rng)
        self.cases = [random_stream(rng, self.router) for _ in range(STREAMS - len(PLANNED))]
        self.cases += [planned_stream(rng, self.router, bin_dir, planner) for planner in PLANNED]
        self.truths = [Exploration(*case, self.router).deadlocks(STATES) for case in self.cases]

    def run(self, tool, *arguments, stream=None):
        command = [str(self.bin / tool), *map(str, arguments)]
        return subprocess.run(command, input=stream, capture_output=True, text=True, check=False, timeout=300)

    def judge(self, chosen):
        """[(what is wrong with it)] of the streams with these numbers, and their verdicts."""
        stream = "".join(stream_of(*self.cases[number]) for number in chosen)
        verdicts, witness = self.work / "verdicts", self.work / "witness"
        done = self.run("check-deadlock", *self.router.options(), "--witness", witness, stream=stream)
        said = records_of(done.stdout, "verdict") if done.returncode in (0, 1, 2) else []
        if len(said) != len(chosen):
            return [f"check-deadlock: status {done.returncode}: {done.stderr.strip()}"], said
        wrong = [f"stream {number}: {verdict['answer']}, but explored: {self.truths[number]}"
                 for number, verdict in zip(chosen, said) if verdict["answer"] != "unknown"
                 and self.truths[number] not in (None, verdict["answer"] == "deadlock")]
        verdicts.write_text(done.stdout)
        open_ones = any(verdict["answer"] == "unknown" for verdict in said)
        done = self.run("check-deadlock", "--verify", verdicts, stream=stream)
        if done.returncode not in ((0, 2) if open_ones else (0,)):
            wrong.append(f"--verify: status {done.returncode}: {done.stderr.strip()}")
        done = self.run("simulate-wormhole", *self.router.options(), witness)
        outcomes = ([summary["outcome"] for summary in records_of(done.stdout, "summary")]
                    if done.returncode in (0, 1) else [])
        # which is empty
        if outcomes != ["deadlock" if verdict["answer"] == "deadlock" else "complete" for verdict in said]:
            wrong.append(f"the witness: {outcomes} {done.stderr.strip()}")
        return wrong, said

    def check(self, tallied, kinds):
        wrong, verdicts = self.judge(range(STREAMS))
        for number in range(STREAMS) if wrong else []:
            wrong_here, _ = self.judge([number])
            tallied.check(not wrong_here, self.report(number, wrong_here))
        for number in [] if wrong else range(STREAMS):
            tallied.check(True, "")
            kinds.update(self.kinds(number, verdicts[number]))
            if number == STREAMS - len(PLANNED) and self.router.replication == "as-planned":
                tallied.check(verdicts[number]["answer"] == "safe",
                              self.report(number, ["route-paths is safe"]))
            if verdicts[number]["answer"] == "deadlock":
                self.check_changes(number, verdicts[number], tallied)

    def check_changes(self, number, verdict, tallied):
        """A witness that was changed is refused, or what it says still fits together."""
        rng, changed = random.Random(self.seed * STREAMS + number), self.work / "changed"
        topology, routes = self.cases[number]
        for _ in range(CHANGES):
            record = json.loads(json.dumps(verdict))
            kind = change(rng, record["witness"])
            changed.write_text(stream_of(topology, [record]))
            done = self.run("check-deadlock", "--verify", changed, stream=stream_of(topology, routes))
            good = (done.returncode in (1, 2) or done.returncode == 0
                    and Exploration(topology, routes, self.router).fits_together(record["witness"]))
            tallied.check(good, self.report(number, [f"{kind}: --verify: status {done.returncode}: "
                                                     f"{done.stderr.strip()}\n  "
                                                     f"{json.dumps(record['witness'])}"]))

    def kinds(self, number, verdict):
        yield "stream"
        yield verdict["answer"]
        if self.truths[number] is not None and verdict["answer"] != "unknown":
            yield "compared"
        if any("answer" in record.get("workload", {}) for record in self.cases[number][1]):
            yield "answers"
        if any("answers" in worm for worm in verdict.get("witness", [])):
            yield "deadlock of answers"

    def report(self, number, wrong):
        path = pathlib.Path(tempfile.gettempdir()) / f"explored-{self.seed}-{number}.jsonl"
        path.write_text(stream_of(*self.cases[number]))
        command = shlex.join([str(self.bin / "check-deadlock"), *self.router.options(), str(path)])
        return (f"seed {self.seed}: " + "; ".join(wrong) + f"\n  {command}\n  {sys.argv[0]} --bin {self.bin} "
                f"--seeds {self.seed}:{self.seed + 1}")


def main():
    arguments = tally.seeds_option(__doc__, SHORT)
    tallied, kinds = tally.Tally(), collections.Counter()
    with tempfile.TemporaryDirectory() as work:
        for seed in arguments.seeds:
            Batch(seed, arguments.bin, pathlib.Path(work)).check(tallied, kinds)
    print(", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    if len(arguments.seeds) >= SHORT:
        for kind, hundredths in LEAST.items():
            tallied.check(100 * kinds[kind] >= hundredths * kinds["stream"], f"only {kinds[kind]} of "
                          f"{kinds['stream']}: {kind}")
    return tallied.close()


if __name__ == "__main__":
    sys.exit(main())
