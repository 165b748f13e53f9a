#!/usr/bin/env python3
"""check_verdict.py ROUTES VERDICTS: exit 0 if the evidence of every verdict holds.

safe: no worm can hold a resource while it waits for one that stands earlier in the numbering.
deadlock: what the witness's worms hold is held once, and is all that they wait for.
Direct networks. Of the parts of a tree, all that do not lie below each other count as waiting for
each other: stricter than needed for asynchronous copies. Shares nothing with the project's library."""
import json
import sys


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
    kind = next(k for k in ("injection", "consumption", "channel") if k in resource)
    return kind, resource[kind], resource.get("channel", -1), resource.get("vc", 0)


def hop_names(worm, per_input):
    """Parent and resource of every hop."""
    hops, parents, last = worm["hops"], [], -1
    vcs = worm.get("vcs", [0] * len(hops))
    for i, hop in enumerate(hops):
        parents.append(worm["hop_parents"][i] if "hop_parents" in worm else last)
        last = i if hop >= 0 else last
    for i, (hop, p) in enumerate(zip(hops, parents)):
        own = per_input and p >= 0
        yield p, (("channel", hop, hop, vcs[i]) if hop >= 0 else ("consumption", ~hop, hops[p] if own else -1, vcs[p] if own else 0))


def pairs(worm, per_input, model):
    """(held, waited for): on a path whatever comes before, in a tree whatever is not below."""
    if "path_reservation" in model:
        return
    parents, names = zip(*hop_names(worm, per_input))
    above = [set() for _ in names]
    for i, p in enumerate(parents):
        above[i] = above[p] | {p} if p >= 0 else set()
    tree = "replication" in worm or any(a >= 0 and worm["hops"][i] >= 0 and parents.index(a) != i and any(parents[j] == a and worm["hops"][j] >= 0 for j in range(i)) for i, a in enumerate(parents))
    for w in range(len(names)):
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
    take = lambda key: [names[m["multicast"], m["worm"]][h][1] for m in verdict.get("witness", []) for h in m[key] if h >= 0]
    held, missing = take("holds"), set(take("waits")) - set(take("holds"))
    return "held twice" if per_input and len(held) != len(set(held)) else f"{missing} not held" if missing else None


for routes, verdicts in zip(segments(sys.argv[1]), segments(sys.argv[2]), strict=True):
    if problem := fault(routes, verdicts[0]):
        sys.exit(f"check_verdict.py: {verdicts[0]['answer']}: {problem}")
