#!/usr/bin/env python3
# Imports of edge lists and Graphviz text in the forms that people have them, and what is read back of
# exports.
# SPDX-License-Identifier: MIT
"""Import graphs through their converters, and end with "N passed, N failed".

- An edge list is the same network however its columns stand apart; what it says besides is counted; what is
  none is refused.
- Graphviz text: chains, subgraphs, ports, comments, quotes; what says no network is refused with its line.
- The exports to Graphviz and to node-link JSON of random networks are read back whole.
- Node-link JSON that is none is refused with the line and place of what is wrong.
"""
import json
import random
import subprocess

from tally import Tally, bin_option

SAME_LISTS = ["a b\nb c\n", "a\tb\r\nb\tc\r\n", "# x\na,b\n% y\nb,c\n", "a; b\nb ;c", "a b {}\nb c {}\n",
              "source,target\na,b\nb,c\n", '"To";"From"\nb;a\nc;b\n', '"a","b"\n"b","c"\n',
              "  a   b  \n\n  b c\n", "a b\nb a\nb c\nc b\n"]
COUNTED = [("1 2 7\n2 3 -1.5e3\n", "1-2 2-3; left-out-weights 2"),
           ("1 2\n1 2\n2 1\n2 2\n", "1-2; left-out-loop-links 1; left-out-repeated-links 1"),
           ("a b {'w': 3}\nb c {}\n", "a-b b-c; left-out-attributes 1"),
           ("id,from,to,w\n0,a,b,3\n1,b,c,4\n", "a-b b-c; left-out-columns 2"),
           ("3 4\n4 5\n5 6\n6 3\n", "3-4 4-5 5-6 6-3")]  # no METIS graph
NO_LISTS = ["a b c\n", "hello\n", "a b\nc,d\n", "%%MatrixMarket matrix\n3 3 1\n1 2\n", "a b\nb {\n",
            "is this?\nno it\n", "a,\n", ",\n", "source,target\n"]
DRAWN = [("graph{a--b--c}", "a-b b-c"), ("Graph x { a -- b; b -- c; }", "a-b b-c"),
         ("strict graph { a -- b b -- a b -- c }", "a-b b-c"),
         ("digraph { a -> b -> a; c -> b b -> c [x=1]}", "a-b c-b; left-out-edge-attributes x of 1 edge"),
         ('graph { a:p:ne -- b:"q" -- c:s }', "a-b b-c; left-out-port-names of 2 edges"),
         ('// one\n/* two\n */ graph "g" {\n# three\n a [label=<<b>x</b>>] a -- b b -- c}', "a-b b-c"),
         ("graph { subgraph s { a -- b } { node [class=host] } b -- c }", "a-b b-c"),
         ('graph { node [label="\\N"]; "a" -- "" + "b" -- c [label=""] }', "a-b b-c"),
         ("graph {\n a -- { b c }\n}", "a-b a-c"), ("graph { { b c } -- a -- subgraph s { d -- e }; subgraph "
                                                    "s -- { subgraph s2 { f } } }",
                                                    "d-e b-a c-a a-d a-e d-f e-f"),
         ("digraph { a -> b -> c -> b }", "a-b b-c; one-way-links 1"),
         ("digraph { a -> b [dir=both] b -> c [dir=none] c -> a [dir=back] c -> a }", "a-b b-c a-c"),
         ("graph { a -- b -- a -- a }", "a-b b-a; left-out-loop-links 1")]
REFUSED = [("graph {\n a -> b\n}", "line 2: '->' in a graph that is not a digraph"),
           ("digraph {\n a -- b\n}", "line 2: '--' in a digraph"),
           ("graph {\n a -- 1b\n}", "line 2: '1b' is neither a number nor a name"),
           ('graph {\n a -- "b\n}', "line 2: a text in quotes does not end"),
           ("graph {\n /* a\n}", "line 2: a comment does not end"),
           ("graph {\n a -- <b\n}", "line 2: an HTML text does not end"),
           ("graph {\n a -- b\n", "line 3: a closing brace is missing"),
           ("graph { a }\ngraph { b }", "line 2: something follows the graph"),
           ("graph {\n a [label=]\n}", "line 2: a name is missing before ']'"),
           ("graph {\n a @ b\n}", "line 2: '@' has no place here"),
           ('graph {\n a -- b [hop_cycles="1,"]\n}', "line 2: hop_cycles: '' is not a whole number"),
           ("graph { virtual_channels=256; a }", "virtual_channels: '256' is not between 1 and 255"),
           ("graph { spanning_tree_root=b; a }", "there is no router 'b'"),
           ("graph { a [path_label=0]; b; a -- b }", "some routers have one and some have none"),
           ("graph { }", "no switch: no node is a router"), ("graph " + 100 * "{", "nested too deep"),
           ('graph { a [label="x"' + 99 * " // " + "\n@", "line 2: '@' has no place here"),
           ("graph {{" + " ".join(f"n{i}" for i in range(1100)) + "} -- {"
            + " ".join(f"n{i}" for i in range(1100)) + "}}", "edges between two sets")]
REFUSED_JSON = [('{"nodes":[{"id":0}],\n"edges":[{"source":0,\n"target":1}]}', "edges[0].target: "
                 "there is no node '1'"), ('{"nodes":[{"id":0},\n{"id":"0"}],"edges":[]}',
                                           "nodes[1]: a second node of id '0'"),
                ('{"nodes":[{"id":[0,[1]]}],"edges":[]}', "nodes[0].id[1]: an array inside an id"),
                ('{"nodes":[{"id":1.5}],"edges":[]}', "nodes[0].id: 1.5 is not an integer"),
                ('{"nodes":[{"id":1}],"edges":[{"source":1,"target":1,"ports":[1]}]}',
                 "edges[0].ports: there are two numbers"),
                ('{"nodes":[{"id":1}],"edges":[{"source":1,"target":1,"width":0}]}',
                 "edges[0].width: 0 is not between 1 and"),
                ('{"nodes":[{"id":"\\ud800"}],"edges":[]}', "nodes[0].id: half a character"),
                ('{"nodes":[{"id":1}],"edges":[],"directed":1}', "directed: 1 is not true or false"),
                ('{"nodes":[{"id":1}],\n"nodes":[],"edges":[]}', "a key of an object is there twice"),
                ('{"nodes":[{"id":1}]}', "neither 'edges' nor 'links' is there"),
                ('{"edges":[]}', "the key 'nodes' is missing"), ("[]", "[] is not an object"),
                ('{"nodes":[],"edges":[]}', "no switch: no node is a router"), ('{"nodes":', "no JSON: "),
                ('{"nodes":' + 100000 * "[", "nested too deep"),
                ('{"nodes":[{"id":' + 5000 * "9" + "}]}", "Exceeds the limit"),
                ('{"graph":{"generator":{"name":"x","a":1}},"nodes":[{"id":1}],"edges":[]}',
                 "graph.generator.a: 1 is not a string")]
WORDS = ["", 'a "b"', "back\\slash\\", "two\nlines", "\\N", "é", "x{}[]--;"]


class Tool:
    def __init__(self, tools):
        self.tool = tools / "gen-topology"

    def __call__(self, *arguments, text):
        return subprocess.run([self.tool, *arguments], input=text.encode(), capture_output=True, check=False)

    def links_of(self, text, *arguments):
        """ "a-b b-c": the links by names, and what was left out behind it."""
        process = self("import", *arguments, text=text)
        if process.returncode != 0:
            return process.stderr.decode()
        record = json.loads(process.stdout.splitlines()[0])
        links = " ".join("-".join(record["names"][end] for end in link["ends"]) for link in record["links"])
        return "; ".join([links, *(f"{what} {count}" for what, count in record["generator"].items()
                                   if what != "name")])


def network(draw, form):
    """A record of random routers, hosts and links with names, times and rates, and what else the form of
    export keeps."""
    def some(link):
        if draw.random() < 0.5:
            link["hop_cycles"] = [draw.randint(1, 9), draw.randint(1, 9)]
        if draw.random() < 0.5:
            link["width"] = draw.randint(1, 12)
        if draw.random() < 0.5:
            link["speed"] = draw.choice(WORDS[1:])
        return link

    routers, hosts = draw.randint(2, 9), draw.randint(1, 5)
    record = {"kind": "topology", "format": 1, "family": "graph", "routers": routers,
              "hosts": [draw.randrange(routers) for _ in range(hosts)],
              "links": [some({"ends": [draw.randrange(r), r]}) for r in range(1, routers)]}
    if draw.random() < 0.5 and form == "dot":
        record["root"] = draw.randint(1, routers - 1)
    if draw.random() < 0.5 and form == "dot":
        record["virtual_channels"] = draw.randint(1, 255)
    if draw.random() < 0.5:
        record["names"] = [draw.choice(WORDS) for _ in range(routers)]
        record["host_names"] = [draw.choice(WORDS) for _ in range(hosts)]
    if draw.random() < 0.5:
        record["host_links"] = [some({}) for _ in range(hosts)]
        if not any(record["host_links"]):
            del record["host_links"]
    return json.dumps(record) + '\n{"kind":"end"}\n'


def check_exports(tally, tool):
    draw = random.Random(11)
    for form, text in ((form, network(draw, form)) for form in ("dot", "node-link") for _ in range(40)):
        drawn = tool("export", form, text=text)
        back = tool("import", text=drawn.stdout.decode())
        record = json.loads(back.stdout.splitlines()[0]) if back.returncode == 0 else {}
        given = json.loads(text.splitlines()[0])
        record.pop("generator", None)
        tally.check(record == given, f"{form}: {text}{drawn.stdout.decode()}{back.stderr.decode()}{record}")


def main():
    tool = Tool(bin_option(__doc__))
    tally = Tally()
    for text, wanted in [(text, "a-b b-c") for text in SAME_LISTS] + COUNTED + DRAWN:
        found = tool.links_of(text)
        tally.check(found == wanted, f"{text!r}: {found}, not {wanted}")
    for text in NO_LISTS:
        process = tool("import", text=text)
        tally.check(process.returncode == 2 and process.stderr.count(b"\n") == 1,
                    f"{text!r} is taken: {process.stdout}")
    found = tool.links_of("a,b\nb,c,x\n", "--format", "edge-list")
    tally.check("gen-topology: line 2: " in found, found)
    for text, wanted in REFUSED:
        found = tool.links_of(text, "--format", "dot")
        tally.check(wanted in found and found.count("\n") == 1, f"{text[:80]!r}: {found}, not {wanted}")
    for text, wanted in REFUSED_JSON:
        found = tool.links_of(text, "--format", "node-link")
        tally.check(wanted in found and found.count("\n") == 1, f"{text[:80]!r}: {found}, not {wanted}")
    check_exports(tally, tool)
    return tally.close()


if __name__ == "__main__":
    raise SystemExit(main())
