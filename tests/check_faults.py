#!/usr/bin/env python3
# What the system does to a tool: every fault ends in a clear one-line error or in the right result.
# SPDX-License-Identifier: MIT
"""Give every tool a full disk, closed descriptors, little memory, a folder it cannot write to, input that
stops, signals at random times; kill a figure in the middle and resume it. Ends with "N passed, N failed".
--build DIR: the build. """
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from tally import Tally, build_option

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Tools with arguments, in the order of the pipeline: each one's input is what the ones before it wrote.
PIPELINE = [
    ["gen-topology", "mesh", "5", "5"],
    ["gen-multicast", "--count", "40", "--destinations", "5", "--interval", "9"],
    ["plan-multicast", "dual-path,ocms"],
    ["route-expand"],
]
READERS = [["simulate-wormhole", "--channel-loads"], ["check-deadlock"], ["report"],
           # What scripts write, in their place.
           ["report", "--dot"], ["report", "--cards", "markdown"], ["report", "--plot", "x=id,y=worms"]]
NOBODY = 65534
FATAL = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGABRT,
         signal.SIGXCPU, signal.SIGXFSZ, signal.SIGPIPE, signal.SIGSEGV, signal.SIGALRM, signal.SIGRTMIN,
         signal.SIGRTMAX]
# How many kilobytes of address space a tool is given, from too little to load to plenty.
MEMORY = [*range(3600, 8000, 100), *range(8000, 20000, 1000), *range(20000, 32000, 2000), 64000, 256000]


class Case:
    """A tool, what it reads, and what it writes when nothing is wrong."""

    def __init__(self, bin_dir, command, data):
        self.name = command[0]
        self.command = [str(bin_dir / command[0]), *command[1:]]
        self.data = data
        done = self.run()
        self.whole = done.stdout
        if done.returncode != 0 or done.stderr:
            sys.exit(f"check_faults: {self.name}: {done.stderr}")

    def run(self, *more, data=None, stdout=subprocess.PIPE, setup=None, cwd=None, tool=None):
        return subprocess.run([tool or self.command[0], *self.command[1:], *more], input=self.data
                              if data is None else data, stdout=stdout, stderr=subprocess.PIPE,
                              preexec_fn=setup, cwd=cwd, check=False, timeout=60)

    def refused(self, done):
        """True if it ended with status 2 and one line that begins with its name."""
        return (done.returncode == 2 and done.stderr.count(b"\n") == 1
                and done.stderr.startswith(self.name.encode() + b": "))


def cases_of(bin_dir):
    cases = []
    data = b""
    for command in PIPELINE:
        cases.append(Case(bin_dir, command, data))
        data = cases[-1].whole
    return cases + [Case(bin_dir, command, data) for command in READERS]


def check_outputs(case, folder, tally):
    with open("/dev/full", "wb") as full:
        tally.check(case.refused(case.run(stdout=full)), f"{case.name}: a full device")
    tally.check(case.refused(case.run("-o", "/dev/full")), f"{case.name}: -o on a full device")
    tally.check(case.refused(case.run("-o", str(folder / "nowhere" / "file"))),
                f"{case.name}: -o in no folder")
    tally.check(case.refused(case.run("-o", str(folder))), f"{case.name}: -o on a folder")
    done = case.run(setup=lambda: os.close(1))
    tally.check(case.refused(done), f"{case.name}: closed standard output: {done.returncode} {done.stderr}")
    done = case.run("-o", str(folder / "whole"), setup=lambda: os.close(1))
    tally.check(done.returncode == 0 and (folder / "whole").read_bytes() == case.whole,
                f"{case.name}: -o with closed standard output")
    done = case.run("-o", str(folder / "whole"), setup=lambda: os.close(2))
    tally.check(done.returncode == 0 and (folder / "whole").read_bytes() == case.whole,
                f"{case.name}: -o with closed standard error")


def check_closed_pipe(case, tally):
    """The reader goes away before the tool writes: it is ended by SIGPIPE, silently."""
    process = subprocess.Popen(case.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    process.stdout.close()
    if case.data:
        time.sleep(0.05)  # gen-topology may have written already; the others wait for their input
    try:
        process.stdin.write(case.data)
        process.stdin.close()
    except BrokenPipeError:
        pass
    process.wait(timeout=60)
    silent = process.stderr.read() == b""
    process.stderr.close()
    tally.check(silent and process.returncode == -signal.SIGPIPE
                or (not case.data and process.returncode == 0), f"{case.name}: closed pipe: status "
                f"{process.returncode}")


def check_inputs(case, folder, tally):
    if not case.data:
        return
    done = case.run(setup=lambda: os.close(0))
    tally.check(case.refused(done), f"{case.name}: closed standard input: {done.returncode} {done.stderr}")
    tally.check(case.refused(case.run(data=b"")), f"{case.name}: empty input")
    tally.check(case.refused(case.run(str(folder))), f"{case.name}: a folder as input")
    tally.check(case.refused(case.run(str(folder / "nowhere"))), f"{case.name}: no such input")
    tally.check(case.refused(case.run("/dev/null")), f"{case.name}: an empty device")


def check_atomic(case, folder, tally):
    """A failing run leaves the file that was there, and nothing beside it; a killed one too."""
    target = folder / "target"
    target.write_bytes(b"before")
    if case.data:
        done = case.run("-o", str(target), data=case.data[: len(case.data) * 2 // 3])
        tally.check(case.refused(done) and target.read_bytes() == b"before",
                    f"{case.name}: -o after a failure")
        tally.check(not list(folder.glob("*target.*")), f"{case.name}: -o leaves "
                    f"{list(folder.glob('*target.*'))}")
        process = subprocess.Popen([*case.command, "-o", str(target)], stdin=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stdin.write(case.data[: len(case.data) * 2 // 3])
        process.stdin.flush()
        time.sleep(0.05)
        process.kill()
        process.communicate()
        tally.check(target.read_bytes() == b"before", f"{case.name}: -o after kill -9")
        for left in folder.glob("*target.*"):
            tally.check(left.name.startswith("."), f"{case.name}: after kill -9 a pattern of shells finds "
                        f"{left.name}")
            left.unlink()
    done = case.run("-o", str(target))
    tally.check(done.returncode == 0 and target.read_bytes() == case.whole, f"{case.name}: -o on a file")
    target.write_bytes(b"before")
    target.chmod(0o640)
    link = folder / "link"
    link.symlink_to("target")
    done = case.run("-o", str(link))
    tally.check(done.returncode == 0 and link.is_symlink() and target.read_bytes() == case.whole,
                f"{case.name}: -o through a symbolic link")
    tally.check(target.stat().st_mode & 0o777 == 0o640, f"{case.name}: -o keeps a file's mode")
    link.unlink()
    with target.open("wb") as standard_output:
        status = subprocess.run([*case.command, "-o", "/dev/stdout"], input=case.data, stdout=standard_output,
                                stderr=subprocess.PIPE, check=False).returncode
        standard_output.seek(0, os.SEEK_END)
        standard_output.write(b"more")
    tally.check(status == 0 and target.read_bytes() == case.whole + b"more",
                f"{case.name}: -o on the file of standard output")


def check_signals(case, folder, tally):
    """Whatever signal ends a tool at whatever time: its file is whole or as before, nothing is left beside
    it, and the status is the signal's."""
    target = folder / "target"

    def run(data, number, wait, ignored=False):
        def setup():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            # A shell lets what it runs in the background ignore SIGINT and SIGQUIT.
            signal.signal(number, signal.SIG_IGN if ignored else signal.SIG_DFL)

        target.write_bytes(b"before")
        process = subprocess.Popen([*case.command, "-o", str(target)], stdin=subprocess.PIPE,
                                   stderr=subprocess.PIPE, preexec_fn=setup)
        process.stdin.write(data)
        process.stdin.flush()
        time.sleep(wait)
        process.send_signal(number)
        process.stdin.close()
        process.wait(timeout=60)
        process.stderr.close()
        left = [path.name for path in folder.glob("*target.*")]
        result = target.read_bytes()
        good = not left and (process.returncode == -number and result in (b"before", case.whole)
                             or process.returncode == 0 and result == case.whole)
        tally.check(good, f"{case.name}: {number!r} after {wait:.4f} s: status {process.returncode}, "
                    f"{len(result)} bytes, beside it {left}")
        return process.returncode

    rng = random.Random(case.name)
    stopped = case.data[: len(case.data) * 2 // 3]
    for number in FATAL:
        run(case.data, number, rng.uniform(0, 0.03))
        status = run(stopped, number, 0.05) if stopped else -number  # it waits for the rest
        tally.check(status == -number, f"{case.name}: {number!r} while it waits: status {status}")
    status = run(case.data, signal.SIGHUP, 0.05, ignored=True)
    tally.check(status == 0, f"{case.name}: SIGHUP under nohup: status {status}")


def check_read_only(case, folder, tally):
    """As a user without write access there, nor perhaps to the folder of the build: the tool is copied."""
    closed = folder / "closed"
    closed.mkdir(exist_ok=True)
    (closed / "file").write_bytes(b"before")
    folder.chmod(0o755)
    closed.chmod(0o555)
    tool = folder / "bin" / "tool"
    tool.parent.mkdir(exist_ok=True)
    shutil.copy(case.command[0], tool)
    shutil.copytree(ROOT / "data" / "converters", folder / "share" / "wormcast" / "converters",
                    dirs_exist_ok=True)

    def drop():
        if os.getuid() == 0:
            os.setgid(NOBODY)
            os.setuid(NOBODY)

    done = case.run("-o", str(closed / "file"), setup=drop, tool=tool)
    tally.check(case.refused(done) and (closed / "file").read_bytes() == b"before",
                f"{case.name}: -o in a read-only folder: {done.returncode} {done.stderr}")
    done = case.run(setup=drop, cwd=closed, tool=tool)
    tally.check(done.returncode == 0 and done.stdout == case.whole, f"{case.name}: run in a read-only folder")


def check_memory(case, tally):
    """With any limit: the whole result, or "out of memory", or a loader that could not start the tool."""
    refused = 0
    # Python 3.11 may loop for ever where its imports run out of memory: scripts get what it takes to start.
    least = 20000 if any(option in case.command for option in ("--dot", "--cards", "--plot")) else 0
    for kilobytes in MEMORY:
        if kilobytes < least:
            continue

        def limit(size=kilobytes * 1024):
            resource.setrlimit(resource.RLIMIT_AS, (size, size))

        starts = subprocess.run([case.command[0], "--version"], capture_output=True, preexec_fn=limit,
                                check=False)
        if starts.returncode != 0:
            continue
        done = case.run(setup=limit)
        whole = done.returncode == 0 and done.stdout == case.whole and not done.stderr
        refused += case.refused(done)
        tally.check(whole or case.refused(done),
                    f"{case.name} with {kilobytes} kB: status {done.returncode}, {done.stderr[:200]}")
    return refused


def check_big_memory(bin_dir, folder, tally):
    """A network that does not fit, with its routes and for all multicasts: check-deadlock says so in one
    line."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (64 << 20, 64 << 20))

    big = Case(bin_dir, ["gen-topology", "mesh", "2048", "2048"], b"")
    multicasts = Case(bin_dir, ["gen-multicast", "--destinations", "3"], big.whole)
    plans = Case(bin_dir, ["plan-multicast", "dual-path"], multicasts.whole)
    routes = Case(bin_dir, ["route-expand"], plans.whole)
    for tool, data in ((["check-deadlock"], routes.whole),
                       (["check-deadlock", "--all-multicasts", "dual-path"], big.whole)):
        done = subprocess.run([bin_dir / tool[0], *tool[1:]], input=data, capture_output=True,
                              preexec_fn=limit, check=False, cwd=folder)
        tally.check(done.returncode == 2 and done.stderr == tool[0].encode() + b": out of memory\n",
                    f"{tool} on 4 million nodes in 64 MB: {done.returncode} {done.stderr[:200]}")


def check_search_memory(bin_dir, folder, tally):
    """Stars of many paths: the searches for them end at limits of bytes of their own, with a plan."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (500 << 20, 500 << 20))

    fabric = Case(bin_dir,
                  "gen-topology irregular --switches 20 --ports 40 --hosts 8 --seed 4 --find-labels".split(),
                  b"")
    multicast = Case(bin_dir, "gen-multicast --count 1 --destinations 60 --seed 2".split(), fabric.whole)
    for planner in ("otms:first-hop=free", "otms:first-hop=free:edge-disjoint=yes"):
        done = subprocess.run([bin_dir / "plan-multicast", planner], input=multicast.whole,
                              capture_output=True, preexec_fn=limit, check=False, cwd=folder)
        tally.check(done.returncode == 0 and not done.stderr, f"{planner} by 32 ports in 500 MB: "
                    f"{done.returncode} {done.stderr[:200]}")


def check_resume(build, folder, tally):
    """kill -9 in the middle of a figure, several times; then it is finished and must be as in one go."""
    def make(out):
        return ["make", "-s", "-C", str(ROOT), f"BUILD={os.path.relpath(build, ROOT)}", f"figures_to={out}",
                "BUILT=1", "CCC_SETS=20", "CCC_MASKED_SETS=5", f"{out}/ccc-steps/8.csv"]

    environment = {**os.environ, "MAKEFLAGS": "", "MAKELEVEL": "0"}
    whole, cut = folder / "whole", folder / "cut"
    done = subprocess.run(make(whole), capture_output=True, env=environment, check=False)
    tally.check(done.returncode == 0, f"the figure in one go: {done.stderr}")
    killed = 0
    for files in (1, 7, 20, 40):
        process = subprocess.Popen(make(cut), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=environment, start_new_session=True)
        while process.poll() is None and len(list(cut.glob("ccc-steps/*"))) < files:
            time.sleep(0.005)
        killed += process.poll() is None
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    tally.check(killed > 1, f"only {killed} runs were killed in the middle")
    done = subprocess.run(make(cut), capture_output=True, env=environment, check=False)
    tally.check(done.returncode == 0, f"the figure resumed: {done.stderr}")
    made = sorted(whole.glob("ccc-steps/*.*"))
    tally.check(len(made) > 40, f"only {len(made)} files made")
    for file in made:
        again = cut / "ccc-steps" / file.name
        tally.check(again.exists() and again.read_bytes() == file.read_bytes(),
                    f"{file.name} differs after kill -9 and resume")


def main():
    build = build_option(__doc__)
    tally = Tally()
    refused = 0
    cases = cases_of(build / "bin")
    for case in cases:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            check_outputs(case, folder, tally)
            check_closed_pipe(case, tally)
            check_inputs(case, folder, tally)
            check_atomic(case, folder, tally)
            check_signals(case, folder, tally)
            check_read_only(case, folder, tally)
            refused += check_memory(case, tally)
    with tempfile.TemporaryDirectory() as name:
        check_big_memory(build / "bin", pathlib.Path(name), tally)
        check_search_memory(build / "bin", pathlib.Path(name), tally)
    with tempfile.TemporaryDirectory() as name:
        check_resume(build, pathlib.Path(name), tally)
    tally.check(refused > 0, "no run ended for want of memory: the limits are too high to say anything")
    print(f"{len(cases)} tools; {refused} runs ended for want of memory")
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
