"""Exploration of streams in which routers choose the way of some unicasts.

Such a worm is given by every way that its relation (oracle/candidates.py) allows, as one tree of hops of
which at most one behind each is granted. A header asks for all that it is offered, and takes any that is
free. """
# SPDX-License-Identifier: MIT
import math

from oracle.exploration import Exploration


def starts(source, destination, relation):
    """The states in which the worm may leave: a bit of its class says which way round a ring, where both are
    as long."""
    dims, classes = relation.topology.get("dims", []), [0]
    for d in relation.network.rings:
        here, there = (node // math.prod(dims[:d]) % dims[d] for node in (source, destination))
        if 2 * abs(here - there) == dims[d]:
            classes += [one | 1 << d for one in classes]
    return dict.fromkeys(relation.start({"class": one}) for one in classes)


def chosen_record(number, source, destination, flits, relation):
    """A record of routes whose worm says all its possible ways."""
    hops, parents, vcs = [], [], []
    open_places = [(source, start, -1) for start in starts(source, destination, relation)]
    while open_places:
        at, state, parent = open_places.pop()
        if at == destination:
            hops.append(~destination)
            parents.append(parent)
            vcs.append(0)
            continue
        for _, channel, lanes, after in relation.candidates(at, state, destination):
            for vc in lanes:
                open_places.append((relation.network.ends[channel][1], after, len(hops)))
                hops.append(channel)
                parents.append(parent)
                vcs.append(vc)
    return {"kind": "routes", "id": number, "source": source, "destinations": [destination],
            "length_flits": flits, "start_cycle": 0, "worms": [{"hops": hops, "hop_parents": parents,
                                                                "vcs": vcs, "chosen": True}]}


class ChoosingExploration(Exploration):
    def chooses(self, hop):
        return "chosen" in hop.worm.record

    def left(self, crossed, hop):
        if hop.children and self.chooses(hop):
            return max(crossed[child.index] for child in hop.children)  # of the only one that is granted
        return super().left(crossed, hop)

    def others(self, hop):
        """What it may be granted instead."""
        return ([child for child in hop.parent.children if child is not hop] if hop.parent
                and self.chooses(hop) else [])

    def is_asked(self, state, hop):
        return super().is_asked(state, hop) and not any(state[1][other.index] for other in self.others(hop))

    def is_alone(self, state, hop):
        return not self.others(hop) and super().is_alone(state, hop)

    def is_finished(self, state):
        """All tails have arrived."""
        return all(any(state[0][hop.index] == hop.flits for hop in worm.listed if hop.kind == "consumption")
                   if "chosen" in worm.record else all(state[0][hop.index] == hop.flits
                                                       for hop in worm.listed) for worm in self.worms)
