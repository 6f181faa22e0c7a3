# SPDX-License-Identifier: MIT
"""Collects the figures of recordings, and complaints about them.

The figures come from `clew report --json` and `clew list --json`, so these commands are
also tested on recordings of real programs.
"""
import collections
import json
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from lib import wire  # noqa: E402

Figures = collections.namedtuple(
    "Figures", "calls contexts processes threads modules hooked refused traps "
    "verified mismatches stray lost refusals")

# A call may be uncounted for these reasons without an error.
EXPLAINED = {"made inside fork() itself",
             "made by generated code into its own runtime"}
# Hooks would break functions with these verdicts, such as setjmp, vfork and unwinders.
NOT_ELIGIBLE = {says for name, _, says in wire.VERDICTS
                if name in ("NAMED", "READS_RETURN_ADDRESS",
                            "LENDS_RETURN_ADDRESS", "CALLS_MCOUNT",
                            "TAKES_FLAGS",
                            "UNWINDER", "LANDS")}
REFUSALS = {says for _, kind, says in wire.VERDICTS if kind == "REFUSED"}


def read(clew, recordings):
    """Returns the figures of all recordings together, and a list of complaints."""
    total, complaints = None, []
    for path in recordings:
        one, said = _read_one(clew, path)
        complaints += said
        total = one if total is None else added(total, one)
    return total, complaints


def of_dictionary(one):
    """Returns the figures that _asdict() converted, and that JSON stored."""
    return Figures(**{**one, "refusals": collections.Counter(one["refusals"])})


def _json(clew, *arguments):
    done = subprocess.run([clew, *arguments], capture_output=True, check=False)
    if done.returncode or done.stderr:
        raise ValueError(f"clew {' '.join(map(str, arguments))}: "
                         f"status {done.returncode}, {done.stderr.decode()}")
    return json.loads(done.stdout)


def _read_one(clew, path):
    try:
        report = _json(clew, "report", "--json", path)
        modules = _json(clew, "list", "--json", "-a", path)["modules"]
    except ValueError as unreadable:
        return _NOTHING, [str(unreadable)]
    total, confidence = report["total"], report["confidence"]
    coverage = report["coverage"]
    complaints = [f"problem: {p}" for p in report["problems"]]
    complaints += [f"lost: {calls} calls: {why}"
                   for why, calls in report["lost"].items()
                   if why not in EXPLAINED]
    complaints += [f"{total[k]} {k} calls" for k in ("folded", "stray")
                   if total[k]]
    complaints += [f"{confidence[k]} verifications {k}"
                   for k in ("collisions", "diverged") if confidence[k]]
    refusals = collections.Counter(
        f["verdict"] for m in modules if m["hooked"]
        for f in m.get("functions", []) if f["verdict"] in REFUSALS)
    return Figures(
        total["calls"], total["contexts"], total["processes"],
        total["threads"], sum(m["hooked"] for m in modules),
        coverage["hooked"], coverage["refused"],
        _trapped_calls(report, modules), confidence["verified"],
        confidence["collisions"] + confidence["diverged"], total["stray"],
        sum(report["lost"].values()), refusals), complaints


def _trapped_calls(report, modules):
    """Returns the number of calls of functions that are hooked by a breakpoint."""
    trapped = {(m["path"], f["vaddr"]) for m in modules
               for f in m.get("functions", []) if "int3" in f["verdict"]}
    return sum(f["calls"] for f in report["functions"]
               if (f.get("module"), f.get("vaddr")) in trapped)


_NOTHING = Figures(*[0] * 12, collections.Counter())


def added(one, other):
    """Returns the sum of figures. Modules are not summed: the recording with the most
    modules stands for all.
    """
    summed = Figures(*(a + b for a, b in zip(one, other)))
    most = max(one, other, key=lambda figures: figures.modules)
    return summed._replace(modules=most.modules, hooked=most.hooked,
                           refused=most.refused, refusals=most.refusals)
