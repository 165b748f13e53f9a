#!/usr/bin/env python3
# Verdicts on OpenSM's tables against ibdmchk's and against dependencies worked out here from the raw dumps.
# SPDX-License-Identifier: MIT
"""Check ten fabrics, unicast alone and with a multicast group, and end with "N passed, N failed".

  check_opensm.py [--bin DIR]

For each: the answer is a loop exactly where ibdmchk found one; the dependencies are exactly those that
this program, which shares nothing with the tools, reads from the dumps; the edges that the multicast adds
are as many as ibdmchk counts; a numbering puts every dependency in order; each step of a loop is a
dependency, at the switch and ports named, that the route or group named brings about; and check-deadlock
--verify accepts the verdict, but not the contrary.
"""
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

from tally import Tally, bin_option

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "reference" / "opensm" / "cases.tar.xz"
END = re.compile(r"\{ (\S+) Ports:\S+ SystemGUID:\S+ NodeGUID:(\S+) PortGUID:\S+ .*?\{.*?\} LID:(\S+) PN:(\S+) \}")


class Fabric:
    """A fabric as the dumps describe it; a port is (node GUID, number)."""

    def __init__(self, folder):
        self.peer, self.switches, self.host_of_lid = {}, set(), {}
        for line in (folder / "opensm-subnet.lst").read_text().splitlines():
            ends = []
            for kind, guid, lid, port in END.findall(line):
                ends.append((guid, int(port, 16)))
                if kind == "SW":
                    self.switches.add(guid)
                else:
                    self.host_of_lid[int(lid, 16)] = ends[-1]
            self.peer[ends[0]], self.peer[ends[1]] = ends[1], ends[0]
        self.unicast = self.table(folder / "opensm.fdbs", r"(\d+)", lambda ports: int(ports[0]))
        self.groups = self.table(folder / "opensm.mcfdbs", r"(0x[0-9A-F]+)", lambda ports: {int(p, 16) for p in ports})

    @staticmethod
    def table(path, pattern, value):
        entries, switch = {}, None
        for line in path.read_text().splitlines():
            found = re.search(r"Switch 0x(\w+)", line)
            if found:
                switch = found[1]
            elif line.startswith("0x"):
                lid, rest = line.split(":", 1)
                entries[switch, int(lid, 16)] = value(re.findall(pattern, rest))
        return entries

    def route(self, source, lid):
        """The ports by which a packet leaves, the host's own first."""
        ports = [source]
        while self.peer[ports[-1]] != self.host_of_lid[lid]:
            switch = self.peer[ports[-1]][0]
            ports.append((switch, self.unicast[switch, lid]))
        return ports

    def unicast_edges(self):
        edges = set()
        for source in self.host_of_lid.values():
            for lid, host in self.host_of_lid.items():
                if host != source:
                    ports = self.route(source, lid)
                    edges |= set(zip(ports, ports[1:]))
        return edges

    def tree_edges(self):
        edges = set()
        for (switch, _), ports in self.groups.items():
            for came in ports:
                edges |= {(self.peer[switch, came], (switch, left)) for left in ports if left != came}
        return edges

    def counted_by_ibdmchk(self, edges):
        """ibdmchk counts the edges of trees whose second link leads to a switch."""
        return sum(self.peer[left][0] in self.switches for _, left in edges)


def port_of(resource, topology):
    """The port that a packet holding the resource left by."""
    if "host_link" in resource:
        host = resource["host_link"]
        return topology["host_node"][host], topology["host_links"][host]["ports"][1]
    if "consumption" in resource:
        host = resource["consumption"]
        return topology["guids"][topology["hosts"][host]], topology["host_links"][host]["ports"][0]
    link, side = divmod(resource["channel"], 2)
    link = topology["links"][link]
    return topology["guids"][link["ends"][side]], link["ports"][side]


def run(bin_dir, folder, files):
    imported = subprocess.run([bin_dir / "gen-topology", "import", *(folder / name for name in files)],
                              capture_output=True, text=True, check=True).stdout
    checked = subprocess.run([bin_dir / "check-deadlock", "--list-dependencies"], input=imported,
                             capture_output=True, text=True, check=False)
    records = [json.loads(line) for line in checked.stdout.splitlines()]
    lines = checked.stdout.splitlines()
    lines[1] = json.dumps(contrary(records[1]))
    stated = [checked.stdout, "\n".join(lines) + "\n"]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as tables:
        tables.write(imported)
        tables.flush()
        verified = [subprocess.run([bin_dir / "check-deadlock", "--verify", "-", tables.name], input=verdicts, text=True,
                                   capture_output=True, check=False).returncode for verdicts in stated]
    return records[0], records[1], checked.returncode, verified


def contrary(verdict):
    """The other answer with what could pass for its evidence: a dependency there and back, or all resources."""
    said = {key: value for key, value in verdict.items() if key not in ("numbering", "dependency_cycle")}
    dependencies = verdict["dependency_list"]
    if verdict["answer"] == "safe":
        places = ("switch", "in_port", "out_port")
        there = {key: value for key, value in dependencies[0].items() if key not in places}
        back = {**there, "held": there["waited_for"], "waited_for": there["held"]}
        return {**said, "answer": "loop", "dependency_cycle": [there, back]}
    taken = [d[end] for d in dependencies for end in ("held", "waited_for")]
    numbering = [resource for i, resource in enumerate(taken) if resource not in taken[:i]]
    return {**said, "answer": "safe", "numbering": numbering}


def check_loop(fabric, topology, verdict, edges, name, tally):
    cycle = verdict["dependency_cycle"]
    names = dict(zip(topology["guids"], topology["names"]))
    for i, step in enumerate(cycle):
        held, wanted = port_of(step["held"], topology), port_of(step["waited_for"], topology)
        tally.check(step["waited_for"] == cycle[(i + 1) % len(cycle)]["held"], f"{name}: step {i} does not lead on")
        tally.check((held, wanted) in edges, f"{name}: step {i} is no dependency")
        came = fabric.peer[held]
        tally.check((step["switch"], step["in_port"], step["out_port"]) == (names[came[0]], came[1], wanted[1]),
                    f"{name}: step {i} is at switch {came}, not at {step['switch']}")
        if "group" in step:
            ports = fabric.groups[came[0], int(step["group"], 16)]
            tally.check({came[1], wanted[1]} <= ports, f"{name}: step {i} is not in the tree of {step['group']}")
        else:
            hosts = [port_of({"host_link": step[end]}, topology) for end in ("source", "destination")]
            lid = next(lid for lid, host in fabric.host_of_lid.items() if host == hosts[1])
            ports = fabric.route(hosts[0], lid)
            tally.check((held, wanted) in zip(ports, ports[1:]), f"{name}: step {i} is not on the route named")


def check_case(bin_dir, folder, mode, tally):
    name = f"{folder.name} {mode}"
    fabric = Fabric(folder)
    files = ["opensm-subnet.lst", "opensm.fdbs"] + (["opensm.mcfdbs"] if mode == "multicast" else [])
    topology, verdict, status, verified = run(bin_dir, folder, files)
    topology["guids"] = [guid[2:] for guid in topology["guids"]]
    topology["host_node"] = {
        h: fabric.peer[topology["guids"][topology["hosts"][h]], link["ports"][0]][0]
        for h, link in enumerate(topology["host_links"])}
    edges = fabric.unicast_edges()
    report = (folder / f"ibdmchk-{mode}.txt").read_text()
    if mode == "multicast":
        trees = fabric.tree_edges()
        counted = int(re.search(r"MFT added (\d+) edges", report)[1])
        tally.check(fabric.counted_by_ibdmchk(trees) == counted,
                    f"{name}: ibdmchk counts {counted} edges of the tree, here {fabric.counted_by_ibdmchk(trees)}")
        edges |= trees
    loop = "Found credit loop" in report
    tally.check(verdict["answer"] == ("loop" if loop else "safe"), f"{name}: {verdict['answer']}, ibdmchk: loop {loop}")
    tally.check(status == (1 if loop else 0), f"{name}: exit status {status}")
    tally.check(verified == [0, 1], f"{name}: --verify of the verdict and of its contrary exits with {verified}")
    found = {(port_of(d["held"], topology), port_of(d["waited_for"], topology)) for d in verdict["dependency_list"]}
    tally.check(found == edges, f"{name}: {len(found - edges)} dependencies too many, {len(edges - found)} missing")
    tally.check(verdict["dependencies"] == len(edges), f"{name}: {verdict['dependencies']} dependencies, {len(edges)} here")
    if verdict["answer"] == "safe":
        position = {port_of(resource, topology): i for i, resource in enumerate(verdict["numbering"])}
        tally.check(all(position[a] < position[b] for a, b in edges), f"{name}: the numbering is out of order")
    else:
        check_loop(fabric, topology, verdict, edges, name, tally)


def main():
    bin_dir = bin_option(__doc__)
    tally = Tally()
    with tempfile.TemporaryDirectory() as temporary, tarfile.open(CASES) as archive:
        archive.extractall(temporary)
        folders = sorted(pathlib.Path(temporary).iterdir())
        tally.check(len(folders) == 10, f"{len(folders)} cases, 10 expected")
        for folder in folders:
            for mode in ("unicast", "multicast"):
                check_case(bin_dir, folder, mode, tally)
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
