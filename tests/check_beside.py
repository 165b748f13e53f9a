#!/usr/bin/env python3
# Compares verdicts on planners beside unicasts that routers route with explorations of small sets.
# SPDX-License-Identifier: MIT
"""Ask for verdicts on planners with adaptive unicasts, explore random sets of their multicasts and unicasts,
and end with "N passed, N failed".

  check_beside.py [--bin DIR] [--seeds FIRST:END]

Every seed makes a small network and a router. Each planner there is judged beside each adaptive function:
where that is safe, no set that is drawn may come to stand still by the exploration of oracle/choices.py,
whatever the routers choose; where it is a deadlock, the worms of the witness must, on ways of the routers'
choice. Their plans are the planner's; the choices are those of oracle/candidates.py. """
import collections
import itertools
import json
import random
import subprocess
import sys

import tally
from oracle.candidates import Relation
from oracle.choices import ChoosingExploration, chosen_record
from oracle.network import Network
from oracle.router import Router

SHORT, RELATIONS_EACH, PLANNERS_EACH, SETS, STATES, WITNESS_STATES = 12, 2, 6, 3, 400, 2000
NETWORKS = [("mesh", [2, 2]), ("mesh", [2, 2]), ("mesh", [3, 2]), ("mesh", [3, 2]), ("mesh", [3, 3]),
            ("torus", [3]), ("torus", [4]), ("torus", [3, 3]), ("torus", [2, 3]), ("hypercube", 2),
            ("hypercube", 3)]
RELATIONS = ["west-first", "north-last", "negative-first", "odd-even", "minimal-adaptive",
             "minimal-adaptive-return", "booksim-min-adapt", "fully-adaptive", "label-adaptive",
             "up-down-adaptive"]
VARIANTS = ["xy-tree:replication=asynchronous", "mask-trees:replication=asynchronous",
            "rpm:replication=lock-step", "btl:relay=asynchronous", "t2w:relay=asynchronous",
            "mpm-ssr:replication=lock-step", "opm:replication=lock-step"]
# What there has to be, in hundredths of the sets that are explored to the end.
LEAST = {"safe": 20, "safe with branches": 5, "deadlock": 20, "deadlock of adaptive worms": 5,
         "deadlock of both": 2}


def random_router(rng):
    router = Router(buffer_flits=rng.choice([1, 1, 2]), injection_channels=rng.choice([0, 0, 1]),
                    consumption_channels=rng.choice([0, 0, 0, 1]))
    router.vc_reuse = rng.choice(["drained", "drained", "early"])
    router.replication = rng.choice(["as-planned", "as-planned", "as-planned", "per-flit"])
    return router


class Case:
    """One network and router."""

    def __init__(self, seed, bin_dir):
        self.rng, self.seed, self.bin = random.Random(seed), seed, bin_dir
        family, size = NETWORKS[seed % len(NETWORKS)]
        self.topology = {"kind": "topology", "format": 1, "family": family,
                         **({"dimensions": size} if family == "hypercube" else {"dims": size})}
        if self.rng.random() < 0.3:
            self.topology["virtual_channels"] = self.rng.choice([2, 3, 4])
        self.network, self.router = Network(self.topology), random_router(self.rng)
        self.nodes = len(self.network.router_of)
        self.flits = self.rng.choice([None, None, None, 2, 3])

    def stream(self, records):
        return "".join(json.dumps(record) + "\n" for record in [self.topology, *records, {"kind": "end"}])

    def run(self, tool, *arguments, records=()):
        command = [str(self.bin / tool), *map(str, arguments)]
        return subprocess.run(command, input=self.stream(records), capture_output=True, text=True,
                              check=False, timeout=300)

    def planners(self):
        """A few of those that have plans here."""
        names = [line.split()[0] for line in self.run("plan-multicast",
                                                      "--list").stdout.splitlines()] + VARIANTS
        names.remove("unicast")  # it has no plans for several destinations
        self.rng.shuffle(names)
        return list(itertools.islice((name for name in names
                                      if self.run("plan-multicast", name).returncode == 0), PLANNERS_EACH))

    def routes(self, verdict, asked):
        """Routes of the planner for these (source, destinations, flits)."""
        records = [{"kind": "multicast", "id": number, "source": source, "destinations": sorted(to),
                    "length_flits": flits, "start_cycle": 0} for number, (source, to, flits) in enumerate(
                        asked)]
        options = "".join(f":{name}={value}" for name, value in verdict.get("options", {}).items())
        planned = subprocess.run([self.bin / "plan-multicast", verdict["planner"] + options, "--routing",
                                  verdict["routing"]], input=self.stream(records), capture_output=True,
                                 text=True, check=True).stdout
        expanded = subprocess.run([self.bin / "route-expand"], input=planned, capture_output=True, text=True,
                                  check=True).stdout
        return [record for record in map(json.loads, expanded.splitlines()) if record["kind"] == "routes"]

    def draw(self, verdict):
        """Sets of multicasts of the planner and unicasts by the relation, in records of routes."""
        relation = self.relation(verdict)
        asked, sets = [], []
        for _ in range(SETS):
            few = range(self.rng.randint(1, 3))
            flits = self.flits or self.rng.choice([2, 3, 5])
            for _ in few:
                source, *to = self.rng.sample(range(self.nodes), self.rng.randint(2, min(self.nodes, 4)))
                asked.append((source, to, flits))
            sets.append((len(few), flits, [self.rng.sample(range(self.nodes), 2)
                                           for _ in range(self.rng.randint(1, 3))]))
        routes = self.routes(verdict, asked)
        for count, flits, unicasts in sets:
            own, routes = routes[:count], routes[count:]
            chosen = [chosen_record(1000 + number, source, to, flits, relation)
                      for number, (source, to) in enumerate(unicasts)]
            yield own + chosen

    def relation(self, verdict):
        return Relation(verdict["unicast_routing"], self.topology, self.network)

    def witness(self, verdict):
        """The multicasts of a witness, and its unicasts by any way."""
        relation, records = self.relation(verdict), []
        for worm in {worm["multicast"]: worm for worm in verdict["witness"]}.values():
            flits = worm["length_flits"] + worm.get("header_flits", 0)
            if worm.get("unicast"):
                records.append(chosen_record(worm["multicast"], worm["source"], worm["destinations"][0],
                                             flits, relation))
            else:
                (route,) = self.routes(verdict, [(worm["source"], worm["destinations"], flits)])
                records.append({**route, "id": worm["multicast"]})
        return records

    def check(self, tallied, kinds):
        fitting = [name for name in RELATIONS if "does not apply" not in self.run(
            "check-deadlock", "--all-multicasts", "separate", "--with-unicast", name).stderr]
        for relation in self.rng.sample(fitting, min(len(fitting), RELATIONS_EACH)):
            done = self.run("check-deadlock", "--all-multicasts", ",".join(self.planners()), "--with-unicast",
                            relation, *self.router.options(), *(["--length-flits", self.flits] if self.flits
                                                                else []))
            for verdict in map(json.loads, done.stdout.splitlines()):
                if verdict["kind"] == "verdict":
                    self.judge(verdict, tallied, kinds)

    def judge(self, verdict, tallied, kinds):
        kinds[f"verdict {verdict['answer']}"] += 1
        if verdict["answer"] == "deadlock":
            found = ChoosingExploration(self.topology, self.witness(verdict),
                                        self.router).deadlocks(WITNESS_STATES)
            kinds["deadlock" if found else "deadlock not explored"] += 1
            sorts = {worm.get("unicast", False) for worm in verdict["witness"]}
            kinds["deadlock of adaptive worms"] += bool(found) and True in sorts
            kinds["deadlock of both"] += bool(found) and len(sorts) == 2
            tallied.check(found is not False, self.report(verdict,
                                                          "the witness does not come to stand still"))
        if verdict["answer"] in ("safe", "unknown"):
            for records in self.draw(verdict):
                found = ChoosingExploration(self.topology, records, self.router).deadlocks(STATES)
                if verdict["answer"] == "unknown":
                    kinds["unknown, and a deadlock"] += bool(found)
                    continue
                kinds["not explored" if found is None else "safe"] += 1
                kinds["safe with branches"] += found is False and any("replication" in worm
                                                                      for record in records
                                                                      for worm in record["worms"])
                tallied.check(not found, self.report(verdict, "a set comes to stand still: "
                                                     f"{json.dumps(records)}"))

    def report(self, verdict, what):
        options = " ".join([*self.router.options(), *(["--length-flits", str(self.flits)] if self.flits
                                                      else [])])
        return (f"seed {self.seed}: {json.dumps(self.topology)} {verdict['scope']} "
                f"{verdict['unicast_routing']} {options}: {what}")


def main():
    arguments = tally.seeds_option(__doc__, SHORT)
    tallied, kinds = tally.Tally(), collections.Counter()
    for seed in arguments.seeds:
        Case(seed, arguments.bin).check(tallied, kinds)
    print(", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    if len(arguments.seeds) >= SHORT:
        explored = kinds["safe"] + kinds["deadlock"]
        for kind, hundredths in LEAST.items():
            tallied.check(100 * kinds[kind] >= hundredths * explored, f"only {kinds[kind]} of {explored}: "
                          f"{kind}")
    return tallied.close()


if __name__ == "__main__":
    sys.exit(main())
