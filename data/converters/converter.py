# What the converters share: files with their lines, strict numbers, one-line errors, and networks as node-link JSON.
# SPDX-License-Identifier: MIT
import argparse
import json
import os
import re
import signal
import sys

MOST_BYTES = 1 << 28  # of a file
MOST_INTEGER = 2**53 - 1

PAIRS = ("ports", "hop_cycles", "flit_cycles", "buffer_flits", "virtual_channels")  # of edges, a number for each end


class Refused(Exception):
    """What is wrong, in one line."""


def quoted(text):
    """As the tools quote: cut after 100 bytes, what is not printable ASCII as '?'."""
    data = text.encode("utf-8", "surrogateescape")
    return "'" + re.sub("[^ -~]", "?", data[:100].decode("latin-1")) + ("...'" if len(data) > 100 else "'")


def whole_number(text):
    """A number of at most 64 bits in decimal digits, or None."""
    digits = re.fullmatch("0*([0-9]{1,20})", text)
    return int(digits[1]) if digits and int(digits[1]) < 1 << 64 else None


def run(main):
    """Ends with main(); what it refuses is one line on stderr, and exit 2."""
    sys.stderr.reconfigure(encoding="utf-8", errors="surrogateescape")
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    name = os.path.basename(sys.argv[0])
    try:
        main()
        sys.stdout.buffer.flush()
    except Refused as refused:
        sys.exit(_say(name, refused))
    except OSError as error:
        where = f"cannot read {error.filename}: " if error.filename is not None else ""
        sys.exit(_say(name, f"{where}{error.strerror}"))
    except (RecursionError, MemoryError):
        sys.exit(_say(name, "the file is nested too deep, or too large"))


def _say(name, what):
    line = str(what).replace("\n", " ")
    print(f"{name}: {line}", file=sys.stderr)
    return 2


def note(text):
    """Says what is left out, as gen-topology import does."""
    if text:
        print(f"{os.path.basename(sys.argv[0])}: {text}", file=sys.stderr)


def arguments(text, files="FILE"):
    """A parser of the command line: `text` is the help, first its summary; errors of usage are one line, too."""

    class Parser(argparse.ArgumentParser):
        def error(self, message):
            raise Refused(message)

    summary, _, details = text.strip().partition("\n\n")
    parser = Parser(description=summary, epilog=details, formatter_class=argparse.RawDescriptionHelpFormatter,
                    allow_abbrev=False)
    parser.add_argument("files", metavar=files, nargs="*", default=["-"], help="what to read (-: standard input)")
    return parser


def one_file(options, what):
    if len(options.files) != 1:
        raise Refused(f"FILE: one {what} at a time")
    return File(options.files[0])


class File:
    """A file as a whole; `name` is empty for standard input."""

    def __init__(self, name):
        self.name = "" if name == "-" else name
        with (sys.stdin.buffer if name == "-" else open(name, "rb")) as stream:
            self.data = stream.read(MOST_BYTES + 1)
        if len(self.data) > MOST_BYTES:
            raise Refused(f"FILE: {name} has more than {MOST_BYTES} bytes")
        self.line = 0

    def text(self):
        return self.data.decode("utf-8-sig", "surrogateescape")

    def lines(self):
        """Each line; `line` is its number from then on, for errors."""
        lines = self.text().split("\n")
        if lines[-1] == "":
            lines.pop()
        for self.line, line in enumerate(lines, 1):
            yield line[:-1] if line.endswith("\r") else line

    def fail(self, field, what, line=None):
        place = f"{self.name}: " if self.name else ""
        raise Refused(f"{place}line {self.line if line is None else line}: {field + ': ' if field else ''}{what}")

    def fail_at(self, place, what):
        """At another place than a line."""
        raise Refused(": ".join(part for part in (self.name, place, what) if part))

    def number(self, word, field, least, most, base=10):
        digits = re.fullmatch(r"0*([0-9]{1,39})" if base == 10 else r"0*([0-9a-fA-F]{1,39})", word)
        value = int(digits[1], base) if digits else 1 << 64
        if value >= 1 << 64:
            self.fail(field, f"{quoted(word)} is not a{' hexadecimal' if base == 16 else ''} number")
        if not least <= value <= most:
            self.fail(field, f"{quoted(word)} is not between {least} and {most}")
        return value

    def guid(self, word, field):
        digits = re.fullmatch("(?:0[xX])?([0-9a-fA-F]{1,16})", word)
        if not digits:
            self.fail(field, f"{quoted(word)} is not a GUID")
        return f"0x{int(digits[1], 16):016x}"

    def json(self):
        """Its one JSON value; objects refuse a key that stands twice."""
        def members(pairs):
            found = dict(pairs)
            if len(found) < len(pairs):
                raise ValueError("a key of an object is there twice")
            return found

        def no_number(word):
            raise ValueError(f"{word} is no number of JSON")

        try:
            return json.loads(self.text(), object_pairs_hook=members, parse_constant=no_number)
        except json.JSONDecodeError as error:
            self.fail("", f"no JSON: {error.msg}", error.lineno)
        except ValueError as error:
            self.fail_at("", str(error))


class Json:
    """A value of a JSON file with its place, `a.b[2]`, for errors."""

    def __init__(self, file, value, place=""):
        self.file, self.value, self.place = file, value, place

    def fail(self, what):
        self.file.fail_at(self.place, what)

    def _expect(self, kind, word):
        if not isinstance(self.value, kind) or (kind is int and isinstance(self.value, bool)):
            self.fail(f"{json.dumps(self.value)[:80]} is not {word}")
        return self.value

    def get(self, key):
        """The member, or None."""
        value = self._expect(dict, "an object").get(key)
        return None if key not in self.value else Json(self.file, value, f"{self.place}.{key}" if self.place else key)

    def __getitem__(self, key):
        found = self.get(key)
        if found is None:
            self.fail(f"the key '{key}' is missing")
        return found

    def items(self):
        return [(key, self[key]) for key in self._expect(dict, "an object")]

    def each(self):
        for i, value in enumerate(self._expect(list, "an array")):
            yield Json(self.file, value, f"{self.place}[{i}]")

    def text(self):
        return self._expect(str, "a text")

    def integer(self, least, most):
        if not least <= self._expect(int, "an integer") <= most:
            self.fail(f"{self.value} is not between {least} and {most}")
        return self.value


BLANKS = " \t\r\n"


def words_of(line, separators=" \t"):
    return [word for word in re.split(f"[{separators}]+", line) if word]


def valid_utf8(text):
    """A byte of a file that is no UTF-8, or null, becomes '?'."""
    return re.sub("[\0\udc80-\udcff]", "?", text)


def write_text(text):
    sys.stdout.buffer.write(valid_utf8(text).encode())


def note_generator(generator):
    note(", ".join(f"{key}: {value}" for key, value in generator.items() if key != "name"))


def write_network(nodes, edges, generator, directed=False):
    """A network as node-link JSON, which gen-topology import reads; `generator` is what its record says of its origin."""
    note_generator(generator)
    write_text(json.dumps({"directed": directed, "multigraph": True, "graph": {"generator": generator}, "nodes": nodes,
                           "edges": edges}, ensure_ascii=False, separators=(",", ":")) + "\n")


def write_sized(family, sizes, generator):
    """A network of a family that its sizes describe, as its record."""
    note_generator(generator)
    write_text(f'{{"kind":"topology","format":1,"family":"{family}","dims":{json.dumps(sizes, separators=(",", ":"))}}}\n'
               '{"kind":"end"}\n')


class Graph:
    """Nodes and edges of formats of graphs, whose values are texts."""
    ROLES = ("type", "class", "role")  # what says whether a node is a host

    def __init__(self, file):
        self.file, self.nodes, self.edges, self.directed = file, {}, [], False

    @staticmethod
    def take_role(roles, key, text):
        """Of a key that a node has twice, what says more stays."""
        if text.strip(" \t\r\n") or key not in roles:
            roles[key] = text

    def add_node(self, identity, name, roles, line):
        if identity in self.nodes:
            self.file.fail("id", f"a second node of id {quoted(identity)}", line)
        self.nodes[identity] = {"id": identity, "name": name, **roles}

    def add_edge(self, source, target, attributes, line):
        if not source or not target:
            self.file.fail("target" if source else "source", "the edge has none", line)
        self.edges.append((source, target, attributes, line))

    def write(self, generator, notes=None):
        if not self.nodes:
            self.file.fail("node", "the graph has no nodes")
        edges = []
        for source, target, attributes, self.file.line in self.edges:
            for field, end in (("source", source), ("target", target)):
                if end not in self.nodes:
                    self.file.fail(field, f"there is no node {quoted(end)}")
            read = {key: self._read(key, value) for key, value in attributes.items()}
            edges.append({"source": source, "target": target} | {key: value for key, value in read.items() if value is not None})
        counts = {what: str(count) for what, count in (notes or {}).items() if count}
        write_network(list(self.nodes.values()), edges, {"name": generator, **counts}, self.directed)

    def _read(self, key, text):
        """What PAIRS names is a number for each end, `width` a whole number unless it is that of a line."""
        if key in ("source", "target") or (text == "" and key in (*PAIRS, "width", "speed")):
            return None
        if key in PAIRS:
            first, comma, second = text.partition(",")
            if not comma:
                self.file.fail(key, f"{quoted(text)} is not a number for each end")
            least, most = (0, 65535) if key == "ports" else (1, 2**32 - 1)
            return [self.file.number(one, key, least, most) for one in (first, second)]
        if key == "width" and re.fullmatch("[0-9]{1,10}", text) and 0 < int(text) < 2**32:
            return int(text)
        return text


class Cabling:
    """Switches, hosts and the cables between their ports, each of which may be named from one end or from both.

    Hosts of the network are the cabled ports of hosts. Routers come in the order in which switches appeared, hosts
    in that of their nodes and ports, links in that of their cables. What is no link (a cable from a switch to itself
    or between hosts) is counted."""

    def __init__(self):
        self.nodes = []  # {"key", "switch": None where nobody said, "name", "guid", "cables"}
        self.by_key = {}
        self.cables = []  # [port, port, width, speed]; a port is (node, number)
        self.cable_at = {}
        self.port_guids = {}  # of ports that have one beside their node's

    def node(self, key):
        if key not in self.by_key:
            self.by_key[key] = len(self.nodes)
            self.nodes.append({"key": key, "switch": None, "name": "", "guid": "", "cables": 0})
        return self.by_key[key]

    def add(self, a, b, width, speed, fail):
        """fail(field, what) refuses a port that has another cable."""
        here, there = self.cable_at.get(a), self.cable_at.get(b)
        if here is not None and here == there:  # named from its other end
            known = self.cables[here]
            if known[2] == 0 or (width != 0 and width < known[2]):
                known[2] = width
            known[3] = known[3] or speed
            return
        for port, found in ((a, here), (b, there)):
            if found is None:
                continue
            end = self.cables[found][1 if self.cables[found][0] == port else 0]
            fail("port", f"port {port[1]} of {quoted(self.nodes[port[0]]['key'])} has a cable to port {end[1]} of "
                         f"{quoted(self.nodes[end[0]]['key'])} already")
        self.cable_at[a] = self.cable_at[b] = len(self.cables)
        self.cables.append([a, b, width, speed])
        self.nodes[a[0]]["cables"] += 1
        self.nodes[b[0]]["cables"] += 1

    def write(self, generator, fail, notes=None, ports=True):
        """`ports` are those that the file states."""
        for node in self.nodes:
            if node["switch"] is None:
                fail("node", f"{quoted(node['key'])} is named by a cable and described nowhere")
        is_switch = [node["switch"] for node in self.nodes]
        switches = [i for i, switch in enumerate(is_switch) if switch]
        if not switches:
            fail("", "the file describes no switch")
        ids = {i: f"r{router}" for router, i in enumerate(switches)}
        nodes = [self._described(ids[i], "router", self.nodes[i], self.nodes[i]["name"] or self.nodes[i]["key"])
                 for i in switches]
        edges, hosts, loops, between = [], [], 0, 0
        for a, b, width, speed in self.cables:
            if is_switch[a[0]] and is_switch[b[0]]:
                if a[0] == b[0]:
                    loops += 1
                else:
                    edges.append(self._edge(ids[a[0]], ids[b[0]], [a[1], b[1]], width, speed))
            elif is_switch[a[0]] or is_switch[b[0]]:
                hosts.append((b, a, width, speed) if is_switch[a[0]] else (a, b, width, speed))
            else:
                between += 1
        if not hosts:
            fail("", "no host is connected to a switch")
        for number, (port, at, width, speed) in enumerate(sorted(hosts)):
            node = self.nodes[port[0]]
            name = node["name"] or node["key"]
            node = {**node, "guid": self.port_guids.get(port, node["guid"])}
            nodes.append(self._described(f"h{number}", "host", node, f"{name}/P{port[1]}" if node["cables"] > 1 else name))
            edges.append(self._edge(ids[at[0]], f"h{number}", [at[1], port[1]], width, speed))
        left_out = {"loop-cables": loops, "cables-between-hosts": between,
                    "unconnected-hosts": sum(not node["switch"] and node["cables"] == 0 for node in self.nodes)}
        for edge in edges if not ports else []:
            del edge["ports"]
        counts = {f"left-out-{what}": count for what, count in left_out.items()} | (notes or {})
        write_network(nodes, edges, {"name": generator, **{what: str(count) for what, count in counts.items() if count}})

    @staticmethod
    def _described(identity, kind, node, name):
        return {"id": identity, "type": kind, "name": valid_utf8(name), **({"guid": node["guid"]} if node["guid"] else {}),
                **({"group": node["group"]} if "group" in node else {})}

    @staticmethod
    def _edge(source, target, ports, width, speed):
        return {"source": source, "target": target, "ports": ports, **({"width": width} if width else {}),
                **({"speed": speed} if speed else {})}


def flit_bits(parser, default, none=True):
    """The option --flit-bits; then options.bits is its number, or 0, and options.flit_bits what a group states."""

    class Width(argparse.Action):
        def __call__(self, _, options, value, option=None):
            bits = int(value) if re.fullmatch("[0-9]{1,10}", value) else 0
            if not (1 <= bits < 1 << 32 or (none and value == "none")):
                raise Refused(f"--flit-bits: {value} is {'neither none nor' if none else 'not'} between 1 and 4294967295")
            options.bits, options.flit_bits = bits, f" flit-bits={bits}" if bits else ""

    parser.set_defaults(bits=default, flit_bits=f" flit-bits={default}")
    parser.add_argument("--flit-bits", metavar="BITS|none" if none else "BITS", action=Width,
                        help=f"width of a flit in bits (default: {default})")
