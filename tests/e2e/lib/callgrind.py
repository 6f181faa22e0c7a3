# SPDX-License-Identifier: MIT
"""Runs callgrind and counts calls by the addresses of both ends.

The tests need only a part of callgrind's file format. Each record names the
object (ob=, and cob= for the callee's). With --dump-instr=yes callgrind writes
each call's destination and, on the line below, the instruction that called.
Both are addresses in the object's own numbering:

    ob=/usr/bin/caller
    cob=/usr/lib/callee.so
    calls=COUNT DESTINATION
    SITE COST

callgrind treats a jump to another symbol's code as a call also. The destination
of a tail call is the function's first instruction; jumps back from a .cold
part, which are no calls, have other destinations.
"""
import collections

OPTIONS = ["--tool=callgrind", "--dump-instr=yes", "--dump-line=no",
           "--compress-strings=no", "--compress-pos=no", "--quiet"]

# Each end is (module name, vaddr).
Edge = collections.namedtuple("Edge", "site callee")


def command(output, argv):
    return ["valgrind", *OPTIONS, f"--callgrind-out-file={output}", *argv]


def edges(path):
    """Returns {Edge: calls}."""
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
    """Returns {(module name, vaddr of the callee): calls} from {Edge:
    calls}."""
    counts = collections.Counter()
    for edge, count in simulated.items():
        counts[edge.callee] += count
    return counts
