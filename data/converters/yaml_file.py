# The one document of a YAML file as values with their lines, for converters that trust nothing.
# SPDX-License-Identifier: MIT
"""What a value is, its text says: a number is read where one is wanted, so that 010 and 0x1_0000 are what
they look like. Refused are aliases (a few can stand for more than any memory holds), keys that stand twice or
are no texts, more than one document, more than 32 levels or 2^20 values."""
import difflib
import re

from converter import Refused, Refuser, quoted

MOST_LEVELS, MOST_VALUES = 32, 1 << 20
BOOLEANS = {"true": True, "True": True, "TRUE": True, "yes": True, "on": True,
            "false": False, "False": False, "FALSE": False, "no": False, "off": False}
NUMBER = re.compile("0[xX][0-9a-fA-F]{1,99}|0o[0-7]{1,99}|0b[01]{1,99}|(-?[0-9]{1,99})")


def read_yaml(file):
    try:
        import yaml
    except ImportError:
        raise Refused("the package python3-yaml is not installed") from None

    class Loader(yaml.SafeLoader):
        levels = values = 0

        def compose_node(self, parent, index):
            event = self.peek_event()
            line = event.start_mark.line + 1
            if isinstance(event, yaml.AliasEvent):
                file.fail("yaml", f"alias *{event.anchor}: aliases are not read", line)
            self.levels, self.values = self.levels + 1, self.values + 1
            file.fail_if(self.levels > MOST_LEVELS + 1, "yaml", f"more than {MOST_LEVELS} levels", line)
            file.fail_if(self.values > MOST_VALUES, "yaml", f"more than {MOST_VALUES} values", line)
            node = super().compose_node(parent, index)
            self.levels -= 1
            return node

        def compose_mapping_node(self, anchor):
            node, lines = super().compose_mapping_node(anchor), {}
            for key, _ in node.value:
                line = key.start_mark.line + 1
                file.fail_if(not isinstance(key, yaml.ScalarNode), "yaml", "a key that is not a scalar", line)
                if key.value in lines:
                    file.fail("yaml", f"key {quoted(key.value)} appears twice, first on line "
                              f"{lines[key.value]}", line)
                lines[key.value] = line
            return node

    text = re.sub("[ \t]+$", "", file.text(), flags=re.MULTILINE)  # its reader refuses tabs there
    try:
        loader = Loader(text)
        file.fail_if(not loader.check_node(), "yaml", "the file is empty", 1)
        root = loader.get_node()
        if loader.check_node():
            file.fail("yaml", "more than one document", loader.peek_event().start_mark.line + 1)
    except yaml.reader.ReaderError as error:
        file.fail("yaml", error.reason, text.count("\n", 0, error.position) + 1)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        file.fail("yaml", error.problem, mark.line + 1 if mark else 1)
    return Value(file, root)


class Value(Refuser):
    """A value; `members` are those of a map, by their keys."""

    def __init__(self, file, node):
        self.file, self.node, self.line = file, node, node.start_mark.line + 1
        self.text = node.value if node.id == "scalar" else None
        self.members = {key.value: Value(file, value)
                        for key, value in node.value} if node.id == "mapping" else {}

    def fail(self, field, what):
        self.file.fail(field, what, self.line)

    def empty(self):
        return self.node.id == "scalar" and not self.node.style and self.text in ("", "~", "null")

    def find(self, key):
        """None where the map has no such key, or nothing stands there."""
        found = self.members.get(key)
        return None if found is None or found.empty() else found

    def at(self, key, field):
        return self.find(key) or self.fail(field, f"'{key}' is missing")

    def expect_map(self, field):
        self.fail_if(self.node.id != "mapping", field, "not a map")

    def expect_keys(self, field, known):
        """That it is a map, whose keys are all among the words of `known`."""
        self.expect_map(field)
        for key, value in self.members.items():
            if key not in known.split():
                near = difflib.get_close_matches(key, known.split(), 1, 0.8)
                meant = f"; did you mean '{near[0]}'?" if near else ""
                value.fail(field, f"unknown key {quoted(key)}{meant} (known: {known})")

    def is_list(self):
        return self.node.id == "sequence"

    def each(self, field):
        self.fail_if(not self.is_list(), field, "not a list")
        return [Value(self.file, node) for node in self.node.value]

    def name(self, field):
        self.fail_if(not self.text, field, "not a name")
        if "${" in self.text:
            self.fail(field, f"{quoted(self.text)} is an expression, which only floogen computes")
        return self.text

    def boolean(self, field):
        if self.node.id != "scalar" or self.node.style or self.text not in BOOLEANS:
            self.fail(field, "neither true nor false")
        return BOOLEANS[self.text]

    def said(self, key, otherwise):
        found = self.find(key)
        return otherwise if found is None else found.boolean(key)

    def number(self, field, most, least=0):
        """A whole number in decimal, hexadecimal (0x), octal (0o) or binary (0b); it may have underscores."""
        digits = self.name(field).replace("_", "")
        match = NUMBER.fullmatch(digits)
        value = int(digits, 10 if match[1] else 0) if match else None
        if value is None or not least <= value <= most:
            span = f"up to {most}" if least == 0 else f"from {least} to {most}"
            self.fail(field, f"{quoted(self.text)} is not a whole number {span}")
        return value
