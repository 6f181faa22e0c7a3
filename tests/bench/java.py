# SPDX-License-Identifier: MIT
"""Java: what crossing JNI costs in ns, and whole programs in CPU time.

The first table is of the least of many short loops that the program times
itself, the median of all rounds of that; the second has ratios to native.
"""
import pathlib
import shutil
import statistics
import subprocess
import tempfile

from measure import BENCH, CLEW, ROOT, NATIVE, Tool, medians, run, table


def tool(name, *options):
    return Tool(name, lambda argv, scratch: [
        CLEW, "record", "-o", scratch / "clew.out", *options, "--", *argv])


PLAIN = tool("clew")
CALLS = tool("--time=none", "--time=none")
WITH_JNI = tool("--time=none --jni-env", "--time=none", "--jni-env")
OFF = tool("--java=off", "--java=off")


def crossing(folder, rounds):
    argv = ["java", "-cp", folder, "Border", BENCH / "border.so"]
    found = {}
    for _ in range(rounds):
        for one in (NATIVE, CALLS, WITH_JNI):
            for line in run(one, argv).output.splitlines():
                what, ns = line.rsplit("=", 1)
                found.setdefault(what, {}).setdefault(one.name, []).append(
                    float(ns))
    rows = []
    for what, by_tool in found.items():
        native, *others = (statistics.median(by_tool[one.name])
                           for one in (NATIVE, CALLS, WITH_JNI))
        rows.append([what, f"{native:.1f}",
                     *(f"{ns - native:+.1f}" for ns in others)])
    return table(["ns", "native", CALLS.name, WITH_JNI.name], rows)


def programs(folder, rounds):
    sources = sorted((ROOT / "tests" / "targets").glob("*.java"))
    jobs = {"java -version": ["java", "-version"],
            f"javac, {len(sources)} files": [
                "javac", "-d", folder / "out", *sources]}
    tools = (NATIVE, PLAIN, OFF)
    found = medians({(name, one): (one, argv, None)
                     for name, argv in jobs.items() for one in tools}, rounds)
    return table(["CPU seconds", *(one.name for one in tools)], [
        [name, f"{found[name, NATIVE].cpu:.2f}",
         *(f"{found[name, one].cpu:.2f} "
           f"({found[name, one].cpu / found[name, NATIVE].cpu:.2f}x)"
           for one in tools[1:])] for name in jobs])


def bench(rounds):
    if not shutil.which("javac") or not (BENCH / "border.so").exists():
        return "no JDK here"
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        folder = pathlib.Path(name)
        subprocess.run(["javac", "-d", folder,
                        ROOT / "tests" / "bench" / "Border.java"], check=True)
        return crossing(folder, rounds) + "\n\n" + programs(folder, rounds)
