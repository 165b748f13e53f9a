#!/usr/bin/env python3
"""mutants.py CHECKER [COUNT]: certificates of small networks with something changed (a number, a hop, a leg,
a length, the holder of a witness), judged by the checker and by a search over all orders. Exit 1 if the
checker accepts what the search refutes. They are made here: worms that rise, or that block each other."""
# SPDX-License-Identifier: MIT
import random
import subprocess
import sys
import tempfile

from search import APART, PATH, deadlocks

draw = random.Random(1)


def rising_worm(order, slots):
    """A worm whose resources rise, which fits where it branches."""
    taken = sorted(draw.sample(range(len(order)), draw.randint(2, min(4, len(order)))))
    resources = [order[i] for i in taken]
    if draw.random() < 0.5:
        hops, trunk = [], 0
        for i, resource in enumerate(resources):
            hops.append((resource, trunk))
            if draw.random() < 0.7 or i + 2 > len(resources):  # else it is consumed on the way
                trunk = i + 1
        return PATH, draw.randint(1, 4), hops
    hops = [(resource, draw.randint(0, i)) for i, resource in enumerate(resources)]
    branching = [slots[hops[p - 1][0]] for p in range(1, len(hops)) if sum(b == p for _, b in hops) > 1]
    return APART, draw.randint(1, min(branching, default=4)), hops


def certificate():
    """Resources in order, their slots, worms, legs, longest tree, what worms of a witness ask for late."""
    order = draw.sample(range(1, 9), draw.randint(3, 7))
    slots = {resource: draw.randint(1, 2) for resource in order}
    worms = [rising_worm(order, slots) for _ in range(draw.randint(2, 3))]
    kind = draw.choice(["worms", "worms", "legs", "witness"])
    legs, longest, late = [], 0, []
    if kind == "legs":
        legs = sorted({leg for worm in worms for leg in next_to(worm)})
        longest = max([flits for how, flits, _ in worms if how == APART], default=0)
        slots = {resource: max(n, longest) for resource, n in slots.items()}
    if kind == "witness":  # a ring of paths, each holding what the one before it waits for
        ring = draw.sample(order, draw.randint(2, min(4, len(order))))
        worms = [(PATH, draw.randint(4, 9), [(a, 0), (b, 1)]) for a, b in zip(ring, ring[1:] + ring[:1])]
        late = [[2] for _ in worms]
    return [order, slots, worms, legs, longest, late]


def next_to(worm):
    """Pairs of resources that a worm asks for one after the other, or at the other's end."""
    how, _, hops = worm
    before = [i if how == PATH else behind for i, (_, behind) in enumerate(hops)]
    return [(hops[b - 1][0], resource) for b, (resource, _) in zip(before, hops) if b > 0]


def change(made):
    """One thing of it."""
    order, slots, worms, legs, longest, late = made
    order, worms, legs, late = list(order), list(worms), list(legs), [list(hops) for hops in late]
    what = draw.choice(["number", "hop", "length"] + ["leg"] * 2 * bool(legs) + ["holder"] * 2 * bool(late))
    i = draw.randrange(len(worms))
    how, flits, hops = worms[i]
    if what == "number":
        a, b = draw.sample(range(len(order)), 2)
        order[a], order[b] = order[b], order[a]
    elif what == "hop":
        p = draw.randrange(len(hops))
        hops = list(hops)
        other = draw.random() < 0.7
        hops[p] = (draw.choice(order), hops[p][1]) if other else (hops[p][0], draw.randint(0, p))
    elif what == "length":
        flits, longest = flits + draw.choice([-3, -1, 1, 3]), max(longest + draw.choice([-1, 1, 2]), 0)
        flits = max(flits, 1)
    elif what == "leg":
        legs[draw.randrange(len(legs))] = tuple(draw.sample(order, 2))
    elif draw.random() < 0.5:
        late[i] = draw.choice([[], [1], [1, 2]])
    else:
        worms.pop(i)
        late.pop(i)
        return [order, slots, worms, legs, longest, late]
    worms[i] = how, flits, hops
    return [order, slots, worms, legs, longest, late]


def lines(made):
    order, slots, worms, legs, longest, late = made
    text = [[1, resource, slots[resource]] for resource in order]
    for i, (how, flits, hops) in enumerate([] if legs else worms):
        text.append([3, how, flits, *(n for hop in hops for n in hop)])
        text += [[6, *late[i]]] if late else []
    text += [[4, *leg] for leg in legs] + ([[5, longest]] if legs else [])
    return "".join(" ".join(map(str, line)) + "\n" for line in text + [[0, len(text)]])


def followers(made):
    """Worms that follow the legs: of a planner of which they are all that is known."""
    order, slots, worms, legs, longest, _ = made
    behind = {a: [b for one, b in legs if one == a] for a, _ in legs}
    result = []
    for _ in range(3):
        hops, how = [(draw.choice(legs)[0], 0)], draw.choice([PATH, APART if longest else PATH])
        while len(hops) < draw.randint(2, 4):
            at = len(hops) if how == PATH else draw.randint(1, len(hops))
            ways = behind.get(hops[at - 1][0], [])
            if not ways:
                break
            hops.append((draw.choice(ways), at))
        result.append((how, draw.randint(1, 4) if how == PATH else draw.randint(1, longest), hops))
    return result


known = {}


def refuted(made):
    """What the search says against the certificate: True, or None if it does not know."""
    _, slots, worms, legs, _, late = made
    sets = [followers(made)] if legs else [worms if late or len(worms) > 2 else worms + worms]
    found = []
    for one in sets:
        key = repr((one, sorted(slots.items())))
        if key not in known:
            known[key] = deadlocks(one, slots)
        found.append(known[key])
    if late:
        return None if found[0] is None else not found[0]
    return True if True in found else None if None in found else False


def judged(all_made):
    """What the checker says of each."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("".join(map(lines, all_made)))
        file.flush()
        run = subprocess.run([sys.argv[1], file.name], stdout=subprocess.PIPE, text=True, check=False)
    answers = [line.split(": ", 1)[1] for line in run.stdout.splitlines()]
    assert len(answers) == len(all_made), run.stdout[-200:]
    return [answer.startswith(("safe", "deadlock")) for answer in answers]


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    whole = [certificate() for _ in range(count)]
    made = [change(one) for one in whole]
    unproved = judged(whole).count(False)
    accepted, against = judged(made), [refuted(one) for one in made]
    wrong = [lines(one) for one, yes, no in zip(made, accepted, against) if yes and no]
    print(f"{count} certificates, {unproved} not accepted; mutated: {sum(accepted)} accepted, "
          f"{against.count(True)} refuted by a search over all orders, {against.count(None)} beyond its "
          f"limit; accepted and refuted: {len(wrong)}")
    for text in wrong[:1]:
        print(text)
    sys.exit(bool(wrong or unproved or not against.count(True)))


main()
