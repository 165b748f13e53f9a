"""Random networks, streams of routes and routers for check_simulation.py: whatever data/FORMAT-reference.md
allows, small and dense.

Worms are walks and trees of walks, revisiting nodes and channels as they like; most could come from no
planner. What they have in common is that they meet: few nodes, starts close together, worms longer than the
buffers on their way. One case in three is crowded instead: hardly any nodes, long ways, and worms short
enough for several to stand in one buffer under early reuse. """
# SPDX-License-Identifier: MIT
import json

from oracle.network import OWN_KEYS, Network
from oracle.router import random_router
from oracle.worms import parents_of


def random_topology(rng, crowded):
    if crowded:
        dims = rng.choice([[2, 2], [4, 1], [3], [4]])
        family = "graph" if rng.random() < 0.4 else "mesh" if len(dims) == 2 else "torus"
        return {"kind": "topology", "format": 1, "family": family,
                **(random_graph(rng) if family == "graph" else {"dims": dims})}
    record = {"kind": "topology", "format": 1}
    family = rng.choice(["mesh"] * 6 + ["torus"] * 4 + ["graph"] * 6 + ["hypercube", "ccc"])
    record["family"] = family
    if family == "graph":
        return {**record, **random_graph(rng)}
    if family in ("hypercube", "ccc"):
        return {**record, "dimensions": 3 if family == "ccc" else rng.choice([2, 3])}
    dims = rng.choice([[2, 2], [3, 2], [3, 3], [4, 1], [2, 2, 2]] if family == "mesh"
                      else [[3], [4], [3, 3], [2, 3]])
    classes = [{"dimension": rng.randrange(len(dims)), **({"every": 2} if rng.random() < 0.5 else {}),
                **random_own(rng)} for _ in range(rng.choice([0, 0, 0, 1, 2]))]
    # A mesh has no link behind its last node, and one node no links at all.
    classes = [one for one in classes if dims[one["dimension"]]
               > max(1, one.get("every", 1) - (family == "torus"))]
    return {**record, "dims": dims, **({"link_classes": classes} if classes else {})}


def random_graph(rng):
    """Two to four routers, joined, with one or two hosts each; links that differ in one of three."""
    routers = rng.choice([2, 3, 4])
    ends = [[rng.randrange(i), i] for i in range(1, routers)] + [rng.sample(range(routers), 2)
                                                                 for _ in range(rng.randrange(3))]
    hosts = [router for router in range(routers) for _ in range(rng.randint(1, 2))]
    graph = {"routers": routers, "hosts": hosts, "links": [{"ends": pair} for pair in ends]}
    if rng.random() < 0.3:
        graph["links"] = [{**link, **random_own(rng)} for link in graph["links"]]
    if rng.random() < 0.3:
        graph["links"] = [one_way(link) if rng.random() < 0.4 else link for link in graph["links"]]
    if rng.random() < 0.2:
        graph["host_links"] = [random_own(rng) for _ in hosts]
    return graph


def one_way(link):
    """Nothing goes back; of its two numbers there is then one."""
    return {**link, "one_way": True, **{key: [link[key][0]] * 2 for key in OWN_KEYS if key in link}}


def random_own(rng):
    most = {"hop_cycles": 4, "flit_cycles": 5, "buffer_flits": 7}
    return {key: [rng.randint(1, bound), rng.randint(1, bound)] for key, bound in most.items()
            if rng.random() < 0.5}


class Dice:
    """What the worms of one stream have in common."""

    def __init__(self, rng, network, router, crowded):
        self.rng, self.network, self.router = rng, network, router
        self.virtual_channels = rng.choice([1, 1, 2] if crowded else [1, 1, 2, 3])
        self.most_hops = rng.choice([5, 7] if crowded else [3, 5, 7])
        self.longest = rng.choice([1, 2] if router.slots_differ() else [2, 4, 6] if crowded else [4, 9, 20])
        self.apart = rng.choice([0, 0, 2, 5] if crowded else [0, 2, 8, 30])
        self.channels_from = {}
        for channel, (start, _) in network.ends.items():
            self.channels_from.setdefault(start, []).append(channel)
        self.hosts_at = {}
        for host, router_of_host in enumerate(network.router_of):
            self.hosts_at.setdefault(router_of_host, []).append(host)

    def walk(self, source, is_tree, one_vc_a_link):
        """[(hop before, router, channel, virtual channel)], the first one where it starts."""
        nodes, used = [(-1, self.network.router_of[source], None, 0)], set()
        for _ in range(self.rng.randint(1, self.most_hops)):
            before = self.rng.randrange(len(nodes)) if is_tree else len(nodes) - 1
            channel = self.rng.choice(self.channels_from.get(nodes[before][1], [None]))
            vc = self.rng.randrange(self.virtual_channels)
            twice = one_vc_a_link and any(node[0] == before and node[2] == channel for node in nodes[1:])
            if channel is not None and (channel, vc) not in used and not twice:
                used.add((channel, vc))
                nodes.append((before, self.network.ends[channel][1], channel, vc))
        return nodes

    def receivers(self, nodes, avoided, is_tree):
        """[(node of the walk, host)], one at least where the walk ends; None if there is none."""
        found, inner = [], {node[0] for node in nodes[1:]}
        for index, (_, router, _, _) in enumerate(nodes):
            if index == 0 and (not self.network.has_host_links or inner and not is_tree):
                continue
            free = [host for host in self.hosts_at.get(router, []) if host not in avoided
                    and host not in [host for _, host in found]]
            is_end = index > 0 and index not in inner
            if is_end and not free:
                return None
            if is_end or free and self.rng.random() < 0.4:
                found += [(index, host) for host in self.rng.sample(free, self.rng.randint(1, len(free))
                                                                    if is_tree else 1)]
        return found or None

    def worm(self, source, avoided):
        """(a worm, the hosts where it arrives, those of them that are destinations); None if none was
        found."""
        for _ in range(30):
            is_tree = self.rng.random() < 0.5
            replication = self.rng.choice(["lock-step", "lock-step",
                                           "asynchronous"]) if is_tree and self.rng.random() < 0.6 else None
            nodes = self.walk(source, is_tree, self.router.shared_links and replication == "lock-step")
            receivers = self.receivers(nodes, avoided | {source}, is_tree)
            if receivers:
                relays = {host for _, host in receivers if self.rng.random() < 0.15}
                record = {"replication": replication} if replication else {}
                record.update(self.hops(nodes, receivers, relays, is_tree))
                hosts = [host for _, host in receivers]
                return record, hosts, [host for host in hosts if host not in relays]
        return None

    def hops(self, nodes, receivers, relays, is_tree):
        """The hops of a worm, consumption channels after their node or all at the end."""
        ways = [(index, channel, vc, before) for index, (before, _, channel, vc) in enumerate(nodes) if index]
        ends = [(None, ~host, 0, node) for node, host in receivers]
        if not is_tree or self.rng.random() < 0.5:
            order = [end for end in ends if end[3] == 0]
            for way in ways:
                order += [way, *(end for end in ends if end[3] == way[0])]
        else:
            order = ways + ends
        place = {index: position for position, (index, _, _, _) in enumerate(order) if index is not None}
        record = ({"hops": [hop for _, hop, _, _ in order],
                   "hop_parents": [place.get(before, -1) for _, _, _, before in order]})
        if record["hop_parents"] == parents_of({"hops": record["hops"]}) and self.rng.random() < 0.5:
            del record["hop_parents"]
        if any(vc for _, _, vc, _ in order):
            record["vcs"] = [vc for _, _, vc, _ in order]
        if relays:
            record["relay_hops"] = [position for position, hop in enumerate(record["hops"]) if hop < 0
                                    and ~hop in relays]
        if self.rng.random() < 0.15:
            record["not_before_cycle"] = [self.rng.choice([0, 0, self.rng.randint(0, 60)]) for _ in order]
        if self.rng.random() < 0.15 and not self.router.slots_differ():
            record["header_flits"] = self.rng.randrange(4)
        return record

    def shortest(self, source, destination):
        """The channels of a shortest way from a host to another; None without one."""
        start, end = self.network.router_of[source], self.network.router_of[destination]
        came, queue = {start: None}, [start]
        for router in queue:
            for channel in self.channels_from.get(router, []):
                to = self.network.ends[channel][1]
                if to not in came:
                    came[to] = channel
                    queue.append(to)
        if end not in came or start == end and not self.network.has_host_links:
            return None
        way = []
        while came[end] is not None:
            way.insert(0, came[end])
            end = self.network.ends[came[end]][0]
        return way

    def answers(self, asked):
        """Answers of all destinations to a multicast, which then says so; none where some have no way
        back."""
        nodes = [host for host in asked["destinations"] if host != asked["source"]]
        ways = [self.shortest(host, asked["source"]) for host in nodes]
        if not nodes or None in ways or self.rng.random() < 0.4:
            return []
        asked["workload"] = {"answers": "1"}
        vc = self.rng.randrange(self.virtual_channels)
        return [{"kind": "routes", "id": 1000 * (asked["id"] + 1) + host, "source": host,
                 "destinations": [asked["source"]], "length_flits": self.rng.randint(1, 4),
                 "start_cycle": asked["start_cycle"] + self.rng.choice([0, 0, 0, 15]),
                 "depends_on": [asked["id"]], "workload": {"answer": "true"},
                 "worms": [{"hops": [*way, ~asked["source"]], **({"vcs": [vc] * len(way) + [0]} if vc
                                                                 else {})}]} for host, way in zip(
                                                                     nodes, ways)]

    def worms(self, source):
        """(worms, destinations) of a multicast: worms from its source or from where an earlier one
        arrived."""
        if self.rng.random() < 0.05 and not self.network.has_host_links:
            return [{"hops": [~source]}], [source]
        worms, arrivals, destinations = [], [], []
        for _ in range(self.rng.choice([1, 1, 1, 2, 2, 3])):
            after, start = (self.rng.choice(arrivals) if arrivals and self.rng.random() < 0.5
                            else (None, source))
            found = self.worm(start, {source, *(host for _, host in arrivals)})
            if found:
                record, hosts, delivered = found
                arrivals += [(len(worms), host) for host in hosts]
                destinations += delivered
                worms.append(record if after is None else {"source": start, "after": after, **record})
        return worms, destinations


def random_routes(dice, count):
    """The routes of up to `count` multicasts."""
    rng, cycle, routes = dice.rng, 0, []
    for number in rng.sample(range(3 * count), count):
        source = rng.randrange(len(dice.network.router_of))
        worms, destinations = dice.worms(source)
        if not destinations:
            continue
        cycle += rng.randint(0, dice.apart)
        record = {"kind": "routes", "id": number, "source": source, "destinations": sorted(destinations),
                  "length_flits": rng.randint(1, dice.longest), "start_cycle": cycle}
        earlier = sorted(other["id"] for other in routes if source in other["destinations"])
        if earlier and rng.random() < 0.5:
            record["depends_on"] = sorted(rng.sample(earlier, rng.randint(1, len(earlier))))
        routes.append({**record, "worms": worms})
    if dice.router.consumption_release == "answered":
        routes += [answer for record in list(routes) for answer in dice.answers(record)]
        routes.sort(key=lambda record: record["start_cycle"])  # which keeps answers behind what they answer
    return routes


def stream_of(topology, routes):
    return "".join(json.dumps(record, separators=(",", ":")) + "\n"
                   for record in [topology, *routes, {"kind": "end"}])


def random_case(rng):
    """(topology, routes, router)."""
    while True:
        crowded = rng.random() < 0.34
        topology = random_topology(rng, crowded)
        network = Network(topology)
        router = random_router(rng, network, crowded)
        routes = random_routes(Dice(rng, network, router, crowded), rng.randint(2, 12))
        if routes:
            return topology, routes, router
