#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times commands in turn, round after round, and prints each one's median and the ratio to the first.

Usage: measure.py [--rounds N] NAME=COMMAND ...      (each COMMAND is run by sh; its output is discarded)
"""
import argparse
import os
import statistics
import subprocess
import sys
import time


def run(command):
    """Wall seconds, CPU seconds and peak memory (MiB, the largest process) of one run."""
    start = time.monotonic()
    process = subprocess.Popen(["sh", "-c", "exec " + command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    if status != 0:
        sys.exit(f"measure.py: status {os.waitstatus_to_exitcode(status)}: {command}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("commands", nargs="+")
    options = parser.parse_args()
    names, commands = zip(*(c.split("=", 1) for c in options.commands))
    rounds = [[run(c) for c in commands] for _ in range(options.rounds)]
    print(f"{'command':<24} {'wall s':>8} {'cpu s':>8} {'MiB':>7} {'cpu ratio':>10}")
    for i, name in enumerate(names):
        wall, cpu, memory = (statistics.median(r[i][f] for r in rounds) for f in range(3))
        ratio = statistics.median(r[i][1] / r[0][1] for r in rounds)
        print(f"{name:<24} {wall:8.3f} {cpu:8.3f} {memory:7.1f} {ratio:10.2f}")


if __name__ == "__main__":
    main()
