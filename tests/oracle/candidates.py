"""What routers offer worms that they route (data/FORMAT-reference.md 3.4): for oracle/allocating.py.

Every function is stated as its paper states it, where lib/routing/adaptive computes: turn models by the turns
that they forbid and a search for a way that is left, the others by distances from a breadth-first search. A
candidate is (preference, channel, virtual channels, state on arrival). """
# SPDX-License-Identifier: MIT
import collections
import functools
import math

TURN_MODELS = ("west-first", "north-last", "negative-first", "odd-even")
ESCAPES = ("minimal-adaptive", "minimal-adaptive-return")
ON_THE_WAY = (*TURN_MODELS, *ESCAPES, "fully-adaptive", "label-adaptive", "booksim-min-adapt",
              "up-down-adaptive", "dragonfly-ugal", "given")


def labels_of(topology):
    """By node: the reflected snake, or the reflected Gray code."""
    if topology["family"] == "hypercube":
        codes = [number ^ number >> 1 for number in range(2 ** topology["dimensions"])]
        return {code: number for number, code in enumerate(codes)}
    dims = topology["dims"]
    order = [[]]
    for size in dims:
        order = [[*lower, at] for at in range(size) for lower in (order if at % 2 == 0 else reversed(order))]
    return {sum(at * math.prod(dims[:d]) for d, at in enumerate(place)): label
            for label, place in enumerate(order)}


class Relation:
    """One routing function on one network. `vcs`: virtual channels of a channel that it can use."""

    def __init__(self, name, topology, network):
        self.name, self.topology, self.network = name, topology, network
        self.vcs = topology.get("virtual_channels", 0) or needed(name, topology)
        self.out = collections.defaultdict(list)  # by router: [(channel, router)]
        for channel, (start, end) in sorted(network.ends.items()):
            self.out[start].append((channel, end))
        self.hops_to = functools.lru_cache(None)(self.hops_to)
        if name == "label-adaptive":
            self.labels = labels_of(topology)
        if name == "up-down-adaptive":
            self.levels = self.levels_from(topology.get("root", 0))
            self.legal_rest = functools.lru_cache(None)(self.legal_rest)
        if name == "dragonfly-ugal":
            self.routers = int(topology["generator"]["group-routers"])
            # by (group, other group): its channels, by their links' numbers
            self.bridges = collections.defaultdict(list)
            for channel, (start, end) in sorted(network.ends.items()):
                groups = start // self.routers, end // self.routers
                if groups[0] != groups[1]:
                    self.bridges[groups].append(channel)
        if name == "given":
            self.rules = rules_of(topology["relation"])

    def hops_to(self, to, may=lambda start, end: True):
        """{router: hops to that router} by channels that may be taken."""
        hops, waiting = {to: 0}, collections.deque([to])
        while waiting:
            at = waiting.popleft()
            for start, end in self.network.ends.values():
                if end == at and start not in hops and may(start, end):
                    hops[start] = hops[at] + 1
                    waiting.append(start)
        return hops

    def closer(self, at, to):
        hops = self.hops_to(to)
        return [(channel, end) for channel, end in self.out[at] if hops[end] == hops[at] - 1]

    def way(self, channel):
        """(dimension, whether down) of a grid's channel; of a hypercube's what the bit turns into."""
        if self.topology["family"] == "hypercube":
            start, _ = self.network.ends[channel]
            dimension = channel % self.topology["dimensions"]
            return dimension, start >> dimension & 1 == 1
        dimension, down = divmod(channel % (2 * len(self.topology["dims"])), 2)
        return dimension, down == 1

    def may_turn(self, before, after, at):
        """Whether the turn model allows that turn at that router; ways as way() says them."""
        if before is None or before == after:
            return True
        west, east, north = (0, True), (0, False), (1, False)
        if self.name == "west-first":
            return after != west
        if self.name == "north-last":
            return before != north
        if self.name == "negative-first":
            return before[1] or not after[1]
        even = at % self.topology["dims"][0] % 2 == 0
        return before != east if even else after != west

    @functools.lru_cache(None)
    def can_arrive(self, at, before, to):
        return at == to or bool(self.turns(at, before, to))

    @functools.lru_cache(None)
    def turns(self, at, before, to):
        """[(channel, way)] of the minimal hops that are allowed and behind which some minimal way is left."""
        return [(channel, self.way(channel)) for channel, end in self.closer(at, to)
                if self.may_turn(before, self.way(channel), at)
                and self.can_arrive(end, self.way(channel), to)]

    def first_correction(self, at, to):
        """The channel of dimension order, of both ways round a ring the shorter one or else that up."""
        return min(self.closer(at, to), key=lambda hop: self.way(hop[0]))

    def escape_lane(self, channel, to):
        """On rings virtual channel 0 while the wrap link is ahead, else 1."""
        dimension, down = self.way(channel)
        if self.topology["family"] != "torus":
            return 0
        stride, size = math.prod(self.topology["dims"][:dimension]), self.topology["dims"][dimension]
        here, there = (node // stride % size for node in (self.network.ends[channel][0], to))
        return 0 if (here < there if down else here > there) else 1

    def levels_from(self, root):
        levels, waiting = {root: 0}, collections.deque([root])
        while waiting:
            at = waiting.popleft()
            for _, end in self.out[at]:
                if end not in levels:
                    levels[end] = levels[at] + 1
                    waiting.append(end)
        return levels

    def goes_up(self, start, end):
        return (self.levels[end], end) < (self.levels[start], start)

    def legal_rest(self, to):
        """{(router, whether it has gone down): hops of a shortest way to that router on which no up follows a
        down}"""
        rest = {(to, False): 0, (to, True): 0}
        waiting = collections.deque(rest)
        while waiting:
            at, down = waiting.popleft()
            for start, end in self.network.ends.values():
                if end != at or self.goes_up(start, end) == down:
                    continue
                for before in (False, True) if down else (False,):
                    if (start, before) not in rest:
                        rest[start, before] = rest[at, down] + 1
                        waiting.append((start, before))
        return rest

    def legal_hops(self, at, down, to):
        """[(channel, whether the worm has gone down behind it)]"""
        rest = self.legal_rest(to)
        hops = [(channel, end, not self.goes_up(at, end)) for channel, end in self.out[at]]
        return [(channel, falls) for channel, end, falls in hops if (falls or not down)
                and rest.get((end, falls)) == rest[at, down] - 1]

    def booksim_hops(self, at, state, to):
        """Dimension order on any virtual channel of some, and an escape by the same that it never leaves;
        ties of rings by the class."""
        downs, escaped, passed = state
        rings = self.topology["family"] == "torus"
        if not rings:
            channel, _ = self.first_correction(at, to)
            found = [] if escaped else [(0, channel, range(1, self.own_vcs(channel)), state)]
            return [*found, (1, channel, range(1), (downs, True, False))]
        dims = self.topology["dims"]
        places = [(at // math.prod(dims[:d]) % size, to // math.prod(dims[:d]) % size)
                  for d, size in enumerate(dims)]
        d = next(d for d, (here, there) in enumerate(places) if here != there)
        (here, there), size = places[d], dims[d]
        twice = 2 * ((there - here) % size)
        port = at * 2 * len(dims) + 2 * d
        found = [] if escaped else [(0, port + (twice >= size), range(3, 4), state)]
        down = twice > size or (twice == size and bool(downs >> d & 1))
        edge = 0 if down else size - 1  # the wrap link leads on from there
        crosses = passed or (here < there if down else here > there)
        arrives = (here + (-1 if down else 1)) % size == there
        lane = 1 if crosses != down else 0
        return [*found, (1, port + down, range(lane, lane + 1),
                         (downs, True, not arrives and (passed or here == edge)))]

    def group_hop(self, at, state, to):
        """By (bridges to come, how many are behind): [(channel, bridges passed)]; the rest of the way is
        within groups."""
        bridges, passed = state
        if bridges:
            start, _ = self.network.ends[bridges[0]]
            if start == at:
                return [(bridges[0], (bridges[1:], passed + 1))]
            to = start
        return [(channel, state) for channel, end in self.out[at] if end == to]

    def group_ways(self, at, vc_class, to):
        """The states of the ways among which UGAL's source decides: the minimal one, and what was drawn."""
        here, there = at // self.routers, to // self.routers
        if here == there:
            return [((), 0)]
        many = len(self.bridges[here, there])
        by, first, second = vc_class // many**2, vc_class // many % many, vc_class % many
        if by == there:
            return [((self.bridges[here, there][first],), 0)]
        return [((self.bridges[here, there][second],), 0), ((self.bridges[here, by][first],
                                                             self.bridges[by, there][second]), 0)]

    def length(self, at, state, to):
        hops = 0
        while at != to:
            (channel, state), = self.group_hop(at, state, to)
            at, hops = self.network.ends[channel][1], hops + 1
        return hops

    def at_once(self, at, record, to):
        """[(candidate, hops of its way)], of which the source keeps one at once; nothing where it keeps them
        all."""
        if self.name != "dragonfly-ugal":
            return None
        ways = self.group_ways(at, record.get("class", 0), to)
        return [(self.candidates(at, way, to)[0], self.length(at, way, to)) for way in ways]

    def start(self, record):
        """The state in which a worm leaves its source."""
        return (record.get("class", 0), False, False) if self.name == "booksim-min-adapt" else None

    def own_vcs(self, channel):
        return self.network.own.get(("virtual_channels", channel), self.vcs)

    def share(self, channel, vc_class, classes):
        """Equal shares of all that a channel has."""
        return range(vc_class * self.own_vcs(channel) // classes,
                     (vc_class + 1) * self.own_vcs(channel) // classes)

    def candidates(self, at, state, to):
        if self.name in TURN_MODELS:
            return [(0, channel, range(self.own_vcs(channel)), way)
                    for channel, way in self.turns(at, state, to)]
        if self.name in ESCAPES:
            channel, _ = self.first_correction(at, to)
            free = needed(self.name, self.topology) - 1
            found = [] if state == "escape" else [(0, way, range(free, self.own_vcs(way)), state)
                                                  for way, _ in self.closer(at, to)]
            return [*found, (1, channel, [self.escape_lane(channel, to)], "escape"
                             if self.name == "minimal-adaptive" else state)]
        if self.name == "booksim-min-adapt":
            return self.booksim_hops(at, state, to)
        if self.name == "dragonfly-ugal":
            passed, classes = state[1], needed(self.name, self.topology)
            return [(0, channel, self.share(channel, passed, max(classes, 1)), after)
                    for channel, after in self.group_hop(at, state, to)]
        if self.name == "up-down-adaptive":
            return [(0, channel, range(self.own_vcs(channel)), falls)
                    for channel, falls in self.legal_hops(at, bool(state), to)]
        if self.name == "fully-adaptive":
            return [(0, channel, range(self.own_vcs(channel)), None) for channel, _ in self.closer(at, to)]
        if self.name == "given":
            takes = self.rules.get((at, to, state)) or self.rules[at, to, "others"]
            return [(preference, lanes["channel"], [vc], (lanes["channel"], vc))
                    for preference, lanes in enumerate(takes) for vc in lanes.get(
                        "vcs", range(self.topology["relation"].get("virtual_channels", 1)))]
        up = self.labels[to] > self.labels[at]
        hops = self.monotone(to, up)
        return [(0, channel, range(self.own_vcs(channel)), None) for channel, end in self.out[at]
                if hops.get(end) == hops[at] - 1 and (self.labels[end] > self.labels[at]) == up]

    @functools.lru_cache(None)
    def monotone(self, to, up):
        return self.hops_to(to, lambda start, end: self.labels[start] < self.labels[end] if up
                            else self.labels[start] > self.labels[end])

    def at_source(self, at, port, to):
        """The candidates that leave by a port that the plan forces, or that port's channel."""
        ports = self.topology.get("dimensions") or 2 * len(self.topology["dims"])
        channel = at * ports + port
        found = [way for way in self.candidates(at, None, to) if way[1] == channel]
        return found or [(0, channel, range(self.own_vcs(channel)), None)]


def rules_of(relation):
    """{(router, destination, how a header came): what it is offered}; it came by (channel, virtual channel),
    from None or "others"."""
    rules = {}
    for rule in relation["rules"]:
        came = [None] if rule.get("starts") else []
        for lanes in rule.get("from", []):
            came += [(lanes["channel"], vc) for vc in lanes.get("vcs",
                                                                range(relation.get("virtual_channels", 1)))]
        for to in rule["to"]:
            for one in came or ["others"]:
                rules[rule["router"], to, one] = rule["take"]
    return rules


def needed(routing, topology):
    """How many virtual channels, and so classes, a routing function has (None: no such function)."""
    limit = topology.get("virtual_channels", 0)
    rings = 2 if topology["family"] == "torus" else 1
    if routing in ("two-network", "one-way", "one-way-swapped"):
        return 2
    if routing in ("hc", "o1turn", "valiant", "romm") and rings == 1:
        return 1 if limit == 1 else 2
    if routing in ESCAPES:
        return rings + 1
    if routing == "booksim-min-adapt":
        return 2 * rings
    if routing in ("dragonfly-minimal", "dragonfly-valiant", "dragonfly-ugal"):
        return 1 if limit == 1 else 2 if routing == "dragonfly-minimal" else 3
    if routing in ("dimension-order", "yx", "either-way") and rings == 2:
        return 1 if limit == 1 else 2
    if routing == "torus-ring":
        return min(limit, 4) if limit else 4
    if routing == "given":
        return topology["relation"].get("virtual_channels", 1)
    return None if routing is None else 1
