#!/usr/bin/env python3
"""check_verdict.py ROUTES VERDICTS: exit 0 if the evidence of every verdict holds.

safe: no worm can hold a resource while it waits for one that stands earlier in the numbering; parts of a
tree that do not lie below each other all count as waiting for each other, more than asynchronous copies do.
deadlock: what the witness's worms hold is held once; they wait for it, or behind atomic nodes that do.
Direct networks. Shares nothing with the project's library."""
import json, sys


def segments(path):
    for record in map(json.loads, open(path)):
        if record["kind"] == "topology":
            records = []
        elif record["kind"] == "end":
            yield records
        else:
            records.append(record)


def name(resource):
    """A resource of a record: the same name as hop_names() gives it."""
    kind = "injection" if "injection" in resource else "consumption" if "consumption" in resource else "channel"
    return kind, resource[kind], resource.get("channel", -1), resource.get("vc", 0)


def hop_names(worm, per_input):
    """Parent and resource of every hop."""
    hops, vcs, parents, last = worm["hops"], worm.get("vcs", [0] * len(worm["hops"])), [], -1
    for i, hop in enumerate(hops):
        parents.append(worm["hop_parents"][i] if "hop_parents" in worm else last)
        last = i if hop >= 0 else last
    for i, (hop, p) in enumerate(zip(hops, parents)):
        source = (hops[p], vcs[p]) if per_input and p >= 0 else (-1, 0)
        yield p, ("channel", hop, hop, vcs[i]) if hop >= 0 else ("consumption", ~hop, *source)


def pairs(worm, per_input, model):
    """(held, waited for): on a path whatever comes before, in a tree whatever is not below."""
    parents, names = zip(*hop_names(worm, per_input))
    above = []
    for p in parents:
        above.append(above[p] | {p} if p >= 0 else set())
    tree = "replication" in worm or any(a >= 0 and worm["hops"][i] >= 0 and parents.index(a) != i and any(parents[j] == a and worm["hops"][j] >= 0 for j in range(i)) for i, a in enumerate(parents))
    for w in range(0 if "path_reservation" in model else len(names)):
        for h in range(len(names)):
            beside = tree and "cut_through" not in model and h != w and w not in above[h] and not (names[w][0] == "consumption" and names[w][2] >= 0)
            on_the_way = worm["hops"][h] < 0 and parents[h] in above[w] and (worm["hops"][w] >= 0 or parents[h] != parents[w])
            if h in above[w] or beside or (not tree and on_the_way):
                yield names[h], names[w]


def fault(routes, verdict):
    per_input = verdict["model"]["consumption_channels"] == "per-input"
    if verdict["answer"] == "safe":
        number = {name(r): i for i, r in enumerate(verdict["numbering"])}
        every = (pair for r in routes for w in r["worms"] for pair in pairs(w, per_input, verdict["model"]))
        return next((f"{h} is held while {w} is waited for" for h, w in every if number[h] >= number[w]), None)
    names = {(r["id"], i): list(hop_names(w, per_input)) for r in routes for i, w in enumerate(r["worms"])}
    worms = [(names[m["multicast"], m["worm"]], m) for m in verdict.get("witness", [])]
    blocked = set(held := [hops[h][1] for hops, m in worms for h in m["holds"] if h >= 0])
    waits = {hops[h] + (id(hops),) for hops, m in worms for h in m["waits"]}
    for _ in waits if verdict["model"]["allocation"] == "atomic" else ():
        nodes = {(p, worm) for p, resource, worm in waits if resource in blocked}
        blocked |= {resource for hops, _ in worms for p, resource in hops if (p, id(hops)) in nodes}
    missing = {resource for _, resource, _ in waits} - blocked
    return missing and f"{missing} not held" or (per_input and len(held) != len(set(held)) and "held twice")


for routes, verdicts in zip(segments(sys.argv[1]), segments(sys.argv[2]), strict=True):
    if problem := fault(routes, verdicts[0]):
        sys.exit(f"check_verdict.py: {verdicts[0]['answer']}: {problem}")
