# What the scripts that write networks for other programs share. SPDX-License-Identifier: MIT
import os
import sys

from converter import arguments, note, run_on_records

OWN_VALUES = ("hop_cycles", "flit_cycles", "buffer_flits", "virtual_channels")


def _of_links(*keys):
    return lambda graph: any(key in link for of in ("links", "host_links") for link in graph.get(of, ())
                             for key in keys)


def _of_graph(*keys):
    return lambda graph: any(key in graph for key in keys)


# What a network may have, and a format no place for.
PARTS = {
    "names": _of_graph("names", "host_names"),
    "GUIDs": _of_graph("guids", "host_guids"),
    "ports": _of_links("ports"),
    "widths": _of_links("width"),
    "speeds": _of_links("speed"),
    "latencies": _of_links("hop_cycles"),
    "flit times, buffers and virtual channels of links": _of_links(*OWN_VALUES[1:]),
    "groups": _of_graph("groups"),
    "the spanning tree's root": _of_graph("root"),
    "virtual channels": _of_graph("virtual_channels"),
    "path labels": _of_graph("labels"),
}


def export(text, written, lacks):
    """Writes what written(graph) makes of the record of a graph, and says what of it is among the parts that
    the format lacks; `text` is the help."""

    def told(records, _):
        graph = next(records)
        lost = [part for part, has in PARTS.items() if part in lacks and has(graph)]
        if "family" in graph.get("generator", {}):
            lost.insert(0, "the family (the import makes a graph of it)")
        result = written(graph)
        if lost:
            note(f"export {os.path.basename(sys.argv[0])[len('to-'):]}: not written: {', '.join(lost)}")
        return result

    run_on_records(told, arguments(text))
