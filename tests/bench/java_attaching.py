# SPDX-License-Identifier: MIT
"""Measures clew attach --java=exact on a busy JVM.

The figures are the time until every method counts, and the time until no method counts
after detaching. A thread that polls the clock continuously also measures how long Java
pauses at most meanwhile, and in an equally long period without clew. Analyses are
cached.
"""
import json
import pathlib
import signal
import statistics
import subprocess
import tempfile
import time

from measure import BENCH, CLEW, ROOT, table

CLASSES, METHODS = 140, 50
THREADS, WARMING = 2, 3000

CLASS = """public class C%d {
%s
  static int all(int x) { return %s; }
}
"""
METHOD = """  static int m%d(int x) {
    int sum = x;
    for (int i = 0; i < 3; i++) sum = sum * 31 + i;
    return sum ^ %d;
  }"""
ALL = """public class All implements java.util.function.IntUnaryOperator {
  public int applyAsInt(int x) { return %s; }
}
"""


def homes():
    return [home for home in sorted(pathlib.Path("/usr/lib/jvm").iterdir())
            if not home.is_symlink() and (home / "bin" / "java").exists()]


def write(folder):
    for number in range(CLASSES):
        (folder / f"C{number}.java").write_text(CLASS % (
            number, "\n".join(METHOD % (i, i) for i in range(METHODS)),
            " + ".join(f"m{i}(x)" for i in range(METHODS))))
    (folder / "All.java").write_text(
        ALL % " + ".join(f"C{i}.all(x)" for i in range(CLASSES)))
    subprocess.run(["javac", "--release", "17", "-d", folder,
                    ROOT / "tests" / "bench" / "Busy.java",
                    *folder.glob("*.java")], check=True)
    subprocess.run(["jar", "cf", folder / "busy.jar", "-C", folder, "."],
                   check=True)


class Busy:
    def __init__(self, home, jar):
        self.process = subprocess.Popen(
            [home / "bin" / "java", "-cp", jar, "Busy", str(THREADS),
             str(WARMING)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        self.pid = self.process.stdout.readline().split()[1]

    def longest(self):
        """Returns the longest pause since the previous call, in ms."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline()) / 1e6

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def session(busy, folder):
    """Returns ((attach s, longest pause ms, detach s, longest pause ms), counting methods)."""
    recording = folder / "clew.out"
    started = time.monotonic()
    with subprocess.Popen(
            [CLEW, "attach", "-o", recording, "--java=exact", "--time=none",
             busy.pid], stderr=subprocess.PIPE, text=True) as clew:
        said = clew.stderr.readline()
        attached = time.monotonic()
        if "attached to" not in said:
            raise RuntimeError(said)
        entering = busy.longest()
        time.sleep(1)
        busy.longest()
        leaving = time.monotonic()
        clew.send_signal(signal.SIGINT)
        clew.communicate()
        left = time.monotonic()
    listed = json.loads(subprocess.run(
        [CLEW, "list", "--json", recording], check=True,
        stdout=subprocess.PIPE).stdout)
    return (attached - started, entering, left - leaving,
            busy.longest()), listed["java_methods"]["counted"]


def said(values, digits):
    values = sorted(values)
    return f"{statistics.median(values):.{digits}f} " \
           f"({values[0]:.{digits}f} to {values[-1]:.{digits}f})"


def without(busy):
    busy.longest()
    time.sleep(1)
    return busy.longest()


def measure(home, jar, rounds):
    """Measures one session in each of rounds + 1 JVMs. Returns a row of the table."""
    alone, sessions = [], []
    for i in range(rounds + 1):
        busy = Busy(home, jar)
        with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
            alone.append(without(busy))
            found, count = session(busy, pathlib.Path(name))
        busy.end()
        if i > 0:  # the first one fills the cache.
            sessions.append(found)
    steps = list(zip(*sessions))
    return [f"{home.name}, {count:,} methods", said(alone, 0),
            said(steps[0], 2), said(steps[1], 0), said(steps[2], 2),
            said(steps[3], 0)]


def bench(rounds):
    if not homes() or not BENCH.exists():
        return "no JDK here"
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        folder = pathlib.Path(name)
        write(folder)
        return table(["medians (least to most)", "ms Java stands still, alone",
                      "s to attach", "ms Java stands still", "s to leave",
                      "ms Java stands still"],
                     [measure(home, folder / "busy.jar", rounds)
                      for home in homes()])
