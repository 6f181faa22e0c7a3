# SPDX-License-Identifier: MIT
"""Edges of the call graph with call sites, as clew recorded and callgrind
simulated them.

Both sides are converted to a common form. A function or a place in code is
(module name, vaddr); the call site is the return address:

    calls[callee][caller] = {place: At}     by call instructions
    tails[callee] = calls                   by jumps

callgrind's caller is the function that contains the call instruction; clew's is
the innermost hooked function. These are equal if the instruction belongs to a
hooked function. Code that is not hooked may also call a function: libc's
qsort() calls a comparison, and ld.so calls a constructor. callgrind cannot
determine the hooked callers of such calls; these functions are `strays`.
"""
import bisect
import collections
import dataclasses
import struct

from lib import wire
from lib.simulation import key_of

PREFIXES = b"\x26\x2e\x36\x3e\x64\x65\x66\x67\xf2\xf3"
NO_SYMBOLS = "???"  # callgrind's object for code without symbols
NO_PLACE = NO_SYMBOLS, 0


@dataclasses.dataclass
class At:
    """Calls of one callee by one caller from one place."""
    calls: int = 0
    contexts: int = 0  # clew: contexts with this place
    tailed: int = 0  # those with tail calls also


def tables():
    """Returns empty tables for calls and for tail calls."""
    return (collections.defaultdict(
        lambda: collections.defaultdict(
            lambda: collections.defaultdict(At))), collections.Counter())


def call_bytes(code):
    """Returns the length of the call instruction at the start of `code`, or
    0."""
    at = 0
    while code[at] in PREFIXES or code[at] >> 4 == 4:  # 0x4?: a REX prefix
        at += 1
    if code[at] == 0xe8:  # call rel32
        return at + 5
    if code[at] != 0xff or code[at + 1] >> 3 & 7 != 2:  # call r/m64
        return 0
    mode, base = code[at + 1] >> 6, code[at + 1] & 7
    length = at + 2
    if mode != 3 and base == 4:  # a SIB byte contains the base
        base = code[length] & 7
        length += 1
    if mode == 0 and base == 5:  # no base, or rip: a 32-bit displacement
        mode = 2
    return length + (0, 1, 4, 0)[mode]


class Image:
    """Functions and code of a module by vaddr."""
    SEGMENT = struct.Struct("<IIQQQQQQ")
    LOADED = 1

    def __init__(self, module, path):
        self.functions = sorted(module.functions, key=lambda f: f.vaddr)
        self.starts = [function.vaddr for function in self.functions]
        self.data = path.read_bytes()
        (at,) = struct.unpack_from("<Q", self.data, 32)
        (count,) = struct.unpack_from("<H", self.data, 56)
        self.segments = [self.SEGMENT.unpack_from(
            self.data, at + i * self.SEGMENT.size) for i in range(count)]

    def call_bytes(self, vaddr):
        for kind, _, offset, start, _, size, *_ in self.segments:
            if kind == self.LOADED and start <= vaddr < start + size:
                at = vaddr - start + offset
                return call_bytes(self.data[at:at + 16])
        raise ValueError(f"{vaddr:#x} is in no segment")

    def function_at(self, vaddr):
        index = bisect.bisect(self.starts, vaddr) - 1
        if index < 0:
            return None
        function = self.functions[index]
        return function if vaddr < function.vaddr + function.size else None


def without_linkage(simulated):
    """Moves calls through .plt.got to their final callees.

    callgrind has no symbols for .plt.got; it does this itself for .plt.
    """
    targets = collections.defaultdict(set)
    callees = {callee for _, callee in simulated}
    for site, callee in simulated:
        if site[0] == NO_SYMBOLS and site in callees:
            targets[site].add(callee)
    led = collections.Counter()
    for (site, callee), calls in simulated.items():
        if len(targets[callee]) == 1:
            (callee,) = targets[callee]
        elif len(targets[site]) == 1:
            continue
        led[site, callee] += calls
    return led


class Simulated:
    """Edges of the hooked functions in `keys`, from callgrind's result."""

    def __init__(self, simulated, images, keys):
        self.calls, self.tails = tables()
        self.totals = collections.Counter()
        self.strays = set()
        self.returns = set()  # return addresses of all call instructions
        for (site, callee), calls in without_linkage(simulated).items():
            name, vaddr = site
            function, length = None, 0
            if name in images:
                function = images[name].function_at(vaddr)
                length = images[name].call_bytes(vaddr)
            place = name, vaddr + length
            if length:
                self.returns.add(place)
            if callee in keys:
                self._add(function, length and place, callee, calls, keys)

    def _add(self, function, place, callee, calls, keys):
        """Adds calls of `callee`; `function` contains the call site, if any. A
        call without a place is a jump."""
        caller = function and key_of(function)
        if caller == callee and function.loops and not place:
            # clew takes such jumps for loops, and reports the function as in
            # doubt
            return
        self.totals[callee] += calls
        if caller not in keys:
            self.strays.add(callee)
        elif place:
            self.calls[callee][caller][place].calls += calls
        else:
            self.tails[callee] += calls


class Recorded:
    """Edges from clew's recording."""

    def __init__(self, part):
        self.calls, self.tails = tables()
        self.totals = collections.Counter()
        contexts = part.contexts()
        totals, tails = part.counts(), part.tail_counts()
        for context in contexts.values():
            callee = key_of(part.functions[context.function])
            above = contexts.get(context.parent)
            caller = above and key_of(part.functions[above.function])
            total, tail = totals[context.id], tails[context.id]
            self.totals[callee] += total
            self.tails[callee] += tail
            if total > tail:
                at = self.calls[callee][caller][self._place(part, context)]
                at.calls += total - tail
                at.contexts += 1
                at.tailed += tail > 0

    def _place(self, part, context):
        pc = context.site & wire.SITE_PC
        for module in part.modules:
            if module.vaddr_start <= pc - module.base < module.vaddr_end:
                return module.name, pc - module.base
        return NO_SYMBOLS, pc
