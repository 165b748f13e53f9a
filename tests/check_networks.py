#!/usr/bin/env python3
# Reads every file under ../shared/topologies that describes a network, where that folder is there.
# SPDX-License-Identifier: MIT
"""Import each file and end with "N passed, N failed"; says so and passes nothing where there are none.

  check_networks.py [--bin DIR]

Every file must be read, or by the converter that the refusal names, its record accepted by gen-multicast,
written as node-link JSON and for Graphviz and read back the same; or it is listed here with the reason why it
is refused, in one line with its name. """
import json
import lzma
import os
import pathlib
import re
import subprocess
import sys

from tally import Tally, bin_option

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT.parent / "shared" / "topologies"
CONVERTERS = ROOT / "data" / "converters"
# What stands beside the networks: licences, manuals, schemas, and the definitions that check_chassis() reads.
NO_NETWORK = re.compile(r"LICENSE|README|COPYING|notes[.]rst|[.]1$|[.]md$|[.]ibnl$|osm[.]fdbs|"
                        r"/tenstorrent/[a-z]+_descriptor[.]yaml")
REFUSED = {
    "ibutils/topology": "port 2 of 'SW1' has a cable to port 1 of 'H2' already",
}
# What else a BookSim configuration says, as a pipeline to type; and the settings that neither that nor the
# network holds.
BOOKSIM_PIPELINES = {"booksim/mesh88_lat": "gen-multicast --pattern transpose --length-flits 20 --rate 0.1 "
                     "--cycles 13000 | plan-multicast separate --routing dimension-order | route-expand | "
                     "simulate-wormhole --preset booksim-iq --buffer-flits 8 --vc-reuse drained "
                     "--credit-cycles 4 --consumption-cycles 7 --warmup-cycles 3000 --measure-cycles 10000",
                     "booksim/torus88": "gen-multicast --pattern uniform --length-flits 1 --rate 0.15 "
                     "--cycles 13000 | plan-multicast separate --routing either-way | route-expand | "
                     "simulate-wormhole --preset booksim-iq --buffer-flits 8 --routing-cycles 1 --hop-cycles "
                     "4 --credit-cycles 3 --warmup-cycles 3000 --measure-cycles 10000",
                     "booksim/singleconfig": "gen-multicast --pattern uniform --length-flits 1 --rate 1 "
                     "--cycles 1300000 | fly-ends | plan-multicast separate --routing shortest | "
                     "route-expand | simulate-wormhole --preset booksim-iq --buffer-flits 8 "
                     "--overhead-cycles 2 --warmup-cycles 300000 --measure-cycles 1000000",
                     "booksim/anynet_config": "gen-multicast --pattern uniform --length-flits 1 --rate 0.01 "
                     "--cycles 130000 | plan-multicast separate --routing given | route-expand | "
                     "simulate-wormhole --preset booksim-iq --buffer-flits 3 --overhead-cycles 2 "
                     "--routing-cycles 1 --warmup-cycles 30000 --measure-cycles 100000"}
BOOKSIM_LEFT_OUT = {"booksim/mesh88_lat": "input_speedup = 2",
                    **dict.fromkeys(("booksim/singleconfig", "booksim/anynet_config"), "sw_allocator = "
                                    "separable_input_first, vc_allocator = separable_input_first")}
# Of networks taken apart by the .ibnl files: switches, hosts and links between switches. A MTS14400 has 144
# ports, so of chips of 24 ports it is a Clos network of 12 and 6; a Gnu has 16, of chips of 8 ports 4 and 2.
TAKEN_APART = {
    "SingleRhino.topo": (18, 144, 144),
    "RhinoBased512.topo": (12 * 18, 512, 12 * 144 + 512),
    "FullGnu.topo": (6, 16, 16),
}
EDISON = ("cray-xc/links-edison.txt.xz", 1440, 31320)


def run(command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def import_experiment(bin_dir, path):
    """What the converter of BookSim's configurations makes of one, and of its network alone; stderr in the
    tool's name."""
    tools = ["env", "-C", path.parent, f"PATH={bin_dir}:{CONVERTERS}:{os.environ['PATH']}"]
    converted = run([*tools, "booksim", path])
    if converted.returncode != 0:
        process, said = converted, converted.stderr
    else:
        network, _, rest = converted.stdout.strip().partition(" | gen-multicast ")
        rest = "gen-multicast " + rest
        process = run([*tools, "bash", "-c", network])
        said = f"{converted.stderr}{process.stderr}booksim: for the rest: {rest}\n"
    process.stderr = re.sub("^booksim: ", "gen-topology: ", said, flags=re.MULTILINE)
    return process


def written_part(text):
    """What other formats hold, too."""
    record = json.loads(text.splitlines()[0])
    return {key: value for key, value in record.items() if key not in ("generator", "relation")}


def said_of(text, path):
    """What stderr says: what a network does not hold, by the notes of its generator, and a pipeline for the
    rest."""
    record = json.loads(text.splitlines()[0]) if text else {}
    notes = [f"{key}: {value}" for key, value in record.get("generator", {}).items()
             if key.startswith(("left-out", "one-way", "systems"))]
    name = str(path.relative_to(FOLDER))
    pipeline = BOOKSIM_PIPELINES.get(name)
    if name in BOOKSIM_LEFT_OUT:
        notes.append(f"left-out-settings: {BOOKSIM_LEFT_OUT[name]}")
    lines = [", ".join(notes)] * bool(notes) + [f"for the rest: {pipeline}"] * bool(pipeline)
    return "".join(f"gen-topology: {line}\n" for line in lines)


def check_pipeline(name, network, bin_dir, tally):
    """The pipeline that stderr names can be typed, and its simulation measures something, or that it is too
    much."""
    command = f"{BOOKSIM_PIPELINES[name]} --summary-only"
    process = subprocess.run(["bash", "-o", "pipefail", "-c", command], input=network, capture_output=True,
                             text=True, check=False,
                             env={**os.environ, "PATH": f"{bin_dir}:{CONVERTERS}:{os.environ['PATH']}"})
    summaries = [record for record in map(json.loads, process.stdout.splitlines())
                 if record["kind"] == "summary"]
    measured = [record for record in summaries if record["outcome"] == "saturated"
                or record["window"]["delivered_multicasts"] > 0]
    tally.check(process.returncode == 0 and len(summaries) == len(measured) == 1,
                f"{name}: {command}: {process.stderr}")


def check_file(path, bin_dir, tally):
    name = str(path.relative_to(FOLDER))
    text = lzma.open(path, "rt").read() if path.suffix == ".xz" else None
    files = ["-" if text else path]
    process = run([bin_dir / "gen-topology", "import", *files], text)
    if "which a converter reads" in process.stderr:
        tally.check(process.returncode == 2 and process.stderr.count("\n") == 1, f"{name}: {process.stderr}")
        process = import_experiment(bin_dir, path)
    if name in REFUSED:
        lines = process.stderr.splitlines()
        tally.check(process.returncode == 2 and len(lines) == 1 and REFUSED[name] in lines[0]
                    and path.name in lines[0], f"{name}: {process.stderr!r}")
        return
    tally.check(process.returncode == 0 and process.stderr == said_of(process.stdout, path),
                f"{name}: {process.stderr}")
    if process.returncode != 0:
        return
    accepted = run([bin_dir / "gen-multicast", "--source", "number:0", "--to", "number:0"], process.stdout)
    tally.check(accepted.returncode == 0, f"{name}: {accepted.stderr}")
    if name in BOOKSIM_PIPELINES:
        check_pipeline(name, process.stdout, bin_dir, tally)
    record = written_part(process.stdout)
    if record["family"] == "graph":
        for form in ("node-link", "dot"):
            exported = run([bin_dir / "gen-topology", "export", form], process.stdout)
            if any(link.get("one_way") for link in record["links"]):
                tally.check(exported.returncode == 2 and "one way" in exported.stderr,
                            f"{name}: {exported.stderr}")
                continue
            back = run([bin_dir / "gen-topology", "import"], exported.stdout)
            tally.check(back.returncode == 0 and written_part(back.stdout) == record,
                        f"{name}: not the same by {form}")
    if name == EDISON[0]:
        pairs = {tuple(link["ends"]) for link in record["links"]} | {tuple(link["ends"][::-1])
                                                                     for link in record["links"]}
        tally.check((record["routers"], len(pairs)) == EDISON[1:], f"Edison: {record['routers']} routers, "
                    f"{len(pairs)} pairs")


def check_chassis(bin_dir, tally):
    """Every .topo file with all definitions: no system stays one switch."""
    definitions = sorted(FOLDER.rglob("*.ibnl"))
    for path in sorted(FOLDER.glob("ibutils/**/*.topo")):
        process = run([bin_dir / "gen-topology", "import", path, *definitions])
        tally.check(process.returncode == 0 and process.stderr == said_of(process.stdout, path),
                    f"{path.name} with definitions: {process.stderr}")
        if process.returncode != 0:
            continue
        record = json.loads(process.stdout.splitlines()[0])
        sizes = (record["routers"], len(record["hosts"]), len(record["links"]))
        tally.check("systems-as-one-switch" not in record["generator"]
                    and TAKEN_APART.get(path.name, sizes) == sizes, f"{path.name} with definitions: {sizes}, "
                    f"{record['generator']}")


def main():
    bin_dir = bin_option(__doc__)
    tally = Tally()
    if not FOLDER.is_dir():
        print("skipped: the collection of real networks is not beside this repository")
    else:
        files = [path for path in sorted(FOLDER.rglob("*")) if path.is_file()
                 and not NO_NETWORK.search(str(path))]
        tally.check(len(files) == 100, f"{len(files)} files, 100 expected")
        for path in files:
            check_file(path, bin_dir, tally)
        check_chassis(bin_dir, tally)
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
