# SPDX-License-Identifier: MIT
"""Runs callgrind and counts calls by the address that was called.

Of callgrind's file format we need little: it names the object (ob=, cob= for
the callee's) and with --dump-instr=yes each call's destination, as an address
of the object's own numbering:

    ob=/usr/bin/caller
    cob=/usr/lib/callee.so
    calls=COUNT DESTINATION

To callgrind a jump to another symbol's code is a call as well. A tail call
has the function's first instruction for its destination; jumps back from a
.cold part, which are no calls, have another.
"""
import collections

OPTIONS = ["--tool=callgrind", "--dump-instr=yes", "--dump-line=no",
           "--compress-strings=no", "--compress-pos=no", "--quiet"]


def command(output, argv):
    return ["valgrind", *OPTIONS, f"--callgrind-out-file={output}", *argv]


def calls(path):
    """{(module name, vaddr called): calls}."""
    counts = collections.Counter()
    caller = callee = ""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("ob="):
                caller = callee = line[3:-1].rsplit("/", 1)[-1]
            elif line.startswith("cob="):
                callee = line[4:-1].rsplit("/", 1)[-1]
            elif line.startswith("calls="):
                count, destination = line[6:].split()[:2]
                counts[callee, int(destination, 0)] += int(count)
                callee = caller
    return counts
