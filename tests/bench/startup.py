# SPDX-License-Identifier: MIT
"""Measures how long hooking takes before main, with a cold and with a warm cache."""
import os
import pathlib
import statistics
import tempfile

from measure import CLEW, NATIVE, Tool, run, table
from programs import cc1plus


PROGRAMS = {
    "bash": ["/bin/bash", "-c", ":"],
    "git": ["/usr/bin/git", "--version"],
    "python3": ["/usr/bin/python3", "-S", "-c", "pass"],
    "cc1plus": [cc1plus(), "--version"],
    "clang": ["/usr/bin/clang-14", "-cc1", "-version"],
    "node": ["/usr/bin/node", "-e", "0"],
    "java": ["/usr/bin/java", "-version"],
}


def clew_tool(name, *options):
    return Tool(name, lambda argv, scratch: [
        CLEW, "record", *options, "-o", scratch / "clew.out", "--", *argv])


TOOLS = [NATIVE, clew_tool("cold", "--no-cache"), clew_tool("cached")]


def program_row(name, argv, rounds):
    run(TOOLS[-1], argv)  # This run fills the cache.
    samples = {tool.name: [] for tool in TOOLS}
    for _ in range(max(rounds, 5) * 3):
        for tool in TOOLS:
            samples[tool.name].append(run(tool, argv))
    cpu = {tool: statistics.median(s.cpu for s in found) * 1000
           for tool, found in samples.items()}
    wall = {tool: statistics.median(s.wall for s in found) * 1000
            for tool, found in samples.items()}
    return [name, f"{cpu['native']:.1f} ms",
            f"+{cpu['cold'] - cpu['native']:.0f} ms",
            f"+{cpu['cached'] - cpu['native']:.1f} ms",
            f"+{wall['cached'] - wall['native']:.1f} ms"]


def bench(rounds):
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as folder:
        os.environ["XDG_CACHE_HOME"] = str(pathlib.Path(folder))
        rows = [program_row(name, argv, rounds)
                for name, argv in PROGRAMS.items() if os.path.exists(argv[0])]
    return table(["CPU time of a start", "native", "cold", "cached",
                  "wall, cached"], rows)
