# Tokens of Graphviz's DOT language: names, texts in quotes and signs. SPDX-License-Identifier: MIT
import re
from collections import namedtuple

from converter import quoted

SKIPPED = re.compile(r"(?:[ \t\n\v\f\r]+|//[^\n]*|#[^\n]*|/\*.*?\*/)*", re.DOTALL)
LETTER = "A-Za-z0-9_\u0080-\U0010ffff"
TEXT = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"', re.DOTALL)
TOKEN = re.compile(rf"((?:[0-9.]|-(?=[0-9.]))[0-9.]*)|([{LETTER}]+)|(--|->|[{{}}\[\]=,;:])")
ANGLES = re.compile("[<>]")


# `kind` is "id", "sign" or "end"; a text in quotes, or between < and >, is no keyword.
Token = namedtuple("Token", "kind text line in_quotes html", defaults=(False, False))


class Lexer:
    def __init__(self, file):
        self.file, self.text, self.at, self.line = file, file.text(), 0, 1
        self.now = self._read()

    def is_sign(self, *signs):
        return self.now.kind == "sign" and self.now.text in signs

    def shown(self):
        return "the end" if self.now.kind == "end" else quoted(self.now.text)

    def take(self):
        taken, self.now = self.now, self._read()
        return taken

    def take_sign(self, sign):
        return self.is_sign(sign) and self.take()

    def is_word(self, word):
        """The token is that keyword, in whatever case."""
        return self.now.kind == "id" and not self.now.in_quotes and self.now.text.lower() == word

    def take_word(self, word):
        return self.is_word(word) and self.take()

    def _fail(self, what):
        self.file.fail("", what, self.line)

    def _go_to(self, end):
        self.line += self.text.count("\n", self.at, end)
        self.at = end

    def _skip(self):
        self._go_to(SKIPPED.match(self.text, self.at).end())
        if self.text.startswith("/*", self.at):
            self._fail("a comment does not end")

    def _html(self):
        """From < to the > that closes it."""
        depth = 0
        for sign in ANGLES.finditer(self.text, self.at):
            depth += 1 if sign[0] == "<" else -1
            if depth == 0:
                return sign.end()
        return self._fail("an HTML text does not end")

    def _read(self):
        self._skip()
        line, begin = self.line, self.at
        if begin == len(self.text):
            return Token("end", "", line)
        if self.text[begin] == "<":
            self._go_to(self._html())
            return Token("id", self.text[begin:self.at], line, True, True)
        if self.text[begin] == '"':
            return Token("id", self._texts(), line, True)
        match = TOKEN.match(self.text, begin)
        if match is None:
            self._fail(f"{quoted(self.text[begin])} has no place here")
        self.at = match.end()
        if match[1] and re.match(f"[{LETTER}]", self.text[self.at:self.at + 1]):
            self._fail(f"{quoted(self.text[begin:self.at + 1])} is neither a number nor a name")
        return Token("sign" if match[3] else "id", match[0], line)

    def _texts(self):
        """A text in quotes and those that + adds to it. A backslash before a line's end joins the lines."""
        text = ""
        while True:
            match = TEXT.match(self.text, self.at)
            if match is None:
                begun = self.text.startswith('"', self.at)
                self._fail("a text in quotes " + ("does not end" if begun else "is missing after +"))
            self._go_to(match.end())
            text += re.sub(r"\\(.)", lambda one: {"\n": "", '"': '"'}.get(one[1], one[0]), match[1],
                           flags=re.DOTALL)
            self._skip()
            if not self.text.startswith("+", self.at):
                return text
            self.at += 1
            self._skip()
