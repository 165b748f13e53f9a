#!/usr/bin/env python3
"""Lets a check-deadlock that errs judge random streams: --verify must refuse every wrong answer.

  check_planted.py [--bin DIR] [--seeds FIRST:END]

Programs planted-* (tests/planted) have the faults; planted-search takes its fault from $PLANTED. An answer is
wrong if check-deadlock says another, or says that other messages are mixed or interleaved. The faulty program
verifies its own verdicts, with no check before the answer leaves. Faults in SHARED are in what the checks
read, too: there --verify lets wrong answers pass (data/pages/reliability.md says so), and what finds them is
a comparison with independent models. What the program refuses before it answers is counted apart.
"""
# SPDX-License-Identifier: MIT
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import check_joins
import tally
from check_explored import random_router, random_stream
from oracle import joins
from oracle.random_routes import stream_of

SHORT = 100
PROGRAMS = {"blind": "planted-search", "hasty": "planted-search", "one order": "planted-reduction",
            "mover": "planted-mover", "footprint": "planted-footprint",
            "dependencies": "planted-dependencies", "numbering": "planted-numbering"}
# Of segments with reductions.
JOINING = {"blind to joins": "planted-search"}
SHARED = {"joining": "planted-joining", "worms": "planted-worms"}
# Wrong answers that there have to be, or they would not say much any more.
LEAST = {"blind": 2, "hasty": 2, "one order": 2, "blind to joins": 2, "mover": 2, "footprint": 2,
         "dependencies": 2, "numbering": 2, "joining, not refused": 1, "worms, not refused": 1}


class Streams:
    def __init__(self, bin_dir, work):
        self.bin, self.work, self.counts, self.tallied = bin_dir, work, collections.Counter(), tally.Tally()

    def run(self, tool, *arguments, stream, planted=""):
        command = [str(self.bin / tool), *map(str, arguments)]
        return subprocess.run(command, input=stream, capture_output=True, text=True, check=False, timeout=300,
                              env={**os.environ, "PLANTED": planted})

    def said(self, done):
        """The answer, and what is said to be mixed and interleaved."""
        return next(([record["answer"], *([mixture["multicasts"] for mixture in record.get(key, [])]
                                          for key in ("mixed", "interleaved"))]
                     for record in map(json.loads, done.stdout.splitlines()) if record["kind"] == "verdict"),
                    None)

    def compare(self, seed, fault, program, options, stream, right):
        """Whether a wrong answer is refused."""
        done = self.run(program, *options, stream=stream, planted=fault)
        said = self.said(done)
        if said is None:
            self.counts[fault + ", refused by itself"] += 1
        elif said != right and "unknown" not in (said[0], right[0]):
            self.counts[fault] += 1
            (self.work / "verdict").write_text(done.stdout)
            verified = self.run(program, "--verify", self.work / "verdict", stream=stream, planted=fault)
            if fault in SHARED:
                self.counts[fault + ", not refused"] += verified.returncode != 1
                return
            self.tallied.check(verified.returncode == 1, f"seed {seed}, {fault}: {said}, not {right}: "
                               f"--verify: status {verified.returncode} {verified.stderr.strip()}\n  "
                               f"{sys.argv[0]} --seeds {seed}:{seed + 1}")

    def check(self, seed):
        rng = random.Random(seed)
        router = random_router(rng)
        stream = stream_of(*random_stream(rng, router))
        right = self.said(self.run("check-deadlock", *router.options(), stream=stream))
        for fault, program in PROGRAMS.items():
            self.compare(seed, fault, program, router.options(), stream, right)

    def check_joins(self, seed):
        dims, sends = check_joins.small_set(random.Random(seed))
        stream = check_joins.records(check_joins.Scenario(dims, 2, {0: sends}), sends,
                                     joins.Mesh(*dims, 2, []))
        if stream is None or not any(send.kind == "R" for send in sends):
            return
        for tool in ("plan-multicast", "xy-tree"), ("route-expand",):
            stream = self.run(*tool, stream=stream).stdout
        options = "--preset", "floonoc"
        right = self.said(self.run("check-deadlock", *options, stream=stream))
        for fault, program in {**JOINING, **SHARED}.items():
            self.compare(seed, fault, program, options, stream, right)


def main():
    arguments = tally.seeds_option(__doc__, SHORT)
    with tempfile.TemporaryDirectory() as work:
        streams = Streams(arguments.bin, pathlib.Path(work))
        for seed in arguments.seeds:
            streams.check(seed)
            streams.check_joins(seed)
    print(", ".join(f"{kind} {count}" for kind, count in sorted(streams.counts.items())))
    for fault, least in LEAST.items() if len(arguments.seeds) >= SHORT else ():
        streams.tallied.check(streams.counts[fault] >= least, f"only {streams.counts[fault]} wrong answers: "
                              f"{fault}")
    return streams.tallied.close()


if __name__ == "__main__":
    sys.exit(main())
