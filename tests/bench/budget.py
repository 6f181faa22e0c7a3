# SPDX-License-Identifier: MIT
"""--budget 5%: what whole programs cost with it, and how many calls are exact.

The share of exact calls is stated by the run with the budget, and verified by the
one without: the same functions, with the calls that they really had."""
import json
import pathlib
import shutil
import subprocess
import tempfile

from measure import CLEW, CLEW_TOOL, NATIVE, Tool, medians, table
from programs import LOADS, MANY
import server

SHARE = "5%"
BUDGET_TOOL = Tool(f"clew --budget {SHARE}", lambda argv, scratch: [
    CLEW, "record", "--budget", SHARE, "-o", scratch / "clew.out", "--",
    *argv], CLEW)


def calls_of(argv, stdin, folder, options):
    """({function: calls}, report) of one more run."""
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
    """As stated, and as it is: shares of all calls in percent."""
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
    for load in LOADS:
        if not shutil.which(load.program):
            continue
        with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
            folder = pathlib.Path(name)
            (folder / "script").write_text(load.script, encoding="utf-8")
            argv, stdin = load.build(folder, load.sizes[MANY])
            found = medians({tool: (tool, argv, stdin) for tool in
                             (NATIVE, CLEW_TOOL, BUDGET_TOOL)}, rounds)
            stated, is_exact = exact_shares(argv, stdin, folder)
        native = found[NATIVE].cpu
        rows.append([load.name, f"{native:.2f} s",
                     f"{found[CLEW_TOOL].cpu / native:.2f}x",
                     f"{found[BUDGET_TOOL].cpu / native:.2f}x",
                     f"{stated:.2g} %", f"{is_exact:.2g} %"])
    said = table(["CPU time over native", "native", "clew", BUDGET_TOOL.name,
                  "exact calls, as stated", "by a full run"], rows)
    return said + "\n\n" + server.bench(rounds, BUDGET_TOOL)
