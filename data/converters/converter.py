# What the converters share: files with their lines, strict numbers, and one-line errors.
# SPDX-License-Identifier: MIT
import argparse
import functools
import json
import os
import re
import signal
import sys
import time
import types
import typing

MOST_BYTES = 1 << 28  # of a file
UTF16_MARKS = b"\xff\xfe", b"\xfe\xff"
PART = 1 << 16  # characters of a file that are split into lines at once
MOST_INTEGER = 2**53 - 1


class Refused(Exception):
    """What is wrong, in one line."""


def refuse_if(wrong, what):
    if wrong:
        raise Refused(what)


class Refuser:
    """What refuses by fail(); behind an if where words cost much, or are of what only wrong files have."""

    fail: typing.Any

    def fail_if(self, wrong, *what):
        if wrong:
            self.fail(*what)


REFUSALS = Refused, OSError, RecursionError, MemoryError
running: list = []
sources: list = []  # what has a `line`, the last of them is read now
drawn: list = []    # the terminal that a line of progress stands on


def refusal(error):
    """What one of the REFUSALS says."""
    if isinstance(error, OSError):
        return (f"cannot read {error.filename}: " if error.filename is not None else "") + error.strerror
    return str(error) if isinstance(error, Refused) else "the file is nested too deep, or too large"


def quoted(text):
    """As the tools quote: cut after 100 bytes, what is not printable ASCII as '?'."""
    data = text.encode("utf-8", "surrogateescape")
    return "'" + re.sub("[^ -~]", "?", data[:100].decode("latin-1")) + ("...'" if len(data) > 100 else "'")


def whole_number(text):
    """A number of at most 64 bits in decimal digits, or None."""
    digits = re.fullmatch("0*([0-9]{1,20})", text)
    return int(digits[1]) if digits and int(digits[1]) < 1 << 64 else None


def _show_progress(name):
    """Says each second, from the second on, how far the script is, as the tools do: on the terminal that is
    stderr, or stderr of the tool that runs it."""
    begin, tools_own = time.monotonic(), os.environ.get("WORMCAST_TERMINAL")
    try:
        terminal = os.open(tools_own, os.O_WRONLY | os.O_NOCTTY) if tools_own else 2
    except OSError:  # another user's
        return

    def tell(*_):
        drawn[:] = [terminal]
        line = f"line {sources[-1].line}, " if sources else ""
        os.write(terminal, f"\r\033[K{name}: {line}{time.monotonic() - begin:.0f} s".encode())

    if os.isatty(terminal):
        signal.signal(signal.SIGALRM, tell)
        signal.setitimer(signal.ITIMER_REAL, 2, 1)


def _wipe():
    while drawn:
        os.write(drawn.pop(), b"\r\033[K")


def run(main):
    """Runs a script by its main(), which stands last; what it refuses is one line on stderr, and exit 2.
    Scripts that a running one loads do not run."""
    if running:
        return main
    running.append(main)
    # One that is closed is opened the wrong way round: it fails when it is used, and no file takes its place.
    for closed, way in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        stream = ("stdin", "stdout", "stderr")[closed]
        if getattr(sys, stream) is None:
            setattr(sys, stream, open(os.open(os.devnull, way), "w" if closed else "r"))
    sys.stderr.reconfigure(encoding="utf-8", errors="surrogateescape")  # type: ignore
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    name = os.path.basename(sys.argv[0])
    _show_progress(name)
    try:
        main()
        signal.setitimer(signal.ITIMER_REAL, 0)
        _wipe()
        sys.stdout.buffer.flush()
    except REFUSALS as error:
        if isinstance(error, OSError):  # what stays unwritten is written once more at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(_say(name, refusal(error)))
    return main


def run_on_records(main, parser):
    """Writes what main(records, options) makes of the objects that the lines of a file, or of standard input,
    hold: a text, or several in turn. What is not as wormcast's tools write it is refused with its line."""
    at = types.SimpleNamespace(line=0)
    sources.append(at)

    def records(files):
        refuse_if(len(files) != 1, "FILE: one file at a time")
        with (sys.stdin.buffer if files == ["-"] else open(files[0], "rb")) as stream:
            for at.line, line in enumerate(stream, 1):
                yield json.loads(line.decode("utf-8", "surrogateescape"))

    def refuse():
        options = parser.parse_args()
        try:
            made = main(records(options.files), options)
            for text in [made] if isinstance(made, str) else made:
                sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, StopIteration) as error:
            raise Refused(
                f"line {at.line}: not as wormcast's tools write it ({type(error).__name__})") from None

    run(refuse)


def _say(name, what):
    _wipe()
    line = str(what).replace("\n", " ")
    print(f"{name}: {line}", file=sys.stderr)
    return 2


def note(text):
    """Says what is left out, as gen-topology import does."""
    if text:
        _say(os.path.basename(sys.argv[0]), text)


def arguments(text, files="FILE", what=(), reads="what to read (-: standard input)"):
    """A parser of the command line: `text` is the help, first its summary; errors of usage are one line, too.
    `what`: words of which the first argument is one."""

    class Parser(argparse.ArgumentParser):
        def error(self, message):
            raise Refused(message)

    summary, _, details = text.strip().partition("\n\n")
    # Where its width is stated, argparse imports nothing to look for it: a tenth of a script's start.
    parser = Parser(description=summary, epilog=details, allow_abbrev=False,
                    formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=78))
    if what:
        parser.add_argument("what", metavar="WHAT", choices=what, help="one of " + ", ".join(what))
    parser.add_argument("files", metavar=files, nargs="*", default=["-"], help=reads)
    return parser


def one_file(options, what):
    refuse_if(len(options.files) != 1, f"FILE: one {what} at a time")
    return File(options.files[0])


def run_on_file(read, text, what):
    """Runs a script that reads one file, by read(file); returns its main()."""
    return run(lambda: read(one_file(arguments(text).parse_args(), what)))


@functools.lru_cache
def data_of(name):
    """Of a file: whoever looks at what it is, and then reads it, reads it once."""
    with (sys.stdin.buffer if name == "-" else open(name, "rb")) as stream:
        data = stream.read(MOST_BYTES + 1)
    refuse_if(len(data) > MOST_BYTES, f"FILE: {name} has more than {MOST_BYTES} bytes")
    return data


@functools.lru_cache
def text_of(data):
    """UTF-16 is told by its mark, as Windows writes it; a carriage return ends a line, too."""
    text = (data.decode("utf-16", "replace") if data[:2] in UTF16_MARKS
            else data.decode("utf-8-sig", "surrogateescape"))
    return text.replace("\r\n", "\n").replace("\r", "\n")


class File(Refuser):
    """A file as a whole; `name` is empty for standard input."""

    def __init__(self, name):
        self.name, self.line = "" if name == "-" else name, 0
        sources.append(self)
        self.data = data_of(name)

    def shown(self):
        return self.name or "standard input"

    def text(self):
        return text_of(self.data)

    def lines(self):
        """Each line; `line` is its number from then on, for errors."""
        text, begin, self.line = self.text(), 0, 0
        while begin < len(text):
            end = text.find("\n", begin + PART) + 1 or len(text)
            for line in text[begin:end].removesuffix("\n").split("\n"):
                self.line += 1
                yield line
            begin = end

    def texts(self, comments=()):
        """The lines that hold more than blanks and do not begin as comments, trimmed."""
        for line in self.lines():
            line = line.strip(BLANKS)
            if line and line[0] not in comments:
                yield line

    def first_text(self, comments=()):
        return next(self.texts(comments), "")

    def has_line(self, begin):
        return self.text().startswith(begin) or "\n" + begin in self.text()

    def fail(self, field, what, line=None):
        place = f"{self.name}: " if self.name else ""
        raise Refused(f"{place}line {self.line if line is None else line}: "
                      f"{field + ': ' if field else ''}{what}")

    def fail_at(self, place, what):
        """At another place than a line."""
        raise Refused(": ".join(part for part in (self.name, place, what) if part))

    def number(self, word, field, least, most, base=10):
        digits = re.fullmatch(r"0*([0-9]{1,39})" if base == 10 else r"0*([0-9a-fA-F]{1,39})", word)
        value = int(digits[1], base) if digits else 1 << 64
        if value >= 1 << 64:
            self.fail(field, f"{quoted(word)} is not a{' hexadecimal' if base == 16 else ' whole'} number")
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

        text = self.text()
        wrong = re.search("[\udc80-\udcff]", text)
        if wrong:
            self.fail("", "no JSON: a byte that is no UTF-8", 1 + text.count("\n", 0, wrong.start()))
        try:
            return json.loads(text, object_pairs_hook=members, parse_constant=no_number)
        except json.JSONDecodeError as error:
            self.fail("", f"no JSON: {error.msg}", error.lineno)
        except ValueError as error:
            self.fail_at("", str(error))


class Words:
    """The words of a file, one after the other; `words` are those left of the line."""

    def __init__(self, file, at_end="the file ends before it"):
        self.file, self.lines, self.words, self.at_end = file, file.lines(), [], at_end

    def more(self):
        while not self.words:
            line = next(self.lines, None)
            if line is None:
                return False
            self.words = words_of(line)
        return True

    def take(self, field):
        return self.words.pop(0) if self.more() else self.file.fail(field, self.at_end)

    def number(self, field, least, most):
        return self.file.number(self.take(field), field, least, most)


class Json(Refuser):
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
        return None if key not in self.value else Json(self.file, value, f"{self.place}.{key}" if self.place
                                                       else key)

    def __getitem__(self, key):
        found = self.get(key)
        self.fail_if(found is None, f"the key '{key}' is missing")
        return found

    def items(self):
        return [(key, self[key]) for key in self._expect(dict, "an object")]

    def each(self):
        for i, value in enumerate(self._expect(list, "an array")):
            yield Json(self.file, value, f"{self.place}[{i}]")

    def text(self):
        if re.search("[\ud800-\udfff]", self._expect(str, "a string")):
            self.fail("half a character of UTF-16 is no text")
        return self.value

    def boolean(self):
        return self._expect(bool, "true or false")

    def is_integer(self):
        return isinstance(self.value, int) and not isinstance(self.value, bool)

    def integer(self, least, most):
        if not least <= self._expect(int, "an integer") <= most:
            self.fail(f"{self.value} is not between {least} and {most}")
        return self.value


BLANKS = " \t\r\n"


def words_of(line, separators=" \t"):
    return re.findall(f"[^{separators}]+", line)


def valid_utf8(text):
    """A byte of a file that is no UTF-8, or null, becomes '?', and so does half a character of UTF-16."""
    return text if text.isascii() and "\0" not in text else re.sub("[\0\ud800-\udfff]", "?", text)


def write_text(text):
    sys.stdout.buffer.write(valid_utf8(text).encode())


def left_out(counts):
    """What a record says of its origin about what was counted."""
    return {f"left-out-{what}": str(count) for what, count in counts.items() if count}


def note_generator(generator):
    note(", ".join(f"{key}: {value}" for key, value in generator.items() if key != "name"))


def write_sized(family, sizes, generator):
    """A network of a family that its sizes describe, as its record."""
    note_generator(generator)
    record = {"kind": "topology", "format": 1, "family": family, "dims": sizes}
    write_text(json.dumps(record, separators=(",", ":")) + '\n{"kind":"end"}\n')


def ranged(option, most, none=False):
    """What reads an option that is a whole number from 1 on, or `none`, which is 0."""
    def number(value):
        found = int(value) if re.fullmatch("[0-9]{1,10}", value) else 0
        refuse_if(not (1 <= found <= most or (none and value == "none")), f"{option}: {value} is "
                  f"{'neither none nor' if none else 'not'} between 1 and {most}")
        return found

    return number


def flit_bits(parser, default, none=True):
    """The option --flit-bits, a number; 0 is none."""
    parser.add_argument("--flit-bits", metavar="BITS|none" if none else "BITS",
                        type=ranged("--flit-bits", (1 << 32) - 1, none), default=default,
                        help=f"width of a flit in bits (default: {default})")
