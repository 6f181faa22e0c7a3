# SPDX-License-Identifier: MIT
"""A second reader of recordings, written from the comments in wire/*.h alone.

The tests compare programs' own counts with the results of this reader, so that
an error common to the runtime and report/ does not stay hidden. Sizes and
reasons come from the headers; the arithmetic and the structures are
deliberately implemented again.
"""
import collections
import functools
import pathlib
import re
import struct

from lib import packed, packets

ROOT = pathlib.Path(__file__).resolve().parents[3]
MASK = (1 << 64) - 1


def _header_text(name):
    return (ROOT / "wire" / name).read_text(encoding="utf-8")


def _define(text, name):
    value = re.search(rf"#define {name}\s+(?:UINT\d+_C\()?(\w+)", text)[1]
    return int(value, 0)


def _table(text, macro):
    """Returns the (name, class, text) entries of an X-macro as a list by
    number."""
    body = re.search(rf"#define {macro}\(X\)(.*?)\n\n", text, re.S)[1]
    return [(name, kind, says) for name, kind, says in re.findall(
        r'X\((\w+),\s*(?:(\w+),)?\s*(?:\\\n\s*)?"([^"]*)"\)', body)]


_ID = _header_text("id.h")
_RECORDING = _header_text("recording.h")
_COUNTS = _header_text("counts.h")
_VERDICT = _header_text("verdict.h")

ID_MULTIPLIER = _define(_ID, "ID_MULTIPLIER")
ID_INVERSE = _define(_ID, "ID_INVERSE")
ID_ROTATION = _define(_ID, "ID_ROTATION")
ID_KEY_MULTIPLIER = _define(_ID, "ID_KEY_MULTIPLIER")
VERSION = _define(_RECORDING, "WIRE_VERSION")
VERSION_PACKED = _define(_RECORDING, "WIRE_VERSION_PACKED")
PACKED_SITES_LOG2 = _define(_header_text("packed.h"),
                             "WIRE_PACKED_SITES_LOG2")
TALLY_TABLE_OFFSET = _define(_COUNTS, "WIRE_TALLY_TABLE_OFFSET")
VERDICTS = _table(_VERDICT, "VERDICTS")
MODULE_STATES = _table(_VERDICT, "MODULE_STATES")
_NAMED_IN_JSON = {
    name: "".join(re.findall(r'"([^"]*)"', literals))
    for name, literals in re.findall(
        r'\[VERDICT_IS_(\w+)\] =\s*\(?((?:\s*"[^"]*")+)',
        (ROOT / "report" / "write" / "json_verdict.c").read_text())}
# Entries are (name, class, text), where text is the verdict's name in JSON.
JSON_VERDICTS = [(name, kind, _NAMED_IN_JSON.get(name, text))
                 for name, kind, text in VERDICTS]

STARTING, DISABLED, RUNNING, ENDED = 1, 2, 3, 4
FROM_START, FROM_FORK, FROM_EXEC = 1, 2, 3
(PROCESS, MODULE, THREADS, TALLY, CONTEXTS, TABLE, RULES,
 SAMPLES, HISTOGRAMS, RANGES, NAMES, BINDINGS, CODES,
 JITDUMP, SOURCES, STACKS, JNI_NOTES, MAKERS, CODE_LINES, LEFT_OUT,
 VALUES, PROBES, PROBE_PLACES, MARKS, MARK_NAMES) = range(1, 26)
INHERITED = 34
MAPPED_CODE, METHODS, CALLERS = 37, 38, 39
TIME_NONE, TIME_CPU, TIME_WALL, TIME_EXACT = range(4)
FOLDED = 0xffffffff
LOOPS = 0x80  # bit of a function's `displaced`

HEADER = struct.Struct("<8sII Q IIIIIIII QQQQQ 8QQ 248s"
                       "II Q QQ QQ 5Q II Q II QQ II II")
HEADER_TIME = 27  # index of the field `time`
CHUNK = struct.Struct("<IIQQ40x")
ADMITTED, ADMITTED_AT = struct.Struct("<Q"), 24
MODULE_HEAD = struct.Struct("<QQQIIIIII32sQQ")
FUNCTION = struct.Struct("<QIBBBx")
HEIRLOOM = struct.Struct("<IIIIQQQQ")
THREAD = struct.Struct("<II16sQ")
TALLY_HEAD = struct.Struct("<QQQ6Q9Q9Q3Q2Q")
(FOLD_CONTEXTS, FOLD_BYTES, FOLD_SPACE, FOLD_MEMORY, FOLD_FILTER,
 FOLD_GROUP) = range(6)
CALLS = (1 << 48) - 1  # bits of a count's field
SITE_PC = (1 << 48) - 1  # bits of a context's site
COUNT = struct.Struct("<QQ")
TIMES = struct.Struct("<QQQQQQQQ")
BINS = 64
HISTOGRAM = struct.Struct(f"<II{BINS}Q")
CONTEXT = struct.Struct("<QQII")
RULE = struct.Struct("<IIQ")
SAMPLE = struct.Struct("<QQQQ")
SAMPLE_PC = (1 << 48) - 1
BLOCKED, KERNEL, CLEW = 1 << 63, 1 << 62, 1 << 61  # bits of a sample's `where`
WAIT_SHIFT, WAIT_MASK = 48, 0x7ff
WAIT_STOPPED, WAIT_PROCESSOR, WAIT_FAULT = 0x7fd, 0x7fe, 0x7ff
(COARSE_NOT, COARSE_ASKED, COARSE_ENOUGH, COARSE_FILTER, COARSE_FORBIDDEN,
 COARSE_KERNEL, COARSE_SIGNAL, COARSE_ROOM, COARSE_SILENT,
 COARSE_RESTLESS) = range(10)
WEIGHT_NS, LOOKS_SHIFT = (1 << 48) - 1, 48

Function = collections.namedtuple(
    "Function", "number module vaddr size verdict loops")
Context = collections.namedtuple("Context", "id parent function depth site")
Times = collections.namedtuple("Times", "ended total self min max clamped")
Rule = collections.namedtuple("Rule", "text matches")
Sample = collections.namedtuple(
    "Sample", "tally tsc id pc flags wait weight_ns looks")
Moment = collections.namedtuple("Moment", "tsc ns")


def _key(function):
    key = function * ID_KEY_MULTIPLIER & 0xffffffff
    return key | 0xffffffff00000000 if key & 0x80000000 else key


def id_push(caller, function):
    """Returns the id of a function's context below the caller's."""
    word = caller << ID_ROTATION | caller >> (64 - ID_ROTATION)
    return (word + _key(function)) * ID_MULTIPLIER & MASK


def id_pop(callee, function):
    """Returns the caller's id; the inverse of id_push()."""
    word = (callee * ID_INVERSE - _key(function)) & MASK
    return (word >> ID_ROTATION | word << (64 - ID_ROTATION)) & MASK


class Module:
    def __init__(self, payload):
        (self.base, self.vaddr_start, self.vaddr_end, self.state, self.first,
         self.count, path_bytes, id_bytes, self.from_cache,
         build_id, self.loaded_ns, self.unloaded_ns) = MODULE_HEAD.unpack_from(payload)
        offset = MODULE_HEAD.size
        self.path = bytes(payload[offset:offset + path_bytes]).decode()
        self.name = self.path.rsplit("/", 1)[-1]
        self.build_id = build_id[:id_bytes].hex()
        self.state_name = MODULE_STATES[self.state][0]
        offset += (path_bytes + 7) // 8 * 8
        raw = payload[offset:offset + self.count * FUNCTION.size]
        self.functions = [
            Function(self.first + i, self, vaddr, size, verdict,
                     displaced & LOOPS != 0)
            for i, (vaddr, size, verdict, _, displaced)
            in enumerate(FUNCTION.iter_unpack(raw))]


class Tally:
    """Counts of one owner, or of several owners in sequence."""

    def __init__(self, number, payload):
        (self.table, self.retired, self.recorded, *rest) = \
            TALLY_HEAD.unpack_from(payload)
        self.folds = rest[:6]
        calls, firsts = rest[6:15], rest[15:24]
        self.verified, self.collisions, self.diverged = calls[:3]
        self.partial_by = calls[3:]
        self.partial = sum(self.partial_by)
        self.firsts_verified = firsts[0]
        self.firsts_wrong = firsts[1] + firsts[2]
        self.firsts_partial = sum(firsts[3:])
        self.present_ns, self.cpu_ns = rest[25:27]
        self.late_decided, self.late_wrong = rest[27:29]
        self.number = number
        self.records = []

    def add_contexts(self, raw):
        raw = raw[:len(raw) // CONTEXT.size * CONTEXT.size]
        self.records += [record for record in CONTEXT.iter_unpack(raw)
                         if record[0]]

    def tail_names(self):
        """Returns {id under which tail calls are counted: id of their
        context}."""
        return {name: name ^ MASK for name, site, _, _ in self.records
                if site >> 63}


class Part:
    """The recording of one process image."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.data = memoryview(self._read())
        (magic, version, self.header_bytes, self.end, self.state, self.origin,
         self.pid, self.seq, self.ppid, self.parent_pid, self.parent_seq,
         self.verify_period, self.start_ns, self.end_ns, self.hook_ns,
         self.max_contexts, self.recorded, *rest) = HEADER.unpack_from(
             self.data)
        if magic != b"clewrec\n" or version != VERSION:
            raise ValueError(f"{path}: not a recording of this version")
        self.losses, self.trap_hits, why = rest[:8], rest[8], rest[9]
        self.why = why.split(b"\0")[0].decode()
        self.time, self.rate_hz, self.period_ns = rest[10:13]
        self.first, self.latest = Moment(*rest[13:15]), Moment(*rest[15:17])
        self.sample_losses = rest[17:22]
        self.cost_self, self.cost_caller, self.untimed = rest[22:25]
        self.violations = rest[25:27]  # number of violations, and the first one
        self.events, self.coarse = rest[29:31]
        self._bins = {}  # function: bins of all but the latest calls
        self.arguments, self.rules, self.samples = [], [], []
        self.modules, self.threads, self.tallies = [], [], {}
        self.inherited = []  # (kind, pid of the part, offset there)
        self.recorded -= sum(self._admitted())
        chunks = list(self._chunks())
        # A chunk may precede the tally that it belongs to in the file.
        for kind, owner, payload in sorted(
                chunks, key=lambda chunk: chunk[0] != TALLY):
            self._add(kind, owner, payload)
        self.functions = {f.number: f for module in self.modules
                          for f in module.functions}

    @functools.cached_property
    def trace(self):
        trace = self.path.with_suffix(".trace")
        return packets.Trace(trace) if trace.exists() else None

    def _read(self):
        """Returns the used bytes; a hole of any length may follow them."""
        with self.path.open("rb") as file:
            fields = HEADER.unpack(file.read(HEADER.size))
            file.seek(0)
            data = file.read(fields[3])
        return packed.unpack(data) if fields[1] == VERSION_PACKED else data

    def _chunks(self):
        at = self.header_bytes
        while at < self.end:
            kind, owner, size, used = CHUNK.unpack_from(self.data, at)
            used = used if kind in (PROCESS, MODULE, THREADS, RULES,
                                    HISTOGRAMS, INHERITED) \
                else size - CHUNK.size
            yield kind, owner, self.data[at + CHUNK.size:at + CHUNK.size + used]
            at += size

    def chunk_sizes(self):
        """Yields (kind, bytes) of each chunk."""
        at = self.header_bytes
        while at < self.end:
            kind, _, size, _ = CHUNK.unpack_from(self.data, at)
            yield kind, size
            at += size

    def _admitted(self):
        """Yields for each tally the number of contexts that the header counts
        and that are not yet stored."""
        at = self.header_bytes
        for kind, size in self.chunk_sizes():
            if kind == TALLY:
                yield ADMITTED.unpack_from(self.data, at + ADMITTED_AT)[0]
            at += size

    def _add(self, kind, owner, payload):
        if kind == PROCESS:
            self.arguments = bytes(payload).decode().split("\0")[:-1]
        elif kind == MODULE:
            self.modules.append(Module(payload))
        elif kind == THREADS:
            whole = len(payload) // THREAD.size * THREAD.size
            self.threads += [
                (tid, tally, name.split(b"\0")[0].decode())
                for tid, tally, name, _ in THREAD.iter_unpack(payload[:whole])
                if tid]
        elif kind == TALLY:
            tally = self.tallies[owner] = Tally(owner, payload)
            tally.add_contexts(payload[TALLY_HEAD.size:
                                       TALLY_TABLE_OFFSET - CHUNK.size])
        elif kind == CONTEXTS:
            self.tallies[owner].add_contexts(payload)
        elif kind == INHERITED:
            for heirloom in HEIRLOOM.iter_unpack(payload):
                self._add_inherited(*heirloom)
        elif kind == RULES:
            self._add_rules(payload)
        elif kind == SAMPLES:
            whole = len(payload) // SAMPLE.size * SAMPLE.size
            self.samples += [
                Sample(owner, tsc, name, where & SAMPLE_PC,
                       where & (BLOCKED | KERNEL | CLEW),
                       where >> WAIT_SHIFT & WAIT_MASK,
                       weight & WEIGHT_NS, weight >> LOOKS_SHIFT)
                for tsc, name, where, weight
                in SAMPLE.iter_unpack(payload[:whole]) if tsc]
        elif kind == HISTOGRAMS:
            for function, _, *bins in HISTOGRAM.iter_unpack(payload):
                known = self._bins.get(function, [0] * BINS)
                self._bins[function] = [
                    a + b for a, b in zip(known, bins)]

    def _add_inherited(self, kind, first, pid, seq, start_ns, offset, used,
                       unloaded_ns):
        """Adds a record of another part that this part shares."""
        if kind not in (PROCESS, MODULE):
            return
        with self.path.with_name(f"{pid}.{seq}.part").open("rb") as file:
            header = HEADER.unpack(file.read(HEADER.size))
            file.seek(offset)
            chunk = CHUNK.unpack(file.read(CHUNK.size))
            payload = file.read(used)
        if (header[6], header[7], header[12]) != (pid, seq, start_ns) or \
                chunk[0] != kind or len(payload) != used:
            raise ValueError(f"{self.path}: inherits what is not there")
        self.inherited.append((kind, pid, offset))
        self._add(kind, 0, payload)
        if kind == MODULE:
            self.modules[-1].unloaded_ns = unloaded_ns
            if self.modules[-1].count and self.modules[-1].first != first:
                raise ValueError(f"{self.path}: inherits another module")

    def _add_rules(self, payload):
        at = 0
        while at < len(payload):
            size, text_bytes, matches = RULE.unpack_from(payload, at)
            text = bytes(payload[at + RULE.size:][:text_bytes]).decode()
            self.rules.append(Rule(text.rstrip("\0"), matches))
            at += size

    def counts(self, tallies=None):
        """Returns {id: calls} over these tallies, or over all."""
        return self._counts(tallies)[0]

    def tail_counts(self, tallies=None):
        """Returns {id: tail calls}, which are included in counts()."""
        return self._counts(tallies)[1]

    def _counts(self, tallies):
        counts, tail_counts = collections.Counter(), collections.Counter()
        tails = {}
        for tally in tallies or self.tallies.values():
            tails.update(tally.tail_names())
        for tally in tallies or self.tallies.values():
            traced = self.traced(tally)
            counts.update(traced.calls)
            tail_counts.update(traced.tails)
            for reference in (tally.table, tally.retired):
                if not reference:
                    continue
                offset, entries = reference & ~63, 1 << (reference & 63)
                raw = self.data[offset:offset + entries * COUNT.size]
                for name, field in COUNT.iter_unpack(raw):
                    if name and field & CALLS:
                        counts[tails.get(name, name)] += field & CALLS
                    if name in tails and field & CALLS:
                        tail_counts[tails[name]] += field & CALLS
        return counts, tail_counts

    def traced(self, tally):
        """Returns the tally's counts from packets."""
        none = packets.Counts()
        return self.trace.tallies.get(tally.number, none) if self.trace \
            else none

    def _raw_times(self, tally):
        """Yields the id and the record of each timed context."""
        for reference in (tally.table, tally.retired):
            if not reference or self.time != TIME_EXACT:
                continue
            offset, entries = reference & ~63, 1 << (reference & 63)
            for i in range(entries):
                name, _ = COUNT.unpack_from(self.data, offset + i * COUNT.size)
                times = TIMES.unpack_from(self.data,
                                          offset - (i + 1) * TIMES.size)
                if name and any(times[:3] + times[-1:]):
                    yield name, times

    def times(self, tallies=None):
        """Returns the measured {id: Times} over these tallies, or over all."""
        found = {}
        for tally in tallies or self.tallies.values():
            for name, times in self._raw_times(tally):
                ended, total, own, least, most, _, clamped, _ = times
                old = found.get(name, Times(0, 0, 0, 0, 0, 0))
                found[name] = Times(
                    old.ended + ended, old.total + total, old.self + own,
                    min(old.min or least, least or old.min),
                    max(old.max, most), old.clamped + clamped)
        return found

    @functools.cached_property
    def histograms(self):
        """Returns {function: bins} of all calls; calls without bins of their
        own are in 0."""
        found = {function: list(bins) for function, bins in self._bins.items()}
        for tally in self.tallies.values():
            functions = {name: function
                         for name, _, function, _ in tally.records}
            for name, (*_, latest) in self._raw_times(tally):
                if latest:
                    function = functions[name]
                    bins = found[function if function in found else 0]
                    bins[latest.bit_length() - 1] += 1
        return found

    def contexts(self, tallies=None):
        """Returns {id: Context} over these tallies, or over all.

        The site is that of the context's first call. Records of tail calls are
        ignored, as their site is that of the first tail call.
        """
        found = {}
        for tally in tallies or self.tallies.values():
            for name, site, function, depth in tally.records:
                if not site >> 63:
                    found[name] = Context(name, id_pop(name, function),
                                          function, depth, site)
            for name, function in self.traced(tally).functions.items():
                found.setdefault(name, Context(name, id_pop(name, function),
                                               function, 1, 0))
        return found

    def folded_calls(self):
        return sum(sum(tally.folds) for tally in self.tallies.values())

    def folds(self):
        """Returns the folded calls by cause."""
        return [sum(folds) for folds in
                zip(*(tally.folds for tally in self.tallies.values()))]


class Recording:
    """A directory of parts, sorted by their start, as process ids may wrap
    around."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.parts = sorted(map(Part, self.path.glob("*.part")),
                            key=lambda part: (part.start_ns, part.seq))

    def part(self, pid, seq=0):
        return next(p for p in self.parts if (p.pid, p.seq) == (pid, seq))

    def size_bytes(self):
        return sum(p.path.stat().st_size for p in self.parts)
