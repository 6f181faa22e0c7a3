# SPDX-License-Identifier: MIT
"""Measures how long an agent takes to get the current context: by ids and by unwinders.

The program times many loops. Each figure is the median over all rounds of the fastest
loop, in nanoseconds.
"""
import statistics

from measure import BENCH, CLEW_TOOL, NATIVE, run, table

DEPTHS = 5, 20, 60


def bench(rounds):
    if not (BENCH / "queries").exists():
        return "libunwind is not here"
    found = {}
    for _ in range(rounds):
        for tool in (NATIVE, CLEW_TOOL):
            for depth in DEPTHS:
                done = run(tool, [BENCH / "queries", str(depth)])
                for line in done.output.splitlines():
                    what, ns = line.rsplit(" ", 1)
                    found.setdefault((what, tool), {}).setdefault(
                        depth, []).append(float(ns))
    return table(["query", "", *(f"{depth} deep" for depth in DEPTHS)],
                 [[what, "without clew" if tool is NATIVE else "with clew",
                   *(f"{statistics.median(by_depth[depth]):.1f}"
                     for depth in DEPTHS)]
                  for (what, tool), by_depth in found.items()])
