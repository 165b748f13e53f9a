#!/usr/bin/env python3
"""check_verdict.py ROUTES VERDICTS: exit 0 if the evidence of every verdict holds, 1 if it does not, 2 if
there is an answer that it cannot judge (only safe and deadlock carry evidence) or cannot read the files.

safe: no worm can hold a resource while it waits for one that stands earlier in the numbering, or for one that
is asked for together with such a one (atomic nodes). deadlock: there are worms; each waits, for places that
it has reached and does not hold; what they hold is there as often as it is held, and they wait for it, or
behind atomic nodes that do. Not that they get there: the simulator shows that, which replays the witness.
Direct networks: on graphs it judges nothing. Shares nothing with the project's library."""
# SPDX-License-Identifier: MIT
import collections, json, math, sys


class Wrong(Exception):
    """Evidence that does not hold."""


class Unknown(Exception):
    """What cannot be judged."""


def segments(path):
    """(topology, records) of each segment."""
    topology, records = None, []
    for record in map(json.loads, open(path)):
        if record["kind"] == "topology":
            topology = record
        elif record["kind"] == "end":
            yield topology, records
            topology, records = None, []
        else:
            records.append(record)
    if topology is not None or records:
        raise Unknown(f"{path} ends within a segment")


def name(resource):
    """A resource of a record: the same name as hop_names() gives it."""
    kind = ("injection" if "injection" in resource else "consumption" if "consumption" in resource
            else "channel")
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


def flits(route, worm, model):
    """Length with the header; a header of its own makes the difference to that of all."""
    if model.get("long_worms"):
        return float("inf")
    if "worm_flits" in model:
        return (max(model["worm_flits"] - model["header_flits"], 0)
                + worm.get("header_flits", model["header_flits"]))
    return route.get("length_flits", 1) + worm.get("header_flits", model["header_flits"])


def copying(worm, parents, model):
    """How copies move: "path", "asynchronous", "per-flit", "lock-step" or "atomic"."""
    if model.get("replication") == "per-flit" and not model.get("path_reservation"):
        return "per-flit"
    consumptions = sum(hop < 0 for hop in worm["hops"])
    if model.get("cut_through"):
        return "path" if consumptions == 1 else "asynchronous"
    outputs = collections.Counter((p, hop >= 0) for p, hop in zip(parents, worm["hops"]))
    if "replication" not in worm and max(outputs.values()) < 2:
        return "path"
    if worm.get("replication") != "lock-step":
        return "asynchronous"
    return "atomic" if model["allocation"] == "atomic" else "lock-step"


def pairs(route, worm, per_input, model):
    """(held, waited for): whatever comes before; what is consumed on the way of a path; and in a tree what
    lies beside: of asynchronous copies all of it where no buffer holds the worm, flit by flit where the worm
    has two flits, of lock-step ones only outputs of one node, and what follows these once all of them are
    held; under early reuse also channels that are granted, where the worm stands behind another."""
    parents, names = zip(*hop_names(worm, per_input))
    above = []
    for p in parents:
        above.append(above[p] | {p} if p >= 0 else set())
    copies = copying(worm, parents, model)
    shared = model["vc_reuse"] == "early" and not model.get("cut_through")
    own = lambda h: names[h][0] == "consumption" and names[h][2] >= 0

    def beside(h, w):
        if copies == "path" or h == w or w in above[h] or h in above[w] or own(w):
            return False
        meet = max(above[h] & above[w], default=-1)
        if copies == "asynchronous":  # copies that leave the source read its memory
            return (meet >= 0 and not model.get("cut_through")
                    and flits(route, worm, model) > model["buffer_flits"])
        if copies == "per-flit":
            return (model["buffer_flits"] if model.get("cut_through") else flits(route, worm, model)) > 1
        if parents[w] != meet or (shared and worm["hops"][w] >= 0):
            return True  # the node where they part has been left
        return copies == "lock-step" and parents[h] == meet

    for w in range(0 if model.get("path_reservation") else len(names)):
        for h in range(len(names)):
            on_the_way = (copies == "path" and worm["hops"][h] < 0 and parents[h] in above[w]
                          and (worm["hops"][w] >= 0 or parents[h] != parents[w]))
            if h in above[w] or beside(h, w) or on_the_way:
                yield names[h], names[w]


def asked_together(routes, per_input, model):
    """Of each resource, those that atomic nodes queue for together with it, at first or second hand."""
    group = {}
    for worm in (w for r in routes for w in r["worms"]):
        parents, names = zip(*hop_names(worm, per_input))
        if copying(worm, parents, model) != "atomic":
            continue
        for node in set(parents):
            outputs = [n for p, n in zip(parents, names) if p == node
                       and not (n[0] == "consumption" and n[2] >= 0)]
            merged = set(outputs).union(*(group.get(n, {n}) for n in outputs))
            group.update((n, merged) for n in merged)
    return group


def rings_of(number, topology, model):
    """{number: that of a ring}: channels of one ring that follow each other count as one where rings never
    fill."""
    dims, rings = topology.get("dims", []), collections.defaultdict(list)
    for (kind, channel, _, vc), at in number.items() if "ring_entry" in model else ():
        node, port = divmod(channel, 2 * len(dims))
        stride = math.prod(dims[:port // 2])
        if (kind == "channel" and topology["family"].startswith("torus")
            and port // 2 not in topology.get("open", [])):
            rings[port, vc, node % stride, node // (stride * dims[port // 2])].append(at)
    return {at: min(ring) for ring in rings.values() if max(ring) - min(ring) < len(ring) for at in ring}


def check_numbering(routes, verdict, per_input, topology):
    model, number = verdict["model"], {name(r): i for i, r in enumerate(verdict["numbering"])}
    group, rings = asked_together(routes, per_input, model), rings_of(number, topology, model)
    if rings and model["ring_entry"] == "packet-bubble" and len({flits(r, w, model) for r in routes
                                                                 for w in r["worms"]}) > 1:
        rings = {}  # packets of several lengths can fill them
    for held, waited in (pair for r in routes for w in r["worms"] for pair in pairs(r, w, per_input, model)):
        within = held != waited and number[held] in rings and rings[number[held]] == rings.get(number[waited])
        if not within and number[held] >= min(number[n] for n in group.get(waited, {waited})):
            raise Wrong(f"{held} is held while {waited} is waited for")


def check_witness(routes, verdict, per_input, _):
    names = {(r["id"], i): list(hop_names(w, per_input)) for r in routes for i, w in enumerate(r["worms"])}
    members = verdict.get("witness", [])
    worms = [(names[m["multicast"], m["worm"]], m) for m in members]
    if not worms or len({(m["multicast"], m["worm"]) for m in members}) != len(members):
        raise Wrong("no worms, or one of them twice")
    for hops, m in worms:
        if not m["waits"]:
            raise Wrong(f"multicast {m['multicast']}, worm {m['worm']} waits for nothing")
        for h in m["waits"]:
            # Under early reuse a tail can have left what lies before the FIFO in which its header stands.
            early = verdict["model"]["vc_reuse"] == "early"
            if h in m["holds"] or (hops[h][0] >= 0 and hops[h][0] not in m["holds"] and not early):
                raise Wrong(f"multicast {m['multicast']}, worm {m['worm']}: hop {h} is held, or not reached")
    if any(members[i]["start_cycle"] < members[i - 1]["start_cycle"] for i in range(1, len(members))):
        raise Wrong("the witness is not in the order of its starts")
    channels = 1 if per_input else verdict["model"]["consumption_channels"]
    there = {resource: channels if resource[0] == "consumption" else 1 for hops, _ in worms
             for _, resource in hops}
    held = collections.Counter(hops[h][1] for hops, m in worms for h in m["holds"] if h >= 0)
    if more := [resource for resource, times in held.items() if times > there[resource]]:
        raise Wrong(f"{more} held more often than there")
    blocked = {resource for resource, times in held.items() if times == there[resource]}
    waits = {hops[h] + (id(hops),) for hops, m in worms for h in m["waits"]}
    for _ in waits if verdict["model"]["allocation"] == "atomic" else ():
        nodes = {(p, worm) for p, resource, worm in waits if resource in blocked}
        blocked |= {resource for hops, _ in worms for p, resource in hops if (p, id(hops)) in nodes}
    if missing := {resource for _, resource, _ in waits} - blocked:
        raise Wrong(f"{missing} not held")


def check_segment(routes, verdicts):
    if routes[0] != verdicts[0] or len(verdicts[1]) != 1:
        raise Wrong(f"{len(verdicts[1])} verdicts, or of another network")
    if routes[0]["family"] == "graph":
        raise Unknown("it judges no graphs")
    verdict = verdicts[1][0]
    if verdict["worms"] != sum(len(r["worms"]) for r in routes[1]):
        raise Wrong(f"a verdict on {verdict['worms']} worms, which are not these")
    if verdict["answer"] not in ("safe", "deadlock"):
        raise Unknown(f"'{verdict['answer']}' carries no evidence")
    check = check_numbering if verdict["answer"] == "safe" else check_witness
    check(routes[1], verdict, verdict["model"]["consumption_channels"] == "per-input", routes[0])


def main():
    routes, verdicts = (list(segments(path)) for path in sys.argv[1:])
    if len(routes) != len(verdicts):
        raise Wrong(f"{len(verdicts)} segments of verdicts on {len(routes)} of routes")
    for number, pair in enumerate(zip(routes, verdicts), 1):
        try:
            check_segment(*pair)
        except Wrong as wrong:
            raise Wrong(f"verdict {number}: {wrong}") from None


try:
    main()
except Wrong as wrong:
    print(f"check_verdict.py: {wrong}", file=sys.stderr)
    sys.exit(1)
except (Unknown, OSError, ValueError, LookupError) as fault:
    print(f"check_verdict.py: {type(fault).__name__}: {fault}", file=sys.stderr)
    sys.exit(2)
