# SPDX-License-Identifier: MIT
"""Measures attribution of allocations: real programs under clew-alloc, an unwinding
shim, and heaptrack.

The shim is clew-alloc's own code, except that it unwinds each stack with libunwind.
Both tools also run without finding the caller, so the difference is the cost of finding
it. The CPU time includes all processes, heaptrack's interpreter among them.
"""
import os
import pathlib
import shutil
import statistics
import tempfile

import measure
import programs
from measure import BENCH, BUILD, CLEW, ROOT, Tool, table

SHIM = BENCH / "alloc_unwound.so"
PLACELESS = BENCH / "alloc_placeless.so"
ALLOC = BUILD / "alloc" / "libclew-alloc.so"
CPLUSPLUS = """
#include <map>
#include <regex>
#include <string>
#include <vector>
template <int n> std::string f(const std::string &s) {
    std::map<std::string, std::vector<std::string>> m;
    const std::regex found("a+");
    for (std::sregex_iterator i(s.begin(), s.end(), found), e; i != e; ++i)
        m[i->str()].push_back(s.substr(n));
    return m.empty() ? s : f<n - 1>(m.begin()->first);
}
template <> std::string f<0>(const std::string &s) { return s; }
int main() { return (int)f<6>("aab").size(); }
"""


def preloading(path, *more):
    return lambda argv, scratch: ["env", f"LD_PRELOAD={path}", *more, *argv]


def clew_alloc(library):
    return lambda argv, scratch: [
        "env", f"CLEW={CLEW}", f"CLEW_ALLOC={library}",
        ROOT / "scripts" / "clew-alloc", "-q", "--time=none", "-o",
        scratch / "clew.out", "--", *argv]


NATIVE = measure.NATIVE
COUNTED = Tool("the shim, not unwinding", preloading(SHIM, "UNWOUND=0"))
UNWOUND = Tool("libunwind, each", preloading(SHIM))
RECORD = Tool("clew record", lambda argv, scratch: [
    CLEW, "record", "-q", "--time=none", "-o", scratch / "clew.out", "--",
    *argv])
NOWHERE = Tool("clew-alloc, without queries", clew_alloc(PLACELESS))
IDS = Tool("clew-alloc", clew_alloc(ALLOC))
HEAPTRACK = Tool("heaptrack", lambda argv, scratch: [
    "heaptrack", "-o", scratch / "heaptrack", *argv], "heaptrack")
TOOLS = [NATIVE, RECORD, IDS, UNWOUND, HEAPTRACK, COUNTED, NOWHERE]


def loads(folder):
    """Returns a list of (name, argv, stdin)."""
    script, sql = folder / "script", folder / "sql"
    script.write_text(programs.PYTHON, encoding="utf-8")
    sql.write_text(programs.SQL.format(rows=60000), encoding="utf-8")
    source = folder / "source.cc"
    source.write_text(CPLUSPLUS, encoding="utf-8")
    cc1plus = os.popen("g++ -print-prog-name=cc1plus").read().strip()
    found = [("python3, all by malloc()", ["/usr/bin/python3", "-S", script,
                                         "400"], None),
             ("sqlite3", ["/usr/bin/sqlite3", ":memory:"], sql),
             ("cc1plus -O2", [cc1plus, "-quiet", "-imultiarch",
                              "x86_64-linux-gnu", "-O2", source, "-o",
                              "/dev/null"], None)]
    return [load for load in found if shutil.which(load[1][0])]


def told(argv, stdin):
    """Returns (allocations, frames per allocation) as counted by the shim."""
    with tempfile.NamedTemporaryFile("r") as file:
        measure.run(Tool("", preloading(SHIM, f"UNWOUND_TELL={file.name}")),
                    argv, stdin)
        events, frames, _ = map(int, file.read().split())
        return events, frames / events


def row(load, rounds):
    name, argv, stdin = load
    events, frames = told(argv, stdin)
    tools = [tool for tool in TOOLS if tool.is_here()]
    measure.run(RECORD, argv, stdin)  # Analyses are cached from here on.
    cpu = {tool: [] for tool in TOOLS}
    for _ in range(rounds):
        for tool in tools:
            cpu[tool].append(measure.run(tool, argv, stdin).cpu)

    def each(tool, base):
        return 1e9 * statistics.median(
            a - b for a, b in zip(cpu[tool], cpu[base])) / events

    def ratio(tool):
        return f"{statistics.median(cpu[tool]) / native:.2f}x" \
            if cpu[tool] else "-"

    native = statistics.median(cpu[NATIVE])
    unwinding, querying = each(UNWOUND, COUNTED), each(IDS, NOWHERE)
    return [name, f"{events:,}", f"{frames:.0f}", f"{native:.2f} s",
            *(ratio(tool) for tool in (RECORD, IDS, UNWOUND, HEAPTRACK)),
            f"{unwinding:.0f} ns", f"{querying:.1f} ns",
            f"{each(IDS, RECORD):.0f} ns", f"{each(COUNTED, NATIVE):.0f} ns"]


def bench(rounds):
    if not SHIM.exists():
        return "libunwind is not here"
    os.environ["PYTHONMALLOC"] = "malloc"
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as folder:
        rows = [row(load, rounds) for load in loads(pathlib.Path(folder))]
    return table(["", "allocations", "deep", "native", "clew record",
                  "clew-alloc", "libunwind, each", "heaptrack",
                  "an unwinding", "an id", "all of clew-alloc",
                  "counting alone, without clew"], rows)
