#!/usr/bin/env python3
# Compares simulate-wormhole with an independent simulator, written from the rules, on random streams.
# SPDX-License-Identifier: MIT
"""Simulate random streams twice and end with "N passed, N failed".

  check_simulation.py [--bin DIR] [--seeds FIRST:END]

Every seed makes a network, a stream of routes and a router (oracle/random_routes.py). Each engine that may
run them must answer as oracle/simulation.py does: deliveries, summary, channel loads, and the deadlock with
its cycle and what each of its worms holds and waits for (oracle/deadlock.py); and so must an open-loop run of
the same stream with a random window. A stream that is answered otherwise is kept in $TMPDIR, and the commands
that repeat it are printed. """
import collections
import json
import math
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

import tally
from oracle.deadlock import first_deadlock
from oracle.network import Network
from oracle.random_routes import random_case, stream_of
from oracle.simulation import Simulation

SHORT = 130
# What these streams have to have among them, in hundredths, or they would not say much any more.
LEAST = {"deadlock": 4, "deadlock under early reuse": 1, "deadlock of copies made flit by flit": 1,
         "deadlock of busy nodes": 1, "headers that wait for slots": 3, "window cut short": 10,
         "saturated": 3, "deadlock of a run given up": 1}


class Run:
    """What simulate-wormhole says of a case."""

    def __init__(self, command, stream):
        self.command = command
        try:
            done = subprocess.run(command, input=stream, capture_output=True, text=True, check=False,
                                  timeout=60)
            self.status, output, self.error = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            self.status, output, self.error = None, "", "it does not end"
        records = [json.loads(line) for line in output.splitlines()] if self.status in (0, 1) else []
        self.deliveries = [record for record in records if record["kind"] == "delivery"]
        self.loads = [record for record in records if record["kind"] == "channel-load"]
        self.summary = next((record for record in records if record["kind"] == "summary"), None)


def engines_of(topology, router):
    """The worm engine refuses copies made flit by flit, early reuse, links that virtual channels share and
    links that differ; "auto" hands over where links come to be shared."""
    differ = Network(topology).own
    lacks = router.replication == "per-flit" or router.vc_reuse == "early" or router.shared_links or differ
    if router.slots_differ():
        return ["flit", "auto"]
    return ["flit", "link", "auto"] + ([] if lacks else ["worm"])


def differences(expected, said):
    return [f"{key} is {said.get(key)}, not {value}" for key, value in expected.items()
            if said.get(key) != value]


def sorted_resources(deadlock):
    """A deadlock with the resources of each worm in one order: FORMAT states none."""
    def in_order(resources):
        return sorted(resources, key=lambda resource: sorted(resource.items()))

    if deadlock is None:
        return None
    return {**deadlock, "worms": [{**worm, **{key: in_order(worm[key]) for key in ("holds", "waits")}}
                                  for worm in deadlock["worms"]]}


def expected_delivery(multicast):
    return {"id": multicast.id, "latency_cycles": multicast.latency(),
            "arrival_cycles": [multicast.arrivals[host] for host in multicast.record["destinations"]],
            "source_queueing_cycles": multicast.queueing(), "blocked_cycles": multicast.blocked,
            "contention": multicast.contention}


def wrong_deliveries(multicasts, run):
    expected = [expected_delivery(multicast) for multicast in multicasts]
    said = [{key: record[key] for key in ("id", "latency_cycles", "arrival_cycles", "source_queueing_cycles",
                                          "blocked_cycles", "contention")} for record in run.deliveries]
    return [] if said == expected else [f"deliveries are {said}, not {expected}"]


def wrong_loads(expected, run):
    """`expected`: {channel: [worms, flits, held cycles]}."""
    said = {record["channel"]: [record["worms"], record["flits"], record["held_cycles"]]
            for record in run.loads}
    return [] if said == expected else [f"channel loads are {said}, not {expected}"]


def wrong_deadlock(expected, run):
    said = run.summary.get("deadlock")
    return ([] if sorted_resources(said) == sorted_resources(expected)
            else [f"deadlock is {said}, not {expected}"])


# Closed runs.


def whole_summary(simulation):
    multicasts, delivered = simulation.multicasts.values(), simulation.deliveries()
    finished = [worm for worm in simulation.worms if worm.finished(simulation.cycle)]
    latencies = [multicast.latency() for multicast in delivered]
    return {
        "outcome": "complete" if len(finished) == len(simulation.worms) else "deadlock",
        "multicasts": len(multicasts), "delivered_multicasts": len(delivered),
        "destinations": sum(len(multicast.record["destinations"]) for multicast in multicasts),
        "delivered_destinations": sum(len(multicast.arrivals) for multicast in multicasts),
        "worms": len(simulation.worms), "finished_worms": len(finished),
        "flit_hops": sum(worm.flits * sum(hop.kind == "channel" for hop in worm.hops) for worm in finished),
        "last_cycle": simulation.last_cycle,
        "latency_cycles_sum": sum(latencies), "latency_cycles_max": max(latencies, default=0),
        "source_queueing_cycles": sum(multicast.queueing() for multicast in multicasts),
        "blocked_cycles": sum(multicast.blocked for multicast in multicasts),
        "contention": sum(multicast.contention for multicast in multicasts),
    }


def channel_hops(simulation):
    return (hop for worm in simulation.worms for hop in worm.hops if hop.kind == "channel")


def whole_loads(simulation):
    loads = collections.defaultdict(lambda: [0, 0, 0])
    for hop in channel_hops(simulation):
        if hop.freed is not None and hop.freed <= simulation.cycle:
            loads[hop.target] = [had + more for had, more in zip(loads[hop.target],
                                                                 (1, hop.worm.flits, hop.freed
                                                                  - hop.granted))]
    return dict(loads)


def events(simulation, multicasts):
    """What their worms did, move by move, or None of none."""
    counts = collections.Counter()
    worms = [worm for multicast in multicasts for worm in multicast.worms]
    for worm in worms:
        counts["buffer_reads"] += sum(len(children[0].starts) for node, children in worm.moves()
                                      if node.kind != "injection")
    for hop in (hop for worm in worms for hop in worm.hops if hop.kind != "injection"):
        flits, grants = len(hop.starts), hop.granted is not None
        counts["buffer_writes"] += flits * (hop.kind != "consumption")
        counts["link_traversals"] += flits * (hop.kind == "channel" or simulation.network.has_host_links)
        if hop.kind != "host_link":
            counts["crossbar_traversals"] += flits
            counts["vc_allocations"] += grants
            counts["switch_allocations"] += (flits if simulation.router.shared_links and hop.kind == "channel"
                                             else grants)
    return dict(counts) if worms else None


def check_closed(whole, deadlock, run):
    events_said = {"events": events(whole, [multicast for multicast in whole.deliveries()])}
    return [*differences({**whole_summary(whole), **events_said},
                         run.summary), *wrong_deliveries(whole.deliveries(),
                                                         run), *wrong_loads(whole_loads(
                                                             whole), run), *wrong_deadlock(deadlock, run)]


# Open-loop runs: the whole run, as much of it as came before the end.


class Window:
    """A window of a stream, and where the run ends that measures it: before cycle `stop`, if anything stops
    it."""

    def __init__(self, rng, whole):
        latest = max(1, *(multicast.start for multicast in whole.multicasts.values()))
        self.begin = rng.randint(0, latest)
        self.length = rng.randint(1, latest)
        self.backlog = rng.choice([0, 1, 1, 1, 100])
        self.whole, self.hosts = whole, len(whole.network.router_of)
        self.stop, self.saturated = math.inf, False
        self.came = []
        for multicast in whole.multicasts.values():
            self.came.append(multicast)
            if self.ends(multicast.start):
                self.stop = multicast.start
                break
        self.end = max(self.begin, min(self.begin + self.length, self.stop))
        self.queues = self.source_queues()

    def options(self):
        return ["--warmup-cycles", str(self.begin), "--measure-cycles", str(self.length),
                "--saturation-backlog", str(self.backlog)]

    def measured(self, multicast):
        return self.begin <= multicast.start < self.begin + self.length

    def over(self, multicast, cycle):
        """Complete a flit's time after its last arrival."""
        return multicast.awaited == 0 and multicast.completed + self.whole.router.flit_cycles <= cycle

    def ends(self, cycle):
        """With a multicast that starts in this cycle, the last of those that came."""
        waiting = sum(came_at(multicast) < cycle <= left_at(multicast) for multicast in self.came)
        self.saturated = 0 < self.backlog * self.hosts < waiting
        passed = cycle >= self.begin + self.length
        return self.saturated or passed and all(self.over(multicast, cycle) for multicast in self.came
                                                if self.measured(multicast))

    def source_queues(self):
        """What the summary says of a run that saturates, or None."""
        came, left = (sum(self.begin <= cycle < self.end for cycle in map(at, self.came))
                      for at in (came_at, left_at))
        last = self.stop if self.saturated else min(self.stop, self.begin + self.length)
        waiting = sum(came_at(multicast) < last <= left_at(multicast) for multicast in self.came)
        behind = came - left > came // 10 and ((came - left) // 4) ** 2 > self.hosts
        reason = "source-queues" if self.saturated else "accepted-load"
        self.saturated = self.saturated or behind
        return {"by": reason, "waiting": waiting, "came": came, "left": left} if self.saturated else None

    def delivered(self):
        return [multicast for multicast in self.whole.deliveries()
                if multicast in self.came and self.measured(multicast) and multicast.completed < self.stop]

    def outcome(self, deadlock):
        if deadlock:
            return "deadlock"
        return "saturated" if self.saturated else "complete"

    def expected(self):
        came, delivered = [multicast for multicast in self.came if self.measured(multicast)], self.delivered()
        latencies = sorted(multicast.latency() for multicast in delivered)
        return {"observed_cycles": self.end - self.begin, "multicasts": len(came),
                "delivered_multicasts": len(delivered), "length_flits_sum": sum(
                    multicast.record["length_flits"] for multicast in came),
                "delivery_flits_sum": sum(multicast.record["length_flits"]
                                          * len(multicast.record["destinations"]) for multicast in came),
                "arrived_flits": sum(multicast.record["length_flits"] for multicast in self.came
                                     for arrival in multicast.arrivals.values()
                                     if self.begin <= arrival < self.end),
                "latency_cycles_sum": sum(latencies), "latency_cycles_max": max(latencies, default=0),
                **{f"latency_cycles_p{rank}": latencies[-(-len(latencies) * rank // 100) - 1] if latencies
                   else 0 for rank in (50, 95, 99)}, "network_latency_cycles_sum": sum(
                       map(network_latency, delivered)), "source_queueing_cycles_sum": sum(
                           multicast.queueing() for multicast in delivered),
                "blocked_cycles_sum": sum(multicast.blocked for multicast in delivered),
                "batches": self.batches(delivered),}

    def batches(self, delivered):
        """[number delivered, sum of their latencies] of each twentieth of the window, by start."""
        batches = [[0, 0] for _ in range(20)]
        for multicast in delivered:
            batch = batches[(multicast.start - self.begin) * 20 // self.length]
            batch[0] += 1
            batch[1] += multicast.latency()
        return batches

    def loads(self):
        loads = collections.defaultdict(lambda: [0, 0, 0])
        for hop in channel_hops(self.whole):
            if hop.granted is None or hop.granted >= self.end:
                continue
            held = min(self.end, math.inf if hop.freed is None else hop.freed) - max(self.begin, hop.granted)
            flits = sum(self.begin <= start < self.end for start in hop.starts)
            if held > 0:
                loads[hop.target] = [had + more for had, more in zip(loads[hop.target],
                                                                     (flits > 0, flits, held))]
        return dict(loads)


def came_at(multicast):
    """The first cycle in which it could leave its source."""
    return math.inf if multicast.ready is None else multicast.ready + multicast.worms[0].startup


def left_at(multicast):
    """The cycle in which the last of its worms was granted all channels right behind its injection
    channel."""
    def left(worm):
        injection = next(hop for hop in worm.hops if hop.kind == "injection")
        grants = [hop.granted for hop in injection.children]
        return math.inf if None in grants else max(*grants, injection.granted + worm.startup)

    return max(left(worm) for worm in multicast.worms if worm.after is None)


def network_latency(multicast):
    """Without the wait for other multicasts, and for injection channels of the worms that brought the last
    copy."""
    def queueing(worm):
        return worm.queueing + (0 if worm.after is None else queueing(multicast.worms[worm.after]))

    last = max(multicast.arrivals.values())
    return last - multicast.ready - max(queueing(worm) for arrival, worm in multicast.last_arrivals
                                        if arrival == last)


def check_window(window, deadlock, run):
    said = run.summary
    expected = {"outcome": window.outcome(deadlock), "multicasts": len(window.came),
                "events": events(window.whole, window.delivered())}
    queues = None if deadlock and deadlock["cycle"] < window.stop else window.queues
    return [*differences(expected, said), *differences({**window.expected(), "saturated": queues},
                                                       said["window"]), *wrong_deliveries(
                                                           window.delivered(), run), *wrong_loads(
                                                               window.loads(), run), *wrong_deadlock(
                                                                   deadlock, run)]


# All of them.


def repeated(routes, times):
    """Each multicast so often, so that many queue at the sources."""
    return [{**record, "id": record["id"] * times + number,
             **({"depends_on": [other * times + number for other in record["depends_on"]]}
                if "depends_on" in record else {})} for record in routes for number in range(times)]


class Case:
    """A random stream, what is to be said of it, and what is wrong with what a tool says."""

    def __init__(self, seed, bin_dir, tallied):
        self.seed, self.tool, self.tally = seed, str(bin_dir / "simulate-wormhole"), tallied
        rng = random.Random(seed)
        self.topology, self.routes, self.router = random_case(rng)
        if rng.random() < 0.4:
            self.routes = repeated(self.routes, 6)
        self.stream = stream_of(self.topology, self.routes)
        self.whole = self.simulation()
        while self.whole.advance():
            pass
        self.blocked = not all(worm.finished(self.whole.cycle) for worm in self.whole.worms)
        self.slots_differ = self.router.slots_differ()  # its deadlocks are what stands still at the end
        self.deadlock = first_deadlock(self.simulation()) if self.blocked and not self.slots_differ else None
        self.window = Window(rng, self.whole)
        self.deadlock_of_window = self.found_in_window()

    def simulation(self):
        return Simulation(self.topology, self.routes, self.router)

    def found_in_window(self):
        """Before the run ends; or, where it is given up for its backlog, as what came by then goes on by
        itself."""
        if self.deadlock and self.deadlock["cycle"] < self.window.stop:
            return self.deadlock
        if self.slots_differ or not self.window.saturated or self.router.consumption_release == "answered":
            return None
        came = self.routes[:len(self.window.came)]
        rest = Simulation(self.topology, came, self.router)
        while rest.advance():
            pass
        over = all(worm.finished(rest.cycle) for worm in rest.worms)
        return None if over else first_deadlock(Simulation(self.topology, came, self.router))

    def kinds(self):
        yield "stream"
        if self.slots_differ:
            yield "headers that wait for slots"
        if self.slots_differ and self.blocked:
            yield "deadlock of headers that wait for slots"
        if self.deadlock:
            yield "deadlock"
        if self.deadlock and self.router.vc_reuse == "early":
            yield "deadlock under early reuse"
        if self.deadlock and self.router.replication == "per-flit":
            yield "deadlock of copies made flit by flit"
        if self.deadlock and self.router.consumption_release == "answered":
            yield "deadlock of busy nodes"
        if self.window.stop < math.inf:
            yield "window cut short"
        if self.window.saturated:
            yield "saturated"
        if self.window.saturated and self.deadlock_of_window:
            yield "deadlock of a run given up"

    def check(self):
        for engine in engines_of(self.topology, self.router):
            if self.slots_differ:
                self.compare(engine, [], lambda run: check_closed(self.whole, run.summary.get("deadlock"),
                                                                  run))
                continue
            self.compare(engine, [], lambda run: check_closed(self.whole, self.deadlock, run))
            self.compare(engine, self.window.options(), lambda run: check_window(
                self.window, self.deadlock_of_window, run))
            if self.deadlock:
                self.compare(engine, ["--stop-on-deadlock"], lambda run: wrong_deadlock(self.deadlock, run))

    def compare(self, engine, options, check):
        run = Run([self.tool, "--engine", engine, "--channel-loads",
                   "--events", *options, *self.router.options()], self.stream)
        wrong = check(run) if run.summary else [f"status {run.status}: {run.error.strip()}"]
        if run.summary and run.status != (run.summary["outcome"] == "deadlock"):
            wrong.append(f"status {run.status}")
        self.tally.check(not wrong, "" if not wrong else self.report(run, wrong))

    def report(self, run, wrong):
        path = pathlib.Path(tempfile.gettempdir()) / f"simulation-{self.seed}.jsonl"
        path.write_text(self.stream)
        return (f"seed {self.seed}: " + "; ".join(wrong) + f"\n  {shlex.join([*run.command, str(path)])}\n  "
                f"{sys.argv[0]} --bin {pathlib.Path(self.tool).parent} --seeds {self.seed}:{self.seed + 1}")


def main():
    arguments = tally.seeds_option(__doc__, SHORT)
    seeds = arguments.seeds
    counts, tallied = collections.Counter(), tally.Tally()
    for seed in seeds:
        case = Case(seed, arguments.bin, tallied)
        counts.update(case.kinds())
        case.check()
    for kind, least in LEAST.items() if len(seeds) >= SHORT else ():
        tallied.check(100 * counts[kind] >= least * len(seeds), f"only {counts[kind]} of {len(seeds)} "
                      f"streams: {kind}")
    print(", ".join(f"{kind}: {count}" for kind, count in counts.items()))
    return tallied.close()


if __name__ == "__main__":
    sys.exit(main())
