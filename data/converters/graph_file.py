# Nodes and edges of formats of graphs, GML and GraphML.
# SPDX-License-Identifier: MIT
from converter import left_out, note_generator, quoted
from typed_graph import TypedGraph


class Graph:
    """Nodes and edges whose values are texts."""

    def __init__(self, file):
        self.file, self.nodes, self.edges, self.directed = file, {}, [], False

    @staticmethod
    def take_role(roles, key, text):
        """Of a key that a node has twice, what says more stays."""
        if text.strip(" \t\r\n") or key not in roles:
            roles[key] = text

    def add_node(self, identity, name, roles, line):
        if identity in self.nodes:
            self.file.fail("id", f"a second node of id {quoted(identity)}", line)
        self.nodes[identity] = (name, roles, line)

    def add_edge(self, source, target, attributes, line):
        if not source or not target:
            self.file.fail("target" if source else "source", "the edge has none", line)
        self.edges.append((source, target, attributes, line))

    def write(self, generator, counts=()):
        if not self.nodes:
            self.file.fail("node", "the graph has no nodes")
        graph = TypedGraph(self.file)
        graph.directed = self.directed
        for identity, (name, roles, line) in self.nodes.items():
            graph.add_node(identity, roles, name, "", "", line)
        indices = {identity: at for at, identity in enumerate(self.nodes)}
        for source, target, attributes, line in self.edges:
            for field, end in (("source", source), ("target", target)):
                if end not in indices:
                    self.file.fail(field, f"there is no node {quoted(end)}", line)
            directed = attributes.pop("directed", None)
            graph.add_edge(indices[source], indices[target], graph.link_of(attributes, line),
                           directed if isinstance(directed, bool) else None, None, line)
        if graph.routers() == 0:
            self.file.fail_at("", "no switch: no node is a router")
        if graph.loose_host() is not None:
            self.file.fail_at("", f"host {quoted(graph.loose_host())} has no edge to a router")
        stated = {"name": generator, **left_out(dict(counts))}
        note_generator(stated)
        graph.write(stated)
