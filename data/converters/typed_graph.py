# Graphs whose nodes may say whether they are routers or hosts, as topology records. Where no node is a host,
# every node is a router with one host.
# SPDX-License-Identifier: MIT
import json
import re
from collections import Counter, deque

from converter import note_generator, quoted, valid_utf8, whole_number, write_text
from link_rates import rate_links

OWN_KEYS = ("hop_cycles", "flit_cycles", "buffer_flits", "virtual_channels")  # a number for each way
RAW_SPEED = "LinkSpeedRaw"  # of the Topology Zoo, in bit/s
EDGE_KEYS = (*OWN_KEYS, "ports", "speed", "width", RAW_SPEED)
MOST_PORT, MOST_32 = 65535, 2**32 - 1
# What Graphviz (all of its attributes but weight and len) and yEd say of edges for drawings and for telling
# edges apart: of the network they say nothing.
DRAWING_KEYS = frozenset("source target id key directed _background arrowhead arrowsize arrowtail class "
                         "color colorscheme comment constraint decorate dir edgehref edgetarget edgetooltip "
                         "edgeURL fillcolor fontcolor fontname fontsize graphics head_lp headclip headhref "
                         "headlabel headport headtarget headtooltip headURL href label labelangle "
                         "labeldistance labelfloat labelfontcolor labelfontname labelfontsize labelhref "
                         "labeltarget labeltooltip labelURL layer lp minlen nojustify penwidth pos samehead "
                         "sametail showboxes style tail_lp tailclip tailhref taillabel tailport tailtarget "
                         "tailtooltip tailURL tooltip URL xlabel LabelGraphics edgeAnchor".split())
MOST_UNREAD_NAMES = 8  # in the record
COORDINATES = re.compile(r"\((?=[^0-9]*[0-9])[0-9\-, ]+\)")  # of networkx's grids: (0, 1)
ROLE_KEYS = ("type", "class", "role", "function")


def roles_of(attributes):
    """What its attributes say that a node is, in small letters: "host", "router" or "switch"; a router where
    they say none of these."""
    return {attributes[key].strip(" \t\r\n").lower() for key in ROLE_KEYS if key in attributes} - {""}


def as_ours(name):
    """Coordinates as grids here have them, "0,1"."""
    return re.sub("[() ]", "", name) if name and COORDINATES.fullmatch(name) else name


def plural(count, word):
    return f"{count} {word}{'' if count == 1 else 's'}"


def take_text(said, key, text):
    """Of a key that a node has twice, what says more stays."""
    if text.strip(" \t\r\n") or key not in said:
        said[key] = text


class TypedGraph:
    def __init__(self, file):
        self.file = file
        # by id: {"host", "index" among routers or hosts, "cables"}; a host's cable: {"router", "ways" (to it,
        # from it), "link"}
        self.nodes = {}
        self.names, self.guids = ([], []), ([], [])  # of routers, of hosts
        self.links = []
        self.directed = self.strict = False  # edges run one way; two nodes have one edge, or one each way
        self.open = {}  # directed edges without one back, as links in order
        self.kinds = {}  # where edges may be named again: links, or cables, by source, target and key
        self.unread = Counter()  # edges with an attribute that is not read
        self.typed, self.own_ids, self.named = False, True, [False, False]
        self.loops = self.second_names = self.unlike = self.strange = self.left_out_groups = 0
        self.several = 0  # hosts with more than one link

    def routers(self):
        return len(self.names[0])

    def add_node(self, identity, attributes, name, label, guid, line):
        """`name` is None where it is the id. What a node is called beside its name, its id or its label,
        stands where its GUID would; ids that are numbers, and those of our own exports, are no names."""
        if identity in self.nodes:
            self.file.fail("id", f"a second node of id {quoted(identity)}", line)
        roles = roles_of(attributes)
        host, router = "host" in roles, bool(roles & {"router", "switch"})
        if host and router:
            self.file.fail("", f"node {quoted(identity)} says that it is a host and a router", line)
        kind = int(host)
        index = len(self.names[kind])
        self.nodes[identity] = {"host": host, "index": index, "cables": []}
        self.typed = self.typed or host or router
        self.strange += bool(roles) and not (host or router)
        own_id = identity == f"{'rh'[kind]}{index}"
        self.own_ids = self.own_ids and own_id
        is_name = not own_id and whole_number(identity) is None
        shown, label, name = map(as_ours, (valid_utf8(identity), label, name))
        self.named[kind] = self.named[kind] or name is not None or label != ""
        called = name if name is not None else shown if is_name or not label else label
        second = shown if called != shown else label
        if not is_name or second == called:
            second = ""
        self.second_names += bool(second and guid)
        self.names[kind].append(called)
        self.guids[kind].append(guid or second)
        return host

    def link_of(self, attributes, line):
        """`ports` and what OWN_KEYS names are "1,2", a number for each end, `width` is a whole number and
        `speed` a text, as RAW_SPEED is where it does not stand. The others are counted."""
        link = {}
        for key, text in attributes.items():
            if key not in EDGE_KEYS:
                self.count_unread(key)
            elif not text:
                continue
            elif key == "ports" or key in OWN_KEYS:
                first, comma, second = text.partition(",")
                if not comma:
                    self.file.fail(key, f"{quoted(text)} is not a number for each end", line)
                self.file.line = line
                least, most = (0, MOST_PORT) if key == "ports" else (1, MOST_32)
                link[key] = [self.file.number(one, key, least, most) for one in (first, second)]
            elif key == "speed":
                link[key] = valid_utf8(text)
            elif key == RAW_SPEED:
                link.setdefault("speed", f"{valid_utf8(text)} bps")
            elif 0 < (whole_number(text) or 0) <= MOST_32:
                link[key] = whole_number(text)
            else:
                self.count_unread(key)  # the width of a line, say
        return link

    def count_unread(self, attribute):
        if attribute not in DRAWING_KEYS and not re.fullmatch("_[a-z]*draw_", attribute):
            self.unread[valid_utf8(attribute)] += 1

    def add_edge(self, source, target, link, directed, key, line):
        """A link, or a host's link to its router. `ports` are those at source and target. What several edges
        of one link say is taken together: ports and times that contradict are refused, of widths and speeds
        the first stay and the others are counted. `directed`: None as the others. Edges of the same ends and
        `key` are one edge, named again."""
        one_way = self.directed if directed is None else directed
        for field, node in (("source", source), ("target", target)):
            if node not in self.nodes:
                self.file.fail(field, f"there is no node {quoted(node)}" if node else "the edge has none",
                               line)
        start, end = self.nodes[source], self.nodes[target]
        if start["host"] and end["host"]:
            self.require_routers()
            self.file.fail("", "an edge between two hosts", line)
        kind = None
        if self.strict or key is not None:
            ends = (target, source) if not one_way and source > target else (source, target)
            kind = (*ends, "" if self.strict else key)
        known = self.kinds.get(kind)
        if start["host"] or end["host"]:
            if start["host"] and "ports" in link:
                link["ports"] = link["ports"][::-1]
            host, router = (start, end) if start["host"] else (end, start)
            known = self._attach(host, router["index"], link, [start["host"] or not one_way, end["host"]
                                                               or not one_way], known, line)
        elif source == target:
            self.loops += known is None
            known = -1
        else:
            known = self._place_of(start["index"], end["index"], one_way) if known is None else known
            self._join_routers(start["index"], end["index"], link, known, line)
        if kind:
            self.kinds[kind] = known

    def _place_of(self, start, end, one_way):
        """Among the links, of an edge that is not named again: where its way back is, or behind them."""
        back = self.open.get((end, start)) if one_way else None
        if back:
            return back.popleft()
        if one_way:
            self.open.setdefault((start, end), deque()).append(len(self.links))
        return len(self.links)

    def _join_routers(self, start, end, link, at, line):
        """A link of its own where `at` is that of none yet, else more of what is said of that one."""
        if at == len(self.links):
            self.links.append({"ends": [start, end], **link})
            return
        if self.links[at]["ends"][0] != start:
            link = {key: value if key in ("speed", "width") else value[::-1] for key, value in link.items()}
        self._merge(self.links[at], link, "link has other numbers (each edge says both ways, its own first)",
                    line)

    def _attach(self, host, router, link, ways, cable, line):
        """As between routers, a way named already is that of a second link, unless the edge is the same."""
        if cable is None:
            cable = next((one for one in host["cables"] if one["router"] == router and
                          not any(way and again for way, again in zip(one["ways"], ways))), None)
        if cable is None:
            cable = {"router": router, "ways": [False, False], "link": {}}
            host["cables"].append(cable)
        cable["ways"] = [one or other for one, other in zip(ways, cable["ways"])]
        self._merge(cable["link"], link, "host has other numbers (each says that to the router first)", line)
        return cable

    def _cabled_hosts(self):
        """(name, GUID, cable) of the hosts: one for each link of a node that is one."""
        for identity, node in self.nodes.items():
            if not node["host"]:
                continue
            name, guid, cables = self.names[1][node["index"]], self.guids[1][node["index"]], node["cables"]
            if not cables:
                self.file.fail_at("", f"host {quoted(identity)} has no edge to a router")
            if len(cables) == 1:
                yield name, guid, cables[0]
                continue
            self.several += 1
            ports = [cable["link"].get("ports", [0, 0])[1] for cable in cables]
            apart = all(ports) and len(set(ports)) == len(ports)
            for at, cable in enumerate(cables):
                yield f"{name or identity}/P{ports[at] if apart else at + 1}", guid, cable

    def _merge(self, known, again, other_numbers, line):
        for key, contradicted in (("ports", "link has other ports (each edge names those at its own ends)"),
                                  *((key, other_numbers) for key in OWN_KEYS)):
            if known.get(key, again.get(key)) != again.get(key, known.get(key)):
                self.file.fail("", f"an edge of the same {contradicted}", line)
        self.unlike += any(key in known and key in again and known[key] != again[key]
                           for key in ("width", "speed"))
        for key, value in again.items():
            known.setdefault(key, value)

    def require_routers(self):
        if not self.routers():
            self.file.fail_at("", "no switch: no node is a router")

    def write(self, stated, notes=None, spec=None, groups=(), end=True):
        """The topology record; `stated` is what its generator says before the notes from here, `notes` what
        it says behind them, `spec` are its members root, virtual_channels and labels, `groups` those of its
        routers, if any."""
        self.require_routers()
        hosts = list(self._cabled_hosts())
        host_names, host_guids, cables = (list(column) for column in zip(*hosts)) if hosts else ([], [], [])
        routers, host_links = [cable["router"] for cable in cables], [cable["link"] for cable in cables]
        for at in self.one_way():
            link = self.links[at]
            link["one_way"] = True
            for key in OWN_KEYS:
                if key in link:
                    link[key][1] = link[key][0]  # nothing takes the way back
        names = [[] if self.typed and self.own_ids and not named else these
                 for these, named in zip((self.names[0], host_names), self.named)]
        guids = [these if any(these) else [] for these in (self.guids[0], host_guids)]
        if not hosts:
            routers, names[1], guids[1] = list(range(self.routers())), names[0], guids[0]
        found = {**self.notes(), **(notes or {})}
        unrated = rate_links(self.links + host_links)
        if unrated:
            found["left-out-link-rates"] = str(unrated)
        note_generator(found)
        details = {"names": names[0], "host_names": names[1], "guids": guids[0], "host_guids": guids[1],
                   "host_links": [self._ordered(link) for link in host_links] if any(host_links) else [],
                   "groups": groups}
        record = {"kind": "topology", "format": 1, "family": "graph", "routers": self.routers(),
                  "hosts": routers, "links": [self._ordered(link) for link in self.links], **(spec or {}),
                  **{key: value for key, value in details.items() if value}, "generator": {**stated, **found}}
        if "relation" in record:
            record["relation"] = record.pop("relation")  # the last
        write_text(json.dumps(record, ensure_ascii=False, separators=(",", ":"))
                   + ('\n{"kind":"end"}\n' if end else "\n"))

    @staticmethod
    def _ordered(link):
        keys = ("ends", "one_way", "ports", *OWN_KEYS[:3], "width", "speed", "virtual_channels")
        return {key: link[key] for key in keys if key in link}

    def one_way(self):
        """Links whose way back no edge names."""
        return [at for links in self.open.values() for at in links]

    def notes(self):
        """What is left out, and links that run one way."""
        names = sorted(self.unread)
        unread = ", ".join(f"{key} of {plural(self.unread[key], 'edge')}"
                           for key in names[:MOST_UNREAD_NAMES])
        if len(names) > MOST_UNREAD_NAMES:
            unread += f" and {len(names) - MOST_UNREAD_NAMES} others"
        notes = {"left-out-groups": self.left_out_groups, "left-out-loop-links": self.loops,
                 "left-out-second-names": self.second_names, "left-out-attributes": self.unlike,
                 "left-out-edge-attributes": unread, "one-way-links": len(self.one_way()),
                 "one-way-host-links-taken-both-ways": sum(
                     cable["ways"][0] != cable["ways"][1] for node in self.nodes.values()
                     for cable in node["cables"]), "hosts-with-several-links": self.several,
                 "left-out-node-types": f"{self.strange} (neither host nor router nor switch)" if self.strange
                 else 0}
        return {what: str(said) for what, said in notes.items() if said}


def undirected(pairs, counts):
    """One edge for each pair of nodes, in whatever order it is named. One named again in the same order, or
    from a node to itself, is counted."""
    edges, seen = [], set()
    for a, b in pairs:
        if (a, b) in seen:
            counts["repeated-links"] += 1
        elif a == b:
            counts["loop-links"] += 1
        elif (b, a) not in seen:
            edges.append({"source": a, "target": b})
        seen.add((a, b))
    return edges


def write_network(nodes, edges, generator, spec=None, end=True):
    """A network of nodes {"id", "type", "name", "guid", "group"} and edges {"source", "target", EDGE_KEYS},
    each as far as it is known; `generator` is what its record says of its origin, `spec` as in
    TypedGraph.write(), without `end` more records come."""
    graph = TypedGraph(None)
    for node in nodes:
        graph.add_node(node["id"], node, node.get("name"), "", node.get("guid", ""), 0)
    for edge in edges:
        link = {key: edge[key] for key in EDGE_KEYS if edge.get(key)}
        graph.add_edge(edge["source"], edge["target"], link, None, None, 0)
    note_generator(generator)
    graph.write(generator, spec=spec, groups=[node["group"] for node in nodes if "group" in node], end=end)
