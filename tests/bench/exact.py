# SPDX-License-Identifier: MIT
"""Measures the cost of timing every call, beside counting and two bare time stamps."""
from measure import BENCH, CLEW, NATIVE, Tool, medians, table
from calls import LOADS, MANY, NONE, calls_of

STAMPS = 40_000_000
NAMES = ["fib(38)", "200 leaves by a table", "a chain of 4, by calls",
         "a chain of 4, by tail calls"]


def clew(name, how):
    return Tool(name, lambda argv, scratch: [
        CLEW, "record", f"--time={how}", "-o", scratch / "clew.out", "--",
        *argv], CLEW)


COUNTING = clew("counting", "none")
EXACT = clew("exact", "exact")


def stamp_ns(rounds):
    """Returns the nanoseconds for reading two time stamps."""
    found = medians({n: (NATIVE, [BENCH / "stamps", str(n)], None)
                     for n in (0, STAMPS)}, rounds)
    return (found[STAMPS].cpu - found[0].cpu) / STAMPS * 2e9


def bench(rounds):
    rows = []
    for name in NAMES:
        program, *arguments = LOADS[name]
        stamps = stamp_ns(rounds)
        found = medians({
            (tool, size): (tool, [BENCH / "plain" / program,
                                  *arguments[size]], None)
            for tool in (NATIVE, COUNTING, EXACT) for size in (MANY, NONE)},
            rounds)
        calls = calls_of(found[NATIVE, MANY]) - calls_of(found[NATIVE, NONE])
        took = {tool: (found[tool, MANY].cpu - found[tool, NONE].cpu) / calls
                * 1e9 for tool in (NATIVE, COUNTING, EXACT)}
        added = took[EXACT] - took[NATIVE]
        rows.append([name, f"{took[NATIVE]:.2f}",
                     f"+{took[COUNTING] - took[NATIVE]:.2f}",
                     f"+{added:.2f}", f"{stamps:.2f}",
                     f"{added / stamps:.2f}"])
    return table(["ns of CPU per call", "native", "counting", "--time=exact",
                  "two time stamps", "exact over stamps"], rows)
