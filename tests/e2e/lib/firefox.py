# SPDX-License-Identifier: MIT
"""Reads processed profiles of the Firefox Profiler strictly, by its type
definitions (src/types/profile.ts, version 70), independently of clew."""
import collections
import json

VERSION = 70
WEIGHT_TYPES = "samples", "tracing-ms", "bytes"
COLORS = {"transparent", "purple", "green", "orange", "yellow", "lightblue",
          "blue", "brown", "magenta", "red", "lightred", "darkgrey", "grey"}
INSTANT, INTERVAL = 0, 1

SHARED = {
    "stackTable": "frame prefixOffset",
    "frameTable": "address lib inlineDepth category subcategory func "
                  "nativeSymbol innerWindowID line column originalLocation",
    "funcTable": "name isJS relevantForJS resource source lineNumber "
                 "columnNumber originalLocation",
    "resourceTable": "name host type",
    "nativeSymbols": "libIndex address name functionSize",
    "sources": "id filename startLine startColumn sourceMapURL content",
    "sourceLocationTable": "source line column",
}
LIBRARY = {"arch", "name", "path", "debugName", "debugPath", "breakpadId",
           "codeId"}
THREAD = {"processType", "processStartupTime", "processShutdownTime",
          "registerTime", "unregisterTime", "pausedRanges", "name",
          "isMainThread", "pid", "tid", "samples", "markers", "processName"}
MARKERS = "data name startTime endTime phase category"


class Invalid(Exception):
    pass


def check(is_valid, *what):
    if not is_valid:
        raise Invalid(*what)


class Table:
    """Columns of equal length."""

    def __init__(self, name, table, columns, optional=""):
        expected = {*columns.split(), "length"}
        check(expected <= table.keys() <= expected | {*optional.split()},
              name, sorted(table))
        self.name, self.length = name, table["length"]
        for key in table.keys() - {"length", "weightType"}:
            check(isinstance(table[key], list) and
                  len(table[key]) == self.length, name, key)
        self.columns = table

    def __getitem__(self, key):
        return self.columns[key]

    def indices(self, key, limit, *others):
        for index in self[key]:
            check(index in others or
                  (type(index) is int and 0 <= index < limit),
                  self.name, key, index, limit)


class Profile:
    def __init__(self, text):
        self.json = json.loads(text)
        check(self.json.keys() == {"meta", "libs", "shared", "threads"},
              sorted(self.json))
        self.meta, self.libs = self.json["meta"], self.json["libs"]
        self.threads = self.json["threads"]
        shared = self.json["shared"]
        check(shared.keys() == {*SHARED, "stringArray"}, sorted(shared))
        self.strings = shared["stringArray"]
        check(all(isinstance(one, str) for one in self.strings))
        self.tables = {name: Table(name, shared[name], columns)
                       for name, columns in SHARED.items()}
        self.check_meta()
        self.check_libraries()
        self.check_shared()
        for thread in self.threads:
            self.check_thread(thread)
        mains = [thread["pid"] for thread in self.threads
                 if thread["isMainThread"]]
        check(len(mains) == len({*mains}), "main threads", mains)

    def check_meta(self):
        meta = self.meta
        check(meta["preprocessedProfileVersion"] == VERSION)
        for key in "interval", "startTime", "version", "processType":
            check(isinstance(meta[key], (int, float)), key)
        check(meta["interval"] > 0 and meta["profilingEndTime"] > 0)
        check(meta["product"] and meta["symbolicated"] is True)
        names = [one["name"] for one in meta["categories"]]
        check(len(names) == len({*names}), names)
        check(any(one["color"] == "grey" for one in meta["categories"]))
        for category in meta["categories"]:
            check(category["color"] in COLORS, category)
            check(category["subcategories"][0] == "Other", category)
        for key in "initialVisibleThreads", "initialSelectedThreads":
            check(all(0 <= index < len(self.threads)
                      for index in meta.get(key, [])), key)
        self.schemas = {one["name"]: {field["key"] for field in one["fields"]}
                        for one in meta["markerSchema"]}

    def check_libraries(self):
        for library in self.libs:
            check(library.keys() == LIBRARY, library)
            check(len(library["breakpadId"]) == 33, library)
            int(library["breakpadId"], 16)

    def check_shared(self):
        stacks, frames, functions, resources, symbols, sources, _ = (
            self.tables[name] for name in SHARED)
        strings, libraries = len(self.strings), len(self.libs)
        stacks.indices("frame", frames.length)
        for index, offset in enumerate(stacks["prefixOffset"]):
            check(0 <= offset <= index, "prefixOffset", index, offset)
        frames.indices("lib", libraries, -1)
        frames.indices("func", functions.length)
        frames.indices("category", len(self.meta["categories"]))
        frames.indices("nativeSymbol", symbols.length, None)
        frames.indices("address", 2**31, -1)
        frames.indices("inlineDepth", 64)
        frames.indices("line", 2**32, None)
        functions.indices("name", strings)
        functions.indices("resource", resources.length, -1)
        functions.indices("source", sources.length, None)
        resources.indices("name", strings)
        symbols.indices("libIndex", libraries)
        symbols.indices("name", strings)
        symbols.indices("address", 2**31)
        sources.indices("filename", strings)
        # An inlined frame follows its caller at the same address.
        for index, offset in enumerate(stacks["prefixOffset"]):
            frame = stacks["frame"][index]
            depth = frames["inlineDepth"][frame]
            if depth == 0:
                continue
            outer = stacks["frame"][index - offset]
            check(offset > 0 and frames["inlineDepth"][outer] == depth - 1,
                  "inlineDepth", index)
            for key in "address", "lib", "nativeSymbol":
                check(frames[key][outer] == frames[key][frame], key, index)

    def check_thread(self, thread):
        check(THREAD <= thread.keys() <= THREAD | {"showMarkersInTimeline"},
              sorted(thread))
        check(isinstance(thread["pid"], str) and
              isinstance(thread["isMainThread"], bool), thread["name"])
        samples = Table("samples", thread["samples"],
                        "stack time weight weightType", "threadCPUDelta")
        check(samples["weightType"] in WEIGHT_TYPES)
        samples.indices("stack", self.tables["stackTable"].length, None)
        times = samples["time"]
        check(times == sorted(times), "times", thread["name"])
        check(all(weight > 0 for weight in samples["weight"]), thread["name"])
        markers = Table("markers", thread["markers"], MARKERS)
        markers.indices("name", len(self.strings))
        markers.indices("category", len(self.meta["categories"]))
        for phase, start, end, data in zip(
                *(markers[key] for key in
                  ("phase", "startTime", "endTime", "data"))):
            check(phase in (INSTANT, INTERVAL), phase)
            check(start >= 0 and (phase == INSTANT or end >= start),
                  start, end)
            check(data.keys() - {"type"} <= self.schemas[data["type"]], data)

    # ---- Content ----

    def function(self, frame):
        return self.strings[self.tables["funcTable"]["name"]
                            [self.tables["frameTable"]["func"][frame]]]

    def frames(self, stack):
        """Returns the frames of a stack, the outermost first."""
        stacks, found = self.tables["stackTable"], []
        while True:
            found.append(stacks["frame"][stack])
            if stacks["prefixOffset"][stack] == 0:
                return found[::-1]
            stack -= stacks["prefixOffset"][stack]

    def path(self, stack, with_inlined=False):
        depths = self.tables["frameTable"]["inlineDepth"]
        return tuple(self.function(frame) for frame in self.frames(stack)
                     if with_inlined or depths[frame] == 0)

    def stacks(self, thread, scale=1):
        """Returns {path: sum of weights}; `scale` converts them to
        integers."""
        sums = collections.Counter()
        samples = thread["samples"]
        for stack, weight in zip(samples["stack"], samples["weight"]):
            if stack is not None:
                sums[self.path(stack)] += round(weight * scale)
        return sums

    def of_type(self, weight_type):
        return [thread for thread in self.threads
                if thread["samples"]["weightType"] == weight_type]

    def calls(self):
        """Returns {path: calls} of all threads of calls."""
        return sum((self.stacks(thread) for thread in self.of_type("samples")),
                   collections.Counter())

    def markers(self, thread):
        """Returns [(name, start, end or None, data)]."""
        rows = thread["markers"]
        return [(self.strings[name], start, end if phase else None, data)
                for name, start, end, phase, data in zip(
                    *(rows[key] for key in ("name", "startTime", "endTime",
                                            "phase", "data")))]
