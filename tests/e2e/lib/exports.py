# SPDX-License-Identifier: MIT
"""Tests of exports share these recordings with a known content."""
import collections
import os
import re
import subprocess

from lib import clewtest
from lib.clewtest import needs

MAKE_RECORDING = clewtest.BUILD / "tests" / "unit" / "make_recording"
PROGRAM = "synthetic"

THREAD_NAMES = {4242: "main", 4243: "worker"}

Context = collections.namedtuple("Context", "tid calls ns samples path")


class Synthetic:
    """A recording by tests/unit/make_recording, and the content that it
    prints."""

    def __init__(self, path, contexts=2000, samples=1000,
                 module="/lib/" + PROGRAM):
        self.path = path
        self.name = os.fsdecode(module).rsplit("/", 1)[-1]
        said = subprocess.run([MAKE_RECORDING, path, str(contexts),
                               str(samples), module], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        self.contexts = [self._context(line) for line in said.splitlines()]

    def _context(self, line):
        tid, calls, ns, samples, path = line.split()
        return Context(int(tid), int(calls), int(ns), int(samples),
                       tuple(f"{self.name}+{vaddr}"
                             for vaddr in path.split(";")))

    def total(self, measure):
        return sum(getattr(one, measure) for one in self.contexts)

    def stacks(self, measure, threads=None):
        """Returns {path: sum} without zeros; `threads` are names to put in
        front."""
        sums = collections.Counter()
        for one in self.contexts:
            top = (f"{threads[one.tid]} ({one.tid})",) if threads else ()
            sums[top + one.path] += getattr(one, measure)
        return +sums

    def own(self, measure):
        """Returns {function: its own sum}."""
        sums = collections.Counter()
        for one in self.contexts:
            sums[one.path[-1]] += getattr(one, measure)
        return +sums

    def inclusive(self, measure):
        """Returns {function: sum including callees}; there is no recursion."""
        sums = collections.Counter()
        for one in self.contexts:
            for function in one.path:
                sums[function] += getattr(one, measure)
        return +sums


class Export(clewtest.Case):
    def synthetic(self, **options):
        return Synthetic(self.work / "synthetic", **options)

    def record(self, argv, options=("--time=none",), **run_options):
        return super().record(argv, options, **run_options)

    def export(self, form, recording, *options):
        """Returns the bytes of `clew export --format FORM`."""
        done = self.clew("export", "--format", form, *options, recording,
                         text=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout

    def export_file(self, form, recording, *options):
        path = self.work / f"exported.{form}"
        done = self.clew("export", "--format", form, "-o", path, *options,
                         recording)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "", ""))
        return path

    def run_tool(self, *argv):
        done = self.run_program(argv, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout


def unfold(text):
    """Returns {path: number}; splits lines as flamegraph.pl does."""
    found = collections.Counter()
    for line in text.decode().splitlines():
        stack, number = re.fullmatch(r"(.*) (\d+)", line).groups()
        found[tuple(stack.split(";"))] += int(number)
    return found


@needs("callgrind_annotate")
class CallgrindExport(Export):
    NUMBER = r" *([\d,]+) *(?:\([ \d.]+%\))? "
    LINE = re.compile(rf"{NUMBER}(?:{NUMBER})? *(?:\?\?\?|/[^:]*):(\S+)")

    def annotate(self, path, inclusive):
        """Returns {function: (first number, second or None)}."""
        said = self.run_tool("callgrind_annotate", "--auto=no",
                             "--threshold=100",
                             f"--inclusive={'yes' if inclusive else 'no'}",
                             path)
        found = {}
        for line in said.splitlines():
            match = self.LINE.match(line)
            if match:
                found[match[3]] = tuple(
                    int(number.replace(",", "")) for number in match.groups()
                    [:2] if number)
        return found

    def numbers(self, made, metrics, inclusive):
        sums = [made.inclusive(m) if inclusive else made.own(m)
                for m in metrics]
        wanted = {f: tuple(s[f] for s in sums) for f in sums[0]}
        if inclusive:
            wanted["(all)"] = tuple(made.total(m) for m in metrics)
        return wanted

    def assert_includes(self, found, wanted):
        """Ignores functions that are missing in `wanted`: callgrind_annotate
        omits those whose first number is 0."""
        self.assertEqual({f: found.get(f) for f in wanted}, wanted)


@needs("go")
class PprofExport(Export):
    def pprof(self, *arguments):
        self.environment["PPROF_TMPDIR"] = str(self.work)
        return self.run_tool("go", "tool", "pprof", *arguments)

    def raw(self, path):
        """Returns (sample types, [(label, values, places)], {place: [line]})
        from pprof.

        A line is (function, file, line), the innermost inlined one first.
        """
        said = self.pprof("-raw", path)
        head, rest = said.split("\nSamples:\n")
        samples, rest = rest.split("\nLocations\n")
        places, mappings = rest.split("\nMappings\n")
        types, *lines = samples.splitlines()
        found = []
        for line in lines:
            match = re.fullmatch(r" *([\d ]+): ([\d ]*)", line)
            if match:
                found.append(["", [int(n) for n in match[1].split()],
                              [int(n) for n in match[2].split()]])
            else:
                found[-1][0] = line.strip()
        return (types.replace("[dflt]", "").split(), found,
                self.places(places), mappings)

    def places(self, text):
        found = {}
        for line in text.splitlines():
            match = re.match(r" +(\d+): (0x[0-9a-f]+) (?:M=\d+ )?(.*)", line)
            if match:
                here = found[int(match[1])] = (int(match[2], 0), [])
            name, file, number = re.match(
                r"(.*) (\S*):(\d+) s=\d+", match[3] if match
                else line.strip()).groups()
            here[1].append((name, file, int(number)))
        return found

    def stacks(self, raw, kind):
        """Returns {path: sum} for the sample type."""
        types, samples, places, _ = raw
        sums = collections.Counter()
        for label, values, stack in samples:
            top = tuple(re.findall(r"\[(.*)\]", label))
            sums[top + tuple(places[place][1][0][0]
                             for place in reversed(stack))] \
                += values[types.index(kind)]
        return +sums
