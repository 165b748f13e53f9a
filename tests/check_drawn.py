#!/usr/bin/env python3
# Draws networks, planners, routers and traffic, and holds verdicts against runs of the simulator.
# SPDX-License-Identifier: MIT
"""Ask for verdicts on drawn combinations, try to refute each, and end with "N passed, N failed".

  check_drawn.py [--bin DIR] [--combinations N] [--first SEED] [--jobs N] [--keep DIR]

A seed makes a network of 2 to 12 hosts (every family, random graphs, faults, links that differ), a router and
an order of the planners. Each planner is judged for all its multicasts or reductions, alone or beside
unicasts, and for a few given sets, with answers or without. Whatever is called safe has to be delivered in
every run that is drawn: other sets of the planner, other lengths and starts. A witness has to stand still,
and --verify has to accept every answer within the time that a verdict may take. What a tool refuses is
counted, and has to be refused in one line. """
import argparse
import collections
import functools
import json
import multiprocessing
import pathlib
import random
import shlex
import signal
import subprocess
import sys
import tempfile

import tally

SHORT, SECONDS, SETS, GIVEN = 800, 60, 12, 4
VERDICTS_EACH, TRIES_EACH = 16, 40  # of a seed
RELATIONS = ["dimension-order", "up-down", "shortest", "yx", "west-first", "odd-even", "negative-hop",
             "minimal-adaptive", "minimal-adaptive-return", "booksim-min-adapt", "fully-adaptive",
             "label-adaptive", "up-down-adaptive", "label", "o1turn", "one-way",
             "two-rounds"]
PRESETS = ["paper", "booksim-minimal", "booksim-iq", "infiniband", "floonoc", "esp", "pronoc"]
# What there has to be, in thousandths of the verdicts.
LEAST = {"safe": 200, "safe-unreachable": 20, "deadlock": 50, "of reductions": 50, "of all": 200,
         "of given sets": 200, "beside unicasts": 20, "run of what is safe": 400}


def drawn_graph(rng):
    """Two to six routers, joined, with up to two hosts each."""
    routers = rng.randint(2, 6)
    ends = [[rng.randrange(i), i] for i in range(1, routers)] + [rng.sample(range(routers), 2)
                                                                 for _ in range(rng.randrange(4))]
    hosts = [router for router in range(routers) for _ in range(rng.choice([1, 1, 1, 2, 0]))] or [0, 1]
    links = [{"ends": pair} for pair in ends]
    if rng.random() < 0.25:
        links = [{**link, **drawn_own(rng)} for link in links]
    if rng.random() < 0.2:
        order = rng.sample(range(routers), routers)
        links = [{"ends": list(pair), "one_way": True} for pair in zip(order, order[1:] + order[:1])] + links[
            :rng.randrange(3)]
    graph = {"kind": "topology", "format": 1, "family": "graph", "routers": routers, "hosts": hosts
             if len(hosts) > 1 else [0, routers - 1], "links": links}
    if rng.random() < 0.15:
        graph["host_links"] = [drawn_own(rng) for _ in graph["hosts"]]
    return graph


def drawn_own(rng):
    most = {"hop_cycles": 3, "flit_cycles": 3, "buffer_flits": 5}
    return {key: [rng.randint(1, bound)] * 2 for key, bound in most.items() if rng.random() < 0.4}


def drawn_words(rng):
    """Words of gen-topology."""
    words = rng.choice(["mesh 2 2", "mesh 3 2", "mesh 3 3", "mesh 4 3", "mesh 4", "mesh 2 2 2", "mesh 3 2 2",
                        "torus 3", "torus 4", "torus 5", "torus 3 3", "torus 4 3", "torus 2 3",
                        "torus 3 --open 0", "torus 4 3 --open 0", "torus-forward 3", "torus-forward 4",
                        "torus-forward 3 3", "torus-backward 4 3", "hypercube 1", "hypercube 2",
                        "hypercube 3", "irregular --switches 3 --hosts 2 --ports 4",
                        "irregular --switches 4 --hosts 2 --ports 5", "irregular --switches 4 --hosts 1 "
                        "--ports 4", "irregular --switches 3 --hosts 4 --ports 6",
                        "fat-tree --arity 2 --levels 2", "fat-tree --arity 3 --levels 2",
                        "fat-tree --arity 2 --levels 3", "dragonfly --hosts 1 --group-routers 2 "
                        "--global-links 1", "dragonfly --hosts 2 --group-routers 2 --global-links 1",
                        "cmesh --width 2 --height 2 --tile-width 2 --tile-height 1",
                        "cmesh --width 3 --height 1", "cmesh --width 1 --height 1",
                        "cmesh --width 2 --height 3 --tile-width 1 --tile-height 2",
                        "butterfly --arity 2 --stages 2",
                        "butterfly --arity 2 --stages 3", "flattened-butterfly --arity 3 --hosts 1",
                        "flattened-butterfly --arity 2 --dimensions 2", "chiplets --columns 2 --rows 1 "
                        "--width 2 --height 2 --side-links 1", "chiplets --columns 2 --rows 1 --width 3 "
                        "--height 2 --side-links 2"]).split()
    family = words[0]
    if family == "irregular":
        words += ["--seed", str(rng.randrange(50))]
    if rng.random() < 0.25:
        words += ["--virtual-channels", rng.choice("1234")]
    if family in ("mesh", "torus", "torus-forward", "torus-backward", "chiplets", "irregular",
                  "hypercube") and rng.random() < 0.35:
        hostless = [word for node in rng.sample(range(4), rng.randint(1, 3))
                    for word in ("--without-core", str(node))]
        words += rng.choice([["--random-faults", "1"], ["--random-faults", "2"], hostless, hostless, hostless,
                             hostless + ["--random-faults", "1"], ["--random-faults", "1", "--find-labels"],
                             ["--without-node", "0"]])
    if family in ("mesh", "torus") and rng.random() < 0.15:
        words += ["--link-class", "0," + rng.choice(["flit-cycles=2", "hop-cycles=3", "buffer-flits=2",
                                                     "buffer-flits=6"])]
    return words


def drawn_router(rng):
    """Options: a preset or none, and some of what a router is."""
    words = []
    preset = rng.choice(PRESETS) if rng.random() < 0.4 else "paper"
    if preset != "paper":
        words += ["--preset", preset]
    some = [("--buffer-flits", rng.choice("12345688"), 0.4), ("--header-flits", rng.choice("12"), 0.1),
            ("--hop-cycles", rng.choice("123"), 0.1), ("--flit-cycles", "2", 0.08),
            ("--credit-cycles", rng.choice("23"), 0.08), ("--injection-channels",
                                                          rng.choice(["1", "1", "2", "all"]), 0.25),
            ("--consumption-channels", rng.choice(["1", "1", "2", "per-input"]), 0.25),
            ("--vc-reuse", rng.choice(["early", "drained"]), 0.3), ("--relay-startup-cycles", "5", 0.05),
            ("--routing-cycles", "1", 0.05)]
    for name, value, share in some:
        if rng.random() < (share if preset == "paper" else share / 3):
            words += [name, value]
    if preset == "paper":
        words += rng.choice([[]] * 6 + [["--replication", "per-flit"]] * 3
                            + [["--replication", "serial"], ["--allocation", "atomic"],
                               ["--allocation", "two-step"], ["--path-reservation"],
                               ["--consumption-release", "answered"], ["--consumption-release", "answered"],
                               ["--ring-entry", "packet-bubble", "--vc-reuse", "early"],
                               ["--ring-entry", "flit-bubble", "--vc-reuse", "early"],
                               ["--vc-allocation", "islip"], ["--vc-allocation", "islip", "--vc-selection",
                                                              "any"]])
        words += rng.choice([[]] * 6 + [["--output-arbitration", "round-robin"], ["--shared-links"]])
    return words


def once(words):
    """Without the options that are said again."""
    said, kept = set(), []
    for at, word in enumerate(words):
        if word.startswith("--") and word in said:
            continue
        if not word.startswith("--") and at and words[at - 1].startswith("--") and words[
            at - 1] in said and kept[-1:] != [words[at - 1]]:
            continue
        kept.append(word)
        if word.startswith("--"):
            said.add(word)
    return kept


@functools.lru_cache(maxsize=None)
def planners(bin_dir):
    """{name: (its options {name: values}, its routing functions)} as plan-multicast --list says."""
    listed = subprocess.run([bin_dir / "plan-multicast", "--list"], capture_output=True, text=True,
                            check=True).stdout
    found = {}
    for line in listed.splitlines():
        words = line.split()
        if not line.startswith(" "):
            options, routings = {}, []
            found[words[0]] = options, routings
        elif words[0] == "routing":
            routings += words[1].split("|")
        elif words[0].startswith("--"):
            options[words[0][2:]] = words[1].rstrip(":").split("|")
    return found


class Wrong(Exception):
    """What is wrong with a combination."""


class Seed:
    def __init__(self, seed, bin_dir, folder):
        self.seed, self.rng, self.bin, self.folder = seed, random.Random(seed), bin_dir, pathlib.Path(folder)
        self.counts, self.wrong, self.said, self.status, self.stderr = collections.Counter(), [], "", 0, ""
        self.router = once(drawn_router(self.rng))

    def run(self, tool, *words, stream=None, good=(0,)):
        """Its output; None if it refuses in one line."""
        command = [str(self.bin / tool), *map(str, words)]
        self.said = shlex.join([tool, *command[1:]])
        done = subprocess.run(["bash", "-c", f"ulimit -t {SECONDS}; exec \"$@\"", *command[:1], *command],
                              input=stream, capture_output=True, text=True, check=False, cwd=self.folder)
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            raise Wrong(f"{self.said}: no answer in {SECONDS} s")
        self.status, self.stderr = done.returncode, done.stderr
        if done.returncode in good:
            return done.stdout
        # one for each verdict
        lines = [line for line in done.stderr.splitlines() if ": unknown: " not in line]
        if done.returncode < 0:
            self.keep("stdin.jsonl", stream or "")
        has_verdicts = tool == "check-deadlock" and '"verdict"' in done.stdout
        if done.returncode != 2 or "internal error" in done.stderr or (len(lines) != 1 and not has_verdicts):
            raise Wrong(f"{self.said}: status {done.returncode}: {done.stderr.strip()[:300]}")
        if has_verdicts:
            return done.stdout
        return None

    def network(self):
        """A stream of a topology alone, and its hosts."""
        while True:
            if self.rng.random() < 0.3:
                text = json.dumps(drawn_graph(self.rng)) + '\n{"kind":"end"}\n'
            else:
                text = self.run("gen-topology", *drawn_words(self.rng))
            if text is None:
                continue
            probe = self.run("gen-multicast", "--pattern", "broadcast", "--count", "1", stream=text)
            if probe is None:
                continue
            (one,) = [record for record in map(json.loads, probe.splitlines())
                      if record["kind"] == "multicast"]
            return text, sorted([one["source"], *one["destinations"]])

    def planner(self):
        """A planner with some of its options, and perhaps another routing function."""
        known = planners(self.bin)
        name = self.rng.choice(list(known))
        options, routings = known[name]
        word = name
        for option, values in options.items():
            if self.rng.random() < 0.4:
                word += f":{option}={self.rng.choice(values)}"
        routing = self.rng.choice(routings) if routings and self.rng.random() < 0.3 else None
        return word, ["--routing", routing] if routing and routing != "given" else []

    # Requests.

    def request(self, number, reduces, flits, apart, most=4):
        source, *others = self.rng.sample(self.hosts, min(len(self.hosts), 1 + self.rng.randint(1, most)))
        starts = [self.rng.randrange(apart + 1) for _ in others]
        if reduces:
            return {"kind": "reduction", "id": number, "root": source, "sources": sorted(others),
                    "length_flits": flits, "start_cycles": starts}
        return {"kind": "multicast", "id": number, "source": source, "destinations": sorted(others),
                "length_flits": flits, "start_cycle": starts[0]}

    def requests(self, count, reduces, flits, single=False):
        apart = self.rng.choice([0, 0, 3, 10, 40])
        most = 1 if single else self.rng.choice([1, 2, 3, 6])
        records = [self.request(number, reduces, flits or self.rng.choice([1, 1, 2, 3, 4, 6, 8, 16, 30]),
                                apart, most) for number in range(count)]
        return self.in_order(records)

    @staticmethod
    def in_order(records):
        return sorted(records, key=lambda record: min(record.get("start_cycles") or [record["start_cycle"]]))

    def stream(self, sets):
        segments = []
        for records in sets:
            segments += [self.topology, *records, {"kind": "end"}]
        return "".join(json.dumps(record) + "\n" for record in segments)

    def expanded(self, planner, routing, sets, expand=()):
        """Routes of these sets, segment by segment; None if a tool refuses one."""
        planned = self.run("plan-multicast", planner, *routing, stream=self.stream(sets))
        if planned is None:
            return None
        text = self.run("route-expand", *expand, stream=planned)
        if text is None:
            return None
        segments, routes = [], []
        for record in map(json.loads, text.splitlines()):
            if record["kind"] == "routes":
                routes.append(record)
            elif record["kind"] == "end":
                segments.append(routes)
                routes = []
        return segments

    # What holds of verdicts.

    def simulated(self, *files, stream=None):
        """Summaries of runs."""
        return self.run("simulate-wormhole", *files, *self.router, "--summary-only", stream=stream,
                        good=(0, 1))

    def must_be_delivered(self, sets, what):
        """Runs of sets of routes: none may stand still."""
        done = self.simulated(stream=self.stream(sets))
        if done is None:
            self.counts["runs refused"] += 1
            return
        summaries = [record for record in map(json.loads, done.splitlines()) if record["kind"] == "summary"]
        self.counts["run of what is safe"] += len(summaries)
        for routes, summary in zip(sets, summaries):
            if summary["outcome"] == "deadlock":
                self.keep("stands.jsonl", self.stream([routes]))
                raise Wrong(f"{what}: called safe, but stands.jsonl stands still: simulate-wormhole "
                            f"{shlex.join(self.router)} stands.jsonl")

    def judged(self, stream, words, what):
        """Verdicts, each of which --verify accepts and whose witnesses stand still."""
        for name in ("verdicts", "witness"):
            (self.folder / name).unlink(missing_ok=True)
        (self.folder / "judged.jsonl").write_text(stream)
        text = self.run("check-deadlock", "judged.jsonl", *words, "--witness", "witness", good=(0, 1))
        if text is None:
            self.counts["refused"] += 1
            return []
        command = self.said
        verdicts = [record for record in map(json.loads, text.splitlines()) if record["kind"] == "verdict"]
        (self.folder / "verdicts").write_text(text)
        is_open = any(verdict["answer"] == "unknown" for verdict in verdicts)
        self.run("check-deadlock", "--verify", "verdicts", "judged.jsonl", good=(0, 1, 2))
        if any(limit in self.stderr for limit in ("is not settled in", "to explore", "takes more than")):
            self.counts["verification at its limit"] += 1
        elif self.status != 0 and not (is_open and self.status == 2 and "no evidence" in self.stderr):
            raise Wrong(f"{command}: not verified: {self.stderr.strip()[:300]}")
        for verdict in verdicts:
            self.counts[verdict["answer"]] += 1
            self.counts[what] += 1
        if any(verdict["answer"] == "deadlock" and verdict.get("witness") for verdict in verdicts):
            ran = self.simulated("witness")
            if ran is None:
                raise Wrong(f"{command}: the simulator refuses the witness")
            outcomes = [summary["outcome"] for summary in map(json.loads, ran.splitlines())
                        if summary["kind"] == "summary"]
            for verdict, outcome in zip(verdicts, outcomes):
                if verdict["answer"] == "deadlock" and verdict.get("witness") and outcome != "deadlock":
                    raise Wrong(f"{command}: a witness that does not stand still")
        return verdicts

    def keep(self, name, text):
        (self.folder / name).write_text(text)

    # Combinations.

    def all_of_planner(self, planner, routing):
        reduces = self.rng.random() < 0.35
        unicast = self.rng.choice(RELATIONS) if self.rng.random() < 0.35 else None
        flits = self.rng.choice([None, None, "1", "2", "3", "5"])
        depends = (["--depends", self.rng.choice(["multicasts:unicasts", "unicasts:multicasts"])] if unicast
                   and not reduces and self.rng.random() < 0.15 else [])
        offset = int(unicast is not None and not reduces and self.rng.random() < 0.25)
        words = ["--all-multicasts", planner, *routing, *self.router, *(
            ["--reductions"] if reduces else []), *(["--with-unicast", unicast] if unicast
                                                    else []), *depends, *(
                                                        ["--unicast-vc", "1"] if offset else []), *(
                                                            ["--length-flits", flits] if flits else [])]
        verdicts = self.judged(self.stream([[]]), words, "of all")
        command = f"check-deadlock judged.jsonl {shlex.join(words)}"
        for verdict in verdicts:
            self.counts["of reductions"] += reduces
            self.counts["beside unicasts"] += bool(unicast)
            self.counts["beside unicasts on their own virtual channels"] += offset
            if verdict["answer"] not in ("safe", "safe-unreachable"):
                continue
            header = int(self.router[self.router.index("--header-flits")
                                     + 1]) if "--header-flits" in self.router else 0
            long = max(1, int(flits) - header) if flits else None
            own = ["--routing", verdict["routing"]] if verdict.get("routing") else []
            sets = self.expanded(planner, own, [self.requests(self.rng.randint(2, 10), reduces, long,
                                                              planner.startswith("unicast"))
                                                for _ in range(SETS)])
            if sets is None:
                self.counts["plans refused"] += 1
                continue
            if unicast:
                extra = self.expanded("unicast", ["--routing", unicast],
                                      [self.requests(self.rng.randint(1, 5), False, long, True)
                                       for _ in range(SETS)])
                if extra is None:
                    self.counts["plans refused"] += 1
                    continue
                for worm in (worm for others in extra for record in others for worm in record["worms"]):
                    if offset and "hops" in worm:
                        vcs = worm.get("vcs", [0] * len(worm["hops"]))
                        worm["vcs"] = [vc + (hop >= 0) for hop, vc in zip(worm["hops"], vcs)]
                sets = [self.in_order_of_routes(own_routes, others)
                        for own_routes, others in zip(sets, extra)]
            self.must_be_delivered(sets, command)

    @staticmethod
    def in_order_of_routes(first, second):
        for record in second:
            record["id"] += 1000
        return sorted(first + second, key=lambda record: min(record.get("start_cycles")
                                                             or [record.get("start_cycle", 0)]))

    def with_answers(self, records):
        """Each multicast answered by its destinations, one by one or joined."""
        answers, joined = [], self.rng.random() < 0.4
        for record in records:
            record["id"] *= 16
            if joined:
                answers.append({"kind": "reduction", "id": record["id"] + 1, "root": record["source"],
                                "sources": record["destinations"], "length_flits": self.rng.choice([1, 2, 5]),
                                "start_cycles": [record["start_cycle"]] * len(record["destinations"]),
                                "depends_on": [record["id"]]})
                continue
            answers += [{"kind": "multicast", "id": record["id"] + 1 + number, "source": host,
                         "destinations": [record["source"]], "length_flits": self.rng.choice([1, 2, 5]),
                         "start_cycle": record["start_cycle"], "depends_on": [record["id"]]}
                        for number, host in enumerate(record["destinations"][:4])]
        return self.in_order(records + answers)

    def given(self, planner, routing):
        reduces = self.rng.random() < 0.3
        sets = [self.requests(self.rng.randint(2, 5), reduces, None, planner.startswith("unicast"))
                for _ in range(GIVEN)]
        expand = []
        if not reduces and self.rng.random() < 0.3:
            sets = [self.with_answers(records) for records in sets]
            expand = self.rng.choice([[], ["--answers-vc", "1"]])
        routes = self.expanded(planner, routing, sets, expand)
        if routes is None:
            self.counts["plans refused"] += 1
            return
        stream = self.stream(routes)
        verdicts = self.judged(stream, [*self.router, "--state-limit", "2000", "--search-limit", "20000"],
                               "of given sets")
        self.counts["of reductions"] += reduces * len(verdicts)
        again = []
        for records, verdict in zip(sets, verdicts):
            if verdict["answer"] in ("safe", "safe-unreachable"):
                again += [self.started_anew(records) for _ in range(4)]
        if again:
            again = self.expanded(planner, routing, again, expand)
            self.must_be_delivered(again, f"{planner} {shlex.join(routing)}, judged.jsonl, check-deadlock "
                                   f"{shlex.join(self.router)}")

    def started_anew(self, records):
        apart = self.rng.choice([0, 2, 5, 20])
        records = json.loads(json.dumps(records))
        for record in records:
            if "start_cycles" in record and "depends_on" not in record:
                record["start_cycles"] = [self.rng.randrange(apart + 1) for _ in record["start_cycles"]]
            elif "depends_on" not in record:
                record["start_cycle"] = self.rng.randrange(apart + 1)
        starts = {record["id"]: record.get("start_cycle") for record in records}
        for record in records:
            if "depends_on" in record:
                start = starts[record["depends_on"][0]]
                record.update({"start_cycles": [start] * len(record["sources"])} if "sources" in record
                              else {"start_cycle": start})
        return self.in_order(records)

    def check(self):
        text, self.hosts = self.network()
        self.topology = json.loads(text.splitlines()[0])
        self.network_text = text
        for _ in range(TRIES_EACH):
            if self.counts["of all"] + self.counts["of given sets"] >= VERDICTS_EACH:
                return
            planner, routing = self.planner()
            try:
                if self.rng.random() < 0.7:
                    self.all_of_planner(planner, routing)
                else:
                    self.given(planner, routing)
            except Wrong as wrong:
                self.wrong.append(f"seed {self.seed}: {planner} {shlex.join(routing)}: {wrong}")
                return


def check_seed(job):
    seed, bin_dir, keep = job
    with tempfile.TemporaryDirectory() as folder:
        one = Seed(seed, bin_dir, folder)
        try:
            one.check()
        except Wrong as wrong:
            one.wrong.append(f"seed {seed}: {wrong}")
        if one.wrong and keep:
            kept = pathlib.Path(keep) / str(seed)
            kept.mkdir(parents=True, exist_ok=True)
            for file in pathlib.Path(folder).iterdir():
                (kept / file.name).write_bytes(file.read_bytes())
        return one.counts, one.wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=tally.BUILD / "bin", type=pathlib.Path, help="folder of the tools")
    parser.add_argument("--combinations", default=SHORT, type=int, help="how many verdicts at the least")
    parser.add_argument("--first", default=0, type=int, help="the first seed")
    parser.add_argument("--jobs", default=1, type=int, help="seeds at once")
    parser.add_argument("--keep", help="folder for the files of what is wrong")
    arguments = parser.parse_args()
    tallied, counts = tally.Tally(), collections.Counter()
    seeds = ((seed, arguments.bin.resolve(), arguments.keep)
             for seed in range(arguments.first, arguments.first + 10 * arguments.combinations))
    with multiprocessing.Pool(arguments.jobs) as pool:
        for found, wrong in pool.imap(check_seed, seeds, chunksize=1):
            counts += found
            for one in wrong:
                tallied.check(False, one)
            verdicts = counts["of all"] + counts["of given sets"]
            if verdicts >= arguments.combinations:
                break
        pool.terminate()
    tallied.passed += verdicts
    print(", ".join(f"{kind} {count}" for kind, count in sorted(counts.items())))
    for kind, thousandths in LEAST.items():
        tallied.check(1000 * counts[kind] >= thousandths * verdicts, f"only {counts[kind]} of {verdicts}: "
                      f"{kind}")
    return tallied.close()


if __name__ == "__main__":
    sys.exit(main())
