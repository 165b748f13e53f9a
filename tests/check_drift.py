#!/usr/bin/env python3
# Says where code, help, lists and documents no longer agree.
# SPDX-License-Identifier: MIT
"""Compare what is said in several places and end with "N passed, N failed". --bin DIR: the tools.

1. Registries: every constant a file defines for a registry is in its .def, and every entry is defined.
2. --list of each tool shows every registered name.
3. --help of each tool says what it reads, writes and exits with, and gives an example.
4. README.md and FORMAT-reference.md have a row for every tool; no document names an option that no tool has.
5. planners.md has a row for every planner.
6. Every kind of record that the code knows has its section in FORMAT-reference.md, and its line in FORMAT.md.
7. No fact of a planner may have the name of a measure that records of multicasts have.
8. No type, inline function or constant of the library and its tests is defined in two files.
9. make help lists every figure, and every verb that README.md and the pages name.
10. The PATH of README.md has every converter that a document's examples run.
11. Every file of the code has its licence tag, scripts, rules and lists included.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from tally import Tally, bin_option

ROOT = pathlib.Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "data" / "FORMAT-reference.md"
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "data").glob("*.md")), *sorted(
    (ROOT / "data" / "pages").glob("*.md"))]
# What a registry's names are listed by.
LISTS = {
    "topologies.def": "gen-topology",
    "generators.def": "gen-topology",
    "patterns.def": "gen-multicast",
    "planners.def": "plan-multicast",
    "routing_functions.def": "route-expand",
}
# What is code beside C++ and what begins with #!, by the end of its name.
SCRIPTS = {".py", ".mk", ".gp", ".cmake", ".def", ".css", ".toml"}
# Options that documents name and no help explains: that of every tool, and one of tests/transcripts.py.
FOREIGN_OPTIONS = {"--help", "--update"}


def output_of(bin_dir, tool, option):
    return subprocess.run([bin_dir / tool, option], capture_output=True, text=True, check=True).stdout


def registries():
    """{.def file: {identifier: name the user types}}, checked against the files that define the constants."""
    sources = {path: path.read_text() for path in sorted((ROOT / "lib").rglob("*.[ch]pp"))}
    found = {}
    for text in sources.values():
        for macro, kind, prefix in re.findall(r"#define (\w+)\(name\) extern const (\w+) (\w+_)##name;",
                                              text):
            table = re.search(rf'#define {macro}\(name\) extern.*?#include "([^"]+\.def)"', text, re.DOTALL)
            path = ROOT / "lib" / table[1]
            entries = re.findall(rf"^{macro}\((\w+)\)", path.read_text(), re.MULTILINE)
            defined = {}
            for source in sources.values():
                # Its name first; or by a function of what entries share.
                defined |= dict(re.findall(rf'^extern const {kind} {prefix}(\w+) '
                                           r'=\s+(?:\{\s+\.name = |\w+\(\s*)"([^"]+)"', source, re.MULTILINE))
                if kind == "PatternEntry":  # rows of a table
                    defined |= dict(re.findall(r'^PERMUTATION\((\w+),\s+"([^"]+)"', source, re.MULTILINE))
            found[path.name] = (entries, defined)
    return found


def definitions_in(path):
    """Names with linkage whose definitions may stand in several files: types, inline functions and
    constants."""
    spaces = []
    for line in path.read_text().splitlines():
        if opened := re.match(r"(?:inline )?namespace ?([\w:]*) ?\{(.*\})?$", line):
            if not opened[2]:
                spaces.append(opened[1])
        elif line.startswith("}  // namespace"):
            spaces.pop()
        elif "" not in spaces:  # one without a name keeps what is in it to its file
            found = (re.match(r"(?:struct|class|enum|enum class) (\w+)(?: final)?(?: :[^;]*)? ?\{", line)
                     or re.match(r"inline (?:constexpr )?[^=(]*?\b((?:\w+::)*\w+) ?[=({]", line))
            if found:
                yield "::".join([*spaces, found[1]])


def check_one_definition(tally):
    """No such name is defined in two files of the library and its tests: the linker would take one for
    both."""
    places = {}
    for path in sorted(path for root in ("lib", "tests/unit") for path in (ROOT / root).rglob("*.[ch]pp")):
        for name in definitions_in(path):
            places.setdefault(name, set()).add(path.relative_to(ROOT).as_posix())
    tally.check(len(places) > 100, f"only {len(places)} definitions found")
    for name, files in places.items():
        tally.check(len(files) == 1, f"{name} is defined in {' and '.join(sorted(files))}")


def check_licence(tally):
    """Every file of the code has the licence tag where scanners look for it: C++ on a line of its own,
    scripts, rules and lists at the end of a line of comment."""
    files = [ROOT / name for name in ("Makefile", "CMakeLists.txt", ".ci/run")]
    files += [path for folder in ("lib", "tools", "tests", "data") for path in (ROOT / folder).rglob("*")
              if path.is_file()]
    scripts = 0
    for path in sorted(files):
        name, text = path.relative_to(ROOT).as_posix(), path.read_bytes()
        if path.suffix in (".cpp", ".hpp"):
            tally.check(b"// SPDX-License-Identifier: MIT" in text.splitlines(),
                        f"{name}: no line with the licence tag")
        elif path.parent in (ROOT, ROOT / ".ci") or path.suffix in SCRIPTS or text.startswith(b"#!"):
            scripts += 1
            tally.check(re.search(rb"^(#|//|/\*) (.*\W)?SPDX-License-Identifier: MIT( \*/)?$", text,
                                  re.MULTILINE), f"{name}: no licence tag")
    tally.check(scripts > 100, f"only {scripts} scripts found")


def check_portable(tally):
    """The library and the tools use no algorithm of std::ranges: libc++ 14, of Debian 12, has none."""
    for folder in ("lib", "tools"):
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            tally.check("std::ranges::" not in path.read_text(), f"{path.relative_to(ROOT)}: std::ranges")


def check_registries(bin_dir, tally):
    names = {}
    for file, (entries, defined) in registries().items():
        tally.check(len(entries) > 0 and len(set(entries)) == len(entries), f"{file}: empty, or an entry "
                    "stands twice")
        tally.check(set(entries) == set(defined), f"{file} lists {sorted(entries)}, files define "
                    f"{sorted(defined)}")
        tally.check(file in LISTS, f"{file}: no tool is known to list it")
        names[file] = [defined[entry] for entry in entries if entry in defined]
        listed = output_of(bin_dir, LISTS[file], "--list")
        for name in names[file]:
            tally.check(re.search(rf"^{re.escape(name)}\b(?!-)", listed, re.MULTILINE),
                        f"{LISTS[file]} --list does not show {name}")
    tally.check(set(names) == set(LISTS), f"registries {sorted(names)}, expected {sorted(LISTS)}")
    return names


def check_help(tools, bin_dir, tally):
    helps = {tool: output_of(bin_dir, tool, "--help") for tool in tools}
    for tool, text in helps.items():
        for words in ("Reads", "Writes", "Exit status: 0", "Example"):
            tally.check(words in text, f"{tool} --help does not say '{words}'")
        tally.check(f"Usage: {tool} " in text, f"{tool} --help has no usage line")
        tally.check(text.splitlines()[0].endswith("."), f"{tool} --help does not begin with a sentence")
    return helps


def check_documents(tools, helps, names, tally):
    options = ({option for text in helps.values() for option in re.findall(r"--[a-z][a-z-]*", text)}
               | FOREIGN_OPTIONS)
    converters = [path.read_text() for path in (ROOT / "data" / "converters").iterdir() if path.is_file()]
    options |= {option for text in converters for option in re.findall(
        r'add_argument\("(--[a-z][a-z-]*)"', text)}
    for document in (REFERENCE, ROOT / "README.md"):
        for tool in tools:
            tally.check(re.search(rf"^\| *(\[)?`{tool}`", document.read_text(), re.MULTILINE),
                        f"{document.name}: no table row for {tool}")
    for document in DOCUMENTS:
        for option in sorted(set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", document.read_text()))):
            tally.check(option in options, f"{document.name}: {option} is no option of any tool")
    planners = (ROOT / "data" / "pages" / "planners.md").read_text()
    for planner in names["planners.def"]:
        tally.check(f"\n| `{planner}` |" in planners, f"planners.md has no row for the planner {planner}")


def check_make_help(tally):
    """make help lists every figure of data/experiments and every verb that the documents tell people to
    type."""
    help_text = subprocess.run(["make", "-s", "-C", ROOT, "help"], capture_output=True, text=True,
                               check=True).stdout
    listed = set(re.findall(r"^make ([a-z0-9-]+) +\S", help_text, re.MULTILINE))
    columns = {line.index(line.split(maxsplit=2)[2]) for line in help_text.splitlines()}
    tally.check(len(columns) == 1, f"make help is not aligned: texts begin in the columns {sorted(columns)}")
    figures = {found for path in (ROOT / "data" / "experiments").glob("*/figure.mk")
               for found in re.findall(r"^(figure-[a-z0-9-]+):", path.read_text(), re.MULTILINE)}
    tally.check(len(figures) > 10, f"only {len(figures)} figures found")
    commands = [command for document in DOCUMENTS for command in re.findall(
        r"(?:`|^    )make ((?:[a-z][a-z0-9-]* ?)+)", document.read_text(), re.MULTILINE)]
    for verb in sorted(figures | {word for command in commands for word in command.split()}):
        tally.check(verb in listed, f"make help does not list {verb}")


def check_path(tally):
    path = re.search(r"^    export PATH=(.*)$", (ROOT / "README.md").read_text(),
                     re.MULTILINE)[1].replace("$PWD", str(ROOT))
    blocks = [block for document in DOCUMENTS for block in re.findall(r"^```console\n(.*?)^```",
                                                                      document.read_text(),
                                                                      re.MULTILINE | re.DOTALL)]
    words = {word for block in blocks for line in re.findall(r"^[$>] (.*)$", block, re.MULTILINE)
             for word in re.findall(r"[\w-]+", line)}
    named = sorted(word for word in words if os.access(ROOT / "data" / "converters" / word, os.X_OK))
    tally.check("compare-tables" in named, f"no example runs compare-tables: {named}")
    for converter in named:
        tally.check(shutil.which(converter, path=path), f"README.md's PATH has no {converter}")


def check_kinds(tally):
    code = (ROOT / "lib" / "io" / "records" / "record_stream.cpp").read_text()
    known = re.findall(r'"([a-z-]+)"', re.search(r"kind_names = \{(.*?)\};", code, re.DOTALL)[1])
    documented = re.findall(r"^(?:### 3\.\d+ |\*\*(?=`[a-z-]+`\.\*\*))`([a-z-]+)`", REFERENCE.read_text(),
                            re.MULTILINE)
    tally.check(known == documented, f"the code knows {known}, {REFERENCE.name} documents {documented}")
    introduced = set(re.findall(r"^\| `([a-z-]+)` \|", (ROOT / "data" / "FORMAT.md").read_text(),
                                re.MULTILINE))
    tally.check(set(known) <= introduced, f"FORMAT.md has no line for {set(known) - introduced}")


def check_measures(bin_dir, tally):
    """Whatever report averages of records of multicasts is no name for a fact of a planner."""
    measures = {"destination_count", "worms", "traffic_gap_channels", "chain_gap_hops"}
    for kind in ("delivery", "steps"):
        members = json.loads((ROOT / "data" / "schema" / f"{kind}.schema.json").read_text())["properties"]
        measures |= ({key for key, member in members.items() if member.get("type") == "integer"}
                     - {"id", "source"})
    plan = {"kind": "plan", "id": 0, "source": 0, "destinations": [1], "length_flits": 1, "start_cycle": 0,
            "planner": "mine", "routing": "dimension-order", "worms": [{"stops": [1]}]}
    lines = '{"kind":"topology","format":1,"family":"mesh","dims":[2]}\n%s\n{"kind":"end"}\n'
    for name in ("mine", *sorted(measures)):
        process = subprocess.run([bin_dir / "route-expand"],
                                 input=lines % json.dumps(plan | {"facts": {name: 1}}), text=True,
                                 capture_output=True, check=False)
        tally.check((f"facts.{name}: a measure of every plan" in process.stderr) == (name != "mine"),
                    f"a fact '{name}': {process.stderr or 'accepted'}")
    tally.check(len(measures) > 20, f"only {sorted(measures)} are measures")


def main():
    bin_dir = bin_option(__doc__)
    tally = Tally()
    tools = sorted(path.stem.replace("_", "-") for path in (ROOT / "tools").glob("*.cpp"))
    names = check_registries(bin_dir, tally)
    helps = check_help(tools, bin_dir, tally)
    check_documents(tools, helps, names, tally)
    check_make_help(tally)
    check_path(tally)
    check_kinds(tally)
    check_measures(bin_dir, tally)
    check_one_definition(tally)
    check_licence(tally)
    check_portable(tally)
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
