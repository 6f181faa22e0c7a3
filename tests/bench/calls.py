# SPDX-License-Identifier: MIT
"""Measures the CPU time that tools add to a call: nanoseconds for entry and exit together.

    CPU(tool, n calls)   - CPU(tool, almost none)
  - CPU(native, n calls) + CPU(native, almost none)    all divided by n

Slow tools get fewer calls, so both numbers of calls are also measured natively.
"""
from measure import (BENCH, CALLGRIND, CLEW_TOOL, NATIVE, UFTRACE, UFTRACE_PG,
                     medians, table)

# name: (program, arguments for many calls, for few, and for almost none)
LOADS = {
    "fib(38)": ("fib", ["38"], ["29"], ["1"]),
    "200 leaves by a table": ("leaves", ["250000"], ["10000"], ["1"]),
    "the same, 4 threads": ("leaves", ["60000", "4"], ["2500", "4"],
                            ["1", "4"]),
    "a chain of 4, by calls": ("chain", ["call", "20000000"],
                               ["call", "500000"], ["call", "1"]),
    "a chain of 4, by tail calls": ("chain", ["tail", "20000000"],
                                    ["tail", "500000"], ["tail", "1"]),
}
MANY, FEW, NONE = range(3)


def calls_of(sample):
    return int(sample.output.split()[-1])


def jobs_of(program, arguments, tools):
    """Returns jobs for each tool at its scale, and native jobs at both scales."""
    jobs = {}
    for tool in tools:
        build = "pg" if tool is UFTRACE_PG else "plain"
        scale = MANY if tool in (NATIVE, CLEW_TOOL) else FEW
        for size in {scale, NONE} | ({FEW} if tool is NATIVE else set()):
            jobs[tool, size] = (tool, [BENCH / build / program,
                                       *arguments[size]], None)
    return jobs


def added_ns(found, tool):
    scale = MANY if tool is CLEW_TOOL else FEW
    calls = calls_of(found[NATIVE, scale]) - calls_of(found[NATIVE, NONE])
    cost = found[tool, scale].cpu - found[tool, NONE].cpu
    native = found[NATIVE, scale].cpu - found[NATIVE, NONE].cpu
    return (cost - native) / calls * 1e9


def bench(rounds):
    tools = [tool for tool in (NATIVE, CLEW_TOOL, UFTRACE, UFTRACE_PG,
                               CALLGRIND) if tool.is_here()]
    rows = []
    for name, (program, *arguments) in LOADS.items():
        found = medians(jobs_of(program, arguments, tools), rounds)
        native = found[NATIVE, MANY].cpu / calls_of(found[NATIVE, MANY]) * 1e9
        costs = [added_ns(found, tool) for tool in tools[1:]]
        rows.append([name, f"{native:.2f}",
                     *(f"+{cost:.2f}" for cost in costs)])
    return table(["ns of CPU per call", *(tool.name for tool in tools)], rows)
