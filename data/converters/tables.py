# Forwarding tables as converters share them: channels and ports of networks, records, what routes make.
# SPDX-License-Identifier: MIT
import json
import math

from converter import Refused, note, refuse_if

ONE_WAY = ("torus-forward", "torus-backward")
GRIDS = ("mesh", "torus", "torus-forward", "torus-backward", "hypercube")


def grid_neighbour(record, dims, router, port):
    """Where a port leads, None where nowhere, and the port that leads back."""
    family = record["family"]
    dimension = port if family == "hypercube" else port // 2
    stride, size = math.prod(dims[:dimension]), dims[dimension]
    at = router // stride % size
    step = 1 - 2 * (at if family == "hypercube" else port % 2)
    is_line = family == "mesh" or dimension in record.get("open", ())
    if (is_line and not 0 <= at + step < size) or size == 1 or family == ONE_WAY[1 - port % 2]:
        return None, None
    return router + ((at + step) % size - at) * stride, port if family == "hypercube" else port ^ 1


def cycle_neighbour(record, _, router, port):
    """The same of cube-connected cycles: up and down the cycle, and across the cube."""
    size = record["dimensions"]
    cycle, at = divmod(router, size)
    if port == 2:
        return (cycle ^ 1 << at) * size + at, 2
    return cycle * size + (at + 1 - 2 * port) % size, 1 - port


class Network:
    """Channels of a topology record: where each leads, and by which port."""

    def __init__(self, record):
        self.record, family = record, record["family"]
        self.ends, self.back = {}, {}  # of a channel: (from, to, port), and the channel the other way
        self.stated = any("ports" in link for link in record.get("links", []))
        if family == "graph":
            self.routers, self.hosts = record["routers"], record["hosts"]
            used = [0] * self.routers
            for k, link in enumerate(record["links"]):
                ports, ways = link.get("ports"), 1 if link.get("one_way") else 2
                for way in range(ways):
                    start, end = link["ends"][way], link["ends"][1 - way]
                    self.ends[2 * k + way] = (start, end, ports[way] if ports else used[start])
                    used[start] += 0 if ports else 1
                    if ways == 2:
                        self.back[2 * k + way] = 2 * k + 1 - way
        else:
            self.grid(family, record)
        self.ports = 1 + max((port for _, _, port in self.ends.values()), default=-1)
        # Ports of hosts are their own, or come behind those of links.
        links, self.local = record.get("host_links", []), []
        behind = [self.ports] * self.routers if self.stated or family != "graph" else used
        for host, router in enumerate(self.hosts):
            stated = links[host].get("ports") if links else None
            self.local.append(stated[0] if stated else behind[router])
            behind[router] += 0 if stated else 1

    def grid(self, family, record):
        dims = record.get("dims") or [2] * record["dimensions"]
        self.routers = math.prod(dims)
        if family == "ccc":
            self.routers *= record["dimensions"]
        elif family not in GRIDS:
            raise Refused(f"family: {family} is not one of graph, ccc, {', '.join(GRIDS)}")
        neighbour = cycle_neighbour if family == "ccc" else grid_neighbour
        self.hosts = list(range(self.routers))  # by number; records name none of `hostless`
        failed = set(record.get("failed", ()))
        per_router = {"ccc": 3, "hypercube": len(dims)}.get(family, 2 * len(dims))
        for router in range(self.routers):
            for port in range(per_router):
                to, back = neighbour(record, dims, router, port)
                if to is None:
                    continue
                there, again = router * per_router + port, to * per_router + back
                if there in failed or (again in failed and family not in ONE_WAY):
                    continue
                self.ends[there] = (router, to, port)
                if family not in ONE_WAY:
                    self.back[there] = again

    def port(self, hop):
        return self.local[~hop] if hop < 0 else self.ends[hop][2]

    def router(self, hop):
        return self.hosts[~hop] if hop < 0 else self.ends[hop][0]

    def router_name(self, router):
        return (self.record.get("names") or {router: str(router)})[router]

    def host_name(self, host):
        return (self.record.get("host_names") or {host: str(host)})[host]


class Tables:
    """Of one network: by router, the hop to each destination and the hops of each group."""

    def __init__(self, network, topology_line):
        self.network, self.topology_line = network, topology_line
        self.unicast = [{} for _ in range(network.routers)]
        self.multicast = [{} for _ in range(network.routers)]
        self.trees = {}  # groups of routes: links by router, as tables records have them
        self.group_level, self.levels, self.lanes, self.stated = {}, {}, {}, []

    def add_record(self, record):
        router = record["router"]
        for entry in record.get("unicast", []):
            self.unicast[router] |= dict.fromkeys(entry["destinations"], entry["hop"])
        for group in record.get("multicast", []):
            self.multicast[router][group["group"]] = group["hops"]
            self.trees.setdefault(group["group"], {})[router] = set(group["hops"])
            if "service_level" in group:
                self.group_level[group["group"]] = group["service_level"]
        for entry in record.get("sl2vl", []):
            self.lanes |= {(router, came, left): entry["vcs"] for came in entry["in"]
                           for left in entry["out"]}
        for entry in record.get("service_levels", []):
            self.levels |= {(source, to): entry["level"] for source in entry["sources"]
                            for to in entry["destinations"]}
        if rest := {key: record[key] for key in ("sl2vl", "service_levels") if key in record}:
            self.stated.append((router, rest))

    def add_unicast(self, file, line, router, destination, hop):
        other = self.unicast[router].setdefault(destination, hop)
        if other != hop:
            port = self.network.port
            file.fail("hops", f"router {router} sends to node {destination} by port {port(hop)}, and by "
                      f"{port(other)} for another source: no table by destination says that", line)

    def add_routes(self, file, line, record):
        """Whether virtual channels are stated, which tables leave out."""
        if len(record["worms"]) != 1 or "hops" not in record["worms"][0]:
            file.fail("worms", f"multicast {record['id']} is not one worm with hops", line)
        worm = record["worms"][0]
        for hop in worm["hops"]:
            if hop >= 0 and hop not in self.network.ends:
                file.fail("hops", f"there is no channel {hop}", line)
            router = self.network.router(hop)
            if len(record["destinations"]) > 1:
                self.multicast[router].setdefault(record["id"], []).append(hop)
            else:
                self.add_unicast(file, line, router, record["destinations"][0], hop)
        if len(record["destinations"]) > 1:
            self.add_tree(file, line, record, worm["hops"])
        return "vcs" in worm

    def add_tree(self, file, line, record, hops):
        """The links of the worm, both ways: what comes by one of them leaves by all others."""
        links, channels = {}, [hop for hop in hops if hop >= 0]
        name = record.get("workload", {}).get("group", str(record["id"]))
        for hop in [~record["source"], *hops, *(self.network.back.get(hop) for hop in channels)]:
            if hop is None:
                links = None  # it goes one way
                break
            links.setdefault(self.network.router(hop), set()).add(hop)
        if links is not None and (len(channels) != len(links) - 1 or len(set(hops)) != len(hops)):
            links = None  # it comes to a router twice
        if self.trees.setdefault(name, links) != links:
            file.fail("hops", f"group {name} has other links for another source", line)


def read_tables(file):
    """Of a stream with tables or with routes of one network."""
    tables, channels = None, 0
    for line in file.lines():
        kind = ""
        try:
            record = json.loads(line)
            kind = record["kind"]
            if kind == "topology":
                file.fail_if(tables is not None, "kind", "a second topology: one network at a time")
                tables = Tables(Network(record), line)
            elif kind not in ("tables", "routes", "end"):
                file.fail("kind", f"a {kind} record; routes are read")
            elif tables is None:
                file.fail("kind", f"a record of kind {kind} before the topology")
            elif kind == "tables":
                tables.add_record(record)
            elif kind == "routes":
                channels += tables.add_routes(file, file.line, record)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            file.fail("", f"no {kind} record" if kind in ("topology", "tables", "routes") else "no record")
    if tables is None:
        file.fail_at("", "no topology came")
    if channels:
        note(f"virtual channels of {channels} routes are left out")
    return tables


def missing_entries(unicast, hosts):
    """How many entries tables lack, for those who have half of a file: as a note, if any."""
    missing = len(unicast) * hosts - sum(map(len, unicast))
    return {"missing-entries": missing} if missing and any(unicast) else {}


def table_line(router, unicast, groups=(), **more):
    """A tables record, or nothing where it would be empty; `unicast`: the hop to each destination."""
    by_hop: dict = {}
    for to, hop in unicast.items():
        by_hop.setdefault(hop, []).append(to)
    members = {"unicast": [{"hop": hop, "destinations": sorted(to)} for hop, to in sorted(by_hop.items())],
               "multicast": groups, **more}
    members = {key: value for key, value in members.items() if value}
    return json.dumps({"kind": "tables", "router": router, **members}, separators=(",", ":"),
                      ensure_ascii=False) + "\n" if members else ""


def as_records(tables):
    """As a stream, as gen-topology import makes it."""
    stated = dict(tables.stated)
    lines = [tables.topology_line + "\n"]
    for router, unicast in enumerate(tables.unicast):
        groups = [{"group": name, "hops": sorted(links[router])}
                  | ({"service_level": tables.group_level[name]} if name in tables.group_level else {})
                  for name, links in sorted(group_links(tables).items()) if router in links]
        lines.append(table_line(router, unicast, groups, **stated.get(router, {})))
    return "".join([*lines, '{"kind":"end"}\n'])


def group_links(tables):
    for name, links in tables.trees.items():
        refuse_if(links is None, f"multicast: group {name} comes to a router twice, or by a one-way link: "
                  "no table of links says it")
    return tables.trees
