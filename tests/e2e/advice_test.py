#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests the hints below a report's footer: when they appear, and what they
promise."""
import re

from lib import clewtest
from lib.clewtest import needs, target
from lib.disturbance import Disturbed, undisturbed

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}

# The functions are long enough to be hooked by a jump. Otherwise a breakpoint
# would cost microseconds per call.
BUSY = """
__attribute__((noinline)) static int often(int n)
{ __asm__ volatile("imul $77, %0; xor $1234567, %0" : "+r"(n)); return n + 1; }
__attribute__((noinline)) static int seldom(int n)
{ __asm__ volatile("imul $79, %0; xor $7654321, %0" : "+r"(n)); return n - 1; }

int main(int count, char **words)
{
	const int rounds = count > 1 ? 1000 : 40000000;
	unsigned int sum = 0;

	(void)words;
	for (int i = 0; i < rounds; i++) {
		sum += often(i);
		sum += often(i + 1);
		if (i % 2)
			sum += seldom(i);
		for (int k = 0; k < 8; k++)
			__asm__ volatile("imul $77, %0" : "+r"(sum));
	}
	return sum == 1;
}
"""

CALLS_WORK = """
int work(int count, char **words);
int main(int count, char **words)
{
	return work(count, words);
}
"""

IDLE = """
int main(void)
{
	for (volatile long i = 0; i < 600000000; i++)
		;
	return 0;
}
"""


class Hints(clewtest.Case):
    def hints(self, *arguments):
        done = self.clew("report", "--wide", *arguments, self.recording_path)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        found = [line for line in lines if line.startswith("hint: ")]
        self.assertLessEqual(len(found), 2)
        self.assertEqual(lines[len(lines) - len(found):], found)
        return found

    def hint(self, words, *arguments):
        """Returns the only hint that contains these words, or None."""
        found = [one for one in self.hints(*arguments) if words in one]
        self.assertLessEqual(len(found), 1)
        return found[0] if found else None

    def compile(self, source, *options):
        path = self.work / "program"
        path.with_suffix(".c").write_text(source, encoding="ascii")
        done = self.run_program(["cc", "-O1", *options, "-o", path,
                                 path.with_suffix(".c")], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def record_well(self, argv, *options):
        done = self.record(argv, options)
        self.assertEqual(done.returncode, 0, done.stderr)


class Cost(Hints):
    def cost(self):
        """Returns clew's cost as a share of the program's own time, and in
        ns."""
        report = self.clew_json("report", "--json", self.recording_path)
        if not report["total"]["time_ns"]:
            raise Disturbed("no sample")
        return (report["self_cost"]["time_ns"] / report["total"]["time_ns"],
                report["self_cost"]["time_ns"])

    def promised(self, pattern):
        """Returns the number that the pattern precedes in the hint, in ns."""
        hint = self.hint("clew itself took ")
        if not hint:
            raise Disturbed("clew took less than a third")
        found = re.search(pattern + r" ([\d.,]+) (\w+)", hint)
        self.assertTrue(found, hint)
        return float(found[1].replace(",", "")) * UNITS[found[2]]

    @undisturbed
    def test_excluding_the_function_saves_the_promised_time(self):
        program = self.compile(BUSY)
        self.record_well([program])
        before, clew_ns = self.cost()
        promised = self.promised(r"; recording with -F '\^often\$' would save "
                                 "about") / clew_ns
        self.record_well([program], "-F", "^often$")
        after, _ = self.cost()
        saved = (before - after) / before
        if abs(saved - promised) > promised / 3:
            raise Disturbed(f"{saved} saved, {promised} promised")

    @undisturbed
    def test_excluding_the_library_saves_the_promised_time(self):
        library = self.compile(BUSY, "-Dmain=work", "-shared", "-fPIC")
        library = library.rename(self.work / "libwork.so")
        program = self.compile(CALLS_WORK, "-Wl,--no-as-needed", library)
        self.record_well([program])
        before, clew_ns = self.cost()
        promised = self.promised(", with -M 'libwork.so' about") / clew_ns
        self.record_well([program], "-M", "libwork.so")
        after, _ = self.cost()
        if abs((before - after) / before - promised) > promised / 3:
            raise Disturbed(f"{before} before, {after} after")

    def test_little_cost_is_no_hint(self):
        self.record_well([self.compile(IDLE)])
        self.assertIsNone(self.hint("clew itself took "))

    def test_no_advice_without_samples_of_cpu_time(self):
        program = self.compile(BUSY)
        for time in "none", "exact":
            with self.subTest(time):
                self.record_well([program, "few"], f"--time={time}")
                self.assertIsNone(self.hint("clew itself took "))

    def test_little_savings_are_not_proposed(self):
        # Nearly all calls are of often() and seldom(), so -F '^main$' would be
        # of no use if these could not be named.
        # With little work of their own, clew takes far more than a third.
        source = BUSY.replace("k < 8", "k < 1")
        source = source.replace("often", "often(int n) __asm__(\"a$b\"); "
                                "static int often", 1)
        source = source.replace("seldom", "seldom(int n) __asm__(\"c$d\"); "
                                "static int seldom", 1)
        self.record_well([self.compile(source)])
        hint = self.hint("clew itself took ")
        self.assertIn("; recording with --budget=10% would save", hint)
        self.assertNotIn("-M 'program'", hint)
        self.assertNotIn("^main$", hint)


class Samples(Hints):
    def test_few_samples_are_called_rough(self):
        self.record_well([self.compile(IDLE)], "--rate=10")
        self.assertRegex(self.hint("rough"), r"they come from \d+ samples?; "
                         r"run the program for longer, or record with "
                         r"--rate=100$")

    def test_many_samples_are_not_called_rough(self):
        self.record_well([self.compile(IDLE)])
        self.assertIsNone(self.hint("rough"))

    def test_time_that_was_not_wanted_is_not_missed(self):
        self.record_well([target("abi")], "--time=none")
        self.assertIsNone(self.hint("time"))


class Names(Hints):
    @needs("node")
    def test_node_gets_a_hint_to_name_its_code(self):
        script = "let s = 0; for (let i = 0; i < 2e8; i++) s += i % 7;"
        self.record_well(["node", "-e", script], "-m", "none")
        self.assertRegex(self.hint("generates"), r"^hint: code that node "
                         r"generates took \d+ % of the time and has no names; "
                         "node --perf-basic-prof names it$")
        self.record_well(["node", "--perf-basic-prof", "-e", script],
                         "-m", "none")
        self.assertIsNone(self.hint("generates"))

    @needs("luajit")
    def test_luajit_gets_a_hint_to_generate_no_code(self):
        script = "local s = 0; for i = 1, 1e8 do s = s + i % 7 end"
        self.record_well(["luajit", "-e", script])
        self.assertIn("luajit -joff does without it", self.hint("generates"))
        self.record_well(["luajit", "-joff", "-e", script])
        self.assertIsNone(self.hint("generates"))

    def test_python_functions_are_said_to_be_missing(self):
        python = clewtest.PYTHON
        script = "for i in range(2000000): str(i * i)"
        self.record_well([python, "-c", script])
        names = self.clew("report", "-n0", self.recording_path).stdout
        if "_PyEval_EvalFrameDefault" not in names:
            self.skipTest("this Python has no symbols")
        self.assertEqual(self.hint("interprets"),
                         "hint: functions written in Python do not appear, "
                         "because _PyEval_EvalFrameDefault interprets them; "
                         "cProfile shows them")

    def test_stripped_functions_have_no_names(self):
        self.record_well([self.compile(BUSY, "-s"), "few"],
                         "--time=none")
        self.assertRegex(self.hint("no name"), r"^hint: \d functions with "
                         r"100 % of the calls have no name, most of them in "
                         r"program; its debug symbols \(a -dbgsym package, or "
                         r"DEBUGINFOD_URLS\) name them$")
        self.record_well([self.compile(BUSY), "few"], "--time=none")
        self.assertEqual(self.hints(), [])


class Views(Hints):
    def test_probes_with_hits_get_a_hint(self):
        program = self.compile(BUSY)
        self.record_well([program, "few"], "--time=none", "--probe=seldom")
        self.assertEqual(self.hints(), [
            "hint: probe p1 (seldom) was hit 500 times; --value=p1 "
            "shows in which contexts"])
        self.assertEqual(self.hints("--value=p1"), [])

    def test_many_processes_get_a_hint(self):
        words = ["sh", "-c", "for i in 1 2 3; do /bin/true; done; exit 0"]
        self.record_well(words, "--time=none")
        self.assertEqual(self.hint("processes"),
                         "hint: 4 processes were recorded; clew report "
                         f"--by=process {self.recording_path} shows each of "
                         "them")
        self.assertIsNone(self.hint("processes", "--by=process"))
        self.record_well([target("abi")], "--time=none")
        self.assertIsNone(self.hint("processes"))

    def test_a_probe_that_is_nowhere_is_missing(self):
        self.record([target("abi")], ["--time=none", "--probe=nosuch"])
        shown = self.clew("report", "--wide", self.recording_path).stdout
        self.assertRegex(shown, r"\nmissing: probe p1 \(")

    def test_quiet_reports_have_no_hints(self):
        self.record_well([target("abi")], "--time=none", "--probe=main")
        self.assertNotIn("hint: ", self.clew("report", "-q",
                                             self.recording_path).stdout)
        self.assertNotIn("hint: ", self.clew("report", "--json",
                                             self.recording_path).stdout)


if __name__ == "__main__":
    clewtest.main()
