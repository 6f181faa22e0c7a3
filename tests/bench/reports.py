# SPDX-License-Identifier: MIT
"""What it takes to read a large recording, and to write it for other tools.

The recording is made by tests/unit/make_recording: a million contexts, some 20
levels deep, of 4,100 functions, with 100,000 samples.
"""
import pathlib
import subprocess
import tempfile

from measure import BUILD, CLEW, Tool, medians, table

CONTEXTS, SAMPLES = 1_000_000, 100_000
FORMATS = ("pprof", "callgrind", "speedscope", "sqlite", "csv", "json",
           "folded", "chrome")


def peak(name, argv):
    """A tool that says, as its output, how much memory argv took."""
    return Tool(name, lambda _, scratch: [
        "/usr/bin/python3", "-c",
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
        *[str(a).replace("SCRATCH", str(scratch)) for a in argv]])


def bench(rounds):
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as folder:
        made = pathlib.Path(folder) / "recording"
        subprocess.run([BUILD / "tests" / "unit" / "make_recording", made,
                        str(CONTEXTS), str(SAMPLES)], check=True,
                       stdout=subprocess.DEVNULL)
        tools = {"report": peak("report", [CLEW, "report", made])}
        for form in FORMATS:
            tools[f"export -F {form}"] = peak(form, [
                CLEW, "export", "-F", form, "-o", "SCRATCH/out", made])
        found = medians({name: (tool, [], None)
                         for name, tool in tools.items()}, rounds)
    rows = [[f"`clew {name}`", f"{sample.cpu:.2f} s",
             f"{int(sample.output) / 1024:.0f} MB",
             f"{sample.scratch_bytes / 2**20:.0f} MB"
             if name != "report" else "-"]
            for name, sample in found.items()]
    return table(["a million contexts, 100,000 samples", "CPU", "memory",
                  "written"], rows)
