# SPDX-License-Identifier: MIT
"""A second decoder of packed counts, written from the comments in wire/packed.h.

It takes and returns the bytes of a part, and calls zstd in libzstd.
"""
import ctypes
import ctypes.util
import struct

from lib import wire

COLUMNS = 8
(SIZES, CALLERS, FUNCTIONS, DEPTHS, SITES, CALLS, TIMES, ODDS) = range(COLUMNS)
HEADER_VERSION_AT, HEADER_END_AT = 8, 16
TIMES_BYTES = 64


def _decompress(frame, size):
    zstd = ctypes.CDLL(ctypes.util.find_library("zstd"))
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(size + 1)
    got = zstd.ZSTD_decompress(out, ctypes.c_size_t(size), bytes(frame),
                               ctypes.c_size_t(len(frame)))
    if got != size:
        raise ValueError("the frame does not have the size of the columns")
    return out.raw[:size]


def _zigzag(number):
    return number >> 1 ^ -(number & 1)


class Column:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def raw(self, size):
        self.at += size
        return self.data[self.at - size:self.at]


class Unpacking:
    def __init__(self, data, columns, has_times):
        self.data, self.columns, self.has_times = data, columns, has_times
        self.sites, self.site = {}, 0

    def number(self, column):
        return self.columns[column].number()

    def odd(self):
        return int.from_bytes(self.columns[ODDS].raw(8), "little")

    def _site(self, function, caller):
        mixed = ((function ^ caller * 0x85ebca6b) & 0xffffffff) * \
            0x9e3779b1 & 0xffffffff
        index = mixed >> (32 - wire.PACKED_SITES_LOG2)
        if self.number(SITES):
            self.site = (self.site + _zigzag(self.number(SITES))) & wire.MASK
            self.sites[index] = self.site
        return self.sites.get(index, 0)

    def contexts(self, known, at):
        """Fills a chunk at this offset, and adds its contexts to the known."""
        for _ in range(self.number(SIZES)):
            back = self.number(CALLERS)
            caller = known[-back] if back else None
            above = caller[0] if caller else self.odd()
            function = (known.function + _zigzag(self.number(FUNCTIONS))) & \
                0xffffffff
            depth = ((caller[3] if caller else 0) + 1 +
                     _zigzag(self.number(DEPTHS))) & 0xffffffff
            site = self._site(function, caller[2] if caller else 0)
            name = wire.id_push(above, function)
            if site >> 63:
                name ^= wire.MASK
            known.function = function
            known.append((name, site, function, depth))
            wire.CONTEXT.pack_into(self.data, at, *known[-1])
            at += wire.CONTEXT.size

    def _count(self, table, mask, name, calls):
        entry = name >> 4 & mask
        while wire.COUNT.unpack_from(self.data,
                                     table + entry * wire.COUNT.size)[0]:
            entry = (entry + 1) & mask
        wire.COUNT.pack_into(self.data, table + entry * wire.COUNT.size, name,
                             calls)
        if self.has_times:
            at = table - (entry + 1) * TIMES_BYTES
            self.data[at:at + TIMES_BYTES] = \
                self.columns[TIMES].raw(TIMES_BYTES)

    def table(self, known, table, mask):
        for name, *_ in known:
            code = self.number(CALLS)
            if code:
                self._count(table, mask, name, code - 1)
        for _ in range(self.number(CALLS)):
            calls = self.number(CALLS)
            self._count(table, mask, self.odd(), calls)


class Known(list):
    """The contexts of a tally so far, and the function of the last one that
    was packed."""
    function = 0


def _chunks(data):
    """Yields (kind, owner, offset, size, used bytes) of each chunk."""
    at, end = (struct.unpack_from("<I", data, 12)[0],
               struct.unpack_from("<Q", data, HEADER_END_AT)[0])
    while at < end:
        kind, owner, size, used = wire.CHUNK.unpack_from(data, at)
        yield kind, owner, at, size, used
        at += size


def _unpack_tally(unpacking, chunks, tally):
    """Unpacks what belongs to the TALLY chunk at this offset."""
    data = unpacking.data
    payload = tally + wire.CHUNK.size
    own = data[payload + wire.TALLY_HEAD.size:tally + wire.TALLY_TABLE_OFFSET]
    own = own[:len(own) // wire.CONTEXT.size * wire.CONTEXT.size]
    known = Known(record for record in wire.CONTEXT.iter_unpack(bytes(own))
                  if record[0])
    known.function = known[-1][2] if known else 0
    for kind, _, at, _, _ in chunks:
        if kind == wire.CONTEXTS:
            unpacking.contexts(known, at + wire.CHUNK.size)
    for ref in struct.unpack_from("<QQ", data, payload):
        offset, entries = ref & ~63, 1 << (ref & 63)
        if ref and any(kind == wire.TABLE and at < offset < at + size
                       for kind, _, at, size, _ in chunks):
            unpacking.table(known, offset, entries - 1)


def unpack(data):
    """Returns a part without packed counts as it was before it was packed,
    except for the places of entries in their tables."""
    data = bytearray(data)
    chunks = list(_chunks(data))
    _, _, at, _, used = chunks.pop()
    start = at + wire.CHUNK.size
    sizes = struct.unpack_from(f"<{COLUMNS}Q", data, start)
    bytes_ = _decompress(data[start + 8 * COLUMNS:start + used], sum(sizes))
    columns = []
    for size in sizes:
        columns.append(Column(bytes_[:size]))
        bytes_ = bytes_[size:]
    has_times = wire.HEADER.unpack_from(data)[wire.HEADER_TIME] == \
        wire.TIME_EXACT
    unpacking = Unpacking(data, columns, has_times)
    for owner in sorted({chunk[1] for chunk in chunks
                         if chunk[0] == wire.TALLY}):
        own = [chunk for chunk in chunks if chunk[1] == owner]
        tally = next(chunk[2] for chunk in own if chunk[0] == wire.TALLY)
        _unpack_tally(unpacking, own, tally)
    struct.pack_into("<I", data, HEADER_VERSION_AT, wire.VERSION)
    struct.pack_into("<Q", data, HEADER_END_AT, at)
    return bytes(data[:at])
