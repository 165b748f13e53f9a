"""An independent simulator of wormhole routing, flit by flit and cycle by cycle: what simulate-wormhole must
answer.

tests/check_simulation.py compares the two. This one is written from the rules alone, those below and
data/FORMAT-reference.md (3.1, 3.4, 3.6, 3.8, 3.9), and has none of the shortcuts of lib/simulation: every
condition is worked out again from the cycles in which flits crossed. Where the two differ, decide by the
rules which of them is wrong. Never make them agree by looking at the engine's code: whatever is read off from
that, this can no longer find.

H is hop_cycles, F flit_cycles, C credit_cycles, B buffer_flits. A link that says H, F or B of itself has its
own; of what is no link, and of all that a node or a router does with a flit, F is the router's.
 1. Every condition uses what crossed in earlier cycles.
 2. A header requests its next channel H cycles after it started to cross the one before; injection and
    consumption take none. The tail's start into a consumption channel is the arrival, on graphs H later; F
    after it all is there.
 3. A slot of a buffer is reusable C cycles after its flit started to leave, in every branch.
 4. A virtual channel is free again C after the tail started to leave its buffer and F after it started to
    cross into it, whichever is later; under early reuse F after it started to cross into it.
 5. In each cycle: releases, grants of injection, consumption and network channels in that order, then moves.
 6. A resource's queue is ordered by request cycle, multicast id, index of the worm, index of the hop.
 7. An injection channel is held from its grant, through startup and overhead, until F after the tail has
    crossed into all that follows.
 8. A worm that never branches takes the consumption channel of a node on its way, then, in the same cycle,
    requests the next channel; both copies move together.
 9. Another asks for all its branches when the header comes. Asynchronous: each is granted and read by itself.
    Lock-step: each is held from its grant, all move together; atomic: all are granted in one cycle or none.
10. On graphs a host's link ends in a buffer at its router; the router's link to the host is its consumption
    channel.
11. Copies made flit by flit (replication): every worm asks for all its branches when the header comes, as an
    asynchronous one; the flit at the head of its buffer, or of the source, goes to each branch when that can
    take it, and the next one comes to the head F after the last of them has begun to.
12. Round robin over inputs (output_arbitration): of those that ask for a channel when it is free, a binary
    tree over the numbers of their inputs takes, from the highest bit down, the half in which somebody asks,
    and where both have somebody the pointer's bit; of one input the first in rule 6's order. The pointer, at
    first 0, then goes to the next input above it that asks, or else to the lowest. Injection channels stay
    first come, first served.
13. Links that virtual channels share pass one flit in F cycles, round robin over those that could move;
    copies that move together need all their links in the same cycle, claimed in the order of channels.
14. Slots that a header needs behind a network channel (ring_entry): packet-bubble, for its worm, flit-bubble,
    one; to enter a ring, from elsewhere than the ring's channel before it with the same virtual channel, as
    many more as its worm has flits. Of those that find theirs the first in rule 6's order is granted.

Words: a *hop* is a channel on a worm's way (injection, host's link, network, consumption); flit i starts to
cross into it in `starts[i]`. A *node* of a worm is the hop by which it comes there, its children those by
which it goes on. """
# SPDX-License-Identifier: MIT
import dataclasses
import math

from oracle.answers import Answers
from oracle.network import Network
from oracle.worms import Hop, Multicast, Resource, parents_of


def through_tree(numbers, pointer):
    """The one of them that a binary tree of arbiters takes (rule 12)."""
    bit = 1 << 30
    while len(numbers) > 1:
        bit //= 2
        halves = [{number for number in numbers if bool(number & bit) == upper} for upper in (False, True)]
        if all(halves):
            numbers = halves[bool(pointer & bit)]
    return min(numbers)


class Simulation:
    """A run; advance() takes it one cycle further."""

    def __init__(self, topology, routes, router):
        self.router = router
        self.network = Network(topology)
        self.cycle = -1
        self.events = {}  # cycle: [(what happens, to what)]
        self.last_move = 0
        self.last_cycle = 0
        self.resources = {}
        # shared links: channel: (cycle from which it is free, virtual channel whose turn it is)
        self.links = {}
        self.multicasts = {}
        for record in routes:
            multicast = self.multicasts[record["id"]] = Multicast(record, router)
            for worm in multicast.worms:
                self.make_hops(worm)
        self.worms = [worm for multicast in self.multicasts.values() for worm in multicast.worms]
        self.answers = Answers(self)
        self.running = []
        for multicast in self.multicasts.values():
            self.make_ready(multicast)
        self.patience = (2 * max(self.network.own.values(), default=0)
                         + sum(value for value in dataclasses.astuple(router) if type(value) is int))

    # What a worm needs.

    def resource(self, kind, units, **name):
        key = (kind, *sorted(name.items()))
        return self.resources.setdefault(key, Resource(kind, name, units))

    def make_hops(self, worm):
        router, network, record = self.router, self.network, worm.record
        root = Hop(worm, self.resource("injection", router.injection_channels, injection=worm.source),
                   None, -2, worm.source, network, router)
        if network.has_host_links:  # rule 10
            root = Hop(worm, self.resource("host_link", 1, host_link=worm.source), root, -1, worm.source,
                       network, router)
        listed = []
        for index, (number, parent) in enumerate(zip(record["hops"], parents_of(record))):
            before = listed[parent] if parent >= 0 else root
            if number >= 0:
                vc = record["vcs"][index] if "vcs" in record else 0
                name = {"channel": number, "vc": vc} if vc else {"channel": number}
                hop = Hop(worm, self.resource("channel", 1, **name), before, index, number, network, router)
                hop.vc = vc
            else:
                hop = Hop(worm, self.consumption(~number, before), before, index, ~number, network, router)
            hop.not_before = record.get("not_before_cycle", {index: 0})[index]
            hop.is_relay = index in record.get("relay_hops", [])
            listed.append(hop)
        for node in worm.hops:
            if worm.is_path:
                node.children.sort(key=Hop.has_buffer)  # consumption first (rule 8)

    def consumption(self, host, before):
        """One queue a host on graphs, and for what it sends itself; else one a node or one for each input."""
        units = self.router.consumption_channels
        if self.network.has_host_links:
            return self.resource("consumption", 1, consumption=host)
        if units or before.kind == "injection":
            return self.resource("consumption", units or 1, consumption=host)
        return self.resource("consumption", 1, consumption=host, **before.resource.name)

    def note(self, cycle):
        """Something was granted, was freed or arrived."""
        self.last_cycle = max(self.last_cycle, cycle)

    # Beginnings.

    def at(self, cycle, action, thing):
        self.events.setdefault(cycle, []).append((action, thing))

    def make_ready(self, multicast):
        """Ready a flit's time after the last of the arrivals at its source that it depends on."""
        arrivals = [self.multicasts[other].arrivals.get(multicast.source)
                    for other in multicast.record.get("depends_on", [])]
        if multicast.ready is None and None not in arrivals:
            multicast.ready = max([multicast.start, *(arrival + self.router.flit_cycles
                                                      for arrival in arrivals)])
            for worm in multicast.worms:
                if worm.after is None:
                    self.begin(worm, multicast.ready)

    def begin(self, worm, cycle):
        if self.router.path_reservation:
            latest = max(hop.not_before for hop in worm.hops)
            for hop in worm.hops:
                self.at(max(cycle, latest), self.enqueue, hop)
        else:
            self.at(cycle, self.enqueue, worm.hops[0])

    # Requests and grants.

    def request(self, hop, not_before):
        if not_before > self.cycle:
            self.at(not_before, self.enqueue, hop)
        else:
            self.enqueue(hop)

    def enqueue(self, hop):
        hop.requested = self.cycle
        hop.resource.queue.append(hop)

    def ask_onwards(self, node):
        """The header stands at a node: a path asks for one channel after the other, others for all (rules 8
        and 9)."""
        if self.router.path_reservation:
            return
        latest = max(child.not_before for child in node.children)
        for child in node.children[:1] if node.worm.is_path else node.children:
            self.request(child, latest if node.worm.is_atomic else child.not_before)

    def grant(self):
        if self.router.path_reservation:
            self.grant_together([worm.hops for worm in self.worms])
            return
        for kinds in (["injection"], ["consumption"], ["host_link", "channel"]):
            for resource in self.resources.values():
                while (resource.kind in kinds and resource.queue and resource.has_unit()
                       and not resource.first().is_one_of_several()):
                    hop = self.next_in_turn(resource)
                    if hop is None:
                        break
                    self.take(hop)
        self.grant_together([node.children for worm in self.running if worm.is_atomic for node in worm.hops
                             if len(node.children) > 1])

    def finds_slots(self, hop):
        """Rule 14."""
        flits, before, ring = hop.worm.flits, hop.parent, self.network.ring_of(hop.target)
        goes_on = (before.kind == "channel" and before.vc == hop.vc
                   and self.network.ring_of(before.target) == ring)
        needed = ((flits if self.router.ring_entry == "packet-bubble" else 1)
                  + (0 if ring is None or goes_on else flits))
        past = self.cycle - self.router.credit_cycles
        return needed + sum(len(other.starts) - other.flits_left(past)
                            for other in hop.resource.granted) <= hop.slots

    def next_in_turn(self, resource):
        if self.router.slots_differ() and resource.kind == "channel":
            return min(filter(self.finds_slots, resource.queue), key=Hop.place, default=None)
        if self.router.output_arbitration == "first-come" or resource.kind == "injection":
            return resource.first()
        asking = {}
        for hop in resource.queue:
            asking.setdefault(self.input_of(hop), []).append(hop)
        chosen = through_tree(set(asking), resource.pointer)
        resource.pointer = min((number for number in asking if number > resource.pointer),
                               default=min(asking))
        return min(asking[chosen], key=Hop.place)

    def input_of(self, hop):
        """Where its worm stands: (port, virtual channel) as one number."""
        before = hop.parent
        if before.kind != "channel":
            return self.network.local_input() * 256
        return self.network.input_of(before.target) * 256 + before.vc

    def grant_together(self, sets):
        """Grants each set of hops of which all stand first and are free."""
        progress = True
        while progress:
            progress = False
            for hops in sets:
                if all(hop.requested is not None and hop.granted is None and self.could_have(hop)
                       for hop in hops):
                    for hop in hops:
                        self.take(hop)
                    progress = True

    @staticmethod
    def could_have(hop):
        return hop.resource.units == 0 or hop.resource.has_unit() and hop.resource.first() is hop

    def take(self, hop):
        worm, resource = hop.worm, hop.resource
        resource.queue.remove(hop)
        resource.holders.append(hop)
        hop.granted = self.cycle
        self.note(self.cycle)
        waited = hop.granted - hop.requested
        if hop.kind == "channel" and self.router.vc_reuse == "early":
            self.line_up(hop)
        if hop.kind == "injection":
            worm.queueing = waited
            self.running.append(worm)
            if worm.startup:
                self.at(self.cycle + worm.startup, self.ask_onwards, hop)
            else:
                self.ask_onwards(hop)
        elif not self.router.path_reservation:
            worm.multicast.blocked += waited
            worm.multicast.contention += waited > 0
            if worm.is_path and hop.kind == "consumption" and len(hop.parent.children) > 1:
                self.request(hop.parent.children[1], hop.parent.children[1].not_before)

    def line_up(self, hop):
        """Early reuse: flits of worms that had the virtual channel before may still be in its FIFO."""
        granted = hop.resource.granted
        gone = self.cycle - max(self.router.credit_cycles, self.router.flit_cycles)
        hop.ahead = [other for other in granted if other.tail_left is None or other.tail_left > gone]
        if hop.ahead:
            hop.ahead[-1].behind = hop
        granted[:] = [*hop.ahead, hop]

    def release(self, hop):
        hop.resource.holders.remove(hop)
        self.note(self.cycle)

    def free(self, hop, cycle):
        hop.freed = cycle
        self.at(cycle, self.release, hop)

    # Moves.

    def can_move(self, node, hops):
        flit = len(hops[0].starts)
        if flit == node.worm.flits or any(hop.granted is None for hop in hops):
            return False
        if flit and any(hop.starts[-1] + hop.flit > self.cycle for hop in hops):
            return False
        if self.router.replication == "per-flit" and flit and not self.has_left(node, flit - 1):
            return False
        return self.has_flit(node, flit) and all(self.has_slot(hop, flit) for hop in hops)

    def has_left(self, node, flit):
        """A flit's time ago the last branch has begun to take it."""
        return all(len(child.starts) > flit and child.starts[flit] + self.router.flit_cycles <= self.cycle
                   for child in node.children)

    def has_flit(self, node, flit):
        if node.kind == "injection":
            return node.granted + node.worm.startup <= self.cycle
        if flit == len(node.starts):
            return False
        return (self.header_routed(node) if flit == 0 else node.starts[flit] + node.delay) <= self.cycle

    def header_routed(self, node):
        """The cycle from which a header asks for what follows (rule 2): H after it started to cross, or when
        it comes to the front of the FIFO, and the time that only headers take; infinite while there is a tail
        before it."""
        return max(node.starts[0] + node.delay, self.front_from(node)) + self.router.routing_cycles

    def front_from(self, node):
        """The cycle from which this worm's flits stand at the front of the FIFO: a flit's time after the tail
        before."""
        if not node.ahead:
            return 0
        return (math.inf if node.ahead[-1].tail_left is None
                else node.ahead[-1].tail_left + self.router.flit_cycles)

    def has_slot(self, hop, flit):
        """A slot is reusable C cycles after its flit started to leave, in every branch (rule 3); nodes return
        credits when FORMAT 3.9 says so, which holds nothing back where a network channel's own take as
        long."""
        router = self.router
        if hop.has_buffer():
            in_buffer = sum(len(other.starts) - other.flits_left(self.cycle - router.credit_cycles)
                            for other in [*hop.ahead, hop])
            return in_buffer < hop.slots
        if router.consumption_cycles and flit >= hop.slots:
            return hop.starts[flit - hop.slots] + router.consumption_cycles <= self.cycle
        return True

    def move(self):
        ready = [(node, hops) for worm in self.running for node, hops in worm.moves()
                 if self.can_move(node, hops)]
        if self.router.shared_links:
            ready = self.claim_links(ready)
        for node, hops in ready:
            self.cross(node, hops)

    def claim_links(self, ready):
        """One flit per flit time and link; copies that move together claim all theirs, lowest channel first
        (rule 13)."""
        won = [(node, hops) for node, hops in ready if not any(hop.kind == "channel" for hop in hops)]
        claims = {}
        for node, hops in ready:
            channels = sorted((hop for hop in hops if hop.kind == "channel"), key=lambda hop: hop.target)
            if channels:
                claims.setdefault(channels[0].target, []).append((node, hops, channels))
        for channel in sorted(claims):
            for node, hops, channels in sorted(claims[channel], key=lambda claim: self.turn(claim[2][0])):
                if all(self.links.get(hop.target, (0, 0))[0] <= self.cycle for hop in channels):
                    won.append((node, hops))
                    for hop in channels:
                        self.links[hop.target] = self.cycle + hop.flit, hop.vc + 1
        return won

    def turn(self, hop):
        if self.router.arbitration == "first-come":
            return hop.granted, hop.worm.multicast.id, hop.worm.index, hop.index
        return hop.vc < self.links.get(hop.target, (0, 0))[1], hop.vc

    def cross(self, node, hops):
        self.last_move = self.cycle
        for hop in hops:
            hop.starts.append(self.cycle)
            if hop.has_buffer():
                self.announce(hop)
            if hop.complete():
                self.tail_in(hop)
        if all(child.complete() for child in node.children):
            self.tail_out(node)

    def announce(self, hop):
        """When it is known when a header will be routed, it is noted."""
        if hop.starts and not hop.announced and self.header_routed(hop) < math.inf:
            hop.announced = True
            self.at(self.header_routed(hop), self.ask_onwards, hop)

    def tail_in(self, hop):
        router = self.router
        if hop.kind == "consumption":
            late = 0 if router.vc_reuse == "early" else router.consumption_cycles
            if not self.answers.keep(hop, self.cycle + max(hop.flit, late)):
                self.free(hop, self.cycle + max(hop.flit, late))
            self.arrive(hop)
        elif hop.kind == "channel" and router.vc_reuse == "early":
            self.free(hop, self.cycle + hop.flit)

    def tail_out(self, node):
        """Rule 4; an injection channel is free a flit's time after its tail (rule 7)."""
        router = self.router
        node.tail_left = self.cycle
        if node.kind == "injection":
            self.free(node, self.cycle + router.flit_cycles)
            self.answers.leave(node.worm, node.freed)
        elif node.freed is None:
            self.free(node, max(self.cycle + router.credit_cycles, node.starts[-1] + node.flit))
        if node.behind:
            self.announce(node.behind)

    def arrive(self, hop):
        """The tail starts to move into a consumption channel; on graphs it arrives when it has come over that
        link."""
        worm, multicast = hop.worm, hop.worm.multicast
        arrival = self.cycle
        if self.network.has_host_links:
            arrival += hop.delay
        self.note(arrival)
        for other in multicast.worms:
            if other.after == worm.index and other.source == hop.target:
                self.begin(other, arrival + self.router.flit_cycles)
        multicast.completed = max(multicast.completed, arrival)
        multicast.awaited -= 1
        if not hop.is_relay:
            multicast.arrivals[hop.target] = arrival
            multicast.last_arrivals.append((arrival, worm))
            for other in self.multicasts.values():
                self.make_ready(other)

    # The run.

    def advance(self, stop=math.inf):
        """Simulates the next cycle; False where all is finished, nothing can move any more or the cycle is
        `stop`."""
        self.running = [worm for worm in self.running if not worm.finished(self.cycle)]
        idle = self.cycle - self.last_move > self.patience
        if self.cycle + 1 >= stop or not self.events and (idle
                                                          or all(worm.finished(self.cycle)
                                                                 for worm in self.worms)):
            return False
        self.cycle += 1
        for action, thing in self.events.pop(self.cycle, []):
            self.last_move = self.cycle
            action(thing)
        self.grant()
        self.move()
        return True

    def run(self):
        while self.advance():
            pass
        return self

    def deliveries(self):
        """The multicasts that are complete, in the order of their records."""
        return sorted((m for m in self.multicasts.values() if m.awaited == 0),
                      key=lambda m: (m.completed, m.id))
