# SPDX-License-Identifier: MIT
"""Measures the cost of a call in programs that call many different functions in turn.

A generated program models a database server: its functions lie in levels, each calls
three of the next level, and branches depend on data. A transaction calls each function
at least once, from few different callers, so that neither stubs nor count tables stay
in the first caches. Eight processes that take turns on one processor share stubs, but
not tables.
"""
import pathlib
import random
import subprocess
import tempfile

from measure import CLEW_TOOL, NATIVE, medians, table

# Functions of each level, from the outermost one.
LEVELS = {
    58: (4, 12, 20, 22),
    288: (6, 18, 48, 96, 120),
    948: (8, 24, 72, 216, 628),
    2868: (8, 24, 72, 216, 648, 1900),
    9837: (9, 27, 81, 243, 729, 2187, 6561),
}
CALLS = 30_000_000
FEW = 50  # transactions in which contexts are created

HEAD = """#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

volatile uint32_t data[4096];
"""

MAIN = """
/* Each process does one transaction and wakes the next process. */
static void take_turns(int in, int out, long transactions)
{
	uint64_t sum = 1;
	char turn;

	for (long i = 0; i < transactions; i++) {
		if (in >= 0 && read(in, &turn, 1) != 1)
			_exit(1);
		sum += transaction(sum);
		if (out >= 0 && write(out, &turn, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	const long transactions = atol(argv[1]);
	const int processes = atoi(argv[2]);
	int pipes[64][2], status, bad = argc != 3;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (int i = 0; i < processes; i++)
		bad |= pipe(pipes[i]);
	for (int i = 0; i < processes && !bad; i++)
		if (!fork())
			take_turns(processes > 1 ? pipes[i][0] : -1,
				   processes > 1 ?
					   pipes[(i + 1) % processes][1] : -1,
				   transactions);
	if (write(pipes[0][1], "x", 1) != 1)
		bad = 1;
	for (int i = 0; i < processes && !bad; i++)
		bad = wait(&status) < 0 || status;
	return bad;
}
"""


def function(chance, number, callees):
    lines = [f"__attribute__((noinline)) uint64_t f{number}(uint64_t x)",
             "{",
             f"\tuint64_t a = x * {chance.randrange(1 << 31) | 1}ull + {number};"]
    for _ in range(chance.randrange(2, 9)):
        lines += [f"\tif (a & {1 << chance.randrange(20)})",
                  f"\t\ta ^= a >> {chance.randrange(3, 20)};",
                  "\telse",
                  f"\t\ta += data[{chance.randrange(4096)}];"]
    lines += [f"\ta += f{callee}(a);" for callee in callees]
    return "\n".join([*lines, f"\treturn a ^ data[{chance.randrange(4096)}];",
                      "}", ""])


def source(levels):
    """Returns (C code, calls of a transaction)."""
    chance = random.Random(7)
    starts = [sum(levels[:i]) for i in range(len(levels) + 1)]
    text = [HEAD]
    text += [f"uint64_t f{i}(uint64_t x);" for i in range(starts[-1])]
    calls = [1] * levels[0] + [0] * (starts[-1] - levels[0])
    for level, first in enumerate(starts[:-1]):
        below = range(starts[level + 1], starts[level + 2]) \
            if level + 1 < len(levels) else ()
        # Everything below has a caller.
        waiting = chance.sample(below, len(below)) if below else []
        for number in range(first, starts[level + 1]):
            callees = [waiting.pop() if waiting else chance.choice(below)
                       for _ in range(3)] if below else []
            for callee in callees:
                calls[callee] += calls[number]
            text.append(function(chance, number, callees))
    text += ["uint64_t transaction(uint64_t x)", "{", "\tuint64_t a = x;", "",
             *(f"\ta += f{i}(a);" for i in range(levels[0])),
             "\treturn a;", "}"]
    return "\n".join(text) + MAIN, sum(calls) + 1


def build(folder, levels):
    """Returns (program, calls of a transaction)."""
    code, calls = source(levels)
    (folder / "wide.c").write_text(code, encoding="utf-8")
    subprocess.run(["gcc", "-O1", "-o", folder / "wide", folder / "wide.c"],
                   check=True)
    return folder / "wide", calls


def added_ns(program, calls, processes, rounds):
    """Returns (native ns a call, added ns, bytes of the recording)."""
    many = FEW + max(CALLS // calls // processes, 1)
    found = medians({(tool, n): (tool, [program, n, processes], None)
                     for tool in (NATIVE, CLEW_TOOL) for n in (FEW, many)},
                    rounds)
    native, clew = ((found[tool, many].cpu - found[tool, FEW].cpu) /
                    ((many - FEW) * calls * processes) * 1e9
                    for tool in (NATIVE, CLEW_TOOL))
    return native, clew - native, found[CLEW_TOOL, many].scratch_bytes


def bench(rounds):
    rows = []
    for functions, levels in LEVELS.items():
        with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
            program, calls = build(pathlib.Path(name), levels)
            native, one, size = added_ns(program, calls, 1, rounds)
            _, eight, _ = added_ns(program, calls, 8, rounds)
        rows.append([f"{functions:,}", f"{native:.2f}", f"+{one:.1f}",
                     f"+{eight:.1f}", f"{size / 2**20:.1f} MiB"])
    return table(["functions", "native ns per call", "clew adds",
                  "clew adds, 8 processes on one CPU", "recording"], rows)
