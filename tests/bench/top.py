# SPDX-License-Identifier: MIT
"""Measures the cost of `clew top`, and how soon its first counts appear.

The cost is the CPU time of `clew top` from its second table on, relative to wall time.
`clew top` reads a file that the process has mapped, and needs no action by the process
itself. The delay is measured from the start of the command, with cached analyses, for a
process without an earlier session.
"""
import pathlib
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

from measure import BENCH, CLEW, NATIVE, table
import server

LOOKS = 21
THREADS = 64


class Redis:
    name = "redis-server below redis-benchmark"

    def __init__(self, folder):
        self.server = server.Server(NATIVE, folder)
        self.pid = self.server.process.pid
        self.load = subprocess.Popen(
            ["redis-benchmark", "-s", self.server.socket, "-q", "-c", "8",
             "-n", "1000000000", "-t", "set,get"],
            stdout=subprocess.DEVNULL)

    def stop(self):
        self.load.kill()
        self.load.wait()
        self.server.stop()

    @staticmethod
    def is_here():
        return shutil.which("redis-server") and shutil.which("redis-benchmark")


class Threads:
    name = f"{THREADS} threads that wake up each 2 ms"

    def __init__(self, _):
        self.process = subprocess.Popen(
            [BENCH / "waiting", "100000", str(THREADS), "2000"],
            stdout=subprocess.DEVNULL)
        self.pid = self.process.pid
        tasks = pathlib.Path(f"/proc/{self.pid}/task")
        while len(list(tasks.iterdir())) <= THREADS:
            time.sleep(.001)

    def stop(self):
        self.process.kill()
        self.process.wait()

    @staticmethod
    def is_here():
        return (BENCH / "waiting").exists()


def attached(pid, folder):
    """Attaches to a process. Returns (the controller, seconds that it took)."""
    started = time.monotonic()
    controller = subprocess.Popen(
        [CLEW, "attach", "-o", folder / "clew.out", str(pid)],
        stderr=subprocess.PIPE, text=True)
    line = controller.stderr.readline()
    if "attached to" not in line:
        raise RuntimeError(line + controller.stderr.read())
    return controller, time.monotonic() - started


def left(controller):
    controller.send_signal(signal.SIGINT)
    controller.stderr.read()
    controller.wait()


def cpu_of(pid):
    """Returns the CPU seconds of a process, from the kernel's count in nanoseconds."""
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text()
               .split()[0]) / 1e9


def first_table(pid):
    """Returns the seconds until `clew top` has printed its first table."""
    started = time.monotonic()
    top = subprocess.Popen([CLEW, "top", "-b", "-d", ".1", "-n", "1",
                            str(pid)], stdout=subprocess.PIPE)
    top.stdout.readline()
    seconds = time.monotonic() - started
    top.stdout.read()
    top.wait()
    return seconds


def looking(pid):
    """Returns (share of a processor, seconds between two tables)."""
    top = subprocess.Popen([CLEW, "top", "-b", "-n", str(LOOKS), str(pid)],
                           stdout=subprocess.PIPE, text=True)
    heads, found = 0, []
    while heads < LOOKS:
        line = top.stdout.readline()
        if not line:
            raise RuntimeError("clew top has ended")
        if " calls/s, " in line:  # Each table begins with such a line.
            heads += 1
            found.append((time.monotonic(), cpu_of(top.pid)))
    top.stdout.read()
    top.wait()
    wall, cpu = (found[-1][i] - found[1][i] for i in range(2))
    return cpu / wall, wall / (len(found) - 2)


def once(kind, measure):
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        folder = pathlib.Path(name)
        load = kind(folder)
        try:
            return measure(load.pid, folder)
        finally:
            load.stop()


def look_at(pid, folder):
    controller, _ = attached(pid, folder)
    found = looking(pid)
    left(controller)
    return found


def attach_to(pid, folder):
    controller, seconds = attached(pid, folder)
    left(controller)
    return seconds


def bench(rounds):
    rows = []
    for kind in (Redis, Threads):
        if not kind.is_here():
            continue
        once(kind, attach_to)  # This session fills the cache.
        share, interval = once(kind, look_at)
        attach = statistics.median(once(kind, attach_to)
                                   for _ in range(rounds))
        first = statistics.median(once(kind, lambda pid, _: first_table(pid))
                                  for _ in range(rounds))
        rows.append([kind.name, f"{100 * share:.2f} %", f"{interval:.1f} s",
                     f"{attach:.2f} s", f"{first:.2f} s"])
    return table(["", "clew top, of a processor", "a look each",
                  "clew attach counts after", "first table of clew top"], rows)
