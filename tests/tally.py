"""What the checks of tests/ share: their option, what they count, and the line that they end with."""
# SPDX-License-Identifier: MIT
import argparse
import os
import pathlib
import sys

BUILD = pathlib.Path(__file__).resolve().parent.parent / "build"


def folder_option(description, name, default, meaning, tool):
    """The folder that the check's only option names, which must have this tool in it."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(f"--{name}", dest="folder", default=default, type=pathlib.Path, help=meaning)
    folder = parser.parse_args().folder.resolve()
    if not (folder / tool).exists():
        parser.error(f"no {tool} in {folder}: build first")
    return folder


def bin_option(description):
    """--bin: the folder of the tools."""
    return folder_option(description, "bin", BUILD / "bin", "folder of the tools", "gen-topology")


def seeds_option(description, short):
    """--bin: the folder of the tools; --seeds: a range, of `short` seeds if it is not given."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=BUILD / "bin", type=pathlib.Path, help="folder of the tools")
    parser.add_argument("--seeds", default=f"0:{short}", help="the first, and the one after the last")
    arguments = parser.parse_args()
    arguments.bin = arguments.bin.resolve()
    if not (arguments.bin / "gen-topology").exists():
        parser.error(f"no gen-topology in {arguments.bin}: build first")
    arguments.seeds = range(*map(int, arguments.seeds.split(":")))
    return arguments


def build_option(description):
    """--build: the folder of the build."""
    return folder_option(description, "build", BUILD, "folder of the build", "bin/gen-topology")


def build_argument():
    """The folder of the build, the only argument of a suite."""
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else BUILD).resolve()
    if not (build / "bin" / "gen-topology").exists():
        print(f"{pathlib.Path(sys.argv[0]).name}: no build with tools in '{build}'", file=sys.stderr)
        sys.exit(2)
    return build


def no_terminal():
    """Why nothing that asks for a pseudo-terminal can be run here, or nothing."""
    try:
        for end in os.openpty():
            os.close(end)
    except OSError as error:
        return f"no pseudo-terminal here (/dev/pts): {error.strerror}"
    return ""


class Tally:
    """Counts checks and prints those that fail."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, good, message):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print("FAILED " + message)

    def same(self, name, wanted, got):
        self.check(wanted == got, f"{name}: wanted {wanted!r}, got {got!r}")

    def close(self):
        """Prints the closing line; the exit status."""
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0
