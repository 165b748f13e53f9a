"""A mesh of on-chip routers that copy multicasts flit by flit, register by register: FIFOs, done bits and
arbiters.

tests/check_silicon.py holds it against what was measured on the register-transfer code of a published router
(tests/reference/router_multicast.jsonl), and simulate-wormhole --preset floonoc against it. It knows nothing
of worms, requests or virtual channels, only what a router does in a cycle, and was written without
lib/simulation:

 1. A router has five inputs and outputs: north (y + 1), east (x + 1), south, west, local. Each input ends in
    a FIFO; a flit enters one in the cycle in which it leaves the router before, if there was room as the
    cycle began, and can leave it from the next cycle on. A node offers the packets that it sends one behind
    the other, a flit a cycle.
 2. Every flit goes by its packet's tree: first along x, then along y, to all destinations; where one is, the
    local output is a branch of it. A flit stays at the head of its FIFO until each branch has taken it, each
    when it can; a done bit a branch remembers that. It leaves the FIFO in the cycle in which the last one
    takes it.
 3. An output serves one packet, from its first flit to its last. When it serves none, all inputs that have a
    first flit for it are sampled; if there are any, the arbiter picks one of them in that cycle.
 4. The arbiter is a binary tree over the inputs with a pointer, at first 0. From the root down, the half in
    which somebody asks is taken; where both have somebody, the bit of the pointer. With the packet's last
    flit the pointer moves to the next input above it among those that were sampled, or else to the lowest of
    them.
 5. The local output always takes a flit.
"""
# SPDX-License-Identifier: MIT
import dataclasses

NORTH, EAST, SOUTH, WEST, LOCAL = PORTS = range(5)


@dataclasses.dataclass
class Packet:
    """One multicast; `tails` says when its last flit left the local output of which node."""

    source: int
    destinations: list
    flits: int
    start: int = 0
    vc: int = None  # by which it enters; none: as the source chooses
    tails: dict = dataclasses.field(default_factory=dict)


class Output:
    def __init__(self):
        self.serves = None  # an input
        self.sampled = []
        self.pointer = 0

    def pick(self, asking):
        """One of these inputs, ascending, by the tree."""
        low, size = 0, 8
        while size > 1:
            size //= 2
            lower = any(low <= port < low + size for port in asking)
            upper = any(low + size <= port < low + 2 * size for port in asking)
            if not lower or upper and self.pointer & size:
                low += size
        self.serves, self.sampled = low, asking

    def finish(self):
        above = [port for port in self.sampled if port > self.pointer]
        self.pointer = (above or self.sampled)[0]
        self.serves = None


class Input:
    def __init__(self):
        self.fifo = []  # (packet, number of its flit)
        self.done = set()  # outputs that have taken the first of them


class Mesh:
    def __init__(self, width, height, fifo_flits, packets):
        self.width, self.fifo_flits = width, fifo_flits
        nodes = range(width * height)
        self.packets = packets
        self.trees = {id(packet): self.tree(packet) for packet in packets}
        self.to_send: dict = {node: [(packet, flit) for packet in packets if packet.source == node
                               for flit in range(packet.flits)] for node in nodes}
        self.inputs = {(node, port): Input() for node in nodes for port in PORTS}
        self.outputs = {(node, port): Output() for node in nodes for port in PORTS}
        self.cycle = 0

    def tree(self, packet):
        """{node: outputs}."""
        branches = {}
        for destination in packet.destinations:
            node = packet.source
            while node != destination:
                port = self.port_towards(node, destination)
                branches.setdefault(node, set()).add(port)
                node = self.beyond(node, port)[0]
            branches.setdefault(node, set()).add(LOCAL)
        return branches

    def port_towards(self, node, destination):
        (x, y), (to_x, to_y) = (divmod(place, self.width)[::-1] for place in (node, destination))
        if x != to_x:
            return EAST if x < to_x else WEST
        return NORTH if y < to_y else SOUTH

    def beyond(self, node, port):
        """The router behind an output, and its input."""
        return {EAST: (node + 1, WEST), WEST: (node - 1, EAST),
                NORTH: (node + self.width, SOUTH), SOUTH: (node - self.width, NORTH)}[port]

    def asks(self, node, port, output):
        """The flit at this input that wants the output and has not been taken by it."""
        entry = self.inputs[node, port]
        if not entry.fifo or output in entry.done or output not in self.trees[id(entry.fifo[0][0])][node]:
            return None
        return entry.fifo[0]

    def has_room(self, node, port):
        return len(self.inputs[node, port].fifo) < self.fifo_flits

    def decide(self):
        """What moves in this cycle, all from what stands as it begins: [(node, input, output)], and whether
        any output has taken up a packet."""
        moves, picked = [], False
        for (node, port), output in self.outputs.items():
            if output.serves is None:
                asking = [entry for entry in PORTS if (flit := self.asks(node, entry, port)) and flit[1] == 0]
                if not asking:
                    continue
                output.pick(asking)
                picked = True
            if self.asks(node, output.serves, port) and (port == LOCAL
                                                         or self.has_room(*self.beyond(node, port))):
                moves.append((node, output.serves, port))
        return moves, picked

    def advance(self):
        """Simulates a cycle; False if nothing happens in it, nor ever will."""
        moves, picked = self.decide()
        enter = [(node, LOCAL) for node, flits in self.to_send.items()
                 if flits and flits[0][0].start <= self.cycle and self.has_room(node, LOCAL)]
        arriving = [(place, self.to_send[place[0]].pop(0)) for place in enter]
        for node, entry, port in moves:
            packet, flit = self.inputs[node, entry].fifo[0]
            self.inputs[node, entry].done.add(port)
            if port != LOCAL:
                arriving.append((self.beyond(node, port), (packet, flit)))
            if flit == packet.flits - 1:
                self.outputs[node, port].finish()
                if port == LOCAL:
                    packet.tails[node] = self.cycle
        for node, entry in {(node, entry) for node, entry, _ in moves}:
            place = self.inputs[node, entry]
            if place.done == self.trees[id(place.fifo[0][0])][node]:
                place.fifo.pop(0)
                place.done.clear()
        for place, flit in arriving:
            self.inputs[place].fifo.append(flit)
        self.cycle += 1
        waiting = any(flits and flits[0][0].start >= self.cycle for flits in self.to_send.values())
        return bool(moves or picked or arriving or waiting)

    def run(self):
        while self.advance():
            pass
        return self

    def complete(self):
        return all(sorted(packet.tails) == sorted(packet.destinations) for packet in self.packets)
