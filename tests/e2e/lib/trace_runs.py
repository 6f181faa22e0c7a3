# SPDX-License-Identifier: MIT
"""Creates trace files from given calls and times."""
import json
import random

from lib import clewtest
from lib.clewtest import BUILD

MAKE_TRACE = BUILD / "tests" / "unit" / "make_trace"
START_NS = 1_700_000_000_000_000_000
FIRST = 1_000_000  # ticks of one nanosecond each
MAIN, WORKER = 4242, 4243


def name(function):
    return f"synthetic+{0x1000 + 16 * (function - 1):#x}"


class Run:
    """A thread that makes random calls, its script, and the resulting calls.

    Each call is [begin, end, depth, function], where `end` is the next call
    outside of it.
    """

    def __init__(self, seed, tally, tid, calls, stamped=True):
        self.calls, self.script, self.stack = [], [f"thread {tally} {tid}"], []
        self.choice, self.now = random.Random(seed), FIRST + 1000
        for i in range(calls):
            self.call(i, calls, stamped)

    def call(self, i, count, stamped):
        self.now += self.choice.randrange(1, 200)
        keep = max(0, len(self.stack) + 1 - self.choice.choice((1, 1, 1, 2, 3)))
        if len(self.stack) > 12:
            keep = 3
        if i > 0:
            keep = max(keep, 1)
        for call in self.stack[keep:]:
            call[1] = self.now
        del self.stack[keep:]
        if i % 50 == 0:
            self.script += ["packet", " ".join(map(str, (
                "context", 1 if i else 0, self.now,
                *(call[3] for call in self.stack))))]
        function = self.choice.randrange(1, 90)
        self.stack.append([self.now, None, len(self.stack), function])
        self.calls.append(self.stack[-1])
        self.script.append(f"call {len(self.stack)} {function}")
        if stamped or i == count - 1:
            self.script.append(f"stamp {self.now}")


class Case(clewtest.Case):
    def make(self, *script):
        done = self.run_program([MAKE_TRACE, self.recording_path], text=True,
                                input="\n".join(script) + "\n")
        self.assertEqual(done.returncode, 0, done.stderr)

    def lines(self, *options):
        """Returns all lines of `clew trace --json`, with times in ticks since
        the process started."""
        done = self.clew("trace", "--json", *options, self.recording_path)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        for line in found:
            line["tick"] = line["time_ns"] - START_NS + FIRST
            if "begin_ns" in line:
                line["begin"] = line["begin_ns"] - START_NS + FIRST
        return found

    def text(self, *options):
        done = self.clew("trace", *options, self.recording_path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout


def calls_of(lines, tid):
    """Returns [begin, end or None, depth, name] of each call, in order of their
    begin."""
    found, opened = [], []
    for line in lines:
        if line["tid"] != tid:
            continue
        call = [line["tick"], None, line["depth"], line.get("name")]
        if line["kind"] == "begin":
            opened.append(call)
            found.append(call)
        elif line["kind"] == "call":
            if "most_ns" in line:
                call[1] = call[0] + line["most_ns"]
            found.append(call)
        elif line["kind"] == "end":
            ended = opened.pop()
            assert ended[2:] == call[2:], (ended, call)
            if "most_ns" in line:
                ended[1] = call[0]
                assert ended[1] - ended[0] == line["most_ns"], (ended, line)
    assert not opened
    return found


def told(run):
    return [[begin, end, depth, name(function)]
            for begin, end, depth, function in run.calls]
