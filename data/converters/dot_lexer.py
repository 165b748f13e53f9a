# Tokens of Graphviz's DOT language: names, texts in quotes and signs. SPDX-License-Identifier: MIT
import re
from collections import namedtuple

from converter import quoted

SKIPPED = re.compile(r"(?:[ \t\n\v\f\r]+|//[^\n]*|#[^\n]*|/\*.*?\*/)*", re.DOTALL)
LETTER = "A-Za-z0-9_\u0080-\U0010ffff"
# A number, a name, a sign, a text in quotes, or one between < and > as HTML has them.
TOKEN = re.compile(rf"((?:[0-9.]|-(?=[0-9.]))[0-9.]*)|([{LETTER}]+)|(--|->|[{{}}\[\]=,;:])|"
                   r'"([^"\\]*(?:\\.[^"\\]*)*)"|(<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)', re.DOTALL)
ENDLESS = {'"': "a text in quotes does not end", "<": "an HTML text does not end",
           "/*": "a comment does not end"}


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

    def _pass(self, match):
        self.line += match[0].count("\n")
        self.at = match.end()
        return match

    def _skip(self):
        self._pass(SKIPPED.match(self.text, self.at))

    def _match(self, wanted=""):
        """Passes the token here, or what is wanted in its place."""
        match = TOKEN.match(self.text, self.at)
        if match and (not wanted or match[4] is not None):
            return self._pass(match)
        begun = next((sign for sign in ENDLESS if self.text.startswith(sign, self.at)), "")
        what = ENDLESS.get(begun, wanted or f"{quoted(self.text[self.at])} has no place here")
        return self.file.fail("", what, self.line)

    def _read(self):
        self._skip()
        line = self.line
        if self.at == len(self.text):
            return Token("end", "", line)
        match = self._match()
        number, _, sign, text, html = match.groups()
        if number and re.match(f"[{LETTER}]", self.text[self.at:self.at + 1]):
            self.file.fail("", f"{quoted(number + self.text[self.at])} is neither a number nor a name", line)
        if text is not None:
            return Token("id", self._texts(text), line, True)
        return Token("sign" if sign else "id", match[0], line, bool(html), bool(html))

    def _texts(self, text):
        """With those that + adds to it. A backslash before a line's end joins the lines."""
        parts = [text]
        self._skip()
        while self.text.startswith("+", self.at):
            self.at += 1
            self._skip()
            parts.append(self._match("a text in quotes is missing after +")[4])
            self._skip()
        return re.sub(r"\\(.)", lambda one: {"\n": "", '"': '"'}.get(one[1], one[0]), "".join(parts),
                      flags=re.DOTALL)
