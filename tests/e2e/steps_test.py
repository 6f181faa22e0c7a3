#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A signal arrives before every instruction that clew adds to a call."""
from lib import clewtest
from lib.clewtest import slow, target


class EveryStep(clewtest.Case):
    """The program traces itself, and counts its calls (targets/steps.c)."""

    def run_native(self, argv):
        self.environment.pop("TRUTH_DIR", None)
        native = self.run_program(argv)
        if native.returncode == clewtest.SKIPPED:
            self.skipTest("ptrace is not permitted here")
        self.assertEqual((native.stdout, native.returncode), (b"done\n", 0))
        return native

    def interrupt(self, act, calls, *options, depth=10):
        argv = [target("steps"), act, calls, depth]
        self.run_native(argv)
        for old in self.truths.iterdir():
            old.unlink()
        options = ["-m", "steps", *options]
        recording, (one,) = self.record_target(argv, options)
        part = recording.part(one.pid)
        self.assert_nothing_lost(part)
        return part

    def test_every_step_survives_new_contexts_in_a_hit(self):
        self.interrupt("calls", "hits")

    def test_every_step_survives_new_contexts_in_a_miss(self):
        self.interrupt("calls", "misses")

    def test_every_step_survives_new_contexts_in_a_tail_call(self):
        self.interrupt("calls", "tails")

    # Functions that never call another function have their own kind of stub,
    # without a frame.

    def test_leaves_of_the_program_are_hooked_as_leaves(self):
        self.interrupt("calls", "leaf_hits", depth=1)
        listed = self.clew_json("list", "--json", "-a", self.recording_path)
        leaves = {int(row["vaddr"], 0) for module in listed["modules"]
                  for row in module["functions"] if row.get("leaf")}
        (path,) = self.truths.iterdir()
        named = {line.split()[-1]: int(line.split()[1], 0) in leaves
                 for line in path.read_text().splitlines()
                 if line.startswith("total ")}
        # idle() is also a leaf, unless the compiler has moved a part of it out.
        self.assertIn("idle", named)
        self.assertEqual({name for name in named if named[name]} - {"idle"},
                         {"leaf0", "leaf1", "leaf2", "leaf3"})

    def test_every_step_survives_new_contexts_in_a_leaf(self):
        for calls in "leaf_hits", "leaf_misses", "leaf_tails":
            with self.subTest(calls):
                self.interrupt("calls", calls)

    def test_every_step_survives_a_fork_in_a_leaf(self):
        self.interrupt("forks", "leaf_hits", depth=15)
        self.interrupt("forks", "leaf_misses", depth=12)
        self.interrupt("forks", "leaf_tails", depth=15)

    def test_every_step_survives_a_bare_fork_in_a_leaf(self):
        self.interrupt("bare", "leaf_hits", depth=15)
        self.interrupt("bare", "leaf_misses", depth=12)

    def test_every_step_survives_an_unwinder_in_a_leaf(self):
        for calls in "leaf_hits", "leaf_misses", "leaf_tails":
            with self.subTest(calls):
                self.interrupt("phdrs", calls, depth=17)

    def test_every_step_survives_walks_through_unhooked_handlers(self):
        """The calls of such handlers count below the interrupted function, in a stub or
        outside.
        """
        for calls in ("hits", "misses", "tails", "leaf_hits", "leaf_misses",
                      "leaf_tails"):
            with self.subTest(calls):
                argv = [target("steps"), "calls", calls, 5]
                native = self.run_native(argv)
                self.assert_same_behaviour(native, self.record(
                    argv, ["-m", "steps", "-F", "^on_signal$",
                           "--verify-period", "20"]))
                report = self.clew_json("report", "--json",
                                        self.recording_path)
                found = report["confidence"]
                for verdicts in found, found["contexts"]:
                    self.assertEqual(verdicts["diverged"], 0, found)
                    self.assertEqual(verdicts["collisions"], 0, found)
                self.assertGreater(found["verified"], 1000)

    # The child continues the code in which its parent was interrupted. The
    # interrupted stub is about to add the address of a large table to that
    # table's mask.

    def test_every_step_survives_a_fork_in_a_hit(self):
        self.interrupt("forks", "hits", depth=15)

    def test_every_step_survives_a_fork_in_a_miss(self):
        self.interrupt("forks", "misses", depth=12)

    def test_every_step_survives_a_fork_in_a_tail_call(self):
        self.interrupt("forks", "tails", depth=15)

    def test_every_step_survives_a_bare_fork_in_a_hit(self):
        self.interrupt("bare", "hits", depth=15)

    def test_every_step_survives_a_bare_fork_in_a_miss(self):
        self.interrupt("bare", "misses", depth=12)

    @slow
    def test_every_step_survives_a_fork_in_a_hit_and_tables_that_grow(self):
        self.interrupt("grows", "hits", depth=15)

    @slow
    def test_every_step_survives_a_fork_with_exact_times(self):
        self.interrupt("forks", "hits", "--time=exact", depth=15)

    @slow
    def test_every_step_survives_a_fork_in_a_tail_call_with_exact_times(self):
        self.interrupt("forks", "tails", "--time=exact", depth=15)

    @slow
    def test_every_step_survives_a_fork_of_an_unrecorded_child(self):
        argv = [target("steps"), "grows", "hits", 15]
        native = self.run_native(argv)
        options = ["-m", "steps", "--no-children"]
        self.assert_same_behaviour(native, self.record(argv, options))

    # The thread is suspended meanwhile; its table has 8 MiB.

    def test_every_step_survives_an_unwinder_in_a_hit(self):
        self.interrupt("phdrs", "hits", depth=17)

    def test_every_step_survives_an_unwinder_in_a_miss(self):
        self.interrupt("phdrs", "misses", depth=17)

    def test_every_step_survives_an_unwinder_in_a_tail_call(self):
        self.interrupt("phdrs", "tails", depth=17)

    @slow
    def test_every_step_survives_an_unwinder_with_exact_times(self):
        self.interrupt("phdrs", "hits", "--time=exact", depth=17)

    @slow
    def test_every_step_survives_an_unwinder_in_a_timed_tail_call(self):
        self.interrupt("phdrs", "tails", "--time=exact", depth=17)


class EveryStepOfATrace(clewtest.Case):
    """A signal arrives before every instruction while calls are traced and packets become full.

    Contexts of handlers are not exact while a stub is interrupted, so the test compares
    only their sums. The contexts of interrupted functions are exact. The next packet
    also begins with the context with which the last packet ended.
    """

    def interrupt(self, act, calls, *options, words=1, left_out=0,
                  deeper=()):
        argv = [target("steps"), act, calls, 3, words]
        self.environment.pop("TRUTH_DIR", None)
        native = self.run_program(argv)
        if native.returncode == clewtest.SKIPPED:
            self.skipTest("ptrace is not permitted here")
        for old in self.truths.iterdir():
            old.unlink()
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.assert_same_behaviour(native, self.record(
            argv, ["-m", "steps", *options]))
        self.assert_no_problem()
        (path,) = self.truths.iterdir()
        totals = [line.split() for line in path.read_text().splitlines()
                  if line.startswith("total ")]
        wanted = {int(vaddr, 0): int(calls)
                  for _, vaddr, calls, _, name in totals
                  if int(calls) and name not in deeper}
        shown = self.clew_json("report", "--json", "-n", "0",
                               self.recording_path)
        found = {int(function["vaddr"], 0): function["calls"]
                 for function in shown["functions"]}
        self.assertEqual(shown["lost"], {})
        self.assertGreater(len(wanted), 5)
        self.assertEqual(len(wanted.keys() - found.keys()), left_out)
        self.assertEqual({vaddr: found.get(vaddr, calls)
                          for vaddr, calls in wanted.items()}, wanted)
        self.assert_interrupted_have_one_context(
            {int(vaddr, 0): name for _, vaddr, _, _, name in totals})

    def assert_interrupted_have_one_context(self, names):
        tree = self.clew_json("tree", "--json", self.recording_path)
        callers, found = {0: None}, []
        for node in tree["contexts"]:
            function = tree["functions"][node["function"]]
            name = names.get(int(function.get("vaddr", "0"), 0), "")
            callers[node["id"]] = name
            if node["calls"] and name.startswith(("passes", "jumps", "leaf")):
                found.append((name, callers[node["parent"]]))
        self.assertGreater(len(found), 3)
        called = {name for name, _ in found}
        for name in called:
            jumps = {"passes": "jumps", "leaf": "leaf_jumps"}
            caller = jumps.get(name[:-1], "") + name[-1]
            self.assertEqual(
                [above for each, above in found if each == name],
                [caller if caller in called else "call_one"])

    def test_every_step_survives_a_full_packet_in_a_call(self):
        self.interrupt("fills", "hits", "--trace", "--stamps=packet")

    def test_every_step_survives_a_full_packet_in_a_tail_call(self):
        self.interrupt("fills", "tails", "--trace", "--stamps=packet")

    def test_every_step_survives_a_full_packet_in_a_leaf(self):
        for calls in "leaf_hits", "leaf_tails":
            with self.subTest(calls):
                self.interrupt("fills", calls, "--trace", "--stamps=packet")
        self.interrupt("fills", "leaf_hits", "--trace", "--stamps=packet",
                       "-F", "^on_signal$", left_out=1)

    @slow
    def test_every_step_survives_a_leaf_at_the_end_of_a_packet(self):
        for act in "calls", "fills":
            for calls in "leaf_ends", "leaf_tail_ends":
                with self.subTest(act=act, calls=calls):
                    self.interrupt(act, calls, "--trace", "--stamps=packet")

    def test_every_step_survives_a_full_packet_that_is_reused(self):
        for calls in "hits", "tails":
            with self.subTest(calls):
                self.interrupt("fills", calls, "--trace=64K",
                               "--on-overflow=process", "--stamps=packet")

    def test_every_step_survives_a_call_at_the_end_of_a_packet(self):
        self.interrupt("calls", "ends", "--trace", "--stamps=packet")

    @slow
    def test_every_step_survives_a_tail_call_at_the_end_of_a_packet(self):
        self.interrupt("calls", "tail_ends", "--trace", "--stamps=packet")

    @slow
    def test_every_step_survives_two_full_packets(self):
        self.interrupt("fills", "ends", "--trace", "--stamps=packet")
        self.interrupt("fills", "tail_ends", "--trace", "--stamps=packet")

    def test_every_step_survives_a_full_packet_in_an_unhooked_handler(self):
        for calls in "hits", "tails":
            with self.subTest(calls):
                self.interrupt("fills", calls, "--trace", "--stamps=packet",
                               "-F", "^on_signal$", left_out=1)

    def test_every_step_survives_a_full_packet_on_an_alternate_stack(self):
        self.interrupt("fills", "alt_hits", "--trace", "--stamps=packet")
        self.interrupt("fills", "alt_hits", "--trace", "--stamps=packet",
                       "-F", "^on_signal$", left_out=1)

    @slow
    def test_every_step_survives_a_full_packet_with_stamped_returns(self):
        self.interrupt("fills", "hits", "--trace", "--stamps=all", words=8)

    @slow
    def test_every_step_survives_a_full_packet_on_a_low_stack(self):
        for calls in "low_hits", "low_tails":
            with self.subTest(calls):
                self.interrupt("fills", calls, "--trace", "--stamps=packet")
        self.interrupt("fills", "low_hits", "--trace", "--stamps=packet",
                       "-F", "^on_signal$", left_out=1)

    def test_only_calls_that_are_too_deep_are_omitted(self):
        """In a handler, idle() exceeds the depth limit."""
        self.interrupt("fills", "hits", "--trace", "--trace-depth=9",
                       words=64, deeper=["idle"])

    def test_every_step_survives_a_limited_depth(self):
        for act, calls in ("calls", "hits"), ("sinks", "deep_hits"):
            with self.subTest(calls):
                self.interrupt(act, calls, "--trace", "--trace-depth=200",
                               "--stamps=packet", deeper=["sinks"])

    def test_every_step_survives_calls_that_leave_the_window(self):
        for calls in ("deep_hits", "deep_tails", "alt_deep_hits",
                      "deep_leaf_hits", "alt_deep_leaf_hits"):
            with self.subTest(calls):
                self.interrupt("sinks", calls, "--trace", "--stamps=packet")
        self.interrupt("sinks", "deep_hits", "--trace", "--stamps=packet",
                       "-F", "^on_signal$", left_out=1)

    @slow
    def test_every_step_survives_leaving_the_window_with_stamped_returns(self):
        for calls in "deep_hits", "deep_tails":
            with self.subTest(calls):
                self.interrupt("sinks", calls, "--trace", "--stamps=all")

    @slow
    def test_every_step_survives_low_stacks_with_stamped_returns(self):
        for calls in "low_hits", "low_tails":
            with self.subTest(calls):
                self.interrupt("fills", calls, "--trace", "--stamps=all",
                               words=8)

    @slow
    def test_every_step_survives_a_full_packet_with_stamped_calls(self):
        for calls in "hits", "tails":
            for stamps, words in ("1", 4), ("all", 8):
                with self.subTest(calls=calls, stamps=stamps):
                    self.interrupt("fills", calls, "--trace",
                                   f"--stamps={stamps}", words=words)

    @slow
    def test_every_step_survives_a_full_packet_with_call_sites(self):
        for calls in "hits", "tails":
            with self.subTest(calls):
                self.interrupt("fills", calls, "--trace", "--sites",
                               "--stamps=packet")


if __name__ == "__main__":
    clewtest.main()
