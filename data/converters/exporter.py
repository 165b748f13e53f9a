# What the scripts that write networks for other programs share. SPDX-License-Identifier: MIT
import os
import sys

from converter import arguments, note, run_on_records
from typed_graph import OWN_KEYS

# What a network may have, and a format no place for: members of its links, or of its record.
LINKS, GRAPH = ("links", "host_links"), ()
PARTS = {
    "names": (GRAPH, "names", "host_names"),
    "GUIDs": (GRAPH, "guids", "host_guids"),
    "ports": (LINKS, "ports"),
    "widths": (LINKS, "width"),
    "speeds": (LINKS, "speed"),
    "latencies": (LINKS, "hop_cycles"),
    "flit times, buffers and virtual channels of links": (LINKS, *OWN_KEYS[1:]),
    "groups": (GRAPH, "groups"),
    "the spanning tree's root": (GRAPH, "root"),
    "virtual channels": (GRAPH, "virtual_channels"),
    "path labels": (GRAPH, "labels"),
    "the routing relation": (GRAPH, "relation"),
}


def has(graph, lists, *keys):
    members = [link for links in lists for link in graph.get(links, ())] if lists else [graph]
    return any(key in one for one in members for key in keys)


def export(text, written, lacks):
    """Writes what written(graph) makes of the record of a graph, and says what of it is among the parts that
    the format lacks; `text` is the help."""

    def told(records, _):
        graph = next(records)
        lost = [part for part, where in PARTS.items() if part in lacks and has(graph, *where)]
        if "family" in graph.get("generator", {}):
            lost.insert(0, "the family (the import makes a graph of it)")
        result = written(graph)
        if lost:
            note(f"export {os.path.basename(sys.argv[0])[len('to-'):]}: not written: {', '.join(lost)}")
        return result

    run_on_records(told, arguments(text))
