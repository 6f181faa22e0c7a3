#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""corpus.py BUILD FOLDER: makes the inputs that the fuzzers start from.

A recording's part, two with what agents told, a cached analysis and an index,
as this build writes them; of the analysis the checksum at the end is left out, as its fuzzer wants it. A
perf map and a jitdump file, as runtimes write them. A small program with debug
information of several kinds; where a program that makes one is missing, gcc's
of version 5 takes its place.
"""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile


def perf_map():
    return b"".join(
        b"%s%x %x JS:~f%d /a b.js:1:20\n" % (b"0x" * (i % 2), i * 0x50,
                                            0x40 + i % 7 * 0x10, i)
        for i in range(100))


def record(kind, time, body):
    return struct.pack("<IIQ", kind, 16 + len(body), time) + body


def load(time, address, index):
    return record(0, time, struct.pack("<IIQQQQ", 1, 1, address, address, 0x80,
                                       index) + b"f%d\0" % index + b"x" * 0x80)


def lines(address):
    entries = [struct.pack("<QII", address + 0x40 + i * 8, i, 0) +
               (b"\xff\0" if i % 2 else b"file.js\0") for i in range(8)]
    return record(2, 0, struct.pack("<QQ", address, 8) + b"".join(entries))


def jitdump():
    """Addresses and times below 0x4000, where the fuzzer looks."""
    dump = struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 1, 0, 0)
    for i in range(30):
        dump += lines(i * 0x60) + load(i * 0x60, i * 0x60, i)
        if i % 5 == 4:
            dump += record(1, i * 0x60 + 1, struct.pack(
                "<IIQQQQQ", 1, 1, 0, i * 0x60, i * 0x90, 0x80, i))
    return dump + record(4, 0, bytes(40)) + record(3, 0, b"")


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


class Seeds:
    """Forms of seed.c, as tests/fuzz/dwarf_fuzz.c reads them."""

    def __init__(self, folder, work):
        self.folder, self.work = folder, work

    def run(self, *argv):
        subprocess.run([str(a) for a in argv], check=True, cwd=self.work,
                       stdout=subprocess.DEVNULL)

    def compile(self, name, compiler, *flags):
        self.run(compiler if shutil.which(compiler) else "gcc", "-O2",
                 "-nostdlib", "-static", "-Wl,-n,-e,main,--build-id",
                 *flags,
                 pathlib.Path(__file__).parent / "seed.c", "-o",
                 self.work / name)
        return self.work / name

    def put(self, name, program, second=None):
        data = program.read_bytes()
        if second:
            data = (struct.pack("<I", len(data)) + data +
                    second.read_bytes())
        (self.folder / name).write_bytes(data)

    def split(self):
        self.run("gcc", "-g", "-gdwarf-5", "-gsplit-dwarf", "-O2", "-c",
                 pathlib.Path(__file__).parent / "seed.c", "-o", "seed.o")
        self.run("gcc", "-nostdlib", "-static", "-Wl,-n,-e,main", "seed.o",
                 "-o", "split")
        self.put("dwarf_split", self.work / "split", self.work / "seed.dwo")

    def alternate(self, plain):
        if not shutil.which("dwz"):
            self.put("dwarf_alternate", plain)
            return
        for name in "ab":
            shutil.copy(plain, self.work / name)
        self.run("dwz", "-m", "seed.alt", "-r", "a", "b")
        self.put("dwarf_alternate", self.work / "a", self.work / "seed.alt")

    def minidebuginfo(self, plain):
        if not shutil.which("xz"):
            self.put("dwarf_mini", plain)
            return
        shutil.copy(plain, self.work / "mini")
        self.run("strip", "-g", "mini")
        self.run("xz", "-k", "mini")
        self.run("objcopy", "-S", "--add-section=.gnu_debugdata=mini.xz",
                 "mini")
        self.put("dwarf_mini", self.work / "mini")

    def make(self):
        for compiler in ("gcc", "clang"):
            for version in ("4", "5"):
                name = f"dwarf_{compiler}{version}"
                self.put(name, self.compile(name, compiler,
                                            f"-gdwarf-{version}"))
        plain = self.work / "dwarf_gcc5"
        self.put("dwarf_zlib", self.compile("zlib", "gcc", "-g", "-gz"))
        self.split()
        self.alternate(plain)
        self.minidebuginfo(plain)


def main(build, folder):
    build, folder = pathlib.Path(build).resolve(), pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    target = build / "tests" / "targets" / "O2" / "tail"
    shutil.copy(target, folder / "elf")
    shutil.copy(target.parent / "exceptions", folder / "elf_exceptions")
    shutil.copy(build / "tests" / "golden" / "libverdicts_relr.so",
                folder / "elf_tables")
    (folder / "perf_map").write_bytes(perf_map())
    (folder / "expression").write_text(
        '*(unsigned char **)($rdi + 8) != "text\\n" && !(arg1 % 7) || '
        "((long *)arg2)[$eax >> 3] / -ret <= 0x1f ^ ~'c'")
    (folder / "probe").write_text(
        "lib*.so:inflate%return remark\nif arg1 > 3 && $rdi\nlimit 12\n"
        "record arg1/x, *(char **)(arg2 + 8)/s20\nbegin a $rsp\nend a 1\n")
    (folder / "expression_list").write_text(
        "arg1/s20, *(const char *)arg2/x, tid, $rsp & 15 /u,(int)ret/c")
    (folder / "match").write_text("^(a|b[c-f]*)?[^x]+.$\nabcdefgh\n")
    (folder / "match_long").write_text(
        "^_Z(N[0-9]+|St){1,4}([[:alpha:]_]+\\b)*|foo\\w{2,}$\n"
        "_ZN3foo3barEv and foobar\n")
    (folder / "jitdump").write_bytes(jitdump())
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        subprocess.run(
            [build / "cli" / "clew", "record", "-m", "*tail*", "-o",
             work / "out", "--", target], check=True,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "XDG_CACHE_HOME": str(work / "cache")})
        (part,) = (work / "out").glob("*.part")
        shutil.copy(part, folder / "part")
        subprocess.run(
            [build / "cli" / "clew", "record", "-m", "values", "-o",
             work / "counted", "--", target.parent / "values", "exit"],
            check=True, stdout=subprocess.DEVNULL,
            env={**os.environ, "XDG_CACHE_HOME": str(work / "cache")})
        subprocess.run(
            [build / "cli" / "clew", "record", "-m", "marks", "-o",
             work / "marked", "--", target.parent / "marks", "exit"],
            check=True, stdout=subprocess.DEVNULL,
            env={**os.environ, "XDG_CACHE_HOME": str(work / "cache")})
        subprocess.run(
            [build / "cli" / "clew", "record", "-m", "marks", "-o",
             work / "probed", "--probe=naps%return",
             "--action=record ret, tid/x, *(char **)$rsp, $rsp/s9",
             "--probe=serves", "--action=if $rdi", "--action=limit 3",
             "--action=record arg1/c", "--probe=not_there", "--",
             target.parent / "marks", "exit"],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "XDG_CACHE_HOME": str(work / "cache")})
        for name, made in (("values", "counted"), ("marks", "marked"),
                           ("probes", "probed")):
            part = max((work / made).glob("*.part"),
                       key=lambda path: path.stat().st_size)
            shutil.copy(part, folder / name)
        subprocess.run([build / "tests" / "unit" / "make_recording",
                        work / "made", "150", "100", "/bin/true"], check=True,
                       stdout=subprocess.DEVNULL)
        (part,) = (work / "made").glob("*.part")
        shutil.copy(part, folder / "samples")
        cached = min((path for path in (work / "cache").rglob("*.analysis")),
                     key=lambda path: path.stat().st_size)
        (folder / "cache").write_bytes(cached.read_bytes()[:-8])
        make_index(build, folder, work)
        Seeds(folder, work).make()


if __name__ == "__main__":
    main(*sys.argv[1:])
