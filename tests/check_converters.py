#!/usr/bin/env python3
# Converters: what DMAs send against a walk over every byte, invalidations, and that damaged files are refused
# in one line.
# SPDX-License-Identifier: MIT
"""Check the scripts of data/converters, and end with "N passed, N failed".

- The bursts of random DMA jobs, their beats and what they wait for equal a walk over every byte of the job.
- What compare-tables says of small fabrics equals what all permutations and all parts of their hosts say.
- Pages of verdicts are well-formed, and the commands that they print check the verdict again.
- A netrace trace in which packets repeat has each invalidation once; one whose cycles descend is refused.
- No two lines of a plot look alike, no two of a thousand worms have one colour, and decimals and the order of
  texts are what exact fractions and their definition say.
- Files are recognised by their looks, and refused in one line where they are damaged.
- Output that cannot be written, and closed streams, are refused in one line by exit 2.
- Of every input of the golden cases, changed at random (WORMCAST_CHANGES times, default 6), each converter
  makes what the tool behind it takes or refuses in one line, or refuses it itself: one line on stderr, exit
  2, nothing on stdout.
"""
import collections
import fractions
import functools
import importlib.machinery
import importlib.util
import itertools
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import transcripts
from tally import Tally, bin_option

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONVERTERS = ROOT / "data" / "converters"
GOLDEN_FILES = ROOT / "tests" / "golden" / "files" / "converters"
RANGE = 0x4000  # bytes of a tile of DESCRIPTION
DESCRIPTION = """name: mesh
network_type: narrow-wide
protocols:
  - {{name: narrow, type: narrow, data_width: {narrow}, addr_width: 48, id_width: 4}}
  - {{name: wide, type: wide, data_width: {wide}, addr_width: 48, id_width: 4}}
endpoints: [{{name: tile, array: [3, 2], addr_range: {{base: 0, size: 0x4000}}}}]
routers: [{{name: router, array: [3, 2]}}]
connections: [{{src: tile, dst: router, src_range: [[0, 2], [0, 1]], dst_range: [[0, 2], [0, 1]]}}]
routing: {{route_algo: XY}}
"""


def convert(name, *arguments, text=None):
    return subprocess.run([CONVERTERS / name, *arguments], input=text, capture_output=True, check=False)


def groups_of(process):
    """(source, destination, length, after, access) of each group."""
    for line in process.stdout.decode().splitlines():
        words = dict(re.findall(r"(\S+)=(\S*)", line))
        source, destination = re.match(r"(\S+): (\S+)", line).groups()
        yield source, destination, int(words["length"]), [int(one)
                                                          for one in words.get("after", "").split(",")
                                                          if one], words["access"]


def parts_of(side, other, decoupled, length, beat):
    """[(tile, words of the link, offsets)] of the bursts of one side, byte by byte; a side is (address,
    beats)."""
    def begins(address, beats, offset):
        allowed = 1
        while allowed < beats:
            allowed *= 2
        return any((address + offset) % bytes_of == 0 for bytes_of in (4096, 256 * beat, allowed * beat))

    parts = []
    for offset in range(length):
        at = side[0] + offset
        if not parts or begins(*side, offset) or (not decoupled and begins(*other, offset)):
            parts.append((at // RANGE, set(), set()))
        parts[-1][1].add(at // beat)
        parts[-1][2].add(offset)
    return parts


def check_jobs(tally, draw, folder):
    for case in range(40):
        bits, wide, dma = 8 << draw.randrange(8), draw.random() < 0.5, draw.randrange(6)
        length = draw.randint(1, 9000)
        read, write = ((draw.randrange(6 * RANGE - length), draw.randint(1, 256)),
                       (draw.randrange(6 * RANGE - length), draw.randint(1, 256)))
        decoupled = draw.random() < 0.5
        (folder / "net.yml").write_text(DESCRIPTION.format(narrow=64 if wide else bits, wide=bits if wide
                                                           else 64))
        file = folder / f"jobs_{dma + (0 if wide else 100)}.txt"
        file.write_text(
            f"{length}\n{read[0]:#x}\n{write[0]:#x}\n0\n0\n{read[1]}\n{write[1]}\n0\n{int(decoupled)}\n0\n")
        process = convert("dma-jobs", "--addresses", folder / "net.yml", file)
        wanted, brought = [], []
        for access, side, other in (("read", read, write), ("write", write, read)):
            for tile, words, offsets in parts_of(side, other, decoupled, length, bits // 8):
                if tile == dma:
                    continue
                names = [f"{one // 2},{one % 2}" for one in (tile, dma)]
                after = [number for number, offered in brought if offered
                         & offsets] if access == "write" else []
                if access == "read":
                    brought.append((len(wanted), offsets))
                wanted.append((*(names if access == "read" else names[::-1]), len(words), after, access))
        tally.check(list(groups_of(process)) == wanted, f"job {case}: {process.stderr.decode()}")


def trace(packets):
    header = struct.pack("<I44xQII8x", 0x484A5455, len(packets), 0, 0)
    return header + b"".join(struct.pack("<QIIBBBBB", cycle, 0, address, 27, source, destination, 0, 0)
                             for cycle, address, source, destination in packets)


def check_invalidations(tally):
    packets = [(5, 9, 1, 2)] * 3000 + [(5, 8, 1, 3)] * 3000 + [(6, 9, 1, 2)] * 2 + [(6, 9, 0, 2)]
    process = convert("netrace", text=trace(packets))
    wanted = [f"{source}: {to} start={cycle} from=netrace flit-bits=64"
              for cycle, source, to in ((5, 1, 3), (5, 1, 2), (6, 0, 2), (6, 1, 2))]
    tally.check(process.stdout.decode().splitlines() == wanted,
                f"repeated packets: {process.stderr.decode()}")
    process = convert("netrace", text=trace([(5, 9, 1, 2), (4, 9, 1, 2)]))
    tally.check(process.returncode == 2 and b"cycle 4 comes after cycle 5" in process.stderr,
                "descending cycles")


def check_compared(tally, draw, folder, tools):
    """Loads, the worst permutation and the bisection of small fabrics, each by trying all there are."""
    for case in range(12):
        hosts = draw.choice([4, 5, 6])
        pairs = list(itertools.permutations(range(hosts), 2))
        (folder / "pairs").write_text("".join(f"{a} {b}\n" for a, b in pairs))
        command = (f"gen-topology irregular --switches {hosts} --ports {draw.choice([4, 5])} --hosts 1 "
                   f"--open-ports 1 --seed {case} | gen-multicast --from {folder}/pairs | plan-multicast "
                   f"separate --routing {draw.choice(['up-down', 'shortest'])} | route-expand")
        text = subprocess.run(["bash", "-c", command], capture_output=True, check=True,
                              env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}).stdout
        records = [json.loads(line) for line in text.splitlines()]
        links, network = {}, records[0]
        for record in records[1:-1]:
            links[record["source"], record["destinations"][0]] = [hop for hop in record["worms"][0]["hops"]
                                                                  if hop >= 0]

        def most(chosen):
            return max(collections.Counter(hop for pair in chosen for hop in links[pair]).values(), default=0)

        worst = max(most([(a, b) for a, b in enumerate(order) if a != b])
                    for order in itertools.permutations(range(hosts)))
        parts = (set(part) for part in itertools.combinations(range(hosts), hosts // 2))
        least = min(sum((link["ends"][0] in part) != (link["ends"][1] in part) for link in network["links"])
                    for part in parts)
        taken = [len(way) for way in links.values()]
        mean = f"{(200 * sum(taken) + len(taken)) // (2 * len(taken)) / 100:.2f}"
        process = convert("compare-tables", text=text)
        said = dict(zip(*(line.split() for line in process.stdout.decode().splitlines())))
        wanted = {"lost": "0", "hops": mean, "most": str(max(taken)), "all-to-all": str(most(pairs)),
                  "permutation": str(worst), "bisection": str(least)}
        tally.check({key: said[key] for key in wanted} == wanted, f"fabric {case}: {said}, not {wanted}")


def before(a, b):
    """Whether a text comes before another: runs of digits by the number they are, other bytes as signed
    ones."""
    x, y = a, b
    while x and y:
        m, n = re.match(b"[0-9]*", x)[0], re.match(b"[0-9]*", y)[0]
        if m and n and int(m) != int(n):
            return int(m) < int(n)
        if not (m and n) and x[0] != y[0]:
            return (x[0] ^ 128) < (y[0] ^ 128)
        x, y = (x[len(m):], y[len(n):]) if m and n else (x[1:], y[1:])
    return not x if bool(x) != bool(y) else a < b


def load(name):
    """A script of the converters, or a module of theirs, without running it."""
    if str(CONVERTERS) not in sys.path:
        sys.path.insert(0, str(CONVERTERS))
        importlib.import_module("converter").running.append(name)
    loader = importlib.machinery.SourceFileLoader(name, str(CONVERTERS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def check_drawing(tally, draw):
    drawing = load("drawing.py")
    styles = [drawing.planner_style(label) for label in ("otms", "otms:first-hop=free",
                                                         "otms:first-hop=free:edge-disjoint=yes",
                                                         "otms:first-hop=free:tie=distance",
                                                         "mpm-ssr:order=largest", "mpm-ssr:order=ranges",
                                                         "mpm-ssr", "ocms", "ocms", "mine", "mine",
                                                         "yours")] + [drawing.series_style(i)
                                                                      for i in range(60)]
    shown = drawing.distinct_styles(styles)
    tally.check(len(set(shown)) == len(styles) and shown[:2] == styles[:2], "lines of a plot look alike")
    tally.check(all(one[0] == two[0] for one, two in zip(shown[:12], styles))
                and shown[2][1:] != shown[1][1:], "a later line lost its colour")
    tally.check(len(set(drawing.distinct_styles([drawing.planner_style("otms")] * 400))) == 400,
                "400 lines of one planner look alike")
    plain, free = drawing.planner_style("otms"), drawing.planner_style("otms:first-hop=free")
    tally.check((plain[0], plain[1] - 1, plain[2], free[2]) == (free[0], free[1], 1, 2),
                "a variant is not dashed and hollow")
    tally.check(drawing.planner_style("separate:beside=xy-tree") == drawing.planner_style("xy-tree"),
                "unicasts have another look")
    tally.check(len({drawing.worm_colour(i) for i in range(1000)}) == 1000, "two worms have one colour")
    for _ in range(2000):
        top, under, digits = (draw.randint(-10**6, 10**6), draw.choice([1, 2, 3, 7, 8, 1000, 4000]),
                              draw.randrange(7))
        value = fractions.Fraction(drawing.decimal(top, under, digits)) - fractions.Fraction(top, under)
        half = fractions.Fraction(1, 2 * 10**digits)
        away = value * top >= 0  # from zero
        tally.check(abs(value) < half or (abs(value) == half and away), f"decimal({top}, {under}, {digits})")
    texts = ["".join(draw.choice("019a-,é") for _ in range(draw.randrange(6))) for _ in range(300)]
    def compared(a, b):
        return -before(a.encode(), b.encode()) or before(b.encode(), a.encode())
    tally.check(sorted(texts, key=drawing.natural) == sorted(texts, key=functools.cmp_to_key(compared)),
                "texts are in another order")


OPENINGS = {
    "dot": ("graph{a--b}", "Graph x { a }", "strict graph { a }", "digraph { a -> b }",
            'DIGRAPH "a \\" {" {}', '// one\n/* two\n */ graph "g" {\n# three\n a}',
            "# one\n strict digraph 7 { }", "digraph/**/g{"),
    "gml": ("graph [ node [ id 1 ] ]", "# one\ngraph\n[", "Version 1\ngraph [ directed 1"),
    "node-link": ('{"nodes":[{"id":1}],"links":[]}',),
    "metis": ("3 2\n2\n1 3\n2\n", "4 5\n2 4\n1 3\n2 4\n1 3\n"),  # of the second, m is wrong
    "anynet": ("router 0 node 0 router 1\n",),
    "ibnetdiscover": ('# a\nSwitch 8 "a"\n[1] "b"[1]\n',),
    "booksim": ("// a mesh\nk = 4; topology = mesh;\n",),
    "edge-list": ("3 4\n4 5\n5 6\n6 3\n",),
    "none": ("graphs {", "digraph", "graph x y {", "/*", "//", "#"),
}
FILES = ("metis/graph", "metis/blank-lines", "netloc/net.ndat", "cray-xc/links", "ibdm/net.topo",
         "ibdm/net.cables", "ibdm/sections.topo", "ns3/clos", "ibdm-definitions/hca.ibnl",
         "tenstorrent-margin/block.yaml", "tenstorrent-noc/chip.yaml", "booksim/config", "iblinkinfo/nodes",
         "ibnetdiscover-ports/ports")


def recognised_as(reader, path):
    """Its format; "none" of what is refused."""
    sys.modules["converter"].data_of.cache_clear()
    try:
        return reader.recognised([reader.File(str(path))]).name
    except reader.Refused:
        return "none"


def check_recognised(tally, draw, folder):
    """Files are known by their looks, whatever stands in them."""
    reader = load("read-network")
    path = folder / "net"
    for name, texts in OPENINGS.items():
        for text in texts:
            path.write_text(text)
            tally.check(recognised_as(reader, path) == name, f"{text!r} is not known as {name}")
    known = sorted(reader.NETWORKS + reader.WORKLOADS, key=len, reverse=True)
    files = [GOLDEN_FILES / file for file in FILES]
    for file in [*files, *sorted((ROOT / "tests" / "fuzz" / "corpus" / "imports").iterdir())]:
        data, called = file.read_bytes().partition(b"\n=====\n")[0], (file.parent.name if file in files
                                                                      else file.name) + "-"
        name = next((name for name in known if called.startswith(name + "-")), "")
        path.write_bytes(data)  # of several files the first
        tally.check(name not in reader.NETWORKS or recognised_as(reader, path) == name,
                    f"{file} is not known by its looks")
        for _ in range(int(os.environ.get("WORMCAST_CHANGES", "6"))):
            path.write_bytes(changed(data, draw))
            recognised_as(reader, path)  # without any other exception


def check_streams(tally):
    """A record of a network, little of it, which stays in buffers until the end."""
    graph = b'{"routers":1,"hosts":[0],"links":[]}\n'
    for where, status, lines in ((">/dev/full", 2, 1), (">&-", 2, 1), ("<&-", 2, 1), ("<&- 2>&-", 2, 0),
                                 ("2>&-", 0, 0)):
        process = subprocess.run(["bash", "-c", f'"$0" {where}', CONVERTERS / "to-dot"], input=graph,
                                 capture_output=True, check=False, env={
                                     key: value for key, value in os.environ.items()
                                     if key != "PYTHONUNBUFFERED"})
        tally.check((process.returncode, process.stderr.count(b"\n")) == (status, lines),
                    f"to-dot {where}: exit {process.returncode}, {process.stderr.decode()}")


def changed(data, draw):
    data = bytearray(data)
    for _ in range(draw.randint(1, 3)):
        at, kind = draw.randrange(len(data) + 1), draw.randrange(5)
        if kind == 0:
            del data[at:at + draw.randint(1, 20)]
        elif kind == 1:
            data[at:at] = draw.choice([b"\0", b"\xff", b"0", b"-1", b"99999999999999999999", b"\n", b" ",
                                       b"[", b'{"', b"x=", b"*a", b"null"])
        elif kind == 2:
            data = data[:at]
        elif at < len(data):
            data[at] = draw.choice([data[at] ^ 1 << draw.randrange(8), draw.randrange(256)])
    return bytes(data)


def write_cases(folder):
    """The files of the golden cases, in a folder for each case."""
    for path in sorted(path for name in ("converters", "import")
                       for path in (transcripts.GOLDEN / name).glob("*.md")):
        for case in transcripts.read_transcript(path)[0]:
            place = folder / case.name.partition("/")[2]
            place.mkdir(parents=True, exist_ok=True)
            transcripts.prepare(case, place)


def inputs(cases):
    """(converter, options, files, the one that changes, whether it gives a network)."""
    for name in ("metis", "netloc", "cray-xc", "ibdm", "iblinkinfo", "ibnetdiscover-ports", "ns3"):
        for path in sorted((cases / name).iterdir()):
            yield name, [], [path], path, True
    for path in sorted(path for ending in ("gml", "graphml") for path in cases.glob(f"*/*.{ending}")):
        yield path.suffix[1:], [], [path], path, True
    for name, case in (("anynet", "anynet"), ("graphviz", "dot-digraph-attributes"),
                       ("graphviz", "dot-hosts"), ("netloc", "netloc-lines"),
                       ("edge-list", "edge-list-table"), ("edge-list", "edge-list-grid-commas"),
                       ("ibnetdiscover", "ibnetdiscover"), ("node-link", "node-link"),
                       ("node-link", "node-link-directed"), ("ibnetdiscover", "ibnetdiscover-full"),
                       ("aie", "aie-design"), ("aie", "aie-one-module"), ("aie", "aie-spellings")):
        for path in sorted((cases / case).iterdir()):
            yield name, [], [path], path, True
    chassis = [cases / "ibdm-definitions" / one for one in ("net.topo", "chassis.ibnl", "hca.ibnl")]
    for path in chassis:
        yield "ibdm", [], chassis, path, True
    for name in ("floogen", "floogen-tree", "floogen-mesh", "floogen-traffic", "tenstorrent-cluster",
                 "tenstorrent-noc"):
        for path in sorted((cases / name).glob("*.y*ml")):
            traffic = path.name == "traffic.yml"
            yield "floogen-traffic" if traffic else name.partition("-")[0], [], [path], path, not traffic
    for path in sorted(path for case in cases.glob("booksim*") for path in case.iterdir()):
        yield "booksim", [], [path], path, True
    for path in sorted((cases / "mesh-graph").iterdir()):
        test = path.suffix == ".yaml"
        yield "mesh-graph", ["--test", "Round"] if test else [], [path], path, not test
    for path in sorted((cases / "netrace").glob("*.tra*")):
        yield "netrace", [], [path], path, False
    for path in sorted((cases / "noc-trace").glob("*.json")):
        yield "noc-trace", ["--noc", "both", "--grid", "4x3"], [path], path, False
    chips = cases / "noc-trace-replay" / "chips.json"
    yield "noc-trace", ["--replay"], [chips], chips, True
    ranks = sorted((cases / "chakra").glob("*.et"))
    for path in ranks:
        yield "chakra", [], ranks, path, False
    fabric = ROOT / "tests" / "reference" / "opensm" / "irr3_updn"
    dumps = [fabric / one for one in ("opensm-subnet.lst", "opensm.fdbs", "opensm.mcfdbs")
             if (fabric / one).exists()]
    for path in dumps:
        yield "opensm", [], dumps, path, True
    operations = cases / "operations"
    operations.write_text("ranks 9 from=lists\ncommunicator row 0-3\ncommunicator column 8 0 4\nall-reduce "
                          "row 1024\nlocal 2\nbroadcast column 64 root 8\nbarrier world\nsend 3 2 16 "
                          "after=3:0,2\nscatter column 96\n")
    for way in ("two-trees", "disjoint"):
        yield "collectives", ["ranks=12", f"all-reduce={way}"], [operations], operations, False
    dumps = [cases / "tables-infiniband" / one for one in ("tables.jsonl", "lfts")]
    yield "dump-fts", [], dumps, dumps[1], True
    jobs = [cases / "dma-jobs" / one for one in ("net.yml", "jobs_0.txt", "jobs_2.txt")]
    for path in jobs:
        yield "dma-jobs", ["--addresses"], jobs, path, False


def check_changed(tally, draw, folder, tools):
    mesh = subprocess.run([tools / "gen-topology", "mesh", "8", "8"], capture_output=True, check=True).stdout
    for name, options, files, path, network in inputs(folder / "cases"):
        for change in range(int(os.environ.get("WORMCAST_CHANGES", "6"))):
            copies = []
            for file in files:
                copies.append(folder / file.name)
                copies[-1].write_bytes(changed(file.read_bytes(), draw) if file == path
                                       else file.read_bytes())
            process = convert(name, *options, *copies)
            what = (f"{name} on change {change} of {path.name}: exit {process.returncode}, "
                    f"{process.stderr.decode(errors='replace')[-300:]}")
            if process.returncode != 0:
                tally.check(process.returncode == 2 and process.stderr.count(b"\n") == 1
                            and not process.stdout, what)
                continue
            (folder / "converted").write_bytes(process.stdout)
            command = ["gen-topology", "import"] if network else ["gen-multicast", "--from",
                                                                  folder / "converted"]
            if name == "booksim":
                command = process.stdout.decode().partition(" | ")[0].split()
            command += ["--ranks", "in-order"] if name == "chakra" else []
            taken = subprocess.run([tools / command[0], *command[1:]], input=process.stdout if network
                                   else mesh, capture_output=True, check=False)
            lines = taken.stderr.count(b"\n")
            tally.check(taken.returncode == 0 or (taken.returncode == 2 and lines == 1),
                        f"{what} {command[0]}: exit {taken.returncode}, "
                        f"{taken.stderr.decode(errors='replace')[-300:]}")


def check_proofs(tally, draw, folder, tools):
    """Pages of verdicts are well-formed, and what they print to check them again does; damaged ones are
    refused in one line."""
    scripts = ["gen-topology mesh 3 2 | check-deadlock --all-multicasts dual-path --explain",
               "gen-topology torus 4 4 | check-deadlock --all-multicasts separate --with-unicast "
               "dimension-order", "gen-topology mesh 3 3 | check-deadlock --all-multicasts xy-path",
               "gen-topology mesh 3 3 | gen-multicast --count 9 --destinations 4 | plan-multicast xy-tree | "
               "route-expand | tee routes.jsonl | check-deadlock --buffer-flits 2 --explain"]
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    for script in scripts:
        text = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True,
                              check=False).stdout
        (folder / "verdict.jsonl").write_bytes(text)
        files = [folder / "verdict.jsonl", *([folder / "routes.jsonl"] if "routes.jsonl" in script else [])]
        page = convert("proof-page", "--form", "html", *files).stdout.decode()
        root = xml.etree.ElementTree.fromstring(page.partition("\n")[2])
        tally.check(len(list(root.iter("{http://www.w3.org/2000/svg}path"))) > 3,
                    f"{script}: nothing is drawn")
        said = convert("proof-page", *files).stdout.decode()
        deadlock = "Worms can deadlock" in said
        for command in re.search("```sh\n(.*)\n```", said, re.DOTALL)[1].split("\n"):
            process = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment,
                                     capture_output=True, check=False)
            wanted = deadlock and "--verify" not in command and "grep" not in command
            tally.check(process.returncode == wanted, f"{command}: exit {process.returncode}")
            tally.check(not wanted or b'"outcome":"deadlock"' in process.stdout, f"{command}: no deadlock")
        for change in range(int(os.environ.get("WORMCAST_CHANGES", "6"))):
            process = convert("proof-page", text=changed(text, draw))
            tally.check(process.returncode == 0 or (process.returncode == 2
                                                    and process.stderr.count(b"\n") == 1
                                                    and not process.stdout), f"{script}, change {change}: "
                        f"exit {process.returncode}, {process.stderr.decode(errors='replace')[-300:]}")


def main():
    tools = bin_option(__doc__)
    tally, draw = Tally(), random.Random(47)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_cases(folder / "cases")
        check_jobs(tally, draw, folder)
        check_invalidations(tally)
        check_compared(tally, draw, folder, tools)
        check_proofs(tally, draw, folder, tools)
        check_drawing(tally, draw)
        check_recognised(tally, draw, folder)
        check_streams(tally)
        check_changed(tally, draw, folder, tools)
    return tally.close()


if __name__ == "__main__":
    raise SystemExit(main())
