#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Counts per context equal those of the program exactly."""
import collections
import pathlib
import unittest

from lib import clewtest, truth, wire
from lib.clewtest import target


class Counts(clewtest.Case):
    def check(self, name, *arguments, options=()):
        """Checks each flavour in which the program was built. Each path of a
        recursion keeps a context."""
        for flavour in clewtest.flavours_of(name):
            with self.subTest(flavour=flavour):
                for old in self.truths.iterdir():
                    old.unlink()
                self.environment.pop("TRUTH_DIR", None)
                recording, _ = self.record_target(
                    [target(name, flavour), *arguments],
                    ["--fold-recursion=never", *options])
                for part in recording.parts:
                    self.assert_nothing_lost(part)

    def test_recursion_is_counted(self):
        self.check("recursion")

    def test_calls_from_each_kind_of_location_are_counted(self):
        for time in "none", "exact":
            self.check("offsets", options=[f"--time={time}"])

    def test_tail_calls_are_counted(self):
        self.check("tail")

    def test_tail_calls_without_nesting_are_counted(self):
        self.nests_tails = False
        self.check("tail", options=["--no-tail-nesting", "--verify-period=1"])

    def test_tail_calls_are_counted_apart(self):
        """A context may be entered by calls and by tail calls."""
        for time in "none", "exact":
            with self.subTest(time):
                for old in self.truths.iterdir():
                    old.unlink()
                self.environment.pop("TRUTH_DIR", None)
                recording, (one,) = self.record_target([target("tail")],
                                                       [f"--time={time}"])
                compared = truth.Comparison(one, recording.parts[0])
                self.assertEqual(compared.tail_differences(), [])
                self.assertGreater(sum(one.tails.values()), 20000)
                mixed = [number for number, tails in one.tails.items()
                         if tails < one.nodes[number][3]]
                self.assertGreater(len(mixed), 3)

    def test_reports_count_tail_calls(self):
        recording, (one,) = self.record_target([target("tail")])
        tree = self.clew_json("tree", "--json", recording.path)
        self.assertEqual(sum(node["tail"] for node in tree["contexts"]),
                         sum(one.tails.values()))
        (vaddr,) = {vaddr for (_, vaddr), name in one.names.items()
                    if name == "ping"}
        edges = self.clew_json("report", "--json", "--butterfly",
                               f"tail+{vaddr:#x}", recording.path)
        wanted = sum(tails for number, tails in one.tails.items()
                     if one.nodes[number][2][1] == vaddr)
        self.assertGreater(edges["self"]["calls"], wanted)
        self.assertEqual(edges["self"]["tail"], wanted)
        self.assertEqual(sum(caller["tail"] for caller in edges["callers"]),
                         wanted)
        self.assertRegex(self.clew("tree", recording.path).stdout,
                         r"\([\d,]+ by tail calls\)")

    def test_buffers_with_old_return_addresses_do_no_harm(self):
        self.check("buffers")

    def test_every_tier_of_hooks_is_counted(self):
        self.check("tiers")

    def test_every_way_of_hooking_is_used(self):
        listing = self.clew_json("list", "--json", "--all", target("tiers"))
        verdicts = {f["verdict"] for f in listing["modules"][0]["functions"]}
        texts = {name: text for name, _, text in wire.JSON_VERDICTS}
        for name in ("JUMP", "JUMP_SHORT", "JUMP_PUNNED", "TRAP"):
            self.assertIn(texts[name], verdicts)

    def test_function_that_jumps_to_its_start_is_reported(self):
        """A self tail call looks like such a loop, so clew reports the
        function."""
        recording, (one,) = self.record_target([target("tiers")])
        loops = {vaddr for (_, vaddr), name in one.names.items()
                 if "loops_" in name}
        self.assertEqual(len(loops), 3)
        for what in target("tiers"), recording.path:
            listing = self.clew_json("list", "--json", what)
            module = next(m for m in listing["modules"]
                          if m["path"].endswith("tiers"))
            self.assertEqual({int(f["vaddr"], 16)
                              for f in module["functions"]
                              if f.get("in_doubt")}, loops)
            self.assertEqual(module["coverage"]["in_doubt"], 3)
        said = self.clew_json("report", "--json", recording.path)["in_doubt"]
        self.assertEqual(said["calls_of_itself"], 3)
        self.assertEqual({int(f["vaddr"], 16) for f in said["functions"]},
                         loops)
        self.assertIn("may be undercounted: 3 functions jump to their own "
                      "entry; ", self.details(recording.path))

    def test_a_guest_is_counted_without_its_host(self):
        """The guest's hook needs space behind the jump in its host. If the host
        is not hooked, the guest gets a breakpoint or no hook."""
        native = self.run_program([target("tiers")])
        recording, (one,) = self.record_target([target("tiers")])
        vaddr = {name: vaddr for (_, vaddr), name in one.names.items()}

        def verdict(recording, name):
            return next(wire.VERDICTS[f.verdict][0]
                        for m in recording.parts[0].modules
                        if m.name == "tiers" for f in m.functions
                        if f.vaddr == vaddr[name])

        self.assertEqual(verdict(recording, "is_a_guest"), "JUMP_SHORT")
        self.assertEqual(verdict(recording, "is_a_host"), "JUMP")
        self.recording_path = self.work / "second"
        recorded = self.record([target("tiers")], [
            "-F", rf"tiers\+{vaddr['is_a_host']:#x}$"])
        self.assert_same_behaviour(native, recorded)
        recording = self.recording()
        self.assertEqual(verdict(recording, "is_a_host"), "DESELECTED")
        self.assertIn(verdict(recording, "is_a_guest"), ("TRAP", "NO_TRAP"))

    def test_breakpoints_are_counted(self):
        recording, _ = self.record_target([target("tiers")])
        verdicts = {wire.VERDICTS[f.verdict][0]
                    for m in recording.parts[0].modules
                    if m.name == "tiers" for f in m.functions}
        if "NO_TRAP" in verdicts:
            self.skipTest("this process cannot have breakpoints")
        self.assertIn("TRAP", verdicts)
        self.check("tiers", "trap")

    def test_threads_are_counted(self):
        self.check("threads")

    def test_each_thread_has_its_own_counts(self):
        recording, (one,) = self.record_target([target("threads")])
        part = recording.parts[0]
        self.assertGreater(len(one.threads()), 20)
        for tid in one.threads():
            with self.subTest(tid=tid):
                self.assert_equals_truth(one, part, tid)

    def test_short_threads_are_counted(self):
        recording, _ = self.record_target([target("churn"), "10000"])
        part = recording.parts[0]
        self.assert_nothing_lost(part)
        self.assertEqual(part.state, wire.ENDED)
        # At most 8 threads run at once; a tally per thread would be a leak.
        self.assertLessEqual(len(part.tallies), 200)
        self.assertLess(recording.size_bytes(), 8 << 20)

    def test_callbacks_from_the_c_library_are_counted(self):
        self.check("callbacks")

    def test_callbacks_are_counted_with_the_c_library_hooked(self):
        self.check("callbacks", options=["--libc"])

    def test_signal_handlers_are_counted(self):
        self.check("signals")

    def test_jumps_are_counted(self):
        self.check("jumps")

    def test_jumps_without_a_library_are_counted(self):
        self.check("leaps")

    def test_hand_written_jumps_are_counted(self):
        self.check("leaps_by_hand")
        self.check("library_leaps")

    def test_exceptions_are_counted(self):
        self.check("exceptions")

    def test_exceptions_pass_slots_of_a_personality_routine(self):
        for time in "none", "exact":
            with self.subTest(time=time):
                self.check("personality", options=[f"--time={time}"])

    def test_exceptions_are_counted_with_the_c_library_hooked(self):
        self.check("exceptions", options=["--libc"])

    def test_unwinding_is_counted(self):
        self.check("unwinding")

    def test_unwinding_is_counted_with_the_c_library_hooked(self):
        self.check("unwinding", options=["--libc"])

    def test_cancelled_threads_are_counted(self):
        self.check("cancel")

    def test_threads_that_end_within_functions_are_counted(self):
        for time in "none", "exact":
            with self.subTest(time):
                self.check("thread_ends", options=[f"--time={time}"])
                self.check("thread_ends_unwound", options=[f"--time={time}"])

    def test_coroutines_by_ucontext_are_counted(self):
        self.check("coroutines_ucontext")

    def test_handlers_on_stacks_within_stacks_are_counted(self):
        self.check("stacks_within", options=["--verify-period=1"])

    def test_coroutines_by_switched_stacks_are_counted(self):
        self.check("coroutines_switch")

    def test_coroutines_by_fcontext_are_counted(self):
        for way in "named", "popping", "loading":
            with self.subTest(way):
                self.check("fcontext", way)

    def test_code_that_starts_coroutines_is_no_function(self):
        """Such code has no return address, and the stack may end there. Without symbols
        it looks like a function.
        """
        argv = [target("fcontext_hidden")]
        self.environment.pop("TRUTH_DIR", None)
        self.assert_same_behaviour(self.run_program(argv), self.record(argv))

    @unittest.skipUnless(pathlib.Path(target("coroutines20")).exists(),
                         "the compiler has no coroutines")
    def test_coroutines_of_cxx_are_counted(self):
        self.check("coroutines20")
        self.check("coroutines20", options=["--libc"])

    def test_deep_recursion_is_counted(self):
        self.check("deep", "100000")

    def test_backtraces_are_counted(self):
        self.check("backtraces")
        self.check("backtraces", options=["--libc"])

    def test_jumps_out_of_backtrace_are_counted(self):
        self.check("broken_frames")


class Preserved(clewtest.Case):
    """Registers and flags are preserved across calls and returns."""

    def test_registers_are_preserved(self):
        recorded = self.record([target("registers")], text=True)
        self.assertEqual(recorded.stdout, "errors 0\n")
        self.assertEqual(recorded.returncode, 0)
        self.assertTrue(self.recording().parts[0].counts())

    def test_registers_are_preserved_while_every_hit_is_verified(self):
        rules = self.work / "rules"
        rules.write_text("verify-period 1\n", encoding="utf-8")
        recorded = self.record([target("registers")], ["--rules", rules],
                               text=True)
        self.assertEqual(recorded.stdout, "errors 0\n")
        tallies = self.recording().parts[0].tallies.values()
        self.assertGreater(sum(t.verified for t in tallies), 20000)
        self.assertEqual(sum(t.diverged for t in tallies), 0)

    def same(self, name, *flavours):
        for flavour in flavours:
            with self.subTest(flavour=flavour):
                argv = [target(name, flavour)]
                native = self.run_program(argv)
                self.assertEqual(native.returncode, 0)
                self.assert_same_behaviour(native, self.record(argv))
                self.assertTrue(self.recording().parts[0].counts())

    def test_the_calling_convention_is_preserved(self):
        self.same("abi", "O2", "O0", "Os")

    def test_other_calling_conventions_keep_their_registers(self):
        self.same("conventions", "O2", "O0", "unaligned", "noredzone")

    def test_vector_registers_are_preserved(self):
        self.same("vectors", "O2")


class ManyContexts(clewtest.Case):
    def totals(self, argv, options=()):
        """Returns (contexts, calls) below grow() as the program prints them,
        and its part. Each path of the recursion keeps a context."""
        recorded = self.record(argv, ["--fold-recursion=never", *options],
                               text=True)
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        _, contexts, _, calls = recorded.stdout.split()
        return int(contexts), int(calls), self.recording().parts[0]

    def below_grow(self, part):
        """Returns [(context, calls)] at depth 3 and more, since main() has
        depth 1."""
        own = {f.number for module in part.modules for f in module.functions
               if module.name == "contexts"} | {wire.FOLDED}
        calls = part.counts()
        return [(c, calls.get(c.id, 0)) for c in part.contexts().values()
                if c.depth >= 3 and c.function in own]

    def test_a_hundred_thousand_contexts_are_exact(self):
        contexts, calls, part = self.totals([target("contexts"),
                                             "10", "5", "3"])
        counted = [n for _, n in self.below_grow(part)]
        self.assertEqual(len(counted), contexts)
        self.assertEqual(sum(counted), calls)
        self.assertEqual(part.recorded, len(part.contexts()))
        self.assert_nothing_lost(part)

    def test_late_contexts_are_verified_less_often(self):
        # The tolerance is six standard deviations. All verified first calls
        # that are not late ones are early ones.
        _, _, part = self.totals([target("contexts"), "10", "5", "1"])
        tally = max(part.tallies.values(), key=lambda t: t.recorded)
        early = tally.firsts_verified - tally.late_decided
        late = tally.recorded - 4096
        self.assertEqual(tally.firsts_wrong + tally.firsts_partial, 0)
        self.assertLess(abs(early - 4096 / 16), 6 * (4096 / 16) ** .5)
        self.assertLess(abs(tally.late_decided - late / 128),
                        6 * (late / 128) ** .5)
        self.assertEqual(tally.late_wrong, 0)

    def test_each_context_is_verified_if_each_call_is(self):
        _, _, part = self.totals([target("contexts"), "10", "5", "1"],
                                 ["--verify-period=1"])
        tally = max(part.tallies.values(), key=lambda t: t.recorded)
        self.assertEqual(tally.firsts_verified + tally.firsts_partial,
                         tally.recorded)
        self.assertEqual(tally.firsts_wrong, 0)

    @staticmethod
    def disk_bytes(part):
        """Returns the disk space of the part; freed space is a hole in the
        file."""
        return part.path.stat().st_blocks * 512

    def test_each_context_takes_few_bytes(self):
        few, _, part = self.totals([target("contexts"), "10", "4", "1"])
        small = self.disk_bytes(part)
        many, _, part = self.totals([target("contexts"), "10", "5", "1"])
        large = self.disk_bytes(part)
        self.assertLessEqual((large - small) / (many - few), 64)

    def test_size_does_not_depend_on_the_number_of_calls(self):
        # The table doubles until it is sparse, if many calls are away from
        # their home entries: here at most to 16,384 entries of 16 bytes.
        sizes = []
        for walks in "1000", "40000":
            _, _, part = self.totals([target("contexts"), "10", "3", walks],
                                     ["--time=none"])
            sizes.append(part.path.stat().st_size)
        self.assertLessEqual(sizes[1] - sizes[0], 3 * 16384 * 16)

    def test_contexts_beyond_the_limit_are_folded(self):
        """No calls are dropped: those without a context of their own count in a
        fold."""
        contexts, calls, part = self.totals(
            [target("contexts"), "10", "4", "5"], ["--max-contexts", "1000"])
        self.assertEqual(part.max_contexts, 1000)
        counted = self.below_grow(part)
        folds = [n for c, n in counted if c.function == wire.FOLDED]
        genuine = [n for c, n in counted if c.function != wire.FOLDED]
        self.assertGreater(len(genuine), 500)
        self.assertLess(len(genuine), 1001)
        self.assertLess(len(genuine), contexts)
        self.assertEqual(sum(folds), part.folded_calls())
        self.assertEqual(sum(genuine) + sum(folds), calls)

    def test_a_memory_limit_folds_contexts(self):
        _, calls, part = self.totals([target("contexts"), "10", "4", "5"],
                                     ["--max-memory", "128K"])
        self.assertGreater(part.folded_calls(), 0)
        self.assertEqual(sum(n for _, n in self.below_grow(part)), calls)


class Verification(clewtest.Case):
    def test_verified_hits_agree(self):
        rules = self.work / "rules"
        rules.write_text("verify-period 1\n", encoding="utf-8")
        for name in "recursion", "tail", "threads", "jumps":
            with self.subTest(name):
                for old in self.truths.iterdir():
                    old.unlink()
                self.environment.pop("TRUTH_DIR", None)
                recording, _ = self.record_target([target(name)],
                                                  ["--rules", rules])
                part = recording.parts[0]
                self.assertEqual(part.verify_period, 1)
                verified = sum(t.verified + t.partial
                               for t in part.tallies.values())
                self.assertGreater(verified, 1000)
                self.assertEqual([t.firsts_wrong for t in part.tallies.values()
                                  if t.firsts_wrong], [])
                self.assert_nothing_lost(part)

    def test_coroutines_are_verified_as_far_as_their_stack_goes(self):
        rules = self.work / "rules"
        rules.write_text("verify-period 1\n", encoding="utf-8")
        for name in "coroutines_switch", "fcontext":
            with self.subTest(name):
                self.record([target(name)], ["--rules", rules])
                part = self.recording().parts[0]
                self.assertGreater(sum(t.verified
                                       for t in part.tallies.values()), 0)
                self.assertGreater(sum(t.partial
                                       for t in part.tallies.values()), 0)
                self.assert_nothing_lost(part)

    def test_coroutines_of_makecontext_are_verified_to_their_starter(self):
        self.record([target("coroutines_ucontext")], ["--verify-period=1"])
        part = self.recording().parts[0]
        tallies = part.tallies.values()
        self.assertEqual(sum(t.verified + t.firsts_verified for t in tallies),
                         sum(part.counts().values()))
        self.assertEqual([t.partial_by for t in tallies if t.partial], [])
        self.assert_nothing_lost(part)

    def wrong_calls(self, where, *options):
        """Returns (calls in wrong contexts, all calls, the report's
        figures)."""
        argv = [target("switches"), where]
        native = self.run_program(argv)
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.assert_same_behaviour(native,
                                   self.record(argv, ["-m", "switches",
                                                      *options]))
        compared = truth.Comparison(truth.read_all(self.truths)[0],
                                    self.recording().parts[0])
        report = self.clew_json("report", "--json", self.recording_path)
        return (sum((compared.found - compared.wanted).values()),
                sum(compared.wanted.values()), report["confidence"])

    def test_traces_and_counts_agree_on_unhooked_switches(self):
        """Both are wrong until the resumed function returns, not only until the
        next packet."""
        wrong, _, _ = self.wrong_calls("mapped")
        for options in (["--trace"], ["--trace", "--stamps=all"],
                        ["--trace", "--sites"]):
            with self.subTest(options):
                for old in self.truths.iterdir():
                    old.unlink()
                self.assertEqual(self.wrong_calls("mapped", *options)[0],
                                 wrong)

    def assert_bounds_hold(self, where, *options):
        wrong, calls, found = self.wrong_calls(where, "--verify-period=1",
                                               *options)
        firsts = found["contexts"]
        self.assertGreater(wrong, calls // 20)
        self.assertGreaterEqual(found["diverged"] + firsts["diverged"], wrong)
        decided = found["verified"] + found["diverged"]
        self.assertGreaterEqual(found["wrong_at_most"], found["diverged"] /
                                decided)
        self.assertGreaterEqual(found["wrong_at_most"], wrong / calls)
        # The period is one, so each call was verified.
        self.assertGreaterEqual(sum(
            counts[of] for counts in (found, firsts)
            for of in ("verified", "diverged", "collisions", "partial")), calls)
        self.assertGreater(firsts["diverged"], 0)
        self.assertGreater(firsts["wrong_at_most"], firsts["diverged"] / (
            firsts["diverged"] + firsts["verified"] + 1))

    def test_wrong_contexts_are_found_on_stacks_that_are_mapped(self):
        self.assert_bounds_hold("mapped")

    def test_wrong_contexts_are_found_on_stacks_from_the_heap(self):
        self.assert_bounds_hold("heap")

    def test_wrong_contexts_are_found_on_stacks_in_data(self):
        self.assert_bounds_hold("data")

    def test_wrong_contexts_are_found_where_time_is_taken(self):
        self.assert_bounds_hold("heap", "--time=exact")

    def test_unseen_switches_of_stacks_are_noticed(self):
        """Contexts may be wrong after such switches, which the report says. All
        else is right."""
        rules = self.work / "rules"
        rules.write_text("verify-period 1\n", encoding="utf-8")
        argv = [target("fcontext"), "unseen"]
        native = self.run_program(argv)
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.assert_same_behaviour(native,
                                   self.record(argv, ["--rules", rules]))
        part = self.recording().parts[0]
        wanted, found = collections.Counter(), collections.Counter()
        (one,) = truth.read_all(self.truths)
        for _, _, function, calls in one.nodes.values():
            if function and one.names[function] != "unseen":
                wanted[function] += calls
        calls = part.counts()
        for context in part.contexts().values():
            function = part.functions[context.function]
            found[function.module.name, function.vaddr] += calls.get(
                context.id, 0)
        self.assertGreater(len(wanted), 5)
        self.assertEqual({f: found[f] for f in wanted}, wanted)
        self.assertEqual(list(part.losses), [0] * len(part.losses))
        self.assertGreater(sum(t.diverged for t in part.tallies.values()), 0)


if __name__ == "__main__":
    clewtest.main()
