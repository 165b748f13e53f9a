#!/usr/bin/env python3
# Runs console transcripts: the golden cases of tests/golden, and the examples that documents show.
# SPDX-License-Identifier: MIT
#
# How every byte of what a golden case prints, and of its files, is written as lines of text:
# - Lines stand as they are, those of stderr behind "! "; "[exit N]" is a status other than 0.
# - " (no-eol)" at the end of a line: the stream or file ends there, without a newline.
# - " (esc)" at the end of a line: a backslash is written \\, and a byte that is not seen, or would be taken
#   for something else, \xNN: control bytes but the tab, what is not UTF-8, trailing blanks, a last backslash,
#   "(esc)" and "(no-eol)" themselves, and the first byte of "$ ", "> ", "! ", "[exit " and "```". Behind "$",
#   ">" and "!" there is no blank at the end of a line.
# - A line of more than 300 characters is folded: a piece ends in a backslash, the next one begins with four
#   blanks, and neither belongs to the line.
# This is undone before bytes are compared.
"""Run transcripts and end with "N passed, N failed" (exit 1 if any failed).

  transcripts.py [--bin DIR] [NAME ...]       all golden cases; or cases, files and folders of tests/golden,
      and documents
  transcripts.py --update NAME [NAME ...]     rewrite what they show; review with git diff
  transcripts.py --bytes                      say also how many bytes were the same: those of cases that
      passed, no controls

In a ```console block a line "$ command" is run by bash with the tools and converters first on PATH, and the
tools in $BIN; "> " continues it. What follows is what it prints, then "[exit N]" if its status N is not 0: of
a pipeline, that of the last stage that did not exit 0, but 0 if a closed pipe ended that one, which is a race
between writer and reader. Commands of one case run in one shell. Blocks whose info string ends in a file name
("```python planner.py") are written to its folder first.

A golden case is a section "## name: what it is about" of tests/golden/FOLDER/SUBJECT.md and is called
FOLDER/name. Lines in it before its commands, or in front of all cases of the file, may say:
  Files: PATH ...   files of tests/, or of a folder there, that the case finds in its folder
  Needs: terminal   its commands make a pseudo-terminal: the case is skipped where there is none
  Fails: WHAT ...   a negative control: it passes if exactly this differs: stdout, stderr, exit, folder, time
stdout, stderr and status of each command are compared byte for byte. A case may write in $TMPDIR only: one
whose folder is another one after it fails. To add a case, write its title and commands, then --update it and
read the result.

A document is one case. It shows stderr behind stdout, both as they are, and its commands may write in their
folder. GOLDEN_LOCALE is the locale of the commands (default: C); LOCPATH is passed on. """
import argparse
import collections
import concurrent.futures
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

from tally import no_terminal

TESTS = pathlib.Path(__file__).resolve().parent
GOLDEN = TESTS / "golden"
CONVERTERS = TESTS.parent / "data" / "converters"
PASSED_ON = "ASAN_OPTIONS", "UBSAN_OPTIONS", "LOCPATH", "WORMCAST_MUTANT", "WORMCAST_REACHED"
TIMEOUT_SECONDS, CONTROL_TIMEOUT_SECONDS = 300, 1
WIDEST, FOLDED = 300, 113  # characters of a line of output, and of what it is folded into
BLOCK = re.compile(r"^```(\S+)(?: +(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STATEMENT = re.compile(r"^(## |Files: |Needs: |Fails: )(.*)$", re.MULTILINE)
TAKEN = re.compile(r"[$>!]( |$)|\[exit |```")
ENDING = re.compile(r"(?:[ \t\\]| \(esc\)| \(no-eol\))$")
CLOSED_PIPE = 128 + 13
DIFFERENCES = ["stdout", "stderr", "exit", "folder", "time"]


@dataclass
class Result:
    """What a command printed, and its status: an integer, or why there is none."""
    stdout: bytes = b""
    stderr: bytes = b""
    exit: object = 0


@dataclass
class Command:
    text: str
    wanted: Result


@dataclass(eq=False)
class Case:
    path: pathlib.Path
    name: str
    exact: bool
    links: list = field(default_factory=list)
    files: dict = field(default_factory=dict)
    needs: list = field(default_factory=list)
    fails: list = field(default_factory=list)
    commands: list = field(default_factory=list)


def escape(text):
    def seen(i, c):
        return ((c.isprintable() or c == "\t") and not (i == 0 and TAKEN.match(text))
                and not (i == len(text) - 1 and c in " \t"))

    return "".join("\\\\" if c == "\\" else c if seen(i, c) else
                   "".join(f"\\x{byte:02x}" for byte in c.encode("utf-8", "surrogateescape"))
                   for i, c in enumerate(text)) + " (esc)"


def encode(data):
    """Lines of text that stand for these bytes."""
    *lines, rest = data.split(b"\n")
    texts = [raw.decode("utf-8", "surrogateescape") for raw in [*lines, *([rest] if rest else [])]]
    texts = [text if text.replace("\t", "").isprintable() and not TAKEN.match(text)
             and not ENDING.search(text) else escape(text) for text in texts]
    if rest:
        texts[-1] += " (no-eol)"
    return [piece for text in texts for piece in fold(text)]


def breaks(text):
    """(place, depth) behind each comma, counting the brackets around it, and behind each blank, as if
    deepest."""
    depth, quoted, places = 0, False, []
    for i, c in enumerate(text):
        if c == '"' and text[i - 1:i] != "\\":
            quoted = not quoted
        elif c == " " or c == "," and quoted:
            places.append((i + 1, WIDEST))
        elif c == ",":
            places.append((i + 1, depth))
        elif not quoted:
            depth = max(0, depth + (c in "[{") - (c in "]}"))
    return places


def fold(text):
    """Pieces of a line. A member of a record that must be divided has pieces of its own, so that a change
    moves few others."""
    if len(text) <= WIDEST:
        return [text]
    places = [*breaks(text), (len(text), -1)]
    pieces, begin, divided = [], 0, False
    for n, (place, depth) in enumerate(places[:-1]):
        end = next(later for later, other in places[n + 1:] if other <= depth)
        if end - begin > FOLDED or divided and depth <= 1:
            pieces.append(text[begin:place])
            begin = place
        if depth <= 1:
            divided = end - place > FOLDED
    pieces = [part for piece in [*pieces, text[begin:]] for part in re.findall(
        r".{1,%d}" % (2 * FOLDED), piece)]
    return ["    " * (i > 0) + piece + "\\" * (i + 1 < len(pieces)) for i, piece in enumerate(pieces)]


def decode(lines):
    """The bytes that encode() wrote as these lines."""
    whole, folded, data = [], False, b""
    for line in lines:
        if folded:
            whole[-1] = whole[-1][:-1] + line.removeprefix("    ")
        else:
            whole.append(line)
        folded = line.endswith("\\")
    for line in whole:
        text = line.removesuffix(" (no-eol)")
        raw = text.removesuffix(" (esc)").encode("utf-8")
        if text.endswith(" (esc)"):
            raw = re.sub(rb"\\(\\|x..)", lambda found: bytes.fromhex(found[1][1:].decode()) or b"\\", raw)
        data += raw if line.endswith(" (no-eol)") else raw + b"\n"
    return data


def show(result, exact):
    """What a transcript shows below the command."""
    if exact:
        lines = encode(result.stdout) + [("! " + line).rstrip() for line in encode(result.stderr)]
        text = "".join(line + "\n" for line in lines)
    else:
        text = (result.stdout + result.stderr).decode("utf-8", "backslashreplace")
    return text if result.exit == 0 else f"{text}[exit {result.exit}]\n"


def show_console(commands, exact):
    text = ""
    for command in commands:
        first, *rest = command.text.split("\n")[:-1]
        text += "\n".join([f"$ {first}", *(f"> {line}".rstrip() for line in rest),
                           show(command.wanted, exact)])
    return f"```console\n{text}```"


def parse_result(lines, exact):
    """What these lines below a command show."""
    status = re.fullmatch(r"\[exit (-?\d+)\]", lines[-1]) if lines else None
    if status:
        lines = lines[:-1]
    number = int(status[1]) if status else 0
    if not exact:
        return Result("".join(line + "\n" for line in lines).encode("utf-8"), b"", number)
    streams = [], []
    for line in lines:
        error = re.match("! |!$", line)
        streams[bool(error)].append(line[2:] if error else line)
    return Result(*map(decode, streams), number)


def parse_console(body, exact, where):
    """The commands of a console block, and what they print there."""
    commands, shown = [], []
    for line in body.split("\n")[:-1]:
        if line.startswith("$ "):
            commands.append(line[2:] + "\n")
            shown.append([])
        elif not commands:
            sys.exit(f"transcripts: {where}: a console block must begin with a command")
        elif re.match("> |>$", line) and not shown[-1]:
            commands[-1] += line[2:] + "\n"
        elif exact and len(line) > WIDEST:
            sys.exit(f"transcripts: {where}: an output line of {len(line)} characters is not folded")
        else:
            shown[-1].append(line)
    return [Command(text, parse_result(lines, exact)) for text, lines in zip(commands, shown)]


def read_transcript(path):
    """(cases, pieces) of a file: its text in pieces, of which console blocks are (case, their commands)."""
    exact = GOLDEN in path.parents
    text = path.read_bytes().decode("utf-8")
    every = case = Case(path, path.name, exact)
    cases, pieces, end = [] if exact else [case], [], 0

    def read_prose(prose):
        nonlocal case
        pieces.append(prose)
        for word, value in STATEMENT.findall(prose) if exact else ():
            if word == "## ":
                name = str(path.parent.relative_to(GOLDEN) / value.partition(":")[0])
                case = Case(path, name, True, list(every.links), dict(every.files), list(every.needs))
                cases.append(case)
            else:
                {"Files: ": case.links, "Needs: ": case.needs, "Fails: ": case.fails}[word].extend(
                    value.split())

    for block in BLOCK.finditer(text):
        read_prose(text[end:block.start()])
        end = block.end()
        if block[2]:
            case.files[block[2]] = decode(block[3].split("\n")[:-1]) if exact else block[3].encode("utf-8")
        if block[1] == "console":
            commands = parse_console(block[3], exact, f"{path.name}, {case.name}")
            case.commands += commands
            pieces.append((case, commands))
        else:
            pieces.append(block[0])
    read_prose(text[end:])
    if exact and (every.commands or not all(case.commands for case in cases)):
        sys.exit(f"transcripts: {path.name}: commands without a title, or a title without commands")
    return cases, pieces


def find(name):
    """The files that a name on the command line means, and the case that is meant, or None for all."""
    path = pathlib.Path(name).resolve()
    if not path.is_file() and GOLDEN not in [path, *path.parents]:
        path = GOLDEN / name
    if path.suffix == ".md":
        return [path] * path.is_file(), None
    if path.is_dir():
        return sorted(path.rglob("*.md")), None
    return sorted(path.parent.glob("*.md")), os.path.relpath(path, GOLDEN)


def read_all(names):
    """{path: (cases, pieces)} of what the names mean, and their cases."""
    files, chosen = {}, []
    for name in names or [str(GOLDEN)]:
        paths, only = find(name)
        files.update((path, read_transcript(path)) for path in paths if path not in files)
        cases = [case for path in paths for case in files[path][0]]
        named = [case for case in cases if only in (None, case.name)]
        # A subject without ".md", if no case is called so.
        named = named or [case for case in cases if case.path == GOLDEN / f"{only}.md"]
        if not named:
            sys.exit(f"transcripts: no case, folder of cases or document '{name}'")
        chosen += [case for case in named if case not in chosen]
    for name, times in collections.Counter(case.name for case in chosen if case.exact).items():
        if times > 1:
            sys.exit(f"transcripts: {times} cases '{name}'")
    return files, chosen


def prepare(case, folder):
    """Puts the case's files into its folder."""
    for link in case.links:
        source = TESTS / link
        if not source.exists():
            sys.exit(f"transcripts: {case.name}: no {link} in tests/")
        for path in sorted(source.iterdir()) if source.is_dir() else [source]:
            (folder / path.name).symlink_to(path)
    for name, content in case.files.items():
        (folder / name).write_bytes(content)


def run(case, bin_dir, timeout):
    """The results of the commands, and what else differs: "folder" or "time"."""
    mark = f"end-{os.urandom(8).hex()}"
    # Says on both streams where a command ends, and leaves its status as it was.
    said = (f"end_of_command() {{ set -- $?; printf '\\0{mark} %d\\0' $1; printf '\\0{mark} %d\\0' $1 >&2; "
            "return $1; }\n")
    script = said + "end_of_command\n".join(command.text for command in case.commands)
    where = "/tmp" if re.search(r"\s", tempfile.gettempdir()) else None  # cases do not quote $TMPDIR
    with tempfile.TemporaryDirectory(dir=where) as place, tempfile.TemporaryDirectory(dir=where) as temporary:
        prepare(case, pathlib.Path(place))

        def written():
            return {entry.name: entry.stat().st_mtime_ns for entry in os.scandir(place)}

        before = written()
        environment = {name: os.environ[name] for name in PASSED_ON
                       if name in os.environ} | {
                           "PATH": f"{bin_dir}:{CONVERTERS}:/usr/local/bin:/usr/bin:/bin",
                           "BIN": str(bin_dir), "HOME": temporary, "TMPDIR": temporary,
                           "LC_ALL": os.environ.get("GOLDEN_LOCALE", "C")}
        process = subprocess.Popen(
            ["bash", "-o", "pipefail", "-c", script], cwd=place, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            # Python ignores SIGPIPE, and children would inherit that; tools must see the default.
            restore_signals=True)
        try:
            output, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return [], ["time"]
        changed = case.exact and before != written()
    between = rb"\0%s (\d+)\0" % mark.encode()
    outputs, errors = re.split(between, output), re.split(between, errors)
    statuses = [int(status) for status in [*outputs[1::2], process.returncode]]
    statuses = [0 if status == CLOSED_PIPE else status for status in statuses]
    results = [Result(*result) for result in zip(outputs[::2], errors[::2], statuses)]
    results += [Result(exit="not run") for _ in case.commands[len(results):]]
    if not case.exact:
        results = [Result(result.stdout + result.stderr, b"", result.exit) for result in results]
    return results, ["folder"] if changed else []


def compare(case, results, others):
    """(what differs, how many commands, what to print of it)."""
    differing, unlike = set(others), 0
    lines = ["  changed its own folder: it may write in $TMPDIR" if other == "folder" else "  did not end"
             for other in others]
    for command, result in zip(case.commands, results):
        names = [name for name in DIFFERENCES[:3] if getattr(result, name) != getattr(command.wanted, name)]
        if names:
            unlike += 1
            differing.update(names)
            texts = [show(each, case.exact).splitlines() for each in (command.wanted, result)]
            diff = list(difflib.unified_diff(*texts, "expected", "actual", lineterm="", n=1))[:40]
            lines += ["  $ " + command.text.splitlines()[0][:WIDEST], *(
                "  " + line[:WIDEST] for line in diff)]
    return [name for name in DIFFERENCES if name in differing], unlike, "\n".join(lines)


def check(case, bin_dir, timeout=TIMEOUT_SECONDS):
    """(passed, failed, what to print, bytes that were the same) of one case; each command of a document
    counts."""
    results = run(case, bin_dir, CONTROL_TIMEOUT_SECONDS if "time" in case.fails else timeout)
    differing, unlike, message = compare(case, *results)
    if case.fails:
        found = differing == case.fails
        return (found, not found,
                f"FAILED {case.name}: found {differing}, the control must find {case.fails}", 0)
    failed = max(unlike, 1) if differing and not case.exact else int(bool(differing))
    number = 1 if case.exact else len(case.commands)
    same = 0 if failed else sum(len(command.wanted.stdout + command.wanted.stderr)
                                for command in case.commands)
    return number - failed, failed, f"FAILED {case.name}\n{message}", same


def update(cases, files, bin_dir, pool):
    """Rewrites what the cases show; says which files changed."""
    cases = [case for case in cases if not case.fails]
    for case, (results, others) in zip(cases, pool.map(lambda case: run(case, bin_dir, TIMEOUT_SECONDS),
                                                       cases)):
        if others or any(result.exit == "not run" for result in results):
            sys.exit(f"transcripts: {case.name} did not end, left before its last command, or changed its "
                     "own folder")
        for command, result in zip(case.commands, results):
            command.wanted = result
    for path, (_, pieces) in files.items():
        text = "".join(piece if isinstance(piece, str) else show_console(piece[1], piece[0].exact)
                       for piece in pieces)
        if text.encode("utf-8") != path.read_bytes():
            path.write_bytes(text.encode("utf-8"))
            print(f"wrote {os.path.relpath(path)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(TESTS.parent / "build" / "bin"), help="folder of the tools")
    parser.add_argument("--update", action="store_true", help="rewrite what the named cases and documents "
                        "show")
    parser.add_argument("--bytes", action="store_true", help="say how many bytes were the same")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    bin_dir = pathlib.Path(arguments.bin).resolve()
    if not os.access(bin_dir / "gen-topology", os.X_OK):
        sys.exit(f"transcripts: no tools in {bin_dir}; build first or give --bin")
    if arguments.update and not arguments.names:
        sys.exit("transcripts: --update needs the name of a case, folder or document")
    files, cases = read_all(arguments.names)
    if reason := no_terminal():
        for case in [case for case in cases if "terminal" in case.needs]:
            print(f"skipped {case.name}: {reason}")
            cases.remove(case)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        if arguments.update:
            update(cases, files, bin_dir, pool)
            return 0
        passed = failed = same = 0
        for good, bad, message, size in pool.map(lambda case: check(case, bin_dir), cases):
            passed, failed, same = passed + good, failed + bad, same + size
            print(message if bad else "", end="\n" if bad else "")
    if not arguments.names:
        for name in set(DIFFERENCES) - {name for case in cases for name in case.fails}:
            failed += 1
            print(f"FAILED no negative control differs in {name}")
        print(f"{sum(bool(case.fails) for case in cases)} negative controls")
    if arguments.bytes:
        print(f"{same} bytes compared")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
