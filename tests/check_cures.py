#!/usr/bin/env python3
# Every change that check-deadlock suggests for a planner does what is said of it.
# SPDX-License-Identifier: MIT
"""Follow the suggestions for all multicasts of planners on small networks, and end with "N passed, N failed".

  check_cures.py [--bin DIR]

Wherever a deadlock is not excluded there must be a suggestion; with other routers than the usual, one or a line that there is none. Its options are given to check-deadlock, which must answer as the
suggestion says, and --verify accept that. Random multicasts of the planner, so many that without the change some stand still,
must all be delivered under it. (Unicasts beside them, and virtual cut-through, are not simulated.)
"""
import json
import pathlib
import subprocess
import tempfile

import tally

NETWORKS = {"mesh": "mesh 4 4", "torus": "torus 4 4", "hypercube": "hypercube 3", "ccc": "ccc 3", "irregular": "irregular --switches 8 --seed 1"}
UNICASTS = ["", "dimension-order", "up-down"]
# On the mesh these, too, one after the other; their own options give way to those of a suggestion.
ROUTERS = [["--preset", "floonoc"], ["--preset", "esp"], ["--preset", "pronoc"], ["--vc-reuse", "early"], ["--allocation", "atomic"],
           ["--output-arbitration", "round-robin"], ["--consumption-channels", "1"], ["--injection-channels", "1"],
           ["--length-flits", "8"], ["--long-worms"]]
LENGTH_FLITS = 24
SIMULATED = {"consumption-channel-per-input", "atomic-allocation", "planner-option", "routing", "length-limit", "path-reservation"}


class Cures:
    def __init__(self, folder):
        self.folder, self.count = folder, tally.Tally()
        self.stood_still = self.followed = self.simulated = self.bare = 0

    def tool(self, name, *words, text=""):
        ran = subprocess.run([self.folder / name, *words], input=text, capture_output=True, text=True, check=False)
        return ran.returncode, ran.stdout

    def verdict(self, network, *words):
        _, text = self.tool("check-deadlock", *words, text=network)
        lines = text.splitlines()
        return (json.loads(lines[1]), text) if len(lines) > 2 else (None, "")

    def says_none(self, network, *words):
        ran = subprocess.run([self.folder / "check-deadlock", *words], input=network, capture_output=True, text=True, check=False)
        return "--suggest: none of the changes that are tried is proved to help" in ran.stderr

    def outcomes(self, network, planner, flits, routers):
        """Of four runs with random multicasts."""
        for seed in "1234":
            text = network
            for name, *words in [["gen-multicast", "--count", "60", "--destinations", "2:4", "--seed", seed, "--length-flits", str(flits)],
                                 ["plan-multicast", planner], ["route-expand"],
                                 ["simulate-wormhole", "--summary-only", *routers]]:
                _, text = self.tool(name, *words, text=text)
            yield json.loads(text.splitlines()[1])["outcome"]

    def follow(self, network, planner, beside, suggestion):
        """The planner, the length and the options of routers that a suggestion leads to; its verdict is checked."""
        given = suggestion["options"].split()
        if given[0] in beside:
            at = beside.index(given[0])
            beside = beside[:at] + beside[at + 2:]
        followed, text = self.verdict(network, *(given if given[0] == "--all-multicasts" else ["--all-multicasts", planner, *given]), *beside)
        self.followed += 1
        self.count.check(followed and followed["answer"] == suggestion["answer"], f"{planner} {beside} {suggestion}: {followed}")
        with tempfile.TemporaryDirectory() as place:
            on, said = pathlib.Path(place, "network"), pathlib.Path(place, "verdict")
            on.write_text(network)
            said.write_text(text)
            status, _ = self.tool("check-deadlock", "--verify", said, on)
        self.count.check(status == 0, f"{planner} {beside} {suggestion}: --verify exits with {status}")
        if given[0] == "--all-multicasts":
            return given[1], LENGTH_FLITS, []
        return planner, suggestion.get("length_flits", LENGTH_FLITS), [] if given[0] == "--length-flits" else given

    def run(self):
        _, text = self.tool("plan-multicast", "--list")
        planners = list(dict.fromkeys(line.split()[0] for line in text.splitlines() if line[:1].isalpha()))
        for name, words in NETWORKS.items():
            _, network = self.tool("gen-topology", *words.split())
            for planner in planners:
                for beside in [["--with-unicast", unicast] if unicast else [] for unicast in UNICASTS] + (ROUTERS if name == "mesh" else []):
                    found, _ = self.verdict(network, "--all-multicasts", planner, *beside, "--suggest")
                    if not found or "suggestions" not in found:
                        continue
                    if not found["suggestions"]:
                        self.bare += 1
                        said = self.says_none(network, "--all-multicasts", planner, *beside, "--suggest")
                        self.count.check(said and beside in ROUTERS, f"{planner} on {name} {beside}: nothing is suggested")
                    if not beside:
                        self.stood_still += "deadlock" in self.outcomes(network, planner, LENGTH_FLITS, [])
                    for suggestion in found["suggestions"]:
                        changed = self.follow(network, planner, beside, suggestion)
                        if beside or suggestion["change"] not in SIMULATED:
                            continue
                        self.simulated += 1
                        ended = set(self.outcomes(network, *changed))
                        self.count.check(ended == {"complete"}, f"{planner} on {name}, {suggestion}: {ended}")
        print(f"{self.followed} suggestions followed, {self.simulated} simulated; without them {self.stood_still} planners stood still; "
              f"of other routers {self.bare} without any")
        self.count.check(min(self.followed, self.simulated, self.stood_still) > 5, "too little was tried")


def main():
    cures = Cures(tally.bin_option(__doc__))
    cures.run()
    return cures.count.close()


if __name__ == "__main__":
    raise SystemExit(main())
