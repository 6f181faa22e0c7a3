#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""corpus.py BUILD FOLDER: makes the inputs that the fuzzers start from.

A recording's part, a cached analysis and an index, as this build writes them;
of the analysis the checksum at the end is left out, as its fuzzer wants it. A
perf map and a jitdump file one behind the other: each reader skips the other.
"""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile


PERF_MAP = b"""
1000 20 first with spaces
0x1010 0x20 second
7f0000000000 100 third
"""


def jitdump():
    def record(kind, time, payload):
        return struct.pack("<IIQ", kind, 16 + len(payload), time) + payload

    return b"".join((
        struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 1, 0, 0),
        record(2, 1, struct.pack("<QQQII", 0x1000, 1, 0x1040, 7, 0)
               + b"file.js\0"),
        record(0, 2, struct.pack("<IIQQQQ", 1, 1, 0x1000, 0x1000, 16, 1)
               + b"name\0" + b"x" * 16),
        record(1, 3, struct.pack("<IIQQQQQ", 1, 1, 0x1000, 0x1000, 0x2000, 16,
                                 1)),
        record(4, 4, b"x" * 24), record(3, 5, b"")))


def make_index(build, folder, work):
    """Of a small program with debug information."""
    program = work / "program"
    source = pathlib.Path(__file__).parents[1] / "targets" / "inlines.cc"
    subprocess.run(["g++", "-g", "-O2", source, "-o", program], check=True)
    subprocess.run([build / "cli" / "clew", "cache", "warm", program],
                   check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "XDG_CACHE_HOME": str(work / "a2n")})
    (index,) = (work / "a2n").rglob("*.a2n")
    shutil.copy(index, folder / "index")


def main(build, folder):
    build, folder = pathlib.Path(build).resolve(), pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    target = build / "tests" / "targets" / "O2" / "tail"
    shutil.copy(target, folder / "elf")
    shutil.copy(target.parent / "exceptions", folder / "elf_exceptions")
    shutil.copy(build / "tests" / "golden" / "libverdicts_relr.so",
                folder / "elf_tables")
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        subprocess.run(
            [build / "cli" / "clew", "record", "-m", "*tail*", "-o",
             work / "out", "--", target], check=True,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "XDG_CACHE_HOME": str(work / "cache")})
        (part,) = (work / "out").glob("*.part")
        shutil.copy(part, folder / "part")
        cached = min((path for path in (work / "cache").rglob("*.analysis")),
                     key=lambda path: path.stat().st_size)
        (folder / "cache").write_bytes(cached.read_bytes()[:-8])
        make_index(build, folder, work)
    (folder / "generated").write_bytes(jitdump() + PERF_MAP)


if __name__ == "__main__":
    main(*sys.argv[1:])
