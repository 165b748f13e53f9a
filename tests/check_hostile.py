#!/usr/bin/env python3
# Input that means harm: no crash, no hang, and refused or read exactly as the format says.
# SPDX-License-Identifier: MIT
"""Give the tools broken, strange and enormous input; end with "N passed, N failed". --build DIR: the build.

1. JSON that is hard to read, as a record of its own and inside an x_ member: ours, to every tool, and the
   files of JSONTestSuite if they are there (WORMCAST_JSONTESTSUITE, or ../shared/jsontestsuite): n_ refused,
   y_ carried through byte for byte (with blanks for newlines, which a record cannot hold), i_ either, but
   cleanly.
2. Limits: lines of 64 MiB are read, of more than 256 MiB refused; 64 levels of nesting are read, 65 refused.
3. Sizes whose product is too large: refused before memory is asked for.
4. Scripts beside the tools that are killed, fail or are not there, and surroundings that spoil Python.
"""
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

from tally import Tally, build_option

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOPOLOGY = b'{"kind":"topology","format":1,"family":"mesh","dims":[2,2]}\n'
READERS = [["gen-multicast", "--to", "3", "--source", "0"], ["plan-multicast", "ocms"],
           ["plan-multicast", "--verify"], ["route-expand"], ["simulate-wormhole"], ["check-deadlock"],
           ["report"]]
DEEP = 100_000
# What the format refuses as a value of any member.
REFUSED = {
    "NUL in the middle": b'"a\0b"',
    "NUL after a value": b'1\0',
    "100,000 arrays": b"[" * DEEP + b"]" * DEEP,
    "100,000 arrays, open": b"[" * DEEP,
    "100,000 objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "65 levels": b"[" * 64 + b"]" * 64,
    "1e400": b"1e400",
    "-1e999": b"-1e999",
    "lone high surrogate": b'"\\ud800"',
    "lone low surrogate": b'"\\udc00"',
    "surrogates turned round": b'"\\udc00\\ud800"',
    "surrogate in UTF-8": b'"\xed\xa0\x80"',
    "overlong UTF-8": b'"\xc0\xaf"',
    "cut UTF-8": b'"\xe2\x82"',
    "above U+10FFFF": b'"\xf4\x90\x80\x80"',
    "byte order mark": b"\xef\xbb\xbf1",
    "UTF-16": '"a"'.encode("utf-16"),
    "NaN": b"NaN",
    "Infinity": b"-Infinity",
    "hexadecimal": b"0x10",
    "leading zero": b"010",
    "leading plus": b"+1",
    "bare point": b"1.",
    "comment": b"1 /* one */",
    "single quotes": b"'a'",
    "trailing comma": b"[1,]",
    "control character": b'"\x01"',
    "escaped newline": b'"a\\\nb"',
    "form feed": b"\x0c1",
    "two values": b"1 2",
    "nothing": b"",
    "unclosed string": b'"a',
    "unquoted key": b"{a:1}",
}
# What it accepts there, and carries through as it is.
ACCEPTED = {
    "62 levels": b"[" * 62 + b"]" * 62,
    "2^53": b"9007199254740993",
    "2^64": b"18446744073709551616",
    "1e-400": b"1e-400",
    "minus zero": b"-0",
    "a pair of surrogates": b'"\\ud83d\\ude00"',
    "U+10FFFF": b'"\xf4\x8f\xbf\xbf"',
    "escaped NUL": b'"\\u0000"',
    "noncharacters": b'"\xef\xbf\xbf"',
    "blanks": b" [ 1 ,\t2 ] ",
    "an empty key": b'{"":null}',
    "a long number": b"0." + b"3" * 1000,
}
# Sizes of networks that cannot be: none may take long or much memory.
TOO_LARGE = ["mesh 4000000000 4000000000", "mesh 16384 16384", "mesh 9007199254740991",
             "torus 65536 65536 65536", "mesh " + "2 " * 32, "hypercube 24", "hypercube 9007199254740991",
             "ccc 22", "fat-tree --arity 2 --levels 23", "fat-tree --arity 9007199254740991 --levels "
             "9007199254740991", "dragonfly --group-routers 4096 --hosts 1 --global-links 4096 --groups 256",
             "dragonfly --group-routers 4096 --hosts 4096 --global-links 4096",
             "irregular --switches 9007199254740991", "irregular --switches 1048576 --ports 4096 --hosts 1"]


def run(bin_dir, command, data, megabytes=None):
    def limit():
        if megabytes:
            resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    # Through a file: Python feeds pipes 512 bytes at a time.
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        return subprocess.run([bin_dir / command[0], *command[1:]], stdin=file, capture_output=True,
                              preexec_fn=limit, check=False, timeout=120)


def refused(done, name, line=True):
    """Status 2, one line, that names the tool and where the input has one the line."""
    place = name.encode() + (b": line 2: " if line else b": ")
    return done.returncode == 2 and done.stderr.count(b"\n") == 1 and done.stderr.startswith(place)


def within(value):
    return b'{"kind":"end","x_test":' + value + b"}\n"


def carried_as(value):
    """A tool carries the value byte for byte; blanks behind it are none of it."""
    return within(value.rstrip(b" \t\r\n"))


def check_json(bin_dir, tally):
    for command in READERS:
        for what, value in REFUSED.items():
            for form, line in (("x_ member", within(value)), ("record", value + b"\n")):
                done = run(bin_dir, command, TOPOLOGY + line)
                # A newline inside ends the line; the next line is refused, or this one.
                tally.check(refused(done, command[0]) and len(done.stderr) < 1000,
                            f"{command[0]}: {what} as {form}: {done.returncode} {done.stderr[:200]}")
        for what, value in ACCEPTED.items():
            done = run(bin_dir, command, TOPOLOGY + within(value))
            carried = command[0] == "report" or carried_as(value) in done.stdout
            # The deadlock checker has nothing to prove something of, and says so.
            nothing = command[0] == "check-deadlock" and b": nothing to check: " in done.stderr
            tally.check(done.returncode == (2 if nothing else 0) and carried, f"{command[0]}: {what}: "
                        f"{done.returncode} {done.stderr[:200]}")


def check_test_suite(bin_dir, tally):
    folder = pathlib.Path(os.environ.get("WORMCAST_JSONTESTSUITE",
                                         ROOT.parent / "shared" / "jsontestsuite")) / "test_parsing"
    files = sorted(folder.glob("*.json"))
    if not files:
        print("JSONTestSuite is not there: only our own cases were tried")
        return
    for file in files:
        value = file.read_bytes()
        raw = run(bin_dir, ["report"], TOPOLOGY + value + b"\n" + within(b"1"))
        tally.check(raw.returncode == 2 and raw.stderr.count(b"\n") == 1, f"{file.name} as a record: "
                    f"{raw.returncode}")
        if file.name.startswith("y_"):
            value = value.replace(b"\n", b" ")
        done = run(bin_dir, ["plan-multicast", "ocms"], TOPOLOGY + within(value))
        accepted = done.returncode == 0 and done.stdout == TOPOLOGY + carried_as(value)
        expected = {"n": refused(done, "plan-multicast"), "y": accepted, "i": accepted
                    or refused(done, "plan-multicast")}
        tally.check(expected[file.name[0]], f"{file.name}: {done.returncode} {done.stderr[:200]}")
    print(f"JSONTestSuite: {len(files)} files tried, crashes 0" if not tally.failed
          else "JSONTestSuite: see above")


def check_limits(bin_dir, tally):
    long_line = within(b'"' + b"a" * (64 << 20) + b'"')
    done = run(bin_dir, ["plan-multicast", "ocms"], TOPOLOGY + long_line)
    tally.check(done.returncode == 0 and done.stdout == TOPOLOGY + long_line, "a line of 64 MiB: "
                f"{done.returncode} {done.stderr[:200]}")
    done = run(bin_dir, ["report"], TOPOLOGY + b" " * ((256 << 20) + 1))
    tally.check(refused(done, "report") and b"longer than" in done.stderr, "a line above 256 MiB: "
                f"{done.returncode} {done.stderr[:200]}")
    names = b",".join(b'"x_%d":0' % i for i in range(20_000))
    done = run(bin_dir, ["report"], TOPOLOGY + b'{"kind":"end",' + names + b"}\n")
    tally.check(done.returncode == 0, f"20,000 members: {done.returncode} {done.stderr[:200]}")
    done = run(bin_dir, ["report"], TOPOLOGY + b'{"kind":"end",' + names + b',"x_1":0}\n')
    tally.check(refused(done, "report"), f"a key twice in 20,001: {done.returncode} {done.stderr[:200]}")


def check_sizes(bin_dir, tally):
    for arguments in TOO_LARGE:
        done = run(bin_dir, ["gen-topology", *arguments.split()], b"", megabytes=100)
        tally.check(refused(done, "gen-topology", line=False) and b"out of memory" not in done.stderr,
                    f"gen-topology {arguments}: {done.returncode} {done.stderr[:200]}")
        family, *sizes = arguments.split()
        if sizes[0].startswith("--"):
            continue
        key = f'"dims":[{",".join(sizes)}]' if family in ("mesh", "torus") else f'"dimensions":{sizes[0]}'
        line = f'{{"kind":"topology","format":1,"family":"{family}",{key}}}\n'.encode()
        for command in READERS:
            done = run(bin_dir, command, line + b'{"kind":"end"}\n', megabytes=100)
            tally.check(refused(done, command[0], line=False) and b"out of memory" not in done.stderr,
                        f"{command[0]}: {arguments}: {done.returncode} {done.stderr[:200]}")


# What a script does in place of drawing, and what the tool then says.
BROKEN = {
    "killed": ("kill -9 $$", b"network-picture was ended by signal 9"),
    "failed": ("echo part; echo 'network-picture: line 3: no' >&2; exit 2", b"report: line 3: no\n"),
    "failed in the middle of a line": ("printf 'no more' >&2; exit 1", b"report: network-picture: no more\n"),
    "silent": ("exit 1", b"network-picture ended without a word"),
    "not to be run": ("exit 126", b"needs Python 3"),
}
# What Python would take from its surroundings.
SPOILT = {"PYTHONHOME": "/nowhere", "PYTHONSAFEPATH": "1", "PYTHONOPTIMIZE": "2", "PYTHONVERBOSE": "1",
          "PYTHONHASHSEED": "no"}


def check_scripts(bin_dir, tally):
    """A picture is whole, or there is none and the tool says why."""
    routes = TOPOLOGY + b'{"kind":"end"}\n'
    for command in (["gen-multicast", "--to", "3", "--source", "0"], ["plan-multicast", "dual-path"],
                    ["route-expand"]):
        routes = run(bin_dir, command, routes).stdout
    whole = run(bin_dir, ["report", "--dot"], routes)
    tally.check(whole.returncode == 0 and whole.stdout.endswith(b"}\n"), f"a picture: {whole.returncode} "
                f"{whole.stderr[:200]}")
    spoilt = subprocess.run([bin_dir / "report", "--dot"], input=routes, capture_output=True,
                            env=os.environ | SPOILT, check=False)
    tally.check((spoilt.stdout, spoilt.stderr) == (whole.stdout, b""), "spoilt surroundings: "
                f"{spoilt.returncode} {spoilt.stderr[:200]}")
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder, "a prefix")
        scripts = prefix / "share/wormcast/converters"
        scripts.mkdir(parents=True)
        (prefix / "bin").mkdir()
        shutil.copy(bin_dir / "report", prefix / "bin")
        for what, (does, says) in BROKEN.items():
            (scripts / "network-picture").write_text(f"#!/bin/sh\n{does}\n")
            (scripts / "network-picture").chmod(0o755)
            for ignored in (False, True):  # as by who does not want to hear of processes that end
                done = subprocess.run([prefix / "bin/report", "--dot", "-o", prefix / "old"], input=routes,
                                      capture_output=True, check=False, preexec_fn=(
                                          lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)) if ignored
                                      else None)
                tally.check(refused(done, "report", line=False) and says in done.stderr
                            and not (prefix / "old").exists(), f"a script that is {what}, {ignored}: "
                            f"{done.returncode} {done.stderr[:200]}")
        # Where /proc is not there, as in a folder that a process is locked up in, no file lying there is run.
        (scripts / "network-picture").write_text("#!/bin/sh\necho around\n")
        hidden = subprocess.run(["unshare", "-rm", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh",
                                 prefix / "bin/report", "--dot"], cwd=prefix, input=routes,
                                capture_output=True, check=False)
        if b"unshare" in hidden.stderr or b"mount" in hidden.stderr:
            print("without /proc: not tried, for want of permission")
        else:
            tally.check(b"around" not in hidden.stdout and b"needs Python 3" in hidden.stderr,
                        f"without /proc: {hidden.stdout} {hidden.stderr}")


def main():
    bin_dir = build_option(__doc__) / "bin"
    tally = Tally()
    for check in (check_json, check_test_suite, check_limits, check_sizes, check_scripts):
        check(bin_dir, tally)
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
