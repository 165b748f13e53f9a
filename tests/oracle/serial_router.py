"""A mesh of on-chip routers that copy multicasts one port after the other, each copy a whole packet read from
the buffer again.

tests/check_silicon.py holds it against what was measured on ProNoC's register-transfer code
(tests/reference/router_pronoc*.jsonl) and simulate-wormhole --preset pronoc against it. Like silicon.py it
knows no worms or requests:

 1. Ports are local, east, north, west, south; north is y - 1. Each input has a buffer for each virtual
    channel. A flit that is granted in a cycle stands in the next router's buffer two cycles later; the credit
    that its grant returns is seen two cycles later.
 2. A packet is sent whole to its first port, in the order east, west, north, south, local, then from the
    buffer again to its next one. Only flits of the last copy leave the buffer and return credits.
 3. A header asks for the free virtual channels of its port that have a credit (two, where there are several
    virtual channels of more than four flits); an arbiter of its own, which moves on in each cycle in which
    there are any, picks one. A flit behind it asks while its virtual channel has a credit.
 4. Of the virtual channels of an input that ask one is taken, round robin, which moves on when that is
    granted; of the inputs that ask for an output one is granted, round robin. A granted header has its
    virtual channel, until its tail is granted.
 5. A flit behind a header is held for a cycle if the virtual channel that the input's packet before it had
    was, at that output, without the credits of rule 3 in the cycle of the header's grant: full is looked up a
    cycle ahead.
 6. A source offers a flit a cycle, packet by packet; which virtual channel the measured packets came by was
    given, others take the next after the last in which there is room.
"""
# SPDX-License-Identifier: MIT
LOCAL, EAST, NORTH, WEST, SOUTH = PORTS = range(5)
IN_ORDER = EAST, WEST, NORTH, SOUTH, LOCAL
DELAY = 2


def opposite(port):
    return {EAST: WEST, WEST: EAST, NORTH: SOUTH, SOUTH: NORTH}[port]


class RoundRobin:
    """Which comes next after the last; at first after the first."""

    def __init__(self, of, last=0):
        self.last, self.of = last, of

    def pick(self, asking):
        return min(asking, key=lambda one: (one - self.last - 1) % self.of)


class InputChannel:
    def __init__(self, vcs):
        self.flits, self.read = [], 0  # `read`: flits of this copy that have been sent
        self.ports = []  # to which the packet at the head must still be sent
        self.vc, self.assigned, self.held = None, False, False
        self.chooser = RoundRobin(vcs)


class Mesh:
    def __init__(self, width, height, buffer_flits, packets, vcs=1):
        self.width, self.vcs, self.packets = width, vcs, packets
        nodes = range(width * height)
        self.trees = [self.tree(packet) for packet in packets]
        self.inputs = {(node, port, vc): InputChannel(vcs) for node in nodes for port in PORTS
                       for vc in range(vcs)}
        self.taken = {key: False for key in self.inputs}  # output virtual channels
        # of output virtual channels; those of the node's source too
        self.credits = {key: buffer_flits for key in self.inputs}
        self.for_header = 2 if vcs > 1 and buffer_flits > 4 else 1  # credits
        self.source_vcs = {node: RoundRobin(vcs, vcs - 1) for node in nodes}
        self.sources = {(node, vc): buffer_flits for node in nodes for vc in range(vcs)}
        self.from_input = {(node, port): RoundRobin(vcs) for node in nodes for port in PORTS}
        self.to_output = {(node, port): RoundRobin(4) for node in nodes for port in PORTS}
        self.to_send = {node: [(index, flit) for index, packet in enumerate(packets) if packet.source == node
                               for flit in range(packet.flits)] for node in nodes}
        self.arriving, self.cycle = [], 0

    def tree(self, packet):
        branches = {}
        for destination in packet.destinations:
            node = packet.source
            while True:
                port = self.port_towards(node, destination)
                branches.setdefault(node, set()).add(port)
                if port == LOCAL:
                    break
                node = self.beyond(node, port)
        return branches

    def port_towards(self, node, destination):
        (y, x), (to_y, to_x) = divmod(node, self.width), divmod(destination, self.width)
        if x != to_x:
            return EAST if x < to_x else WEST
        return LOCAL if y == to_y else SOUTH if y < to_y else NORTH

    def beyond(self, node, port):
        return node + {NORTH: -self.width, SOUTH: self.width, WEST: -1, EAST: 1}[port]

    def flit(self, place):
        """The one that the input channel would send next."""
        channel = self.inputs[place]
        return channel.flits[channel.read] if channel.read < len(channel.flits) else None

    def port_of(self, place):
        channel = self.inputs[place]
        if not channel.ports:
            tree = self.trees[channel.flits[0][0]][place[0]]
            channel.ports = [port for port in IN_ORDER if port in tree]
        return channel.ports[0]

    def asking(self):
        """{place: (output, virtual channel)} of every input channel that asks for its output."""
        wanted = {}
        for place, channel in self.inputs.items():
            if self.flit(place) is None:
                continue
            node, port = place[0], self.port_of(place)
            if channel.assigned:
                if self.credits[node, port, channel.vc] > 0 and not channel.held:
                    wanted[place] = (port, channel.vc)
                continue
            free = [vc for vc in range(self.vcs) if not self.taken[node, port, vc]
                    and self.credits[node, port, vc] >= self.for_header]
            if free:
                wanted[place] = (port, channel.chooser.pick(free))
                channel.chooser.last = wanted[place][1]
        return wanted

    def granted(self, wanted):
        """{place: (output, virtual channel)} of what may pass."""
        of_inputs = {}
        for place in wanted:
            of_inputs.setdefault(place[:2], []).append(place[2])
        of_outputs = {}
        for (node, entry), vcs in of_inputs.items():
            place = (node, entry, self.from_input[node, entry].pick(vcs))
            of_outputs.setdefault((node, wanted[place][0]), []).append(place)
        passing = {}
        for (node, port), places in of_outputs.items():
            arbiter = self.to_output[node, port]
            number = {place[1] - (place[1] > port): place for place in places}
            arbiter.last = arbiter.pick(list(number))
            place = number[arbiter.last]
            passing[place] = wanted[place]
            self.from_input[place[:2]].last = place[2]
        return passing

    def send(self, place, port, vc):
        node, channel = place[0], self.inputs[place]
        index, number = self.flit(place)
        packet = self.packets[index]
        tail, last = number == packet.flits - 1, len(channel.ports) == 1
        if not channel.assigned:
            channel.vc, channel.assigned = vc, True
        self.taken[node, port, vc] = not tail
        if port == LOCAL:
            if tail:
                packet.tails[node] = self.cycle
        else:
            self.credits[node, port, vc] -= 1
            self.arriving.append((self.cycle + DELAY, "flit", (self.beyond(node, port), opposite(port), vc),
                                  (index, number)))
        if last:
            channel.flits.pop(0)
            self.arriving.append((self.cycle + DELAY, "credit", place, None))
        else:
            channel.read += 1
        if tail:
            channel.assigned, channel.read = False, 0
            channel.ports.pop(0)

    def credit(self, place):
        node, port, vc = place
        if port == LOCAL:
            self.sources[node, vc] += 1
        else:
            self.credits[self.beyond(node, port), opposite(port), vc] += 1

    def advance(self):
        now = [event for event in self.arriving if event[0] == self.cycle]
        self.arriving = [event for event in self.arriving if event[0] > self.cycle]
        for _, kind, place, flit in now:
            if kind == "flit":
                self.inputs[place].flits.append(flit)
            else:
                self.credit(place)
        wanted = self.asking()
        passing = self.granted(wanted)
        coming = {self.across(event[2]) for event in self.arriving if event[0] == self.cycle + 1
                  and event[1] == "credit" and event[2][1] != LOCAL}
        for place, channel in self.inputs.items():
            if self.flit(place) is not None and not channel.assigned:
                output = (place[0], self.port_of(place), channel.vc)
                channel.held = self.credits.get(output,
                                                self.for_header) < self.for_header and output not in coming
            else:
                channel.held = False
        for place, (port, vc) in passing.items():
            self.send(place, port, vc)
        offered = False
        for node, flits in self.to_send.items():
            if flits and self.packets[flits[0][0]].start <= self.cycle:
                vc = self.source_vc(node, *flits[0])
                if self.sources[node, vc] > 0:
                    self.sources[node, vc] -= 1
                    self.arriving.append((self.cycle + 1, "flit", (node, LOCAL, vc), flits.pop(0)))
                    offered = True
        self.cycle += 1
        waiting = any(flits and self.packets[flits[0][0]].start >= self.cycle
                      for flits in self.to_send.values())
        return bool(now or wanted or self.arriving or offered or waiting)

    def source_vc(self, node, index, number):
        """By which the flit enters, or waits to."""
        arbiter = self.source_vcs[node]
        room = [vc for vc in range(self.vcs) if self.sources[node, vc] > 0]
        if self.packets[index].vc is not None:
            return self.packets[index].vc
        if number == 0 and room:
            arbiter.last = arbiter.pick(room)
        return arbiter.last

    def across(self, place):
        node, port, vc = place
        return self.beyond(node, port), opposite(port), vc

    def run(self):
        while self.advance():
            pass
        return self

    def complete(self):
        return all(sorted(packet.tails) == sorted(packet.destinations) for packet in self.packets)
