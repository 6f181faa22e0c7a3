# SPDX-License-Identifier: MIT
"""Measures how long clew attach stops threads, as clew itself reports it.

The figures are the time for which all threads are stopped, and the longest time for
which one thread is borrowed to load the library and to prepare it. Analyses are cached.
The first session of a process creates everything, and the second session reuses it.
"""
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile

from measure import CLEW, table
import top

SAID = re.compile(r"(attached to|detached from) .*stopped for up to ([\d.]+) "
                  r"ms, one thread alone for up to ([\d.]+) ms")


class Gdb:
    name = "gdb, waiting for a command"

    def __init__(self, _):
        self.process = subprocess.Popen(
            ["gdb", "-q", "-nx"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        self.pid = self.process.pid
        while not self.process.stdout.read(1) == b"(":  # "(" begins the prompt.
            pass

    def stop(self):
        self.process.kill()
        self.process.communicate()

    @staticmethod
    def is_here():
        return shutil.which("gdb")


def session(pid, folder):
    """Returns ({step: (ms for which all threads were stopped, ms of one thread)},
    hooked functions).
    """
    recording = folder / "clew.out"
    done = subprocess.run([CLEW, "attach", "-o", recording, "--for", "50ms",
                           str(pid)], check=True, stderr=subprocess.PIPE,
                          text=True)
    report = subprocess.run([CLEW, "report", recording], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    count = re.search(r"^([\d,]+) of [\d,]+ functions hooked", report, re.M)
    return {step: (float(every), float(one)) for step, every, one in
            SAID.findall(done.stderr)}, count[1]


def said(values):
    values = sorted(values)
    return f"{statistics.median(values):.1f} ({values[0]:.1f} to " \
           f"{values[-1]:.1f})"


def bench(rounds):
    rows = []
    for kind in (top.Redis, Gdb):
        if not kind.is_here():
            continue
        firsts, agains = [], []
        top.once(kind, session)  # This session fills the cache.
        for _ in range(rounds):
            first, again = top.once(kind, lambda pid, folder: (
                session(pid, folder), session(pid, folder)))
            firsts.append(first[0])
            agains.append(again[0])
            count = first[1]
        rows.append([f"{kind.name}, {count} functions",
                     said(s["attached to"][0] for s in firsts + agains),
                     said(s["detached from"][0] for s in firsts + agains),
                     *(said(max(s["attached to"][1], s["detached from"][1])
                            for s in sessions)
                       for sessions in (firsts, agains))])
    return table(["ms, medians (least to most)", "all threads, attaching",
                  "leaving", "one thread, at most, first time", "again"],
                 rows)
