# SPDX-License-Identifier: MIT
"""What hooking everything costs before main, cold and with a warm cache."""
import os
import pathlib
import statistics
import tempfile

from measure import CLEW, NATIVE, Tool, run, table

ARGV = ["/usr/bin/python3", "-S", "-c", "pass"]


def clew_tool(name, *options):
    return Tool(name, lambda argv, scratch: [
        CLEW, "record", *options, "-o", scratch / "clew.out", "--", *argv])


def bench(rounds):
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as folder:
        os.environ["XDG_CACHE_HOME"] = str(pathlib.Path(folder))
        tools = [NATIVE, clew_tool("cold", "--no-cache"),
                 clew_tool("cached")]
        run(tools[2], ARGV)  # fills the cache
        samples = {tool.name: [] for tool in tools}
        for _ in range(max(rounds, 5) * 3):
            for tool in tools:
                samples[tool.name].append(run(tool, ARGV))
    native = samples.pop("native")
    base = [statistics.median(getattr(s, key) for s in native)
            for key in ("wall", "cpu")]
    rows = []
    for name, found in samples.items():
        added = [statistics.median(getattr(s, key) for s in found)
                 for key in ("wall", "cpu")]
        rows.append([name, *(f"+{(a - b) * 1000:.0f} ms"
                             for a, b in zip(added, base))])
    return table(["start of python3", "wall", "CPU"], rows)
