"""Every order of events of a few worms, in Python: what tests/proof/Network.v says, read once more and shared
with nothing. Only grants take something from others; flits move, hosts take and tails release as far as they
can before the next grant."""
# SPDX-License-Identifier: MIT
PATH, APART, TOGETHER = 0, 1, 2


class Worm:
    """(how, flits, [(resource, behind)]), places counted from 1; 0 is the source."""

    def __init__(self, how, flits, hops):
        self.how, self.flits, self.size = how, flits, len(hops)
        self.resource = [0] + [resource for resource, _ in hops]
        self.behind = [0] + [behind for _, behind in hops]
        self.next = [[q for q in range(1, self.size + 1) if self.behind[q] == p]
                     for p in range(self.size + 1)]


class Run:
    """By worm the status of its places (0 idle, 1 held, 2 freed), flits that entered, flits taken."""

    def __init__(self, worms, slots, state=None):
        self.worms, self.slots = worms, slots
        self.state = state or [[[1] + [0] * w.size, [w.flits] + [0] * w.size, [0] * (w.size + 1)]
                               for w in worms]

    def copy(self):
        return Run(self.worms, self.slots, [[list(part) for part in one] for one in self.state])

    def key(self):
        return tuple(tuple(map(tuple, one)) for one in self.state)

    def settle(self):
        for w, (status, entered, taken) in zip(self.worms, self.state):
            moved = True
            while moved:
                moved = False
                for p in range(w.size, 0, -1):
                    if not w.next[p] and taken[p] < entered[p]:
                        taken[p], moved = entered[p], True
                    group = [p] if w.how == APART else w.next[w.behind[p]]
                    while group and all(status[q] == 1 and entered[q] < entered[w.behind[q]]
                                        and self.room(w, entered, taken, q) for q in group):
                        for q in group:
                            entered[q] += 1
                        moved = True
                    gone = [entered[q] for q in w.next[p]] or [taken[p]]
                    if status[p] == 1 and min(gone) == w.flits:
                        status[p], moved = 2, True

    def room(self, w, entered, taken, p):
        left = min([entered[q] for q in w.next[p]] or [taken[p]])
        return entered[p] < left + self.slots.get(w.resource[p], 1)

    def asked(self):
        """Hops that are asked for and whose resource is free."""
        held = {w.resource[p] for w, one in zip(self.worms, self.state)
                for p in range(1, w.size + 1) if one[0][p] == 1}
        for i, (w, (status, entered, _)) in enumerate(zip(self.worms, self.state)):
            for p in range(1, w.size + 1):
                if (status[p] == 0 and entered[w.behind[p]] > 0 and w.resource[p] not in held
                        and (w.how != PATH or all(status[1:p]))):
                    yield i, p

    def delivered(self):
        return all(set(one[0][1:]) <= {2} for one in self.state)


def deadlocks(worms, slots, limit=300):
    """True if some order blocks worms for good, False if none does, None beyond the limit of states."""
    worms = [Worm(*worm) for worm in worms]
    if any(w.behind[p] >= p for w in worms for p in range(1, w.size + 1)):
        return None
    users = {}
    for i, w in enumerate(worms):
        for p in range(1, w.size + 1):
            users.setdefault(w.resource[p], []).append((i, p))
    start = Run(worms, slots)
    start.settle()
    seen, open_ = set(), [start]
    while open_:
        run = open_.pop()
        if run.key() in seen:
            continue
        seen.add(run.key())
        if len(seen) > limit:
            return None
        asked = list(run.asked())
        if not asked and not run.delivered():
            return True
        # One that nobody else has still to get can be granted at once.
        alone = [(i, p) for i, p in asked if all(run.state[j][0][q] == 2 or (j, q) == (i, p)
                                                 for j, q in users[worms[i].resource[p]])]
        for i, p in alone[:1] or asked:
            after = run.copy()
            after.state[i][0][p] = 1
            after.settle()
            open_.append(after)
    return False
