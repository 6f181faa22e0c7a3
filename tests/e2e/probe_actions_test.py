#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Actions of probes beyond counting: conditions, limits, values, regions."""
import collections
import json
import pathlib
import re

from lib import clewtest
from lib.clewtest import ROOT

HERE = ROOT / "tests" / "e2e"
COUNT = 300
CALLS_OF_DEEP = sum(i % 4 + 1 for i in range(COUNT))
NAMES = ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8", "r9", "r10",
         "r11", "r12", "r13", "r14", "r15"]
FIELDS = ("arg1, arg2/s, arg2/x, *(char **)arg3, *(int *)(arg3 + 8), "
          "*(unsigned char *)(arg3 + 12), (unsigned char)arg4, tid")


def text_of(number):
    """Returns the recorded value of the text that tell(number, ...) gets."""
    return ["", "a word", '"quoted"\n', None, None, "edges"][number % 6]


def address_of(case, program, symbol):
    names = case.run_program(["nm", program], text=True).stdout
    return int(re.search(rf"(\w+) T {symbol}$", names, re.M)[1], 16)


class Case(clewtest.Case):
    def setUp(self):
        super().setUp()
        self.program = self.work / "probe_actions"
        done = self.run_program(["gcc", "-O2", "-pthread", "-o", self.program,
                                 HERE / "probe_actions.c"], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def probed(self, options, *arguments):
        """Records with probes. Returns {name: [events]}, and stores the report in self.report."""
        argv = [self.program, *arguments]
        native = self.run_program(argv)
        self.done = self.record(argv, ["--time=none", *options])
        self.assert_same_behaviour(native, self.done)
        self.report = self.clew_json("report", "--json", "--events",
                                     self.recording_path)
        self.probes = {one["name"]: one for one in self.report["probes"]}
        events = collections.defaultdict(list)
        for event in self.report["events"]:
            events[event["name"]].append(event)
        return events

    def values(self, events):
        return [event["values"] for event in events]


class Values(Case):
    def check(self, events):
        seen = {}
        for event in events["p1: tell"]:
            values = event["values"]
            self.assertEqual(values["tid"], event["tid"])
            seen.setdefault(event["tid"], []).append(values["arg1"])
            self.check_values(values, values["arg1"])
        # Each thread has its own events, in order.
        self.assertEqual(sorted(seen.values()),
                         [list(range(i, COUNT, 3)) for i in range(3)])

    def check_values(self, values, number):
        text = text_of(number)
        has_pair = number % 10 != 0
        self.assertEqual(values["arg2"] if number % 6 in (0, 1, 2, 5) else
                         None, text)
        self.assertEqual(values["*(char **)arg3"],
                         text if has_pair else None)
        self.assertEqual(values["*(int *)(arg3 + 8)"],
                         -number if has_pair else None)
        self.assertEqual(values["*(unsigned char *)(arg3 + 12)"],
                         number % 256 if has_pair else None)
        self.assertEqual(values["(unsigned char)arg4"], number % 256)

    def test_values_of_all_calls_are_recorded(self):
        fields = FIELDS.replace("arg2/x, ", "")
        events = self.probed(["--probe=tell", f"--action=record {fields}"])
        self.check(events)
        self.assertEqual(self.probes["p1"]["hits"], COUNT)
        self.assertEqual(self.probes["p1"]["actions"], [f"record {fields}"])

    def test_values_at_a_breakpoint_are_recorded(self):
        """Values are also recorded at an instruction that has no space for a jump."""
        events = self.probed(["--probe=tell%return",
                              "--action=record ret, tid"])
        results = sorted(event["values"]["ret"]
                         for event in events["p1: tell%return"])
        self.assertEqual(results, sorted(2 * i if i % 10 else -1
                                         for i in range(COUNT)))

    def test_values_of_registers_are_recorded(self):
        names = ", ".join(f"${name}" for name in NAMES)
        place = f"{address_of(self, self.program, 'spot'):#x}"
        events = self.probed([
            "--probe", place, f"--action=record {names}",
            "--probe=spots", "--action=record $rsp, *(long *)arg1/x, $eflags"])
        [at_spot] = self.values(events[f"p1: {place}"])
        self.assertEqual([at_spot[f"${name}"] & (1 << 64) - 1
                          for name in NAMES],
                         [0x1111111111111111 * (i + 1) for i in range(15)])
        [at_start] = self.values(events["p2: spots"])
        self.assertEqual(at_start["*(long *)arg1"], 0x1111111111111111)
        self.assertEqual(at_start["$rsp"] % 16, 8)
        self.assertEqual(at_start["$eflags"] & 0x202, 0x202)

    def test_a_string_has_its_length(self):
        events = self.probed([
            "--probe=tell", "--action=if arg1 == 1 || arg1 == 5",
            "--action=record arg2/s3, arg2 + 2/s256, *(char *)arg2/c"])
        one, five = sorted(self.values(events["p1: tell"]),
                           key=lambda values: values["*(char *)arg2"])
        self.assertEqual(one, {"arg2": "a w", "arg2 + 2": "word",
                               "*(char *)arg2": ord("a")})
        self.assertEqual(five, {"arg2": "edg", "arg2 + 2": "ges",
                                "*(char *)arg2": ord("e")})
        text = self.clew("report", "--events", self.recording_path).stdout
        self.assertIn('p1: tell  arg2="a w"...  arg2 + 2="word"  '
                      "*(char *)arg2='a'  in tell\n", text)

    def test_values_in_signal_handlers_are_recorded(self):
        events = self.probed(["--probe=tell", "--action=if arg1 == 10",
                              "--action=record arg2/s"], "signals")
        texts = [values["arg2"] for values in self.values(events["p1: tell"])]
        self.assertEqual(sorted(text or "" for text in texts),
                         [""] + 10 * ["handler"])

    def test_values_after_the_end_of_the_main_thread_are_recorded(self):
        events = self.probed(["--probe=tell", "--action=record arg2/s"],
                             "alone")
        self.assertEqual(self.values(events["p1: tell"]), [{"arg2": "alone"}])

    def test_values_in_forked_children_are_recorded(self):
        events = self.probed(["--probe=tell", "--action=record arg1, arg2/s",
                              "--action=limit 350"], "forks")
        texts = [values["arg2"] for values in self.values(events["p1: tell"])
                 if values["arg1"] == 1000]
        self.assertEqual(texts, ["child"])
        self.assertEqual(self.probes["p1"]["hits"], COUNT + 1)
        self.assertEqual(len({event["pid"] for event in events["p1: tell"]}),
                         2)

    def test_filtered_programs_survive_memory_values(self):
        """Behind a filter, clew reads no memory, and the filter does not kill the program."""
        events = self.probed([
            "--probe=tell", "--action=record arg1, arg2/s",
            "--probe=deep", "--action=if *(char *)$rsp == 1"], "filtered")
        kept = self.values(events["p1: tell"])
        self.assertEqual({values["arg2"] for values in kept}, {None})
        # These events fit into buffers from before the filter.
        self.assertGreaterEqual(len(kept), 100)
        self.assertEqual(len(kept) + self.probes["p1"]["not_kept"], COUNT)
        self.assertEqual(self.probes["p1"]["hits"], COUNT)
        self.assertEqual(self.probes["p2"]["hits"], 0)
        self.assertEqual(self.probes["p2"]["unknown"], CALLS_OF_DEEP)

    def test_values_appear_in_a_trace_for_a_browser(self):
        self.probed(["--probe=tell", "--action=record arg1, arg2/s"])
        output = self.work / "trace.json"
        done = self.clew("export", "-F", "chrome", "-o", output,
                         self.recording_path)
        self.assertEqual(done.returncode, 0, done.stderr)
        trace = json.loads(output.read_text(encoding="utf-8"))
        told = [event["args"]["values"] for event in trace["traceEvents"]
                if event["name"] == "p1: tell"]
        self.assertEqual(sorted(values["arg1"] for values in told),
                         list(range(COUNT)))

    def test_dump_has_the_recorded_values(self):
        self.probed(["--probe=tell", "--action=if arg1 == 7",
                     "--action=record arg1, (char)arg4/c"])
        [part] = pathlib.Path(self.recording_path).glob("*.part")
        dump = self.clew("dump", part).stdout
        self.assertIn("\nprobe_action number=0 text=if\\ arg1\\ ==\\ 7\n"
                      .replace("\\ ", " "), dump.replace("\\x20", " "))
        self.assertIn("\nprobe_field probe=0 index=0 format=d offset=24 "
                      "string_bytes=0 text=arg1\n", dump)
        self.assertRegex(dump, r"\nprobe_event probe=0 tsc=\d+ id=0x[0-9a-f]+ "
                               r"tid=\d+ failed=0 words=0x7,0x7\n")
        self.assertIn("\nprobe_hits probe=0 refused=299 unknown=0 wanted=0 "
                      "over=0 lost_no_space=0 lost_too_many=0\n", dump)


class Conditions(Case):
    def test_hits_count_where_the_condition_holds(self):
        self.probed([
            "--probe=tell", "--action=if arg1 % 7 == 3 && arg1 > 100",
            "--probe=deep", "--action=if arg1 == 3"])
        self.assertEqual(self.probes["p1"]["hits"],
                         sum(i % 7 == 3 for i in range(101, COUNT)))
        self.assertEqual(self.probes["p1"]["hits"] +
                         self.probes["p1"]["refused"], COUNT)
        self.assertEqual(self.probes["p2"]["hits"], COUNT // 4)

    def probed(self, options, *arguments):
        return super().probed([*options, "--probe=main",
                               "--action=record tid"], *arguments)

    def test_conditions_compare_strings_and_memory(self):
        self.probed([
            "--probe=tell", '--action=if arg2 == "a word"',
            "--probe=deep", '--action=if *(int *)arg2 == 0'])
        readable = sum(i % 6 in (0, 1, 2, 5) for i in range(COUNT))
        self.assertEqual(self.probes["p1"]["hits"], COUNT // 6)
        self.assertEqual(self.probes["p1"]["unknown"], COUNT - readable)
        self.assertEqual(self.probes["p1"]["refused"],
                         readable - COUNT // 6)
        self.assertEqual(self.probes["p2"]["unknown"], CALLS_OF_DEEP)
        report = self.details(self.recording_path)
        self.assertIn(f"probe p2: {CALLS_OF_DEEP} hits could not be "
                      "evaluated: they read memory that is not mapped\n", report)

    def test_limits_are_reported(self):
        events = self.probed(["--probe=tell", "--action=limit 20",
                              "--action=if arg1 >= 0",
                              "--action=record arg1"])
        self.assertEqual(self.probes["p1"]["hits"], 20)
        self.assertEqual(self.probes["p1"]["over_limit"], COUNT - 20)
        self.assertEqual(len(events["p1: tell"]), 20)

    def test_what_is_unknown_after_a_call_excludes_await(self):
        for action, why in (("record arg1", "await excludes record"),
                            ("begin x", "await excludes record"),
                            ("start x", "await excludes record"),
                            ("if arg1 == 1", "can only read ret")):
            for order in ("await", action), (action, "await"):
                with self.subTest(order):
                    done = self.record([self.program], [
                        "--probe=tell", *(f"--action={one}" for one in order)],
                        text=True)
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn(why, done.stderr)

    def test_invalid_conditions_are_refused(self):
        for action, why in (
                ("record arg9", "this name is unknown here, at \"arg9\""),
                ("record arg1,", "a value is missing"),
                ("if *arg1", "not a pointer"),
                ("if 1 +", "a value is missing"), ("limit 0", "not a number of 1 or more"),
                ("limit x", "not a number of 1 or more"), ("begin", "a name is missing"),
                ("end x y", "this name is unknown here, at \"y\""),
                ("await 1", "nothing may follow await"),
                ("jump 1", "not one of if, limit, record, begin, end"),
                ("record " + ", ".join(["tid"] * 17), "too many values")):
            with self.subTest(action=action):
                done = self.record([self.program], [
                    "--probe=tell", f"--action={action}"], text=True)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(why, done.stderr)
                self.assert_one_line(done, "clew record: action")
        for actions, why in ((["if 1", "if 2"], "only one condition"),
                             (["limit 1", "limit 2"], "only one limit")):
            done = self.record([self.program], [
                "--probe=tell", *(f"--action={one}" for one in actions)],
                text=True)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(why, done.stderr)
        done = self.record([self.program], ["--action=limit 1"], text=True)
        self.assertEqual(done.returncode, 64)
        self.assertIn("no probe precedes", done.stderr)


class Regions(Case):
    def test_regions_measure_durations_of_calls(self):
        """The stack pointer as key connects each call's end with its own beginning."""
        self.probed([
            "--probe=deep", "--action=begin deep $rsp",
            "--probe=deep%return", "--action=end deep $rsp"])
        [deep] = [one for one in self.report["marks"]
                  if one["name"] == "deep"]
        self.assertEqual(deep["regions"], CALLS_OF_DEEP)
        self.assertEqual((deep["open"], deep["ends"]), (0, 0))
        self.assertLessEqual(deep["min_ns"], deep["max_ns"])


class Registers(clewtest.Case):
    """Tests of probe_registers.c."""

    def test_conditions_preserve_all_registers(self):
        program = self.work / "probe_registers"
        done = self.run_program(["gcc", "-O1", "-o", program,
                                 HERE / "probe_registers.c"], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        actions = ["--action=if tid && $rsp", "--action=limit 100000",
                   "--action=record $rbx, *(long *)$rsp, $rsp/s",
                   "--action=begin spot $rsp", "--action=end spot $rsp"]
        done = self.record([program], [
            "--probe", f"{address_of(self, program, 'spot_wide'):#x}", *actions,
            "--probe", f"{address_of(self, program, 'spot_narrow'):#x}",
            *actions])
        self.assertEqual((done.stdout, done.returncode),
                         (b"0 of 2000 wrong\n", 0), done.stderr)
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual([one["hits"] for one in report["probes"]],
                         [2000, 2000])


if __name__ == "__main__":
    clewtest.main()
