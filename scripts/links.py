#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/links.py BUILD-DIRECTORY checks the rooms of libclew.so and of clew by
their objects.

An object refers only to symbols in its own room or in rooms that it may include
(scripts/layers.py). Exceptions are the upcalls in preload/hot/upcalls.h, which must
be called and defined where the table there says. Warm code refers to no cold code.
Objects of one room may refer to each other in any way. Only the files that
docs/internals/invariants.md lists have mutable data.
Exits with 1 and one line per offence.
"""
import collections
import pathlib
import re
import subprocess
import sys

import layers

# Folders that are linked together; names are resolved within one product.
PRODUCTS = (("preload",),
            ("cgroup", "digest", "disasm", "match", "image", "base", "symbolizer", "report", "cli"))
# Replacements of libc functions, which any cold room may call.
LIBC = {"preload/host/private_libc.c", "preload/host/private_string.c",
        "preload/host/capstone_libc.c"}
# Rooms that define what a public header declares. Rooms of other folders that may
# include the header may refer to them.
PUBLIC = {"symbolizer/a2n.h": {"symbolizer", "symbolizer/elf", "symbolizer/space"}}
UPCALL = re.compile(r"^ \*\t(\w+) +(\S+)(?: \([^)]*\))? +(\S+)$", re.M)
# The table of files with mutable data.
STATICS = re.compile(r"^## Statics$(.*?)^## ", re.M | re.S)
STATICS_ROW = re.compile(r"^\| `([\w/]+)` \|(.*)$", re.M)  # folder, files
CHANGES = re.compile(r"\.t?(?:bss|data)\b(?!\.rel\.ro)")
OF_OTHERS = {"argp_program_version"}  # libc defines its name and type
OBJECT = re.compile(r"^([^/]+)/CMakeFiles/(\w+)\.dir/(.+)\.o$")
BESIDE = "__/"  # prefix of objects from folders outside of the library's


def source_of(folder, path):
    """Returns the source of an object, as it is included; None if it was moved."""
    path = path[len(BESIDE):] if path.startswith(BESIDE) else f"{folder}/{path}"
    if not (layers.ROOT / path).is_file():
        return None
    return str(layers.included_as(path))


def upcalls():
    """Returns {function: (caller, definer)}, rooms or files below preload/."""
    text = (layers.ROOT / "preload/hot/upcalls.h").read_text(encoding="utf-8")
    return {name: where for name, *where in UPCALL.findall(text)
            if name != "function"}


def is_at(source, where):
    """Returns whether a source is the file, or in the room, of the table."""
    where = f"preload/{where}"
    return where in (source, str(pathlib.PurePosixPath(source).parent))


class Objects:
    def __init__(self, build, folders):
        self.temperature, self.given, self.needed = {}, {}, {}
        self.changes = {}  # source: names of its mutable data
        for folder in folders:
            for path in sorted((build / folder).rglob("*.o")):
                match = OBJECT.match(str(path.relative_to(build)))
                source = match and source_of(match[1], match[3])
                if source:
                    self.temperature[source] = match[2]
                    self.read(path, source)

    def read(self, path, source):
        self.needed[source] = set()
        lines = subprocess.run(["nm", "--format=sysv", path], check=True,
                               text=True, stdout=subprocess.PIPE).stdout
        for line in lines.splitlines():
            if line.count("|") != 6:
                continue
            name, _, kind, what, *_, section = map(str.strip, line.split("|"))
            if kind == "U":
                self.needed[source].add(name)
            elif kind.isupper():
                self.given[name] = source
            if what in ("OBJECT", "TLS") and CHANGES.match(section):
                self.changes.setdefault(source, set()).add(name)

    def references(self):
        """Yields (source, name, source that defines the name)."""
        for source, names in sorted(self.needed.items()):
            for name in sorted(names):
                if name in self.given:
                    yield source, name, self.given[name]


def may_refer_to(room):
    """Returns the rooms whose objects the objects of a room may refer to."""
    rooms = {room, *layers.MAY_INCLUDE[room]}
    for header, definers in PUBLIC.items():
        if header in rooms and not room.startswith(header.split("/")[0]):
            rooms |= definers
    return rooms


def offences(objects, table):
    used = collections.Counter()
    for source, name, giver in objects.references():
        room, other = layers.layer_of(source), layers.layer_of(giver)
        if name in table and other not in may_refer_to(room):
            caller, definer = table[name]
            used[name] += 1
            if not is_at(source, caller) or not is_at(giver, definer):
                yield (f"upcalls.h: {name} is called by {source} "
                       f"and defined in {giver}")
        elif other not in may_refer_to(room) and giver not in LIBC:
            yield f"{source}: {name} is in {giver}, above"
        if objects.temperature[source] in ("hot", "warm") and \
                objects.temperature[giver] == "libclew":
            yield f"{source}: {name} is in {giver}, which is cold"
    for name in table:
        if not used[name]:
            yield f"upcalls.h: {name} is no upcall"


def statics(seen, changes):
    """Yields files with mutable data that are not listed, and the reverse."""
    text = (layers.ROOT / "docs/internals/invariants.md").read_text(
        encoding="utf-8")
    listed = {f"{folder}/{name}"
              for folder, files in STATICS_ROW.findall(STATICS.search(text)[1])
              for name in re.findall(r"`(\w+\.[cS])`", files)}
    for source in sorted(seen):
        names = changes.get(source, set()) - OF_OTHERS
        if names and source not in listed:
            yield (f"{source}: {', '.join(sorted(names))}: not among the "
                   f"statics in docs/internals/invariants.md")
        if not names and source in listed:
            yield f"docs/internals/invariants.md: {source} has no statics"
    for source in sorted(listed - {str(layers.included_as(path))
                                   for path in layers.sources()}):
        yield f"docs/internals/invariants.md: there is no {source}"


def main():
    if len(sys.argv) != 2:
        print("usage: scripts/links.py BUILD-DIRECTORY", file=sys.stderr)
        return 2
    found, seen, changes = [], set(), {}
    for folders in PRODUCTS:
        objects = Objects(pathlib.Path(sys.argv[1]), folders)
        if not objects.needed:
            print(f"links: no objects in {sys.argv[1]} of {folders[0]}",
                  file=sys.stderr)
            return 2
        table = upcalls() if "preload" in folders else {}
        found += offences(objects, table)
        seen |= objects.needed.keys()
        changes.update(objects.changes)
    found += statics(seen, changes)
    for line in found:
        print(f"links: {line}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
