# SPDX-License-Identifier: MIT
"""What an agent pays to know where it is: nanoseconds, by ids and by unwinders.

The medians, of all rounds, of the least of many loops that the program times.
"""
import statistics

from measure import BENCH, CLEW_TOOL, NATIVE, run, table

DEPTHS = 5, 20, 60


def bench(rounds):
    if not (BENCH / "asking").exists():
        return "libunwind is not here"
    found = {}
    for _ in range(rounds):
        for tool in (NATIVE, CLEW_TOOL):
            for depth in DEPTHS:
                done = run(tool, [BENCH / "asking", str(depth)])
                for line in done.output.splitlines():
                    what, ns = line.rsplit(" ", 1)
                    found.setdefault((what, tool), {}).setdefault(
                        depth, []).append(float(ns))
    return table(["asked", "", *(f"{depth} deep" for depth in DEPTHS)],
                 [[what, "without clew" if tool is NATIVE else "with clew",
                   *(f"{statistics.median(by_depth[depth]):.1f}"
                     for depth in DEPTHS)]
                  for (what, tool), by_depth in found.items()])
