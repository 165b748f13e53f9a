#!/usr/bin/env python3
# Compares reductions that routers join flit by flit, register by register, with what was measured.
# SPDX-License-Identifier: MIT
"""Simulate reductions beside multicasts and unicasts on meshes of a router that joins, and end with "N passed, N failed".

The measured scenarios (tests/reference/router_reduction.jsonl) are simulated by oracle/joins.py: each tail must leave in the
same cycle, and the outcome must be the same.
"""
import collections
import json
import pathlib
import sys

import tally
from oracle import joins

REFERENCE = pathlib.Path(__file__).parent / "reference" / "router_reduction.jsonl"


class Scenario:
    def __init__(self, dims, fifo_flits, networks):
        self.dims, self.fifo_flits, self.networks = dims, fifo_flits, networks

    def run(self):
        """By the oracle: [[network, packet, node, cycle]] of the tails, and the outcome."""
        meshes = joins.run(self.dims, self.fifo_flits, self.networks)
        tails = sorted([number, flit.send.packet, node, cycle] for number, mesh in meshes.items()
                       for cycle, node, flit in mesh.ejections if flit.last)
        return tails, joins.outcome(self.networks, meshes)


def measured():
    for line in REFERENCE.read_text().splitlines():
        record = json.loads(line)
        networks = collections.defaultdict(list)
        for network, node, packet, kind, start, dst, mask, length in record["sends"]:
            begins = {"after": start[0], "delay": start[1]} if isinstance(start, list) else {"start": start}
            networks[network].append(joins.Send(node, packet, kind, tuple(dst), tuple(mask), length, **begins))
        yield record, Scenario(record["dims"], record["fifo_flits"], networks)


def main():
    counts, tallied = collections.Counter(), tally.Tally()
    for record, scenario in measured():
        tails, outcome = scenario.run()
        wanted = sorted(record["tail_ejections"]), record["outcome"]
        tallied.check((tails, outcome) == wanted, f"measured scenario {record['id']}: the oracle says {outcome}, {tails}; wanted {wanted}")
        counts[outcome] += 1
    print(", ".join(f"{kind}: {count}" for kind, count in counts.items()))
    return tallied.close()


if __name__ == "__main__":
    sys.exit(main())
