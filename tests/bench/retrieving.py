# SPDX-License-Identifier: MIT
"""Measures how long an agent takes to get the context of an event, as contexts become known.

The agent gets the id first. Each slice has twice as many events as the slice before.
The time of the same events without a request for a context is subtracted: from a run
with clew for ids, from a native run for unwinders. The plot is stored in the build
directory as retrieving.svg (bench/results has one).
"""
import math
import re
import statistics

from measure import BENCH, BUILD, CLEW, NATIVE, Tool, run, table

RECORDED = Tool("clew", lambda argv, scratch: [
    CLEW, "record", "--time=none", "-o", scratch / "clew.out", "--", *argv],
    CLEW)
WAYS = {"ids": (RECORDED, 13, "the id first"),
        "libunwind": (NATIVE, 11, "libunwind, each"),
        "libgcc": (NATIVE, 10, "backtrace(), each")}
COLOURS = {"ids": "#c0392b", "libunwind": "#2471a3", "libgcc": "#7d8471"}
DEPTHS = 10, 20, 40, 60
LEAST = .5  # in ns; smaller values are drawn at this value


def slices(tool, how, count, depth=20):
    """Returns ([(events, new contexts, ns)], the program's line about verification)."""
    said = run(tool, [BENCH / "retrieving", how, str(count),
                      str(depth)]).output
    return [(int(m[1]), int(m[2]), float(m[3])) for m in
            re.finditer(r"(?m)^(\d+) (\d+) (-?[\d.]+)$", said)], \
        said.splitlines()[-1]


def measured(rounds):
    """Returns ({method: [(events, share of events in new contexts, ns)]}, a bound)."""
    found, bound = {how: [] for how in WAYS}, ""
    for _ in range(rounds):
        for how, (tool, count, _) in WAYS.items():
            found_slices, said = slices(tool, how, count)
            found[how].append([(events, new / events, ns)
                               for events, new, ns in found_slices])
            bound = said if how == "ids" else bound
    return {how: [(one[0][0], one[0][1],
                   statistics.median(ns for _, _, ns in one))
                  for one in zip(*all_rounds)]
            for how, all_rounds in found.items()}, bound


def by_depth(rounds):
    """Returns a table of the time for the last slice of events, by stack depth."""
    rows = []
    for depth in DEPTHS:
        ns = {how: statistics.median(slices(tool, how, 10, depth)[0][-1][2]
                                     for _ in range(rounds))
              for how, (tool, _, _) in WAYS.items()}
        rows.append([depth + 2, *(f"{ns[how]:,.0f}" for how in WAYS),
                     f"{ns['libunwind'] / ns['ids']:.0f}x"])
    return table(["functions deep", "the id first, ns", "libunwind, each",
                  "backtrace(), each", "libunwind is"], rows)


def svg(found):
    """Returns the plot as SVG; both axes are logarithmic."""
    def x(events):
        return 70 + 40 * math.log2(events / 256)

    def y(ns):
        return 300 - 62 * math.log10(max(ns, LEAST))

    lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 370" '
             'font-family="sans-serif" font-size="12">',
             '<rect width="680" height="370" fill="white"/>']
    for power in range(5):
        lines.append(f'<path d="M70 {y(10**power):.0f}H560" stroke="#ddd"/>'
                     f'<text x="62" y="{y(10**power) + 4:.0f}" '
                     f'text-anchor="end">{10**power:,} ns</text>')
    for power in range(8, 21, 2):
        lines.append(f'<text x="{x(2**power):.0f}" y="338" '
                     f'text-anchor="middle">{2**power:,}</text>')
    lines.append('<text x="315" y="360" text-anchor="middle">'
                 'event of the run</text>')
    for how, points in found.items():
        path = " ".join(f"{x(events):.0f},{y(ns):.0f}"
                        for events, _, ns in points)
        last = points[-1]
        lines += [f'<polyline points="{path}" fill="none" stroke-width="2" '
                  f'stroke="{COLOURS[how]}"/>',
                  f'<text x="{x(last[0]) + 6:.0f}" y="{y(last[2]) + 4:.0f}" '
                  f'fill="{COLOURS[how]}">{WAYS[how][2]}</text>']
    return "\n".join([*lines, "</svg>", ""])


def bench(rounds):
    if not (BENCH / "retrieving").exists():
        return "libunwind is not here"
    found, bound = measured(rounds)
    (BUILD / "retrieving.svg").write_text(svg(found), encoding="utf-8")
    rows = []
    for i, (events, new, ns) in enumerate(found["ids"]):
        others = [found[how][i][2] if i < len(found[how]) else None
                  for how in ("libunwind", "libgcc")]
        rows.append([f"{events:,}", f"{100 * new:.2f} %", f"{ns:,.1f}",
                     *("-" if other is None else f"{other:,.0f}"
                       for other in others)])
    return table(["the next ... events", "in new contexts", "ns: the id first",
                  "libunwind, each", "backtrace(), each"], rows) + \
        f"\n\nCalls: {bound}.\n\n" + by_depth(rounds)
