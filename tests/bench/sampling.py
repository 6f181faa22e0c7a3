# SPDX-License-Identifier: MIT
"""Measures the cost of samples beyond counting: CPU time with samples, without, and natively.

For the CPU clock, the figures are shares of the CPU time of a busy program. For the
wall clock, they are shares of one processor, for threads that wait.
"""
from measure import BENCH, NATIVE, medians, recorded, table

SECONDS, THREADS = 4, 100
LEAVES = [BENCH / "plain" / "leaves", "300000"]
WAITING = {
    "100 threads that wait": [BENCH / "waiting", SECONDS, THREADS],
    "100 threads that wake each 5 ms": [BENCH / "waiting", SECONDS, THREADS,
                                        5000],
}


NONE, CPU, WALL = (recorded(how, f"--time={how}")
                   for how in ("none", "cpu", "wall"))
OFTEN = recorded("often", "--time=cpu", "--rate=100000")


def bench(rounds):
    tools = (NATIVE, NONE, CPU, OFTEN, WALL)
    found = medians({tool: (tool, LEAVES, None) for tool in tools}, rounds)
    rows = [["200 leaves by a table", f"{found[NATIVE].cpu:.2f} s",
             f"{found[NONE].cpu:.2f} s",
             *(f"{100 * (found[tool].cpu / found[NONE].cpu - 1):+.2f} %"
               for tool in (CPU, OFTEN, WALL))]]
    for name, argv in WAITING.items():
        found = medians({tool: (tool, [str(a) for a in argv], None)
                         for tool in tools}, rounds)
        rows.append([name, f"{found[NATIVE].cpu:.3f} s",
                     f"{found[NONE].cpu:.3f} s",
                     *(f"{100 * (found[tool].cpu - found[NONE].cpu) / SECONDS:+.2f} %"
                       for tool in (CPU, OFTEN, WALL))])
    return table(["", "native", "counting", "and cpu, 997 Hz",
                  "and 100 kHz", "and wall, 97 Hz"], rows)
