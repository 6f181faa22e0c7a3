#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Hooks of functions that make no calls need no frame, and programs cannot see
them.

The expected counts follow from the program's construction (targets/leaves.c).
"""
import re

from lib import clewtest
from lib.clewtest import target

CALLS = 100 + 10 + 5  # in main(), a thread and a coroutine
SWITCHES = 11
SWITCHES_BY_WORDS = 3  # in code that is not position-independent
TRACES = (["--trace"], ["--trace", "--stamps=packet"],
          ["--trace", "--stamps=1"], ["--trace", "--stamps=all"],
          ["--trace", "--sites"], ["--trace", "--trace-depth=100"],
          ["--trace=64K", "--on-overflow=process"])


class Leaves(clewtest.Case):
    def contexts(self):
        """Returns {context, innermost first: row} for the program's own
        functions."""
        shown = self.clew_json("report", "--json", "--by=context", "-n", "0",
                               "-m", "*leaves*", self.recording_path)
        return {row["name"]: row for row in shown["functions"]}

    def listed(self):
        (module,) = self.clew_json("list", "--json", "-a",
                                   self.program)["modules"]
        return [row for row in module["functions"]
                if re.match("(yes|no)_", row["name"])]

    def setUp(self):
        super().setUp()
        self.program = target("leaves")

    def follow(self, *argv, options=()):
        argv = [self.program, *argv]
        native = self.run_program(argv)
        self.assertIn(b": done\n", native.stdout)
        self.assert_same_behaviour(native, self.record(argv, options))
        self.assert_no_problem()

    def check_which(self, switches):
        listed = self.listed()
        for row in listed:
            with self.subTest(row["name"]):
                self.assertTrue(row["hooked"], row["verdict"])
                self.assertEqual(row.get("leaf", False),
                                 row["name"].startswith("yes_"))
        self.assertEqual(len(listed), 21 + switches)

    def test_leaf_functions_are_found(self):
        self.check_which(SWITCHES)

    def test_leaf_functions_are_found_at_a_fixed_address(self):
        self.program = target("leaves", "nopie")
        self.check_which(SWITCHES + SWITCHES_BY_WORDS)

    def check_counts(self, *options):
        self.follow("counts", options=options)
        calls = {}
        for name, row in self.contexts().items():
            function = name.split(" <- ")[0]
            calls.setdefault(function, []).append(row["calls"])
        for row in self.listed():
            name = row["name"]
            if name in ("yes_reads", "yes_works", "no_begins_anew"):
                self.assertNotIn(name, calls)
            elif name == "no_jumps":
                self.assertEqual(sum(calls[name]), CALLS + 7)
            elif name == "yes_adds":  # other functions call it, or jump to it
                self.assertEqual(sum(calls[name]), 3 * CALLS + 7 + 3)
            else:
                self.assertEqual(sum(calls[name]), CALLS, name)
        return calls

    def test_calls_of_leaves_are_counted(self):
        calls = self.check_counts()
        self.assertEqual(sorted(calls["yes_loops"]), [5, 10, 100])

    def test_calls_of_leaves_are_counted_at_a_fixed_address(self):
        self.program = target("leaves", "nopie")
        self.check_counts()

    def test_calls_of_leaves_are_counted_without_prelinking(self):
        self.check_counts("--no-prelinking")

    def test_calls_of_leaves_agree_with_verification(self):
        self.check_counts("--verify-period=1")
        found = self.clew_json("report", "--json",
                               self.recording_path)["confidence"]
        self.assertEqual((found["collisions"], found["diverged"]), (0, 0))
        self.assertGreater(found["verified"], 15 * CALLS)

    def test_calls_of_leaves_are_counted_with_each_kind_of_time(self):
        for options in (["--time=wall"], ["--trace"], ["--time=exact"],
                        ["--fold-recursion"]):
            with self.subTest(options):
                self.check_counts(*options)

    def test_calls_of_leaves_are_counted_with_few_contexts(self):
        """Contexts that miss their table slot, or fold, take another path."""
        totals = []
        for options in [], ["--max-contexts=20"]:
            self.recording_path = self.work / f"rec{len(options)}"
            self.follow("counts", options=["-m", "leaves", *options])
            totals.append(self.clew_json("report", "--json",
                                         self.recording_path)["total"])
        self.assertEqual(totals[0]["folded"], 0)
        self.assertGreater(totals[1]["folded"], 0)
        self.assertEqual(totals[0]["calls"], totals[1]["calls"])

    def test_leaf_that_jumps_to_its_start_counts_once(self):
        """The jump is not a call."""
        self.follow("loops", 10)
        self.assertEqual(
            self.contexts()["no_begins_anew <- loops <- main"]["calls"], 10)

    def test_faults_in_leaves_are_passed_through(self):
        for options in [], *TRACES:
            with self.subTest(options):
                self.follow("faults", 50, options=options)
                contexts = self.contexts()
                self.assertEqual(
                    contexts["yes_reads <- fault_once <- main"]["calls"], 50)
                self.assertEqual(contexts["yes_adds <- main"]["calls"], 50)
                self.assertEqual(
                    sum(row["calls"] for name, row in contexts.items()
                        if name.startswith("on_fault ")), 50)

    def test_unwinding_in_a_leaf_shows_the_true_stack(self):
        for options in [], *TRACES:
            with self.subTest(options):
                self.follow("backtraces", options=options)

    def test_traces_agree_with_counts(self):
        """The counts equal those per context, wherever a packet or the trace
        ends."""
        found = []
        for options in [], *TRACES:
            with self.subTest(options):
                self.follow("counts", options=["-m", "leaves", *options])
                found.append({name: row["calls"]
                              for name, row in self.contexts().items()})
                self.assertEqual(found[-1], found[0])

    def test_time_of_leaves_is_their_own(self):
        for options in [], ["--clock=tick"], ["--time=wall"]:
            with self.subTest(options):
                self.follow("works", 10, options=options)
                contexts = self.contexts()
                row = contexts["yes_works <- has_work_done <- main"]
                self.assertGreater(row["self_ns"], 0.9 * sum(
                    row["self_ns"] for row in contexts.values()))
                self.assertGreater(row["samples"], 20)

    def test_probes_in_leaves_have_their_context(self):
        for options in [], ["--trace"]:
            with self.subTest(options):
                self.check_probes(*options)

    def test_arguments_of_leaves_are_traced(self):
        for options in [], ["--stamps=1"], ["--sites"]:
            with self.subTest(options):
                self.follow("probes", options=[
                    "--trace", "--args=yes_has_locals@arg1", *options])
                paths = clewtest.paths_of(self.clew_json(
                    "tree", "--json", "--context=yes_has_locals@arg1",
                    self.recording_path))
                calls = {path[-2:]: calls for path, calls in paths.items()
                         if path[-1].startswith("yes_has_locals")}
                self.assertEqual(calls, {
                    (caller, f"yes_has_locals [arg1={i}]"): 1
                    for i in range(1000)
                    for caller in ("probed_here", "probed_there")})

    def check_probes(self, *options):
        spots = ("yes_has_locals", "yes_has_locals+12",
                 "yes_has_locals%return")
        options = [*options, *(word for spot in spots
                               for word in ("--probe", spot))]
        self.follow("probes", options=options)
        for number in range(1, 1 + len(spots)):
            shown = self.clew_json("report", "--json", "--by=context",
                                   f"--value=p{number}", "-n", "0",
                                   self.recording_path)
            self.assertEqual(
                {row["name"]: row["self_value"]
                 for row in shown["functions"] if row["self_value"]},
                {f"yes_has_locals <- {caller} <- main": 1000
                 for caller in ("probed_here", "probed_there")})


if __name__ == "__main__":
    clewtest.main()
