# Descriptions of networks by floogen: their routers, endpoints and links, and what addresses mean in them.
# SPDX-License-Identifier: MIT
"""Protocols and addresses are checked for their form; Addresses says whose an address is. See
pulp-platform/FlooNoC, floogen/model/network.py, graph.py, connection.py."""
import bisect
import itertools
import math

from converter import quoted
from yaml_file import read_yaml

PORTS = ("north", "east", "south", "west", "eject")
ALGORITHMS = ("XY", "YX", "ID", "SRC", "XY_MIRRORED", "YX_MIRRORED")
MOST_NODES, MOST_RANGES = 1 << 16, 1 << 20  # routers, and likewise endpoints


def sizes_of(value, field):
    """The numbers of `array` (one or two) or of `tree`."""
    sizes = [one.number(field, MOST_NODES) for one in (value.each(field) if value.text is None else [value])]
    value.fail_if(not sizes, field, "no size is named")
    value.fail_if(0 in sizes, field, "0 is not a size")
    value.fail_if(math.prod(sizes) > MOST_NODES, field, f"more than {MOST_NODES} nodes")
    return sizes


def numbered(name, sizes):
    """The names of an array."""
    return ["_".join([name, *map(str, place)]) for place in itertools.product(*map(range, sizes))]


def in_range(names, value, field):
    ends = value.each(field)
    value.fail_if(len(ends) != 2, field, "a range has a first and a last index")
    first, last = (one.number(field, MOST_NODES) for one in ends)
    value.fail_if((abs(last - first) + 1) * len(names) > MOST_NODES, field, f"more than {MOST_NODES} nodes")
    return [f"{name}_{i}" for name in names for i in (range(first, last + 1) if first <= last
                                                      else range(first, last - 1, -1))]


def port_of(connection, key):
    value = connection.find(key)
    if value is None:
        return None
    word = value.name(key).lower()
    return PORTS.index(word) if word in PORTS else value.number(key, 254)


def check_range(value):
    value.expect_keys("addr_range", "start end base size arr_idx arr_dim rdl_name rdl_as_mem en_collective "
                      "en_multicast desc rdl_addrmap_grp rdl_params")
    said = {key: value.find(key).number(key, 2**63 - 1) for key in ("start", "end", "base", "size")
            if value.find(key)}
    for key in ("en_collective", "en_multicast"):  # the latter in v0.7
        value.said(key, False)
    return said


class Description:
    def __init__(self, file):
        self.root = root = read_yaml(file)
        self.routers, self.levels = {}, {}  # numbers, and levels of trees, by name
        self.links = {}  # pairs of routers: their ends, and ports or None
        self.hosts = {}  # endpoints: None, then (router, port or None)
        self.ranges = []  # (value, what it says, endpoints, whether they are an array)
        self.array = None  # sizes of the routers named first, two
        self.mesh = self.extra_links = False  # the array is joined; there are links beside
        root.expect_keys("network", "name description network_type protocols endpoints routers connections "
                         "routing params")
        root.at("name", "network").name("name")
        if root.find("network_type") is None:
            root.fail("network_type", "missing, as in descriptions for floogen before v0.6; add "
                      "network_type: axi, or narrow-wide where there are narrow and wide links")
        kind = root.find("network_type")
        if kind.name("network_type") not in ("axi", "narrow-wide"):
            kind.fail("network_type", f"{quoted(kind.text)} is neither axi nor narrow-wide")
        self.protocols = self.listed("protocols")
        for protocol in self.protocols:
            protocol.expect_keys("protocols", "name description protocol type direction data_width "
                                 "addr_width id_width user_width type_prefix")
            protocol.at("name", "protocols").name("name")
            for key in ("data_width", "addr_width", "id_width"):
                protocol.at(key, "protocols").number(key, 1 << 20)
        self.read_routing(root.at("routing", "network"))
        for read, key in ((self.read_routers, "routers"), (self.read_endpoints, "endpoints"),
                          (self.connect, "connections")):
            for value in self.listed(key):
                read(value)
        if not self.routers:
            root.find("routers").fail("routers", "none is named")
        for name, where in self.hosts.items():
            if where is None:
                root.find("connections").fail("connections", f"endpoint {name} is not connected")
        # Every router of the one mesh has one endpoint, and there is nothing else.
        self.mesh = (self.mesh and not self.extra_links and math.prod(self.array) == len(self.routers)
                     == len(self.hosts) == len({router for router, _ in self.hosts.values()}))

    def listed(self, key):
        return self.root.at(key, "network").each(key)

    def read_routing(self, routing):
        routing.expect_keys("routing", "route_algo use_id_table rob_idx_bits port_id_bits num_vc_id_bits "
                            "decouple_rw vc_impl collective en_multicast en_parallel_reduction "
                            "en_narrow_offload_reduction en_wide_offload_reduction")
        algorithm = routing.at("route_algo", "routing")
        if algorithm.name("route_algo").upper() not in ALGORITHMS:
            algorithm.fail("route_algo", f"{quoted(algorithm.text)} is none of {', '.join(ALGORITHMS)}")
        self.notes = {"route_algo": algorithm.text.upper()}
        # v0.7
        said = {key: value for key, value in routing.members.items() if key.startswith("en_")
                and value.boolean(key)}
        if collective := routing.find("collective"):
            collective.expect_keys("collective", "en_narrow_multicast en_wide_multicast en_barrier "
                                   "en_narrow_reduction en_wide_reduction")
            said |= {key: value for key, value in collective.members.items()
                     if (key.endswith("reduction") and value.text is None)
                     or (not value.empty() and value.boolean(key))}
        self.notes |= {key[len("en_"):]: "true" for key in said}

    def add(self, value, names, host=False):
        for name in names:
            if len(self.hosts if host else self.routers) == MOST_NODES:
                value.fail("endpoints" if host else "routers", f"more than {MOST_NODES} in all")
            if name in self.hosts or name in self.routers:
                value.fail("name", f"{quoted(name)} is the name of two nodes")
            if host:
                self.hosts[name] = None
            else:
                self.routers[name] = len(self.routers)

    def read_routers(self, value):
        value.expect_keys("routers", "name array tree xy_id_offset auto_connect degree")
        name, first, joined = (value.at("name", "routers").name("name"), len(self.routers),
                               value.said("auto_connect", True))
        array, tree = value.find("array"), value.find("tree")
        value.fail_if(array and tree, "routers", "both 'array' and 'tree' are there")
        if tree:
            sizes = sizes_of(tree, "tree")
            tree.fail_if(len(sizes) > 16, "tree", "more than 16 levels")
            self.add_tree(value, name, sizes, 0, joined, None)
        elif array:
            sizes = sizes_of(array, "array")
            array.fail_if(len(sizes) != 2, "array", "an array of routers has two sizes")
            self.add(value, numbered(name, sizes))
            if first == 0:
                self.array, self.mesh = sizes, joined
            # Router (i, j) is first + i * height + j; i grows to the east, j to the north.
            for at in range(math.prod(sizes) if joined else 0):
                i, j = divmod(at, sizes[1])
                if i + 1 < sizes[0]:
                    self.join(first + at, first + at + sizes[1], [1, 3])
                if j + 1 < sizes[1]:
                    self.join(first + at, first + at + 1, [0, 2])
        else:
            self.add(value, [name])

    def add_tree(self, value, parent, sizes, level, joined, above):
        for name in numbered(parent, sizes[level:level + 1]) if level < len(sizes) else []:
            router = len(self.routers)
            self.add(value, [name])
            self.levels[name] = level
            if joined and above is not None:
                self.join(above, router, None)
            self.add_tree(value, name, sizes, level + 1, joined, router)

    def join(self, a, b, ports):
        return self.links.setdefault((min(a, b), max(a, b)), link := ([a, b], ports)) is link

    def read_endpoints(self, value):
        value.expect_keys("endpoints", "name description array num addr_range xy_id_offset mgr_port_protocol "
                          "sbr_port_protocol")
        name, ranges, array = (value.at("name", "endpoints").name("name"), value.find("addr_range"),
                               value.find("array"))
        stated = [] if ranges is None else ranges.each("addr_range") if ranges.is_list() else [ranges]
        said = [(one, check_range(one)) for one in stated]
        sizes = sizes_of(array, "array") if array else []
        if len(sizes) > 2:
            array.fail("array", "an array of endpoints has one or two sizes")
        names = numbered(name, sizes)
        self.add(value, names, host=True)
        self.ranges += [(*one, names, bool(sizes)) for one in said]

    def end_of(self, connection, end):
        """The nodes at one end of a connection, by name, index, range or level."""
        name = connection.at(end, "connections").name(end)
        index, span, level = (connection.find(f"{end}_{by}") for by in ("idx", "range", "lvl"))
        if sum(by is not None for by in (index, span, level)) > 1:
            connection.fail(end, f"{end}_idx, {end}_range and {end}_lvl exclude each other")
        if level:
            number = level.number(f"{end}_lvl", MOST_NODES)
            names = [router for router in self.routers if self.levels.get(router) == number
                     and router.startswith(name)]
            return names or level.fail("level", f"{quoted(name)} has no level {number}")
        names = [name]
        if index:
            numbers = [index] if index.text is not None else index.each(f"{end}_idx")
            index.fail_if(len(numbers) > 2, f"{end}_idx", "more than two indices")
            names = ["_".join([name, *(str(one.number(f"{end}_idx", MOST_NODES)) for one in numbers)])]
        elif span:
            ranges = span.each(f"{end}_range")
            if not 1 <= len(ranges) <= 2:
                span.fail(f"{end}_range", "more than two ranges" if ranges else "it is empty")
            for one in ranges:
                names = in_range(names, one, f"{end}_range")
        for one in names:
            if one not in self.routers and one not in self.hosts:
                connection.fail(end, f"there is no node {quoted(one)}")
        return names

    def connect(self, connection):
        connection.expect_keys("connections", "description src dst src_range dst_range src_idx dst_idx "
                               "src_lvl dst_lvl dst_dir src_dir allow_multi bidirectional")
        connection.fail_if(not connection.said("bidirectional", True), "bidirectional", "links go both ways")
        ends = [self.end_of(connection, end) for end in ("src", "dst")]
        if connection.said("allow_multi", False):
            most = max(map(len, ends))
            # Each of the few stands for as many of the others that follow each other.
            ends = [[name for name in end for _ in range(most // len(end))] if most % len(end) == 0 else end
                    for end in ends]
        if len(ends[0]) != len(ends[1]):
            connection.fail("connections", f"{len(ends[0])} nodes at one end, {len(ends[1])} at the other")
        ports = [port_of(connection, f"{end}_dir") for end in ("src", "dst")]
        for source, target in zip(*ends):
            if source in self.hosts and target in self.hosts:
                connection.fail("connections", f"endpoints {source} and {target} have no router between them")
            if source in self.hosts:
                self.attach(connection, source, target, ports[1])
            elif target in self.hosts:
                self.attach(connection, target, source, ports[0])
            else:
                self.extra_links = True
                connection.fail_if(source == target, "connections", f"router {source} is connected to itself")
                if not self.join(self.routers[source], self.routers[target], None if None in ports
                                 else ports):
                    connection.fail("connections", f"routers {source} and {target} are connected twice")

    def attach(self, connection, host, router, port):
        if self.hosts[host]:
            at = list(self.routers)[self.hosts[host][0]]
            connection.fail("connections", f"endpoint {host} is connected twice: to {at} and {router}")
        self.hosts[host] = (self.routers[router], port)

    def node_of(self, endpoint):
        """How the network that is imported from the description names it."""
        if not self.mesh:
            return endpoint
        x, y = divmod(self.hosts[endpoint][0], self.array[1])
        return f"{x},{y}"


class Addresses(Description):
    """And whose an address is, and the data widths of links."""

    def __init__(self, file):
        super().__init__(file)
        # (start, end, endpoint), ascending, none of which meets another
        stated, self.ranges = self.ranges, []
        for value, said, names, array in stated:
            if array and "base" not in said:
                value.fail("addr_range", "the addresses of an array count from a 'base'")
            first = said["base"] if "base" in said and (array or "size" in said) else said.get("start")
            if first is None or not ("size" in said or {"start", "end"} <= said.keys()):
                value.fail("addr_range", "'base' and 'size', 'start' and 'size', or 'start' and 'end' are "
                           "wanted")
            size = said["size"] if "size" in said else said["end"] - said["start"]
            value.fail_if(size <= 0, "addr_range", "it is empty")
            value.fail_if(first + size * len(names) > 2**63 - 1, "addr_range", "it ends above 2^63-1")
            if len(self.ranges) + len(names) > MOST_RANGES:
                value.fail("addr_range", f"more than {MOST_RANGES} ranges of addresses")
            self.ranges += ((first + size * i, first + size * (i + 1), name) for i, name in enumerate(names))
        order = {name: i for i, name in enumerate(self.hosts)}
        self.ranges.sort(key=lambda one: (one[0], order[one[2]]))
        for (_, end, one), (start, _, other) in itertools.pairwise(self.ranges):
            if start < end:
                stated[0][0].fail("addr_range", f"{start:#x} is an address of {one} and of {other}")
        self.widths = {}  # of links that say whether they are narrow or wide the first of each sort counts
        for protocol in self.protocols:
            kind = protocol.find("type").text if protocol.find("type") else None
            if kind not in ("narrow", "wide") or kind in self.widths:
                continue
            width = protocol.find("data_width")
            self.widths[kind] = width.number("data_width", 1 << 20)
            if self.widths[kind] not in (8, 16, 32, 64, 128, 256, 512, 1024):
                width.fail("data_width", f"{self.widths[kind]} bits is none of AXI's widths, 8, 16, … 1024")

    def endpoint_of(self, address):
        at = bisect.bisect_right(self.ranges, address, key=lambda one: one[0]) - 1
        return self.ranges[at][2] if at >= 0 and address < self.ranges[at][1] else None
