# What addresses mean in a network description of floogen, which the record of a network does not say.
# SPDX-License-Identifier: MIT
"""The endpoints of a description, their addresses, their routers, and the data widths of its links. Whether the
description is one in all else is for `gen-topology import` to say. See pulp-platform/FlooNoC, floogen/model."""
import bisect
import itertools

from converter import Refused

DIRECTIONS = ("north", "east", "south", "west", "eject")
MOST_NODES, MOST_RANGES = 1 << 16, 1 << 20


class Description:
    def __init__(self, file):
        try:
            import yaml
        except ImportError:
            raise Refused("the package python3-yaml is not installed") from None
        self.file = file
        try:
            # A value as it stands there, so that errors can name its line.
            self.root = yaml.compose(file.text(), Loader=yaml.SafeLoader)
            self.construct = yaml.SafeLoader("").construct_object
            if self.root is None:
                file.fail_at("", "the file is empty")
            self.read()
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            file.fail("", f"no YAML: {getattr(error, 'problem', None) or error}", mark.line + 1 if mark else 0)

    def fail(self, node, field, what):
        self.file.fail(field, what, node.start_mark.line + 1)

    def value(self, node, field, least, most):
        value = self.construct(node, deep=True)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            self.fail(node, field, f"'{node.value}' is not a whole number from {least} to {most}")
        return value

    def members(self, node, field):
        if node is None or not isinstance(node.value, list) or node.tag != "tag:yaml.org,2002:map":
            self.fail(node or self.root, field, "an object is wanted")
        return {key.value: value for key, value in node.value}

    def each(self, members, key):
        if key not in members or not isinstance(members[key].value, list):
            self.fail(members.get(key, self.root), key, "a list is wanted")
        return [(one, self.members(one, key)) for one in members[key].value]

    def numbers(self, node, field, least=0):
        """One number, or those of a list."""
        nodes = node.value if isinstance(node.value, list) else [node]
        return [self.value(one, field, least, MOST_NODES) for one in nodes]

    def read(self):
        root = self.members(self.root, "network")
        self.routers, self.levels = {}, {}  # numbers, and levels of trees, by name
        self.array = None  # sizes of the routers named first
        self.mesh = False  # they are joined
        self.extra_links = False
        for node, one in self.each(root, "routers"):
            self.add_routers(node, one)
        self.attached = {}  # by endpoint: (router, port or None)
        stated = []
        for node, one in self.each(root, "endpoints"):
            stated += self.add_endpoints(node, one)
        for node, one in self.each(root, "connections"):
            self.connect(node, one)
        for name, where in self.attached.items():
            if where is None:
                self.fail(root["connections"], "connections", f"endpoint {name} is not connected")
        self.read_ranges(root, stated)
        self.widths = {}  # of links that say whether they are narrow or wide the first of each sort counts
        for node, one in self.each(root, "protocols"):
            kind = one["type"].value if "type" in one else None
            if kind not in ("narrow", "wide") or kind in self.widths:
                continue
            width = one.get("data_width", node)
            self.widths[kind] = self.value(width, "data_width", 0, 1 << 20)
            if self.widths[kind] not in (8, 16, 32, 64, 128, 256, 512, 1024):
                self.fail(width, "data_width", f"{self.widths[kind]} bits is none of AXI's widths, 8, 16, … 1024")

    def names(self, node, members, field):
        """One name, or those of an array."""
        name = members["name"].value if "name" in members else self.fail(node, "name", "is missing")
        sizes = self.numbers(members[field], field, 1) if field in members else []
        count = 1
        for size in sizes:
            count *= size
        if count > MOST_NODES:
            self.fail(node, field, f"more than {MOST_NODES} nodes")
        return sizes, ["_".join([name, *map(str, place)]) for place in itertools.product(*map(range, sizes))]

    def add_routers(self, node, members):
        first = not self.routers
        if "tree" in members:
            sizes, leaves = self.names(node, members, "tree")
            for leaf in leaves:  # parents come before their children
                parts = leaf.split("_")
                for level in range(len(sizes)):
                    name = "_".join(parts[:len(parts) - len(sizes) + level + 1])
                    self.levels.setdefault(name, level)
                    self.routers.setdefault(name, len(self.routers))
            return
        sizes, names = self.names(node, members, "array")
        for name in names:
            self.routers[name] = len(self.routers)
        if first and len(sizes) == 2:
            self.array = tuple(sizes)
            self.mesh = "auto_connect" not in members or self.construct(members["auto_connect"]) is True

    def add_endpoints(self, node, members):
        """(range, endpoints, whether they are an array) of each of its ranges."""
        sizes, names = self.names(node, members, "array")
        self.attached |= dict.fromkeys(names)
        ranges = members.get("addr_range")
        if ranges is None:
            return []
        return [(one, names, bool(sizes)) for one in (ranges.value if ranges.tag.endswith("seq") else [ranges])]

    def connect(self, node, members):
        ends = [self.end_of(node, members, end) for end in ("src", "dst")]
        if "allow_multi" in members and self.construct(members["allow_multi"]) is True:
            most = max(map(len, ends))
            # Each of the few stands for as many of the others that follow each other.
            ends = [[name for name in end for _ in range(most // len(end))] if most % len(end) == 0 else end for end in ends]
        if len(ends[0]) != len(ends[1]):
            self.fail(node, "connections", f"{len(ends[0])} nodes at one end, {len(ends[1])} at the other")
        ports = [self.port(members.get(f"{end}_dir")) for end in ("src", "dst")]
        for source, target in zip(*ends):
            if source in self.attached:
                self.attached[source] = (self.routers.get(target), ports[1])
            elif target in self.attached:
                self.attached[target] = (self.routers.get(source), ports[0])
            else:
                self.extra_links = True

    def end_of(self, node, members, end):
        """The nodes at one end of a connection, by name, index, range or level."""
        if end not in members:
            self.fail(node, end, "is missing")
        name = members[end].value
        if f"{end}_lvl" in members:
            level = self.value(members[f"{end}_lvl"], f"{end}_lvl", 0, MOST_NODES)
            return [router for router in self.routers if router.startswith(name) and self.levels.get(router) == level]
        names = [name]
        if f"{end}_idx" in members:
            names = ["_".join([name, *map(str, self.numbers(members[f"{end}_idx"], f"{end}_idx"))])]
        for one in members[f"{end}_range"].value if f"{end}_range" in members else []:
            first, last = self.numbers(one, f"{end}_range")
            steps = range(first, last + 1) if first <= last else range(first, last - 1, -1)
            names = [f"{prefix}_{i}" for prefix in names for i in steps]
        for one in names:
            if one not in self.routers and one not in self.attached:
                self.fail(node, end, f"there is no node '{one}'")
        return names

    def port(self, node):
        if node is None:
            return None
        word = str(node.value).lower()
        return DIRECTIONS.index(word) if word in DIRECTIONS else self.value(node, "direction", 0, 254)

    def read_ranges(self, root, stated):
        self.ranges = []  # (start, end, endpoint), ascending, none of which meets another
        for node, names, array in stated:
            said = {key: self.value(value, key, 0, 2**63 - 1) for key, value in self.members(node, "addr_range").items()
                    if key in ("start", "end", "base", "size")}
            if array and "base" not in said:
                self.fail(node, "addr_range", "the addresses of an array count from a 'base'")
            first = said["base"] if "base" in said and (array or "size" in said) else said.get("start")
            if first is None or not ("size" in said or {"start", "end"} <= said.keys()):
                self.fail(node, "addr_range", "'base' and 'size', 'start' and 'size', or 'start' and 'end' are wanted")
            size = said["size"] if "size" in said else max(0, said["end"] - said["start"])
            if size == 0:
                self.fail(node, "addr_range", "it is empty")
            if first + size * len(names) > 2**63 - 1:
                self.fail(node, "addr_range", "it ends above 2^63-1")
            if len(self.ranges) + len(names) > MOST_RANGES:
                self.fail(node, "addr_range", f"more than {MOST_RANGES} ranges of addresses")
            self.ranges += ((first + size * i, first + size * (i + 1), name) for i, name in enumerate(names))
        order = {name: i for i, name in enumerate(self.attached)}
        self.ranges.sort(key=lambda one: (one[0], order[one[2]]))
        for (_, end, one), (start, _, other) in itertools.pairwise(self.ranges):
            if start < end:
                self.fail(stated[0][0], "addr_range", f"{start:#x} is an address of {one} and of {other}")

    def endpoint_of(self, address):
        at = bisect.bisect_right(self.ranges, address, key=lambda one: one[0]) - 1
        return self.ranges[at][2] if at >= 0 and address < self.ranges[at][1] else None

    def node_of(self, endpoint):
        """How the network that is imported from the description names it: a mesh where each router of one has one endpoint."""
        if not hasattr(self, "is_mesh"):
            taken = {router for router, _ in self.attached.values()}
            self.is_mesh = (self.mesh and not self.extra_links and self.array[0] * self.array[1] == len(self.routers)
                            == len(self.attached) == len(taken))
        if not self.is_mesh:
            return endpoint
        x, y = divmod(self.attached[endpoint][0], self.array[1])
        return f"{x},{y}"
