#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks that every #include obeys the table of layers.

Neither the table nor the headers contain a circle. Files of one room may use each
other in any way.

The table is the architecture: a folder may include its own headers and those of the
folders in its row, and no others of the project. The target (preload, disasm, image,
match, cgroup, expression, classfile) and the reader (the rest) share only wire/ and
digest/. Code for one architecture is in arch/MACHINE/FOLDER, is included as if it were
in FOLDER, and obeys FOLDER's row. Code for one architecture that several folders need
is in machine/, which exists only in arch/.

Names are unique: no two units (a header with the source files of the same path, also
those in arch/) have the same name. No two structs, unions or enums have the same name,
even if they are local to their files.
`layers.py --mild` prints the mild files. Exits with 1 and one line per offence.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# When the code of libclew.so runs. Read by CMake, too: one string each, rooms or
# files with blanks between them. All other code of the library is cold: it runs
# where the program does not wait.
#
#   hot   between a call and its callee: freestanding, general registers only
#   warm  called from slow paths of hot code: the same rules, several libraries
#   mild  files of cold rooms that run between two instructions of the program, in
#         probes or announcements: general registers only, no libc
HOT = "preload/hot"
WARM = """preload/sys preload/record preload/stack preload/time preload/tracing
    preload/process preload/lookup"""
MILD = """agent/nodes.c preload/generated/erlang_symbols.c preload/generated/records.c
    preload/generated/registration.c preload/answers/agent_marks.c
    preload/answers/agent_values.c preload/answers/snapshots.c
    preload/probe/probe_actions.c preload/probe/probe_calls.c
    preload/probe/probe_hits.c preload/probe/probe_records.c
    preload/probe/probe_stopwatches.c preload/probe/slowest_snapshots.c
    jvm/natives/bridge.c
    jvm/natives/java_stack.c jvm/jvmti/java_context.c
    jvm/inplace/in_place_calls.c jvm/exact/java_call.c"""

MAY_INCLUDE = {
    "machine": set(),
    "wire": set(),
    "agent": set(),
    "deputy": {"wire"},
    "libc": set(),
    "loaded": {"libc"},
    "alloc": {"agent", "libc", "loaded"},
    "locks": {"agent", "libc", "loaded"},
    **{room: {"machine", *others,
              *(f"preload/{name}" for name in below.split())}
       for room, others, below in (
           ("preload/hot", {"wire"}, ""),
           ("preload/sys", set(), "hot"),
           ("preload/host", {"wire", "libc", "loaded", "image", "match",
                              "expression", "disasm"}, "hot sys"),
           ("preload/record", {"wire", "cgroup"}, "hot sys"),
           ("preload/stack", {"wire"}, "hot sys host record"),
           ("preload/time", {"wire"}, "hot sys host record stack"),
           ("preload/process", {"libc"}, "hot sys host record stack time"),
           ("preload/stubs", {"wire", "disasm", "image", "digest"},
            "hot sys stack"),
           ("preload/modules", {"wire", "libc", "image", "match"},
            "hot sys host record stubs"),
           ("preload/lookup", {"wire", "disasm"}, "hot sys stubs modules"),
           ("preload/patch", {"wire", "disasm"},
            "hot sys time process stubs modules lookup"),
           ("preload/tracing", {"wire"}, "hot sys host record stack time"),
           ("preload/budget", {"wire"},
            "hot sys host record time stubs lookup patch"),
           ("preload/answers", {"wire", "agent"},
            "hot sys record stack time modules lookup patch"),
           ("preload/generated", {"wire"},
            "hot sys host record stubs modules lookup patch"),
           ("preload/front", {"wire", "agent", "libc"},
            "hot sys host record stack time "
            "process stubs modules patch lookup generated"),
           ("preload/probe", {"wire", "agent", "disasm", "image"},
            "hot sys host record stack time tracing stubs modules patch lookup "
            "answers front"),
           ("preload/hooking", {"wire", "agent", "libc", "disasm", "image", "jvm"},
            "hot sys host record stack time stubs modules patch lookup "
            "generated front probe"),
           ("preload/live", {"wire", "image"},
            "hot sys host stubs modules lookup patch front probe hooking"),
           ("preload/session", {"wire", "agent", "libc", "disasm"},
            "hot sys host record stack time process stubs modules lookup "
            "patch tracing budget answers generated front probe hooking"))},
    **{room: {*others.split(),
              *(f"preload/{name}" for name in of_preload.split()),
              *(f"jvm/{name}" for name in below.split())}
       for room, others, of_preload, below in (
           ("jvm/jvmti", "wire", "hot sys record generated", ""),
           ("jvm/hotspot", "machine wire", "hot sys host record generated",
            "jvmti"),
           ("jvm/natives", "machine wire",
            "hot sys host record stack modules stubs lookup patch generated",
            "jvmti hotspot"),
           ("jvm/exact", "classfile image match wire",
            "hot sys host record stack", "jvmti hotspot natives"),
           ("jvm/inplace", "disasm image machine wire",
            "hot sys host stubs generated", "jvmti natives exact"),
           ("jvm/jni", "machine wire", "hot sys record modules stubs",
            "hotspot natives"),
           ("jvm", "", "hot sys host modules patch generated",
            "jvmti hotspot natives exact inplace jni"))},
    "disasm": {"wire"},
    "match": set(),
    "cgroup": set(),
    "classfile": set(),
    "expression": {"machine"},
    "digest": set(),
    "image": {"machine", "disasm", "wire", "match", "digest"},
    "base": set(),
    # The public header of liba2n, and the format of its index.
    "symbolizer/a2n.h": set(),
    "symbolizer/index_format.h": set(),
    **{room: {"symbolizer/a2n.h", "symbolizer/index_format.h", *others.split(),
              *(f"symbolizer/{name}" for name in below.split())}
       for room, others, below in (
           ("symbolizer/elf", "base", ""),
           ("symbolizer/dwarf", "base", "elf"),
           ("symbolizer/indexer", "base", "elf dwarf"),
           ("symbolizer/variables", "base", "elf dwarf indexer"),
           ("symbolizer", "base digest", "elf dwarf indexer"),
           ("symbolizer/space", "base symbolizer", "elf"))},
    **{f"report/{room}": {"wire", "symbolizer/a2n.h", "base", "match"} |
       {f"report/{name}" for name in below.split()}
       for room, below in (
           ("import", ""),
           ("recording", ""),
           ("model", "recording"),
           ("merge", "recording model"),
           ("live", "recording model merge"),
           ("trace", "recording model merge"),
           ("view", "recording model merge"),
           ("dump", "recording model merge view"),
           ("write", "recording model trace view code"),
           ("export", "recording model trace view write"),
           ("html", "recording model merge trace view code write"))},
    # Instructions and source text of functions. Files are read in workers.
    "report/code": {"base", "disasm", "report/merge", "report/model",
                    "report/recording", "report/view", "symbolizer/a2n.h",
                    "symbolizer/elf", "symbolizer/indexer"},
    **{room: {"base", *others.split(),
              *(f"report/{name}" for name in of_report.split()),
              *(f"cli/{name}" for name in below.split())}
       for room, others, of_report, below in (
           ("cli/common", "wire", "merge trace view write", ""),
           ("cli/target", "cgroup image machine wire", "recording", "common"),
           ("cli/attach", "cgroup digest image machine match symbolizer/indexer wire", "",
            "common target"),
           ("cli/deputy", "wire", "", "common target"),
           ("cli/recording",
            "expression image machine match symbolizer/a2n.h wire",
            "merge recording view write", "common target"),
           ("cli/probes", "agent expression image machine symbolizer/a2n.h "
            "symbolizer/variables wire", "model view", "common recording"),
           ("cli/show", "agent symbolizer/a2n.h",
            "code live model recording trace view write",
            "common target"),
           ("cli/push", "symbolizer/a2n.h wire",
            "export model recording trace view write", "common"),
           ("cli", "digest image machine symbolizer symbolizer/a2n.h "
            "symbolizer/variables wire",
            "code dump export html import live merge model recording trace view "
            "write",
            "common target attach deputy recording probes show push"))},
}
UNRESTRICTED = {"tests"}

# Hot code includes only headers that a freestanding compiler provides.
FREESTANDING = {"preload/hot": {"stdatomic.h", "stdbool.h", "stddef.h",
                                "stdint.h"}}

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')

TAG = re.compile(r"^(?:[^*/\"\n]*\s)?(?:struct|union|enum)\s+(\w+)\s*\{", re.M)


def included_as(path):
    """Returns a path without the prefix arch/MACHINE."""
    path = pathlib.PurePosixPath(path)
    return path.relative_to(pathlib.PurePath(*path.parts[:2])) if path.parts[0] == "arch" else path


def layer_of(path):
    """Returns path, or the innermost folder around it, if in the table; else None."""
    path = included_as(path)
    for parent in (path, *path.parents):
        if str(parent) in MAY_INCLUDE or str(parent) in UNRESTRICTED:
            return str(parent)
    return None


def found(header):
    """Yields, for each folder that may contain the header, whether it does."""
    for root in (ROOT, *ROOT.glob("arch/*")):
        yield (root / header).is_file()


def offence(layer, style, header):
    """Returns why this include in a file of this layer is wrong, or None."""
    if style == "<":
        allowed = FREESTANDING.get(layer)
        if allowed is not None and header not in allowed:
            return f"<{header}> is not one of {', '.join(sorted(allowed))}"
        return None
    target = layer_of(header)
    if target is None:
        return f'"{header}" is not written from the root'
    if not any(found(header)):
        return f'"{header}" does not exist'
    if target != layer and target not in MAY_INCLUDE[layer]:
        return f"{layer} may not include {target}"
    return None


def sources():
    for folder in sorted({layer.split("/")[0] for layer in MAY_INCLUDE} |
                         {"arch"}):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".c", ".h", ".S"):
                yield path.relative_to(ROOT)


def includes(path):
    for line in (ROOT / path).read_text(encoding="utf-8").splitlines():
        match = INCLUDE.match(line)
        if match and match[1] == '"':
            yield match[2]


def circles(below):
    """Yields circles in {name: names}, as lists whose first and last item are equal."""
    done = set()

    def visit(name, way):
        if name in way:
            yield way[way.index(name):] + [name]
        elif name not in done:
            for other in below.get(name, ()):
                yield from visit(other, way + [name])
            done.add(name)

    for name in below:
        yield from visit(name, [])


def header_includes():
    return {str(included_as(path)): list(includes(path))
            for path in sources()
            if path.suffix == ".h"}


def namesakes():
    """Yields (name, its paths) for each name that several paths have."""
    units, tags = {}, {}
    for path in sources():
        unit = included_as(path).with_suffix("")
        units.setdefault(unit.name, {})[str(unit)] = None
        text = (ROOT / path).read_text(encoding="utf-8")
        for tag in TAG.findall(text):
            tags.setdefault(tag, []).append(str(path))
    for name, places in units.items():
        if len(places) > 1:
            yield name, list(places)
    for name, places in tags.items():
        if len(places) > 1:
            yield f"the tag {name}", places


def main():
    offences = 0
    if sys.argv[1:] == ["--mild"]:
        print("\n".join(MILD.split()))
        return 0
    is_whole = (ROOT / "preload/CMakeLists.txt").exists()  # not in some tests
    for name in (HOT + " " + WARM + " " + MILD).split() if is_whole else ():
        if not (ROOT / name).exists():
            print(f"{name}: has a temperature, but does not exist")
            offences += 1
    for name, places in namesakes():
        print(f"{name}: {' and '.join(places)}")
        offences += 1
    for circle in (*circles(MAY_INCLUDE), *circles(header_includes())):
        print(" -> ".join(circle))
        offences += 1
    for path in sources():
        layer = layer_of(path)
        text = (ROOT / path).read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            why = match and offence(layer, *match.groups())
            if why:
                print(f"{path}:{number}: {why}")
                offences += 1
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
