# Switches, hosts and cables, as the files of fabrics name them.
# SPDX-License-Identifier: MIT
import re

from converter import left_out, quoted, valid_utf8
from typed_graph import write_network


class Cabling:
    """Switches, hosts and the cables between their ports, each of which may be named from one end or from
    both.

    Hosts of the network are the cabled ports of hosts. Routers come in the order in which switches appeared,
    hosts in that of their nodes and ports, links in that of their cables. What is no link (a cable from a
    switch to itself or between hosts) is counted."""

    def __init__(self, file):
        self.file = file
        self.nodes = []  # {"key", "switch": None where nobody said, "name", "guid", "cables"}
        self.by_key = {}
        self.cables = []  # [port, port, width, speed]; a port is (node, number)
        self.one_end = {}  # the line of cables that are named from their first end alone
        self.cable_at = {}
        self.port_guids = {}  # of ports that have one beside their node's

    def node(self, key, **said):
        """Its number; what is said of it holds from now on."""
        if key not in self.by_key:
            self.by_key[key] = len(self.nodes)
            self.nodes.append({"key": key, "switch": None, "name": "", "guid": "", "cables": 0})
        self.nodes[self.by_key[key]].update(said)
        return self.by_key[key]

    def add(self, a, b, width=0, speed="", fail=None):
        """fail(field, what) refuses a port that has another cable; unless it is given, the file's."""
        fail = fail or self.file.fail
        here, there = self.cable_at.get(a), self.cable_at.get(b)
        if here is not None and here == there:  # named from its other end
            known = self.cables[here]
            if a == known[1]:
                self.one_end.pop(here, None)
            if known[2] == 0 or (width != 0 and width < known[2]):
                known[2] = width
            known[3] = known[3] or speed
            return
        for port, found in ((a, here), (b, there)):
            if found is None:
                continue
            end = self.cables[found][1 if self.cables[found][0] == port else 0]
            fail("port", f"{self.port_name(port)} has a cable to {self.port_name(end)} already")
        self.cable_at[a] = self.cable_at[b] = len(self.cables)
        if a != b:
            self.one_end[len(self.cables)] = self.file.line
        self.cables.append([a, b, width, speed])
        self.nodes[a[0]]["cables"] += 1
        self.nodes[b[0]]["cables"] += 1

    def port_name(self, port):
        return f"port {port[1]} of {quoted(self.nodes[port[0]]['key'])}"

    def require_both_ends(self):
        """Of a file with a line for each port, which names each cable from both ends."""
        for cable, line in self.one_end.items() if len(self.one_end) < len(self.cables) else ():
            self.refuse_one_end(cable, line)

    def refuse_one_end(self, cable, line):
        here, there, *_ = self.cables[cable]
        self.file.fail("port", f"{self.port_name(here)} leads to {self.port_name(there)}, whose own line is "
                  "missing: has the file been cut?", line)

    def settle(self, fail=None):
        """Numbers what the network has: `routers` by node, `links`, `hosts` with the cables to their
        switches, and by port the `hops` out of switches, as tables have them, and `host_at` of hosts."""
        fail, is_switch = fail or self.file.fail, [node["switch"] for node in self.nodes]
        self.routers = {node: router for router, node in enumerate(i for i, switch in enumerate(is_switch)
                                                                   if switch)}
        if not self.routers:
            fail("", "the file describes no switch")
        for node in self.nodes:
            if node["switch"] is None:
                fail("node", f"{quoted(node['key'])} is named by a cable and described nowhere")
        self.links, hosts, self.loops, self.between, self.hops = [], [], 0, 0, {}
        for a, b, width, speed in self.cables:
            if is_switch[a[0]] and is_switch[b[0]]:
                if a[0] == b[0]:
                    self.loops += 1
                else:
                    self.hops[a], self.hops[b] = 2 * len(self.links), 2 * len(self.links) + 1
                    self.links.append((a, b, width, speed))
            elif is_switch[a[0]] or is_switch[b[0]]:
                hosts.append((b, a, width, speed) if is_switch[a[0]] else (a, b, width, speed))
            else:
                self.between += 1
        if not hosts:
            fail("", "no host is connected to a switch")
        self.hosts = sorted(hosts)
        self.host_at = {port: number for number, (port, *_) in enumerate(self.hosts)}
        self.hops |= {at: ~number for number, (_, at, *_) in enumerate(self.hosts)}

    def name_of(self, node):
        return self.nodes[node]["name"] or self.nodes[node]["key"]

    def host_name(self, host):
        (node, port), *_ = self.hosts[host]
        return f"{self.name_of(node)}/P{port}" if self.nodes[node]["cables"] > 1 else self.name_of(node)

    def switch_of(self, host):
        """The router that it hangs on."""
        return self.routers[self.hosts[host][1][0]]

    def write(self, generator, notes=None, ports=True, fail=None, **more):
        """`ports` are those that the file states; `more` as write_network has it."""
        self.settle(fail)
        nodes = [{**self.nodes[i], "id": f"r{router}", "type": "router", "name": valid_utf8(self.name_of(i))}
                 for i, router in self.routers.items()]
        edges = [{"source": f"r{self.routers[a[0]]}", "target": f"r{self.routers[b[0]]}",
                  "ports": [a[1], b[1]], "width": width, "speed": speed} for a, b, width, speed in self.links]
        for number, (port, at, width, speed) in enumerate(self.hosts):
            node = self.nodes[port[0]]
            nodes.append({**node, "id": f"h{number}", "type": "host",
                          "name": valid_utf8(self.host_name(number)),
                          "guid": self.port_guids.get(port, node["guid"])})
            edges.append({"source": f"r{self.switch_of(number)}", "target": f"h{number}",
                          "ports": [at[1], port[1]], "width": width, "speed": speed})
        for edge in edges if not ports else ():
            del edge["ports"]
        counts = {"loop-cables": self.loops, "cables-between-hosts": self.between,
                  "unconnected-hosts": sum(not node["switch"] and node["cables"] == 0 for node in self.nodes)}
        notes = {what: str(said) for what, said in (notes or {}).items() if said}
        write_network(nodes, edges, {"name": generator, **left_out(counts), **notes}, **more)


def lanes_of(word):
    """Of "4x", "4X" or "4"; 0 where they are not known."""
    digits = re.fullmatch("([0-9]{1,9})[xX]?", word)
    return int(digits[1]) if digits and int(digits[1]) <= 255 else 0
