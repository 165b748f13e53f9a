# The text of MLIR as operations: one to a line, with the regions that it opens.
# SPDX-License-Identifier: MIT
import re

STRING, NAME = r'"(?:[^"\\]|\\.)*"', r"%[\w$.-]+"


class Operation:
    """`text` is what stands behind the name; a label, ^name:, is an operation of that name. The second region
    of an operation is one of its own, as in `scf.while do`."""

    def __init__(self, line, result, name, text):
        self.line, self.result, self.name, self.text = line, result, name, text
        self.attributes = ""  # behind its region
        self.body = []

    def all(self):
        """Those of its regions, with all that these hold."""
        for one in self.body:
            yield one
            yield from one.all()


def read_operations(file):
    """Those outside of all others."""
    opened = [Operation(0, "", "", "")]
    for line in file.lines():
        text = re.sub(rf"({STRING})|//.*|\bloc\([^()]*\)\s*$|\b0x([0-9a-fA-F]+)\b",
                      lambda found: found[1] or (str(int(found[2], 16)) if found[2] else ""), line).strip()
        text = re.sub(r"(?<=[{[(<\s])\s+|\s+(?=[]})>])|(?<=\])\s+(?=\[)", "", text)  # as it is printed
        if not text or text[0] in "#!":
            continue
        if text == "}, {":
            continue  # a list of regions is read as one
        if text[0] == "}":
            if len(opened) == 1:
                file.fail("", "a } without its {")
            closed, text = opened.pop(), text[1:].strip()
            again = re.fullmatch(r"(\w+) \{", text)
            if again:
                opened[-1].body.append(Operation(file.line, "", f"{closed.name} {again[1]}", ""))
                opened.append(opened[-1].body[-1])
            closed.attributes = text
            continue
        parts = re.fullmatch(r"(?:(%[\w$.:-]+) = )?(\^?[\w$.-]+)(.*)", text)
        if not parts:
            file.fail("", "not an operation in MLIR's custom (not generic) form, one to a line")
        opened[-1].body.append(Operation(file.line, parts[1] or "", parts[2], parts[3].strip()))
        plain = re.sub(STRING, "", text)
        regions = plain.count("{") - plain.count("}")
        if regions not in (0, 1) or (regions == 1) != (plain[-1] == "{") or plain[-1] == "[":
            file.fail(parts[2], "its line ends where no line that is read ends")
        if regions:
            opened.append(opened[-1].body[-1])
    if len(opened) > 1:
        file.fail(opened[-1].name, "its } is missing", opened[-1].line)
    return opened[0].body
