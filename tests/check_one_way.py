#!/usr/bin/env python3
"""Verdicts on one-way tori, compared with an independent exploration.

  check_one_way.py [--bin DIR] [--seeds FIRST:END]

Rectangles, paths along routes and unicasts on 3x3 and 4x3 tori whose channels run one way, posted or
answered, with the answers on the two virtual channels of the writes, on the second of these and a third, or
on two of their own. No verdict on all multicasts may be `unknown`, --verify must accept it, and a witness
must stand still in simulate-wormhole and in oracle/exploration.py. Every seed draws small sets for each of
these networks: check-deadlock must answer as the exploration does, and no set may deadlock where all
multicasts are said to be safe. Likewise where nodes do not store what they answer (--depends alone, each
rule): sets are then of worms that go on as their answers. """
# SPDX-License-Identifier: MIT
import collections
import dataclasses
import itertools
import json
import random
import subprocess
import sys
import tempfile

import tally
from oracle.exploration import Exploration
from oracle.router import Router

SHORT, STREAMS, STATES = 1, 6, 500
FAMILIES, SIZES = ["torus-forward", "torus-backward"], [[3, 3], [4, 3]]
PLANNERS = ["rectangle", "route-paths", "separate"]
ANSWERS_VC = [None, 0, 1, 2]  # None: posted
REPLICATION = ["as-planned", "per-flit"]
SORTS = ["multicasts", "unicasts"]
SETS = 20  # of worms that go on as answers, where these are safe


def records_of(text, kind):
    return [record for record in map(json.loads, text.splitlines()) if record["kind"] == kind]


def random_multicasts(rng, dims, answered):
    """Two to four multicasts to a box or to one node, and what answers them."""
    width, height = dims
    requests = []
    for number in range(rng.choice([2, 3, 3, 4])):
        source, left, low = rng.randrange(width * height), rng.randrange(width), rng.randrange(height)
        wide, high = rng.choice([(1, 1), (2, 1), (1, 2)])
        box = {(left + dx) % width + (low + dy) % height * width for dx in range(wide) for dy in range(high)}
        if box - {source}:
            requests.append({"kind": "multicast", "id": 100 * number, "source": source,
                             "destinations": sorted(box - {source}), "length_flits": rng.choice([1, 4, 9, 9]),
                             "start_cycle": 0, **({"workload": {"answers": "4"}} if answered else {})})
    for request in requests[:] if answered else []:
        requests += [{"kind": "multicast", "id": request["id"] + 1 + place, "source": node,
                      "destinations": [request["source"]], "length_flits": rng.choice([1, 9]),
                      "start_cycle": 0, "depends_on": [request["id"]],
                      "workload": {"answers": "4", "answer": "true"}}
                     for place, node in enumerate(request["destinations"])]
    return requests


class Case:
    """One network, planner and kind of answers."""

    def __init__(self, tools, work, family, dims, planner, answers_vc, replication):
        self.tools, self.work, self.planner, self.answers_vc = tools, work, planner, answers_vc
        self.topology = {"kind": "topology", "format": 1, "family": family, "dims": dims,
                         "virtual_channels": 2 + (answers_vc or 0)}
        self.router = Router(buffer_flits=1, replication=replication)
        if answers_vc is not None:
            self.router.consumption_release = "answered"
        self.routes = self.ways()
        self.name = f"{family} {dims}, {planner}, answers on {answers_vc}, {replication}"

    def stream(self, records):
        return "".join(json.dumps(record) + "\n" for record in [self.topology, *records, {"kind": "end"}])

    def run(self, stream, tool, *arguments, states=(0, 1)):
        done = subprocess.run([str(self.tools / tool), *map(str, arguments)], input=stream,
                              capture_output=True, text=True, check=False, timeout=120)
        if done.returncode not in states:
            raise RuntimeError(f"{self.name}: {tool}: status {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def answered_verdict(self, tallied):
        """The answer on all multicasts, which nodes store until they have answered, if they answer them."""
        words = [] if self.answers_vc is None else self.beside("multicasts:unicasts")
        return self.planner_verdict(tallied, words, self.router)

    def beside(self, depends):
        return ["--with-unicast", "one-way", "--depends", depends, "--unicast-vc", self.answers_vc]

    def planner_verdict(self, tallied, words, router):
        """The answer on all multicasts, once its evidence has been looked at."""
        witness, verdict = self.work / "witness", self.work / "verdict"
        options = ["--all-multicasts", self.planner, "--witness", witness, *router.options(), *words]
        verdict.write_text(self.run(self.stream([]), "check-deadlock", *options, states=(0, 1, 2)))
        record, = records_of(verdict.read_text(), "verdict")
        answer, name = record["answer"], f"{self.name} {words}"
        tallied.check(answer in ("safe", "deadlock"), f"{name}: {answer}")
        done = subprocess.run([self.tools / "check-deadlock", "--verify", verdict], input=self.stream([]),
                              text=True, capture_output=True, check=False)
        tallied.same(f"{name}: --verify", (0, ""), (done.returncode, done.stderr))
        if answer == "deadlock":
            text = witness.read_text()
            router = dataclasses.replace(router, consumption_release=record["model"].get(
                "consumption_release", "arrived"))
            outcome = records_of(self.run(text, "simulate-wormhole", *router.options()), "summary")
            tallied.same(f"{name}: witness simulated", "deadlock", outcome[0]["outcome"])
            routes = records_of(text, "routes")
            explored = Exploration(self.topology, routes, router).deadlocks(4 * STATES)
            tallied.check(explored is not False, f"{name}: witness explored: {explored}")
        return answer

    def ways(self):
        """The hops of all unicasts, by their ends."""
        nodes = range(self.topology["dims"][0] * self.topology["dims"][1])
        requests = [{"kind": "multicast", "id": number, "source": source, "destinations": [to],
                     "length_flits": 1, "start_cycle": 0}
                    for number, (source, to) in enumerate(itertools.permutations(nodes, 2))]
        text = self.run(self.run(self.stream(requests), "plan-multicast", "separate"), "route-expand")
        return {(record["source"], record["destinations"][0]): record["worms"][0]
                for record in records_of(text, "routes")}

    def judge_joined(self, rng, tallied, kinds):
        """Nodes that store nothing: flits of what they take go on in its answer."""
        router = dataclasses.replace(self.router, consumption_release="arrived")
        for request, reply in itertools.product(SORTS, SORTS):
            answer = self.planner_verdict(tallied, self.beside(f"{request}:{reply}"), router)
            kinds[f"{request}:{reply} {answer}"] += 1
            for _ in range(SETS if answer == "safe" else 1):
                routes = [self.joined(rng, number, request, reply) for number in range(rng.choice([3, 4, 5]))]
                truth = Exploration(self.topology, routes, router).deadlocks(STATES)
                kinds["joined " + str(truth)] += 1
                tallied.check(not (truth and answer == "safe"),
                              f"{self.name}: {request}:{reply} {answer}, but explored: {truth}\n  {routes}")

    def joined(self, rng, number, request, reply):
        """One of both sorts by itself, or a request with what answers it."""
        offsets = {"multicasts": 0, "unicasts": self.answers_vc}
        while True:
            stops, hops, vcs = rng.choices(range(max(node for node, _ in self.routes) + 1), k=3), [], []
            sorts = [request, reply] if rng.random() < 0.7 else [rng.choice(SORTS)]
            for sort, ends in zip(sorts, zip(stops, stops[1:])):
                way = self.routes.get(ends, {"hops": []})
                hops += way["hops"]
                vcs += [vc + offsets[sort] for vc in way.get("vcs", [0] * len(way["hops"]))]
            channels = [(hop, vc) for hop, vc in zip(hops, vcs) if hop >= 0]
            if len({*channels}) == len(channels) and len(hops) == len(channels) + len(sorts):
                worm = {"hops": hops, "vcs": [vc if hop >= 0 else 0 for hop, vc in zip(hops, vcs)]}
                return {"kind": "routes", "id": number, "source": stops[0],
                        "length_flits": rng.choice([4, 9, 20]), "worms": [worm]}

    def compare(self, rng, answer, tallied, kinds):
        """Small sets, judged and explored."""
        sets = [random_multicasts(rng, self.topology["dims"], self.answers_vc is not None)
                for _ in range(STREAMS)]
        stream = "".join(map(self.stream, sets))
        stream = self.run(stream, "plan-multicast", self.planner, "--unicasts", "separate")
        offset = ["--answers-vc", self.answers_vc] if self.answers_vc else []
        stream = self.run(stream, "route-expand", *offset)
        said = records_of(self.run(stream, "check-deadlock", *self.router.options(), states=(0, 1, 2)),
                          "verdict")
        segments = [[]]
        for record in map(json.loads, stream.splitlines()):
            segments[-1] += [record] if record["kind"] == "routes" else []
            segments += [[]] if record["kind"] == "end" else []
        for routes, verdict in zip(segments, said):
            truth = Exploration(self.topology, routes, self.router).deadlocks(STATES)
            kinds["set"] += 1
            if truth is None or verdict["answer"] == "unknown":
                continue
            kinds["compared"] += 1
            kinds["deadlock"] += truth
            good = truth == (verdict["answer"] == "deadlock") and not (truth and answer == "safe")
            tallied.check(good, f"{self.name}: {verdict['answer']}, all {answer}, but explored: {truth}\n  "
                          + json.dumps(routes))


def main():
    arguments = tally.seeds_option(__doc__, SHORT)
    tallied, kinds = tally.Tally(), collections.Counter()
    with tempfile.TemporaryDirectory() as work:
        for what in itertools.product(FAMILIES, SIZES, PLANNERS, ANSWERS_VC, REPLICATION):
            case = Case(arguments.bin, tally.pathlib.Path(work), *what)
            answer = case.answered_verdict(tallied)
            kinds["all " + answer] += 1
            if case.answers_vc is not None and what[-1] == "as-planned":
                case.judge_joined(random.Random(case.name), tallied, kinds)
            for seed in arguments.seeds:
                case.compare(random.Random(f"{case.name}, {seed}"), answer, tallied, kinds)
    print(", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    tallied.check(4 * kinds["compared"] >= 3 * kinds["set"] and 50 * kinds["deadlock"] >= kinds["set"],
                  f"too little to compare: {dict(kinds)}")
    return tallied.close()


if __name__ == "__main__":
    sys.exit(main())
