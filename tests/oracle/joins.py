"""Reductions that a mesh of on-chip routers joins flit by flit, beside its multicasts and unicasts, register
by register.

tests/check_joins.py holds it against what was measured on the register-transfer code of a published router
(tests/reference/router_reduction.jsonl), and simulate-wormhole against it. The mesh, its FIFOs and its
arbiters are those of oracle/silicon.py; what joins add:

 1. The nodes of a reduction send packets of one destination, the root, and one mask: the set is each of them
    with any bits of the mask flipped. A router expects it at its local input if it is of the set; along its
    row from the side that leads away from the root's column, if members lie farther out; in the root's column
    likewise from north and south.
 2. An output takes a joined flit in a cycle in which every expected input has at its head a flit of a
    reduction with the same destination and mask that wants this output; of several reductions the one with
    the lowest input. All these heads go at once; what goes on is the flit of the lowest input. A join goes
    before the worm that the output serves. The output's arbiter knows nothing of joins.
 3. An input stays tied to the outputs of a flit until it has passed a flit with a tail flag: what comes next
    goes there too, whatever it is.
"""
# SPDX-License-Identifier: MIT
import dataclasses

from oracle import silicon
from oracle.silicon import EAST, LOCAL, NORTH, PORTS, SOUTH, WEST


@dataclasses.dataclass
class Send:
    """What one node sends: `kind` is U, M or R; packets of a reduction have one number. It starts at `start`,
    or `delay` after the tail of packet `after` has left the local output there, on network 0."""

    node: int
    packet: int
    kind: str
    dst: tuple
    mask: tuple
    length: int
    start: int = 0
    after: int = None
    delay: int = 0


@dataclasses.dataclass
class Flit:
    send: Send
    number: int
    joined: list = None  # the flits that one has taken in

    @property
    def last(self):
        return self.number == self.send.length - 1

    @property
    def joins(self):
        return self.send.kind == "R"

    def parts(self):
        return self.joined or [(self.send, self.number)]


class Mesh(silicon.Mesh):
    def __init__(self, width, height, fifo_flits, sends, sent=None):
        """`sent`: {(node, packet): cycle} in which tails left local outputs of the network that answers are
        for."""
        super().__init__(width, height, fifo_flits, [])
        self.height = height
        self.to_send = {node: [] for node in range(width * height)}
        self.sent_in_order = []  # as nodes are given them
        self.triggered = [send for send in sends if send.after is not None]
        for send in sends:
            if send.after is None:
                self.offer(send)
        self.ties = {}  # by input
        self.ejections = []  # (cycle, node, flit)
        self.tails = {}
        self.sent = self.tails if sent is None else sent

    def place(self, node):
        return node % self.width, node // self.width

    def box(self, flit):
        """The nodes that equal `at` where the mask has no bit, as a test on one of the coordinates, and their
        ends."""
        at = self.place(flit.send.node) if flit.joins else flit.send.dst
        mask = flit.send.mask
        return [(lambda c, a=a, m=m: not (c ^ a) & ~m, a & ~m, a | m) for a, m in zip(at, mask)]

    def ways(self, node, flit):
        """The outputs of an untied input."""
        x, y = self.place(node)
        if flit.joins:
            to_x, to_y = flit.send.dst
            if x != to_x:
                return {EAST if x < to_x else WEST}
            return {LOCAL if y == to_y else NORTH if y < to_y else SOUTH}
        (in_column, low_x, high_x), (in_row, low_y, high_y) = self.box(flit)
        from_x, from_y = self.place(flit.send.node)
        ways = set()
        nodes = range(self.width)
        if y == from_y:
            if x >= from_x and any(in_column(c) for c in nodes if c > x) and high_x > x:
                ways.add(EAST)
            if x <= from_x and low_x < x:
                ways.add(WEST)
        if in_column(x):
            if y >= from_y and high_y > y:
                ways.add(NORTH)
            if y <= from_y and low_y < y:
                ways.add(SOUTH)
            if in_row(y):
                ways.add(LOCAL)
        return ways

    def expected(self, node, flit):
        """The inputs at which the others of its reduction come, its own among them."""
        x, y = self.place(node)
        (in_column, low_x, high_x), (in_row, low_y, high_y) = self.box(flit)
        to_x, to_y = flit.send.dst
        inputs = set()
        if in_row(y):
            if in_column(x):
                inputs.add(LOCAL)
            if x >= to_x and high_x > x:
                inputs.add(EAST)
            if x <= to_x and low_x < x:
                inputs.add(WEST)
        if x == to_x:
            if y >= to_y and high_y > y:
                inputs.add(NORTH)
            if y <= to_y and low_y < y:
                inputs.add(SOUTH)
        return inputs

    def targets(self, send):
        """The nodes that its flits are for."""
        to_x, to_y = send.dst
        if send.kind == "R":
            return [to_x + self.width * to_y]
        (in_column, *_), (in_row, *_) = self.box(Flit(send, 0))
        return [node for node in range(self.width * self.height) if in_column(node % self.width)
                and in_row(node // self.width)]

    def outputs_of(self, place):
        return self.ties.get(place) or self.ways(place[0], self.inputs[place].fifo[0])

    def asks(self, node, port, output, joins=False):
        entry = self.inputs[node, port]
        if not entry.fifo or output in entry.done or output not in self.outputs_of((node, port)):
            return None
        return entry.fifo[0] if entry.fifo[0].joins == joins else None

    def join_at(self, node, output):
        """The joined flit that the output may take, with the inputs it takes it from: the winner first."""
        heads = {port: flit for port in PORTS if (flit := self.asks(node, port, output, joins=True))}
        for winner, flit in heads.items():
            inputs = self.expected(node, flit)
            same = {port for port, other in heads.items() if (other.send.dst, other.send.mask)
                    == (flit.send.dst, flit.send.mask)}
            if inputs and inputs <= same:  # off its tree it stands still, which was never measured
                return winner, inputs
        return None

    def decide(self):
        moves, picked = [], False
        for (node, port), output in self.outputs.items():
            if output.serves is None:
                asking = [entry for entry in PORTS if self.asks(node, entry, port)]
                if asking:
                    output.pick(asking)
                    picked = True
            if port != LOCAL and self.beyond(node, port) not in self.inputs:
                continue  # the mesh ends there
            if port != LOCAL and not self.has_room(*self.beyond(node, port)):
                continue
            join = self.join_at(node, port)
            if join:
                moves.append((node, join[0], join[1], port))
            elif output.serves is not None and self.asks(node, output.serves, port):
                moves.append((node, output.serves, {output.serves}, port))
        return moves, picked

    def offer(self, send):
        self.sent_in_order.append(send)
        self.to_send[send.node] += [Flit(send, number) for number in range(send.length)]

    def trigger(self):
        """Answers are offered in the order in which what they answer has arrived."""
        for send in [send for send in self.triggered if (send.node, send.after) in self.sent]:
            send.start = self.sent[send.node, send.after] + send.delay
            self.triggered.remove(send)
            self.offer(send)

    def advance(self):
        self.trigger()
        moves, picked = self.decide()
        enter = [(node, LOCAL) for node, flits in self.to_send.items()
                 if flits and flits[0].send.start <= self.cycle and self.has_room(node, LOCAL)]
        arriving = [(place, self.to_send[place[0]].pop(0)) for place in enter]
        outputs = {(node, entry): self.outputs_of((node, entry)) for node, _, taken, _ in moves
                   for entry in taken}
        for node, winner, taken, port in moves:
            flit = self.inputs[node, winner].fifo[0]
            if flit.joins:
                parts = [part for entry in sorted(taken) for part in self.inputs[node, entry].fifo[0].parts()]
                flit = Flit(flit.send, flit.number, parts)
            elif flit.last:
                self.outputs[node, port].finish()
            for entry in taken:
                self.inputs[node, entry].done.add(port)
            if port != LOCAL:
                arriving.append((self.beyond(node, port), flit))
                continue
            self.ejections.append((self.cycle, node, flit))
            if flit.last:
                self.tails[node, flit.send.packet] = self.cycle
        for place, ways in outputs.items():
            entry = self.inputs[place]
            if entry.done == ways:
                self.ties[place] = None if entry.fifo.pop(0).last else ways
                entry.done.clear()
        for place, flit in arriving:
            self.inputs[place].fifo.append(flit)
        self.cycle += 1
        return bool(moves or picked or arriving) or self.waits_for_clock()

    def stands(self):
        """Flits are left that go nowhere."""
        return bool(self.triggered or any(self.to_send.values())
                    or any(entry.fifo for entry in self.inputs.values()))

    def waits_for_clock(self):
        return any(flits and flits[0].send.start >= self.cycle for flits in self.to_send.values()) or any(
            (send.node, send.after) in self.sent for send in self.triggered)


def run(dims, fifo_flits, networks):
    """Two networks side by side, of one clock; `networks`: {0: sends, 1: sends}. The answers stand on network
    1."""
    first = Mesh(*dims, fifo_flits, networks.get(0, []))
    second = Mesh(*dims, fifo_flits, networks.get(1, []), first.tails)
    while any([first.advance(), second.advance()]):
        pass
    return {0: first, 1: second}


def outcome(networks, meshes):
    """Of a run, as the nodes see it by headers: stuck, corrupted (flits came where they do not belong, or
    twice), interleaved (a packet's flits came with another's between them) or complete. mixed() says what
    they do not see."""
    if any(mesh.stands() for mesh in meshes.values()):
        return "stuck"
    for number, sends in networks.items():
        mesh = meshes[number]
        wanted = {(node, send.packet, flit) for send in sends for node in mesh.targets(send)
                  for flit in range(send.length)}
        come = [(node, flit.send.packet, flit.number) for _, node, flit in mesh.ejections]
        if sorted(come) != sorted(wanted):
            return "corrupted"
    return "interleaved" if any(interleaved(mesh) for mesh in meshes.values()) else "complete"


def interleaved(mesh):
    """Pairs of packets of which one came with the other's flits between its own."""
    open_at, pairs = {}, set()
    for _, node, flit in mesh.ejections:
        packet = flit.send.packet
        if open_at.get(node, packet) != packet:
            pairs.add(tuple(sorted((open_at[node], packet))))
        open_at[node] = packet
        if flit.last:
            del open_at[node]
    return sorted(map(list, pairs))


def mixed(mesh):
    """The sets of packets of which parts, or of one packet different flits, have come as one flit."""
    joined = [{(send.packet, number) for send, number in flit.parts()} for _, _, flit in mesh.ejections]
    sets = {tuple(sorted({packet for packet, _ in parts})) for parts in joined if len(parts) > 1}
    return sorted(sets)
