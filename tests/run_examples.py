#!/usr/bin/env python3
# Runs the examples of a document: every console block must print exactly what the document shows.
# SPDX-License-Identifier: MIT
"""Run the examples of Markdown documents and end with "N passed, N failed" (exit 1 if any failed).

  run_examples.py [--bin DIR] [--update] DOCUMENT ...

In a ```console block a line "$ command" is run by bash with the tools and converters first on PATH, in a folder of
its own for each document; "> " continues it. What follows is its stdout and stderr, then "[exit N]" if
the status N is not 0. Blocks whose info string ends in a file name ("```python planner.py") are written
to that folder first. --update rewrites the output in the document; review it with git diff.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(\S+)(?: +(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def parse_console(body):
    """[(command, expected output)] of a console block."""
    examples = []
    for line in body.splitlines(keepends=True):
        if line.startswith("$ "):
            examples.append([line[2:], ""])
        elif line.startswith("> ") and examples and not examples[-1][1]:
            examples[-1][0] += line[2:]
        elif examples:
            examples[-1][1] += line
        else:
            sys.exit("run_examples: a console block must begin with a command")
    return [tuple(example) for example in examples]


def run(command, folder, bin_dir):
    environment = {"PATH": f"{bin_dir}:{ROOT}/data/converters:/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "HOME": str(folder)}
    process = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    status = f"[exit {process.returncode}]\n" if process.returncode else ""
    return process.stdout + process.stderr + status


def show_console(results):
    text = ""
    for command, output in results:
        first, *rest = command.splitlines()
        text += "".join(["$ " + first + "\n", *("> " + line + "\n" for line in rest), output])
    return text


def run_document(document, bin_dir, updating):
    """(passed, failed) of a document; rewrites it when updating."""
    text = document.read_text()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for _, name, body in BLOCK.findall(text):
            if name:
                (pathlib.Path(folder) / name).write_text(body)

        def replace(match):
            nonlocal passed, failed
            if match[1] != "console":
                return match[0]
            results = []
            for command, expected in parse_console(match[3]):
                actual = run(command, folder, bin_dir)
                results.append((command, actual))
                if actual == expected:
                    passed += 1
                    continue
                failed += 1
                if not updating:
                    print(f"FAILED {document.name}: $ {command}--- shown\n{expected}--- printed\n{actual}", end="")
            return f"```console\n{show_console(results)}```"

        updated = BLOCK.sub(replace, text)
    if updating:
        document.write_text(updated)
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(ROOT / "build" / "bin"), help="folder of the tools")
    parser.add_argument("--update", action="store_true", help="rewrite the output that documents show")
    parser.add_argument("documents", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    bin_dir = pathlib.Path(arguments.bin).resolve()
    if not os.access(bin_dir / "gen-topology", os.X_OK):
        sys.exit(f"run_examples: no tools in {bin_dir}; build first or give --bin")
    totals = [run_document(document, bin_dir, arguments.update) for document in arguments.documents]
    passed, failed = (sum(column) for column in zip(*totals))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed and not arguments.update else 0


if __name__ == "__main__":
    sys.exit(main())
