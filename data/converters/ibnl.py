# System definitions of ibutils (.ibnl): the devices, boards and cables inside a chassis.
# SPDX-License-Identifier: MIT
"""`SYSTEM NAMES` and one `TOPSYSTEM NAMES`, each of them `NODE SW|CA PORTS TYPE NAME` and `SUBSYSTEM BOARD
NAME` with lines `PORT -> PART PORT` or `PORT -> PANEL-PORT`.

A board is taken apart from its devices outwards: what a part offers is a name for a port of one device. A
connection whose end no part offers is left out, as the format wants: that is how a definition holds several
kinds of a board. Width and speed of the innermost connection count. See ibdm-ibnl-file(1)."""
from converter import Refuser, quoted, words_of

MOST_DEPTH = 8  # boards in boards
MOST_DEVICES = 4096  # and as many boards, of a system


def is_arrow(word):
    return word.startswith("-") and word.endswith("->")


def arrow_attributes(arrow, file):
    """(width, speed) of -4x-5G->; 0 and "" where it says none."""
    width, speed = 0, ""
    for word in arrow[:-2].split("-")[1:]:
        if word[-1:] in ("x", "X"):
            width = file.number(word[:-1], "width", 1, 12)
        else:
            speed = word
    return width, speed


def either(first, second):
    """The attributes, and what the second ones know where the first know nothing."""
    return first[0] or second[0], first[1] or second[1]


def is_definition(file):
    words = words_of(file.first_text("#"))
    return len(words) >= 2 and words[0] in ("SYSTEM", "TOPSYSTEM")


class Part:
    def __init__(self, name, board=None, is_switch=True, ports=0):
        # board None: a device
        self.name, self.board, self.is_switch, self.ports = name, board, is_switch, ports
        self.connections = []  # (port, attributes, part or None, port)


class SystemDefinitions:
    """All definitions that came along with a network."""

    def __init__(self):
        self.systems = {}  # by name (board, boards of its file); a board is a list of parts

    def read(self, file):
        boards, top = {}, False
        parts: list | None = None  # of the system that is open

        def add_part(part):
            file.fail_if(parts is None, "SYSTEM", "a part outside any system")
            if any(part.name == other.name for other in parts):
                file.fail("name", f"a second part {quoted(part.name)}")
            parts.append(part)

        for words in map(words_of, file.texts("#")):
            if words[0] in ("SYSTEM", "TOPSYSTEM"):
                file.fail_if(top, "TOPSYSTEM", "it must be the last of the file")
                top, parts = words[0] == "TOPSYSTEM", []
                self.add_board(file, words, parts, boards)
            elif words[0] == "NODE":
                add_part(device_of(file, words))
            elif words[0] == "SUBSYSTEM":
                file.fail_if(len(words) != 3, "SUBSYSTEM", "a board is 'SUBSYSTEM BOARD NAME'")
                add_part(Part(words[2], board=words[1]))
            elif len(words) >= 2 and is_arrow(words[1]):
                file.fail_if(not 3 <= len(words) <= 4, "port", "a connection is 'PORT -> [PART] PORT'")
                file.fail_if(not parts, "port", "a connection outside any part")
                if parts[-1].board is None:
                    file.number(words[0], "port", 1, parts[-1].ports)
                attributes = arrow_attributes(words[1], file)
                parts[-1].connections.append((words[0], attributes, words[2] if len(words) == 4 else None,
                                              words[-1]))
            elif len(words) != 1 or "=" not in words[0]:
                file.fail("", "neither SYSTEM, TOPSYSTEM, NODE, SUBSYSTEM nor 'PORT -> [PART] PORT'")
        file.fail_if(not top, "TOPSYSTEM", "the file defines none")

    def add_board(self, file, words, board, boards):
        names = [name for word in words[1:] for name in word.split(",") if name]
        file.fail_if(not names, words[0], "its name is missing")
        for name in names:  # one may stand twice in a list, as in 'LEAF:4x,LEAF:4X,LEAF:4x'
            known = (boards.setdefault(name, board) if words[0] == "SYSTEM"
                     else self.systems.setdefault(name, (board, boards))[0])
            file.fail_if(known is not board, words[0], f"{quoted(name)} is defined already")

    def expand(self, kind, modifiers, fail):
        """(devices, cables, panel) of a known type. A device is (path, is_switch), a port (device, number,
        attributes), a cable two of them, the panel the ports that cables between systems use, by name.
        `modifiers` says of a board ("leaf1") which kind of it is there ("12x"), or "R", "X" or "Removed"
        where it is not."""
        board, boards = self.systems[kind]
        expansion = Expansion(boards, modifiers, fail)
        panel = expansion.expand(board, "", 0)
        for path in sorted(modifiers):
            if path not in expansion.used:
                fail("CFG", f"the system has no board {quoted(path)}")
        return expansion.devices, expansion.cables, panel


def device_of(file, words):
    file.fail_if(len(words) != 5, "NODE", "a device is 'NODE SW|CA PORTS TYPE NAME'")
    file.fail_if(words[1] not in ("SW", "CA", "HCA"), "NODE", f"{quoted(words[1])} is neither SW, CA nor HCA")
    return Part(words[4], is_switch=words[1] == "SW", ports=file.number(words[2], "PORTS", 1, 255))


class Expansion(Refuser):
    def __init__(self, boards, modifiers, fail):
        self.boards, self.modifiers, self.fail = boards, modifiers, fail
        self.devices, self.cables, self.used, self.taken_apart = [], [], set(), 0

    def expand(self, board, path, depth):
        """The ports of the board that can be reached from outside, by name."""
        self.fail_if(depth == MOST_DEPTH, "TYPE", "boards are nested too deep")
        self.taken_apart += 1
        self.fail_if(self.taken_apart > MOST_DEVICES, "TYPE", "more boards than a system may have")
        offered = {part.name: self.expand_part(part, path + part.name, depth) for part in board}
        panel = {}
        for part in board:
            for port, attributes, other, to in part.connections:
                if port not in offered[part.name]:
                    continue
                device, number, inner = offered[part.name][port]
                here = device, number, either(inner, attributes)
                if other is None:
                    panel.setdefault(to, here)
                elif other not in offered:
                    self.fail("TYPE", f"its definition connects to {quoted(other)}, which is not a part")
                elif to in offered[other]:
                    self.cables.append((here, offered[other][to]))
        return panel

    def expand_part(self, part, path, depth):
        if part.board is None:
            self.fail_if(len(self.devices) == MOST_DEVICES, "TYPE", "more devices than a system may have")
            self.devices.append((path, part.is_switch))
            return {str(port): (len(self.devices) - 1, port, (0, "")) for port in range(1, part.ports + 1)}
        kind = part.board
        if path in self.modifiers:
            self.used.add(path)
            if self.modifiers[path] in ("R", "X", "Removed"):
                return {}
            kind += ":" + self.modifiers[path]
        if kind not in self.boards:
            self.fail("TYPE", f"board {quoted(path)} is a {quoted(kind)}, which its file does not define")
        return self.expand(self.boards[kind], path + "/", depth + 1)
