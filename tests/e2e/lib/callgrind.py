# SPDX-License-Identifier: MIT
"""Runs callgrind and counts calls by the addresses of both ends.

Of callgrind's file format we need little: it names the object (ob=, cob= for
the callee's) and with --dump-instr=yes each call's destination and, on the
line below, the instruction that called, as addresses of the object's own
numbering:

    ob=/usr/bin/caller
    cob=/usr/lib/callee.so
    calls=COUNT DESTINATION
    SITE COST

To callgrind a jump to another symbol's code is a call as well. A tail call
has the function's first instruction for its destination; jumps back from a
.cold part, which are no calls, have another.
"""
import collections

OPTIONS = ["--tool=callgrind", "--dump-instr=yes", "--dump-line=no",
           "--compress-strings=no", "--compress-pos=no", "--quiet"]

# Each end is (module name, vaddr).
Edge = collections.namedtuple("Edge", "site callee")


def command(output, argv):
    return ["valgrind", *OPTIONS, f"--callgrind-out-file={output}", *argv]


def edges(path):
    """{Edge: calls}."""
    counts = collections.Counter()
    caller = callee = ""
    called = None
    with open(path, encoding="utf-8") as file:
        for line in file:
            if called:
                (destination, count), called = called, None
                site = caller, int(line.split()[0], 0)
                counts[Edge(site, destination)] += count
            elif line.startswith("ob="):
                caller = callee = line[3:-1].rsplit("/", 1)[-1]
            elif line.startswith("cob="):
                callee = line[4:-1].rsplit("/", 1)[-1]
            elif line.startswith("calls="):
                count, destination = line[6:].split()[:2]
                called = (callee, int(destination, 0)), int(count)
                callee = caller
    return counts


def calls(simulated):
    """{(module name, vaddr called): calls} of {Edge: calls}."""
    counts = collections.Counter()
    for edge, count in simulated.items():
        counts[edge.callee] += count
    return counts
