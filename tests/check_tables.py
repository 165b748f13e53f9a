#!/usr/bin/env python3
# Verdicts on small random forwarding tables against every message followed here, and every choice of levels.
# SPDX-License-Identifier: MIT
"""Draw tables with pairs that do not arrive, forwarding loops, multicast trees, SL2VL tables and levels of
which some are not stated, and end with "N passed, N failed".

  check_tables.py [--bin DIR]

This program shares nothing with the tools. It follows each message at each level that it may have. Then
`safe` needs no cycle of all dependencies; `loop` one for every choice of the levels that are not stated; and
`unknown` says which message of its cycle lacks one, where neither what is there at every level closes a cycle
nor some message does with that at each of its levels. Counts, numberings and cycles are held against the
dependencies; check-deadlock --verify accepts each verdict, and refuses the contrary. Where it is not safe,
--change service-levels leaves the entries as they are, and no cycle of what is followed by its levels; or it
is refused, and what goes to one host or group closes a cycle by itself. WORMCAST_LONG=1 draws ten times as
many. """
import copy
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from check_opensm import contrary, has_cycle
from tally import Tally, bin_option

DRAWN = 4000 if os.environ.get("WORMCAST_LONG") else 400
DROPPED, LEVELS, MOST_CHOICES = 15, range(16), 5000


class Drawn:
    """A network of 2 to 4 switches with its tables; hops are numbered as in records."""

    def __init__(self, seed):
        self.draw = draw = random.Random(seed)
        self.routers = draw.randint(2, 4)
        self.hosts = sorted([*range(self.routers), *(draw.randrange(self.routers)
                                                     for _ in range(draw.randint(0, 2)))])
        self.hosts = self.hosts[draw.randint(0, 1):]
        ends = [(draw.randrange(r), r) for r in range(1, self.routers)]
        while draw.random() < 0.6:
            ends.append(tuple(draw.sample(range(self.routers), 2)))
        self.links, self.tables = ends, [{} for _ in range(self.routers)]
        self.out = [[~h for h, r in enumerate(self.hosts) if r == router]
                    + [2 * k + way for k, link in enumerate(ends) for way in (0, 1) if link[way] == router]
                    for router in range(self.routers)]
        self.next = {}
        wrong = draw.choice([0, 0.1, 0.4])
        for to, home in enumerate(self.hosts):
            for router in range(self.routers):
                hop = ~to if router == home else self.towards(router, home)
                if draw.random() < wrong:
                    hop = draw.choice([None, *(one for one in self.out[router] if one >= 0)])
                if hop is not None:
                    self.next[router, to] = hop
        self.groups = {f"g{i}": self.tree() for i in range(draw.choice([0, 0, 1, 2]))}
        self.lanes, self.levels, self.group_level = None, {}, {}
        if draw.random() < 0.75:
            self.draw_lanes()

    def towards(self, router, home):
        """A shortest way, ties at random, now and then any way round a ring."""
        far, order = {home: 0}, [home]
        for at in order:
            for a, b in self.links:
                for one, other in ((a, b), (b, a)):
                    if one == at and other not in far:
                        far[other] = far[at] + 1
                        order.append(other)
        return self.draw.choice([hop for hop in self.out[router] if hop >= 0
                                 and far[self.end(hop)] < far[router]])

    def end(self, hop):
        return self.links[hop // 2][1 - hop % 2]

    def tree(self):
        """Links by switch, of both ends or, now and then, of one; circles too."""
        links = {}
        for k, ends in enumerate(self.links):
            for way in (0, 1) if self.draw.random() < 0.6 else ():
                if self.draw.random() < 0.95:
                    links.setdefault(ends[way], set()).add(2 * k + way)
        for host, router in enumerate(self.hosts):
            if self.draw.random() < 0.6:
                links.setdefault(router, set()).add(~host)
        return links

    def draw_lanes(self):
        draw, lanes = self.draw, self.draw.randint(1, 3)
        kinds = [lambda: [draw.randrange(lanes)] * 16, lambda: [(level + draw.randint(0, 0)) % lanes
                                                                for level in LEVELS], lambda: [
                                                                    level // 8 % lanes for level in LEVELS],
                 lambda: [draw.randrange(lanes) for _ in LEVELS],
                 lambda: [DROPPED] * 15 + [draw.randrange(lanes)]]
        usual = [draw.choice(kinds) for _ in range(2)]
        rows = [kind() for kind in usual]
        drop = draw.choice([0, 0, 0.05])
        self.lanes = {}
        for router in range(self.routers):
            for came, left in itertools.product(self.out[router], repeat=2):
                if draw.random() < 0.97:
                    row = draw.choice(rows) if draw.random() < 0.9 else draw.choice(usual)()
                    self.lanes[came, left] = [DROPPED if draw.random() < drop else lane for lane in row]
        stated = draw.choice([0, 0.5, 0.9, 1])
        for pair in itertools.permutations(range(len(self.hosts)), 2):
            if draw.random() < stated:
                self.levels[pair] = draw.randrange(16)
        self.group_level = {name: draw.randrange(16) for name in self.groups if draw.random() < stated}

    def records(self):
        yield {"kind": "topology", "format": 1, "family": "graph", "routers": self.routers,
               "hosts": self.hosts, "links": [{"ends": list(ends)} for ends in self.links]}
        for router in range(self.routers):
            record, by_hop = {"kind": "tables", "router": router}, {}
            for to in range(len(self.hosts)):
                if (router, to) in self.next:
                    by_hop.setdefault(self.next[router, to], []).append(to)
            record["unicast"] = [{"hop": hop, "destinations": to} for hop, to in by_hop.items()]
            record["multicast"] = [{"group": name, "hops": sorted(links[router])}
                                   | ({"service_level": self.group_level[name]} if name in self.group_level
                                      else {}) for name, links in self.groups.items() if router in links]
            record["sl2vl"] = [{"in": [came], "out": [left], "vcs": row}
                               for (came, left), row in (self.lanes or {}).items()
                               if came in self.out[router]]
            record["service_levels"] = [{"level": level, "sources": [source], "destinations": [to]}
                                        for (source, to), level in self.levels.items()
                                        if self.hosts[source] == router]
            yield {key: value for key, value in record.items() if value != []}
        yield {"kind": "end"}

    def lane(self, came, left, level):
        """Of a link to a host it is all the same."""
        if self.lanes is None:
            return 0
        lane = self.lanes.get((came, left), [DROPPED] * 16)[level]
        return lane if left >= 0 or lane == DROPPED else 0

    def route(self, source, to, level):
        """Its dependencies, and whether it arrives. A resource is (hop, lane), of a host's link ("from",
        host)."""
        edges, held, came, router = set(), ("from", source), ~source, self.hosts[source]
        while (router, to) in self.next:
            left = self.next[router, to]
            lane = self.lane(came, left, level)
            if lane == DROPPED or (held, (left, lane)) in edges:
                break
            edges.add((held, (left, lane)))
            if left < 0:
                return edges, True
            held, came, router = (left, lane), left ^ 1, self.end(left)
        return edges, False

    def tree_edges(self, links, level):
        edges = set()
        open_ = [(router, hop, ("from", ~hop)) for router, hops in links.items() for hop in hops if hop < 0]
        for router, came, held in open_:
            for left in links.get(router, set()) - {came}:
                lane = self.lane(came, left, level)
                if lane == DROPPED or (held, (left, lane)) in edges:
                    continue
                edges.add((held, (left, lane)))
                if left >= 0:
                    open_.append((self.end(left), left ^ 1, (left, lane)))
        return edges

    def messages(self):
        """Name: the dependencies at each level that it may have; and the pairs that arrive at one of them."""
        found, arrive = {}, set()
        for pair in itertools.permutations(range(len(self.hosts)), 2):
            levels = [self.levels[pair]] if pair in self.levels else LEVELS if self.lanes else [0]
            routes = [self.route(*pair, level) for level in levels]
            found[pair] = [edges for edges, _ in routes]
            arrive |= {pair} if any(arrives for _, arrives in routes) else set()
        for name, links in self.groups.items():
            levels = [self.group_level[name]] if name in self.group_level else LEVELS if self.lanes else [0]
            found[name] = [self.tree_edges(links, level) for level in levels]
        return found, arrive


class Ring(Drawn):
    """A ring of 3 to 6 switches with a host each; what goes to a host goes one way round, or on from anywhere
    by the nearer."""

    def __init__(self, seed):
        self.draw = draw = random.Random(seed)
        count = self.routers = draw.randint(3, 6)
        self.hosts, self.links = list(range(count)), [(at, (at + 1) % count) for at in range(count)]
        self.next = {(at, at): ~at for at in range(count)}
        for to in range(count):
            split = draw.choice([0, count // 2, count - 1])  # so many come from behind
            self.next |= {((to - back) % count, to): 2 * ((to - back) % count) if back <= split
                          else 2 * ((to - back - 1) % count) + 1 for back in range(1, count)}
        self.groups, self.lanes, self.levels, self.group_level = {}, None, {}, {}
        if draw.random() < 0.5:  # a line around all but one link
            self.groups = {"g": {at: {~at} | ({2 * at} if at < count - 1 else set())
                                 | ({2 * at - 1} if at else set()) for at in range(count)}}


class Wide(Drawn):
    """40 switches with a host each, routed by shortest ways: levels by destination would be many."""

    def __init__(self, seed):
        self.draw = draw = random.Random(seed)
        self.routers, self.hosts = 40, list(range(40))
        self.links = ([(draw.randrange(r), r) for r in range(1, 40)]
                      + [tuple(draw.sample(range(40), 2)) for _ in range(60)])
        self.out = [[2 * k + way for k, link in enumerate(self.links) for way in (0, 1) if link[way] == at]
                    for at in range(40)]
        self.next = {(at, to): ~to if at == to else self.towards(at, to) for at in range(40)
                     for to in range(40)}
        self.groups, self.lanes, self.levels, self.group_level = {}, None, {}, {}


def union(sets):
    return set().union(*sets)


def closes_alone(certain, ways):
    return len(ways) > 1 and all(has_cycle(certain | edges) for edges in ways)


def always_loops(messages, certain):
    """Whether every choice of levels closes a cycle; None where there are too many."""
    ways = [{frozenset(edges) for edges in one} for one in messages.values()]
    ways = [one for one in ways if len(one) > 1]
    choices = 1
    for one in ways:
        choices *= len(one)
    if choices > MOST_CHOICES:
        return None
    return all(has_cycle(certain | union(choice)) for choice in itertools.product(*ways))


def resource(said):
    if "host_link" in said:
        return "from", said["host_link"]
    return (~said["consumption"], 0) if "consumption" in said else (said["channel"], said.get("vc", 0))


def check_case(name, drawn, verdict, tally):
    messages, arrive = drawn.messages()
    certain = union(set.intersection(*ways) for ways in messages.values())
    edges, answer = union(union(ways) for ways in messages.values()), verdict["answer"]
    hosts = len(drawn.hosts)
    tally.same(f"{name}: pairs", (len(arrive), hosts * (hosts - 1) - len(arrive)),
               (verdict["worms"], verdict.get("unrouted_pairs", 0)))
    tally.same(f"{name}: dependencies", len(edges), verdict["dependencies"])
    if not has_cycle(edges):
        nothing = not arrive and not any(union(messages[group]) for group in drawn.groups)
        tally.same(f"{name}: answer", "unknown" if nothing else "safe", answer)
        if answer == "safe":
            place = {resource(one): i for i, one in enumerate(verdict["numbering"])}
            tally.check(all(place[a] < place[b] for a, b in edges), f"{name}: the numbering is out of order")
        return
    cycle = [(resource(one["held"]), resource(one["waited_for"]))
             for one in verdict.get("dependency_cycle", [])]
    tally.check(set(cycle) <= edges and has_cycle(set(cycle)), f"{name}: {answer} with no cycle")
    sure = has_cycle(certain) or any(closes_alone(certain, ways) for ways in messages.values())
    tally.same(f"{name}: answer", "loop" if sure else "unknown", answer)
    always = always_loops(messages, certain)
    tally.check(answer != "loop" or always in (True, None), f"{name}: loop, but not for all levels")
    if answer == "unknown":
        said = re.search(r"in the cycle: (\d+) to (\d+)\)", verdict["limit"])
        group = re.search(r"in the cycle: (\w+)\)", verdict["limit"])
        which = (int(said[1]), int(said[2])) if said else group[1] if group else None
        of_it = union(messages.get(which, [set()])) & set(cycle) - certain
        tally.check(len(messages.get(which, [])) > 1 and of_it, f"{name}: {verdict['limit']}")
    return answer if always is None else f"{answer}, {'always' if always else 'not always'}"


def run(bin_dir, *words, stdin):
    return subprocess.run([bin_dir / words[0], *words[1:]], input=stdin, capture_output=True, text=True,
                          check=False)


def with_levels(drawn, records):
    """The drawn tables with the lanes and levels of these records."""
    changed = copy.copy(drawn)
    changed.next, changed.groups, changed.lanes, changed.levels, changed.group_level = {}, {
        name: {} for name in drawn.groups}, {}, {}, {}
    for record in records:
        router = record.get("router")
        changed.next |= {(router, to): one["hop"] for one in record.get("unicast", [])
                         for to in one["destinations"]}
        for one in record.get("multicast", []):
            changed.groups[one["group"]][router] = set(one["hops"])
            changed.group_level[one["group"]] = one["service_level"]
        for one in record.get("sl2vl", []):
            changed.lanes |= {turn: one["vcs"] for turn in itertools.product(one["in"], one["out"])}
        for one in record.get("service_levels", []):
            changed.levels |= {pair: one["level"] for pair in itertools.product(
                one["sources"], one["destinations"])}
    return changed


def check_change(name, drawn, bin_dir, tally):
    made = run(bin_dir, "check-deadlock", "--change", "service-levels", stdin=as_text(drawn.records()))
    if made.returncode == 0:
        changed = with_levels(drawn, [json.loads(line) for line in made.stdout.splitlines()])
        tally.same(f"{name}: entries", (drawn.next, drawn.groups), (changed.next, changed.groups))
        tally.check(not has_cycle(union(union(ways) for ways in changed.messages()[0].values())),
                    f"{name}: a cycle by levels")
        tally.check(set(changed.levels) >= set(itertools.permutations(range(len(drawn.hosts)), 2)),
                    f"{name}: pairs without a level")
        split = any(len({level for (_, to), level in changed.levels.items() if to == host}) > 1
                    for host in range(len(drawn.hosts)))
        return "split" if split else len(set(changed.levels.values()) | set(changed.group_level.values()))
    plain = copy.copy(drawn)
    plain.lanes = None
    ways = [union(plain.route(source, to, 0)[0] for source in range(len(drawn.hosts)) if source != to)
            for to in range(len(drawn.hosts))]
    ways += [{(one, other) for links in group.values() for one in links if one >= 0
              for other in group.get(drawn.end(one), ()) if other >= 0 and other != one ^ 1}
             for group in drawn.groups.values()]
    tally.check(any(map(has_cycle, ways)), f"{name}: {made.stderr}")
    return 0


def as_text(records):
    return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)


def check_verified(bin_dir, tables, records, tally):
    """The verdicts themselves, then those that say the contrary, each of which is refused."""
    open_, spoilt = 0, []
    for record in records:
        open_ += (record["kind"] == "verdict" and record["answer"] == "unknown"
                  and "dependency_cycle" not in record)
        turned = record["kind"] == "verdict" and "dependency_list" in record and record["answer"] != "unknown"
        spoilt.append(contrary(record) if turned else record)
    verified = run(bin_dir, "check-deadlock", "--verify", "-", tables, stdin=as_text(records))
    tally.same("honest verdicts left open", open_, len(re.findall("^check-deadlock: verdict .* is left open$",
                                                                  verified.stderr, re.M)))
    tally.same("honest verdicts refused", "", re.sub("(?m)^check-deadlock: verdict .* is left open\n", "",
                                                     verified.stderr))
    refused = run(bin_dir, "check-deadlock", "--verify", "-", tables, stdin=as_text(spoilt))
    numbers = {int(number) for number in re.findall("(?m)^check-deadlock: verdict ([0-9]+): ",
                                                    refused.stderr)}
    turned = [i for i, (one, other) in enumerate(zip(*([record for record in some
                                                        if record["kind"] == "verdict"]
                                                       for some in (records, spoilt))), 1)
              if one["answer"] != other["answer"]]
    tally.same("contrary verdicts that pass", [], [number for number in turned if number not in numbers])


def main():
    bin_dir, tally = bin_option(__doc__), Tally()
    cases = ([Drawn(seed) for seed in range(DRAWN)] + [Ring(seed) for seed in range(DRAWN // 4)]
             + [Wide(seed) for seed in range(3)])
    stream = as_text(record for drawn in cases for record in drawn.records())
    checked = run(bin_dir, "check-deadlock", "--list-dependencies", stdin=stream)
    records = [json.loads(line) for line in checked.stdout.splitlines()]
    verdicts = [record for record in records if record["kind"] == "verdict"]
    tally.same("verdicts", len(cases), len(verdicts))
    kinds, levels = {}, {}
    for seed, (drawn, verdict) in enumerate(zip(cases, verdicts)):
        kind = check_case(f"case {seed}", drawn, verdict, tally)
        kinds[kind] = kinds.get(kind, 0) + 1
        if verdict["answer"] != "safe" and "dependency_cycle" in verdict:
            count = check_change(f"case {seed}", drawn, bin_dir, tally)
            levels[count] = levels.get(count, 0) + 1
    print(", ".join(f"{kind or 'no cycle'}: {count}" for kind, count in sorted(kinds.items(), key=str)),
          file=sys.stderr)
    tally.check({0, 2, "split"} <= set(levels) and min(levels.values()) > 2, f"levels: {levels}")
    tally.check(len(kinds) > 3 and min(kinds.values()) > 2, f"drawn: {kinds}")
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as tables:
        tables.write(stream)
        tables.flush()
        check_verified(bin_dir, tables.name, records, tally)
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
