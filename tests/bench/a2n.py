# SPDX-License-Identifier: MIT
"""Measures symbolization of libjvm.so with its debug file, with inlined calls.

All tools get the same random addresses of .text and write to a file. The figures are
CPU seconds and peak memory of each process and its children. A "cold" run creates the
index first, without a cache.
"""
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import tempfile

from measure import CLEW, table

MODULE = "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so"
COUNTS = (1, 1000, 100000)
OPTIONS = ["-i", "-f", "-C", "-e", MODULE]
TOOLS = {
    "addr2line": ["addr2line", *OPTIONS],
    "llvm-symbolizer": ["llvm-symbolizer", "-i", "-f", "-C", "-e", MODULE],
    "eu-addr2line": ["eu-addr2line", *OPTIONS],
    "clew a2n, cold": [str(CLEW), "a2n", "--no-cache", *OPTIONS],
    "clew a2n": [str(CLEW), "a2n", *OPTIONS],
}
SLOW = {("eu-addr2line", 100000)}  # These take minutes.


def text_section():
    out = subprocess.run(["readelf", "-SW", MODULE], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    match = re.search(r"\] \.text\s+\w+\s+([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)",
                      out)
    return int(match[1], 16), int(match[2], 16)


def measure(argv, addresses, folder):
    """Returns the CPU seconds and the peak memory in MB."""
    with open(addresses, "rb") as feed, open(folder / "out", "wb") as out:
        process = subprocess.Popen(argv, stdin=feed, stdout=out,
                                   stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{argv[0]}: status {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def bench(rounds):
    if not os.path.exists(MODULE):
        return f"skipped: no {MODULE}"
    start, size = text_section()
    chance = random.Random(1)
    rows = []
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        folder = pathlib.Path(name)
        os.environ["XDG_CACHE_HOME"] = str(folder)
        subprocess.run([CLEW, "cache", "warm", "--no-libraries", MODULE],
                       check=True, stdout=subprocess.DEVNULL)
        for count in COUNTS:
            with open(folder / str(count), "w", encoding="ascii") as file:
                file.writelines(f"{start + chance.randrange(size):#x}\n"
                                for _ in range(count))
        found = {}
        for _ in range(min(rounds, 3)):
            for tool, argv in TOOLS.items():
                for count in COUNTS:
                    if (tool, count) in SLOW or not shutil.which(argv[0]):
                        continue
                    found.setdefault((tool, count), []).append(
                        measure(argv, folder / str(count), folder))
    for tool in TOOLS:
        row = [tool]
        for count in COUNTS:
            samples = found.get((tool, count))
            row.append("-" if not samples else "{:.3f} s, {:.0f} MB".format(
                statistics.median(s[0] for s in samples),
                statistics.median(s[1] for s in samples)))
        rows.append(row)
    return table(["libjvm.so", *(f"{c:,} addresses" for c in COUNTS)], rows)
