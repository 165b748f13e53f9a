#!/usr/bin/env python3
"""Checks verdicts by itself: check_verdict.py ROUTES VERDICTS ends 0 if every piece of evidence holds.

safe: no worm holds a resource while it waits for one that stands earlier in the numbering.
deadlock: what the worms of the witness hold fits together and is what the others wait for.
Direct networks; worms as long as their buffers or longer. Shares nothing with the project's library."""
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


def worm_resources(worm, source, model):
    """Parents, kinds and resources of the hops (index 0: the source's injection channel)."""
    hops, vcs = worm["hops"], worm.get("vcs", [0] * len(worm["hops"]))
    parents, last = worm.get("hop_parents"), -1
    resources = [("injection", worm.get("source", source))]
    if parents is None:
        parents = []
        for i, hop in enumerate(hops):
            parents.append(last)
            last = i if hop >= 0 else last
    for i, hop in enumerate(hops):
        queue = model["consumption_channels"] != "per-input" or parents[i] < 0
        own = ("queue", ~hop) if queue else ("consumption", hops[parents[i]], vcs[parents[i]])
        resources.append(("channel", hop, vcs[i]) if hop >= 0 else own)
    return [None] + [p + 1 for p in parents], [None] + [h >= 0 for h in hops], resources


def key(r):
    if "injection" in r: return ("injection", r["injection"])
    if "consumption" in r: return ("consumption", r["channel"], r.get("vc", 0)) if "channel" in r else ("queue", r["consumption"])
    return ("channel", r["channel"], r.get("vc", 0))


def waits(worm, source, model):
    """Pairs (held, wanted) of resources that the worm can hold and wait for at once."""
    parents, channel, res = worm_resources(worm, source, model)
    line = lambda i: [i] + (line(parents[i]) if i else [])
    tree = "replication" in worm or any(channel[i] and channel[j] and parents[i] == parents[j] for i in range(1, len(res)) for j in range(1, i))
    for w in range(1, len(res)):
        before = set(line(w)) - {w}
        if not tree:
            before |= {h for h in range(1, len(res)) if not channel[h] and parents[h] in before and (channel[w] or parents[h] != parents[w])}
        elif res[w][0] != "consumption":  # siblings wait for each other (at the source: only in lock step)
            before |= {h for h in range(1, len(res)) if w not in line(h) and (worm.get("replication") == "lock-step" or any(a in line(h) for a in line(w) if a)) and parents[w] in [parents[a] for a in line(h) if a] + line(h)}
        yield from ((res[h], res[w]) for h in before)


def fault(routes, verdict):
    model = verdict["model"]
    if verdict["answer"] == "safe":
        number = {key(r): i for i, r in enumerate(verdict["numbering"])}
        number.update({(k): -1 for r in routes for w in r["worms"] for k in [("injection", w.get("source", r["source"]))]})
        pairs = [p for r in routes for w in r["worms"] for p in waits(w, r["source"], model)]
        return next((f"{h} is held while {w} is waited for" for h, w in pairs if number[h] >= number[w]), None)
    if verdict["answer"] == "deadlock":
        by_id = {r["id"]: r for r in routes}
        take = lambda m, name: [worm_resources(by_id[m["multicast"]]["worms"][m["worm"]], by_id[m["multicast"]]["source"], model)[2][h + 1] for h in m[name]]
        held = [r for m in verdict["witness"] for r in take(m, "holds") if r[0] not in ("injection", "queue")]
        missing = [r for m in verdict["witness"] for r in take(m, "waits") if r[0] != "queue" and r not in held]
        return "held twice" if len(held) != len(set(held)) else f"{missing} not held" if missing else None
    return None


if __name__ == "__main__":
    for routes, verdicts in zip(segments(sys.argv[1]), segments(sys.argv[2]), strict=True):
        problem = fault(routes, verdicts[0])
        if problem:
            sys.exit(f"check_verdict.py: {verdicts[0]['answer']}: {problem}")
