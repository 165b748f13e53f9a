#!/usr/bin/env python3
# Every change that check-deadlock suggests does what is said of it.
# SPDX-License-Identifier: MIT
"""Follow the suggestions for random sets of worms, and for all multicasts of planners on small networks, and
end with "N passed, N failed".

  check_cures.py [--bin DIR]

Sets that can deadlock are drawn: networks, planners, routers, lengths (30 of them; 200 with WORMCAST_LONG=1).
Each must have a suggestion, or a line that says why there is none. The routes under a change (--change)
deliver the same flits to the same destinations, check-deadlock answers of them, under the options that the
suggestion says, what was promised, --verify accepts that, and simulations at random start cycles deliver
everything. Of two changes neither suffices alone.

Of planners: wherever a deadlock is not excluded there must be a suggestion; with other routers than the
usual, one or a line that there is none. Its options are given to check-deadlock, which must answer as the
suggestion says, and --verify accept that. Random multicasts of the planner, so many that without the change
some stand still, must all be delivered under it. (Unicasts beside them, and virtual cut-through, are not
simulated.) """
import collections
import json
import os
import pathlib
import random
import subprocess
import tempfile

import tally

NETWORKS = {"mesh": "mesh 4 4", "torus": "torus 4 4", "hypercube": "hypercube 3", "ccc": "ccc 3",
            "irregular": "irregular --switches 8 --seed 1"}
UNICASTS = ["", "dimension-order", "up-down"]
# On the mesh two of these, too, or with WORMCAST_LONG=1 all; their own options give way to those of a
# suggestion.
ROUTERS = [["--preset", "floonoc"], ["--preset", "esp"], ["--preset", "pronoc"], ["--vc-reuse", "early"],
           ["--allocation", "atomic"], ["--output-arbitration", "round-robin"],
           ["--consumption-channels", "1"], ["--injection-channels", "1"], ["--length-flits", "8"],
           ["--long-worms"]]
# Each is a reason of its own not to be safe.
TWO_REASONS = ["--with-unicast", "dimension-order", "--consumption-channels", "1"]
# Of sets; the usual ones as often as all others.
SET_ROUTERS = [words for words in ROUTERS if words[0] not in ("--length-flits", "--long-worms")]
SET_ROUTERS = [[]] * len(SET_ROUTERS) + SET_ROUTERS + [["--buffer-flits", "1"], ["--preset", "booksim-iq"]]
# Of the changes that may be one of two.
OWN_OPTION = {"consumption-channel-per-input": "--consumption-channels", "atomic-allocation": "--allocation",
              "buffers": "--buffer-flits", "asynchronous-copies": "--buffer-flits"}
LENGTH_FLITS = 24
LONG = os.environ.get("WORMCAST_LONG") == "1"
SETS = 200 if LONG else 30
# Of what is asked about planners: most of the time would go into lengths that remain unknown.
LESS_SEARCH = [] if LONG else ["--search-limit", "200000", "--state-limit", "20000"]
PART_OF_LIMITS = ["--search-limit", "20000", "--state-limit", "2000"]  # that a suggestion is checked with
SIMULATED = {"consumption-channel-per-input", "atomic-allocation", "planner-option", "routing",
             "length-limit", "path-reservation"}


def grouped(words):
    """Options, each with its value."""
    groups = []
    for word in words:
        if word.startswith("--"):
            groups.append([])
        groups[-1].append(word)
    return groups


def beside(words, given):
    """Options without those that others take the place of."""
    return [word for option in grouped(words) if option[0] not in given for word in option]


def flits_by_pair(stream):
    flits = collections.Counter()
    for record in map(json.loads, stream.splitlines()):
        for destination in record.get("destinations", ()):
            flits[record["source"], destination] += record["length_flits"]
    return flits


class Cures:
    def __init__(self, folder):
        self.folder, self.count = folder, tally.Tally()
        self.stood_still = self.followed = self.simulated = self.bare = self.pairs = 0

    def run_tool(self, name, *words, text=""):
        return subprocess.run([self.folder / name, *words], input=text, capture_output=True, text=True,
                              check=False)

    def tool(self, name, *words, text=""):
        ran = self.run_tool(name, *words, text=text)
        return ran.returncode, ran.stdout

    def verdict(self, network, *words):
        _, text = self.tool("check-deadlock", *words, text=network)
        lines = text.splitlines()
        return (json.loads(lines[1]), text) if len(lines) > 2 else (None, "")

    def suggested(self, network, *words):
        """The verdict with suggestions, and whether a line says that there are none."""
        ran = self.run_tool("check-deadlock", *words, "--suggest", text=network)
        lines = ran.stdout.splitlines()
        none = "--suggest: no change that is tried, nor two of them together, is proved to help" in ran.stderr
        return json.loads(lines[1]) if len(lines) > 2 else None, none

    def outcomes(self, network, planner, flits, routers):
        """Of four runs with random multicasts."""
        for seed in "1234":
            text = network
            for name, *words in [["gen-multicast", "--count", "60", "--destinations", "2:4", "--seed", seed,
                                  "--length-flits", str(flits)], ["plan-multicast", planner],
                                 ["route-expand"], ["simulate-wormhole", "--summary-only", *routers]]:
                _, text = self.tool(name, *words, text=text)
            yield json.loads(text.splitlines()[1])["outcome"]

    def follow(self, network, planner, others, suggestion):
        """The planner, the length and the options of routers that a suggestion leads to; its verdict is
        checked."""
        given = suggestion["options"].split()
        asked = beside(["--all-multicasts", planner, *others], given) + given
        followed, text = self.verdict(network, *asked)
        self.followed += 1
        self.count.check(followed and followed["answer"] == suggestion["answer"],
                         f"{asked} {suggestion}: {followed}")
        self.verified(text, network, f"{asked} {suggestion}")
        for alone in grouped(given) if "+" in suggestion["change"] else []:
            self.pairs += 1
            found, _ = self.verdict(network, *beside(["--all-multicasts", planner, *others],
                                                     alone), *alone, *PART_OF_LIMITS)
            self.count.check(found and found["answer"] in ("deadlock", "unknown"),
                             f"{asked} {suggestion}: {alone} suffices")
        if given[0] == "--all-multicasts":
            return given[1], LENGTH_FLITS, []
        return (planner, suggestion.get("length_flits", LENGTH_FLITS), [] if given[0] == "--length-flits"
                else given)

    def draw(self, rng, planners):
        """A stream of routes with its routers, perhaps one that cannot deadlock."""
        network = rng.choice(list(NETWORKS.values()))
        _, text = self.tool("gen-topology", *network.split())
        count, flits = rng.randint(6, 40), rng.choice([4, 16, 32])
        planner, routers = rng.choice(planners), rng.choice(SET_ROUTERS)
        for name, *words in [["gen-multicast", "--count", str(count), "--destinations", "2:5", "--seed",
                              str(rng.randrange(999)), "--length-flits", str(flits)],
                             ["plan-multicast", planner], ["route-expand"]]:
            _, text = self.tool(name, *words, text=text)
        return text, routers, f"{planner} on {network}, {count} of {flits} flits, {' '.join(routers)}"

    def completes(self, rng, stream, routers):
        """At random start cycles."""
        head, *routes, end = map(json.loads, stream.splitlines())
        for record in routes:
            record["start_cycle"] = rng.randrange(40)
        routes.sort(key=lambda record: record["start_cycle"])
        text = "".join(json.dumps(record) + "\n" for record in [head, *routes, end])
        _, text = self.tool("simulate-wormhole", "--summary-only", *routers, text=text)
        return bool(text) and json.loads(text.splitlines()[1])["outcome"] == "complete"

    def cure(self, rng, stream, routers, suggestion, said):
        said = f"{said}: {suggestion}"
        changes = suggestion["change"]
        status, changed = self.tool("check-deadlock", "--change", changes, *routers, text=stream)
        self.count.check(status == 0 and flits_by_pair(stream) == flits_by_pair(changed),
                         f"{said}: other deliveries")
        given = suggestion.get("options", "").split()
        options = beside(routers, given) + given
        followed, text = self.verdict(changed, *options)
        self.count.check(followed and followed["answer"] == suggestion["answer"], f"{said}: {followed}")
        self.verified(text, changed, said)
        for _ in range(3):
            self.count.check(self.completes(rng, changed, options), f"{said}: it does not complete")
        if "+" not in changes:
            return
        for half in changes.split("+"):
            _, changed = self.tool("check-deadlock", "--change", half, *routers, text=stream)
            alone = beside(given, [option for option in given if option.startswith("--")
                                   and option != OWN_OPTION.get(half)])
            found, _ = self.verdict(changed or stream, *beside(routers, alone), *alone, *PART_OF_LIMITS)
            self.count.check(found and found["answer"] in ("deadlock", "unknown"), f"{said}: {half} suffices")

    def run_sets(self, planners):
        rng = random.Random(51)
        sets = stood_still = 0
        cures = collections.Counter()
        while sets < SETS:
            stream, routers, said = self.draw(rng, planners)
            found, says_none = self.suggested(stream, *routers) if stream else (None, False)
            if not found or found["answer"] != "deadlock":
                continue
            sets += 1
            stood_still += not all(self.completes(rng, stream, routers) for _ in range(3))
            if not found["suggestions"]:
                self.count.check(says_none, f"{said}: nothing is suggested")
            for suggestion in found["suggestions"]:
                cures[suggestion["change"]] += 1
                self.cure(rng, stream, routers, suggestion, said)
        print(f"{sets} sets that can deadlock, {stood_still} seen to; {cures.total()} cures: "
              f"{dict(cures.most_common())}")

    def verified(self, verdict, of, said):
        with tempfile.TemporaryDirectory() as place:
            records, verdicts = pathlib.Path(place, "records"), pathlib.Path(place, "verdicts")
            records.write_text(of)
            verdicts.write_text(verdict)
            status, _ = self.tool("check-deadlock", "--verify", verdicts, records)
        # Of many worms not all orders are gone through again, and --verify says so.
        self.count.check(status == 0 or (status == 2 and '"safe-unreachable"' in verdict),
                         f"{said}: --verify exits with {status}")

    def run(self):
        _, text = self.tool("plan-multicast", "--list")
        planners = list(dict.fromkeys(line.split()[0] for line in text.splitlines() if line[:1].isalpha()))
        self.run_sets(planners)
        self.run_planners(planners)

    def run_planners(self, planners):
        for name, words in NETWORKS.items():
            _, network = self.tool("gen-topology", *words.split())
            for number, planner in enumerate(planners):
                routers = ROUTERS if LONG else [ROUTERS[number % 10], ROUTERS[(number + 5) % 10]]
                for others in [["--with-unicast", unicast] if unicast else [] for unicast in UNICASTS] + \
                        ([TWO_REASONS, *routers] if name == "mesh" else []):
                    found, says_none = self.suggested(network, "--all-multicasts",
                                                      planner, *others, *LESS_SEARCH)
                    if not found or "suggestions" not in found:
                        continue
                    if not found["suggestions"]:
                        self.bare += 1
                        self.count.check(says_none and (others in ROUTERS or others == TWO_REASONS),
                                         f"{planner} on {name} {others}: nothing is suggested")
                    if not others:
                        self.stood_still += "deadlock" in self.outcomes(network, planner, LENGTH_FLITS, [])
                    for suggestion in found["suggestions"]:
                        changed = self.follow(network, planner, others, suggestion)
                        if others or suggestion["change"] not in SIMULATED:
                            continue
                        self.simulated += 1
                        ended = set(self.outcomes(network, *changed))
                        self.count.check(ended == {"complete"}, f"{planner} on {name}, {suggestion}: {ended}")
        print(f"{self.followed} suggestions followed, {self.simulated} simulated; without them "
              f"{self.stood_still} planners stood still; of other routers {self.bare} without any; "
              f"{self.pairs // 2} pairs")
        self.count.check(min(self.followed, self.simulated, self.stood_still, self.pairs) > 5,
                         "too little was tried")


def main():
    cures = Cures(tally.bin_option(__doc__))
    cures.run()
    return cures.count.close()


if __name__ == "__main__":
    raise SystemExit(main())
