#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew record --args` and `--ret` record arguments and return values."""
from lib import clewtest

PROGRAM = """
#include <stdio.h>
#define ALONE __attribute__((noipa))
enum color { RED, GREEN };
typedef unsigned char small;
ALONE long tell(long number, const char *text, double part, enum color color,
                small last) { return number + text[0] + (long)part; }
ALONE const char *name(int number) { return number ? "one" : "none"; }
ALONE void nothing(void) { __asm__ volatile(""); }
int main(void)
{
    long sum = 0;
    for (long i = 0; i < 5; i++)
        sum += tell(-i, i & 1 ? "odd" : "even", 0.5, i & 1, 250 + i);
    nothing();
    printf("%ld %s\\n", sum, name(1));
    return 0;
}
"""
EXPECTED = [{"number": -i, "text": "odd" if i & 1 else "even",
             "color": i & 1, "last": 250 + i} for i in range(5)]


class Arguments(clewtest.Case):
    def setUp(self):
        super().setUp()
        source = self.work / "arguments.c"
        source.write_text(PROGRAM)
        for name, flags in (("named", ["-g"]), ("bare", ["-g0"])):
            done = self.run_program(
                ["gcc", "-O2", *flags, "-o", self.work / name, source],
                text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def events(self, program, *options):
        argv = [self.work / program]
        native = self.run_program(argv)
        done = self.record(argv, ["--time=none", *options])
        self.assert_same_behaviour(native, done)
        report = self.clew_json("report", "--json", "--events",
                                self.recording_path)
        return [event["values"] for event in report["events"]]

    def test_arguments_have_names_and_types(self):
        """Arguments in vector registers are not recorded."""
        self.assertEqual(self.events("named", "--args=tell"), EXPECTED)

    def test_calls_without_arguments_are_counted(self):
        """The calls count although there is no value to record."""
        self.record([self.work / "named"], ["--args=nothing"])
        report = self.clew_json("report", "--json", self.recording_path)
        [probe] = report["probes"]
        self.assertEqual((probe["hits"], probe.get("actions")), (1, None))

    def test_arguments_by_register_are_recorded(self):
        for program in ("named", "bare"):
            self.assertEqual(
                self.events(program, "--args=tell@arg1, arg2/s2"),
                [{"arg1": one["number"], "arg2": one["text"][:2]}
                 for one in EXPECTED])

    def test_results_are_recorded(self):
        for program in ("named", "bare"):
            self.assertEqual(self.events(program, "--ret=name@s"),
                             [{"ret": "one"}])
            self.assertEqual(
                self.events(program, "--ret=tell"),
                [{"ret": one["number"] + ord(one["text"][0])}
                 for one in EXPECTED])

    def test_arguments_without_debug_information_are_refused(self):
        done = self.record([self.work / "bare"], ["--args=tell"], text=True)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("write the arguments as in tell@arg1,arg2/s", done.stderr)


if __name__ == "__main__":
    clewtest.main()
