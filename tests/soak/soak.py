#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Real programs behave the same with clew as without.

Each program of the tables beside this file runs its load natively, and then
with every function of every module but the loader hooked. Both runs must print
the same bytes, end with the same status and create the same files (load.py).
The recording must be readable, without losses or contradictions (figures.py).

    soak.py [--clew PATH] NAME...   run these programs, or suites of them:
                                    stress-ng (its stressors) and cpython
                                    (CPython's tests), which run for minutes
    soak.py --list [--ci]           print the names of all or of quick programs
    soak.py --packages              print the required Debian packages
    soak.py --table [NAME...]       print the results as a table, in Markdown

ctest runs each program as soak/NAME, or as soak/SUITE.NAME if it belongs to a
suite. A program that is not installed is skipped by exit status 77. If
$CLEW_KEEP is set, the directories of the runs are kept.
"""
import argparse
import difflib
import json
import os
import pathlib
import shutil
import sys
import tempfile

import figures
from load import Failed, Recorder, free_port, run_load
from program import PROGRAMS, load_tables

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CLEW_BUILD", ROOT / "build")).resolve()
RESULTS = BUILD / "tests" / "soak"


def differences(native, recorded):
    """Returns the differences between two results of run_load(), as a list of texts."""
    found = []
    for one, other in zip(native[0], recorded[0]):
        for what in "status", "stdout", "stderr":
            if getattr(one, what) != getattr(other, what):
                found.append(f"{one.command}: {what} differs\n" + difference(
                    getattr(one, what), getattr(other, what)))
    if len(native[0]) != len(recorded[0]):
        found.append("another number of steps")
    names = sorted({*native[1], *recorded[1]})
    found += [f"file {name}: {native[1].get(name, 'missing')} natively, "
              f"{recorded[1].get(name, 'missing')} with clew"
              for name in names if native[1].get(name) != recorded[1].get(name)]
    return found


def difference(one, other):
    if isinstance(one, int):
        return f"{one} natively, {other} with clew"
    lines = [text.decode(errors="backslashreplace").splitlines()
             for text in (one, other)]
    return "\n".join(list(difflib.unified_diff(
        *lines, "natively", "with clew", lineterm="", n=1))[:40])


def judge(program, total, complaints):
    """Returns the complaints about a recording, except those for which the program is excused."""
    said = [c for c in complaints
            if not any(word in c for word in program.excused)]
    if total and total.calls < program.least_calls:
        said.append(f"only {total.calls} calls were recorded")
    return said


def soak(program, clew, work):
    """Runs one program natively and recorded. Returns (figures, list of complaints)."""
    home = work / "home"
    port = free_port()
    native = run_load(program.function, home, port)
    if "CLEW_KEEP" in os.environ:
        home.rename(work / "native")
    recorder = Recorder(clew, work / "recordings", RESULTS / "cache")
    recorded = run_load(program.function, home, port, recorder)
    complaints = differences(native, recorded)
    total, said = figures.read(clew, recorder.recordings)
    return total, complaints + judge(program, total, said)


def run(program, clew):
    """Runs a program, prints and stores its result. Returns an exit status."""
    missing = program.missing()
    if missing:
        print(f"{program.name}: skipped, not installed: {missing}")
        return SKIPPED
    work = pathlib.Path(tempfile.mkdtemp(prefix="clew-soak-"))
    work.chmod(0o755)
    try:
        total, complaints = soak(program, clew, work)
    except Failed as failure:
        total, complaints = None, [str(failure)]
    finally:
        if "CLEW_KEEP" in os.environ:
            print("kept:", work)
        else:
            shutil.rmtree(work, ignore_errors=True)
    note(program, total, complaints)
    if total:
        print(f"{program.name}: " + ", ".join(
            f"{value:,} {name}" for name, value in total._asdict().items()
            if isinstance(value, int)))
        print(f"{program.name}: refused:", dict(total.refusals))
    for complaint in complaints:
        print(f"{program.name}: {complaint}")
    return 1 if complaints else 0


def note(program, total, complaints):
    RESULTS.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"figures": total and total._asdict(),
                       "complaints": complaints}, indent=1)
    (RESULTS / f"{program.name}.json").write_text(text, encoding="utf-8")


def results_of(programs):
    """Yields (program, figures, complaints) of programs that have run."""
    for program in programs:
        path = RESULTS / f"{program.name}.json"
        if path.exists():
            result = json.loads(path.read_text(encoding="utf-8"))
            yield program, result["figures"], result["complaints"]


def cells(name, one, complaints):
    eligible = one["hooked"] + sum(
        count for why, count in one["refusals"].items()
        if why not in figures.NOT_ELIGIBLE)
    share = f"{100 * one['hooked'] / eligible:.2f} %" if eligible else "-"
    return [name + (" (!)" if complaints else ""),
            f"{one['calls']:,}", f"{one['modules']}", share]


def by_suite(results):
    """Returns [(name, figures, complaints)] of suites, and of programs without one."""
    rows = {}
    for program, one, complaints in results:
        known, said = rows.get(program.suite, (None, []))
        one = figures.of_dictionary(one)
        rows[program.suite] = (
            figures.added(known, one) if known else one, said + complaints)
    return [(name, one._asdict(), said) for name, (one, said) in rows.items()]


def print_table(programs, columns=3):
    """Prints a compact table with several programs beside each other."""
    results = [r for r in results_of(programs) if r[1]]
    table = [cells(*row) for row in by_suite(results)]
    rows = -(-len(table) // columns)
    print("| program | calls | modules | hooked " * columns + "|")
    print("|---|--:|--:|--:" * columns + "|")
    for row in range(rows):
        print("| " + " | ".join(
            cell for one in table[row::rows] for cell in one) + " |")
    total = {name: sum(one[name] for _, one, _ in results)
             for name in ("calls", "traps", "verified", "mismatches")}
    print(f"\n{len(results)} programs and members of suites, "
          f"{sum(bool(c) for *_, c in results)} with complaints; "
          f"{total['calls']:,} calls, {total['traps']:,} by int3; "
          f"{total['verified']:,} verified, {total['mismatches']:,} mismatches")


def main():
    parser = argparse.ArgumentParser(description="Real programs under clew.")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--clew", default=BUILD / "cli" / "clew")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--ci", action="store_true")
    parser.add_argument("--packages", action="store_true")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    load_tables()
    known = {*PROGRAMS, *(p.suite for p in PROGRAMS.values())}
    unknown = [n for n in arguments.names if n not in known]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}")
    programs = [p for n in arguments.names for p in PROGRAMS.values()
                if n in (p.name, p.suite)] or [
        p for p in PROGRAMS.values() if p.ci or not arguments.ci]
    if arguments.list:
        print(*(p.name for p in programs), sep="\n")
    elif arguments.packages:
        print(*sorted({package for p in programs for package in p.packages}))
    elif arguments.table:
        print_table(programs)
    else:
        statuses = {run(program, arguments.clew) for program in programs}
        sys.exit(1 if 1 in statuses else max(statuses))


if __name__ == "__main__":
    main()
