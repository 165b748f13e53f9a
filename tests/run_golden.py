#!/usr/bin/env python3
# Runs the golden cases: each checks the bytes on stdout, those on stderr and the exit status of one command.
# SPDX-License-Identifier: MIT
"""Run golden cases and end with "N passed, N failed" (exit 1 if any failed).

  run_golden.py [--bin DIR] [CASE ...]        all cases, or those under the named folders
  run_golden.py --update CASE [CASE ...]      rewrite what the named cases expect; review with git diff
  run_golden.py --bytes                       say also how many bytes were the same: those of cases that passed, no controls

GOLDEN_LOCALE is the locale of the commands (default: C); LOCPATH is passed on.

A case is a folder under tests/golden:
  cmd     the command, run by bash in that folder with the tools and converters first on PATH, and the tools in $BIN
  expout  stdout, byte for byte; absent: nothing
  experr  stderr, byte for byte; absent: nothing
  exit    exit status; absent: 0 (of a pipeline, that of the last stage that did not exit 0)
  fails   only under negative-control: which of stdout, stderr, exit, folder, time must differ. These
          cases pass if exactly that is found, and prove that this program can find it.
  terminal  the command makes a pseudo-terminal: the case is skipped where there is none
Other files are inputs of the command. It may write in $TMPDIR only: a case whose folder is another one
after it fails. To add a case, write cmd, then --update it and read the result.
"""
import argparse
import concurrent.futures
import difflib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from tally import no_terminal

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"
CONVERTERS = GOLDEN.parent.parent / "data" / "converters"
TIMEOUT_SECONDS = 120
CONTROL_TIMEOUT_SECONDS = 1


def find_cases(names):
    """Folders with a cmd, under the named ones (relative to tests/golden) or all."""
    roots = []
    for name in names or ["."]:
        root = GOLDEN / name
        if not root.exists():  # also as the shell completes it: tests/golden/...
            root = pathlib.Path(name).resolve()
        if not root.is_dir() or GOLDEN not in [root, *root.parents]:
            sys.exit(f"run_golden: no case or folder of cases '{name}' under {GOLDEN}")
        roots.append(root)
    cases = sorted({cmd.parent for root in roots for cmd in root.rglob("cmd")})
    if not cases:
        sys.exit("run_golden: no case found")
    return cases


def is_control(case):
    """Whether the case must differ from what it expects."""
    return case.relative_to(GOLDEN).parts[0] == "negative-control"


def read(path, absent):
    return path.read_bytes() if path.exists() else absent


def expected(case):
    return {
        "stdout": read(case / "expout", b""),
        "stderr": read(case / "experr", b""),
        "exit": int(read(case / "exit", b"0")),
        "folder": [],
    }


def listing(case):
    """Names of the folder's files, and when they were written."""
    return {entry.name: entry.stat().st_mtime_ns for entry in os.scandir(case)}


def run(case, bin_dir, timeout):
    """What the command does, and what it did to its folder; "time" instead of an exit status if it does not end."""
    before = listing(case)
    with tempfile.TemporaryDirectory() as scratch:
        environment = {
            "PATH": f"{bin_dir}:{CONVERTERS}:/usr/local/bin:/usr/bin:/bin",
            "BIN": str(bin_dir),
            "LC_ALL": os.environ.get("GOLDEN_LOCALE", "C"),
            "HOME": scratch,
            "TMPDIR": scratch,
        }
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LOCPATH"):
            if name in os.environ:
                environment[name] = os.environ[name]
        process = subprocess.Popen(
            ["bash", "-o", "pipefail", "-c", (case / "cmd").read_text()],
            cwd=case,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            # Python ignores SIGPIPE, and children would inherit that; tools must see the default.
            restore_signals=True,
        )
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            out, err = process.communicate()
            return {"stdout": out, "stderr": err, "exit": "time"}
        changed = sorted({name for name, _ in before.items() ^ listing(case).items()})
        return {"stdout": out, "stderr": err, "exit": process.returncode, "folder": changed}


def differences(case, actual):
    """Names of what differs from what the case expects."""
    if actual["exit"] == "time":
        return ["time"]
    wanted = expected(case)
    return [name for name in ("stdout", "stderr", "exit", "folder") if actual[name] != wanted[name]]


def show(case, actual, differing):
    lines = []
    wanted = expected(case)
    for name in differing:
        if name == "time":
            lines.append(f"  did not end within {TIMEOUT_SECONDS} s")
        elif name == "folder":
            lines.append(f"  changed its own folder: {', '.join(actual['folder'])}; use $TMPDIR")
        elif name == "exit":
            lines.append(f"  exit {actual['exit']}, expected {wanted['exit']}")
        else:
            texts = [value.decode("utf-8", "backslashreplace").splitlines() for value in (wanted[name], actual[name])]
            diff = list(difflib.unified_diff(*texts, f"expected {name}", f"actual {name}", lineterm="", n=1))
            shown = [line[:300] for line in diff[:40]]
            lines += ["  " + line for line in shown or [f"{name} differs only in how it ends"]]
    return "\n".join(lines)


def check(case, bin_dir):
    """(passed, what to print) for one case."""
    name = case.relative_to(GOLDEN)
    if not is_control(case):
        actual = run(case, bin_dir, TIMEOUT_SECONDS)
        differing = differences(case, actual)
        return not differing, f"FAILED {name}\n{show(case, actual, differing)}" if differing else ""
    must_differ = (case / "fails").read_text().split()
    with tempfile.TemporaryDirectory() as scratch:  # a control may write where it stands
        copy = pathlib.Path(shutil.copytree(case, pathlib.Path(scratch) / "case"))
        actual = run(copy, bin_dir, CONTROL_TIMEOUT_SECONDS if "time" in must_differ else TIMEOUT_SECONDS)
    differing = differences(case, actual)
    return differing == must_differ, f"FAILED {name}: found {differing}, the control must find {must_differ}"


def update(case, bin_dir):
    """Rewrites what a case expects; says which files changed."""
    actual = run(case, bin_dir, TIMEOUT_SECONDS)
    if actual["exit"] == "time" or actual["folder"]:
        sys.exit(f"run_golden: {case.relative_to(GOLDEN)} did not end, or changed its own folder")
    contents = {
        "expout": actual["stdout"],
        "experr": actual["stderr"],
        "exit": b"" if actual["exit"] == 0 else b"%d\n" % actual["exit"],
    }
    for file, content in contents.items():
        path = case / file
        if read(path, b"") == content and (content or not path.exists()):
            continue
        if content:
            path.write_bytes(content)
        else:
            path.unlink()
        print(f"{'wrote' if content else 'removed'} {path.relative_to(GOLDEN)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(GOLDEN.parent.parent / "build" / "bin"), help="folder of the tools")
    parser.add_argument("--update", action="store_true", help="rewrite what the named cases expect")
    parser.add_argument("--bytes", action="store_true", help="say how many bytes were the same")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("cases", nargs="*", metavar="CASE")
    arguments = parser.parse_args()
    bin_dir = pathlib.Path(arguments.bin).resolve()
    if not (bin_dir / "gen-topology").exists():
        sys.exit(f"run_golden: no tools in {bin_dir}; build first or give --bin")
    if arguments.update and not arguments.cases:
        sys.exit("run_golden: --update needs the name of a case or folder")
    cases = find_cases(arguments.cases)
    if reason := no_terminal():
        for case in [case for case in cases if (case / "terminal").exists()]:
            print(f"skipped {case.relative_to(GOLDEN)}: {reason}")
            cases.remove(case)
    if arguments.update:
        for case in cases:
            if not is_control(case):
                update(case, bin_dir)
        return 0
    failed = same = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for case, (passed, message) in zip(cases, pool.map(lambda case: check(case, bin_dir), cases)):
            if not passed:
                failed += 1
                print(message)
            elif not is_control(case):
                same += sum(len(expected(case)[name]) for name in ("stdout", "stderr"))
    if arguments.bytes:
        print(f"{same} bytes compared")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
