# SPDX-License-Identifier: MIT
"""Measures how the cost of a call grows with the number of contexts, 1e3 to 1e6.

The last row is for clew's defaults, with which recursion is folded beyond 65,536
contexts; in the others each path of calls keeps a context.

Ten functions call each other in a tree (tests/targets/contexts.c). The program walks
the tree once, and then many times. The first walk creates the contexts; its cost has
its own column and is subtracted from the other columns. A walk of the whole tree is the
worst case for a cache, which real programs do not reach. A second kind of walk
therefore stays in each part of the tree for a while.
"""
from measure import BUILD, CLEW_TOOL, NATIVE, medians, recorded, table

PROGRAM = BUILD / "tests" / "targets" / "O2" / "contexts"
FANOUT = 10
DEPTHS = 3, 4, 5, 6
CALLS = 30_000_000
AGAIN = 16
ALL = recorded("clew", "--fold-recursion=never")


def sums_of(sample):
    _, contexts, _, calls = sample.output.split()
    return int(contexts), int(calls)


def added_ns(clew, depth, again, rounds):
    """Returns (native ns per call, added ns, added ns in a new context, Sample).

    The Sample belongs to the run in which clew records one walk of the tree.
    """
    calls = sum(FANOUT ** level * (again if level > 1 and level + 1 >= depth
                                   else 1) for level in range(1, depth + 1))
    many = max(CALLS // calls, 5)
    found = medians({(tool, n): (tool, [PROGRAM, FANOUT, depth, n, again],
                                 None)
                     for tool in (NATIVE, clew) for n in (0, 1, many)},
                    rounds)
    contexts, first = sums_of(found[NATIVE, 1])
    _, all_calls = sums_of(found[NATIVE, many])
    native, counted = (
        (found[tool, many].cpu - found[tool, 1].cpu) / (all_calls - first)
        for tool in (NATIVE, clew))
    new = (found[clew, 1].cpu - found[clew, 0].cpu) / contexts
    return (native * 1e9, (counted - native) * 1e9, (new - native) * 1e9,
            found[clew, 1])


def bench(rounds):
    rows = []
    for clew, depth in [(ALL, depth) for depth in DEPTHS] + [
            (CLEW_TOOL, DEPTHS[-1])]:
        native, walk, new, once = added_ns(clew, depth, 1, rounds)
        _, near, *_ = added_ns(clew, depth, AGAIN, rounds)
        contexts, _ = sums_of(once)
        rows.append([f"{contexts:,}" + ("" if clew is ALL else ", folded"),
                     f"{native:.2f}", f"+{near:.2f}",
                     f"+{walk:.2f}", f"+{new:.0f}", f"{once.scratch_bytes / 2**20:.1f} MiB",
                     f"{once.scratch_bytes / contexts:.0f}"])
    return table(["contexts", "native ns per call",
                  f"clew adds, each visited {AGAIN} times in a row",
                  "clew adds, never twice in a row",
                  "clew adds, in a new context", "recording",
                  "bytes per context"], rows)
