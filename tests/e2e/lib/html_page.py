# SPDX-License-Identifier: MIT
"""Reads the data that report/html/html.c writes into a page."""
import base64
import collections
import json
import re
import struct
import zlib


class Numbers:
    """A column of unsigned LEB128 numbers."""

    def __init__(self, raw):
        self.values, value, shift = [], 0, 0
        for byte in raw:
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                self.values.append(value)
                value = shift = 0

    def rows(self, width):
        return zip(*[iter(self.values)] * width)


def signed(number):
    return -(number >> 1) if number & 1 else number >> 1


Slice = collections.namedtuple(
    "Slice", "begin end least depth context function began_before ending")
Sample = collections.namedtuple("Sample", "time weight looks context")
Note = collections.namedtuple("Note", "kind begin end name")
ENDINGS = "returned", "left", "cut", "open"


class Lane:
    """A thread's timeline; a second implementation of
    report/html/html_timeline.c."""

    def __init__(self, page, meta, numbers):
        self.name, self.pid, self.tid = (
            meta[key] for key in ("name", "pid", "tid"))
        self.groups = [meta[key] for key in ("process", "thread")
                       if meta[key] >= 0]
        self.slices = self.read_slices(page, meta["slices"], numbers)
        self.samples = self.read_samples(meta["samples"], numbers)
        self.notes = self.read_notes(page, meta["notes"], numbers)

    @staticmethod
    def read_slices(page, count, numbers):
        found, begin, context, depth = [], 0, 0, 0
        for _ in range(count):
            nest = next(numbers["t.nest"])
            depth -= nest >> 4
            begin += next(numbers["t.begin"])
            length = next(numbers["t.length"])
            context += signed(next(numbers["t.where"]))
            least = length - next(numbers["t.slack"])
            function = (next(numbers["t.odd"]) if nest & 8
                        else page.function[context])
            found.append(Slice(begin, begin + length, least, depth, context,
                               page.names[function], bool(nest & 1),
                               ENDINGS[nest >> 1 & 3]))
            depth += 1
        return found

    @staticmethod
    def read_samples(count, numbers):
        found, time, context = [], 0, 0
        for _ in range(count):
            time += next(numbers["s.time"])
            context += signed(next(numbers["s.where"]))
            found.append(Sample(time, next(numbers["s.weight"]),
                                next(numbers["s.looks"]), context))
        return found

    @staticmethod
    def read_notes(page, count, numbers):
        found, time, names = [], 0, page.meta["timeline"]["names"]
        for _ in range(count):
            kind = ("gap", "moment", "region")[next(numbers["notes"])]
            time += next(numbers["notes"])
            end = time + next(numbers["notes"])
            found.append(Note(kind, time, end, names[next(numbers["notes"])]))
        return found


class Page:
    """The data of a page; a second implementation of report/html/html_stream.h
    and report/html/src/data.js."""

    def __init__(self, text):
        self.text = text
        (raw,) = re.findall(r'id="clew-data">([A-Za-z0-9+/=]*)</script>', text)
        raw = zlib.decompress(base64.b64decode(raw, validate=True))
        self.sections, at = {}, 0
        while at < len(raw):
            name, size = struct.unpack_from("<8sQ", raw, at)
            self.sections[name.decode().strip()] = raw[at + 16:at + 16 + size]
            at += 16 + size
        self.meta = json.loads(self.sections["meta"])
        ended, self.function, self.calls = (
            Numbers(self.sections[key]).values
            for key in ("ended", "function", "calls"))
        self.parent = [0]
        for count in ended:
            caller = len(self.parent) - 1
            for _ in range(count):
                caller = self.parent[caller]
            self.parent.append(caller)
        self.names = self.meta["functions"]["name"]

    def rare(self, name):
        """Returns a column of which most numbers are 0, by context."""
        numbers, found = iter(Numbers(self.sections[name]).values), []
        for number in numbers:
            found += [number] if number else [0] * next(numbers)
        return found + [0] * (len(self.parent) - len(found))

    def paths(self):
        """Returns {names from the outermost function: calls}."""
        path, found = [()], collections.Counter()
        for i in range(1, len(self.parent)):
            path.append(path[self.parent[i]] + (self.names[self.function[i]],))
            found[path[i]] += self.calls[i]
        return found

    def timeline(self):
        """Returns [Lane], each with its slices, samples and notes; [] if there
        are no lanes."""
        if "timeline" not in self.meta:
            return []
        numbers = {name: iter(Numbers(self.sections[name]).values)
                   for name in self.sections
                   if name[:2] in ("t.", "s.") or name == "notes"}
        return [Lane(self, lane, numbers)
                for lane in self.meta["timeline"]["lanes"]]

    def total(self):
        return sum(self.calls)

    def groups(self, has_time=None):
        """Returns [(name, is_process, {context: calls})]."""
        width = 4 if has_time or self.meta["taken"] else 2
        rows = Numbers(self.sections.get("groups", b"")).rows(width)
        found = []
        for group in self.meta["groups"]:
            at, calls = 0, {}
            for _ in range(group["contexts"]):
                step, number, *_ = next(rows)
                at += step
                calls[at] = number
            found.append((group["name"], group["is_process"], calls))
        return found


class Paged:
    """A test with a recording, which can read its page."""

    def page(self, *options):
        path = self.work / "page.html"
        done = self.clew("html", *options, "-o", path, self.recording_path)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "", ""))
        return Page(path.read_text(encoding="utf-8"))


# Starts three more threads, and another process.
FORKS_AND_THREADS = """if True:
    import os, threading
    workers = [threading.Thread(target=lambda: sorted(range(99)),
                                name=f"worker{i}") for i in range(3)]
    [each.start() for each in workers]
    [each.join() for each in workers]
    if os.fork() == 0: os._exit(0)
    os.wait()"""
