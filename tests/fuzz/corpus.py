#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""corpus.py BUILD FOLDER: makes the inputs that the fuzzers start from.

A recording's part, one with packed counts, two with what agents told, a cached
analysis and an index, as this build writes them; of the analysis the checksum at
the end is left out, as its fuzzer wants it. A perf map, a jitdump file and what
Erlang registers, as runtimes write them. A packet, and a trace. A small program
with debug information of several kinds; where a program that makes one is
missing, gcc's of version 5 takes its place.
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


def erlang():
    """A module of the runtime's JIT (preload/generated/erlang_symbols.h)."""
    def named(head, name, padding):
        return head + struct.pack("<H", len(name) + 1) + name + bytes(
            1 + padding)

    symbols = named(struct.pack("<IIQII", 1, 0, 0x7f0000001000, 20, 0x1000),
                    b"lists", 6)
    for i in range(20):
        symbols += named(struct.pack("<III", i * 0x40, i * 0x40 + 0x38, i % 3),
                         b"lists:f%d/2" % i, 2)
        for j in range(i % 3):
            symbols += named(struct.pack("<II", i * 0x40 + j, 10 + j),
                             b"lists.erl", 2)
    return symbols


def packet():
    """A context, calls, tail calls and stamps, sites and values (wire/packet.h)."""
    def call(place, index):
        return place << 22 | index

    def odd(kind, words):
        return kind << 22 | 0x3f0000 | words

    words = [odd(1, 15), 77, 1, 0, 5000, 0, 3, 0, 2, 2, 0x7001, 0x7002,
             600, 0xffffffff, 0x646e6521, odd(7, 5), 0x1234, 0x5555, 0x5678,
             0x5555, odd(8, 6), 1 << 8, 600, 1, 99, 0]
    for i in range(200):
        place = 590 - 30 * (i % 7)
        words.append(call(place, 1 + i % 50))
        if i % 20 == 7:
            words += [odd(2, 2), call(place, 0x403)]
        if i % 3 == 0:
            words += [odd(6, 3), 0x1234 + i, 0x5555]
        if i % 10 == 1:
            words += [odd(8, 6), 0, place, 0, i, 0]
        if i % 10 == 2:
            words += [odd(8, 7), 0x101, place, i % 3, 4, 0, 0x64636261 + i % 5]
        if i % 40 == 33:
            words += [odd(5, 4), place, 5900 + i, 0]
        if i % 64 == 63:
            words += [odd(3, 3), 6000 + i, 0]
    return struct.pack("<%dI" % len(words), *words)


def taken():
    """Two packets that were counted, and three contexts (wire/taken.h)."""
    return (struct.pack("<8s6I5Q2I", b"clewtkn\n", 1, 80, 4242, 0, 16, 32,
                        2, 3, 2, 900, 0, 2, 0) +
            struct.pack("<4Q", 24576, 3, 24576 + 65536, 5) +
            b"".join(struct.pack("<3Q2I", 0x1234 + i, 300, i, i % 2, 7 + i)
                     for i in range(3)))


def trace():
    def chunk(kind, owner, size, payload):
        head = struct.pack("<IIQQ40x", kind, owner, size, 0)
        return (head + payload).ljust(size, b"\0")

    blocks = chunk(36, 0, 20480, struct.pack("<4I", 2, 0, 29, 13))
    body = b"".join(chunk(35, i % 2, 65536, packet()) for i in range(3))
    end = 4096 + len(blocks) + len(body)
    head = b"clewrec\n" + struct.pack("<IIQIIII", 5, 4096, end, 3, 1, 77, 0)
    return head.ljust(4096, b"\0") + blocks + body


def attachment():
    """A process's memory from 0x10000: attachment, probes, and the arrays."""
    start, arrays = 0x10000, 0x3000
    head = struct.pack(
        "<IIIiII25Q", 11, 2, 1, 0, 0, 0,
        start + arrays, 2, 0, start + arrays + 0x100, 64,  # texts, frames
        0x1000, 0x2000, 0x3000, 0x4000, start + 0x3800, 3, 8,
        start + arrays + 0x200, 2, 0,  # words
        start + arrays + 0x300, 576, 128, 0, 0,  # variables
        0, start + arrays + 0x600, start + arrays + 0x700, 0, 0)
    texts = b"".join(
        struct.pack("<QB10s10sBBxI4x", at, 5, b"", b"jump!", is_data, 0, 0)
        for at, is_data in ((start + 0x4ffe, 0), (start + 0x5100, 1)))
    probes = struct.pack("<IIIIi128sII", 1, 2, 1, 0, 0, b"why", 1, 1)
    return (head.ljust(8672, b"\0") + probes).ljust(arrays, b"\0") + \
        texts.ljust(0x400, b"\1")


IMPORTED = {
    "folded": "# stacks\nmain;work(int, a b);read_[k] 12\nmain;work 30\n"
              "java/lang/String.hashCode_[j];c_[i];;[unknown] 3\n",
    "perf": """# captured on: Sun
my prog 1 4711/4712 [001] 68807.388432:    1001001 cpu-clock:ppp:\x20
\t            e3aa _dl_start+0x78a (/usr/lib/ld-linux-x86-64.so.2)
\t           1de39 work(int)+0x1e (inlined)
\t           1a34f main+0x7f (/tmp/a (b)/prog (deleted))
  prog.c:12
\tffffffff81000000 do_idle ([kernel.kallsyms])
\tffffffffc0000000 nft_do_chain ([nf_tables])

prog 4712 68807.390517: cycles:u:      163967 memcmp+0x27 (/usr/lib/libc.so.6)
prog 4712/4713 3.5: sched:sched_switch: prev_comm=prog prev_pid=4712
\t        7f00 [unknown] (/tmp/perf-4712.map)

prog 4712 cycles:
\t            19d0 fill (/tmp/prog)
""",
    "callgrind": """# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 4711
cmd: ./prog 1
positions: instr line
events: Ir Dr

ob=(1) /usr/bin/prog
fl=(1) prog.c
fn=(1) main
0x10 3 100 20
+4 +1 7
cob=(2) /lib/libc.so.6
cfi=(2) ???
cfn=(2) malloc
calls=3 0x20 0
* * 300 9
cfn=(3) work
calls=2 9
0x18 4 500 1
jump=3 0x10 3
0x1c 5
fn=(3)
fi=(3) inline.h
0x30 9 400
fe=(1)
jcnd=1/3 +3 +1
+0 10
cfn=(3)
calls=4 +0 9
0x34 10 90
cob=(2)
cfn=(2)
calls=1 0x20
0x38 11 100

ob=(2)
fn=(2)
0x20 0 400 9
fn=(4) alone'2
0 0
totals: 1007 29
""",
}

CONFIG = r"""# a comment
module libz.so.1
not-module *ssl*
function ^[a-z_]+[0-9]?$
not-function ^(main|operator) *
probe lib*.so:inflate%return
action record ret, *(char **)$rsp, arg1/x
action if arg1 > 3 && $rdi
action slower a 5ms
action snapshot slowest 10
probe serves
action call ./h.so:handler a text
java exact:com.acme.*
cache /root/.cache/clew
time exact
trace ring:65536
stamps 10us
max-contexts 1000
max-bytes 1048576
rate 997
budget 50
"""

SHORT_NAME = (
    "std::enable_if<(4<5), std::basic_string<char, std::char_traits<char> > > "
    "(*a::f<int, std::allocator<int> >(int&&) const::{lambda(int)#1}::operator"
    "<< <<a::B as c::D>::e>(char))(int) [clone .cold]+0x12")

MAPS = """\
55d0c0a00000-55d0c0a02000 r--p 00000000 08:01 131 /usr/bin/a b (deleted)
55d0c0a02000-55d0c0a03000 r-xp 00002000 08:01 131 /usr/bin/a b (deleted)
7f0000000000-7f0000021000 rw-p 00000000 00:00 0
7f0000400000-7f0000428000 r--p 00000000 08:01 77                         /lib/libc.so.6
7f0000428000-7f0000590000 r-xp 00028000 08:01 77                         /lib/libc.so.6
7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                          [stack]
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
"""


def record_taken(build, target, work):
    """The files of a process whose packets workers have counted: it waits
    until a worker has."""
    handed = work / "handed"
    subprocess.run(
        [build / "cli" / "clew", "record", "-m", "contexts", "--trace=64K",
         "--on-overflow=wait", "--workers=1", "-o", handed, "--",
         target.parent / "contexts", "4", "3", "20000"], check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "XDG_CACHE_HOME": str(work / "cache")})
    found = [next(handed.glob("*." + kind))
             for kind in ("taken", "part", "trace")]
    files = [path.read_bytes() for path in found]
    return struct.pack("<II", len(files[0]), len(files[1])) + b"".join(files)


def make_index(build, folder, work):
    """Writes the index of a small program with debug information."""
    program = work / "program"
    source = pathlib.Path(__file__).parents[1] / "targets" / "inlines.cc"
    subprocess.run(["g++", "-g", "-O2", source, "-o", program], check=True)
    subprocess.run([build / "cli" / "clew", "cache", "warm",
                    "--no-libraries", program],
                   check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "XDG_CACHE_HOME": str(work / "a2n")})
    (index,) = (work / "a2n").rglob("*.a2n")
    shutil.copy(index, folder / "index")


def small_class():
    """With a constructor, a jump, a switch, frames and a handler."""
    def text(text):
        return struct.pack(">BH", 1, len(text)) + text

    def member(access, name, *codes):
        return struct.pack(">HHHH", access, name, 7, len(codes)) + b"".join(codes)

    def code(bytecode, exceptions, *attributes):
        body = (struct.pack(">HHI", 2, 3, len(bytecode)) + bytecode +
                struct.pack(">H", len(exceptions) // 8) + exceptions +
                struct.pack(">H", len(attributes)) + b"".join(attributes))
        return struct.pack(">HI", 5, len(body)) + body

    def attribute(name, body):
        return struct.pack(">HI", name, len(body)) + body

    constants = [text(b"A"), b"\7\0\1", text(b"java/lang/Object"), b"\7\0\3",
                 text(b"Code"), text(b"m"), text(b"()V"), text(b"<init>"),
                 b"\x0c\0\x08\0\7", b"\x0a\0\4\0\x09",
                 text(b"StackMapTable"), text(b"LineNumberTable"),
                 text(b"LocalVariableTable"),
                 text(b"RuntimeVisibleTypeAnnotations")]
    switch = b"\x1a\xaa\0\0" + struct.pack(">iiii", 19, 1, 1, 22)
    return (struct.pack(">IIH", 0xcafebabe, 52, len(constants) + 1) +
            b"".join(constants) + struct.pack(">HHHHHH", 33, 2, 4, 0, 0, 3) +
            member(1, 8, code(
                b"\x2a\x1b\x99\0\7\xbb\0\4\x57\xb7\0\x0a\xb1", b"",
                attribute(11, b"\0\1\xff\0\x09\0\1\6\0\1\6"))) +
            member(8, 6, code(
                switch + b"\xb1\0\0\0\x1a\x99\xff\xe7\xb1\xbf",
                struct.pack(">HHHH", 0, 24, 28, 4),
                attribute(11, b"\0\4\0\xff\0\x13\0\1\1\0\0\2\x44\7\0\4"),
                attribute(12, struct.pack(">HHHHH", 2, 0, 1, 20, 2)),
                attribute(13, struct.pack(">HHHHHH", 1, 0, 29, 6, 7, 0)),
                attribute(14, b"\0\1\x40\0\1\0\0\0\x09\0\1\0\0\7\0\0"))) +
            member(0x401, 6) + b"\0\0")


def make_classes(folder, work):
    """Writes a handmade class, and one of javac if it is installed."""
    (folder / "class_small").write_bytes(small_class())
    shutil.copy(folder / "class_small", folder / "class")
    if shutil.which("javac"):
        targets = pathlib.Path(__file__).parents[1] / "targets"
        subprocess.run(["javac", "--release", "17", "-g", "-d", work,
                        targets / "Counted.java", targets / "Counts.java"],
                       check=True)
        shutil.copy(work / "com" / "acme" / "Counted.class",
                    folder / "class")


def make_unwinding(folder, work):
    """A stack of functions of seed.c, and a signal's frame in the middle.

    At a function's entry, the return address is on top of the stack, whatever
    the function's frame looks like later: each pc of the seed is one byte
    behind an entry.
    """
    module_at, block_at, stack_at = 0x10000000, 0x20000000, 0x30000000
    library = work / "unwound.so"
    subprocess.run(
        ["gcc", "-O2", "-shared", "-nostdlib", "-fPIC",
         "-fasynchronous-unwind-tables", "-Wl,-z,separate-code,--build-id",
         "-Wl,--eh-frame-hdr", "-s", pathlib.Path(__file__).parent / "seed.c",
         pathlib.Path(__file__).parent / "restorer.S", "-o", library],
        check=True)
    names = {line.split()[2]: int(line.split()[0], 16) for line in
             subprocess.run(["nm", "-D", library], check=True, text=True,
                            capture_output=True).stdout.splitlines()
             if len(line.split()) == 3}
    module = library.read_bytes()
    main, apply, restorer, endless = (
        names[name] for name in ("main", "apply", "restorer", "endless"))
    frame = bytearray(0xf8)  # ucontext_t, up to the registers' end
    words = {0xa0: stack_at + 0x1000, 0xa8: module_at + apply + 1}  # rsp, rip
    for at, word in words.items():
        struct.pack_into("<Q", frame, at, word)
    stack = struct.pack("<3Q", module_at + apply + 1, block_at + main + 1,
                        module_at + restorer) + frame
    stack = stack.ljust(0x1000, b"\0") + struct.pack(
        "<3Q", module_at + main + 1, module_at + apply + 1, 0)
    registers = [0] * 17
    registers[7] = stack_at
    registers[3] = stack_at + 0x200  # as an exception's header
    for name, pc in (("unwinding", main), ("unwinding_endless", endless)):
        registers[16] = module_at + pc + 1
        (folder / name).write_bytes(
            struct.pack("<17QH", *registers, len(module)) + module + stack)


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
        self.put("elf_static", plain)
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
        "record arg1/x, *(char **)(arg2 + 8)/s20\nbegin a $rsp\nend a 1\n"
        "call ./h.so:handler a text: of it\n")
    (folder / "expression_list").write_text(
        "arg1/s20, *(const char *)arg2/x, tid, $rsp & 15 /u,(int)ret/c")
    (folder / "short_name").write_text(SHORT_NAME)
    (folder / "baseline").write_text(
        "clew baseline 1\ntime\tcpu\t9\nmissing\t0\nmodule\tprogram\n"
        "7\tmain\tnative\t5\t1\t9\t3\n1\tf(int)\n"
        "module\tlibx.so.1\tabcd01\n3\t+0x12e0\nmodule\t-\n"
        "0\t(kernel)\tkernel\t4\t2\t4\t2\n\0total(f(int)) >= -2.5%")
    for name, text in IMPORTED.items():
        (folder / f"import_{name}").write_text(text)
    (folder / "match").write_text("^(a|b[c-f]*)?[^x]+.$\nabcdefgh\n")
    (folder / "match_long").write_text(
        "^_Z(N[0-9]+|St){1,4}([[:alpha:]_]+\\b)*|foo\\w{2,}$\n"
        "_ZN3foo3barEv and foobar\n")
    (folder / "jitdump").write_bytes(jitdump())
    (folder / "erlang").write_bytes(erlang())
    (folder / "attachment").write_bytes(attachment())
    (folder / "config").write_text(CONFIG)
    (folder / "maps").write_text(MAPS)
    (folder / "script").write_text("#! /usr/bin/env -S A=b program\n")
    (folder / "zeros").write_bytes(bytes(16384))
    (folder / "packet").write_bytes(packet())
    (folder / "trace").write_bytes(trace())
    (folder / "taken").write_bytes(taken())
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        subprocess.run([build / "cli" / "clew", "import", "-o",
                        work / "imported", folder / "import_callgrind"],
                       check=True)
        (part,) = (work / "imported").glob("*.part")
        shutil.copy(part, folder / "imported")
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
        subprocess.run([build / "tests" / "unit" / "make_recording",
                        work / "packed", "400", "0"], check=True,
                       stdout=subprocess.DEVNULL)
        (part,) = (work / "packed").glob("*.part")
        subprocess.run([build / "tests" / "unit" / "repack", "pack", part],
                       check=True)
        shutil.copy(part, folder / "packed")
        cached = min((path for path in (work / "cache").rglob("*.analysis")),
                     key=lambda path: path.stat().st_size)
        (folder / "cache").write_bytes(cached.read_bytes()[:-8])
        (folder / "taken_whole").write_bytes(
            record_taken(build, target, work))
        make_index(build, folder, work)
        make_classes(folder, work)
        make_unwinding(folder, work)
        Seeds(folder, work).make()


if __name__ == "__main__":
    main(*sys.argv[1:])
