# SPDX-License-Identifier: MIT
"""Measures a hit of a probe: by a jump, by a breakpoint, and by a tracer's single step.

The program measures the duration of a call itself. In each round, the duration of the
same call without a probe is subtracted.
"""
import re
import statistics
import subprocess

from measure import BENCH, CLEW, NATIVE, Tool, run, table

PROGRAM = BENCH / "probing"
FAST, SLOW, STEPS = "20000000", "300000", "20000"
HANDLERS = {kind: BENCH / f"probing_{kind}.so"
            for kind in ("general", "vectors")}
ROWS = [
    ("it counts", "wide", FAST, []),
    ("... of a hooked function", "wide", FAST, [], True),
    ("... and calls a handler, empty", "wide", FAST, ["call {general}:empty"]),
    ("... and keeps the vector state", "wide", FAST, ["call {vectors}:empty"]),
    ("a condition that does not hold", "wide", FAST, ["if arg1 < 0"]),
    ("... that reads memory", "wide", SLOW, ["if *(char *)arg2 == 'x'"]),
    ("a value is kept", "wide", SLOW, ["record arg1"]),
    ("a string is kept", "wide", SLOW, ["record arg2/s"]),
    ("a region begins", "wide", SLOW, ["begin here"]),
    ("by a breakpoint", "narrow", SLOW, []),
]


def addresses():
    names = subprocess.run(["nm", PROGRAM], check=True, text=True,
                           stdout=subprocess.PIPE).stdout
    return {how: "0x" + re.search(rf"(\w+) T probing_{how}$", names,
                                  re.M)[1].lstrip("0")
            for how in ("wide", "narrow")}


def clew(options):
    return Tool("clew", lambda argv, scratch: [
        CLEW, "record", "--time=none", "-o", scratch / "clew.out", *options,
        "--", *argv], CLEW)


def cost(how, count, options):
    return float(run(clew(options), [PROGRAM, how, count]).output)


def bench(rounds):
    places = addresses()
    found = {}
    for _ in range(rounds):
        for what, how, count, actions, *hooked in ROWS:
            plain = [] if hooked else ["-F", "."]
            probe = ["--probe", places[how],
                     *("--action=" + action.format(**HANDLERS)
                       for action in actions)]
            found.setdefault(what, []).append(
                cost(how, count, plain + probe) - cost(how, count, plain))
        found.setdefault("a tracer that steps", []).append(
            float(run(NATIVE, [PROGRAM, "stepped", STEPS]).output))
    return table(["a hit", "ns"], [
        [what, f"{statistics.median(costs):,.1f}"]
        for what, costs in found.items()])
