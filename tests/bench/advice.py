# SPDX-License-Identifier: MIT
"""Compares what the hint about clew's own cost promises with what following it saves.

A report names options that lower clew's cost, and the CPU time that each would save.
This bench records programs with and without each of these options. It is right if a
promise differs from the saving by less than a third.
"""
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

from measure import CLEW, CLEW_TOOL, medians, recorded, table
from programs import LOADS, MANY

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
PROMISE = re.compile(
    r"(?:recording with|, with) (\S+(?: '[^']*')?) (?:would save )?about "
    r"([\d.,]+) (ns|us|ms|s)\b")


def promises(load, folder):
    """Returns [(option, seconds)] of the program's report."""
    argv, stdin = load.build(folder, load.sizes[MANY])
    path = folder / "recording"
    with open(stdin or "/dev/null", "rb") as feed:
        subprocess.run([CLEW, "record", "-o", path, "--", *map(str, argv)],
                       check=True, stdin=feed, cwd=folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    report = subprocess.run([CLEW, "report", "--wide", path], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    hint = [line for line in report.splitlines()
            if line.startswith("hint: clew itself took")]
    return [(option, float(number.replace(",", "")) * UNITS[unit])
            for option, number, unit in PROMISE.findall("".join(hint))]


def rows_of(load, folder, rounds):
    (folder / "script").write_text(load.script, encoding="utf-8")
    promised = promises(load, folder)
    if not promised:
        return [[load.name, "no hint", "", "", ""]]
    job = load.build(folder, load.sizes[MANY])
    tools = {option: recorded(option, *shlex.split(option))
             for option, _ in promised}
    found = medians({option: (tool, *job) for option, tool in
                     {"": CLEW_TOOL, **tools}.items()}, rounds)
    return [[load.name, f"`{option}`", f"{seconds:.2f} s",
             f"{found[''].cpu - found[option].cpu:.2f} s",
             f"{(found[''].cpu - found[option].cpu) / seconds:.2f}"]
            for option, seconds in promised]


def bench(rounds):
    rows = []
    for load in LOADS:
        if not shutil.which(load.program):
            continue
        with tempfile.TemporaryDirectory(prefix="clew-bench-") as folder:
            rows += rows_of(load, pathlib.Path(folder), rounds)
    return table(["program", "option", "promised", "saved",
                  "saved / promised"], rows)
