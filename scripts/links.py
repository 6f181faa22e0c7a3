#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/links.py BUILD-DIRECTORY checks the rooms of libclew.so by its objects.

What an object refers to lies in its own room or in one that it may include
(scripts/layers.py); or it is one of the upcalls in preload/hot/upcalls.h,
called and defined where the table there says. Warm code refers to no cold code.
Within a room, no objects refer to each other in a circle.
Exits with 1 and one line per offence.
"""
import collections
import pathlib
import re
import subprocess
import sys

import layers

# Stands in for libc, whose functions any cold room may call.
LIBC = {"host/private_libc.c", "host/private_string.c", "host/capstone_libc.c"}
# Objects whose references close circles within their rooms, and why they may.
ON_TOP = {
    "hot/state.c": "what a thread begins with are addresses of what uses it",
}
UPCALL = re.compile(r"^ \*\t(\w+) +(\S+)(?: \([^)]*\))? +(\S+)$", re.M)
BESIDE = "__/"  # where the objects are of folders beside preload/
OBJECT = re.compile(r"CMakeFiles/(hot|warm|libclew)\.dir/"
                    r"(?:__/(arch/[^/]+)/preload/)?(.+)\.o$")


def file_of(source, arch):
    if source.startswith(BESIDE):
        return layers.ROOT / source[len(BESIDE):]
    return layers.ROOT / (arch or "") / "preload" / source


def room_of(source):
    if source.startswith(BESIDE):
        return str(layers.included_as(source[len(BESIDE):]).parent)
    folder = str(pathlib.PurePosixPath("preload", source).parent)
    return folder if folder in layers.MAY_INCLUDE else "preload"


def upcalls():
    """{function: (caller, definer)}: rooms or files below preload/."""
    text = (layers.ROOT / "preload/hot/upcalls.h").read_text(encoding="utf-8")
    return {name: where for name, *where in UPCALL.findall(text)
            if name != "function"}


def is_at(source, where):
    """Whether a source is a file, or in a room, of the table."""
    return where in (source, str(pathlib.PurePosixPath(source).parent))


class Objects:
    def __init__(self, build):
        self.temperature, self.given, self.needed = {}, {}, {}
        for path in sorted((build / "preload").rglob("*.o")):
            match = OBJECT.search(str(path))
            if not match:
                continue
            temperature, arch, source = match.groups()
            if not file_of(source, arch).is_file():
                continue  # left from before it was moved
            self.temperature[source] = temperature
            self.read(path, source)

    def read(self, path, source):
        self.needed[source] = set()
        lines = subprocess.run(["nm", path], check=True, text=True,
                               stdout=subprocess.PIPE).stdout.splitlines()
        for *_, kind, name in (line.split() for line in lines):
            if kind == "U":
                self.needed[source].add(name)
            elif kind.isupper():
                self.given[name] = source

    def references(self):
        """(source, name, source that gives it), between objects."""
        for source, names in sorted(self.needed.items()):
            for name in sorted(names):
                if name in self.given:
                    yield source, name, self.given[name]


def circles(objects):
    below = collections.defaultdict(dict)
    on_top = set()
    for source, name, giver in objects.references():
        if source == giver or room_of(source) != room_of(giver):
            continue
        if source in ON_TOP:
            on_top.add(source)
        else:
            below[source][giver] = name
    for circle in layers.circles(below):
        yield " -> ".join([circle[0]] + [
            f"{giver} ({below[source][giver]})"
            for source, giver in zip(circle, circle[1:])])
    for source in ON_TOP.keys() - on_top:
        yield f"{source}: needs no exception"


def offences(objects, table):
    used = collections.Counter()
    for source, name, giver in objects.references():
        room, other = room_of(source), room_of(giver)
        if name in table and other not in {room, *layers.MAY_INCLUDE[room]}:
            caller, definer = table[name]
            used[name] += 1
            if not is_at(source, caller) or not is_at(giver, definer):
                yield (f"upcalls.h: {name} is called by {source} "
                       f"and defined in {giver}")
        elif other not in {room, *layers.MAY_INCLUDE[room]} and \
                giver not in LIBC:
            yield f"{source}: {name} is in {giver}, above"
        if objects.temperature[source] != "libclew" and \
                objects.temperature[giver] == "libclew":
            yield f"{source}: {name} is in {giver}, which is cold"
    for name in table:
        if not used[name]:
            yield f"upcalls.h: {name} is no upcall"


def main():
    if len(sys.argv) != 2:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    objects = Objects(pathlib.Path(sys.argv[1]))
    if not objects.needed:
        print(f"links: no objects in {sys.argv[1]}", file=sys.stderr)
        return 2
    found = [*offences(objects, upcalls()), *circles(objects)]
    for line in found:
        print(f"links: {line}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
