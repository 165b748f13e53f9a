#!/usr/bin/env python3
# Mean latency of every scheme from delivery records, and of the best unicast scheme of each multicast.
# SPDX-License-Identifier: MIT
"""best_unicast.py PREFIX < deliveries

Prints tab-separated lines: PREFIX, scheme, instances, mean latency in cycles, the mean over the instances of
its latency divided by that of the best unicast scheme there, and half the widths of the 95 % intervals of
both (Student's t over the networks, as multicasts on one network are not independent). "best-unicast" is the
minimum, instance by instance, over all unicast planners of the stream. """
import json
import statistics
import sys

UNICAST = ("separate", "binomial", "switch-ordered", "u-tree")


def scheme(record):
    options = [value for name, value in record.get("options", {}).items() if name in ("chain", "order")]
    if record["planner"] == "u-tree":
        options = [record["routing"]]
    if record.get("options", {}).get("drop-on-the-way") == "yes":
        options = ["drop"]
    return "-".join([record["planner"]] + options)


STUDENT_T95 = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}


def half_width(values):
    """Of a {(network, id): value}: the networks' means are the observations."""
    networks = {}
    for (network, _), value in values.items():
        networks.setdefault(network, []).append(value)
    means = [statistics.fmean(of) for of in networks.values()]
    return STUDENT_T95[len(means) - 1] * statistics.stdev(means) / len(means) ** 0.5


def main():
    latencies = {}  # scheme -> {instance: cycles}
    network = ""
    for line in sys.stdin:
        record = json.loads(line)
        if record["kind"] == "topology":
            network = json.dumps(record["generator"])
        elif record["kind"] == "delivery":
            instance = (network, record["id"])
            latencies.setdefault(scheme(record), {})[instance] = record["latency_cycles"]
        elif record["kind"] == "summary" and record["outcome"] != "complete":
            sys.exit(f"best_unicast: a run ended in {record['outcome']}")
    instances = sorted(next(iter(latencies.values())))
    for name, of in latencies.items():
        if sorted(of) != instances:
            sys.exit(f"best_unicast: {name} has other multicasts than the rest")
    unicast = [of for name, of in latencies.items() if name.startswith(UNICAST)]
    best = {i: min(of[i] for of in unicast) for i in instances}
    for name, of in [("best-unicast", best)] + list(latencies.items()):
        mean = sum(of.values()) / len(instances)
        ratios = {i: of[i] / best[i] for i in instances}
        print(sys.argv[1], name, len(instances), f"{mean:.2f}", f"{statistics.fmean(ratios.values()):.4f}",
              f"{half_width(of):.2f}", f"{half_width(ratios):.4f}", sep="\t")


if __name__ == "__main__":
    main()
