# SPDX-License-Identifier: MIT
"""Measures --budget 5%: the overhead on whole programs and the share of exact calls.

Each program runs for a minute; $CLEW_BENCH_SECONDS sets another duration. The run with
the budget reports its share of exact calls. A run without a budget counts every call of
the same functions, which verifies that share.
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from measure import CLEW, NATIVE, Tool, medians, table
from programs import PYTHON, SQL
import server

SECONDS = int(os.environ.get("CLEW_BENCH_SECONDS", "60"))
SHARE = "5%"
BUDGET_TOOL = Tool(f"clew --budget {SHARE}", lambda argv, scratch: [
    CLEW, "record", "--budget", SHARE, "-o", scratch / "clew.out", "--",
    *argv], CLEW)


def python(folder):
    (folder / "script").write_text(PYTHON, encoding="utf-8")
    return ["/usr/bin/python3", "-S", folder / "script",
            str(3000 * SECONDS)], None


def sqlite(folder):
    script = SQL.format(rows=100_000) + "drop table t;\n"
    (folder / "sql").write_text(script * (7 * SECONDS), encoding="utf-8")
    return ["sqlite3", ":memory:"], folder / "sql"


LOADS = {"/usr/bin/python3": python, "sqlite3": sqlite}


def calls_of(argv, stdin, folder, options):
    """Records the program once more. Returns ({function: row}, report)."""
    recording = folder / "clew.out"
    with open(stdin or "/dev/null", "rb") as feed:
        subprocess.run([CLEW, "record", "-q", *options, "-o", recording, "--",
                        *argv], check=True, stdin=feed,
                       stdout=subprocess.DEVNULL)
    report = json.loads(subprocess.run(
        [CLEW, "report", "--json", "-n0", recording], check=True,
        stdout=subprocess.PIPE).stdout)
    return {(row.get("module"), row.get("vaddr")): row
            for row in report["functions"]}, report


def exact_shares(argv, stdin, folder):
    """Returns the reported and the verified share of exact calls, in percent of all calls."""
    rows, report = calls_of(argv, stdin, folder, ["--budget", SHARE])
    full, whole = calls_of(argv, stdin, folder, ["--time=none"])
    budget = report["budget"]
    stated = budget["exact_calls"] / (report["total"]["calls"] +
                                      budget["missed_calls"])
    exact = sum(full[key]["calls"] for key, row in rows.items()
                if "left_out" not in row and key in full)
    return 100 * stated, 100 * exact / whole["total"]["calls"]


def bench(rounds):
    rows = []
    for program, build in LOADS.items():
        if not shutil.which(program):
            continue
        with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
            folder = pathlib.Path(name)
            argv, stdin = build(folder)
            found = medians({tool: (tool, argv, stdin) for tool in
                             (NATIVE, BUDGET_TOOL)}, rounds)
            stated, is_exact = exact_shares(argv, stdin, folder)
        native = found[NATIVE].cpu
        rows.append([pathlib.Path(program).name, f"{native:.2f} s",
                     f"{100 * (found[BUDGET_TOOL].cpu / native - 1):+.1f} %",
                     f"{stated:.2g} %", f"{is_exact:.2g} %"])
    said = table(["CPU time over native", "native", BUDGET_TOOL.name,
                  "exact calls, as stated", "by a full run"], rows)
    # The load has seven kinds of requests, at about 100,000 requests a second.
    return said + "\n\n" + server.bench(rounds, BUDGET_TOOL,
                                        14_000 * SECONDS)
