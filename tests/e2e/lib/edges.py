# SPDX-License-Identifier: MIT
"""Who calls whom, from where: what clew recorded, what callgrind simulated.

Both sides are brought to the same terms. Functions and places in code are
(module name, vaddr); the place of a call is where it returns to:

    calls[callee][caller] = {place: At}     by call instructions
    tails[callee] = calls                   by jumps

callgrind's caller is the function that the call instruction is in, clew's the
innermost hooked function. They are the same thing where that instruction
belongs to a hooked function. A callee that is also entered from other code -
libc's qsort() calls a comparison, ld.so a constructor - has calls whose caller
callgrind cannot know; such callees are `strays`.
"""
import bisect
import collections
import dataclasses
import struct

from lib import wire
from lib.simulation import key_of

PREFIXES = b"\x26\x2e\x36\x3e\x64\x65\x66\x67\xf2\xf3"
NO_SYMBOLS = "???"  # callgrind's object for what it has no symbols of


@dataclasses.dataclass
class At:
    """What one caller calls one callee from one place."""
    calls: int = 0
    contexts: int = 0  # clew: with this place
    tailed: int = 0    # of these, with tail calls, too


def tables():
    """Empty ones, for calls and for tails."""
    return (collections.defaultdict(
        lambda: collections.defaultdict(
            lambda: collections.defaultdict(At))), collections.Counter())


def call_bytes(code):
    """The length of the call instruction that `code` begins with, or 0."""
    at = 0
    while code[at] in PREFIXES or code[at] >> 4 == 4:  # 0x4?: REX
        at += 1
    if code[at] == 0xe8:  # call rel32
        return at + 5
    if code[at] != 0xff or code[at + 1] >> 3 & 7 != 2:  # call r/m64
        return 0
    mode, base = code[at + 1] >> 6, code[at + 1] & 7
    length = at + 2
    if mode != 3 and base == 4:  # another byte says what is the base
        base = code[length] & 7
        length += 1
    if mode == 0 and base == 5:  # none, or rip: 32 bits instead
        mode = 2
    return length + (0, 1, 4, 0)[mode]


class Image:
    """A module's functions and code by vaddr."""
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
    """Leads calls by way of .plt.got, in which callgrind sees code without
    symbols, to where its jumps go; it does so with .plt itself."""
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
    """callgrind's side: of the functions in `keys`, those that are hooked."""

    def __init__(self, simulated, images, keys):
        self.calls, self.tails = tables()
        self.totals = collections.Counter()
        self.strays = set()
        self.returns = set()  # the place behind each call instruction
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
        """`function`: that the caller's code belongs to, if to any. No place:
        it jumps."""
        caller = function and key_of(function)
        if caller == callee and function.loops and not place:
            return  # loops, which clew says it takes such jumps for
        self.totals[callee] += calls
        if caller not in keys:
            self.strays.add(callee)
        elif place:
            self.calls[callee][caller][place].calls += calls
        else:
            self.tails[callee] += calls


class Recorded:
    """clew's side."""

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
