"""A mesh of on-chip routers that copy multicasts in lock step and reserve outputs before they forward:
registers and signals.

tests/check_silicon.py holds it against what was measured on ESP's register-transfer code
(tests/reference/router_esp.jsonl) and simulate-wormhole --preset esp against it. Like silicon.py it knows no
worms, requests or virtual channels:

 1. Inputs and outputs are north, south, west, east, local (y grows southwards). An output ends in a register;
    a flit in it is seen by the next router's FIFO of 4 flits in the next cycle, by-passing the FIFO while
    that is empty. A full FIFO stops the register and whatever would follow it. The local output is never
    stopped.
 2. An output is reserved in one cycle, forwards a header in the next if no output that the packet takes is
    stopped, else is free again. It then forwards the flits of that input, in each cycle in which none of the
    packet's outputs is stopped, to the tail. In the cycle after the tail it can be reserved again.
 3. A header asks while none of its outputs is stopped. Unicasts ask their output's arbiter. A multicast asks
    once all its outputs are free and no unicast asks for one of them. Where no other multicast asks for any
    of its outputs, it gets them; those that conflict ask one arbiter for the router, which is locked until
    the tail of the one that it chose is at the head of its FIFO, or until an output of the router takes a
    reservation back.
 4. Arbiters are least recently served, at first in the order of the inputs. When a header goes forward, an
    output's arbiter notes as served the one that it would choose in that cycle: of the unicasts that ask for
    the output, the header among them; or a multicast's header, if no unicast asks for any of its outputs. It
    starts anew where the reservation is taken back.
"""
# SPDX-License-Identifier: MIT
NORTH, SOUTH, WEST, EAST, LOCAL = PORTS = range(5)


class LeastRecent:
    def __init__(self):
        self.order = list(PORTS)

    def pick(self, asking):
        return next((port for port in self.order if port in asking), None)

    def served(self, port):
        self.order.remove(port)
        self.order.append(port)


class Output:
    """`serves`: the input that it is reserved for, or forwards from."""

    def __init__(self):
        self.serves, self.forwards, self.register, self.arbiter = None, False, None, LeastRecent()


class Router:
    def __init__(self):
        self.outputs = [Output() for _ in PORTS]
        self.fifos = [[] for _ in PORTS]
        self.arbiter, self.locked_by = LeastRecent(), None


class Mesh:
    def __init__(self, width, height, fifo_flits, packets):
        self.width, self.fifo_flits, self.packets = width, fifo_flits, packets
        self.routers = [Router() for _ in range(width * height)]
        self.trees = [self.tree(packet) for packet in packets]
        self.to_send = [[(index, flit) for index, packet in enumerate(packets) if packet.source == node
                         for flit in range(packet.flits)] for node in range(width * height)]
        self.sources = [None] * (width * height)  # a register of the node before its local input
        self.cycle = 0

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

    def register_before(self, node, port):
        """(container, key) of the flit that is about to enter the input."""
        if port == LOCAL:
            return self.sources[node]
        column = node % self.width
        if port == NORTH and node < self.width or port == SOUTH and node + self.width >= len(self.routers) \
                or port == WEST and column == 0 or port == EAST and column == self.width - 1:
            return None
        return self.routers[self.beyond(node, port)].outputs[port ^ 1].register

    def head(self, node, port):
        """The flit that can leave the input in this cycle."""
        fifo = self.routers[node].fifos[port]
        return fifo[0] if fifo else self.register_before(node, port)

    def stopped(self, node, port):
        return port != LOCAL and len(self.routers[self.beyond(node, port)].fifos[port ^ 1]) == self.fifo_flits

    def reserve(self, node):
        """What the router reserves in this cycle, {output: input}, the input that its own arbiter chose, and
        the inputs that the arbiters of outputs would choose where a header goes forward, {output: input}."""
        router, wanted, saved = self.routers[node], {}, {}
        for port in PORTS:
            flit = self.head(node, port)
            if flit and flit[1] == 0:
                outputs = self.trees[flit[0]][node]
                if not any(self.stopped(node, output) for output in outputs):
                    wanted[port] = outputs
        unicasts = {port: outputs for port, outputs in wanted.items() if len(outputs) == 1}
        by_unicasts = set().union(*unicasts.values())
        multicasts = {port: outputs for port, outputs in wanted.items() if len(outputs) > 1
                      and not outputs & by_unicasts and all(router.outputs[output].serves is None
                                                            for output in outputs)}
        conflicting = [port for port, outputs in multicasts.items()
                       if any(outputs & others for other, others in multicasts.items() if other != port)]
        chosen = None if router.locked_by is not None or not conflicting else router.arbiter.pick(conflicting)
        for port, outputs in multicasts.items():
            if port == chosen or port not in conflicting:
                saved.update(dict.fromkeys(outputs, port))
        for output in by_unicasts:
            if router.outputs[output].serves is None:
                saved[output] = router.outputs[output].arbiter.pick([port
                                                                     for port, outputs in unicasts.items()
                                                                     if output in outputs])
        served = {}
        for output, out in enumerate(router.outputs):
            asking = [port for port, outputs in unicasts.items() if output in outputs]
            if out.serves in wanted and out.serves not in unicasts and not wanted[out.serves] & by_unicasts:
                asking.append(out.serves)
            served[output] = out.arbiter.pick(asking)
        return saved, chosen, served

    def advance(self):
        reserved = [self.reserve(node) for node in range(len(self.routers))]
        leaving, back = set(), set()
        for node, router in enumerate(self.routers):
            for port in PORTS:
                mine = [output for output in PORTS if router.outputs[output].serves == port]
                if not mine:
                    continue
                if any(self.stopped(node, output) for output in mine):
                    if not router.outputs[mine[0]].forwards:
                        back.update((node, output) for output in mine)
                elif self.head(node, port):
                    leaving.add((node, port, tuple(mine)))
                    # a header whose reservation holds
        moved = [(node, port, mine, self.head(node, port)) for node, port, mine in sorted(leaving)]
        tails_at_head = [{port for port in PORTS if (flit := self.head(node, port))
                          and flit[1] == self.packets[flit[0]].flits - 1}
                         for node in range(len(self.routers))]
        # FIFOs take what stands in the registers, and release what leaves.
        popped = {(node, port) for node, port, _, _ in moved}
        full = {(node, port) for node, router in enumerate(self.routers) for port in PORTS
                if len(router.fifos[port]) == self.fifo_flits}
        entering = {(node, port): flit for node in range(len(self.routers)) for port in PORTS
                    if (flit := self.register_before(node, port)) and (node, port) not in full}
        for (node, port), flit in entering.items():
            self.routers[node].fifos[port].append(flit)
            if port == LOCAL:
                self.sources[node] = None
            else:
                self.routers[self.beyond(node, port)].outputs[port ^ 1].register = None
        for node, port in popped:
            self.routers[node].fifos[port].pop(0)
        for node, router in enumerate(self.routers):
            router.outputs[LOCAL].register = None
        for node, port, mine, flit in moved:
            for output in mine:
                out = self.routers[node].outputs[output]
                out.register = flit
                if flit[1] == 0:
                    out.forwards = True
                    if (served := reserved[node][2][output]) is not None:
                        out.arbiter.served(served)
                if flit[1] == self.packets[flit[0]].flits - 1:
                    out.serves, out.forwards = None, False
                    if output == LOCAL:
                        self.packets[flit[0]].tails[node] = self.cycle + 1
        for node, output in back:
            out = self.routers[node].outputs[output]
            out.serves, out.arbiter = None, LeastRecent()
        for node, (granted, chosen, _) in enumerate(reserved):
            router = self.routers[node]
            for output, port in granted.items():
                router.outputs[output].serves = port
            if chosen is not None:
                router.arbiter.served(chosen)
            if any(place == node for place, _ in back):
                router.locked_by = None
            elif router.locked_by is not None:
                if router.locked_by in tails_at_head[node]:
                    router.locked_by = None
            elif chosen is not None:
                router.locked_by = chosen
        offered = 0
        for node, flits in enumerate(self.to_send):
            if flits and self.sources[node] is None and self.packets[flits[0][0]].start <= self.cycle:
                self.sources[node] = flits.pop(0)
                offered += 1
        self.cycle += 1
        waiting = any(flits and self.packets[flits[0][0]].start >= self.cycle for flits in self.to_send)
        return bool(moved or back or entering or offered or waiting
                    or any(granted for granted, _, _ in reserved))

    def run(self):
        while self.advance():
            pass
        return self

    def complete(self):
        return all(sorted(packet.tails) == sorted(packet.destinations) for packet in self.packets)
