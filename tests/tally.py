"""What the checks of tests/ count, and the line that they end with."""
# SPDX-License-Identifier: MIT


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
