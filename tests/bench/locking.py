# SPDX-License-Identifier: MIT
"""Measures an uncontended mutex: nanoseconds for a lock and an unlock."""
import os
import statistics

from measure import BENCH, BUILD, CLEW, CLEW_TOOL, NATIVE, ROOT, Tool, run, \
    table

os.environ.setdefault("CLEW", str(CLEW))
os.environ.setdefault("CLEW_LOCKS",
                      str(BUILD / "locks" / "libclew-locks.so"))


def locks(name, *options):
    return Tool(name, lambda argv, scratch: [
        ROOT / "scripts" / "clew-locks", *options, "-o",
        scratch / "clew.out", "--", *argv])


# This tool reports the mutexes that are held for longer than the threshold.
DRD = Tool("drd --exclusive-threshold", lambda argv, scratch: [
    "valgrind", "-q", "--tool=drd", "--exclusive-threshold=1000", *argv],
    "valgrind")
TOOLS = (NATIVE, CLEW_TOOL, locks("clew-locks --contended", "--contended"),
         locks("clew-locks"), DRD)
PAIRS, PAIRS_OF_DRD = 500000, 20000


def bench(rounds):
    found = {}
    for _ in range(rounds):
        for tool in TOOLS:
            if tool.is_here():
                pairs = PAIRS_OF_DRD if tool is DRD else PAIRS
                done = run(tool, [BENCH / "locking", str(pairs)])
                found.setdefault(tool.name, []).append(float(done.output))
    return table(["", "ns a lock and unlock"],
                 [[name, f"{statistics.median(ns):.1f}"]
                  for name, ns in found.items()])
