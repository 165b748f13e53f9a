# What the benchmarks share: a command timed, and BookSim 2 on the same work. SPDX-License-Identifier: MIT
"""Times commands, and runs BookSim 2 with routers that match the presets booksim-minimal and booksim-iq."""
import os
import re
import resource
import subprocess
import sys
import tempfile
import time


def mebibytes(kibibytes):
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kibibytes / 1024 if kibibytes > own else f"at most {own / 1024:.1f}"


def timed(command, **options):
    """Output, CPU seconds, wall seconds and peak MiB of one command."""
    with tempfile.TemporaryFile() as output:
        start = time.monotonic()
        process = subprocess.Popen([str(c) for c in command], stdout=output, **options)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode()
    if process.returncode not in (0, 255):
        sys.exit(f"status {process.returncode}: {command}")
    return text, usage.ru_utime + usage.ru_stime, wall, mebibytes(usage.ru_maxrss)


ROUTERS = {"booksim-minimal": "num_vcs = 1; wait_for_tail_credit = 1; speculative = 1;",
           "booksim-iq": "num_vcs = 4; routing_delay = 0;"}


def booksim(program, directory, width, length, rate, cycles, preset="booksim-minimal"):
    """What BookSim 2 carries under the same load over at least 2,000 cycles, and what that takes: seconds and
    MiB."""
    cycles = max(2000, min(cycles, 25_000_000 // width ** 2))
    config = directory / "booksim.cfg"
    config.write_text(f"""topology = mesh; k = {width}; n = 2; routing_function = dor; traffic = uniform;
{ROUTERS[preset]} vc_buf_size = 8; packet_size = {length};
injection_rate_uses_flits = 1; injection_rate = {rate:.6f}; sim_type = latency; latency_thres = 1e9;
max_samples = 8; sample_period = {max(cycles // 4, 500)}; sim_count = 1;
stopping_thres = 1e9; acc_stopping_thres = 1e9; warmup_thres = 1e9; acc_warmup_thres = 1e9;
""".replace("; ", ";\n"))
    text, cpu, wall, memory = timed([program, config])
    figure = lambda name: float(re.findall(rf"{name} = ([0-9.e+-]+)", text)[-1])
    if "Time taken" not in text:
        sys.exit(f"BookSim 2 did not finish: {text[-200:]}")
    ran = float(re.findall(r"Time taken is (\d+)", text)[-1])
    # Its hops count the ejection too. Cycles of draining count as full ones, in its favour.
    carried = figure("Accepted flit rate average") * width ** 2 * ran * (figure("Hops average") - 1)
    return {"flit_hops": carried, "cpu": cpu, "wall": wall, "memory": memory, "cycles": ran}
