#!/usr/bin/env python3
# Collectives as multicasts: does every rank get what it must, and does nothing start too early?
# SPDX-License-Identifier: MIT
"""Check `gen-multicast --from` on random lists and execution traces of collectives, and end with "N passed, N
failed".

Random programs of up to ten ranks are written as a list (each rank one operation after the other) and as
Chakra traces (each rank a random graph of nodes, some of which compute; encoded here, by the wire format), of
which the converter makes a list. From the multicasts that come back, this program works out who knows what,
message by message:

- every rank ends an operation with the parts of all ranks that it is to have, and every message has its
  length;
- when a rank sends, all messages have reached it that it was to receive in operations before;
- it waits for messages to itself alone, of the same operation or of those before.

Some of them are simulated: every workload must come to its end, but for those with joins, of which some
must."""
import collections
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
TYPES = ("all-reduce", "reduce", "all-gather", "gather", "scatter", "broadcast", "all-to-all",
         "reduce-scatter")
UNIT = 1000  # operation k moves twice UNIT + k bytes a rank and chunk, so that a length names its operation
WAYS = ("tree", "chunks", "ring", "two-trees", "joined", "disjoint")


class Program:
    """Operations (kind, communicator, members, root), and for each rank a graph of (operation or None,
    after)."""

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
            nodes.append((number, [len(nodes) - 1] if chain and nodes else [] if chain
                          else self.some(draw, nodes)))
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
    return 0 if kind == "barrier" else 2 * (UNIT + number) * len(members)


def as_list(program):
    lines = [f"communicator {name} {' '.join(map(str, ranks))}" for name, ranks in program.groups.items()
             if name != "world"]
    for number, (kind, name, members, root) in enumerate(program.operations):
        if kind == "send":
            lines.append(f"send {members[0]} {members[1]} {size(program, number)}")
        elif kind == "barrier":
            lines.append(f"barrier {name}")
        else:
            lines.append(f"{kind} {name} {size(program, number)}"
                         + (f" root {members[root]}" if kind in ROOTED else ""))
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
    return counted(10, data + (counted(field, value.encode()) if isinstance(value, str)
                               else number_field(field, value)))


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

    def __init__(self, tally, name, program, multicasts, way):
        self.tally, self.name, self.program, self.way = tally, name, program, way
        self.of = [[] for _ in program.operations]
        self.ancestors = {}
        self.multicasts = {one["id"]: one for one in multicasts}
        for one in multicasts:
            if one["kind"] == "reduction":
                one["destinations"] = [one["root"]]
            else:
                one["sources"] = [one["source"]]
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

    def known(self, rank, messages):
        """The ranks whose parts `rank` has, when these messages of the operation have reached it."""
        found = {rank}
        for one in messages:
            if rank in one["destinations"]:
                seen = [other for other in messages if other["id"] in self.ancestors[one["id"]]]
                found |= set().union(*(self.known(source, seen) for source in one["sources"]))
        return found

    def all(self):
        for number, (kind, _, members, root) in enumerate(self.program.operations):
            messages, everyone = self.of[number], set(members)
            full, chunk = size(self.program, number), 2 * (UNIT + number)
            reduced = kind in ("all-reduce", "reduce-scatter")
            split = self.way if kind == "all-reduce" else ""
            # a root's own part is joined at its node
            pairs = sorted((source, rank) for one in messages for source in one["sources"]
                           for rank in one["destinations"] if source != rank)
            if self.way == "ring" and (reduced or kind == "all-gather"):
                self.round(messages, members, kind)
            elif split in ("two-trees", "disjoint"):
                self.in_halves(messages, members)
            elif kind in ("all-to-all", "reduce-scatter"):
                joined = kind == "reduce-scatter" and self.way in ("joined", "disjoint")
                self.check(len(messages) == len(members) * (1 if joined else len(members) - 1),
                           f"{kind}: messages")
                self.check(pairs == sorted(itertools.permutations(members, 2)), f"{kind} of every pair once")
            elif kind == "scatter":
                self.check(pairs == sorted((members[root], rank) for rank in members
                                           if rank != members[root]), kind)
            elif kind == "send":
                self.check(pairs == [tuple(members)], kind)
            elif split == "chunks":
                self.by_chunks(messages, members)
            else:
                # A broadcast brings what its source has: of broadcast itself, the root's part.
                wanted = {"reduce": [members[root]], "gather": [members[root]]}.get(kind, members)
                for rank in wanted:
                    parts = self.known(rank, messages)
                    self.check(parts >= ({members[root]} if kind == "broadcast" else everyone),
                               f"{kind} of {rank}")
                few = {"broadcast": 1, "all-gather": len(members), "all-reduce": len(members),
                       "barrier": len(members)}
                if self.way in ("joined", "disjoint"):
                    few |= {"reduce": 1, "all-reduce": 2, "barrier": 2}
                self.check(len(messages) == few.get(kind, len(members) - 1),
                           f"{kind} of {len(messages)} messages")
            chunked = kind in ("scatter", "all-to-all", "reduce-scatter") or split in ("chunks", "ring")
            length = (1 if kind == "barrier" else chunk if chunked else full // 2
                      if split in ("two-trees", "disjoint") else full)
            self.check({one["length_flits"] for one in messages} == {length}, f"{kind}: length")
        for rank in range(self.program.ranks):
            self.order(rank)
        for one in self.multicasts.values():
            self.check(one["needed"] >= set(one.get("depends_on", [])), f"{one['id']} waits for what no "
                       "sender needs")

    def in_halves(self, messages, members):
        inner = []
        for half in (messages[:len(messages) // 2], messages[len(messages) // 2:]):
            for rank in members:
                self.check(self.known(rank, half) == set(members), f"{self.way} to {rank}")
            got = [rank for one in half for rank in one["destinations"]]
            wanted = 2 * len(members) - 2 if self.way == "two-trees" else len(members)
            self.check(len(got) == wanted, f"{self.way}: messages")
            inner.append({source for one in half for source in one["sources"]
                          if source in got[:len(members) - 1]})
        if self.way == "two-trees":
            self.check(len(inner[0] & inner[1]) <= len(members) % 2, "leaves of one tree in the other")

    def round(self, messages, members, kind):
        """Each rank sends on what came last: chunk i - j in step j from rank i; sums first, then what is
        whole."""
        n = len(members)
        steps = 2 * (n - 1) if kind == "all-reduce" else n - 1
        has = [[{i} for _ in members] for i in range(n)]  # the parts in each chunk of rank i
        by_rank = [[one for one in messages if one["source"] == rank] for rank in members]
        self.check(all(len(sent) == steps for sent in by_rank), f"{kind}: {steps} steps")
        for j in range(steps):
            before = [[set(chunk) for chunk in rank] for rank in has]
            for i, sent in enumerate(by_rank):
                self.check(sent[j]["destinations"] == [members[(i + 1) % n]], f"{kind}: round the ring")
                self.check(j == 0 or by_rank[i - 1][j - 1]["id"] in self.ancestors[sent[j]["id"]],
                           f"{kind}: too early")
                has[(i + 1) % n][(i - j) % n] |= before[i][(i - j) % n]
        for i in range(n):
            if kind == "all-gather":
                self.check(all(c in has[i][c] for c in range(n)), "all-gather of everyone")
            else:
                whole = [c for c in range(n) if len(has[i][c]) == n]
                self.check(whole == ([(i + 1) % n] if kind == "reduce-scatter" else list(range(n))),
                           f"{kind}: sums")

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
                if rank not in one["sources"]:
                    continue
                mine = [i for i in one.get("depends_on", []) if rank in self.multicasts[i]["destinations"]]
                reached = set(mine).union(*(self.ancestors[i] for i in mine))
                self.check(must <= reached, f"rank {rank} begins operation {number} too early")
                if one["kind"] == "multicast":
                    self.check(mine == one.get("depends_on", []), f"{one['id']} waits for what is for others")
                one.setdefault("needed", set()).update(i for i in mine
                                                       if self.operation(self.multicasts[i]) in earlier
                                                       | {number})


def main():
    tools = bin_option(__doc__)
    tally, draw, simulated = Tally(), random.Random(32), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for case in range(120):
            chain, way = case % 2 == 0, WAYS[case // 2 % len(WAYS)]
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
            network = subprocess.run([tools / "gen-topology", "mesh", "5", "2"], capture_output=True,
                                     check=True).stdout
            if chain:  # as many ranks as nodes: a file of those that there are
                (folder / "ranks").write_text("".join(f"{r} {r}\n" for r in range(program.ranks)))
            run = subprocess.run([tools / "gen-multicast", "--from", place, "--flit-bits", "8", "--ranks",
                                  folder / "ranks" if chain else "in-order", *(
                                      ["--all-reduce", way] if way != "tree" else [])], input=network,
                                 capture_output=True, check=False)
            tally.check(run.returncode == 0, f"case {case}: {run.stderr.decode()}")
            if run.returncode:
                continue
            records = [json.loads(line) for line in run.stdout.splitlines()]
            Result(tally, f"case {case}", program, [one for one in records
                                                    if one["kind"] in ("multicast", "reduction")], way).all()
            if case % 5 == 0:
                pipeline = ('"$0"/plan-multicast ocms | "$0"/route-expand | "$0"/simulate-wormhole '
                            '--summary-only')
                # parts can wait for messages that need what other parts hold
                joins = way in ("joined", "disjoint")
                pipeline += " --engine flit" if joins else ""
                end = subprocess.run(["sh", "-c", pipeline, tools], input=run.stdout, capture_output=True,
                                     check=False)
                ended = [(0, b"complete")] + [(1, b"deadlock")] * joins
                tally.check(any(end.returncode == status and b'"outcome":"%b"' % outcome in end.stdout
                                for status, outcome in ended), f"case {case}: simulated")
                simulated[way, end.returncode] += 1
    for way in WAYS:
        tally.check(simulated[way, 0] > 0, f"{way}: none of {simulated[way, 1]} runs completes")
    return tally.close()


if __name__ == "__main__":
    raise SystemExit(main())
