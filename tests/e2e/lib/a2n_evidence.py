# SPDX-License-Identifier: MIT
"""Explains differences between tools by the DWARF that libdwarf reads at an
address.

A class of differences is a predicate of (evidence, ours, theirs, say). The
predicate checks for the cause of the difference, not only for its outcome. The
cause is either in the DWARF as read by libdwarf (dwarf_truth.c) or in the other
tool, which `say([address])` runs again.
"""
import os

from lib import a2n_truth, clewtest

TOOL = clewtest.BUILD / "tests" / "e2e" / "dwarf_truth"
UNKNOWN = ("??", 0)


def place(file, line):
    """Returns the normalized place; line 0 means that there is none, whatever
    the file."""
    return (os.path.normpath(file), line) if line else UNKNOWN


def places(frames):
    return [place(file, line) for _, file, line in frames]


class Row:
    """A row of a line table. Stores the file's number also, and the files that
    it would denote if file numbers began at 0 or at 1."""

    def __init__(self, file, line):
        self.place = place(file, line)
        self.number, self.first_files = None, None

    def place_in(self, number):
        return place(self.first_files[number], self.place[1])


class Evidence:
    """The DWARF at one address: usually one unit, one row and one chain."""

    def __init__(self, address):
        self.address = address
        self.units = []  # DWARF versions
        self.rows = []
        self.chains = []  # [[(name, call site)]], innermost first

    def answers(self, rows=None):
        """Returns all (places, names of inlined calls) that follow from this
        evidence."""
        found = set()
        for chain in self.chains or [[]]:
            calls = tuple(where for _, where in chain[:-1])
            names = tuple(name for name, _ in chain[:-1])
            for row in rows or [r.place for r in self.rows] or [UNKNOWN]:
                found.add(((row, *calls), names))
        return found


def read(path, addresses):
    """Returns the evidence for addresses in ascending order."""
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
    """Returns whether the DWARF gives this answer. The outermost name is
    ignored, as it comes from the symbol table."""
    said = (tuple(places(frames)), tuple(name for name, _, _ in frames[:-1]))
    return said in evidence.answers(rows)


def first_file_rows(evidence, ours):
    """Returns the rows before the first DW_LNS_set_file of a sequence that
    yield our answer.

    The standard defines 1 as the initial value of the file register in all
    versions, and LLVM follows it. binutils and libdwarf start at 0 in version
    5.
    """
    if 5 not in evidence.units:
        return []
    return [row for row in evidence.rows if row.number == 0
            and places(ours)[0] == row.place_in(1)
            and is_answer(evidence, ours, [row.place_in(1)])]


def is_libdwarfs(evidence, ours, llvm):
    """Returns whether libdwarf agrees; for the file register, whether LLVM
    does."""
    return is_answer(evidence, ours) or (
        places(ours) == places(llvm)
        and bool(first_file_rows(evidence, ours)))


# The classes of differences.

def by_file_register(evidence, ours, theirs, say):
    """The other tool starts the file register at 0; see first_file_rows()."""
    del say
    return (places(ours)[1:] == places(theirs)[1:]
            and any(places(theirs)[0] == row.place_in(0)
                    for row in first_file_rows(evidence, ours)))


def between_units(evidence, ours, theirs, say):
    """A line table covers padding that no unit covers; other tools look for the
    unit first."""
    del say
    return (not evidence.units and bool(evidence.rows)
            and not evidence.chains and is_answer(evidence, ours)
            and set(places(theirs)) == {UNKNOWN})


def by_what_was_asked_before(evidence, ours, theirs, say):
    """addr2line's caches sometimes lose a chain that it finds in a new
    process."""
    del theirs
    return (is_answer(evidence, ours)
            and places(say([evidence.address])[0]) == places(ours))


LLVM = (between_units,)
GNU = (by_file_register, between_units, by_what_was_asked_before)
