"""Worms, the channels on their way and what they queue for (data/FORMAT-reference.md 3.4), for simulation.py,
whose first lines say more."""
# SPDX-License-Identifier: MIT
import bisect


class Resource:
    """What worms hold and queue for: a virtual channel, or the units of an injection or consumption queue."""

    def __init__(self, kind, name, units):
        self.kind = kind
        self.name = name  # as FORMAT 3.9 names it
        self.units = units  # 0: no limit
        self.holders = []
        self.queue = []
        self.granted = []  # network channels: every hop, in the order of the grants
        self.pointer = 0  # round robin: an input

    def has_unit(self):
        return self.units == 0 or len(self.holders) < self.units

    def first(self):
        return min(self.queue, key=Hop.place)


class Hop:
    """A channel on a worm's way."""

    def __init__(self, worm, resource, parent, index, target, network, router):
        self.worm = worm
        self.resource = resource
        self.kind = resource.kind
        self.parent = parent
        self.children = []
        self.index = index  # in the routes; -1 for a host's link, -2 for the injection channel
        self.target = target  # the channel, or the host
        self.vc = 0
        self.delay, self.flit, self.slots = (  # H, F and B of this link
            network.of_hop(what, self.kind, target, getattr(router, what))
            for what in ("hop_cycles", "flit_cycles", "buffer_flits"))
        self.not_before = 0
        self.is_relay = False
        self.requested = self.granted = self.freed = None  # the cycles
        self.starts = []  # the cycle in which each flit starts to cross into it
        self.tail_left = None  # the cycle in which the tail starts to leave it in the last of its branches
        # early reuse: hops granted the same virtual channel before, which may still be in its FIFO
        self.ahead = []
        self.behind = None
        self.announced = False
        if parent:
            parent.children.append(self)
        worm.hops.append(self)

    def place(self):
        """Its place in a queue (rule 6)."""
        return self.requested, self.worm.multicast.id, self.worm.index, self.index

    def has_buffer(self):
        return self.kind in ("channel", "host_link")

    def complete(self):
        return len(self.starts) == self.worm.flits

    def flits_left(self, cycle):
        """How many flits have started to leave it by this cycle, in every branch."""
        return min(bisect.bisect_right(child.starts, cycle) for child in self.children)

    def is_one_of_several(self):
        """Whether atomic allocation grants it only together with its siblings."""
        return self.worm.is_atomic and self.parent is not None and len(self.parent.children) > 1


def parents_of(record):
    if "hop_parents" in record:
        return record["hop_parents"]
    parents, last = [], -1
    for index, hop in enumerate(record["hops"]):
        parents.append(last)
        last = index if hop >= 0 else last
    return parents


def never_branches(record, parents):
    """At most one channel and one consumption channel follow each hop; one that says how it is copied
    branches."""
    ways = [(parent, hop >= 0) for parent, hop in zip(parents, record["hops"])]
    return "replication" not in record and len(set(ways)) == len(ways)


class Worm:
    """A worm of a multicast; its hops are made by the simulation, which knows the resources."""

    def __init__(self, multicast, index, record, router):
        self.multicast = multicast
        self.index = index
        self.record = record
        self.source = record.get("source", multicast.source)
        self.after = record.get("after")
        self.flits = multicast.record["length_flits"] + record.get("header_flits", router.header_flits)
        per_flit = router.replication == "per-flit"
        self.is_path = never_branches(record, parents_of(record)) and not per_flit
        self.moves_together = self.is_path or record.get("replication") == "lock-step" and not per_flit
        self.is_atomic = self.moves_together and not self.is_path and router.allocation == "atomic"
        self.startup = (router.startup_cycles if self.after is None
                        else router.relay_startup_cycles) + router.overhead_cycles
        self.hops = []
        self.queueing = 0

    def finished(self, cycle):
        return all(hop.freed is not None and hop.freed <= cycle for hop in self.hops)

    def moves(self):
        """(node, the children that a flit moves to at once)."""
        for node in self.hops:
            if self.moves_together:
                yield from [(node, node.children)] if node.children else []
            else:
                yield from ((node, [child]) for child in node.children)


class Multicast:
    def __init__(self, record, router):
        self.record = record
        self.id = record["id"]
        self.source = record["source"]
        self.start = record["start_cycle"]
        self.ready = None
        self.worms = [Worm(self, index, worm, router) for index, worm in enumerate(record["worms"])]
        self.awaited = sum(hop < 0 for worm in record["worms"] for hop in worm["hops"])
        self.arrivals = {}  # at destinations
        self.last_arrivals = []  # (cycle, worm) at destinations
        self.completed = 0  # the last arrival, at relays too; of a multicast whose `awaited` is 0
        self.blocked = self.contention = 0

    def queueing(self):
        return sum(worm.queueing for worm in self.worms)

    def latency(self):
        return max(self.arrivals.values()) - self.start
