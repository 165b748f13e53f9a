"""Everything that routes with programs can do, one flit, one grant or one step at a time.

tests/check_programs.py compares check-deadlock with this. It is written from the rules alone
(data/FORMAT-reference.md 3.4 and what it says of programs), shares nothing with lib/, and is to be kept so.

A state has the counters, where each process is and how many flits it still receives, and of each packet
under way how many flits have crossed into each hop. All interleavings are tried; nothing is left out but
states seen before. For drained reuse, consumption channels per input, and hosts that send as many packets at
once as they have processes. """
# SPDX-License-Identifier: MIT
import collections
import functools

from oracle.network import Network
from oracle.worms import never_branches, parents_of

SOURCE = -1


class Flow:
    """The hops of a flow, the link from its host first where hosts have links. Of a hop: what is held, the
    slots of its buffer, or the host in place of a buffer, and the hops after each, the source included."""

    def __init__(self, record, network, buffer_flits):
        self.id, self.source, self.flits = record["id"], record["source"], record["length_flits"]
        self.resources, self.slots, self.hosts, self.after = [], [], [], {SOURCE: []}
        worm = record["worms"][0]
        if network.has_host_links:
            self.add(("from host", self.source),
                     network.of_hop("buffer_flits", "host_link", self.source, buffer_flits), None, SOURCE)
        first = len(self.resources)
        parents = parents_of(worm)
        for number, parent, vc in zip(worm["hops"], parents, worm.get("vcs", [0] * len(parents))):
            before = parent + first
            if number >= 0:
                self.add(("channel", number, vc),
                         network.of_hop("buffer_flits", "channel", number, buffer_flits), None, before)
            elif network.has_host_links:
                self.add(("to host", ~number), None, ~number, before)
            else:
                self.add(("to host", ~number, self.resources[before]), None, ~number, before)
        path = never_branches(worm, parents)
        self.together = path or worm.get("replication") == "lock-step"
        self.consumed_first = path

    def add(self, resource, slots, host, before):
        self.after[before].append(len(self.resources))
        if slots is not None:
            self.after[len(self.resources)] = []
        self.resources.append(resource)
        self.slots.append(slots)
        self.hosts.append(host)

    def groups(self):
        """(hop, hops after it into which a flit crosses at once)."""
        for hop, after in self.after.items():
            yield from [(hop, after)] if self.together else [(hop, [one]) for one in after]


class Process:
    """Its steps in a row, and where it goes on behind the last: nowhere unless it has a loop for ever."""

    def __init__(self, record):
        self.host, self.steps, self.loop = record.get("host"), [], None
        self.name = record["name"]
        self.lay_out(record["steps"])

    def lay_out(self, steps):
        for step in steps:
            if step.get("repeat") == "forever":
                self.loop = len(self.steps)
            for _ in range(1 if step.get("repeat", "forever") == "forever" else step["repeat"]):
                if "repeat" in step:
                    self.lay_out(step["steps"])
                else:
                    self.steps.append(step)

    def following(self, at):
        return self.loop if at + 1 == len(self.steps) and self.loop is not None else at + 1

    def at(self, place):
        """The step, or nothing behind the last one."""
        return self.steps[place] if place < len(self.steps) else {}


class Programs:
    def __init__(self, topology, routes, program, buffer_flits):
        network = Network(topology)
        self.has_host_links = network.has_host_links
        self.flows = [Flow(record, network, buffer_flits) for record in routes]
        self.number = {flow.id: number for number, flow in enumerate(self.flows)}
        self.processes = [Process(record) for record in program["processes"]]
        self.counters = program.get("counters", [])
        self.counter = {one["name"]: number for number, one in enumerate(self.counters)}
        self.alone = functools.lru_cache(None)(self.alone)
        self.came = {}  # the state before each state seen, and what happened

    # A packet is (flow, flits, the process that sends it or -1, of each hop 0 or 1 + flits that crossed into
    # it: 0 until it is granted).

    def alone(self, packet):
        """(what it holds, [(resource, the packet when granted)], [(the packet after a move, hosts that it
        enters)])."""
        number, flits, process, crossed = packet
        flow = self.flows[number]
        held, grants, moves = set(), [], []
        for hop, resource in enumerate(flow.resources):
            if crossed[hop] and min(crossed[one] for one in flow.after.get(hop, [hop])) <= flits:
                held.add(resource)  # its tail has not left
        for hop, after in flow.after.items():
            has_header = hop == SOURCE or crossed[hop] > 1
            for one in after if has_header else []:
                earlier = [other for other in after if flow.hosts[other] is not None and other != one]
                ready = (not flow.consumed_first or flow.hosts[one] is not None
                         or all(crossed[other] for other in earlier))
                if not crossed[one] and ready:
                    grants.append((flow.resources[one], self.changed(packet, [one])))
        for hop, group in flow.groups():
            here = flits if hop == SOURCE else crossed[hop] - 1
            if not group or not all(crossed[one] for one in group) or here <= crossed[group[0]] - 1:
                continue
            if all(self.has_slot(flow, crossed, one) for one in group):
                moves.append((self.changed(packet, group),
                              [flow.hosts[one] for one in group if flow.hosts[one] is not None],
                              crossed[group[0]] == flits))
        return held, grants, moves

    def has_slot(self, flow, crossed, hop):
        slots = flow.slots[hop]
        return slots is None or crossed[hop] - min(crossed[one] or 1 for one in flow.after[hop]) < slots

    def changed(self, packet, hops):
        number, flits, process, crossed = packet
        crossed = tuple(have + (hop in hops) for hop, have in enumerate(crossed))
        return number, flits, process, crossed

    def has_left(self, packet):
        number, flits, _, crossed = packet
        return all(crossed[hop] > flits for hop in self.flows[number].after[SOURCE])

    def enter(self, process, place, places, packets):
        """A process comes to this step: a receive opens its window, a send has its packet under way."""
        step = self.processes[process].at(place)
        places[process] = place, step.get("receive", 0)
        if "send" in step:
            number = self.number[step["send"]]
            flow = self.flows[number]
            packets.append((number, step.get("flits", flow.flits), process, (0,) * len(flow.resources)))

    def window(self, host, flow, places):
        """The process that takes the flits of a flow at a host now; None if there is none."""
        for number, (place, left) in enumerate(places):
            process = self.processes[number]
            if process.host == host and left and process.at(place).get("from", flow.id) == flow.id:
                return number
        return None

    def start(self):
        places, packets = [None] * len(self.processes), []
        for process in range(len(self.processes)):
            self.enter(process, 0, places, packets)
        return tuple(one["start"] for one in self.counters), tuple(places), tuple(sorted(packets))

    def after_move(self, state, index, packet, hosts, is_tail):
        """The state after a flit has crossed; None where a host has no window for it."""
        counters, places, packets = state
        places, packets = list(places), list(packets)
        del packets[index]
        flow = self.flows[packet[0]]
        for host in hosts:
            taker = self.window(host, flow, places)
            if taker is None:
                return None
            place, left = places[taker]
            places[taker] = place, left - 1
            if left == 1 or is_tail and "until" in self.processes[taker].at(place):
                self.enter(taker, self.processes[taker].following(place), places, packets)
        sender = packet[2]
        if sender >= 0 and self.has_left(packet):
            packet = packet[0], packet[1], -1, packet[3]
            self.enter(sender, self.processes[sender].following(places[sender][0]), places, packets)
        if min(packet[3]) <= packet[1]:
            packets.append(packet)
        return counters, tuple(places), tuple(sorted(packets))

    def following(self, state):
        """(the state after each thing that can happen, what happened)."""
        counters, places, packets = state
        alone = [self.alone(packet) for packet in packets]
        held = set().union(*[one[0] for one in alone])
        for index, (_, grants, moves) in enumerate(alone):
            others = packets[:index] + packets[index + 1:]
            for resource, packet in grants:
                if resource not in held:
                    yield (counters, places, tuple(sorted(others + (packet,)))), ("grant", packet, resource)
            for packet, hosts, is_tail in moves:
                moved = self.after_move(state, index, packet, hosts, is_tail)
                if moved:
                    takers = {self.window(host, self.flows[packet[0]], places) for host in hosts}
                    sender = packet[2] if self.has_left(packet) else -1
                    yield moved, ("flit", packet, takers | {sender})
        for number, (place, _) in enumerate(places):
            step = self.processes[number].at(place)
            after = self.counted(step, counters)
            if after is not None:
                process, changed, more = self.processes[number], list(places), list(packets)
                self.enter(number, process.following(place), changed, more)
                yield (after, tuple(changed), tuple(sorted(more))), ("step", number, step)

    def counted(self, step, counters):
        """The counters after this step of a process; None if it cannot be done."""
        if "compute" in step:
            return counters
        if "take" not in step and "give" not in step:
            return None
        number = self.counter[step.get("take", step.get("give"))]
        value = counters[number] + step.get("count", 1) * (-1 if "take" in step else 1)
        if value < 0 or "give" in step and value > self.counters[number].get("limit", value):
            return None
        return counters[:number] + (value,) + counters[number + 1:]

    def lacking(self, state):
        """The packets under way that lack a window, or wait behind what does."""
        alone = [self.alone(packet) for packet in state[2]]
        lacking, before = set(), -1
        while before != len(lacking):
            before = len(lacking)
            blocked = set().union(*[held for at, (held, _, _) in enumerate(alone) if at not in lacking])
            lacking |= {at for at, (_, grants, _) in enumerate(alone)
                        if not any(resource in blocked for resource, _ in grants)}
        return lacking

    def is_end(self, state):
        """What can end has ended, and what is under way lacks a window, or waits behind what does."""
        finite = [(process, place) for process, (place, _) in zip(self.processes, state[1])
                  if process.loop is None]
        return (bool(finite) and all(place == len(process.steps) for process, place in finite)
                and len(self.lacking(state)) == len(state[2]))

    def is_well(self, number, state):
        """The process has ended; or it is for ever, and no packet that it sends is held up by others."""
        process = self.processes[number]
        if process.loop is None:
            return state[1][number][0] == len(process.steps)
        return not any(packet[2] == number and at not in self.lacking(state)
                       for at, packet in enumerate(state[2]))

    def stuck_states(self, edges):
        """States from which some process never gets well, or, where all are for ever, never goes on."""
        before = collections.defaultdict(list)
        for state, after, _ in edges:
            before[after].append(state)
        for number in range(len(self.processes)):
            if all(process.loop is not None for process in self.processes):
                well = {state for state, _, moved in edges if number in moved}
            else:
                well = {state for state in self.came if self.is_well(number, state)}
            unseen = list(well)
            while unseen:
                new = [state for state in before[unseen.pop()] if state not in well]
                well.update(new)
                unseen += new
            yield from self.came.keys() - well

    def judged(self, limit):
        """"deadlock" or "safe"; None where there are more states than the limit. And a state in which nothing
        goes on, or some process never does."""
        start = self.start()
        self.came, self.stuck = {start: None}, None
        unseen, edges = [start], []
        while unseen:
            if len(self.came) > limit:
                return None, None
            state = unseen.pop()
            stands = True
            for after, event in self.following(state):
                stands = False
                moved = {number for number, (one, other) in enumerate(zip(state[1], after[1]))
                         if one != other}
                edges.append((state, after, moved | (event[2] if event[0] == "flit" else {event[1]}
                                                     if event[0] == "step" else set())))
                if after not in self.came:
                    self.came[after] = state, event
                    unseen.append(after)
            if stands and not self.is_end(state):
                return "deadlock", state
        self.stuck = set(self.stuck_states(edges))
        return ("deadlock", min(self.stuck)) if self.stuck else ("safe", None)

    def stands_after(self, run, limit):
        """Whether a standstill, or what is stuck beside others, can follow when these are granted in this
        order; None if that has more states than the limit, or is not known. Steps of processes that the run
        does not name may come at any time."""
        # Hosts without links send as much as they have, so that hop -1 takes nothing there.
        run = [event for event in run if self.has_host_links or event.get("hop") != -1]
        unseen = [(self.start(), 0)]
        seen = set(unseen)
        while unseen:
            if len(seen) > limit:
                return None
            state, done = unseen.pop()
            stands = True
            for after, (kind, what, *more) in self.following(state):
                stands = False
                event = {"process": what}
                if kind == "grant":
                    flow = self.flows[what[0]]
                    event = {"flow": flow.id, "hop": flow.resources.index(more[0]) - self.has_host_links}
                named = [(after, done + 1)] if done < len(run) and run[done] == event else []
                one = named + ([(after, done)] if kind != "grant" else [])
                unseen += [other for other in one if other not in seen]
                seen.update(one)
            if done == len(run) and (stands and not self.is_end(state) or state in (self.stuck or ())):
                return True
        endless = any(process.loop is not None for process in self.processes)
        return None if endless and self.stuck is None else False

    def told(self, state):
        """What happened until this state, and where all stand in it, a line each."""
        counters, places, packets = state
        lines = [f"process {process.name}: {process.at(place) or 'ended'}, {left} to receive"
                 for process, (place, left) in zip(self.processes, places)]
        lines += [f"counter {one['name']}: {value}" for one, value in zip(self.counters, counters)]
        lines += [self.in_words(packet) for packet in packets]
        events = []
        while self.came[state]:
            state, (kind, what, *more) = self.came[state]
            events.append(f"{kind}: " + (self.processes[what].name if kind == "step" else self.in_words(what))
                          + f" {more or ''}")
        return events[::-1] + lines

    def in_words(self, packet):
        number, flits, _, crossed = packet
        into = [f"{' '.join(map(str, resource[:2]))}: {have - 1}"
                for resource, have in zip(self.flows[number].resources, crossed) if have]
        return f"flow {self.flows[number].id}, {flits} flits, of which into " + ", ".join(into or ["nothing"])
