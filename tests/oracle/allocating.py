"""Routers that allocate virtual channels and the crossbar by iSLIP, cycle by cycle: what simulate-wormhole
--vc-allocation islip must answer.

tests/check_allocating.py compares the two. This one is written from data/FORMAT-reference.md alone (3.9,
"Allocating routers", whose six steps are the six methods of a cycle here), and has none of the shortcuts of
lib/simulation/allocating: every router looks at everything in every cycle. Where the two differ, decide by
the text which of them is wrong.

Words: a *lane* is a virtual channel of a link, with what its sender knows (who has it, credits) and the FIFO
at its end. A *branch* is a way on of a worm: a channel of its route or a consumption. Nodes of a worm are the
branches by which it comes there; the first is its injection. Of a worm that routers route the branches are
found when its header asks. """
# SPDX-License-Identifier: MIT
import bisect
import collections
import dataclasses

from oracle.candidates import ON_THE_WAY, Relation, needed
from oracle.network import Network
from oracle.router import Router as Parameters
from oracle.worms import parents_of


@dataclasses.dataclass
class Allocating(Parameters):
    vc_allocation: str = "as-routed"
    vc_selection: str = "preferred"
    vc_allocation_cycles: int = 1


class Link:
    """Injection, channel or consumption; `lanes`, its virtual channels."""

    def __init__(self, kind, name, lanes, flits, hop_cycles):
        self.kind, self.name, self.hop_cycles = kind, name, hop_cycles
        self.flits = flits  # that each lane has slots for
        self.lanes = [Lane(self, vc, flits) for vc in range(lanes)]


class Lane:
    def __init__(self, link, vc, credits):
        self.link, self.vc, self.credits = link, vc, credits
        self.owner = None  # the branch that has it
        self.fifo = []  # [flit]
        self.tail_left = -1  # the cycle in which the last tail left the FIFO

    def __repr__(self):
        return f"{self.link.kind} {self.link.name}.{self.vc}"


class Flit:
    def __init__(self, node, number, came):
        self.node, self.number, self.came = node, number, came
        self.taken = set()  # branches


class Branch:
    def __init__(self, worm, kind, target, index):
        self.worm, self.kind, self.target, self.index = worm, kind, target, index
        self.children = []
        self.vc_class = self.not_before = 0
        self.is_relay = False
        self.asked = self.granted = self.lane = self.arrival = None
        self.ways = None  # of a worm that routers route: candidates; then the state on arrival
        self.state, self.stop, self.is_open = None, 0, False


class Worm:
    def __init__(self, multicast, index, record, router):
        self.multicast, self.index, self.record = multicast, index, record
        self.source = record.get("source", multicast.source)
        self.after = record.get("after")
        self.flits = multicast.record["length_flits"] + record.get("header_flits", router.header_flits)
        self.startup = router.startup_cycles if self.after is None else router.relay_startup_cycles
        self.ready = self.begun = self.taken = None
        self.sent = 0
        self.root = Branch(self, "injection", self.source, -1)
        self.branches = []
        self.stops = None if "hops" in record else record["stops"]
        if self.stops:
            self.root.is_open = True
            return
        for index_of_hop, (hop, parent) in enumerate(zip(record["hops"], parents_of(record))):
            branch = Branch(self, "channel" if hop >= 0 else "consumption", hop if hop >= 0 else ~hop,
                            index_of_hop)
            branch.vc_class = record.get("vcs", {}) and record["vcs"][index_of_hop]
            branch.vc_class = branch.vc_class or 0
            branch.not_before = (record["not_before_cycle"][index_of_hop] if "not_before_cycle" in record
                                 else 0)
            branch.is_relay = index_of_hop in record.get("relay_hops", [])
            (self.branches[parent] if parent >= 0 else self.root).children.append(branch)
            self.branches.append(branch)

    def complete(self):
        if self.stops:
            return sum(branch.arrival is not None for branch in self.branches) == len(self.stops)
        return all(branch.arrival is not None for branch in self.branches if branch.kind == "consumption")


class Multicast:
    def __init__(self, record, router):
        self.record, self.id, self.source = record, record["id"], record["source"]
        self.is_ready = False
        self.worms = [Worm(self, index, worm, router) for index, worm in enumerate(record["worms"])]
        self.arrivals = {}  # at destinations
        self.blocked = self.contention = 0
        self.events = collections.Counter()

    def complete(self):
        return all(worm.complete() for worm in self.worms)

    def queueing(self):
        return sum(worm.taken - worm.ready for worm in self.worms if worm.taken is not None)


class Node:
    """A router: its links and the pointers of its arbiters."""

    def __init__(self):
        self.number = None
        self.inputs, self.outputs = [], []
        self.input_lane_pointer = collections.Counter()  # by input lane
        self.output_lane_pointer = collections.Counter()
        self.input_pointer = collections.Counter()  # by input link: an output
        self.output_pointer = collections.Counter()
        # by input link: the virtual channel behind the one that sent last
        self.sent_last = collections.Counter()


def first_from(numbers, pointer):
    """The first of them, counted from the pointer and round."""
    return min(numbers, key=lambda number: (number < pointer, number))


class Simulation:
    def __init__(self, topology, routes, router, stuck_pointer=False):
        self.router, self.topology = router, topology
        self.network = Network(topology)
        self.stuck_pointer = stuck_pointer  # the control: output lanes' pointers do not move
        self.cycle = -1
        self.multicasts = {record["id"]: Multicast(record, router) for record in routes}
        self.worms = [worm for multicast in self.multicasts.values() for worm in multicast.worms]
        limit = topology.get("virtual_channels", 0)
        self.lanes = limit or max([1, *(needed(record.get("routing"), topology) or 1
                                        for record in routes), *(1 + max(worm["vcs"]) for record in routes
                                                                 for worm in record["worms"]
                                                                 if "vcs" in worm)])
        self.relations = {name: Relation(name, topology, self.network)
                          for name in {record.get("routing") for record in routes} & set(ON_THE_WAY)}
        self.arriving = collections.defaultdict(list)  # cycle: [(lane, flit)]
        self.returning = collections.defaultdict(list)  # cycle: [(lane, whether it was a tail's)]
        self.waiting = collections.defaultdict(list)  # by host: worms
        self.sending = {}  # by injection link: a worm
        self.injection_pointer = collections.Counter()
        self.last_action = 0
        self.make_links()
        for multicast in self.multicasts.values():
            self.make_ready(multicast)

    # Links.

    def make_links(self):
        router, network = self.router, self.network
        self.nodes = collections.defaultdict(Node)
        self.channels, self.injections, self.consumptions = {}, collections.defaultdict(list), {}
        for channel, (start, end) in sorted(network.ends.items()):
            link = Link("channel", channel, self.lanes, *self.of_hop("channel", channel))
            self.channels[channel] = link
            self.nodes[end].inputs.append(link)
            self.nodes[start].outputs.append(link)
        for host, at in enumerate(network.router_of):
            node = self.nodes[at]
            many = 1 if network.has_host_links else router.injection_channels or self.ports()
            for number in range(many):
                flits, hop_cycles = self.of_hop("host_link", host)
                link = Link("injection", (host, number), self.lanes, flits, hop_cycles
                            if network.has_host_links else 0)
                self.injections[host].append(link)
                node.inputs.append(link)
        for number, node in self.nodes.items():
            node.number = number
        for host, at in enumerate(network.router_of):
            node = self.nodes[at]
            many = 1 if network.has_host_links else router.consumption_channels or len(node.inputs)
            flits, hop_cycles = self.of_hop("consumption", host)
            self.consumptions[host] = [Link("consumption", (host, number), self.lanes, flits, hop_cycles
                                            if network.has_host_links else 0) for number in range(many)]
            node.outputs += self.consumptions[host]

    def of_hop(self, kind, target):
        """Slots and hop cycles of a link."""
        return [self.network.of_hop(what, kind, target, getattr(self.router, what))
                for what in ("buffer_flits", "hop_cycles")]

    def ports(self):
        """Of a router; of a graph's router with most links."""
        return self.network.local_input()

    # Worms that can start.

    def make_ready(self, multicast):
        arrivals = [self.multicasts[other].arrivals.get(multicast.source)
                    for other in multicast.record.get("depends_on", [])]
        if not multicast.is_ready and None not in arrivals:
            multicast.is_ready = True
            start = max([multicast.record["start_cycle"], *(arrival + 1 for arrival in arrivals)])
            for worm in multicast.worms:
                if worm.after is None:
                    self.begin(worm, start)

    def begin(self, worm, cycle):
        worm.ready = cycle + self.router.overhead_cycles
        bisect.insort(self.waiting[worm.source], worm, key=lambda other: (
            other.ready, other.multicast.id, other.index))

    # A cycle.

    def advance(self):
        self.cycle += 1
        self.arrive()
        self.inject()
        for node in self.nodes.values():
            self.allocate(node)
        for node in self.nodes.values():
            self.cross(node)

    def acted(self):
        self.last_action = self.cycle

    def arrive(self):
        """Step 1."""
        for lane, flit in self.arriving.pop(self.cycle, []):
            flit.came = self.cycle
            lane.fifo.append(flit)
            self.acted()
        for lane, what in self.returning.pop(self.cycle, []):
            self.acted()
            if what == "credit":
                lane.credits += 1
            else:
                lane.owner = None

    def inject(self):
        """Step 2."""
        for host, links in self.injections.items():
            for link in links:
                if (link not in self.sending and self.waiting[host]
                    and self.waiting[host][0].ready <= self.cycle):
                    worm = self.sending[link] = self.waiting[host].pop(0)
                    worm.taken = self.cycle
                    self.acted()
            for link in links:
                if link in self.sending:
                    self.send(link, self.sending[link])

    def send(self, link, worm):
        if self.cycle < worm.taken + worm.startup:
            self.acted()
            return
        if worm.root.lane is None:
            free = [lane.vc for lane in link.lanes if lane.owner is None and lane.credits > 0]
            if not free:
                return
            worm.root.lane = link.lanes[first_from(free, self.injection_pointer[link])]
            worm.root.lane.owner = worm.root
            self.injection_pointer[link] = (worm.root.lane.vc + 1) % self.lanes
        if worm.root.lane.credits == 0:
            return
        self.put(worm.root, worm.sent)
        worm.sent += 1
        if worm.sent == worm.flits:
            del self.sending[link]

    def put(self, branch, number):
        """A flit starts to move into the lane of a branch."""
        self.acted()
        lane, router = branch.lane, self.router
        tail = number == branch.worm.flits - 1
        counts, leaves_router = branch.worm.multicast.events, lane.link.kind != "injection"
        counts["buffer_writes"] += lane.link.kind != "consumption"
        counts["link_traversals"] += lane.link.kind == "channel" or self.network.has_host_links
        for event in ("buffer_reads", "crossbar_traversals", "switch_allocations"):
            counts[event] += leaves_router
        counts["vc_allocations"] += leaves_router and number == 0
        if lane.link.kind == "consumption":
            if router.consumption_cycles:
                lane.credits -= 1
                self.returning[self.cycle + router.consumption_cycles].append((lane, "credit"))
            if tail:
                late = 1 if router.vc_reuse == "early" else max(1, router.consumption_cycles)
                self.returning[self.cycle + late].append((lane, "free"))
                self.consumed(branch)
            return
        lane.credits -= 1
        flit = Flit(branch, number, None)
        if lane.link.hop_cycles:
            self.arriving[self.cycle + lane.link.hop_cycles].append((lane, flit))
        else:
            flit.came = self.cycle
            lane.fifo.append(flit)
        if tail and router.vc_reuse == "early":
            self.returning[self.cycle + 1].append((lane, "free"))

    def consumed(self, branch):
        worm, multicast = branch.worm, branch.worm.multicast
        branch.arrival = arrival = self.cycle + branch.lane.link.hop_cycles
        for other in multicast.worms:
            if other.after == worm.index and other.source == branch.target:
                self.begin(other, arrival + 1)
        if not branch.is_relay:
            multicast.arrivals[branch.target] = arrival
            for other in self.multicasts.values():
                self.make_ready(other)

    # Steps 3 and 4.

    def may_take(self, branch, input_number):
        """[(preference, lanes)], one for each candidate, that a branch may take."""
        if branch.ways:
            return [(preference, [self.channels[channel].lanes[vc] for vc in vcs])
                    for preference, channel, vcs, _ in branch.ways]
        return [(0, lanes) for lanes in self.groups(branch, input_number)]

    def groups(self, branch, input_number):
        if branch.kind == "consumption":
            links = self.consumptions[branch.target]
            if not self.network.has_host_links and not self.router.consumption_channels:
                links = [links[input_number]]
            return [link.lanes for link in links]
        share = needed(branch.worm.multicast.record.get("routing"), self.topology)
        lanes = self.channels[branch.target].lanes
        if share is None:
            return [[lanes[branch.vc_class]]]
        vcs = self.network.own.get(("virtual_channels", branch.target), self.lanes)
        return [lanes[branch.vc_class * vcs // share:(branch.vc_class + 1) * vcs // share]]

    def open(self, at, branch):
        """A header that routers route asks where it is: the branches of what came by `branch`."""
        worm, router_of = branch.worm, self.network.router_of
        branch.is_open = False
        stop, children = branch.stop, []
        while stop < len(worm.stops) and router_of[worm.stops[stop]] == at:
            children.append(Branch(worm, "consumption", worm.stops[stop], None))
            stop += 1
        if stop < len(worm.stops):
            to, relation = router_of[worm.stops[stop]], self.relations[worm.multicast.record["routing"]]
            child = Branch(worm, "channel", None, None)
            child.stop, child.is_open = stop, True
            choices = None
            if branch.kind == "injection":
                branch.state = relation.start(worm.record)
                choices = relation.at_once(at, worm.record, to)
            forced = branch.kind == "injection" and "first_port" in worm.record
            if choices:
                child.ways = [min(choices, key=lambda choice: self.queued(choice[0][1]) * choice[1])[0]]
            else:
                child.ways = relation.at_source(at, worm.record["first_port"],
                                                to) if forced else relation.candidates(at, branch.state, to)
            children.append(child)
        branch.children += children
        worm.branches += children

    def queued(self, channel):
        """Slots at its end that its sender has no credit for."""
        return sum(lane.link.flits - lane.credits for lane in self.channels[channel].lanes)

    def asks_from(self, lane):
        """The cycle from which the header at the head of this FIFO asks; None where there is none."""
        if not lane.fifo or lane.fifo[0].number != 0:
            return None
        return max(lane.fifo[0].came, lane.tail_left + 1) + self.router.routing_cycles

    def headers(self, node):
        """[(input, lane, branch)] of every branch that asks, branches in order."""
        for number, link in enumerate(node.inputs):
            for lane in link.lanes:
                begins = self.asks_from(lane)
                if begins is not None:
                    if lane.fifo[0].node.is_open and begins <= self.cycle:
                        self.open(node.number, lane.fifo[0].node)
                    for branch in lane.fifo[0].node.children:
                        if branch.granted is None and max(begins, branch.not_before) <= self.cycle:
                            yield number, lane, branch

    def asked_for(self, branch, number):
        groups = [(preference, [lane for lane in group if lane.owner is None])
                  for preference, group in self.may_take(branch, number)]
        groups = [(preference, group) for preference, group in groups if group]
        least = min((preference for preference, _ in groups), default=0)
        groups = [group for preference, group in groups if preference == least
                  or self.router.vc_selection == "any"]
        if self.router.vc_selection == "preferred" and groups:
            worth = [sum(lane.credits + 1 for lane in group) for group in groups]
            groups = [group for group, is_worth in zip(groups, worth) if is_worth == max(worth)]
        return [lane for group in groups for lane in group]

    def allocate(self, node):
        count = self.lanes
        place = {link: number for number, link in enumerate(node.outputs)}
        asking = collections.defaultdict(set)  # output lane: input lanes
        wants, where = {}, {}
        for number, lane, branch in self.headers(node):
            if branch.asked is None:
                branch.asked = self.cycle
            wanted = {place[out.link] * count + out.vc: out for out in self.asked_for(branch, number)}
            wants.setdefault(number * count + lane.vc, []).append((branch, wanted))
            for out, output_lane in wanted.items():
                asking[out].add(number * count + lane.vc)
                where[out] = output_lane
        offered = collections.defaultdict(set)
        for out, inputs in asking.items():
            offered[first_from(inputs, node.output_lane_pointer[out])].add(out)
        total_in, total_out = len(node.inputs) * count, len(node.outputs) * count
        for number in sorted(offered):
            pointer = node.input_lane_pointer[number]
            for branch, wanted in wants[number]:
                offers = offered[number] & wanted.keys()
                if offers:
                    out = first_from(offers, pointer)
                    offered[number].discard(out)
                    node.input_lane_pointer[number] = (out + 1) % total_out
                    if not self.stuck_pointer:
                        node.output_lane_pointer[out] = (number + 1) % total_in
                    self.grant(branch, where[out])

    def grant(self, branch, lane):
        self.acted()
        branch.granted, branch.lane, lane.owner = self.cycle, lane, branch
        if branch.ways:
            branch.target = lane.link.name
            branch.state = next(state for _, channel, vcs, state in branch.ways if channel == branch.target
                                and lane.vc in vcs)
        multicast = branch.worm.multicast
        multicast.blocked += self.cycle - branch.asked
        multicast.contention += self.cycle > branch.asked

    # Steps 5 and 6.

    def can_take(self, branch, flit):
        if (branch in flit.taken or branch.granted is None or branch.granted
            + self.router.vc_allocation_cycles > self.cycle):
            return False
        return (branch.lane.link.kind == "consumption" and not self.router.consumption_cycles
                or branch.lane.credits > 0)

    def cross(self, node):
        place = {link: number for number, link in enumerate(node.outputs)}
        competing = {}  # (input, output): {virtual channel: branch}
        for number, link in enumerate(node.inputs):
            for lane in link.lanes:
                if lane.fifo:
                    for branch in lane.fifo[0].node.children:
                        if self.can_take(branch, lane.fifo[0]):
                            lanes = competing.setdefault((number, place[branch.lane.link]), {})
                            if lane.vc not in lanes or branch.granted < lanes[lane.vc].granted:
                                lanes[lane.vc] = branch
        chosen = {}  # output: {input: virtual channel}
        for (number, out), lanes in competing.items():
            chosen.setdefault(out, {})[number] = first_from(lanes, node.sent_last[number])
        offered = collections.defaultdict(dict)  # input: {output: virtual channel}
        for out, inputs in chosen.items():
            number = first_from(inputs, node.output_pointer[out])
            offered[number][out] = inputs[number]
        for number, offers in offered.items():
            first = first_from(offers, node.input_pointer[number])
            vc = offers[first]
            node.input_pointer[number] = (first + 1) % len(node.outputs)
            node.sent_last[number] = (vc + 1) % self.lanes
            lane = node.inputs[number].lanes[vc]
            for out in sorted(out for out, other in offers.items() if other == vc):
                node.output_pointer[out] = (number + 1) % len(node.inputs)
                self.take(lane, competing[number, out][vc])

    def take(self, lane, branch):
        flit, router = lane.fifo[0], self.router
        flit.taken.add(branch)
        self.put(branch, flit.number)
        if len(flit.taken) == len(flit.node.children):
            lane.fifo.pop(0)
            late = router.credit_cycles
            if lane.link.kind == "channel":
                late = max(1, late + lane.link.hop_cycles - router.hop_cycles)
            if lane.link.kind == "injection" and not self.network.has_host_links:
                late += router.hop_cycles - 1
            self.returning[self.cycle + late].append((lane, "credit"))
            if flit.number == branch.worm.flits - 1:
                lane.tail_left = self.cycle
                if router.vc_reuse == "drained":
                    self.returning[self.cycle + late].append((lane, "free"))

    # The run.

    def finished(self):
        return all(worm.complete() for worm in self.worms)

    def more_may_happen(self):
        """Something is on its way, or was a while ago, or has its time yet to come."""
        later = [worm.ready for queue in self.waiting.values() for worm in queue]
        later += [max(asks, branch.not_before) for node in self.nodes.values() for link in node.inputs
                  for lane in link.lanes for asks in [self.asks_from(lane)] if asks is not None
                  for branch in lane.fifo[0].node.children]
        patience = 2 * (self.router.vc_allocation_cycles + self.router.credit_cycles + self.router.hop_cycles
                        + 2)
        return bool(self.arriving or self.returning or self.cycle - self.last_action <= patience
                    or any(cycle > self.cycle for cycle in later))

    def run(self, stop=None):
        """To the end, or to after the moves of a cycle."""
        while not self.finished() and self.more_may_happen() and (stop is None or self.cycle < stop):
            self.advance()
        return self

    # Standstills.

    def asking(self):
        """{branch: the lanes that it may take} of all that ask and have none."""
        found = {}
        for node in self.nodes.values():
            for number, _, branch in self.headers(node):
                found[branch] = [lane for _, group in self.may_take(branch, number) for lane in group]
        return found

    def stuck(self):
        """{worm: the worms that it waits for} of those that can never go on: the greatest set of the text.

        Begin with all that ask; find how far flits can get if none of these is ever granted, and everything
        else is; take out what may then take a lane that another releases, and repeat."""
        branches = self.asking()
        while True:
            held, fifos = self.drained(branches)
            live = [branch for branch, lanes in branches.items() if not all(lane in held for lane in lanes)]
            if not live:
                break
            for branch in live:
                del branches[branch]
        waits = collections.defaultdict(set)
        for branch, lanes in branches.items():
            waits[branch.worm].update(lane.owner.worm for lane in lanes)
        for lane, fifo in fifos.items():  # behind a tail that never leaves
            nodes = list(dict.fromkeys([*(node for node, _, _ in fifo), *(
                [lane.owner] if fifo and lane.owner else [])]))
            for before, behind in zip(nodes, nodes[1:]):
                waits[behind.worm].add(before.worm)
        return waits

    def drained(self, stuck):
        """(lanes never released, {lane: what stays in its FIFO}) if these branches are never granted and all
        others have what they want."""
        fifos = {lane: [(flit.node, flit.number, set(flit.taken)) for flit in lane.fifo]
                 for node in self.nodes.values() for link in node.inputs for lane in link.lanes}
        for arrivals in [self.arriving[cycle] for cycle in sorted(self.arriving)]:
            for lane, flit in arrivals:
                fifos[lane].append((flit.node, flit.number, set()))
        freed = {lane for events in self.returning.values() for lane, what in events if what == "free"}
        held = {lane for node in self.nodes.values() for link in node.inputs + node.outputs
                for lane in link.lanes if lane.owner} - freed
        still = {worm: worm.sent for worm in self.sending.values() if worm.root.lane}
        early = self.router.vc_reuse == "early"
        progress = True
        while progress:
            progress = False
            for worm, sent in list(still.items()):
                if sent < worm.flits and len(fifos[worm.root.lane]) < worm.root.lane.link.flits:
                    fifos[worm.root.lane].append((worm.root, sent, set()))
                    still[worm] += 1
                    progress = True
                    if early and sent + 1 == worm.flits:
                        held.discard(worm.root.lane)
            for lane, fifo in fifos.items():
                if not fifo:
                    continue
                at, number, taken = fifo[0]
                last = number == at.worm.flits - 1
                for branch in at.children:
                    if branch in taken or branch in stuck:
                        continue
                    if branch.lane and branch.kind == "channel":
                        if len(fifos[branch.lane]) == branch.lane.link.flits:
                            continue
                        fifos[branch.lane].append((branch, number, set()))
                    if branch.lane and last and (early or branch.kind == "consumption"):
                        held.discard(branch.lane)
                    taken.add(branch)
                    progress = True
                if len(taken) == len(at.children):
                    fifo.pop(0)
                    progress = True
                    if last and not early:
                        held.discard(lane)
        return held, fifos
