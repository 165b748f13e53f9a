#!/usr/bin/env python3
"""Lets a check-deadlock whose search has a fault judge random streams: --verify must refuse every wrong answer.

  check_planted.py [--bin DIR] [--seeds FIRST:END]

planted-check-deadlock (tests/planted) takes its fault from $PLANTED. An answer is wrong if check-deadlock says another.
What the faulty program refuses itself, before it answers, is counted apart.
"""
# SPDX-License-Identifier: MIT
import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import tally
from check_explored import random_router, random_stream
from oracle.random_routes import stream_of

SHORT = 250
LEAST = {"blind": 8, "hasty": 8}  # wrong answers that there have to be, or they would not say much any more


class Streams:
    def __init__(self, bin_dir, work):
        self.bin, self.work, self.counts, self.tallied = bin_dir, work, collections.Counter(), tally.Tally()

    def run(self, tool, *arguments, stream, planted=""):
        command = [str(self.bin / tool), *map(str, arguments)]
        return subprocess.run(command, input=stream, capture_output=True, text=True, check=False, timeout=300,
                              env={**os.environ, "PLANTED": planted})

    def answer(self, done):
        return next((record["answer"] for record in map(json.loads, done.stdout.splitlines())
                     if record["kind"] == "verdict"), None)

    def check(self, seed):
        rng = random.Random(seed)
        router = random_router(rng)
        stream = stream_of(*random_stream(rng, router))
        right = self.answer(self.run("check-deadlock", *router.options(), stream=stream))
        for fault in LEAST:
            done = self.run("planted-check-deadlock", *router.options(), stream=stream, planted=fault)
            said = self.answer(done)
            if said is None:
                self.counts[fault + ", refused by itself"] += 1
            elif {said, right} == {"deadlock", "safe-unreachable"}:
                self.counts[fault] += 1
                (self.work / "verdict").write_text(done.stdout)
                verified = self.run("check-deadlock", "--verify", self.work / "verdict", stream=stream)
                self.tallied.check(verified.returncode == 1,
                                   f"seed {seed}, {fault}: {said}, not {right}: --verify: status {verified.returncode} "
                                   f"{verified.stderr.strip()}\n  {sys.argv[0]} --seeds {seed}:{seed + 1}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=tally.BUILD / "bin", type=pathlib.Path, help="folder of the tools")
    parser.add_argument("--seeds", default=f"0:{SHORT}", help="the first, and the one after the last")
    arguments = parser.parse_args()
    first, end = map(int, arguments.seeds.split(":"))
    with tempfile.TemporaryDirectory() as work:
        streams = Streams(arguments.bin.resolve(), pathlib.Path(work))
        for seed in range(first, end):
            streams.check(seed)
    print(", ".join(f"{kind} {count}" for kind, count in sorted(streams.counts.items())))
    for fault, least in LEAST.items() if end - first >= SHORT else ():
        streams.tallied.check(streams.counts[fault] >= least, f"only {streams.counts[fault]} wrong answers: {fault}")
    return streams.tallied.close()


if __name__ == "__main__":
    sys.exit(main())
