"""What the checks of tests/ share: their option, what they count, and the line that they end with."""
# SPDX-License-Identifier: MIT
import argparse
import pathlib

BUILD = pathlib.Path(__file__).resolve().parent.parent / "build"


def folder_option(description, name, default, meaning):
    """The folder that the check's only option names."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(f"--{name}", dest="folder", default=default, type=pathlib.Path, help=meaning)
    return parser.parse_args().folder.resolve()


def bin_option(description):
    """--bin: the folder of the tools."""
    return folder_option(description, "bin", BUILD / "bin", "folder of the tools")


def build_option(description):
    """--build: the folder of the build."""
    return folder_option(description, "build", BUILD, "folder of the build")


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

    def close(self):
        """Prints the closing line; the exit status."""
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0
