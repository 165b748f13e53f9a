#!/usr/bin/env python3
# Routes generated fabrics by OpenSM in ibsim and has ibdmchk judge them, one folder for each fabric and
# engine.
# SPDX-License-Identifier: MIT
"""run.py FOLDER [FABRIC_ENGINE...]: what tests/check_opensm.py checks, for every case or those named.

The last engines are routing functions of ours, whose tables OpenSM loads (-R file); the case holds them as
lfts. Each case: opensm-subnet.lst, opensm.fdbs, opensm.mcfdbs (one group of every third host),
opensm-sl2vl.dump, psl (path SLs as ibdmchk reads them), path-records (the same of the first host, by
saquery), mcgroups (saquery -g), and ibdmchk-unicast.txt and ibdmchk-multicast.txt, the ends of ibdmchk's
reports with these service levels."""
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CLIENT = pathlib.Path(__file__).resolve().parent / "client.py"
GROUP = "ff12::1230"
ENGINES = ("minhop", "updn", "dfsssp", "lash", "nue", "torus-2QoS")
OURS = ("up-down", "shortest")
ROOT = pathlib.Path(__file__).resolve().parents[2]
WAIT_SECONDS = 30


def grid(sizes, around):
    """Links of a torus, or of a mesh, and the lines of torus-2QoS.conf after the first."""
    count, strides = 1, []
    for size in sizes:
        strides.append(count)
        count *= size
    links, seeds = [], []
    for node in range(count):
        for size, stride in zip(sizes, strides):
            at = node // stride % size
            if at + 1 < size or (around and size > 2):
                links.append((node, node + stride if at + 1 < size else node - stride * at))
    for axis, size, stride in zip("xyz", sizes, strides):
        seeds.append(f"{axis}p_link {guid(0)} {guid(stride)}")
        if around:
            seeds.append(f"{axis}m_link {guid(0)} {guid(stride * (size - 1))}")
    head = ("torus " if around else "mesh ") + " ".join(str(size) for size in (*sizes, 1, 1)[:3])
    return count, links, list(range(count)), [head, *seeds]


def guid(switch):
    return f"0x{0x200000 + switch:x}"


def tree():
    """Four switches above four, two cables between any two of them, two hosts on each below."""
    links = [(above, 4 + below) for above in range(4) for below in range(4) for _ in range(2)]
    return 8, links, [4 + below for below in range(4) for _ in range(2)], None


def irregular():
    """Sixteen switches: a random tree and fourteen more cables, a host on each."""
    draw = random.Random(5)
    links = [(draw.randrange(node), node) for node in range(1, 16)]
    while len(links) < 29:
        a, b = sorted(draw.sample(range(16), 2))
        if (a, b) not in links:
            links.append((a, b))
    return 16, links, list(range(16)), None


FABRICS = {
    "torus44": lambda: grid((4, 4), True),
    "mesh44": lambda: grid((4, 4), False),
    "torus333": lambda: grid((3, 3, 3), True),
    "tree": tree,
    "irregular": irregular,
}


def write_net(path, count, links, hosts):
    """ibsim's description: a line for each port that has a cable."""
    ports = {switch: [] for switch in range(count)}
    for host, switch in enumerate(hosts):
        ports[switch].append(f'"H{host}"[1]')
    lines = {}
    for a, b in links:
        number = {a: len(ports[a]) + 1, b: len(ports[b]) + 1}
        ports[a].append(f'"S{b}"[{number[b]}]')
        ports[b].append(f'"S{a}"[{number[a]}]')
    for switch, ends in ports.items():
        lines[switch] = (f'Switch {len(ends) + 1} "S{switch}"\n'
                         + "".join(f"[{i}] {end}\n" for i, end in enumerate(ends, 1)))
    host_lines = []
    for host, switch in enumerate(hosts):
        host_lines.append(f'Hca 1 "H{host}"\n[1] '
                          f'"S{switch}"[{ports[switch].index(f"{chr(34)}H{host}{chr(34)}[1]") + 1}]\n')
    path.write_text("\n".join([*lines.values(), *host_lines]))


class Simulation:
    """ibsim with a net; programs see it through ibsim-run. Its socket has a name of this process."""

    def __init__(self, net, folder):
        self.env = {**os.environ, "IBSIM_SOCKNAME": f"wormcast-{os.getpid()}",
                    "SIM_HOST": "H0", "OSM_TMP_DIR": str(folder), "OSM_CACHE_DIR": str(folder)}
        self.log = open(folder / "ibsim.log", "w")
        self.process = subprocess.Popen(["ibsim", "-s", str(net)], stdin=subprocess.PIPE, stdout=self.log,
                                        stderr=self.log, env=self.env)
        time.sleep(0.5)

    def command(self, *words, host="H0", **options):
        return subprocess.run(["ibsim-run", *words], env={**self.env, "SIM_HOST": host}, check=True,
                              text=True, capture_output=True, **options).stdout

    def close(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


def wait_for(what, done):
    end = time.monotonic() + WAIT_SECONDS
    while not done():
        if time.monotonic() > end:
            sys.exit(f"run.py: {what} is not there after {WAIT_SECONDS} seconds")
        time.sleep(0.1)


def settle(path):
    """Waits until the file has been left alone for a second."""
    wait_for(path.name, lambda: path.exists() and path.stat().st_size
             and time.time() - path.stat().st_mtime > 1)


def hosts_of(subnet):
    """LID, node GUID, port GUID and name of every host."""
    end = re.compile(r"\{ CA\S* [^{]*?NodeGUID:(\w+) PortGUID:(\w+) [^{]*\{(.*?)\} LID:(\w+) ")
    return sorted({(int(lid, 16), "0x" + node, "0x" + port, name)
                   for node, port, name, lid in end.findall(subnet.read_text())})


def judge(folder, name, *option):
    """The end of ibdmchk's report; with -M it crashes when it has said what it found."""
    report = subprocess.run(["ibdmchk", "-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-c", "psl", "-d",
                             "opensm-sl2vl.dump", "-m", "opensm.mcfdbs", *option], cwd=folder,
                            capture_output=True, text=True, check=False).stdout
    kept = [line for line in report.splitlines() if re.search("-E-|Found credit loop|no credit loops|MFT "
                                                              "added", line)]
    (folder / name).write_text("\n".join(kept) + "\n")


def write_tables(routing, subnet, path):
    """All routes of a routing function on the fabric, as a file of tables that OpenSM loads."""
    tools = f"{os.environ.get('BUILD', ROOT / 'build')}/bin:{ROOT}/data/converters"
    pairs = "\n".join(f"{a} {b}" for a in range(len(hosts_of(subnet))) for b in range(len(hosts_of(subnet)))
                      if a != b)
    command = f"""set -e; gen-topology import {subnet} --root 0 >net; gen-multicast net --from pairs |
        plan-multicast separate --routing {routing} | route-expand | route-tables --form lfts >{path}"""
    (path.parent / "pairs").write_text(pairs)
    subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=path.parent, check=True,
                   env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"})


def route(case, engine, torus, simulation, work):
    """Runs OpenSM on the simulated fabric and leaves its files in `case`."""
    subprocess.run(["opensm", "-c", str(work / "conf")], check=True, capture_output=True)
    conf = (work / "conf").read_text()
    for key, value in {"qos": "TRUE", "dump_files_dir": f"{work}/", "nue_max_num_vls": "4",
                       "torus_config": f"{work}/torus.conf"}.items():
        conf = re.sub(rf"(?m)^{key} .*", f"{key} {value}", conf)
    (work / "conf").write_text(conf)
    (work / "torus.conf").write_text("\n".join(torus or []) + "\n")
    (work / "root.guid").write_text(guid(0) + "\n")
    if engine in OURS:
        write_tables(engine, case.parent / f"{case.name.partition('_')[0]}_{ENGINES[0]}"
                     / "opensm-subnet.lst", work / "lfts")
        shutil.copy(work / "lfts", case / "lfts")
        engine = "file"
    manager = subprocess.Popen(["ibsim-run", "opensm", "-F", "conf", "-R", f"{engine},no_fallback", "-a",
                                "root.guid", "-U", "lfts", "-f", str(work / "osm.log"), "-D", "0x43"],
                               cwd=work, env=simulation.env, stdout=subprocess.DEVNULL)
    try:
        settle(work / "opensm.fdbs")
        hosts = hosts_of(work / "opensm-subnet.lst")
        manager_lid = next(str(host[0]) for host in hosts if host[3] == "H0")
        pairs = "".join(f"{a[0]} {b[0]} {a[1]}\n" for a in hosts for b in hosts if a != b)
        (case / "psl").write_text(simulation.command(sys.executable, str(CLIENT), "paths", manager_lid,
                                                     input=pairs))
        first = hosts[0]
        (case / "path-records").write_text("".join(simulation.command("saquery", "PR", "--slid",
                                                                      str(first[0]), "--dlid", str(lid))
                                                   for lid, *_ in hosts[1:]))
        for _, _, port, name in hosts[::3]:
            simulation.command(sys.executable, str(CLIENT), "join", manager_lid, port, GROUP, "0", host=name)
        settle(work / "opensm.mcfdbs")
        (case / "mcgroups").write_text(simulation.command("saquery", "-g"))
    finally:
        manager.send_signal(signal.SIGTERM)
        manager.wait()
    for name in ("opensm-subnet.lst", "opensm.fdbs", "opensm.mcfdbs", "opensm-sl2vl.dump"):
        shutil.copy(work / name, case / name)


def main():
    target = pathlib.Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:]
    for fabric, make in FABRICS.items():
        count, links, hosts, torus = make()
        for engine in ENGINES + OURS:
            name = f"{fabric}_{engine}"
            if (engine == "torus-2QoS" and torus is None) or (wanted and name not in wanted):
                continue
            case = target / name
            shutil.rmtree(case, ignore_errors=True)
            case.mkdir(parents=True)
            with tempfile.TemporaryDirectory() as folder:
                work = pathlib.Path(folder)
                write_net(work / "net", count, links, hosts)
                simulation = Simulation(work / "net", work)
                try:
                    route(case, engine, torus, simulation, work)
                finally:
                    simulation.close()
            judge(case, "ibdmchk-unicast.txt")
            judge(case, "ibdmchk-multicast.txt", "-M")
            print(name, *(line for line in (case / "ibdmchk-unicast.txt").read_text().splitlines()[:1]),
                  flush=True)


if __name__ == "__main__":
    main()
