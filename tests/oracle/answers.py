"""Nodes that are busy until they have answered (data/FORMAT-reference.md 3.2 and 3.9, consumption_release),
for simulation.py, whose first lines say more: what took a multicast which its node answers is held until,
besides, the tail of the answer has left its source, as an injection channel is free then."""
# SPDX-License-Identifier: MIT


class Answers:
    def __init__(self, simulation):
        self.simulation = simulation
        self.answer = {}  # (multicast, node): the worm that answers
        self.kept = {}  # hop that is kept for an answer: the cycle from which it would be free without
        if simulation.router.consumption_release == "arrived":
            return
        for multicast in simulation.multicasts.values():
            if multicast.record.get("workload", {}).get("answer") == "true":
                asked = multicast.record["depends_on"][0]
                self.answer[asked, multicast.source] = next(worm for worm in multicast.worms
                                                            if worm.after is None)

    def of(self, hop):
        """The worm that has to leave before the hop, a consumption channel that is held, is free; None if
        none has."""
        return None if hop.is_relay else self.answer.get((hop.worm.multicast.id, hop.target))

    def keep(self, hop, cycle):
        """True if what would be free from this cycle on waits for an answer."""
        if self.of(hop):
            self.kept[hop] = cycle
        return self.of(hop) is not None

    def leave(self, worm, cycle):
        """The worm's source is free from this cycle on: so is what it answers."""
        for hop, own in list(self.kept.items()):
            if self.of(hop) is worm and hop.freed is None:
                self.simulation.free(hop, max(own, cycle))

    def holder(self, hop, cycle):
        """Whose it is: that of an answer once the worm would have released it."""
        return self.of(hop) if self.kept.get(hop, cycle + 1) <= cycle else hop.worm
