#!/usr/bin/env python3
# Sets of worms that check-deadlock calls safe never stand still in simulate-wormhole, whenever they start and
# are late.
# SPDX-License-Identifier: MIT
"""Check random small sets, simulate them at random times, and end with "N passed, N failed".

  check_timings.py [--bin DIR] [--seeds FIRST:END]

Every seed makes a router and 40 sets of routes (oracle/random_routes.py), few worms on few nodes, which meet.
A verdict is about any timing: each set is simulated with random starts, delays on the way (not_before_cycle)
and delays of routers, 40 times if it is safe-unreachable, which has no certificate, and 6 times if it is
safe. None of these runs may deadlock. Of the sets that can deadlock some must, or such timings would find
nothing. Every witness must, whatever delays the set's own routes state. A set that stands still in spite of
its verdict is kept in $TMPDIR, and the command that repeats it is printed. """
import collections
import json
import random
import shlex
import subprocess
import sys
import tempfile

import tally
from oracle.network import Network
from oracle.random_routes import Dice, random_routes, random_topology, stream_of
from oracle.router import Router

SHORT = 48
SETS = 40
RUNS = {"safe-unreachable": 40, "safe": 6, "deadlock": 6}
# Of all sets, in hundredths: what is there to be simulated, and deadlocks that were run into.
LEAST = {"safe-unreachable": 12, "safe": 25, "deadlock": 12, "run into": 8}


def random_router(rng):
    """What a verdict depends on."""
    router = Router(buffer_flits=rng.randint(1, 4), allocation=rng.choice(
        ["incremental", "incremental", "atomic"]))
    if rng.random() < 0.5:
        router.consumption_channels = rng.randint(1, 2)
    if rng.random() < 0.5:
        router.injection_channels = rng.randint(1, 2)
    if rng.random() < 0.2:
        router.vc_reuse = "early"
    if router.allocation == "incremental" and rng.random() < 0.3:
        router.output_arbitration = "round-robin"
    return router


def random_delays(rng):
    """Options that no verdict depends on."""
    return [word for name in ("hop", "flit", "credit") if rng.random() < 0.5
            for word in (f"--{name}-cycles", str(rng.randint(1, 3)))]


def random_set(rng, router):
    """(topology, routes) of three to five multicasts."""
    while True:
        topology = random_topology(rng, rng.random() < 0.7)
        network = Network(topology)
        routes = random_routes(Dice(rng, network, router, rng.random() < 0.5), rng.randint(3, 5))
        if len(routes) >= 3:
            return topology, routes


def timed(rng, routes):
    """The same worms at other times."""
    records = []
    for record in routes:
        worms = [{**worm, "not_before_cycle": [rng.choice([0, 0, rng.randint(0, 50)]) for _ in worm["hops"]]}
                 if rng.random() < 0.7 else worm for worm in record["worms"]]
        records.append({**record, "worms": worms, "start_cycle": rng.choice([0, 0, rng.randint(0, 25)])})
    return sorted(records, key=lambda record: (record["start_cycle"], record["id"]))


def run(command, stream):
    done = subprocess.run(command, input=stream, capture_output=True, text=True, check=False, timeout=300)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def check_seed(seed, bin_dir, counted, result):
    rng = random.Random(seed)
    router = random_router(rng)
    sets = [random_set(rng, router) for _ in range(SETS)]
    for _, routes in sets:
        for record in routes:
            # nothing waits but for channels, and worms for the relays before them
            record.pop("depends_on", None)
    records, error = run([bin_dir / "check-deadlock", *router.options()],
                         "".join(stream_of(*one) for one in sets))
    answers = [record["answer"] for record in records if record["kind"] == "verdict"]
    result.check(len(answers) == SETS, f"seed {seed}: {len(answers)} verdicts on {SETS} sets, {error[:300]}")
    counted.update(answers)
    # Witnesses, of the sets as they come, with the delays of random_routes.
    found, error = run([bin_dir / "check-deadlock", *router.options(), "--witness", "-"],
                       "".join(stream_of(*one) for one in sets))
    records, error = run([bin_dir / "simulate-wormhole", "--summary-only", *router.options()],
                         "".join(json.dumps(record) + "\n" for record in found))
    replayed = [record["outcome"] for record in records if record["kind"] == "summary"]
    stood = answers.count("deadlock")
    result.check(replayed.count("deadlock") == stood, f"seed {seed}: {replayed.count('deadlock')} of {stood} "
                 f"witnesses stand still, {error[:300]}")
    streams, of_set = [], []
    for number, answer in enumerate(answers):
        for _ in range(RUNS.get(answer, 0)):
            streams.append(stream_of(sets[number][0], timed(rng, sets[number][1])))
            of_set.append(number)
    command = [bin_dir / "simulate-wormhole", "--summary-only", *router.options(), *random_delays(rng)]
    records, error = run(command, "".join(streams))
    outcomes = [record["outcome"] for record in records if record["kind"] == "summary"]
    result.check(len(outcomes) == len(streams), f"seed {seed}: {len(outcomes)} of {len(streams)} runs, "
                 f"{error[:300]}")
    stuck = {number: stream for number, stream, outcome in zip(of_set, streams, outcomes)
             if outcome == "deadlock"}
    counted["run into"] += sum(answers[number] == "deadlock" for number in stuck)
    for number, answer in enumerate(answers):
        if answer in ("safe", "safe-unreachable"):
            result.check(number not in stuck, f"seed {seed}, set {number}: {answer}, and stands still: "
                         f"{kept(stuck.get(number), command)}")


def kept(stream, command):
    """The command that repeats a run; keeps its stream."""
    if stream is None:
        return ""
    with tempfile.NamedTemporaryFile("w", prefix="timing-", suffix=".jsonl", delete=False) as file:
        file.write(stream)
    return shlex.join([*map(str, command), file.name])


def main():
    arguments = tally.seeds_option(__doc__, SHORT)
    result, counted = tally.Tally(), collections.Counter()
    for seed in arguments.seeds:
        check_seed(seed, arguments.bin, counted, result)
    print(", ".join(f"{count} {what}" for what, count in sorted(counted.items())))
    sets = SETS * len(arguments.seeds)
    for what, least in LEAST.items() if len(arguments.seeds) >= SHORT else ():
        result.check(100 * counted[what] >= least * sets, f"only {counted[what]} of {sets} sets: {what}")
    return result.close()


if __name__ == "__main__":
    sys.exit(main())
