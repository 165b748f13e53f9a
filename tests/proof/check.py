#!/usr/bin/env python3
"""check.py BIN CHECKER: certificates that check-deadlock writes, given to the checker that is proved. Of all
planners that it is for, timed beside --verify, with what worms of plans do beside legs that stand for all; of
the filter of public records; of every golden verdict. Exit 1 if anything is not as it should be."""
# SPDX-License-Identifier: MIT
import collections
import pathlib
import resource
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BIN, CHECKER = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
NETWORKS = {"mesh": "mesh 8 8", "small": "mesh 4 4", "large": "mesh 64 64", "torus": "torus 8 8",
            "cube": "hypercube 6", "ccc": "ccc 4", "fabric": "irregular --switches 1024",
            "switches": "irregular --switches 16 --hosts 4 --seed 3"}
# Network, planner, options of check-deadlock; what it says is safe, the checker has to prove.
PLAIN = {"mesh": "ocms otms dual-path multi-path column-path separate mpm-ssr", "torus": "btl t2w separate",
         "cube": "ocms otms dual-path multi-path", "ccc": "u-ccc separate", "small": "ocms separate",
         "large": "ocms", "switches": "separate ocms-up-down"}
NONE: list[str] = []
PLANNERS = [(network, planner, NONE) for network, names in PLAIN.items() for planner in names.split()] + [
    ("mesh", "column-path", ["--with-unicast", "dimension-order"]),
    ("mesh", "ocms", ["--injection-channels", "1"]),
    ("mesh", "opm", ["--length-flits", "4"]),
    ("switches", "opm", ["--length-flits", "64", "--buffer-flits", "64"]),
    ("switches", "mpm-ssr", ["--length-flits", "4"]),
    ("fabric", "opm", ["--length-flits", "4", "--with-unicast", "up-down"]),
    ("small", "separate", ["--with-unicast", "dimension-order"]),
    ("torus", "t2w:relay=asynchronous", ["--length-flits", "4"])]
# Not safe, or trees that the proofs do not cover: nothing of these may be called safe.
OTHERS = [("mesh", "xy-tree", NONE), ("switches", "opm", ["--length-flits", "5"]),
          ("switches", "mpm-ssr", NONE), ("mesh", "ocms", ["--with-unicast", "dimension-order"]),
          ("torus", "t2w:vc-rule=printed", NONE)]
SHIM = """#!/usr/bin/env bash
# check-deadlock, and once more with a certificate of the same.
folder=$(mktemp -d CERTIFICATES/XXXXXX)
if [ -p /dev/stdin ] || [ -f /dev/stdin ]; then cat >"$folder/in"; else : >"$folder/in"; fi
TOOL "$@" --certificate "$folder/certificate" <"$folder/in" >/dev/null 2>"$folder/said"
exec TOOL "$@" <"$folder/in"
"""
failed = []


def run(*command, check=True, **more):
    words = [str(part) for part in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, **more)
    if check and done.returncode > 1:
        failed.append(f"{command}: {done.stderr.strip()}")
    return done.stdout


def tool(name, *options, **more):
    return run(BIN / name, *options, **more)


def timed(*command):
    """What it prints, and the processor's time."""
    used = [resource.getrusage(resource.RUSAGE_CHILDREN)]
    said = run(*command)
    used.append(resource.getrusage(resource.RUSAGE_CHILDREN))
    return said, sum(after - before for before, after in zip(used[0][:2], used[1][:2]))


def hold(fact, what):
    if not fact:
        failed.append(what)


def proofs(certificate):
    """The checker's answers to a file of certificates."""
    return [line.split(": ", 1)[1] for line in run(CHECKER, certificate).splitlines()]


def numbers(certificate):
    return [list(map(int, line.split())) for line in pathlib.Path(certificate).read_text().splitlines()]


def asked(line):
    """Pairs of resources that a worm of a certificate asks for one after the other, or at the other's end."""
    hops = list(zip(line[3::2], line[4::2]))
    return {(hops[(p if line[1] == 0 else behind) - 1][0], taken)
            for p, (taken, behind) in enumerate(hops) if (p if line[1] == 0 else behind) > 0}


def renamed(certificate):
    """A certificate whose resources are counted as its worms name them."""
    name, slots, worms = {}, {}, []
    for line in numbers(certificate):
        if line[0] == 3:
            hops = [n if i % 2 else name.setdefault(n, len(name)) for i, n in enumerate(line[3:])]
            worms.append(line[:3] + hops)
        elif line[0] == 1:
            slots[line[1]] = line[2]
        elif line[0] == 6:
            worms.append(line)
    return worms, {name[one]: n for one, n in slots.items() if one in name}


def planners(work):
    slowest = 0.0
    for network, planner, options in PLANNERS:
        said = f"{planner} on {NETWORKS[network]} {' '.join(options)}"
        certificate = work / "legs"
        asking = [work / network, "--all-multicasts", planner, *options, "--certificate", certificate]
        (work / "verdict").write_text(tool("check-deadlock", *asking))
        _, verify = timed(BIN / "check-deadlock", "--verify", work / "verdict", work / network)
        answer, proved = timed(CHECKER, certificate)
        hold(": safe: " in answer, f"{said}: {answer.strip()}")
        slowest = max(slowest, proved / verify)
        if network in ("large", "fabric"):
            print(f"{said}: {answer.split(':')[-1].strip()} in {proved:.2f} s, --verify in {verify:.2f} s")
            continue
        # Plans of 200 multicasts follow the legs.
        flits = options[1] if options[:1] == ["--length-flits"] else "40"
        shape = ["--count", "200", "--destinations", "6", "--length-flits", flits]
        multicasts = tool("gen-multicast", work / network, *shape)
        routes = tool("route-expand", input=tool("plan-multicast", planner, input=multicasts))
        model = NONE if options[:1] == ["--with-unicast"] else options
        tool("check-deadlock", *model, "--certificate", work / "worms", input=routes)
        legs = {tuple(line[1:]) for line in numbers(certificate) if line[0] == 4}
        longest = max([line[1] for line in numbers(certificate) if line[0] == 5], default=0)
        worms = [line for line in numbers(work / "worms") if line[0] == 3]
        hold(len(worms) >= 200, f"{said}: {len(worms)} worms")
        follow = all(asked(worm) <= legs and (worm[1] == 0 or worm[2] <= longest) for worm in worms)
        hold(follow and all(worm[1] < 2 for worm in worms), f"{said}: a worm does not follow the legs")
    for network, planner, options in OTHERS:
        asking = [work / network, "--all-multicasts", planner, *options, "--certificate", work / "other"]
        tool("check-deadlock", *asking)
        answers = proofs(work / "other")
        hold(answers[0].startswith("deadlock"), f"{planner} {options}: {answers}")
    print(f"{len(PLANNERS)} planners proved safe, {len(OTHERS)} shown to deadlock; at most {slowest:.1f} "
          "times the time of --verify")


def filtered(work):
    count = 0
    for case in ("mesh ocms", "mesh column-path", "mesh xy-tree", "torus t2w", "switches separate",
                 "switches opm", "ccc separate", "mesh xy-path"):
        network, planner = case.split()
        for seed in range(4):
            flits = 4 if planner == "opm" and seed % 2 else 20
            shape = ["--count", "30", "--destinations", "5", "--length-flits", flits, "--seed", seed]
            plans = tool("plan-multicast", planner, input=tool("gen-multicast", work / network, *shape))
            (work / "stream").write_text(tool("route-expand", input=plans))
            limits = ["--injection-channels", "1"] * (seed == 3)
            files = ["--certificate", work / "own", "--witness", work / "witness"]
            (work / "verdict").write_text(tool("check-deadlock", work / "stream", *limits, *files))
            safe = '"answer":"safe"' in (work / "verdict").read_text()
            (work / "filtered").write_text(run(sys.executable, HERE / "certificate.py",
                                               work / ("stream" if safe else "witness"), work / "verdict"))
            own, other = renamed(work / "own"), renamed(work / "filtered")
            if not safe:  # the tool's has all worms of the stream before those of the witness
                kept = [i for i, line in enumerate(own[0]) if line[0] == 6]
                own = len(kept), [own[0][i] for i in kept]
                other = len(kept), other[0][1::2]
            hold(own == other, f"{planner} on {network}, seed {seed}: the filter and the tool differ")
            answers = proofs(work / "own") + proofs(work / "filtered")
            # That worms copied in lock step come to stand so can take an order that certificates do not say.
            said = "safe" if safe else "deadlock"
            held = all(answer.startswith(said) for answer in answers) or planner == "xy-tree"
            hold(held and len({answer[:4] for answer in answers}) == 1, f"{case}: {answers}")
            count += 1
    print(f"{count} streams: the filter of public records and the tool write the same, which is proved")


def goldens(work):
    shim, certificates = work / "bin", work / "certificates"
    shim.mkdir()
    certificates.mkdir()
    for path in BIN.iterdir():
        if path.name != "check-deadlock":
            (shim / path.name).symlink_to(path)
    (shim / "check-deadlock").write_text(
        SHIM.replace("CERTIFICATES", shlex.quote(str(certificates))).replace("TOOL", shlex.quote(
            str(BIN / "check-deadlock"))))
    (shim / "check-deadlock").chmod(0o755)
    run(HERE.parent / "transcripts.py", "--bin", shim, "check-deadlock", check=False)
    answers = collections.Counter()
    for path in certificates.glob("*/certificate"):
        for answer in proofs(path):
            answers[answer.split(":")[0]] += 1
            hold(answer.startswith(("safe", "deadlock")), f"golden {path.read_text()[:300]}: {answer}")
    hold(answers["safe"] > 50 and answers["deadlock"] > 100, f"golden cases: {answers}")
    print(f"golden cases: {answers['deadlock']} witnesses and {answers['safe']} numberings proved, all "
          "that have certificates")


with tempfile.TemporaryDirectory() as folder:
    for name, words in NETWORKS.items():
        tool("gen-topology", *words.split(), "-o", pathlib.Path(folder, name))
    for part in (planners, filtered, goldens):
        part(pathlib.Path(folder))
for one in failed[:20]:
    print(one[:300].replace("\n", " / "))
sys.exit(bool(failed))
