"""Every run of a few messages on a mesh that joins flit by flit (oracle/joins.py): nodes begin when and what
they like.

In each cycle a node that sends nothing, and has room, begins one of the packets that it has yet to send, or
none; whatever it begins without room it might as well begin later. What comes where it does not belong, is
mixed or interleaved is noted. tests/check_joins.py holds verdicts of check-deadlock against what comes of it;
lib/deadlock/search shares nothing with it. """
# SPDX-License-Identifier: MIT
import copy
import itertools

from oracle import joins, silicon
from oracle.silicon import LOCAL


class Explored(joins.Mesh):
    arrived: frozenset = frozenset()  # (packet, node, number of the flit)
    open_at: dict = {}  # the packet of which a node has a part


def clone(mesh):
    result = copy.copy(mesh)
    result.inputs, result.outputs = {}, {}
    for place, entry in mesh.inputs.items():
        result.inputs[place] = other = silicon.Input()
        other.fifo, other.done = list(entry.fifo), set(entry.done)
    for place, output in mesh.outputs.items():
        result.outputs[place] = copy.copy(output)
    result.to_send = {node: list(flits) for node, flits in mesh.to_send.items()}
    result.arrived, result.open_at = mesh.arrived, dict(mesh.open_at)
    result.ties, result.ejections, result.tails, result.cycle = dict(mesh.ties), [], {}, 0
    return result


def state(mesh, pending):
    def named(flits):
        return tuple((flit.send.packet, flit.send.node, flit.number,
                      tuple(sorted({(send.packet, number) for send, number in flit.parts()})))
                     for flit in flits)

    return (tuple((place, named(entry.fifo), tuple(sorted(entry.done)))
                  for place, entry in mesh.inputs.items() if entry.fifo),
            tuple((place, tuple(sorted(ways))) for place, ways in sorted(mesh.ties.items()) if ways),
            tuple((place, output.serves, tuple(output.sampled) if output.serves is not None else (),
                   output.pointer) for place, output in mesh.outputs.items() if output.serves is not None
                  or output.pointer), tuple((node, named(flits)) for node, flits in mesh.to_send.items()
                                            if flits), mesh.arrived, tuple(sorted(mesh.open_at.items())),
            pending)


def observe(mesh, targets, seen):
    """Notes what the ejections of the cycle show."""
    seen["mixed"].update(joins.mixed(mesh))
    for _, node, flit in mesh.ejections:
        packet = flit.send.packet
        arrival = packet, node, flit.number
        if node not in targets[packet] or arrival in mesh.arrived:
            seen["mixed"].add((packet,))
        mesh.arrived |= {arrival}
        if mesh.open_at.get(node, packet) != packet:
            seen["interleaved"].add(tuple(sorted((mesh.open_at[node], packet))))
        mesh.open_at[node] = packet
        if flit.last:
            del mesh.open_at[node]


def stands_still(dims, fifo_flits, sends, most):
    """Whether any run does, and where none does what all runs show; None: more than `most` states were met
    first."""
    mesh = Explored(*dims, fifo_flits, [])
    mesh.open_at = {}
    targets = {send.packet: mesh.targets(send) for send in sends}
    seen = {"mixed": set(), "interleaved": set()}
    pending = tuple(tuple(index for index, send in enumerate(sends) if send.node == node)
                    for node in mesh.to_send)
    open_states, known = [(mesh, pending)], set()
    while open_states:
        mesh, pending = open_states.pop()
        choices = []
        for node, parts in enumerate(pending):
            idle = not mesh.to_send[node] and mesh.has_room(node, LOCAL)
            choices.append([None, *parts] if idle else [None])
        moved = False
        for choice in itertools.product(*choices):
            after = clone(mesh)
            for part in choice:
                if part is not None:
                    after.offer(sends[part])
            any_moves = after.advance()
            observe(after, targets, seen)
            moved = moved or any_moves
            left = tuple(tuple(part for part in parts if part != begun)
                         for parts, begun in zip(pending, choice))
            key = state(after, left)
            if key not in known:
                known.add(key)
                open_states.append((after, left))
        if not moved and any(entry.fifo for entry in mesh.inputs.values()):
            return True, seen
        if len(known) > most:
            return None
    return False, seen


def run_with(dims, fifo_flits, sends, starts):
    """The mesh after the run with these starts, by packet and node."""
    placed = []
    for send in sends:
        other = copy.copy(send)
        other.start = starts[send.packet, send.node]
        placed.append(other)
    placed.sort(key=lambda send: (send.start, send.packet))
    return joins.run(dims, fifo_flits, {0: placed})[0]
