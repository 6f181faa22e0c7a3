# SPDX-License-Identifier: MIT
"""A reader of packets (wire/packet.h) that is independent of clew; counts their
calls."""
import pathlib
import struct

PACKET, BLOCKS = 35, 36
INDEX, PLACE_SHIFT, BLOCK_LOG2 = 0x3fffff, 22, 10
ODD, BEGIN, TAIL, STAMP, MOMENT, RETURN = 0x3f0000, 1, 2, 3, 4, 5
SITE, SITES, VALUE, LEFT, TAIL_BELOW, TAIL_OUT = 6, 7, 8, 9, 10, 11
ELSEWHERE = 0xffffffff
BEGIN_WORDS, BEGIN_END = 10, 0x646e6521
KEY, MULTIPLIER = 0x9e3779b1, 0xd1342543de82ef95
INVERSE, WORD = 0x572b5ee77a54e3bd, (1 << 64) - 1


def key(function):
    low = function * KEY & 0xffffffff
    return low | 0xffffffff00000000 if low >> 31 else low


def push(caller, function):
    rotated = (caller << 29 | caller >> 35) & WORD
    return (rotated + key(function)) * MULTIPLIER & WORD


def pop(callee, function):
    word = (callee * INVERSE - key(function)) & WORD
    return (word << 35 | word >> 29) & WORD


class Counts:
    """Counts of one tally: {id: calls}, {id: tail calls}, {id: function}."""

    def __init__(self):
        self.calls, self.tails, self.functions = {}, {}, {}
        self.stamps = self.returns = 0
        self.gaps = []  # ticks between stamps without a context in between

    def count(self, name, function, is_tail):
        self.functions[name] = function
        self.calls[name] = self.calls.get(name, 0) + 1
        if is_tail:
            self.tails[name] = self.tails.get(name, 0) + 1

    def add(self, name, calls, tails, function):
        self.functions[name] = function
        if calls:
            self.calls[name] = self.calls.get(name, 0) + calls
        if tails:
            self.tails[name] = self.tails.get(name, 0) + tails


class Taken:
    """The counts that workers took from packets during the run
    (wire/taken.h)."""

    def __init__(self, path):
        self.packets, self.counts, self.taken = {}, [], 0
        if not path.exists():
            return
        data = path.read_bytes()
        magic, _, head, _, _, _, _, packets, counts, self.taken, self.calls = \
            struct.unpack_from("<8s6I4Q", data)
        if magic != b"clewtkn\n":
            raise ValueError("not of workers")
        self.packets = dict(struct.unpack_from("<QQ", data, head + 16 * i)
                            for i in range(packets))
        self.counts = [struct.unpack_from("<QQQII", data,
                                          head + 16 * packets + 32 * i)
                       for i in range(counts)]

    def has(self, offset, payload):
        low, high = struct.unpack_from("<II", payload, 8)
        return self.packets.get(offset, 0) >= (low | high << 32)


class Trace:
    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        taken = Taken(pathlib.Path(path).with_suffix(".taken"))
        at, (end,) = 4096, struct.unpack_from("<Q", data, 16)
        self.tallies, self.blocks, self.packets = {}, [], 0
        self.depths = {}  # depth of calls, by function
        self.known = {}  # ids of known contexts
        self.words = self.calls = self.contexts = self.holes = 0
        while at < end:
            kind, owner, size = struct.unpack_from("<IIQ", data, at)
            payload = data[at + 64:at + size]
            if kind == BLOCKS:
                count, = struct.unpack_from("<I", payload)
                self.blocks = struct.unpack_from(f"<{count}I", payload, 8)
                self.taken_back, = struct.unpack_from("<Q", payload, 16152)
                self.counted, self.handed_over, self.waits, self.waited_ns, \
                    self.filled, _, _, _, self.given_up = \
                    struct.unpack_from("<4Q5I", payload, 16168)
            elif kind == PACKET and not taken.has(at, payload):
                self._read(self.tallies.setdefault(owner, Counts()), payload)
            at += size
        self.taken = taken.taken
        for name, calls, tails, owner, function in taken.counts:
            self.tallies.setdefault(owner, Counts()).add(name, calls, tails,
                                                         function)
            self.calls += calls

    def _read(self, counts, payload):
        count = (len(payload.rstrip(b"\0")) + 3) // 4
        words = struct.unpack_from(f"<{count}I", payload)
        self.words += len(words)
        self.packets += 1
        stack, at, tsc = None, 0, 0  # ids and places, innermost last
        while at < len(words):
            word = words[at]
            if word == 0:
                self.holes += 1
                at += 1
                continue
            if word & INDEX < ODD:
                self._call(counts, stack, word)
                at += 1
                continue
            kind, size = word >> PLACE_SHIFT, word & 0xffff
            if kind == BEGIN:
                stack = self._context(counts, words[at:at + size])
                tsc = 0
            elif kind in (TAIL, TAIL_BELOW, TAIL_OUT):
                self._call(counts, stack, words[at + 1], kind)
            elif kind == STAMP:
                counts.stamps += 1
                now = words[at + 1] | words[at + 2] << 32
                if tsc:
                    counts.gaps.append(now - tsc)
                tsc = now
            elif kind == RETURN:
                counts.returns += 1
                self._return(stack, words[at + 1])
            elif kind == LEFT:
                while stack[-1][1] < words[at + 1]:
                    stack.pop()
            elif kind in (MOMENT, SITE, SITES, VALUE):
                pass
            else:
                raise ValueError(f"word {word:#x}")
            at += size

    def _context(self, counts, words):
        if words[-1] != BEGIN_END or \
                len(words) != BEGIN_WORDS + 2 * words[9] + 1:
            raise ValueError("half of a context")
        self.contexts += 1
        name = words[6] | words[7] << 32
        functions = words[BEGIN_WORDS:BEGIN_WORDS + words[9]]
        places = words[BEGIN_WORDS + words[9]:-1]
        known = self.known.get((name, functions))
        if known is None:
            known = self.known[name, functions] = [name]
            for function in functions:
                name = pop(name, function)
                known.append(name)
            known.reverse()
        for name, function in zip(known[:0:-1], functions):
            if counts.functions.setdefault(name, function) != function:
                raise ValueError("two functions for one id")
        return list(zip(known, (1 << 32,) + places[::-1]))

    @staticmethod
    def _return(stack, place):
        """Pops the function of this slot, and those that entered it from the
        slot by tail calls."""
        places = [place for _, place in stack]
        if place not in places[1:]:
            return
        places.reverse()
        del stack[-1 - places.index(place):]
        while place != ELSEWHERE and stack[-1][1] == place:
            stack.pop()

    def _call(self, counts, stack, word, tail=None):
        place = word >> PLACE_SHIFT
        while stack[-1][1] < place:
            stack.pop()
        index = word & INDEX
        function = (self.blocks[index >> BLOCK_LOG2] - 1) << BLOCK_LOG2 | \
            index & (1 << BLOCK_LOG2) - 1
        slot = [each for each in stack if each[1] == place]
        stays = {TAIL_BELOW: len(slot), TAIL_OUT: 1}.get(tail, 0)
        del stack[len(stack) - len(slot) + min(stays, len(slot)):]
        name = push(stack[-1][0], function)
        stack.append((name, place))
        counts.count(name, function, tail is not None)
        self.depths.setdefault(function, set()).add(len(stack))
        self.calls += 1
