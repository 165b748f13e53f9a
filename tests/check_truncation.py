#!/usr/bin/env python3
# A stream that stops anywhere is refused: every tool is given every proper prefix of a whole stream.
# SPDX-License-Identifier: MIT
"""Cut a small stream after every byte and give it to the tool that reads it; end with "N passed, N failed".

Every prefix must be refused with status 2, one line on stderr, and no `end` record on stdout; only the
whole stream, with or without its last newline, is accepted. --bin DIR: the tools.
"""
import subprocess
import sys

from tally import Tally, bin_option

# What makes a tool's input from nothing, and the tool.
PIPELINES = [("gen-topology mesh 2 2", "gen-multicast --to 3 --source 1"),
             ("gen-topology mesh 2 2 | gen-multicast --to 3 --source 1", "plan-multicast dual-path"),
             ("gen-topology mesh 2 2 | gen-multicast --to 3 --source 1 | plan-multicast dual-path",
              "route-expand"), ("gen-topology mesh 2 2 | gen-multicast --to 3 --source 1 | plan-multicast "
                                "dual-path | route-expand", "simulate-wormhole"),
             ("gen-topology mesh 2 2 | gen-multicast --to 3 --source 1 | plan-multicast dual-path | "
              "route-expand", "check-deadlock"), ("gen-topology mesh 2 2 | gen-multicast --to 3 --source 1 | "
                                                  "plan-multicast dual-path | route-expand", "report"),]


def check(tool, data, bin_dir, whole):
    """Nothing, or what is wrong."""
    process = subprocess.run([bin_dir / tool.split()[0], *tool.split()[1:]], input=data, capture_output=True,
                             check=False)
    if whole:
        return None if process.returncode == 0 and not process.stderr else process.stderr.decode()
    if process.returncode != 2:
        return f"status {process.returncode}"
    if process.stderr.count(b"\n") != 1 or not process.stderr.startswith(tool.split()[0].encode() + b": "):
        return f"stderr {process.stderr!r}"
    return "the output looks whole" if b'{"kind":"end"' in process.stdout else None


def main():
    bin_dir = bin_option(__doc__)
    tally = Tally()
    for pipeline, tool in PIPELINES:
        if not (bin_dir / tool.split()[0]).exists():
            sys.exit(f"check_truncation: no {tool.split()[0]} in {bin_dir}")
        made = subprocess.run(["bash", "-o", "pipefail", "-c", pipeline], capture_output=True, check=True,
                              env={"PATH": f"{bin_dir}:/usr/bin:/bin", "LC_ALL": "C"})
        stream = made.stdout
        for size in range(len(stream) + 1):
            problem = check(tool, stream[:size], bin_dir, size >= len(stream) - 1)
            tally.check(not problem, f"{tool} after {size} of {len(stream)} bytes: {problem}")
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
