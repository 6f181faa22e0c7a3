# SPDX-License-Identifier: MIT
"""Reads Perfetto traces by the published field numbers
(protos/perfetto/trace/*.proto), independently of clew."""
import collections

# Fields of TracePacket.
TIMESTAMP, SEQUENCE_ID, TRACK_EVENT, INTERNED, FLAGS = 8, 10, 11, 12, 13
TRACK_DESCRIPTOR, PERF_SAMPLE = 60, 66
BEGIN, END, INSTANT = 1, 2, 3

Slice = collections.namedtuple("Slice", "begin end depth name")


def varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return number, at


def fields(data):
    """Returns {field number: [value]}; values are integers or bytes."""
    found, at = collections.defaultdict(list), 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
            assert len(value) == length
        else:
            raise ValueError(f"wire type {tag & 7}")
        found[tag >> 3].append(value)
    return found


def one(message, number, default=None):
    values = message.get(number, [default])
    assert len(values) == 1, (number, values)
    return values[0]


class Trace:
    def __init__(self, data):
        self.threads, self.tracks, self.processes = {}, {}, {}
        self.names, self.functions, self.frames = {}, {}, {}
        self.stacks, self.modules = {}, {}
        self.events = collections.defaultdict(list)  # by track
        self.samples = []  # (tid, time, stack)
        self.notes = []  # (name, {annotation: value})
        trace = fields(data)
        assert set(trace) == {1}, set(trace)
        for number, packet in enumerate(map(fields, trace[1])):
            assert one(packet, FLAGS) == (2 if number else 1)
            assert one(packet, SEQUENCE_ID) == 1
            self.take(packet)

    def take(self, packet):
        if INTERNED in packet:
            self.intern(fields(one(packet, INTERNED)))
        if TRACK_DESCRIPTOR in packet:
            self.describe(fields(one(packet, TRACK_DESCRIPTOR)))
        if TRACK_EVENT in packet:
            self.event(one(packet, TIMESTAMP), fields(one(packet, TRACK_EVENT)))
        if PERF_SAMPLE in packet:
            sample = fields(one(packet, PERF_SAMPLE))
            self.samples.append((one(sample, 3), one(packet, TIMESTAMP),
                                 self.stacks[one(sample, 4)]))

    def intern(self, interned):
        for table, number, read in (
                (self.names, 2, lambda m: one(m, 2).decode()),
                (self.functions, 5, lambda m: one(m, 2).decode()),
                (self.modules, 19, lambda m: True),
                (self.frames, 6, self.frame),
                (self.stacks, 7, lambda m: tuple(
                    self.frames[frame] for frame in m[2]))):
            for entry in map(fields, interned.get(number, ())):
                iid = one(entry, 1)
                assert iid and iid not in table, (number, iid)
                table[iid] = read(entry)

    def frame(self, message):
        assert self.modules[one(message, 3)] and one(message, 4) is not None
        return self.functions[one(message, 2)]

    def describe(self, track):
        uuid = one(track, 1)
        assert uuid and uuid not in self.tracks
        self.tracks[uuid] = one(track, 2, b"").decode()
        if 3 in track:
            process = fields(one(track, 3))
            self.processes[one(process, 1)] = one(process, 6).decode()
        elif 4 in track:
            thread = fields(one(track, 4))
            assert one(track, 5) in self.tracks
            self.threads[uuid] = (one(thread, 2), one(thread, 5, b"").decode())
        else:
            assert one(track, 5) in self.tracks

    def event(self, time, event):
        kind, track = one(event, 9), one(event, 11)
        assert track in self.tracks
        name = None if kind == END else self.names[one(event, 10)]
        self.events[track].append((time, kind, name))
        notes = {}
        for note in map(fields, event.get(4, ())):
            notes[one(note, 10).decode()] = (
                one(note, 6).decode() if 6 in note else one(note, 3))
        if notes:
            self.notes.append((name, notes))

    def track(self, tid):
        [uuid] = [uuid for uuid, (its, _) in self.threads.items()
                  if its == tid]
        return uuid

    def slices(self, track):
        """Returns the slices in order of their start; asserts that all of them
        end."""
        found, opened, last = [], [], 0
        for time, kind, name in self.events[track]:
            assert time >= last
            last = time
            if kind == BEGIN:
                opened.append(len(found))
                found.append([time, None, len(opened) - 1, name])
            elif kind == END:
                found[opened.pop()][1] = time
        assert not opened
        return [Slice(*one) for one in found]

    def instants(self, track):
        return [name for _, kind, name in self.events[track] if kind == INSTANT]
