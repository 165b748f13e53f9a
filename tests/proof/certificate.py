#!/usr/bin/env python3
"""certificate.py STREAM VERDICTS: what check-deadlock --certificate writes, from public records:
routes, or of a deadlock what --witness wrote, and verdicts. Exit 2 for what tests/proof does not cover."""
# SPDX-License-Identifier: MIT
import json, sys

PLAIN = {"vc_reuse": "drained", "allocation": "incremental", "injection_channels": "all, 1",
         "consumption_channels": "per-input, 1", "replication": "", "path_reservation": "", "ring_entry": "",
         "consumption_release": "", "vc_allocation": "", "cut_through": ""}


def segments(path):
    for text in open(path).read().split('{"kind":"end"}\n')[:-1]:
        yield [json.loads(line) for line in text.splitlines()]


def resource(**named):
    return tuple(sorted((key, n) for key, n in named.items() if key != "vc" or n))


def hops_of(worm, first, per_input):  # resources and the hops behind which they are taken; whether a path
    hops, result, last = worm["hops"], [(r, 0) for r in first], -1
    vcs = worm.get("vcs", [0] * len(hops))
    for i, hop in enumerate(hops):
        parent = worm["hop_parents"][i] if "hop_parents" in worm else last
        last = i if hop >= 0 else last
        by = {"channel": hops[parent], "vc": vcs[parent]} if per_input and parent >= 0 else {}
        name = resource(channel=hop, vc=vcs[i]) if hop >= 0 else resource(consumption=~hop, **by)
        result.append((name, parent + 1 + len(first)))
    outputs = [(parent, "consumption" in dict(name)) for name, parent in result]
    return result, "replication" not in worm and len(set(outputs)) == len(outputs)


def certificate(topology, routes, verdict):
    model, graph = verdict["model"], topology["family"] == "graph"
    plain = all(str(model.get(key, "")) in PLAIN[key] for key in PLAIN)
    shown = {"numbering", "witness"} & set(verdict) and "proof" not in verdict
    if not plain or not shown or "buffer_flits" in str(topology):
        sys.exit(print("certificate.py: not covered: answer, router or network", file=sys.stderr) or 2)
    per_input, buffer = not graph and model["consumption_channels"] == "per-input", model["buffer_flits"]
    limit = "host_link" if graph else "injection" * (model["injection_channels"] == 1)
    number = {resource(**one): n for n, one in enumerate(verdict.get("numbering", []), 1)}
    for route, worm in ((route, worm) for route in routes for worm in route["worms"]):
        first = [resource(**{limit: worm.get("source", route["source"])})] if limit else []
        hops, path = hops_of(worm, first, per_input)
        flits = route["length_flits"] + worm.get("header_flits", model["header_flits"])
        most = 1 + sum(buffer for name, _ in hops if not {"consumption", "injection"} & set(dict(name)))
        numbers = [n for name, parent in hops for n in (number.setdefault(name, len(number) + 1), parent)]
        numbers.insert(0, most if "long_worms" in model else min(model.get("worm_flits", flits), most))
        yield [3, 0 if path else 1 + (worm.get("replication") == "lock-step"), *numbers]
        if "witness" in verdict:
            late = [h for h, cycle in enumerate(worm.get("not_before_cycle", [])) if cycle]
            yield [6] + sorted({h + 1 + len(first) for h in late + verdict["witness"].pop(0)["waits"]})
    for name, n in number.items():
        yield [1, n, 1 if "consumption" in str(name) else 2 ** 53 - 1 if "injection" in str(name) else buffer]


for (topology, *routes), (_, *verdicts) in zip(segments(sys.argv[1]), segments(sys.argv[2])):
    lines = list(certificate(topology, routes, verdicts[0]))
    print(*(" ".join(map(str, line)) for line in [*lines, [0, len(lines)]]), sep="\n")
