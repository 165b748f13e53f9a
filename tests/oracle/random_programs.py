"""Random routes with programs for check_programs.py: small networks (meshes, tori, rings that run one way,
arbiters that flows share), one to five flows (paths and trees), and what their hosts do: joins, relays,
exchanges, gates, locks and credits, windows of any size, loops with and without an end.

As much is received as is sent, so that what stands still does so because of its order, or of what is shared.
Packets are few and short, so that most cases can be explored flit by flit. """
# SPDX-License-Identifier: MIT
import random

from oracle.network import Network


def weighted(rng, **weights):
    return rng.choices(list(weights), list(weights.values()))[0]


# Networks and flows.


def one_way(start, end, slots):
    return {"ends": [start, end], "one_way": True, "buffer_flits": [slots, slots]}


def drawn_ring(rng):
    """A ring that runs one way, perhaps with a chord."""
    routers = rng.choice([2, 3, 3, 4])
    links = [one_way(at, (at + 1) % routers, rng.choice([1, 1, 2, 4])) for at in range(routers)]
    if rng.random() < 0.3:
        links.append(one_way(*rng.sample(range(routers), 2), 1))
    return {"routers": routers, "hosts": [router for router in range(routers)
                                          for _ in range(rng.choice([1, 1, 2]))], "links": links}


def drawn_arbiters(rng):
    """Senders at one switch, whose one or two arbiters lead to receivers; some of these lead back."""
    arbiters, receivers = rng.choice([1, 1, 2]), rng.choice([1, 2, 2, 3])
    first = 1 + arbiters
    links = [one_way(0, arbiter, 1) for arbiter in range(1, first)]
    links += [one_way(rng.randrange(1, first), first + at, rng.choice([1, 2, 4]))
              for at in range(receivers)]
    links += [one_way(arbiter, first + rng.randrange(receivers), rng.choice([1, 2, 4]))
              for arbiter in range(1, first) if rng.random() < 0.5]
    links += [one_way(first + at, 0, rng.choice([1, 2])) for at in range(receivers) if rng.random() < 0.5]
    return {"routers": first + receivers, "hosts": [0] * rng.choice([1, 2, 3])
            + [first + at for at in range(receivers) for _ in range(rng.choice([1, 1, 2]))], "links": links}


def drawn_network(rng):
    family = weighted(rng, mesh=3, torus=1, ring=2, arbiters=4)
    record = {"kind": "topology", "format": 1, "family": family}
    if family in ("mesh", "torus"):
        record["dims"] = rng.choice([[2, 1], [3, 1], [2, 2], [3, 2]] if family == "mesh"
                                    else [[3], [4], [2, 2]])
        return record
    record.update({"ring": drawn_ring, "arbiters": drawn_arbiters}[family](rng), family="graph")
    if rng.random() < 0.7:
        record["host_links"] = [{"buffer_flits": [rng.choice([1, 1, 2, 4]), 1]} for _ in record["hosts"]]
    return record


def ways(network, start, end, most):
    """All ways between two routers that pass none twice."""
    if start == end:
        return [()]
    found, unseen = [], [((), (start,))]
    for way, routers in unseen:
        for channel, (begin, to) in network.ends.items():
            if begin == routers[-1] and to not in routers and len(way) < most:
                if to == end:
                    found.append((*way, channel))
                else:
                    unseen.append(((*way, channel), (*routers, to)))
    return found


def hops_of(rng, prefixes, stops, before, hops, parents):
    """Lists a tree of ways: a prefix of ways is a channel, and stops are hosts behind some."""
    index = len(hops) - 1
    following = [~host for way, host in stops if way == before]
    following += [way for way in prefixes if way[:-1] == before]
    rng.shuffle(following)
    for one in following:
        parents.append(index)
        hops.append(one if isinstance(one, int) else one[-1])
        if not isinstance(one, int):
            hops_of(rng, prefixes, stops, one, hops, parents)


def drawn_flow(rng, network, virtual_channels, number, source, hosts):
    """A path or a tree from a host to others; nothing where there is none."""
    found = {host: ways(network, network.router_of[source], network.router_of[host], 4) for host in hosts
             if host != source
             and (network.has_host_links or network.router_of[host] != network.router_of[source])}
    shortest = {host: min(map(len, of_host)) for host, of_host in found.items() if of_host}
    hosts = rng.sample(sorted(shortest), min(len(shortest), rng.choice([1] * 7 + [2, 2, 3])))
    if len(hosts) == 1 and rng.random() < 0.5:
        hosts = [max(shortest, key=shortest.get)]
    stops = []
    for host in hosts:
        most = shortest[host] + rng.choice([0, 0, 0, 2])
        stops.append((rng.choice([way for way in found[host] if len(way) <= most]), host))
    prefixes = {way[:end] for way, _ in stops for end in range(1, len(way) + 1)}
    if not stops or len({way[-1] for way in prefixes}) < len(prefixes):
        return None
    hops, parents = [], []
    hops_of(rng, sorted(prefixes), stops, (), hops, parents)
    worm = {"hops": hops, "hop_parents": parents}
    if virtual_channels > 1:
        worm["vcs"] = [rng.randrange(virtual_channels) if hop >= 0 else 0 for hop in hops]
    if len(stops) > 1 and rng.random() < 0.8:
        worm["replication"] = rng.choice(["lock-step", "lock-step", "asynchronous"])
    return {"kind": "routes", "id": number, "source": source,
            "destinations": sorted(host for _, host in stops),
            "length_flits": rng.choice([1, 1, 2, 2, 3, 4]), "start_cycle": 0, "worms": [worm]}


def drawn_flows(rng, topology):
    network = Network(topology)
    hosts = list(range(len(network.router_of)))
    hosts = rng.sample(hosts, min(len(hosts), rng.choice([2, 3, 3, 4])))  # few, so that flows meet
    wanted = rng.choice([1, 2, 2, 3, 3, 3, 4, 4, 5])
    virtual_channels = rng.choice([1, 1, 1, 2]) if topology["family"] != "graph" else 1
    flows = []
    for number in range(wanted):
        source = rng.choice(flows[-1]["destinations"] if flows and rng.random() < 0.4 else hosts)
        flow = drawn_flow(rng, network, virtual_channels, 3 + 2 * number, source, hosts)
        flows += [flow] if flow else []
    return flows


# Programs.


class Drawing:
    """The processes of all hosts for one set of flows: what each does in a round, and how many there are."""

    def __init__(self, rng, flows, one_link):
        """With one link to a host what comes mixes packet by packet, and may be received from any."""
        self.rng, self.flows, self.one_link = rng, flows, one_link
        self.mode = weighted(rng, once=3, rounds=4, servers=2, streams=2)
        self.rounds = {"once": 1, "rounds": 2, "servers": rng.choice([1, 2])}.get(self.mode, "forever")
        # the packets of a flow in a round, which are as long as it says or have a length of their own
        self.packets = {flow["id"]: [rng.choice([flow["length_flits"]] * 6 + [1, 3])
                                     for _ in range(rng.choice([1, 1, 2]))] for flow in flows}
        self.counters, self.bodies = [], []  # of each process: host, steps
        for host in sorted({host for flow in flows for host in [flow["source"], *flow["destinations"]]}):
            self.add_host(host)
        for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
            self.add_gate()
        if rng.random() < 0.15:
            self.add_mutexes()
        if rng.random() < 0.03 and len(self.bodies) > 1:
            self.bodies.pop(rng.randrange(len(self.bodies)))  # what it would do is waited for

    def counter(self, start):
        self.counters.append({"name": f"c{len(self.counters)}", "start": start})
        return self.counters[-1]["name"]

    def sends(self, flow):
        return [{"send": flow["id"], **({"flits": flits} if flits != flow["length_flits"] else {})}
                for flits in self.packets[flow["id"]]]

    def add_host(self, host):
        rng = self.rng
        sends = [self.sends(flow) for flow in self.flows if flow["source"] == host]
        arriving = [flow for flow in self.flows if host in flow["destinations"]]
        groups = [[flow] for flow in arriving]
        if len(groups) > 1 and rng.random() < 0.6:
            groups = [arriving]
        bodies = []
        for group in groups:
            style = weighted(rng, named=4, any=4, windows=4)
            if style == "windows":
                bodies += self.behind_windows(group)
            elif style == "any" and len(groups) == 1 and (self.one_link or len(group) == 1):
                bodies.append(self.receives(sum([self.packets[flow["id"]] for flow in group], []), {}))
            else:
                bodies.append(self.mixed([self.receives(self.packets[flow["id"]], {"from": flow["id"]})
                                          for flow in group]))
        for steps in sends:
            if bodies and rng.random() < 0.7:
                number = rng.randrange(len(bodies))
                order = weighted(rng, relay=3, exchange=2, mixed=1)
                bodies[number] = {"relay": bodies[number] + steps, "exchange": steps + bodies[number],
                                  "mixed": self.mixed([bodies[number], steps])}[order]
            else:
                bodies.append(steps)
        self.bodies += [(host, steps) for steps in bodies]

    def mixed(self, lists):
        """One after the other, or in any order that keeps those of each."""
        lists = [list(one) for one in lists]
        self.rng.shuffle(lists)
        if self.rng.random() < 0.5:
            return sum(lists, [])
        order = self.rng.sample([number for number, one in enumerate(lists) for _ in one],
                                sum(map(len, lists)))
        return [lists[number].pop(0) for number in order]

    def receives(self, packets, source):
        """Windows for packets: one after the other, several at once, parts, or until the tail."""
        rng, total = self.rng, sum(packets)
        style = weighted(rng, packet=5, all=2, flit=1, tail=2, pieces=1)
        if style == "tail":
            less = 0 if self.rounds == "forever" else rng.choice([0, 0, 1])  # or windows outnumber packets
            return [{"receive": max(max(packets) + rng.choice([0, 0, 5]) - less, 1), **source,
                     "until": "tail"} for _ in packets]
        first = rng.randint(1, total)
        sizes = {"all": [total], "flit": [1] * total, "pieces": [first, total - first]}.get(style, packets)
        return [{"receive": size, **source} for size in sizes if size]

    def behind_windows(self, group):
        """A process for each flow, which has windows for some packets, and one that takes from them all."""
        bodies, core = [], []
        for flow in group:
            free, full = self.counter(self.rng.choice([1, 2, 2, 3, 4])), self.counter(0)
            packets = self.packets[flow["id"]]
            bodies.append([step for flits in packets
                           for step in ({"take": free}, {"receive": flits, "from": flow["id"]},
                                        {"give": full})])
            core.append([{"take": full}, {"give": free}] * len(packets))
        takes = [[step for step in steps if "take" in step] for steps in core]
        gives = [[step for step in steps if "give" in step] for steps in core]
        return bodies + [self.rng.choice([self.mixed(takes) + self.mixed(gives), self.mixed(core)])]

    def place(self, number):
        return self.rng.randint(0, len(self.bodies[number][1]))

    def insert(self, number, place, step):
        host, steps = self.bodies[number]
        self.bodies[number] = host, steps[:place] + [step] + steps[place:]

    def add_gate(self):
        """One process waits for another, or is ahead of it by a few at most."""
        if len(self.bodies) < 2:
            return
        giver, taker = self.rng.sample(range(len(self.bodies)), 2)
        name, count = self.counter(self.rng.choice([0, 0, 1, 2])), self.rng.choice([1, 1, 1, 2])
        more = {"count": count} if count > 1 else {}
        self.insert(giver, self.place(giver), {"give": name, **more})
        self.insert(taker, self.place(taker), {"take": name, **more})

    def add_mutexes(self):
        """Some processes need one or two of the same locks for a while."""
        names = [self.counter(1) for _ in range(self.rng.choice([1, 2, 2]))]
        for number in range(len(self.bodies)):
            for name in self.rng.sample(names, self.rng.randint(0, len(names))):
                first, last = sorted([self.place(number), self.place(number)])
                self.insert(number, last, {"give": name})
                self.insert(number, first, {"take": name})

    def add_limits(self):
        """Gives may wait, too."""
        steps = [step for _, body in self.bodies for step in body]
        for one in self.counters:
            most = max([step.get("count", 1) for step in steps
                        if one["name"] in (step.get("take"), step.get("give"))] + [one["start"]])
            if self.rng.random() < 0.15:
                one["limit"] = most + self.rng.choice([0, 0, 1, 2])

    def folded(self, steps):
        """The same step several times may be a loop in a loop."""
        folded = []
        for step in steps:
            if folded and folded[-1].get("steps") == [step]:
                folded[-1]["repeat"] += 1
            elif folded and folded[-1] == step and self.rng.random() < 0.3:
                folded[-1] = {"repeat": 2, "steps": [step]}
            else:
                folded.append(step)
        return folded

    def record(self):
        self.add_limits()
        processes = []
        for number, (host, steps) in enumerate(self.bodies):
            if self.rng.random() < 0.05:
                steps = [*steps, {"compute": self.rng.randint(1, 9)}]
            steps = self.folded(steps)
            sends = any("send" in step for step in flat(steps))
            rounds = "forever" if self.mode == "servers" and not sends else self.rounds
            if rounds != 1:
                steps = [{"repeat": rounds, "steps": steps}]
            works = any("send" in step or "receive" in step for step in flat(steps))
            processes.append({"name": f"p{number}", **({"host": host} if works else {}), "steps": steps})
        return {"kind": "program", **({"counters": self.counters} if self.counters else {}),
                "processes": processes}


def flat(steps):
    return [inner for step in steps for inner in (flat(step["steps"]) if "repeat" in step else [step])]


def philosophers(rng):
    """Processes that take counters in any order, and no packets."""
    count = rng.choice([2, 3, 3])
    bodies = []
    for number in range(count):
        forks = rng.sample([f"c{number}", f"c{(number + 1) % count}"], 2)
        bodies.append([*({"take": fork} for fork in forks), *({"give": fork} for fork in forks)])
    rounds = rng.choice([1, 2, "forever"])
    return {"kind": "program", "counters": [{"name": f"c{number}", "start": rng.choice([1, 1, 1, 2])}
                                            for number in range(count)],
            "processes": [{"name": f"p{number}", "steps": [{"repeat": rounds, "steps": steps}]}
                          for number, steps in enumerate(bodies)]}


def drawn_case(seed):
    """(topology, routes, program, buffer_flits)."""
    rng = random.Random(seed)
    while True:
        topology = drawn_network(rng)
        flows = drawn_flows(rng, topology)
        if flows:
            program = philosophers(rng) if rng.random() < 0.03 else Drawing(
                rng, flows, topology["family"] == "graph").record()
            return topology, flows, program, rng.choice([1, 1, 2, 4])
