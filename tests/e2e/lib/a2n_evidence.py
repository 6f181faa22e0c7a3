# SPDX-License-Identifier: MIT
"""What libdwarf reads at addresses, and by that why tools differ.

A class of differences is a predicate of (evidence, ours, theirs, say), which
looks for the cause, not for the outcome: in the DWARF as libdwarf has it
(dwarf_truth.c), or by asking the other tool again, say([address]).
"""
import os

from lib import a2n_truth, clewtest

TOOL = clewtest.BUILD / "tests" / "e2e" / "dwarf_truth"
UNKNOWN = ("??", 0)


def place(file, line):
    """Line 0 means that there is none, whatever the file."""
    return (os.path.normpath(file), line) if line else UNKNOWN


def places(frames):
    return [place(file, line) for _, file, line in frames]


class Row:
    """Of a line table. Its file is also given by number, and as what it would
    be if that were 0 or 1."""

    def __init__(self, file, line):
        self.place = place(file, line)
        self.number, self.first_files = None, None

    def place_in(self, number):
        return place(self.first_files[number], self.place[1])


class Evidence:
    """Of one address; usually one of each."""

    def __init__(self, address):
        self.address = address
        self.units = []   # versions
        self.rows = []
        self.chains = []  # [[(name, place of the call)]], innermost first

    def answers(self, rows=None):
        """All (places, names of inlined calls) that can be made of it."""
        found = set()
        for chain in self.chains or [[]]:
            calls = tuple(where for _, where in chain[:-1])
            names = tuple(name for name, _ in chain[:-1])
            for row in rows or [r.place for r in self.rows] or [UNKNOWN]:
                found.add(((row, *calls), names))
        return found


def read(path, addresses):
    """Evidence of addresses in ascending order."""
    found = []
    for line in a2n_truth.run([TOOL, path], addresses).splitlines():
        kind, *fields = line.split("\t")
        if kind == "@":
            found.append(Evidence(int(fields[0], 16)))
            continue
        one = found[-1]
        if kind == "u":
            one.units.append(int(fields[0]))
        elif kind == "r":
            one.rows.append(Row(fields[0], int(fields[1])))
        elif kind == "z":
            one.rows[-1].number = int(fields[0])
            one.rows[-1].first_files = fields[1:]
        elif kind == "c":
            one.chains.append([])
        elif kind == "f":
            one.chains[-1].append((fields[0],
                                   place(fields[1], int(fields[2]))))
    return found


def is_answer(evidence, frames, rows=None):
    """Whether this is what the DWARF says; of the outermost name it is not
    asked, which is the symbol table's."""
    said = (tuple(places(frames)), tuple(name for name, _, _ in frames[:-1]))
    return said in evidence.answers(rows)


def first_file_rows(evidence, ours):
    """The rows before the first DW_LNS_set_file of a sequence, of which ours
    are an answer.

    The standard has the register begin at 1 in all versions, and so has LLVM;
    binutils and libdwarf let it begin at 0 in version 5.
    """
    if 5 not in evidence.units:
        return []
    return [row for row in evidence.rows if row.number == 0
            and places(ours)[0] == row.place_in(1)
            and is_answer(evidence, ours, [row.place_in(1)])]


def is_libdwarfs(evidence, ours, llvm):
    """Whether libdwarf reads the same; of the file register, LLVM."""
    return is_answer(evidence, ours) or (
        places(ours) == places(llvm)
        and bool(first_file_rows(evidence, ours)))


# The classes.

def by_file_register(evidence, ours, theirs, say):
    """See first_file_rows()."""
    del say
    return (places(ours)[1:] == places(theirs)[1:]
            and any(places(theirs)[0] == row.place_in(0)
                    for row in first_file_rows(evidence, ours)))


def between_units(evidence, ours, theirs, say):
    """Padding that a line table has, but no unit: others ask units first."""
    del say
    return (not evidence.units and bool(evidence.rows)
            and not evidence.chains and is_answer(evidence, ours)
            and set(places(theirs)) == {UNKNOWN})


def by_what_was_asked_before(evidence, ours, theirs, say):
    """addr2line's caches at times lose a chain that it knows by itself."""
    del theirs
    return (is_answer(evidence, ours)
            and places(say([evidence.address])[0]) == places(ours))


LLVM = (between_units,)
GNU = (by_file_register, between_units, by_what_was_asked_before)
