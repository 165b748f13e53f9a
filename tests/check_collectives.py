#!/usr/bin/env python3
# Collectives as multicasts: does every rank get what it must, and does nothing start too early?
# SPDX-License-Identifier: MIT
"""Check `gen-multicast --from` on random lists and execution traces of collectives, and end with "N passed, N failed".

Random programs of up to ten ranks are written as a list (each rank one operation after the other) and as Chakra
traces (each rank a random graph of nodes, some of which compute; encoded here, by the wire format), of which the
converter makes a list. From the
multicasts that come back, this program works out who knows what, message by message:

- every rank ends an operation with the parts of all ranks that it is to have, and every message has its length;
- when a rank sends, all messages have reached it that it was to receive in operations before;
- it waits for messages to itself alone, of the same operation or of those before.

Some of them are simulated: every workload must come to its end."""
import itertools
import json
import pathlib
import random
import subprocess
import tempfile

from tally import Tally, bin_option

CONVERTER = pathlib.Path(__file__).resolve().parent.parent / "data" / "converters" / "chakra"
ROOTED = ("broadcast", "reduce", "gather", "scatter")
KINDS = (*ROOTED, "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "barrier", "send")
TYPES = ("all-reduce", "reduce", "all-gather", "gather", "scatter", "broadcast", "all-to-all", "reduce-scatter")
UNIT = 1000  # operation k moves UNIT + k bytes a rank and chunk, so that a length names its operation


class Program:
    """Operations (kind, communicator, members, root), and for each rank a graph of (operation or None, after)."""

    def __init__(self, draw, chain):
        self.ranks = draw.randint(2, 10)
        self.groups = {"world": list(range(self.ranks))}
        for name in ("1", "2", "3"):
            self.groups[name] = draw.sample(range(self.ranks), draw.randint(2, self.ranks))
        self.operations = []
        barriers = set()
        for _ in range(draw.randint(1, 12)):
            name = draw.choice(list(self.groups))
            kind = draw.choice(KINDS)
            if kind == "barrier" and name in barriers:
                continue
            if kind == "barrier":
                barriers.add(name)
            members = draw.sample(range(self.ranks), 2) if kind == "send" else self.groups[name]
            root = draw.randrange(len(members)) if chain and kind in ROOTED else 0
            self.operations.append((kind, name, members, root))
        self.graphs = [self.graph(draw, rank, chain) for rank in range(self.ranks)]

    def graph(self, draw, rank, chain):
        nodes = []
        for number, operation in enumerate(self.operations):
            if rank not in operation[2]:
                continue
            while not chain and draw.random() < 0.3:
                nodes.append((None, self.some(draw, nodes)))
            nodes.append((number, [len(nodes) - 1] if chain and nodes else [] if chain else self.some(draw, nodes)))
        return nodes

    @staticmethod
    def some(draw, nodes):
        return sorted(draw.sample(range(len(nodes)), min(len(nodes), draw.randint(0, 2))))

    def before(self, rank):
        """Of each operation of the rank, the operations that it waits for there."""
        reached, found = [], {}
        for number, after in self.graphs[rank]:
            earlier = set().union(*(reached[i] for i in after)) if after else set()
            reached.append(earlier | ({number} if number is not None else set()))
            if number is not None:
                found[number] = earlier
        return found


def size(program, number):
    kind, _, members, _ = program.operations[number]
    return 0 if kind == "barrier" else (UNIT + number) * len(members)


def as_list(program):
    lines = [f"communicator {name} {' '.join(map(str, ranks))}" for name, ranks in program.groups.items() if name != "world"]
    for number, (kind, name, members, root) in enumerate(program.operations):
        if kind == "send":
            lines.append(f"send {members[0]} {members[1]} {size(program, number)}")
        elif kind == "barrier":
            lines.append(f"barrier {name}")
        else:
            lines.append(f"{kind} {name} {size(program, number)}" + (f" root {members[root]}" if kind in ROOTED else ""))
    return "\n".join(lines) + "\n"


def varint(value):
    encoded = b""
    while value > 127:
        encoded += bytes([value & 127 | 128])
        value >>= 7
    return encoded + bytes([value])


def counted(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def number_field(field, value):
    return varint(field << 3) + varint(value)


def attribute(name, field, value):
    data = counted(1, name.encode())
    return counted(10, data + (counted(field, value.encode()) if isinstance(value, str) else number_field(field, value)))


def trace(program, rank, draw):
    """The file of a rank; ids are not in the order of the file."""
    nodes = program.graphs[rank]
    ids = draw.sample(range(1000), len(nodes))
    groups = [{"pg_name": name, "ranks": ranks} for name, ranks in program.groups.items() if name != "world"]
    messages = [counted(1, b"0.0.4")]
    messages.append(number_field(1, 1001) + number_field(3, 1) +
                    counted(8, counted(1, ("['" + json.dumps(groups) + "']").encode())))
    for (number, after), identity in zip(nodes, ids):
        data = number_field(1, identity) + counted(2, b"node") + counted(4, varint(5))
        if number is None:
            messages.append(data + number_field(3, 4) + counted(5, b"".join(varint(ids[i]) for i in after)))
            continue
        kind, name, members, _ = program.operations[number]
        sends = kind == "send"
        data += number_field(3, 7 if not sends else 5 if members[0] == rank else 6)
        for i in after:
            data += number_field(5, ids[i])  # unpacked is as good
        data += attribute("is_cpu_op", 27, 0) + attribute("comm_size", 9, size(program, number))
        if sends and members[0] == rank:
            data += attribute("comm_dst", 7, members[1])
        elif sends:
            data += attribute("comm_src", 7, members[0])
        else:
            data += attribute("comm_type", 9, TYPES.index(kind) if kind != "barrier" else 9)
            if name != "world":
                data += attribute("pg_name", 29, name)
        messages.append(data)
    return b"".join(varint(len(message)) + message for message in messages)


class Result:
    """The multicasts of a program, checked."""

    def __init__(self, tally, name, program, multicasts, chunks):
        self.tally, self.name, self.program, self.chunks = tally, name, program, chunks
        self.of = [[] for _ in program.operations]
        self.ancestors = {}
        self.multicasts = {one["id"]: one for one in multicasts}
        for one in multicasts:
            waits = one.get("depends_on", [])
            self.ancestors[one["id"]] = set(waits).union(*(self.ancestors[i] for i in waits))
            self.of[self.operation(one)].append(one)

    def operation(self, one):
        said = one["workload"]
        if said["collective"] == "barrier":
            return next(i for i, op in enumerate(self.program.operations)
                        if op[0] == "barrier" and op[1] == said["communicator"])
        count = one["length_flits"] // UNIT
        return (one["length_flits"] - count * UNIT) // count

    def check(self, good, what):
        self.tally.check(good, f"{self.name}: {what}")

    def known(self, rank, number, messages, members):
        """The ranks whose parts `rank` has, when these messages of the operation have reached it."""
        found = {rank}
        for one in messages:
            if rank in one["destinations"]:
                found |= self.carried(one, number, members)
        return found

    def carried(self, one, number, members):
        seen = [other for other in self.of[number] if other["id"] in self.ancestors[one["id"]]]
        return self.known(one["source"], number, seen, members)

    def all(self):
        for number, (kind, _, members, root) in enumerate(self.program.operations):
            messages, everyone = self.of[number], set(members)
            full, chunk = size(self.program, number), UNIT + number
            pairs = sorted((one["source"], rank) for one in messages for rank in one["destinations"])
            if kind in ("all-to-all", "reduce-scatter"):
                self.check(pairs == sorted(itertools.permutations(members, 2)), f"{kind} of every pair once")
            elif kind == "scatter":
                self.check(pairs == sorted((members[root], rank) for rank in members if rank != members[root]), kind)
            elif kind == "send":
                self.check(pairs == [tuple(members)], kind)
            elif kind == "all-reduce" and self.chunks:
                self.by_chunks(messages, members)
            else:
                # A broadcast brings what its source has: of broadcast itself, the root's part.
                wanted = {"reduce": [members[root]], "gather": [members[root]]}.get(kind, members)
                for rank in wanted:
                    parts = self.known(rank, number, messages, members)
                    self.check(parts >= ({members[root]} if kind == "broadcast" else everyone), f"{kind} of {rank}")
                few = {"broadcast": 1, "all-gather": len(members), "all-reduce": len(members), "barrier": len(members)}
                self.check(len(messages) == few.get(kind, len(members) - 1), f"{kind} of {len(messages)} messages")
            chunked = kind in ("scatter", "all-to-all", "reduce-scatter") or (kind == "all-reduce" and self.chunks)
            length = 1 if kind == "barrier" else chunk if chunked else full
            self.check({one["length_flits"] for one in messages} == {length}, f"{kind}: length")
        for rank in range(self.program.ranks):
            self.order(rank)

    def by_chunks(self, messages, members):
        pairs = len(members) * (len(members) - 1)
        first, second = messages[:pairs], messages[pairs:]
        self.check(sorted((one["source"], *one["destinations"]) for one in first) ==
                   sorted(itertools.permutations(members, 2)), "reduce-scatter of every pair once")
        self.check(sorted(one["source"] for one in second) == sorted(members), "all-gather of everyone")
        for one in second:
            self.check({*one["destinations"], one["source"]} == set(members), "all-gather to everyone")
            mine = {other["id"] for other in first if one["source"] in other["destinations"]}
            self.check(mine <= self.ancestors[one["id"]], "all-gather after its parts")

    def order(self, rank):
        for number, earlier in self.program.before(rank).items():
            must = {one["id"] for k in earlier for one in self.of[k] if rank in one["destinations"]}
            for one in self.of[number]:
                if one["source"] != rank:
                    continue
                self.check(must <= self.ancestors[one["id"]], f"rank {rank} begins operation {number} too early")
                for i in one.get("depends_on", []):
                    before = self.multicasts[i]
                    self.check(rank in before["destinations"], f"{one['id']} waits for {i}, which is for others")
                    self.check(self.operation(before) in earlier | {number}, f"{one['id']} waits for {i}")


def main():
    tools = bin_option(__doc__)
    tally, draw = Tally(), random.Random(32)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for case in range(120):
            chain, chunks = case % 2 == 0, case % 4 > 1
            program = Program(draw, chain)
            place = folder / str(case)
            if chain:
                place.write_text(as_list(program))
            traces = [] if chain else [folder / f"{case}.{rank}.et" for rank in range(program.ranks)]
            for rank, file in enumerate(traces):
                file.write_bytes(trace(program, rank, draw))
            if traces:
                converted = subprocess.run([CONVERTER, *traces], capture_output=True, check=False)
                tally.check(converted.returncode == 0, f"case {case}: {converted.stderr.decode()}")
                place.write_bytes(converted.stdout)
            network = subprocess.run([tools / "gen-topology", "mesh", "5", "2"], capture_output=True, check=True).stdout
            if chain:  # as many ranks as nodes: a file of those that there are
                (folder / "ranks").write_text("".join(f"{r} {r}\n" for r in range(program.ranks)))
            run = subprocess.run([tools / "gen-multicast", "--from", place, "--flit-bits", "8", "--ranks",
                                  folder / "ranks" if chain else "in-order", *(["--all-reduce", "chunks"] if chunks else [])],
                                 input=network, capture_output=True, check=False)
            tally.check(run.returncode == 0, f"case {case}: {run.stderr.decode()}")
            if run.returncode:
                continue
            records = [json.loads(line) for line in run.stdout.splitlines()]
            Result(tally, f"case {case}", program, [one for one in records if one["kind"] == "multicast"], chunks).all()
            if case % 5 == 0:
                pipeline = '"$0"/plan-multicast ocms | "$0"/route-expand | "$0"/simulate-wormhole --summary-only'
                end = subprocess.run(["sh", "-c", pipeline, tools], input=run.stdout, capture_output=True, check=False)
                tally.check(end.returncode == 0 and b'"outcome":"complete"' in end.stdout, f"case {case}: simulated")
    return tally.close()


if __name__ == "__main__":
    raise SystemExit(main())
