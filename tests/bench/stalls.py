# SPDX-License-Identifier: MIT
"""Finds the instructions of stubs at which the processor stalls.

`perf record -e cpu-clock` samples whole programs. Addresses in stubs become offsets
from the stub's start. A sample has the address of the instruction that follows the
stalled one. Displaced instructions differ from function to function and share one row.

Stubs of leaves have other code at these offsets, which the table also shows.
"""
import collections
import pathlib
import re
import shutil
import subprocess
import tempfile

import database
import wide
from measure import BUILD, CLEW, Tool, table
from programs import LOADS, MANY

STUB_BYTES = 512
# smallest share of the samples in stubs that is shown, in percent, in any of
# the programs
LEAST = 3
WIDE = 2868  # functions of the model of a wide program
AWK = """BEGIN { for (i = 0; i < 600000; i++) { k = i * 7919 % 1009
  words[k] = words[k] "x"; if (length(words[k]) > 50) words[k] = "" }
  for (k in words) n += length(words[k]); print n }"""
MORE = {
    "mawk": ["mawk", AWK],
    "php": ["php", "-r", """function f($n) { return $n < 2 ? $n :
  f($n - 1) + f($n - 2); } for ($i = 0; $i < 60; $i++) { f(18);
  $a = range(1, 3000); shuffle($a); sort($a); json_encode($a); }"""],
    "jq": ["jq", "-n", "[range(200000) | {id: ., name: \"x\\(.)\"}] | "
           "group_by(.id % 100) | map(length) | add"],
    "bc": ["sh", "-c", "echo 'scale=900; a(1)*4; e(1)' | bc -l"],
}


def template(symbol):
    """Returns (offset of the displaced instructions, end of the space for them,
    {offset: instruction}) of a template.
    """
    library = BUILD / "preload" / "libclew.so"

    def output_of(*command):
        return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                              text=True).stdout
    at = next(int(line.split()[0], 16)
              for line in output_of("nm", library).splitlines()
              if line.endswith(f" {symbol}"))
    # The template's pointers are relocated at start, so readelf shows their values.
    start = next(int(line.split()[-1], 16)
                 for line in output_of("readelf", "-rW", library).splitlines()
                 if re.match(f"0*{at:x} ", line))
    image = library.read_bytes()
    for line in output_of("readelf", "-lW", library).splitlines():
        field = line.split()
        if field[:1] == ["LOAD"]:
            offset, vaddr, size = (int(field[i], 16) for i in (1, 2, 4))
            if vaddr <= start < vaddr + size:
                code = image[start - vaddr + offset:][:STUB_BYTES]
            if vaddr <= at < vaddr + int(field[5], 16):
                head = image[at - vaddr + offset:][:32]
    displaced, end = (int.from_bytes(head[i:i + 2], "little")
                      for i in (28, 30))
    with tempfile.NamedTemporaryFile() as file:
        file.write(code)
        file.flush()
        said = output_of("objdump", "-D", "-b", "binary", "-m", "i386:x86-64",
                         "--no-show-raw-insn", file.name)
    found = re.findall(r"^\s*([0-9a-f]+):\t(.*?)\s*$", said, re.M)
    return displaced, end, {int(offset, 16): text for offset, text in found}


def recording(folder, argv):
    """Returns the command that samples a program under clew."""
    return ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "3000", "-o",
            folder / "perf.data", CLEW, "record", "-q", "--time=none", "-o",
            folder / "clew.out", "--", *argv]


def offsets(folder):
    """Returns ({offset in the stub: samples}, number of all samples)."""
    said = subprocess.run(["perf", "script", "-f", "-i",
                           folder / "perf.data", "-F", "ip,dso"],
                          check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout
    lines = said.splitlines()
    return collections.Counter(
        int(line.split()[0], 16) % STUB_BYTES for line in lines
        if ".stubs" in line or ".prelinked" in line), len(lines)


def sampled(argv, stdin, folder):
    with open(stdin or "/dev/null", "rb") as feed:
        subprocess.run(recording(folder, argv), check=True, stdin=feed,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return offsets(folder)


def sampled_database():
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        folder = pathlib.Path(name)
        server = database.Database(
            Tool("perf", lambda argv, scratch: recording(scratch, argv)),
            database.folder_of_programs(), folder)
        server.load()
        server.stop()
        return offsets(folder)


def programs(folder):
    for load in LOADS:
        if shutil.which(load.program):
            (folder / "script").write_text(load.script, encoding="utf-8")
            yield load.name.split(",")[0].split(":")[0].split(" ")[0], \
                load.build(folder, load.sizes[MANY])
    for name, argv in MORE.items():
        if shutil.which(name):
            yield name, (argv, None)
    program, calls = wide.build(folder, wide.LEVELS[WIDE])
    yield "wide", ([program, wide.CALLS // calls, "1"], None)


def bench(_rounds):
    if not shutil.which("perf"):
        return "(no perf here)"
    displaced, end, text = template("hot_stub_plain")
    _, _, leaf = template("hot_stub_leaf")
    found = {}
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        folder = pathlib.Path(name)
        for program, (argv, stdin) in programs(folder):
            found[program] = sampled(argv, stdin, folder)
    if database.folder_of_programs() and shutil.which("pgbench"):
        found["postgres"] = sampled_database()
    shares = {}
    for program, (counts, _) in found.items():
        for offset, count in counts.items():
            place = displaced if displaced <= offset < end else offset
            row = shares.setdefault(place, collections.Counter())
            row[program] += 100 * count / max(sum(counts.values()), 1)
    rows = [["all of the stubs, of the program's samples", "", "",
             *(f"{100 * sum(counts.values()) / max(every, 1):.0f}"
               for counts, every in found.values())]]
    for place, row in sorted(shares.items()):
        if max(row.values()) >= LEAST:
            what = "(displaced)" if place == displaced else \
                f"`{text.get(place, '?')}`"
            rows.append([what, f"`{leaf.get(place, '?')}`", f"{place:#x}",
                         *(f"{row[program]:.0f}" for program in found)])
    return table(["% of samples in stubs, at", "in a leaf's stub", "offset",
                  *found], rows)
