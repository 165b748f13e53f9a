"""Networks as data/FORMAT-reference.md describes them (3.1), for simulation.py, whose first lines say
more."""
# SPDX-License-Identifier: MIT
import math


OWN_KEYS = ("hop_cycles", "flit_cycles", "buffer_flits", "virtual_channels")


def grid_channels(dims, rings):
    """(channel, its ends) of a grid, some of whose dimensions are rings: port 2d leads up in dimension d,
    port 2d + 1 down."""
    for node in range(math.prod(dims)):
        for d, size in enumerate(dims):
            stride = math.prod(dims[:d])
            at = node // stride % size
            for port, to in ((2 * d, at + 1), (2 * d + 1, at - 1)):
                to = to % size if d in rings else to
                if 0 <= to < size and size > 1:
                    yield node * 2 * len(dims) + port, (node, node + (to - at) * stride)


def cube_channels(dimensions):
    """(channel, its ends) of a hypercube: port d flips bit d."""
    for node in range(2**dimensions):
        for d in range(dimensions):
            yield node * dimensions + d, (node, node ^ 1 << d)


def ccc_channels(dimensions):
    """(channel, its ends) of cube-connected cycles: ports 0 and 1 around the cycle, port 2 across."""
    for node in range(dimensions * 2**dimensions):
        cycle, at = divmod(node, dimensions)
        ends = (cycle * dimensions + (at + 1) % dimensions, cycle * dimensions + (at - 1) % dimensions,
                (cycle ^ 1 << at) * dimensions + at)
        for port, to in enumerate(ends):
            yield 3 * node + port, (node, to)


class Network:
    """Channels and hosts, as FORMAT 3.1 numbers them, with what each link takes where the topology says
    so."""

    def __init__(self, topology):
        family = topology["family"]
        self.has_host_links = family == "graph"
        self.dims = topology.get("dims", [])
        self.dimensions = len(self.dims)
        self.rings = [d for d in range(self.dimensions) if family == "torus"
                      and d not in topology.get("open", [])]
        self.links_at = {}  # graphs: the links of each router, in the order of its ports
        # what links say of themselves, by ("flit_cycles", channel) and ("flit_cycles", "to_host", host)
        self.own = {}
        if family == "graph":
            self.router_of = topology["hosts"]
            self.ends = {}
            self.read_links(topology)
            return
        if family == "hypercube":
            channels = cube_channels(topology["dimensions"])
            self.most_ports = topology["dimensions"]
        elif family == "ccc":
            channels = ccc_channels(topology["dimensions"])
            self.most_ports = 3
        else:
            channels = grid_channels(self.dims, self.rings)
        self.ends = dict(channels)
        for link_class in topology.get("link_classes", []):
            self.read_class(topology["dims"], link_class)
        self.router_of = range(1 + max(start for start, _ in self.ends.values()))

    def read_links(self, topology):
        for link, record in enumerate(topology["links"]):
            self.ends[2 * link] = tuple(record["ends"])
            if not record.get("one_way"):
                self.ends[2 * link + 1] = tuple(reversed(record["ends"]))
            for router in record["ends"]:
                self.links_at.setdefault(router, []).append(link)
            self.read_own(record, (2 * link,), (2 * link + 1,))
        for host, record in enumerate(topology.get("host_links", [])):
            self.read_own(record, ("to_router", host), ("to_host", host))

    def read_own(self, record, *ways):
        for key in OWN_KEYS:
            for way, value in zip(ways, record.get(key, [])):
                self.own[(key, *way)] = value

    def read_class(self, dims, link_class):
        """Links are between blocks where the coordinate of their upper end, that of a wrap link past the
        last, is a multiple."""
        dimension, every = link_class["dimension"], link_class.get("every", 1)
        for node in range(math.prod(dims)):
            at = node // math.prod(dims[:dimension]) % dims[dimension]
            for down, upper in ((0, at + 1), (1, at or dims[dimension])):
                if upper % every == 0:
                    way = (node * 2 * len(dims) + 2 * dimension + down,)
                    self.read_own({key: [both[down]] for key, both in link_class.items() if key in OWN_KEYS},
                                  way)

    def of_hop(self, what, kind, target, usual):
        """What the link of a hop says of itself, or what is usual; injection channels are no links."""
        if kind == "channel":
            return self.own.get((what, target), usual)
        way = {"host_link": "to_router", "consumption": "to_host"}.get(kind)
        return self.own.get((what, way, target), usual)

    def ring_of(self, channel):
        """Where it runs around a ring: its port, and the other coordinates of where it begins."""
        node, port = (divmod(channel, 2 * self.dimensions or self.most_ports) if not self.has_host_links
                      else (0, 0))
        if port // 2 not in self.rings:
            return None
        stride = math.prod(self.dims[:port // 2])
        return port, node % stride, node // (stride * self.dims[port // 2])

    def input_of(self, channel):
        """The number of the input in which it ends, among those of the router there (FORMAT 3.9,
        output_arbitration)."""
        if self.dimensions:
            dimension, down = divmod(channel % (2 * self.dimensions), 2)
            last = self.dimensions - 1
            # what goes down ends in a port that faces up
            return last - dimension if down else 2 * last + 1 - dimension
        start, end = self.ends[channel]
        if self.has_host_links:
            return self.links_at[end].index(channel // 2)
        return next(other for other, way in self.ends.items() if way == (end, start)) % self.most_ports

    def local_input(self):
        """That of what a node sends itself: after as many ports as a router can have."""
        if self.has_host_links:
            return max(map(len, self.links_at.values()))
        return 2 * self.dimensions or self.most_ports
