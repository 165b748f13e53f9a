# The switchboxes of AMD's AI Engine as a network, and the ways of packets by their circuits and rules.
# SPDX-License-Identifier: MIT
#
# Five words fit behind the last arbiter. That is fitted: hardware lets packets pass that have up to 5 words
# more than their window, and hangs with 6. cite: AMD AM020 (stream switch); Xilinx/mlir-aie,
# test/create-packet-flows (routings that hang)
import re
from typing import NamedTuple

from converter import MOST_INTEGER, quoted, whole_number
from mlir import NAME

FIFO_FLITS, LAST_FIFO_FLITS = 4, 5
SIDES = {"North": (0, 1, "South"), "East": (1, 0, "West"), "South": (0, -1, "North"), "West": (-1, 0, "East")}
PORT = r"(\w+) ?: (\d+)"
# What others send is in no program; trace units send nothing before the host writes to registers.
SOURCE = rf"({'|'.join(SIDES)}|DMA|TileControl|Trace) ?: (\d+)"


class Tile(NamedTuple):
    x: int
    y: int

    def __str__(self):
        return f"({self.x},{self.y})"


class Device:
    """Reads its operations, whose texts are in `forms`, by name."""
    forms = {"aie.tile": r"\((\d+), (\d+)\)", "aie.amsel": r"<(\d+)> \((\d+)\)$",
             "aie.connect": rf"<{SOURCE}, {PORT}>$", "aie.masterset": rf"\({PORT}((?:, {NAME})+)\)",
             "aie.packet_rules": rf"\({SOURCE}\)", "aie.rule": rf"\((\d+), (\d+), ({NAME})\)"}

    def __init__(self, file, device):
        self.file, self.tiles, self.controllers = file, {}, {}
        for op in device.body:
            if op.name == "aie.tile":
                self.tiles[op.result] = tile = Tile(*(self.whole(op, one) for one in self.fields(op)))
                controller = re.search(r"\bcontroller_id = #aie\.packet_info<[^>]*\bpkt_id = ([0-9]{1,2})\b",
                                       op.text)
                self.controllers[tile] = int(controller[1]) if controller else None

    def fail(self, op, what):
        return self.file.fail(op.name, what, op.line)

    def fields(self, op, name=None):
        """The groups of its form, as texts; `name`: which it has to be. Others say SOUTH and Ctrl."""
        text = re.sub(r"\b(?:NORTH|EAST|SOUTH|WEST|CTRL|Ctrl)(?= ?: )",
                      lambda side: side[0].title().replace("Ctrl", "TileControl"), op.text)
        found = name in (None, op.name) and re.match(self.forms.get(op.name, "(?!)"), text)
        return found.groups() if found else self.fail(op, f"{quoted(op.text)} is not read")

    def whole(self, op, word):
        value = whole_number(word)
        return self.fail(op, f"{quoted(word)} is no number") if value is None else value

    def known(self, op, what, names, name):
        return names[name] if name in names else self.fail(op, f"there is no {what} {quoted(name)}")

    def tile(self, op):
        return self.known(op, "tile", self.tiles, re.split("[),]", op.text[1:])[0])


class Flow:
    """A way of packets. `header`: it stays, a word more."""

    def __init__(self, number, source, name):
        self.number, self.source, self.name, self.header, self.flits = number, source, name, None, 0
        self.hops, self.parents, self.least = [], [], MOST_INTEGER

    def send(self, flits):
        self.flits, self.least = self.flits or flits, min(self.least, flits)
        return {"send": self.number, **({"flits": flits} if flits != self.flits else {})}

    def record(self, lines):
        """`lines`: the links that each of its hops, and its source, became."""
        hops = [2 * link for link in lines[~self.source]]
        parents, last = list(range(-1, len(hops) - 1)), {-1: len(hops) - 1}
        for at, (hop, parent) in enumerate(zip(self.hops, self.parents)):
            last[at] = last[parent]
            for one in [hop] if hop < 0 else [2 * link for link in lines[hop // 2]]:
                parents.append(last[at])
                last[at] = len(hops)
                hops.append(one)
        worm = {"hops": hops}
        if parents != list(range(-1, len(hops) - 1)):
            worm = {"replication": "lock-step", **worm, "hop_parents": parents}
        return {"kind": "routes", "id": self.number, "source": self.source,
                "destinations": sorted(~hop for hop in hops if hop < 0), "length_flits": self.flits,
                "start_cycle": 0, "workload": {"from": "aie", "flow": self.name}, "worms": [worm]}


class Network(Device):
    """The switches, and of them the routers, links and hosts that flows use."""

    def __init__(self, file, device):
        super().__init__(file, device)
        # By tile and port: where circuits lead, rules, what a shim mux joins; by tile and amsel: ports.
        self.circuits, self.rules, self.masters, self.mux = {}, {}, {}, {}
        self.flows, self.routers, self.hosts, self.links = {}, {}, {}, {}
        for op in device.body:
            if op.name in ("aie.switchbox", "aie.shim_mux"):
                self.read_switch(op, self.tile(op))

    def read_switch(self, box, tile):
        selected = {}
        for op in box.body:
            if op.name == "aie.connect":
                side, number, to_side, to_number = self.fields(op)
                if box.name == "aie.shim_mux":
                    self.mux[tile, side.replace("North", "South"), number] = (
                        to_side.replace("North", "South"), to_number)
                else:
                    self.circuits.setdefault((tile, side, number), []).append((to_side, to_number, True))
            elif op.name == "aie.amsel":
                selected[op.result] = self.fields(op)
            elif op.name == "aie.masterset":
                *port, names = self.fields(op)
                for name in names.split(", ")[1:]:
                    chosen = self.known(op, "amsel", selected, name)
                    self.masters.setdefault((tile, *chosen), []).append(
                        (*port, re.search(r'keep_pkt_header(?! = "?false)', op.text) is not None))
            elif op.name == "aie.packet_rules":
                port = self.fields(op)
                for rule in op.body:
                    mask, value, name = self.fields(rule, "aie.rule")
                    mask, value = self.whole(rule, mask), self.whole(rule, value)
                    self.rules.setdefault((tile, *port), []).append(
                        (mask, value, self.known(rule, "amsel", selected, name)))
            elif op.name != "aie.end":
                self.fail(op, "not read in a switchbox")

    def router(self, name):
        return self.routers.setdefault(name, len(self.routers))

    def host(self, name, router):
        return self.hosts.setdefault(name, (len(self.hosts), router))[0]

    def flow(self, op, tile, port, packet, symbol=""):
        """The way of packets of an id (none: of a circuit's words) that the port of the tile sends."""
        key = (tile, port, packet, symbol)
        if key not in self.flows:
            name = f"{tile} {port[0].replace('DMA', 'MM2S')} {port[1]}"
            self.flows[key] = made = Flow(len(self.flows), self.host(name, self.router(str(tile))), name
                                          + ("" if packet is None else f" packet {packet}")
                                          + (symbol and " " + symbol))
            self.spread(op, made, tile, self.mux.get((tile, *port), port), packet, -1)
        return self.flows[key]

    def spread(self, op, flow, tile, port, packet, parent):
        router, outputs = self.router(str(tile)), self.circuits.get((tile, *port))
        if outputs is None and packet is not None:
            for mask, value, (arbiter, selected) in self.rules.get((tile, *port), ()):
                if not (packet ^ value) & mask:
                    end = self.router(f"{tile} arbiter {arbiter}")
                    parent, router = self.hop(op, flow, router, end, arbiter, 1, parent), end
                    outputs = self.masters.get((tile, arbiter, selected))
                    break
        if not outputs:
            self.fail(op, f"{flow.name} comes to {port[0]} : {port[1]} of {tile}, where no circuit "
                      "and no rule is for it")
        for side, number, header in outputs:
            self.leave(op, flow, tile, router, (side, number), packet, parent, header)

    def hop(self, op, flow, start, end, port, flits, parent):
        link, _ = self.links.setdefault((start, end, port), (len(self.links), flits))
        if 2 * link in flow.hops:
            self.fail(op, f"{flow.name} comes to a port twice")
        flow.hops.append(2 * link)
        flow.parents.append(parent)
        return len(flow.hops) - 1

    def leave(self, op, flow, tile, router, port, packet, parent, header):
        end = self.mux.get((tile, *port), port)
        if end[0] in SIDES and (end[0] != "South" or tile.y):
            x, y, side = SIDES[end[0]]
            beside = Tile(tile.x + x, tile.y + y)
            parent = self.hop(op, flow, router, self.router(str(beside)), port, FIFO_FLITS, parent)
            self.spread(op, flow, beside, (side, end[1]), packet, parent)
            return
        if end[0] != ("South" if " TileControl " in flow.name else "DMA"):
            self.fail(op, f"{flow.name} leads to {end[0]} : {end[1]} of {tile}, which is not read")
        name = f"{tile} {end[0].replace('DMA', 'S2MM')} {end[1]}"
        parent = self.hop(op, flow, router, self.router(name), port, LAST_FIFO_FLITS, parent)
        flow.hops.append(~self.host(name, self.router(name)))
        flow.parents.append(parent)
        header = header and packet is not None
        if flow.header not in (None, header):
            self.fail(op, f"{flow.name} keeps its header to some of its ends alone")
        flow.header = header

    def followed(self):
        """FIFOs, by link and by ~source, where a packet matters that stands behind the tail of another:
        its own is in the network, or it goes on by another branch. Else it may as well wait before them."""
        found, words = set(), [words for _, words in self.links.values()]
        for flow in self.flows.values():
            room = {-1: FIFO_FLITS}  # up to each hop; behind copies any packet is short
            for at, (hop, parent) in enumerate(zip(flow.hops, flow.parents)):
                room[at] = room[parent] + (MOST_INTEGER if flow.parents.count(parent) > 1 else 0)
                if hop >= 0:
                    room[at] += words[hop // 2]
                    found |= {hop // 2} if flow.least < room[at] else set()
            found |= {~flow.source} if flow.least < FIFO_FLITS else set()
        return found

    def records(self):
        """The topology; and of each link, and ~source, the links that it became."""
        followed, laid, lines, names = self.followed(), [], {}, list(self.routers)

        def lay(fifo, start, name, end, flits):
            words = range(1, flits if fifo in followed else 1)
            nodes = [*start, *(self.router(f"{name} word {word}") for word in words), end]
            lines[fifo] = range(len(laid), len(laid) + len(nodes) - 1)
            laid.extend({"ends": ends, "one_way": True, "buffer_flits": [1 if words else flits] * 2}
                        for ends in zip(nodes, nodes[1:]))
            return nodes[0]

        for (start, end, port), (number, flits) in self.links.items():
            lay(number, [start], f"{names[start]} {' '.join(port)}", end, flits)
        hosts = [lay(~number, [], name, router, FIFO_FLITS) for name, (number, router) in self.hosts.items()]
        return {"kind": "topology", "format": 1, "family": "graph", "routers": len(self.routers),
                "hosts": hosts, "links": laid, "names": list(self.routers), "host_names": list(self.hosts),
                "host_links": [{"buffer_flits": [1 if lines[~number] else FIFO_FLITS] * 2}
                               for number in range(len(hosts))],
                "generator": {"name": "aie"}}, lines
