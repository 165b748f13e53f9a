#!/usr/bin/env python3
"""Holds the library to the table in lib/README.md: every folder stands in it, includes nothing that its row
does not name; no row names a folder that data flows to; no folders include each other in a circle; what
checks includes nothing that finds, and only what asks before an answer leaves includes it; no folder holds
more than 32 source files, no source has over 400 lines; lines outside router that name its modes or ask its
abilities are counted. A source opens with a comment that says what it is for, and comments name only sources
that are there. Outside io nothing asks for the name of a topology family or a planner, but for what it can
do.

Usage: tests/check_rooms.py [LIB]
"""
# SPDX-License-Identifier: MIT
import pathlib
import re
import sys
import tempfile

MOST_FILES = 32
MOST_LINES = 400
# Data flows this way; folders of one step do not see each other.
STEPS = [{"topology"}, {"routing"}, {"router"}, {"multicast"}, {"programs"},
         {"simulation", "deadlock", "report"}, {"checks"}, {"proofs"}, {"io"}]
# What checks answers, and what finds them: the first never sees the second, not even by way of others.
APART = {"checks": {"deadlock/graph", "deadlock/search", "deadlock/relations", "deadlock/tables",
                    "deadlock/programs", "deadlock/checker"},
         "multicast/verification": {"multicast/planners", "multicast/stars", "multicast/building_blocks",
                                    "multicast/bounds"}}
# Rooms that are leaves, by what alone may include them: what asks before an answer leaves, and --verify.
LEAVES = {"checks": {"proofs", "checks/programs"}, "checks/programs": set()}
# What checks reads anew, and so may not include.
UNREAD = dict.fromkeys(("checks", "checks/programs"),
                       {"router/shared_worms.hpp", "router/worm_footprint.hpp"})
# Lines outside router that name a mode of routers, or ask one of their abilities, and files with any: so many
# at most. A discipline says what its routers do; others ask that once, where they are bound to routers.
COUNTED = {
    "name a mode of routers": (40, 25, re.compile(
        r"\b(?:Allocation|VcReuse|Arbitration|OutputArbitration|ConsumptionRelease|RingEntry|VcAllocation"
        r"|VcSelection|Copies)::[a-z_]+|[.>](?:cut_through|path_reservation)\b")),
    "ask an ability of routers": (179, 59, re.compile(
        r"discipline\(\)|discipline_(?:->|\.)|\b(?:copying|copy_rank|grants_need_slots|grants_plainly"
        r"|slots_needed|ring_of|bubble_rings?|too_long_for_slots|check_slots|buffer_slots|effective_flits"
        r"|outgrows_buffers|judged_by_exploring|refuse_with_choices|consumes_at_once|vcs_share_links"
        r"|branches_hold_up|own_input_serves|joins_by_request|joins_by_flit|shares_buffers|reuses_early"
        r"|answered|serves_first_come|consumption_held|released) *\(")),
}
SOURCES = {".cpp", ".hpp", ".def"}
# A source of the library in a comment; those of other programs have capitals or stand in folders that are not
# ours.
NAMED = re.compile(r"(?<![\w./])(?:lib/)?((?:[a-z_]+/)*[a-z_0-9]+\.(?:cpp|hpp|def))\b")

# A question for a name where an ability is meant.
BY_NAME = re.compile(r'\b(?:family|planner)(?:\(\))? *[!=]= *"')


def read_table(text):
    """The folders of the table, each with the set of folders that it may include."""
    rooms = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and cells[0].startswith("`"):
            rooms[cells[0].strip("`")] = set(re.findall(r"`([^`]+)`", cells[2]))
    return rooms


def upstream(room, other):
    """Whether data may flow from `other` to `room`: they share the top folder, or `other` is of an earlier
    step."""
    top, other_top = room.split("/")[0], other.split("/")[0]
    step = {name: at for at, names in enumerate(STEPS) for name in names}
    return top == other_top or step.get(other_top, 0) < step.get(top, len(STEPS))


def reached(rooms, room):
    """All folders that a folder may include, directly or not."""
    seen, left = set(), [room]
    while left:
        more = rooms.get(left.pop(), set()) - seen
        seen |= more
        left += more
    return seen


def circles(rooms):
    """Folders that see themselves by way of others, those of one circle in one line."""
    sees = {room: reached(rooms, room) for room in rooms}
    together = {tuple(sorted(other for other in sees[room] if room in sees.get(other, ()))) for room in rooms
                if room in sees[room]}
    return [", ".join(circle) + ": include each other in a circle" for circle in sorted(together)]


def stale_names(text, there):
    """Sources that comments name and that are not there."""
    for comment in re.findall(r"//.*", text):
        for name in NAMED.findall(comment):
            ours = "/" not in name or any(name.split("/")[0] in path.split("/")[:-1] for path in there)
            if ours and not any(("/" + path).endswith("/" + name) for path in there):
                yield name


def too_many(lib):
    """What is named or asked by more lines or files than it may be."""
    for what, (most, most_files, pattern) in COUNTED.items():
        lines = {path: sum(1 for line in path.read_text().splitlines()
                           if pattern.search(line) and not line.lstrip().startswith("//"))
                 for path in lib.rglob("*") if path.suffix in {".cpp", ".hpp"}
                 and path.relative_to(lib).parts[0] != "router"}
        count, files = sum(lines.values()), sum(map(bool, lines.values()))
        if count > most or files > most_files:
            yield f"{count} lines in {files} files outside router {what}: at most {most} in {most_files}"


def violations(lib):
    """What is not as the table says: one line each."""
    there = [str(path.relative_to(lib)) for path in lib.rglob("*") if path.suffix in SOURCES]
    rooms = read_table((lib / "README.md").read_text())
    found = []
    files = {}
    for path in sorted(lib.rglob("*")):
        if path.suffix not in SOURCES:
            continue
        room = str(path.parent.relative_to(lib))
        files.setdefault(room, []).append(path)
        text = path.read_text()
        if text.count("\n") > MOST_LINES:
            found.append(f"{path.relative_to(lib)}: over {MOST_LINES} lines")
        if not re.match(r"// (?!SPDX)\S", text):
            found.append(f"{path.relative_to(lib)}: does not open with what it is for")
        found += [f"{path.relative_to(lib)}: names {name}, which is not there"
                  for name in stale_names(text, there)]
        if BY_NAME.search(text) and not room.startswith("io"):
            found.append(f"{path.relative_to(lib)}: asks for a family or planner by name")
        if room not in rooms:
            continue
        for included in re.findall(r'#include "([^"]+)"', text):
            if not (lib / included).exists():
                found.append(f"{path.relative_to(lib)}: includes {included}, which is not in the library")
            elif included in UNREAD.get(room, ()):
                found.append(f"{path.relative_to(lib)}: may not include {included}, which it is to check")
            elif str(pathlib.PurePath(included).parent) not in rooms[room] | {room}:
                found.append(f"{path.relative_to(lib)}: {room} may not include {included}")
    found += [f"{room}: not in the table" for room in files if room not in rooms]
    found += [f"{room}: {other} is downstream of it" for room in rooms for other in rooms[room]
              if not upstream(room, other)]
    found += circles(rooms)
    found += too_many(lib)
    found += [f"{room}: sees {other}, which it is to check" for room, others in APART.items() if room in rooms
              for other in sorted(others & reached(rooms, room))]
    found += [f"{room}: may include {leaf}, a leaf" for leaf, users in LEAVES.items()
              for room in rooms if leaf in rooms[room] and room not in users]
    found += [f"{room}: in the table, but has no sources" for room in rooms if room not in files]
    found += [f"{room}: {len(paths)} source files" for room, paths in files.items()
              if len(paths) > MOST_FILES]
    return found


def finds_planted():
    """Whether each kind of violation, planted in a library of two rooms, is found."""
    plants = {
        "upstream/a.hpp": '// A.\n#include "downstream/b.hpp"\n',
        "upstream/long.cpp": "// Long.\n" * (MOST_LINES + 1),
        "elsewhere/c.hpp": "// As upstream/a.hpp and Other.cpp.\n",
        "upstream/lost.cpp": '// Lost.\n#include "upstream/none.hpp"\n',
        "upstream/mute.cpp": "// SPDX-License-Identifier: MIT\n",
        "upstream/stale.cpp": "// As in downstream/a.hpp.\n",
        "upstream/modes.cpp": "// Modes.\n" + "if (reuses_early()) m.copies = Copies::serial;\n" * 300,
        "upstream/named.cpp": '// Named.\nbool mesh = spec().family == "mesh";\n',
    }
    plants.update({f"crowd/f{i}.hpp": "// One of many.\n" for i in range(MOST_FILES + 1)})
    with tempfile.TemporaryDirectory() as folder:
        lib = pathlib.Path(folder)
        (lib / "README.md").write_text(
            "| `upstream` | | |\n| `downstream` | | `upstream` |\n| `crowd` | | |\n| `empty` | | |\n"
            "| `topology` | | `routing` |\n| `one` | | `two` |\n"
            "| `two` | | `three` |\n| `three` | | `one` |\n"
            "| `checks` | | `deadlock` `router` |\n| `deadlock` | | `deadlock/search` |\n"
            "| `io` | | `checks` |\n| `router` | | |\n")
        plants.update({f"{room}/e.hpp": "// E.\n" for room in ("one", "two", "three", "deadlock", "io")})
        plants["checks/e.hpp"] = '// E.\n#include "router/shared_worms.hpp"\n'
        plants["router/shared_worms.hpp"] = "// S.\n"
        plants["topology/d.hpp"] = "// D.\n"
        plants["downstream/b.hpp"] = '// B.\n#include "upstream/a.hpp"\n'
        for name, text in plants.items():
            (lib / name).parent.mkdir(parents=True, exist_ok=True)
            (lib / name).write_text(text)
        found = violations(lib)
    wanted = ["upstream may not include downstream/b.hpp", "upstream/long.cpp: over", "elsewhere: not in",
              "includes upstream/none.hpp", "crowd: 33 source files", "empty: in the table",
              "topology: routing is downstream", "mute.cpp: does not open",
              "stale.cpp: names downstream/a.hpp",
              "one, three, two: include each other", "checks: sees deadlock/search",
              "io: may include checks, a leaf",
              "may not include router/shared_worms.hpp, which it is to check",
              "named.cpp: asks for a family", "300 lines in 1 files outside router name a mode",
              "300 lines in 1 files outside router ask an ability"]
    return len(found) == len(wanted) and all(any(text in line for line in found) for text in wanted)


def main():
    lib = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
                       / "lib")
    rooms = read_table((lib / "README.md").read_text())
    found = violations(lib)
    for line in found:
        print(line)
    failed = len(found)
    if not finds_planted():
        print("a violation that was planted is not found")
        failed += 1
    print(f"{len(rooms) + 1 - min(failed, len(rooms) + 1)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
