#!/usr/bin/env python3
# The links that transfers of Tenstorrent chips take, against tt-npe's and against the vendor's rules.
# SPDX-License-Identifier: MIT
"""Check traces and workloads of tt-npe, and end with "N passed, N failed".

  check_npe.py [--bin DIR] [--npe FOLDER] [--dump PROGRAM]

--npe is a checkout of tenstorrent/tt-npe (also NPE=FOLDER in the environment): without it only the trees of
random rectangles are checked. For each of its traces of one chip and for the examples with multicasts, on
each of the two networks: every transfer that gen-multicast takes has the source, the destinations, the bytes
and the links that this program reads from the file by tt-npe's rules, no more and no fewer. --dump (also
NPE_DUMP=PROGRAM) is a program that prints what tt-npe itself makes of a file (tests/npe/dump.cpp says how it
is built): then its links are held against ours, too. tt-npe draws a multicast as the union of its unicasts
(xy-tree here), and ends it on NoC 1 at the first column of the rectangle that it comes to; where its links do
not reach all destinations, they must be among ours.

The read barriers of every second trace, to which nothing is fitted, are replayed; a table says how far the
durations are off, which must not get worse than data/pages/tenstorrent.md says.

Random rectangles, some of which wrap: the tree that `rectangle` plans, with either major axis, has exactly
the links of the walk that Tenstorrent's tt-isa-documentation draws (RoutingPaths). """
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess

from tally import BUILD, Tally

CONVERTERS = pathlib.Path(__file__).resolve().parent.parent / "data" / "converters"
WIDTH, HEIGHT = 10, 12  # Wormhole
ROUTER = ("--shared-links --vc-reuse early --hop-cycles 9 --credit-cycles 7 --buffer-flits 16 "
          "--output-arbitration rotating --consumption-release answered")
MOST_PERMILLE = {"core": (87, 289), "DRAM": (112, 351)}  # of barriers' errors: median, 90th percentile
FAMILY = ("torus-forward", "torus-backward")
FLIT_BYTES = 32


def step(noc, node, axis):
    """The neighbour, and the link that leads to it."""
    sizes = (WIDTH, HEIGHT)
    there = list(node)
    there[axis] = (node[axis] + (1, -1)[noc]) % sizes[axis]
    return tuple(there), (*node, axis)


def unicast(noc, source, target):
    """Right, then down; on NoC 1 up, then left."""
    links = []
    for axis in (0, 1) if noc == 0 else (1, 0):
        while source[axis] != target[axis]:
            source, link = step(noc, source, axis)
            links.append(link)
    return links


def span(noc, first, last, size):
    """The coordinates from `first` to `last` the way the channels run."""
    found = [first]
    while found[-1] != last:
        found.append((found[-1] + (1, -1)[noc]) % size)
    return found


def broadcast(noc, source, first, last, major):
    """The tree of the chip: along the major axis to the rectangle unless within, along the minor one until
    all is covered, and on the way wherever it is wanted along the major one until all is covered."""
    minor = 1 - major
    wanted = [span(noc, first[axis], last[axis], (WIDTH, HEIGHT)[axis]) for axis in (0, 1)]
    links, at = set(), source
    while at[major] not in wanted[major]:
        at, link = step(noc, at, major)
        links.add(link)
    left = len(wanted[minor])
    while True:
        if at[minor] in wanted[minor]:
            tooth, uncovered = at, len(wanted[major])
            while True:
                uncovered -= tooth[major] in wanted[major]
                if uncovered == 0:
                    break
                tooth, link = step(noc, tooth, major)
                links.add(link)
            left -= 1
            if left == 0:
                return links
        at, link = step(noc, at, minor)
        links.add(link)


def events(path):
    """(noc, source, destinations, bytes) of each transfer of a file, by tt-npe's rules."""
    data = json.loads(path.read_text())
    if isinstance(data, dict):
        for phase in data["phases"]:
            for t in phase["transfers"]:
                noc = int(t["noc_type"][-1])
                if "dst_x" in t:
                    corners = [(t["dst_x"], t["dst_y"])] * 2
                else:
                    corners = [(t["mcast_start_x"], t["mcast_start_y"]), (t["mcast_end_x"], t["mcast_end_y"])]
                    corners = corners[::-1] if noc == 1 else corners
                for _ in range(t["num_packets"]):
                    yield noc, (t["src_x"], t["src_y"]), corners, t["packet_size"]
        return
    for e in data:
        kind = e.get("type", "")
        if kind not in ("READ", "WRITE_", "WRITE_MULTICAST") or not e.get("num_bytes"):
            continue
        here = (e["sx"], e["sy"])
        there = (e["dx"], e["dy"])
        corners = [there, there]
        if kind == "READ":
            here, corners = there, [here, here]
        elif kind == "WRITE_MULTICAST":
            corners = [(e["mcast_start_x"], e["mcast_start_y"]), (e["mcast_end_x"], e["mcast_end_y"])]
        yield int(e["noc"][-1]), here, corners, e["num_bytes"]


def destinations(noc, source, corners):
    first, last = corners
    nodes = {(x, y) for x in span(noc, first[0], last[0], WIDTH)
             for y in span(noc, first[1], last[1], HEIGHT)}
    return frozenset(nodes - {source} if len(nodes) > 1 else nodes)


def expected(noc, path):
    """Each transfer of the network as (source, destinations, flits, links of the union of its unicasts)."""
    for which, source, corners, size in events(path):
        if which != noc:
            continue
        to = destinations(noc, source, corners)
        links = {link for node in to for link in unicast(noc, source, node)}
        yield source, to, -(-size // FLIT_BYTES), frozenset(links)


class Tools:
    def __init__(self, folder):
        self.env = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")

    def routes(self, noc, arguments, planner):
        """(source, destinations, flits, links) of each multicast of a pipeline."""
        command = (f"gen-topology {FAMILY[noc]} {WIDTH} {HEIGHT} | gen-multicast {arguments} | "
                   f"plan-multicast {planner} | route-expand")
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], env=self.env, capture_output=True,
                              text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip() or command)
        for line in done.stdout.splitlines():
            record = json.loads(line)
            if record["kind"] != "routes":
                continue
            links = [hop for worm in record["worms"] for hop in worm["hops"] if hop >= 0]
            assert len(set(links)) == len(links), "a link twice"
            assert all(link % 2 == noc for link in links), "a link of the other network"
            yield (self.node(record["source"]), frozenset(map(self.node, record["destinations"])),
                   record["length_flits"], frozenset((*self.node(link // 4), link % 4 // 2)
                                                     for link in links))

    @staticmethod
    def node(number):
        return number % WIDTH, number // WIDTH


def count(transfers):
    counts = {}
    for transfer in transfers:
        counts[transfer] = counts.get(transfer, 0) + 1
    return counts


def npe_transfers(dump, path, noc):
    """(source, bytes, links) of each transfer of the network as tt-npe has it."""
    names = {"NOC0_EAST": 0, "NOC0_SOUTH": 1, "NOC1_WEST": 0, "NOC1_NORTH": 1}
    kind = "trace" if path.read_text().lstrip()[0] == "[" else "workload"
    done = subprocess.run([dump, kind, path], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        words = line.split()
        if words[0] not in "01" or int(words[0]) != noc:
            continue
        links = [link.split(",") for link in words[8:]]
        yield ((int(words[1]), int(words[2])), int(words[7]),
               frozenset((int(x), int(y), names[name]) for x, y, name in links))


def reached(source, links, noc):
    nodes, front = {source}, [source]
    while front:
        node = front.pop()
        for axis in (0, 1):
            there, link = step(noc, node, axis)
            if link in links and there not in nodes:
                nodes.add(there)
                front.append(there)
    return nodes


def compare_with_npe(tally, dump, path, noc, ours):
    """Each transfer of tt-npe is one of ours, or of a workload several packets of ours, and none is left."""
    where = f"{path.name}, NoC {noc}"
    left = dict(ours)
    unreached = 0
    for source, size, links in npe_transfers(dump, path, noc):
        of_source = [t for t in left if t[0] == source and size <= t[2] * FLIT_BYTES * left[t]]
        same = [t for t in of_source if t[3] == links]
        if not same:  # tt-npe's tree may stop short of some destinations
            same = [t for t in of_source if links < t[3] and not t[1] <= reached(source, links, noc)]
            unreached += 1
        tally.check(bool(same), f"{where}: tt-npe's {len(links)} links of {size} bytes from {source} are "
                    "nobody's here")
        if same:
            left[same[0]] -= max(1, size // (same[0][2] * FLIT_BYTES))
            if left[same[0]] == 0:
                del left[same[0]]
    tally.check(not left, f"{where}: {sum(left.values())} transfers that tt-npe has not")
    return unreached


def check_file(tally, tools, dump, path):
    flit_hops = short = 0
    for noc in (0, 1):
        wanted = count(expected(noc, path))
        try:
            ours = count(tools.routes(noc, f"--from <({CONVERTERS}/noc-trace --noc {noc} --grid "
                                      f"{WIDTH}x{HEIGHT} {path})", "xy-tree"))
        except RuntimeError as error:
            tally.check(False, f"{path.name}: {error}")
            return 0, 0
        tally.check(ours == wanted, f"{path.name}, NoC {noc}: {len(ours)} different transfers here, "
                    f"{len(wanted)} there")
        flit_hops += sum(times * flits * len(links) for (_, _, flits, links), times in ours.items())
        if dump:
            short += compare_with_npe(tally, dump, path, noc, ours)
    return flit_hops, short


def check_barriers(tally, tools, traces):
    errors = {memory: [] for memory in MOST_PERMILLE}
    for path in traces:
        command = (f"{CONVERTERS}/noc-trace --replay {path} | simulate-wormhole {ROUTER} | "
                   f"{CONVERTERS}/noc-trace --errors")
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], env=tools.env, capture_output=True,
                              text=True)
        tally.check(done.returncode == 0, f"{path.name}: {done.stderr.strip()}")
        for record in map(json.loads, done.stdout.splitlines()):
            if "x_error_permille" in record and record["workload"]["event"] == "READ_BARRIER":
                errors[record["workload"]["memory"]].append(record["x_error_permille"])
    for memory, most in MOST_PERMILLE.items():
        found = sorted(errors[memory])
        got = statistics.median(found), found[len(found) * 9 // 10]
        print(f"{len(found)} read barriers of {memory} are wrong by {got[0]} permille in the median, "
              f"{got[1]} at the 90th percentile")
        tally.check(got[0] <= most[0] and got[1] <= most[1], f"barriers of {memory}: {got} exceed {most}")


def check_rectangles(tally, tools, rounds):
    draw = random.Random(32)
    for _ in range(rounds):
        noc = draw.randrange(2)
        source, first, last = ((draw.randrange(WIDTH), draw.randrange(HEIGHT)) for _ in range(3))
        to = destinations(noc, source, (first, last))
        nodes = " ".join(f"{x},{y}" for x, y in sorted(to))
        for major, shape in ((0, "tree"), (0, "x-major"), (1, "y-major")):
            arguments = f"--source {source[0]},{source[1]} --to {nodes}"
            (_, got, _, links), = tools.routes(noc, arguments, f"rectangle --shape {shape}")
            walk = broadcast(noc, source, first, last, major)
            # Where all coordinates of an axis are wanted, or only the source's are not, nothing says where
            # the rectangle begins: any beginning is right.
            whole = [span(noc, first[a], last[a], (WIDTH, HEIGHT)[a]) for a in (0, 1)]
            open_beginning = any(len(whole[a]) >= (WIDTH, HEIGHT)[a] - 1 for a in (0, 1))
            same = links == walk or (open_beginning and got <= reached(source, links, noc))
            tally.check(same, f"NoC {noc}, {shape}: {source} to {first}-{last}: {sorted(links ^ walk)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default=BUILD / "bin", type=pathlib.Path)
    parser.add_argument("--npe", default=os.environ.get("NPE"), type=pathlib.Path)
    parser.add_argument("--dump", default=os.environ.get("NPE_DUMP"))
    options = parser.parse_args()
    tally, tools = Tally(), Tools(options.bin.resolve())
    check_rectangles(tally, tools, 60)
    if options.npe:
        traces = sorted((options.npe / "tt_npe/workload/noc_trace_json").glob("*.json"))
        examples = [options.npe / "tt_npe/workload/example_wl.json",
                    options.npe / "tt_npe/cpp/test/data/mcast-util-trace-small.json"]
        tally.check(bool(traces), f"no traces in {options.npe}")
        found = [check_file(tally, tools, options.dump, path) for path in traces + examples]
        print(f"{len(traces)} traces, {len(examples)} examples, {sum(hops for hops, _ in found)} flit-hops; "
              f"{sum(short for _, short in found)} multicasts of tt-npe end short of destinations")
        check_barriers(tally, tools, traces[1::2])
    return tally.close()


if __name__ == "__main__":
    raise SystemExit(main())
