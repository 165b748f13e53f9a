"""Everything that the worms of a stream can do: whether some order of requests leads to a deadlock.

tests/check_verdicts.py compares check-deadlock with this. It is written from the rules alone
(data/pages/simulator.md, and data/FORMAT-reference.md 3.2, 3.4, 3.9), shares nothing with lib/, and is to be
kept so.

A state says how many flits have started to cross into each hop, and which hops have been granted, in which
order. Time is left out: a worm that may start, or a header that may ask, can do so at any moment. Flits move
as far as they can before anything is granted, since what moves only frees slots and channels. What no two
hops can want at once is granted as soon as it is asked for. A state in which nothing can be granted although
a tail has not arrived is a deadlock. Not for atomic allocation, path reservation and allocating routers. """
# SPDX-License-Identifier: MIT
from oracle.network import Network
from oracle.worms import Worm, parents_of


class Multicast:
    """As much of one as a Worm asks for."""

    def __init__(self, record):
        self.record, self.source = record, record["source"]


class Hop:
    """A place of a worm: its injection channel, its host's link, a channel, a consumption channel."""

    def __init__(self, worm, resource, parent):
        self.worm, self.resource, self.parent = worm, resource, parent
        self.flits = worm.flits
        self.kind = resource[0]
        self.target = None  # the channel, or ~ the host
        self.children = []
        self.before = []  # what a path is granted at the same node first
        self.answer = None  # the answer's injection channel, for which a consumption channel is kept
        self.buffered = self.kind in ("link", "channel")
        self.link = {"link": "host_link"}.get(self.kind, self.kind), resource[1]
        if parent:
            parent.children.append(self)


class Exploration:
    def __init__(self, topology, routes, router):
        self.router, self.network = router, Network(topology)
        self.shares, self.per_flit = router.vc_reuse == "early", router.replication == "per-flit"
        self.hops, self.first, self.ready_by, self.comes = [], [], [], {}
        self.worms, self.named = [], {}
        for record in routes:
            multicast = Multicast(record)
            begin = len(self.worms)
            for index, worm in enumerate(record["worms"]):
                self.add(record, index, Worm(multicast, index, worm, router), begin)
        for record in routes:
            if (router.consumption_release == "answered" and record.get("workload", {}).get("answer")
                == "true"):
                starter = next(w for w, worm in enumerate(self.worms) if worm.multicast.record is record
                               and worm.after is None)
                self.comes[record["depends_on"][0], record["source"]].answer = self.first[starter]
        takers = {}
        for index, hop in enumerate(self.hops):
            hop.index = index
            hop.takers = takers.setdefault(hop.resource, [])
            hop.takers.append(hop)
            hop.units = self.units(hop.resource)
        self.await_others(routes)

    def add(self, record, index, worm, begin):
        """Makes a worm's hops, and notes which of its multicast's it comes after."""
        injection = Hop(worm, ("injection", worm.source), None)
        self.first.append(injection)
        self.hops.append(injection)
        root = injection
        if self.network.has_host_links:
            root = Hop(worm, ("link", worm.source), injection)
            self.hops.append(root)
        listed = []
        vcs = worm.record.get("vcs", [0] * len(worm.record["hops"]))
        for place, (number, parent) in enumerate(zip(worm.record["hops"], parents_of(worm.record))):
            before = listed[parent] if parent >= 0 else root
            if number >= 0:
                hop = Hop(worm, ("channel", number, vcs[place]), before)
            else:
                hop = Hop(worm, self.consumption(~number, before), before)
                if place not in worm.record.get("relay_hops", []):
                    self.comes[record["id"], ~number] = hop
            hop.target = number
            listed.append(hop)
        self.hops += listed
        for hop in listed:
            if worm.is_path and hop.buffered:
                hop.before = [other for other in hop.parent.children if other.kind == "consumption"]
        after = worm.after
        self.ready_by.append([] if after is None else [hop for hop in self.hops
                                                       if hop.worm is self.worms[begin + after]
                                                       and hop.kind == "consumption"
                                                       and ~hop.target == worm.source])
        nodes = [injection, *([root] if root is not injection else []), *listed][::-1]
        worm.moved = [(node, group) for node in nodes if node.children
                      for group in ([node.children] if worm.moves_together
                                    else [[child] for child in node.children])]
        self.named[record["id"], index] = worm
        worm.source_hop, worm.listed = root, listed
        self.worms.append(worm)

    def consumption(self, host, before):
        if self.network.has_host_links:
            return "consumption", host, "link"
        if self.router.consumption_channels or before.kind == "injection":
            return "consumption", host
        return "consumption", host, before.resource

    def await_others(self, routes):
        """A worm that nothing in its multicast comes before starts when all have come that this depends
        on."""
        for w, worm in enumerate(self.worms):
            if worm.after is None:
                earlier = worm.multicast.record.get("depends_on", [])
                self.ready_by[w] = [self.comes[multicast, worm.source] for multicast in earlier]
        self.awaits = {id(self.first[w]): hops for w, hops in enumerate(self.ready_by)}

    def units(self, resource):
        """None without a limit."""
        if resource[0] == "injection":
            return self.router.injection_channels or None
        if resource[0] == "consumption" and len(resource) == 2:
            return self.router.consumption_channels or 1
        return 1

    # What is in a state. `crossed` and `rank` are lists by hop; a rank of 0 is no grant.

    def left(self, crossed, hop):
        """Flits that every branch has taken on."""
        return min([crossed[child.index] for child in hop.children] or [crossed[hop.index]])

    def in_front(self, state, hop):
        """No tail stands before this worm in the buffer."""
        crossed, rank = state
        if not self.shares or hop.kind != "channel" or len(hop.takers) == 1:
            return True
        return all(not 0 < rank[other.index] < rank[hop.index] or self.left(crossed, other) == other.flits
                   for other in hop.takers)

    def room(self, state, hop):
        crossed, rank = state
        if not hop.buffered:
            return hop.flits
        others = hop.takers if self.shares and hop.kind == "channel" else [hop]
        slots = self.network.of_hop("buffer_flits", *hop.link, self.router.buffer_flits)
        return slots - sum([crossed[other.index] - self.left(crossed, other) for other in others
                            if rank[other.index]])

    def move(self, state, worm):
        """Flits cross until none can, those of other worms too where they stand in the same buffers."""
        crossed, rank = state
        moves = [move for one in (self.worms if self.shares else [worm]) for move in one.moved]
        progress = True
        while progress:
            progress = False
            for node, group in moves:
                have = crossed[node.index]
                if (crossed[group[0].index] >= have or not all([rank[child.index] for child in group])
                    or not self.in_front(state, node)):
                    continue
                upto = min([have, *[crossed[child.index] + self.room(state, child) for child in group]])
                if self.per_flit:
                    upto = min(upto, self.left(crossed, node) + 1)
                for child in group:
                    if upto > crossed[child.index]:
                        crossed[child.index] = upto
                        progress = True

    def is_held(self, state, hop):
        crossed, rank = state
        if not rank[hop.index]:
            return False
        if hop.kind == "consumption":
            answer = hop.answer
            return crossed[hop.index] < hop.flits or answer is not None and not (
                rank[answer.index] and self.left(crossed, answer) == answer.flits)
        if hop.kind == "channel" and self.router.vc_reuse == "early":
            return crossed[hop.index] < hop.flits
        return self.left(crossed, hop) < hop.flits

    def is_free(self, state, hop):
        return hop.units is None or sum(self.is_held(state, other) for other in hop.takers) < hop.units

    def is_asked(self, state, hop):
        """It has not been granted, and the worm's header can ask for it."""
        crossed, rank = state
        if rank[hop.index]:
            return False
        if hop.parent is None:
            return all(crossed[other.index] == other.flits for other in self.awaits[id(hop)])
        return (rank[hop.parent.index] and crossed[hop.parent.index] > 0 and self.in_front(state, hop.parent)
                and all(rank[other.index] for other in hop.before))

    def grant(self, state, hop):
        crossed, rank = state
        rank[hop.index] = 1 + max(rank[other.index] for other in hop.takers)
        if hop.parent is None:
            crossed[hop.index] = hop.flits

    def settle(self, state, hop):
        """Grants a hop, and then whatever no other can request any more."""
        while hop:
            self.grant(state, hop)
            self.move(state, hop.worm)
            hop = next((hop for hop in self.hops if self.is_asked(state, hop) and self.is_alone(state, hop)
                        and self.is_free(state, hop)), None)
        return tuple(state[0]), tuple(state[1])

    def is_alone(self, state, hop):
        """Every other that takes the same has been granted it."""
        rank = state[1]
        return hop.units is None or not any([not rank[other.index] for other in hop.takers
                                             if other is not hop])

    def what(self, claim, number):
        """The hop that a worm of a witness means by a number."""
        worm = self.named[claim["multicast"], claim["worm"]]
        if number == -2:
            return self.comes[claim["answers"], worm.source]
        return worm.source_hop if number == -1 else worm.listed[number]

    def fits_together(self, witness):
        """Whether what each worm of a witness waits for is held by the others, as they say, and nothing is
        held too often."""
        held = {}
        for claim in witness:
            for number in claim["holds"]:
                hop = self.what(claim, number)
                held.setdefault(hop.resource, []).append(claim)
        waits = [(claim, self.what(claim, number)) for claim in witness for number in claim["waits"]]
        limits = {hop.resource: hop.units for hop in self.hops}
        return bool(waits) and all(limits[resource] is None or len(by) <= limits[resource]
                                   for resource, by in held.items()) and all(
                                       hop.units is not None and sum(by is not claim
                                                                     for by in held.get(hop.resource, []))
                                       >= hop.units for claim, hop in waits)

    def is_finished(self, state):
        return all(state[0][hop.index] == hop.flits for hop in self.hops)

    def deadlocks(self, limit):
        """True or False; None where there are more states than the limit."""
        nothing = [0] * len(self.hops)
        start = tuple(nothing), tuple(nothing)
        seen, unseen = {start}, [start]
        while unseen:
            if len(seen) > limit:
                return None
            state = unseen.pop()
            asked = [hop for hop in self.hops if self.is_asked(state, hop) and self.is_free(state, hop)]
            for hop in asked:
                following = self.settle((list(state[0]), list(state[1])), hop)
                if following not in seen:
                    seen.add(following)
                    unseen.append(following)
            if not asked and not self.is_finished(state):
                return True
        return False
