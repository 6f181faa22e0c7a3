# SPDX-License-Identifier: MIT
"""Measures how long it takes to read a large recording, and to export it.

tests/unit/make_recording creates the recording: a million contexts, about 20 levels
deep, of 4,100 functions, with 100,000 samples. For comparison, uftrace and
callgrind_annotate report their own recordings of a program with 1,111,110 calls in as
many contexts. uftrace reads all calls; callgrind has already added them up by caller.
"""
import pathlib
import shutil
import subprocess
import tempfile

from measure import BENCH, BUILD, CLEW, Tool, medians, table

CONTEXTS, SAMPLES = 1_000_000, 100_000
FORMATS = ("pprof", "callgrind", "speedscope", "sqlite", "csv", "json",
           "folded", "chrome", "firefox", "otlp")


def peak(name, argv):
    """Returns a tool that prints the peak memory of argv."""
    return Tool(name, lambda _, scratch: [
        "/usr/bin/python3", "-c",
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
        *[str(a).replace("SCRATCH", str(scratch)) for a in argv]])


def record_with(folder, name, argv):
    """Records the program `contexts`. Returns False if the tool is missing or fails."""
    if not shutil.which(argv[0]):
        return False
    program = BENCH / ("pg" if name == "uftrace" else "plain") / "contexts"
    done = subprocess.run([*argv, program, "10", "6", "1"], cwd=folder,
                          check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
    return done.returncode == 0


def peers(folder):
    """Returns {row name: tool} to report the same program, as recorded by each tool."""
    tools = {}
    own = folder / "own"
    if record_with(folder, "clew", [str(CLEW), "record", "-o", own, "--"]):
        tools["clew report, of a program"] = peak("clew", [
            CLEW, "report", own])
    if record_with(folder, "uftrace", ["uftrace", "record", "--no-libcall",
                                       "-d", folder / "uftrace"]):
        tools["uftrace report, of the same"] = peak("uftrace", [
            "uftrace", "report", "--no-pager", "-d", folder / "uftrace"])
    if record_with(folder, "callgrind", [
            "valgrind", "-q", "--tool=callgrind",
            f"--callgrind-out-file={folder}/callgrind.out"]):
        tools["callgrind_annotate, of the same"] = peak("callgrind", [
            "callgrind_annotate", folder / "callgrind.out"])
    return tools


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
        tools["html"] = peak("html", [CLEW, "html", "-o", "SCRATCH/out",
                                      made])
        tools |= peers(pathlib.Path(folder))
        found = medians({name: (tool, [], None)
                         for name, tool in tools.items()}, rounds)
    rows = [[name if "," in name else f"`clew {name}`",
             f"{sample.cpu:.2f} s", f"{int(sample.output) / 1024:.0f} MB",
             f"{sample.scratch_bytes / 2**20:.0f} MB"
             if "report" not in name and "," not in name else "-"]
            for name, sample in found.items()]
    return table(["a million contexts, 100,000 samples", "CPU", "memory",
                  "written"], rows)
