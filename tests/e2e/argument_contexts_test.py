#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Contexts consist of functions, and one function is split by an argument's
value."""
import collections
import pathlib
import re
import subprocess

from lib import clewtest

HERE = pathlib.Path(__file__).resolve().parent
HOOKED = ["-f", "^(leaf|tell|jumps_to_tell|once|work|coroutine)$"]

TICKS = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#define ALONE __attribute__((noipa))
static unsigned long tells[32];
#define COUNT(kind) __atomic_add_fetch(&tells[kind], 1, __ATOMIC_RELAXED)
ALONE int leaf(int kind) { return kind; }
ALONE int tell(long kind, int deep)
{
    volatile int sum = leaf(kind);

    if (deep && kind) {
        COUNT(kind - 1);
        sum += tell(kind - 1, deep) + 1;
    }
    sum += leaf(kind);
    return sum + 1;
}
static volatile int ticks;
static void tick(int signal)
{
    const int kind = 16 + ticks++ % 8;

    COUNT(kind);
    tell(kind, 0);
}
int main(int count, char **arguments)
{
    struct sigaction action = { .sa_handler = tick };
    struct itimerval timer = { { 0, 100 }, { 0, 100 } };
    const long rounds = atol(arguments[1]);

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (long i = 0; i < rounds; i++) {
        COUNT(i % 8);
        tell(i % 8, i % 5 == 0);
    }
    timer = (struct itimerval){ 0 };
    setitimer(ITIMER_REAL, &timer, NULL);
    for (int i = 0; i < 32; i++)
        printf("tell %d %lu\\n", i, tells[i]);
    return 0;
}
"""


class ArgumentContexts(clewtest.Case):
    def build(self, name, *flags):
        path = self.work / name
        subprocess.run(["c++", *flags, "-pthread", "-o", path,
                        HERE / "arguments.cc"], check=True)
        return path

    def run_traced(self, program, *options, rounds=2000):
        """Returns {function: {value: calls}} as the program has counted
        them."""
        done = self.record([program, str(rounds)],
                           ["--trace", "-m", program.name, *HOOKED, *options],
                           text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        own = collections.defaultdict(collections.Counter)
        for line in done.stdout.splitlines():
            name, value, calls = line.split()
            if int(calls):
                own[name][value] = int(calls)
        return own

    def paths(self, context):
        return clewtest.paths_of(
            self.clew_json("tree", "--json", f"--context={context}",
                           self.recording_path))

    @staticmethod
    def value_of(name):
        found = re.fullmatch(r"tell(?:\(.*\))? \[\w+=(.*)\]", name)
        return found and found.group(1)

    def by_value(self, context):
        """Returns {function: {value: calls}} for `tell` and for `leaf`, which
        `tell` calls."""
        found = collections.defaultdict(collections.Counter)
        for path, calls in self.paths(context).items():
            if path[-1].startswith("tell"):
                found["tell"][self.value_of(path[-1])] += calls
            if path[-1] == "leaf":
                found["leaf"][self.value_of(path[-2])] += calls
        return found

    def totals(self, context):
        found = collections.Counter()
        for path, calls in self.paths(context).items():
            found[path[-1].partition(" [")[0]] += calls
        return found

    def check(self, own, name):
        found = self.by_value(f"tell@{name}")
        self.assertEqual(found["tell"], own["tell"])
        self.assertEqual(found["leaf"], own["leaf"])
        self.assertEqual(self.totals(f"tell@{name}"), self.totals("function"))

    def test_contexts_split_by_a_number(self):
        program = self.build("numbers", "-O2", "-g")
        for options in ([], ["--stamps=all"], ["--stamps=packet"],
                        ["--stamps=1"], ["--sites"]):
            with self.subTest(options):
                self.check(self.run_traced(program, "--args=tell@arg1",
                                           *options), "arg1")

    def test_contexts_split_by_an_argument_name(self):
        program = self.build("names", "-O1", "-g")
        self.check(self.run_traced(program, "--args=tell"), "kind")

    def test_contexts_split_by_a_string(self):
        program = self.build("strings", "-O2", "-g0")
        own = self.run_traced(program, "--args=tell@arg1,arg2/s")
        found = self.by_value("tell@arg2")
        self.assertEqual(found["tell"], own["text"])
        self.assertEqual(self.totals("tell@arg2"), self.totals("function"))
        self.check(own, "arg1")

    def test_full_packets_keep_argument_values(self):
        """Each packet begins inside calls, and stores their argument values."""
        program = self.build("many", "-O2", "-g0")
        own = self.run_traced(program, "--args=tell@arg1,arg2/s",
                              rounds=30000)
        [trace] = self.recording_path.glob("*.trace")
        self.assertGreater(trace.stat().st_size, 20 * 65536)
        self.check(own, "arg1")

    def test_counted_calls_keep_argument_values(self):
        program = self.build("counted", "-O2", "-g0")
        for options in (["--on-overflow=process"],
                        ["--on-overflow=wait", "--workers=2"]):
            with self.subTest(options):
                own = self.run_traced(program, "--args=tell@arg1",
                                      "--trace=64K", *options, rounds=30000)
                found = self.by_value("tell@arg1")
                self.assertGreater(found["tell"].pop(None), 0)
                for value, calls in found["tell"].items():
                    self.assertLessEqual(calls, own["tell"][value])
                self.assertEqual(self.totals("tell@arg1"),
                                 self.totals("function"))
                self.assertEqual(self.totals("function")["tell"],
                                 sum(own["tell"].values()))

    def test_calls_in_a_ring_have_argument_values(self):
        program = self.build("ring", "-O2", "-g0")
        own = self.run_traced(program, "--args=tell@arg1",
                              "--trace=ring:128K", rounds=30000)
        found = self.by_value("tell@arg1")
        self.assertEqual(self.totals("tell@arg1"), self.totals("function"))
        self.assertNotIn(None, found["tell"])
        for value, calls in found["tell"].items():
            self.assertLessEqual(calls, own["tell"][value])

    def test_calls_excluded_by_a_condition_have_no_value(self):
        """Calls that the condition excludes have no value, and their callees
        have none."""
        program = self.build("wanted", "-O2", "-g0")
        own = self.run_traced(program, "--probe=tell",
                              "--action=if arg1 % 2 == 0",
                              "--action=record arg1")
        found = self.by_value("tell@arg1")
        for name in "tell", "leaf":
            odd = sum(calls for value, calls in own[name].items()
                      if int(value) % 2)
            even = {value: calls for value, calls in own[name].items()
                    if int(value) % 2 == 0}
            self.assertEqual(found[name], {**even, None: odd})

    def test_signals_lose_no_call_with_values(self):
        """No call is lost, and a call without a value is reported without
        one."""
        source, path = self.work / "ticks.c", self.work / "ticks"
        source.write_text(TICKS)
        subprocess.run(["cc", "-O2", "-o", path, source], check=True)
        for options in [], ["--stamps=1"]:
            own = self.run_traced(path, "--args=tell@arg1", *options,
                                  rounds=200000)
            self.assertEqual(self.totals("tell@arg1"), self.totals("function"))
            found = self.by_value("tell@arg1")["tell"]
            report = self.clew_json("report", "--json", self.recording_path)
            lost = [int(text.split("recorded in ")[1].split()[0])
                    for text in report["problems"] if "that probes recorded" in text]
            without = found.pop(None, 0)
            # A call whose value is lost may be counted with the value of the
            # preceding call.
            others = sum(lost) - without
            self.assertGreaterEqual(others, 0)
            self.assertEqual(sum(found.values()) + without,
                             sum(own["tell"].values()))
            for value, calls in found.items():
                self.assertLessEqual(calls, own["tell"][value] + others)

    def test_unknown_arguments_are_refused(self):
        program = self.build("none", "-O2", "-g0")
        self.run_traced(program, "--args=tell@arg1", rounds=10)
        for context in "tell@arg2", "once@arg1":
            done = self.clew("tree", f"--context={context}",
                             self.recording_path)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertIn("no call of", done.stderr)

    def test_context_objects_receive_argument_values(self):
        source, path = self.work / "kinds.c", self.work / "kinds.so"
        source.write_text("""
#include <stdio.h>
#include <string.h>
#include "agent/clew.h"
uint64_t clew_context_of(uint64_t parent, const struct clew_called *called)
{
    for (size_t i = 0; i < called->value_count; i++)
        if (!strcmp(called->values[i].name, "arg1") && !called->values[i].string)
            return 1 + called->values[i].number;
    return parent;
}
void clew_context_name(uint64_t context, char *name, size_t room)
{
    snprintf(name, room, "%d", (int)context - 1);
}
""")
        subprocess.run(["cc", "-shared", "-fPIC", "-I", HERE.parents[1], "-o",
                        path, source], check=True)
        own = self.run_traced(self.build("object", "-O2", "-g0"),
                              "--args=tell@arg1,arg2/s")
        found = collections.Counter()
        for names, calls in self.paths(path).items():
            found[names[-1]] += calls
        del found["(no context)"]
        self.assertEqual(found, {
            value: own["tell"][value] + own["leaf"][value]
            for value in own["leaf"]})


if __name__ == "__main__":
    clewtest.main()
