"""Deadlocks of simulation.py: the exact condition, worked out again in every cycle.

A request is dead if every unit of its resource is held by worms whose tails cannot leave it while dead
requests stay ungranted; flits still drain into free slots. With atomic allocation it is also dead behind a
dead one in its queue, and with a dead sibling. Under early reuse a worm's flits may stand in a FIFO behind
those of another: they are dead (and wait for that virtual channel) where the tail before them never leaves
it. All this is one greatest fixpoint: begin with everything that waits, find how far flits can get, take out
what can be granted then, repeat.

Written from the rules alone, as simulation.py is, and to be kept so.
"""
# SPDX-License-Identifier: MIT
import math


class Standstill:
    """What can never go on any more at the end of a simulation's cycle: `dead`, a set of hops."""

    def __init__(self, simulation):
        self.simulation = simulation
        self.worms = [worm for worm in simulation.worms if worm.hops[0].requested is not None
                      and not worm.finished(simulation.cycle)]
        hops = [hop for worm in self.worms for hop in worm.hops]
        self.ahead = {hop: [other for other in hop.ahead if other.tail_left is None] for hop in hops}
        self.dead = {hop for hop in hops if hop.requested is not None
                     and (hop.granted is None or self.ahead[hop])}
        self.moves = [move for worm in self.worms for move in worm.moves()] if self.dead else []
        while self.dead:
            self.drain()
            live = {hop for hop in self.dead if self.can_go_on(hop)}
            if not live:
                break
            self.dead -= live

    def drain(self):
        """How many flits can cross into each hop while what is dead stays so: `crossed`."""
        self.crossed = {hop: len(hop.starts) for worm in self.worms for hop in worm.hops}
        per_flit = self.simulation.router.replication == "per-flit"
        moves = [(node, hops) for node, hops in self.moves if node not in self.dead
                 and not any(hop in self.dead and hop.granted is None for hop in hops)]
        progress = True
        while progress:
            progress = False
            for node, hops in moves:
                have, had = (node.worm.flits if node.kind == "injection" else self.crossed[node],
                             self.crossed[hops[0]])
                if had >= have:
                    continue
                flits = min([have, *map(self.room, hops)])
                if per_flit:  # no branch is ahead by more than one
                    flits = min(flits, 1 + self.left(node))
                if flits > had:
                    self.crossed.update(dict.fromkeys(hops, flits))
                    progress = True

    def left(self, hop):
        return min(self.crossed[child] for child in hop.children)

    def room(self, hop):
        """How many flits can have crossed into it, by the slots of its buffer."""
        if not hop.has_buffer():
            return math.inf
        taken = sum(other.worm.flits - self.left(other) for other in self.ahead[hop])
        return hop.slots - taken + self.left(hop)

    def lets_go(self, hop):
        """Whether a hop that is held becomes free: with its tail in, or, of buffers that are drained, out."""
        answer = (self.simulation.answers.of(hop) if hop in self.simulation.answers.kept and hop.freed is None
                  else None)
        if answer:  # which has not begun, or releases its source
            return (answer.hops[0] not in self.crossed or answer.hops[0] not in self.dead
                    and self.left(answer.hops[0]) == answer.flits)
        early = hop.kind == "channel" and self.simulation.router.vc_reuse == "early"
        return (self.crossed[hop] if early or hop.kind == "consumption" else self.left(hop)) == hop.worm.flits

    def can_go_on(self, hop):
        if hop.granted is not None:
            return self.left(self.ahead[hop][-1]) == self.ahead[hop][-1].worm.flits
        siblings = [sibling for sibling in hop.parent.children
                    if sibling.granted is None] if hop.is_one_of_several() else [hop]
        return all(self.can_be_granted(sibling) for sibling in siblings)

    def before(self, hop):
        """What stands before it in its queue and keeps it from a free resource, for want of siblings."""
        atomic = self.simulation.router.allocation == "atomic"
        return [other for other in hop.resource.queue if other.place() < hop.place()] if atomic else []

    def can_be_granted(self, hop):
        if any(other in self.dead for other in self.before(hop)):
            return False
        return hop.resource.has_unit() or any(self.lets_go(holder) for holder in hop.resource.holders)

    def waited_for(self, hop):
        """The worms that a dead hop waits for."""
        if hop.granted is not None:
            return {self.ahead[hop][-1].worm}
        answers = self.simulation.answers
        holders = {answers.of(other) if other in answers.kept and other.freed is None else other.worm
                   for other in hop.resource.holders}
        return holders | {other.worm for other in self.before(hop)}

    def core(self):
        """The worms that cannot go on, without, repeatedly, those that none of them waits for."""
        worms, kept = None, {hop.worm for hop in self.dead}
        while kept != worms:
            worms = kept
            kept = worms & {other for hop in self.dead if hop.worm in worms for other in self.waited_for(hop)}
        return worms

    def report(self):
        """As `deadlock` of a summary, in the order of multicasts and worms."""
        cycle = self.simulation.cycle
        worms = []
        for worm in sorted(self.core(), key=name_of):
            held = [hop.resource.name for other in self.simulation.worms for hop in other.hops
                    if hop.granted is not None and (hop.freed is None or hop.freed > cycle)
                    and self.simulation.answers.holder(hop, cycle) is worm]
            waits = [hop.resource.name for hop in worm.hops if hop in self.dead]
            worms.append({**state_of(worm), "holds": held, "waits": waits})
        return {"cycle": cycle, "worms": worms, "blocked": [state_of(worm)
                                                            for worm in sorted(
                                                                {hop.worm for hop in self.dead},
                                                                key=name_of)]}


def name_of(worm):
    return worm.multicast.id, worm.index


def state_of(worm):
    return dict(zip(("multicast", "worm"), name_of(worm)))


def first_deadlock(simulation, stop=math.inf):
    """The deadlock of a simulation from its beginning to before a cycle, in the cycle after whose moves it
    exists; None without."""
    while simulation.advance(stop):
        standstill = Standstill(simulation)
        if standstill.dead:
            return standstill.report()
    return None
