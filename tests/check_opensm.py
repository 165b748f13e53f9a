#!/usr/bin/env python3
# Verdicts on OpenSM's tables against ibdmchk's and against dependencies worked out here from the raw dumps.
# SPDX-License-Identifier: MIT
"""Check fabrics, unicast alone and with a multicast group, and end with "N passed, N failed".

  check_opensm.py [--bin DIR] [--cases FOLDER]

Without --cases: the 38 cases of tests/reference/opensm, 28 of them with service levels. For each: the answer
is a loop exactly where ibdmchk found one (with path SLs where there are any); the dependencies are exactly
those that this program, which shares nothing with the tools, reads from the dumps; the edges that the
multicast adds are as many as ibdmchk counts; a numbering puts every dependency in order; each step of a loop
is a dependency, at the switch and ports named, that the route or group named brings about; and check-deadlock
--verify accepts the verdict, but not the contrary. With service levels also: the group on level 1, which
ibdmchk takes to be on 0; and without the path SLs, or without the SL2VL tables, the answer is never a loop
unless lanes make no difference. ibdmchk takes a group to leave a switch on the lane that it came by: where it
does not, its verdict on the group is left aside. """
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

from tally import BUILD, Tally

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONVERTERS = ROOT / "data" / "converters"
ARCHIVES = [ROOT / "tests" / "reference" / "opensm" / name for name in ("cases.tar.xz", "levels.tar.xz")]
END = re.compile(r"\{ (\S+) Ports:\S+ SystemGUID:\S+ NodeGUID:(\S+) PortGUID:\S+ .*?\{.*?\} LID:(\S+) "
                 r"PN:(\S+) \}")


class Fabric:
    """A fabric as the dumps describe it; a port is (node GUID, number), a resource (node GUID, number, lane):
    what leaves by the port on the lane, 0 where a host is at either end."""

    def __init__(self, folder, group_level=0):
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
        self.unicast = self.table(folder / "opensm.fdbs", r"(\d+)", lambda ports: int(ports[0]) if ports
                                  else None)
        self.groups = self.table(folder / "opensm.mcfdbs", r"(0x[0-9A-F]+)",
                                 lambda ports: {int(p, 16) for p in ports})
        self.group_level = group_level
        self.levels, self.lanes = {}, None
        if (folder / "psl").exists():
            self.lanes = self.read_lanes((folder / "opensm-sl2vl.dump").read_text())
            for guid, lid, level in (line.split() for line in (folder / "psl").read_text().splitlines()):
                self.levels[guid[2:], int(lid)] = int(level)

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

    @staticmethod
    def read_lanes(text):
        """(switch, port in, port out): lanes by level."""
        rows, node = {}, None
        for line in text.splitlines():
            if found := re.match(r"(?:Switch|Channel Adapter) 0x(\w+),", line):
                node = found[1]
            elif found := re.match(r"(\d+)\s+(\d+)\s+:([\d ]+)$", line):
                rows[node, int(found[1]), int(found[2])] = [int(lane) for lane in found[3].split()]
        return rows

    def left_by(self, switch, came, left, level):
        """The resource of what leaves a switch; None where it is dropped."""
        lane = self.lanes[switch, came, left][level] if self.lanes else 0
        if lane == 15:
            return None
        return switch, left, lane if self.peer[switch, left][0] in self.switches else 0

    def route(self, source, lid):
        """The resources that a packet takes, the host's own first."""
        level = self.levels[source[0], lid] if self.lanes else 0
        taken = [(*source, 0)]
        while self.peer[taken[-1][:2]] != self.host_of_lid[lid]:
            switch, came = self.peer[taken[-1][:2]]
            taken.append(self.left_by(switch, came, self.unicast[switch, lid], level))
        return taken

    def unicast_edges(self):
        edges = set()
        for source in self.host_of_lid.values():
            for lid, host in self.host_of_lid.items():
                if host != source:
                    taken = self.route(source, lid)
                    edges |= set(zip(taken, taken[1:]))
        return edges

    def tree_edges(self):
        """What a packet of each member of each group makes wait for what, switch by switch."""
        edges = set()
        for lid in {lid for _, lid in self.groups}:
            for host in self.host_of_lid.values():
                switch, port = self.peer[host]
                if port in self.groups.get((switch, lid), ()):
                    self.follow((*host, 0), lid, edges)
        return edges

    def follow(self, held, lid, edges):
        switch, came = self.peer[held[:2]]
        for left in self.groups.get((switch, lid), set()) - {came}:
            wanted = self.left_by(switch, came, left, self.group_level)
            if wanted is None or (held, wanted) in edges:
                continue
            edges.add((held, wanted))
            if self.peer[switch, left][0] in self.switches:
                self.follow(wanted, lid, edges)

    def counted_by_ibdmchk(self):
        """ibdmchk counts every two ports of a switch in one tree, the first cabled to a switch: also those
        that no packet of a member comes by."""
        return len({(switch, came, left) for (switch, _), ports in self.groups.items() for came in ports
                    for left in ports if came != left and self.peer[switch, came][0] in self.switches})

    def group_judged_by_ibdmchk(self, edges):
        """It takes the group to be on level 0 and to keep its lane."""
        return self.group_level == 0 and all(held[2] == wanted[2] for held, wanted in edges
                                             if held[0] in self.switches and self.peer[wanted[:2]][
                                                 0] in self.switches)


def port_of(resource, topology):
    """The port that a packet holding the resource left by, and the lane."""
    if "host_link" in resource:
        host = resource["host_link"]
        return topology["host_node"][host], topology["host_links"][host]["ports"][1], 0
    if "consumption" in resource:
        host = resource["consumption"]
        return topology["guids"][topology["hosts"][host]], topology["host_links"][host]["ports"][0], 0
    link, side = divmod(resource["channel"], 2)
    link = topology["links"][link]
    return topology["guids"][link["ends"][side]], link["ports"][side], resource.get("vc", 0)


def import_files(bin_dir, folder, files):
    return subprocess.run([bin_dir / "gen-topology", "import", *(folder / name for name in files)],
                          capture_output=True, text=True, check=True).stdout


def run(bin_dir, folder, files):
    imported = import_files(bin_dir, folder, files)
    checked = subprocess.run([bin_dir / "check-deadlock", "--list-dependencies"], input=imported,
                             capture_output=True, text=True, check=False)
    records = [json.loads(line) for line in checked.stdout.splitlines()]
    lines = checked.stdout.splitlines()
    lines[1] = json.dumps(contrary(records[1]))
    stated = [checked.stdout, "\n".join(lines) + "\n"]
    compared = subprocess.run([CONVERTERS / "compare-tables"], input=imported, capture_output=True, text=True,
                              check=True).stdout
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as tables:
        tables.write(imported)
        tables.flush()
        verified = [subprocess.run([bin_dir / "check-deadlock", "--verify", "-", tables.name], input=verdicts,
                                   text=True, capture_output=True, check=False).returncode
                    for verdicts in stated]
    return (records[0], records[1], checked.returncode, verified,
            dict(zip(*(line.split() for line in compared.splitlines()))))


def contrary(verdict):
    """The other answer with what could pass for its evidence: a dependency there and back, or all
    resources."""
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
        tally.check(step["waited_for"] == cycle[(i + 1) % len(cycle)]["held"],
                    f"{name}: step {i} does not lead on")
        tally.check((held, wanted) in edges, f"{name}: step {i} is no dependency")
        came = fabric.peer[held[:2]]
        tally.check((step["switch"], step["in_port"], step["out_port"])
                    == (names[came[0]], came[1], wanted[1]), f"{name}: step {i} is at switch {came}, not at "
                    f"{step['switch']}")
        if "group" in step:
            ports = fabric.groups[came[0], int(step["group"], 16)]
            tally.check({came[1], wanted[1]} <= ports, f"{name}: step {i} is not in the tree of "
                        f"{step['group']}")
        else:
            hosts = [port_of({"host_link": step[end]}, topology) for end in ("source", "destination")]
            lid = next(lid for lid, host in fabric.host_of_lid.items() if host == hosts[1][:2])
            taken = fabric.route(hosts[0][:2], lid)
            tally.check((held, wanted) in zip(taken, taken[1:]),
                        f"{name}: step {i} is not on the route named")
            level = fabric.levels.get((hosts[0][0], lid))
            tally.check(step.get("service_level") == level, f"{name}: step {i} is not of service level "
                        f"{level}")


def with_hosts(topology, fabric):
    topology["guids"] = [guid[2:] for guid in topology["guids"]]
    topology["host_node"] = {
        h: fabric.peer[topology["guids"][topology["hosts"][h]], link["ports"][0]][0]
        for h, link in enumerate(topology["host_links"])}
    return topology


def found_by_ibdmchk(fabric, folder, mode, trees, name, tally):
    """Whether it found a loop; None where it cannot judge."""
    report = (folder / f"ibdmchk-{mode}.txt").read_text()
    if re.search("-E- (?!credit loops)", report) or not re.search("Found credit loop|no credit loops found",
                                                                  report):
        return None
    if mode == "multicast":
        counted = int(re.search(r"MFT added (\d+) edges", report)[1])
        tally.check(fabric.counted_by_ibdmchk() == counted,
                    f"{name}: ibdmchk counts {counted} edges of the tree, here {fabric.counted_by_ibdmchk()}")
        if not fabric.group_judged_by_ibdmchk(trees):
            return None
    return "Found credit loop" in report


def has_cycle(edges):
    """By taking away what nothing waits behind."""
    behind = {}
    for held, wanted in edges:
        behind.setdefault(held, set()).add(wanted)
    done, open_ = set(), set(behind)
    while open_:
        ends = {node for node in open_ if all(next_ in done or next_ not in behind for next_ in behind[node])}
        if not ends:
            return True
        done |= ends
        open_ -= ends
    return False


def check_exports(bin_dir, folder, tally):
    """Written as dump_fts prints them and read again, the tables are the same; so are those that OpenSM
    loaded from us."""
    exported = [folder / name for name in ("exported.lfts", "exported.mfts")]
    tables = import_files(bin_dir, folder, ["opensm-subnet.lst", "opensm.fdbs", "opensm.mcfdbs"])
    for path, form in zip(exported, ("lfts", "mfts")):
        path.write_text(subprocess.run([CONVERTERS / "route-tables", "--form", form], input=tables,
                                       capture_output=True, text=True, check=True).stdout)
    given = [exported, *([[folder / "lfts", exported[1]]] if (folder / "lfts").exists() else [])]
    for files in given:
        again = subprocess.run([CONVERTERS / "dump-fts", "-", *files],
                               input=import_files(bin_dir, folder, ["opensm-subnet.lst"]),
                               capture_output=True, text=True, check=True).stdout
        tally.check(again == tables, f"{folder.name}: {files[0].name} says other tables")


def check_case(bin_dir, folder, mode, tally):
    """Counts a comparison with ibdmchk; mode: unicast, multicast, or level-1."""
    name = f"{folder.name} {mode}"
    fabric = Fabric(folder, 1 if mode == "level-1" else 0)
    files = ["opensm-subnet.lst", "opensm.fdbs"] + (["opensm.mcfdbs"] if mode != "unicast" else [])
    if fabric.lanes:
        files += ["opensm-sl2vl.dump", "psl"] + (["mcgroups"] if mode != "unicast" else [])
    if mode == "level-1":
        (folder / "mcgroups-1").write_text(re.sub(r"(SL\.*)0x0", r"\g<1>0x1",
                                                  (folder / "mcgroups").read_text()))
        files[-1] = "mcgroups-1"
    topology, verdict, status, verified, compared = run(bin_dir, folder, files)
    topology = with_hosts(topology, fabric)
    edges, loop = fabric.unicast_edges(), None
    trees = fabric.tree_edges() if mode != "unicast" else set()
    if mode != "level-1":
        loop = found_by_ibdmchk(fabric, folder, mode, trees, name, tally)
    judged = loop is not None
    edges |= trees
    loop = loop if judged else has_cycle(edges)
    tally.check(verdict["answer"] == ("loop" if loop else "safe"), f"{name}: {verdict['answer']}, ibdmchk: "
                f"loop {loop}")
    tally.check((compared["loop"], compared["lost"]) == ("yes" if loop else "no", "0"),
                f"{name}: compare-tables says {compared}")
    tally.check(status == (1 if loop else 0), f"{name}: exit status {status}")
    tally.check(verified == [0, 1], f"{name}: --verify of the verdict and of its contrary exits with "
                f"{verified}")
    found = {(port_of(d["held"], topology), port_of(d["waited_for"], topology))
             for d in verdict["dependency_list"]}
    tally.check(found == edges, f"{name}: {len(found - edges)} dependencies too many, {len(edges - found)} "
                "missing")
    tally.check(verdict["dependencies"] == len(edges), f"{name}: {verdict['dependencies']} dependencies, "
                f"{len(edges)} here")
    if verdict["answer"] == "safe":
        position = {port_of(resource, topology): i for i, resource in enumerate(verdict["numbering"])}
        tally.check(all(position[a] < position[b] for a, b in edges),
                    f"{name}: the numbering is out of order")
    else:
        check_loop(fabric, topology, verdict, edges, name, tally)
    if fabric.lanes and mode == "multicast":
        check_left_out(bin_dir, folder, tally)
    return judged


def check_left_out(bin_dir, folder, tally):
    """Without path SLs, SL2VL tables or both; and path records say what path SLs do."""
    base = ["opensm-subnet.lst", "opensm.fdbs", "opensm.mcfdbs"]
    fabric = Fabric(folder)
    one_lane = len({tuple(lanes) for lanes in fabric.lanes.values()} | {(0,) * 16}) == 1
    for more, missing in ((["psl"], "SL2VL tables"), (["opensm-sl2vl.dump", "mcgroups"], "path SLs"),
                          (["opensm-sl2vl.dump", "psl"], "group records")):
        _, verdict, _, verified, _ = run(bin_dir, folder, base + more)
        name = f"{folder.name} without {missing}"
        if verdict["answer"] == "unknown":
            tally.check(missing in verdict["limit"], f"{name}: {verdict['limit']}")
        known = verdict["answer"] in ("safe", "unknown") or (missing == "group records"
                                                             and has_cycle(fabric.unicast_edges()))
        tally.check(known or one_lane, f"{name}: {verdict['answer']}")
        tally.check(verified[0] == 0, f"{name}: --verify exits with {verified[0]}")


def options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=BUILD / "bin", type=pathlib.Path, help="folder of the tools")
    parser.add_argument("--cases", type=pathlib.Path,
                        help="folder of cases, as tests/fabrics/run.py makes it")
    given = parser.parse_args()
    if not (given.bin.resolve() / "gen-topology").exists():
        parser.error(f"no gen-topology in {given.bin}: build first")
    return given.bin.resolve(), given.cases


def main():
    bin_dir, cases = options()
    tally = Tally()
    with tempfile.TemporaryDirectory() as temporary:
        if cases:
            shutil.copytree(cases, temporary, dirs_exist_ok=True)
        for archive in [] if cases else ARCHIVES:
            with tarfile.open(archive) as files:
                # what Python 3.14 takes unasked
                setattr(files, "extraction_filter", getattr(tarfile, "data_filter", None))
                files.extractall(pathlib.Path(temporary) / archive.name)
        folders = sorted(file.parent for file in pathlib.Path(temporary).rglob("opensm-subnet.lst"))
        tally.check(len(folders) >= (1 if cases else 38), f"{len(folders)} cases")
        judged = compared = 0
        for folder in folders:
            check_exports(bin_dir, folder, tally)
            levels = ("level-1",) if (folder / "psl").exists() else ()
            for mode in ("unicast", "multicast", *levels):
                judged += check_case(bin_dir, folder, mode, tally)
                compared += mode != "level-1"
    if cases:
        print(f"{len(folders)} cases; of {compared} verdicts ibdmchk can judge {judged}")
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
