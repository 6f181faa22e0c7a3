# SPDX-License-Identifier: MIT
"""Runs commands under tools, interleaved, and reports medians.

The CPU time is the user and system time that the kernel charges to the command and all
its descendants. Each round runs all tools before the next round begins. A computer that
becomes slower thus affects all tools alike.
"""
import contextlib
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CLEW_BUILD", ROOT / "build")).resolve()
CLEW = BUILD / "cli" / "clew"
BENCH = BUILD / "tests" / "bench"

# Variables that change what a program does natively. Node, for example, parses each
# certificate of the first one when it starts, for 60 ms.
for _name in ("NODE_EXTRA_CA_CERTS", "NODE_OPTIONS", "JAVA_TOOL_OPTIONS", "PYTHONSTARTUP",
              "BASH_ENV", "PERL5OPT"):
    os.environ.pop(_name, None)


class Tool:
    """A method to run a command: `wrap` gets argv and a scratch directory."""

    def __init__(self, name, wrap, needs=None):
        self.name, self.wrap, self.needs = name, wrap, needs

    def is_here(self):
        return self.needs is None or shutil.which(str(self.needs))


def recorded(name, *options):
    """Returns the tool that records by clew with these options."""
    return Tool(name, lambda argv, scratch: [
        CLEW, "record", "-o", scratch / "clew.out", *options, "--", *argv],
        CLEW)


NATIVE = Tool("native", lambda argv, scratch: argv)
CLEW_TOOL = recorded("clew")
UFTRACE = Tool("uftrace -P .", lambda argv, scratch: [
    "uftrace", "record", "-P", ".", "--no-libcall", "-d",
    scratch / "uftrace", *argv], "uftrace")
UFTRACE_PG = Tool("uftrace, -pg build", lambda argv, scratch: [
    "uftrace", "record", "--no-libcall", "-d", scratch / "uftrace", *argv],
    "uftrace")
CALLGRIND = Tool("callgrind", lambda argv, scratch: [
    "valgrind", "-q", "--tool=callgrind",
    f"--callgrind-out-file={scratch}/callgrind.out", *argv], "valgrind")


class Sample:
    def __init__(self, cpu, wall, output, scratch_bytes):
        self.cpu, self.wall, self.output = cpu, wall, output
        self.scratch_bytes = scratch_bytes


def run(tool, argv, stdin=None, kept=None):
    """Runs a command once, in a new directory. Returns a Sample, with CPU and wall time
    in seconds. The directory is created in `kept` and remains there; without `kept` it
    is removed.
    """
    with (contextlib.nullcontext(tempfile.mkdtemp(dir=kept)) if kept else
          tempfile.TemporaryDirectory(prefix="clew-bench-")) as folder:
        scratch = pathlib.Path(folder)
        command = [str(a) for a in tool.wrap(list(argv), scratch)]
        feed = open(stdin, "rb") if stdin else subprocess.DEVNULL
        started = time.monotonic()
        with open(scratch / "stdout", "w+b") as output:
            process = subprocess.Popen(command, stdin=feed, stdout=output,
                                       stderr=subprocess.DEVNULL,
                                       cwd=scratch)
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.monotonic() - started
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            said = output.read().decode(errors="replace")
        if stdin:
            feed.close()
        if process.returncode:
            raise RuntimeError(f"{tool.name}: {command} ended with "
                               f"{process.returncode}")
        # Allocated blocks are counted, because recordings have holes.
        size = sum(path.stat().st_blocks * 512
                   for path in scratch.rglob("*") if path.is_file())
        return Sample(usage.ru_utime + usage.ru_stime, wall, said, size)


def medians(jobs, rounds, kept=None):
    """Returns {key: Sample of medians} for {key: (tool, argv, stdin)}."""
    samples = {key: [] for key in jobs}
    for _ in range(rounds):
        for key, (tool, argv, stdin) in jobs.items():
            samples[key].append(run(tool, argv, stdin, kept))
    return {key: Sample(statistics.median(s.cpu for s in found),
                        statistics.median(s.wall for s in found),
                        found[-1].output,
                        statistics.median(s.scratch_bytes for s in found))
            for key, found in samples.items()}


def table(head, rows):
    """Returns a table in Markdown, with numbers aligned to the right."""
    lines = ["| " + " | ".join(head) + " |",
             "|" + "|".join("--:" if i else "---"
                            for i in range(len(head))) + "|"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |"
              for row in rows]
    return "\n".join(lines)
