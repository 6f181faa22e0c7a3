#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew diff` shows changes between two runs, also of two builds."""

from lib import clewtest

# Each build has different padding, so no function keeps its address.
PROGRAM = r"""
#define NOINLINE __attribute__((noinline, noclone))
volatile int sink;
PADDING
NOINLINE void leaf(void) { sink++; }
NOINLINE static void inner(int n) { while (n--) leaf(); sink++; }
NOINLINE void steady(void) { inner(7); sink++; }
NOINLINE void changing(int n) { inner(n); sink++; }
ONLY_HERE
int main(void) { steady(); changing(CHANGING); EXTRA; return 0; }
"""
BEFORE = {"PADDING": "", "ONLY_HERE": "NOINLINE void leaving(void) { sink++; }",
          "CHANGING": "100", "EXTRA": "leaving()"}
AFTER = {"PADDING": "NOINLINE void pad(void) { sink += sink * sink; }",
         "ONLY_HERE": "NOINLINE void coming(void) { sink--; }",
         "CHANGING": "250", "EXTRA": "coming(); coming()"}
CHANGES = {  # function: calls before, after
    "leaf": (107, 257),
    "leaving": (1, 0),
    "coming": (0, 2),
}
SAME = {"main": 1, "steady": 1, "changing": 1, "inner": 2}
CLONES = """
volatile int sink;
__attribute__((noinline)) void part(void) __asm__(PART);
__attribute__((noinline)) void work(int i) __asm__(WORK);
void part(void) { sink++; }
void work(int i) { sink += i; if (i % 3 == 0) part(); sink++; }
int main(void) { for (int i = 0; i < 300; i++) work(i); return 0; }
"""


class Diff(clewtest.Case):
    def build(self, name, words, *flags):
        folder = self.work / name
        folder.mkdir()
        text = PROGRAM
        for word, meaning in words.items():
            text = text.replace(word, meaning)
        (folder / "source.c").write_text(text, encoding="utf-8")
        done = self.run_program(["cc", "-O1", *flags, folder / "source.c",
                                 "-o", folder / "program"], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder / "program"

    def record_as(self, name, program):
        self.recording_path = self.work / f"{name}.rec"
        done = self.record([program], ["-m", "*program"])
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.recording_path

    def record_both(self):
        return [self.record_as(name, self.build(name, words))
                for name, words in (("before", BEFORE), ("after", AFTER))]

    def calls(self, *arguments):
        rows = self.clew_json("diff", "--json", "--sort=calls",
                              *arguments)["functions"]
        return {row["name"]: (row["before"]["calls"], row["after"]["calls"])
                for row in rows}

    def test_two_builds_are_matched_by_name(self):
        calls = self.calls(*self.record_both())
        self.assertEqual({name: calls[name] for name in CHANGES}, CHANGES)
        self.assertEqual({name: calls[name] for name in SAME},
                         {name: (n, n) for name, n in SAME.items()})

    def test_clones_of_a_function_are_matched_with_it(self):
        recordings = []
        for build, clones in (("before", ("work", "work.part.0")),
                              ("after", ("work.constprop.1", "work.part.1"))):
            (self.work / f"{build}.c").write_text(CLONES, encoding="utf-8")
            program = self.work / build / "program"
            program.parent.mkdir()
            done = self.run_program(
                ["cc", "-O1", *(f'-D{name}="{clone}"' for name, clone
                                in zip(("WORK", "PART"), clones)),
                 self.work / f"{build}.c", "-o", program], text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            recordings.append(self.record_as(build, program))
        calls = self.calls(*recordings)
        self.assertEqual(calls["main"], (1, 1))
        # The calls of a part are calls inside the function.
        self.assertEqual({name: n for name, n in calls.items() if "work" in name},
                         {"work": (300, 300), "work.part.0": (100, 0),
                          "work.part.1": (0, 100)})
        done = self.clew("diff", "--fail-if=calls(work)!=0",
                         *recordings)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_the_name_of_the_program_does_not_matter(self):
        before, after = (self.build(name, words)
                         for name, words in (("before", BEFORE),
                                             ("after", AFTER)))
        renamed = after.rename(after.with_name("improved-program"))
        recordings = [self.record_as("before", before),
                      self.record_as("after", renamed)]
        calls = self.calls(*recordings)
        self.assertEqual({name: calls[name] for name in CHANGES}, CHANGES)
        self.assertEqual({name: calls[name] for name in SAME},
                         {name: (n, n) for name, n in SAME.items()})
        self.assertNotIn("[improved", self.clew("diff", *recordings).stdout)

    def test_the_largest_change_comes_first(self):
        text = self.clew("diff", "--metric=calls", "--sort=calls",
                         *self.record_both()).stdout
        lines = text.splitlines()
        self.assertRegex(lines[1], r"107 +257 +\+150 +\+140\.2%  +leaf  "
                         r"\[program\]$")
        self.assertRegex(text, r"\n +0 +2 +\+2 +new  +coming ")
        self.assertRegex(text, r"\n +1 +0 +-1 +gone  +leaving ")
        self.assertNotIn("steady", text)
        self.assertRegex(text, r"\n\d+ functions without a change\n")

    def test_contexts_are_compared(self):
        before, after = self.record_both()
        tree = self.clew_json("diff", "--json", "--tree", before, after)
        nodes = {node["id"]: node for node in tree["contexts"]}

        def way(node):
            name = tree["functions"][node["function"]]["name"]
            parent = nodes.get(node["parent"])
            return way(parent) + (name,) if parent else (name,)

        leaves = {way(node)[-3:]: (node["before"]["calls"],
                                   node["after"]["calls"])
                  for node in nodes.values() if way(node)[-1] == "leaf"}
        self.assertEqual(leaves, {("changing", "inner", "leaf"): (100, 250)})
        text = self.clew("diff", "--tree", "--metric=calls", before, after)
        self.assertNotIn("steady", text.stdout)
        self.assertIn("coming", text.stdout)

    def test_one_stripped_build_is_matched_by_address(self):
        program = self.build("stripped", BEFORE, "-s")
        before = self.record_as("first", program)
        after = self.record_as("second", program)
        calls = self.calls(before, after)
        self.assertGreater(len(calls), 5)
        self.assertEqual({a - b for a, b in calls.values()}, {0})

    def test_unlike_clocks_are_warned_of_and_calls_are_compared(self):
        program = self.build("one", BEFORE)
        recordings = []
        for time in ("cpu", "exact", "none"):
            self.recording_path = self.work / f"{time}.rec"
            self.record([program], [f"--time={time}"])
            recordings.append(self.recording_path)
        cpu, exact, none = recordings
        done = self.clew("diff", cpu, exact)
        self.assertEqual(
            done.stderr, "clew diff: warning: times are not comparable: the "
            "first recording has CPU time, estimated, the second wall time, "
            "measured\n")
        self.assertRegex(done.stdout, r"\n\d+ functions without a change\n")
        clocks = self.clew_json("diff", "--json", cpu, exact)["clocks"]
        self.assertEqual(clocks, {"before": "CPU time, estimated",
                                  "after": "wall time, measured",
                                  "alike": False})
        for pair in ((cpu, none), (none, exact), (exact, exact)):
            self.assertEqual(self.clew("diff", *pair).stderr, "")

    def test_functions_of_an_unrelated_program_keep_its_name(self):
        other = self.work / "other"
        source = self.work / "other.c"
        source.write_text(
            "volatile int sink;\n__attribute__((noinline)) void a(void) "
            "{ sink++; }\n__attribute__((noinline)) void b(void) "
            "{ a(); sink++; }\nint main(void) { b(); a(); return 0; }\n",
            encoding="utf-8")
        self.assertEqual(
            self.run_program(["cc", "-O1", source, "-o", other]).returncode, 0)
        before = self.record_as("before", self.build("one", BEFORE))
        self.recording_path = self.work / "after.rec"
        self.record([other], ["-m", "other"])
        rows = self.clew_json("diff", "--json", before,
                              self.recording_path)["functions"]
        modules = {row["name"]: row["module"].rsplit("/", 1)[-1]
                   for row in rows if row["name"] in ("a", "b", "leaf")}
        self.assertEqual(modules,
                         {"a": "other", "b": "other", "leaf": "program"})

    def test_changes_beyond_chance_come_first(self):
        source = self.work / "spin.c"
        source.write_text(
            "#include <stdlib.h>\nvolatile long sink;\n"
            "__attribute__((noinline)) void spin(long n) "
            "{ while (n--) sink++; }\n"
            "__attribute__((noinline)) void rest(long n) "
            "{ while (n--) sink++; }\n"
            "int main(int c, char **v) { spin(atol(v[1]) * 10000000); "
            "rest(30000000); return 0; }\n", encoding="utf-8")
        program = self.work / "spin"
        self.assertEqual(
            self.run_program(["cc", "-O1", source, "-o", program]).returncode,
            0)
        recordings = []
        for length in ("10", "60"):
            self.recording_path = self.work / f"{length}.rec"
            self.record([program, length])
            recordings.append(self.recording_path)
        rows = self.clew_json("diff", "--json", *recordings)["functions"]
        sure = [row["significant"] for row in rows]
        self.assertEqual(rows[0]["name"], "spin")
        self.assertEqual(sure, sorted(sure, reverse=True))
        # A function with an equal number of calls is neither new nor gone,
        # sampled or not.
        for line in self.clew("diff", *recordings).stdout.splitlines():
            if "[spin]" in line:
                self.assertNotRegex(line, r"\b(new|gone)\b")

    def test_unchanged_functions_are_not_significant(self):
        recordings = self.record_both()
        for arguments in ([], ["--sort=total"], ["--sort=calls"]):
            rows = self.clew_json("diff", "--json", *arguments,
                                  recordings[0], recordings[0])["functions"]
            self.assertGreater(len(rows), 5)
            self.assertFalse([row for row in rows if row["significant"]])
        text = self.clew("diff", recordings[0], recordings[0]).stdout
        self.assertRegex(text, r"^ *before .*\n\ntotal: ")
        rows = self.clew_json("diff", "--json", *recordings)["functions"]
        # The displayed column is compared: calls, if neither run has samples.
        key = "self_ns" if any(row["before"]["samples"] or
                               row["after"]["samples"] for row in rows) \
            else "calls"
        self.assertFalse([row for row in rows if row["significant"] and
                          row["before"][key] == row["after"][key]])

    def test_other_counts_of_unchanged_times_are_mentioned(self):
        recordings = self.record_both()
        rows = self.clew_json("diff", "--json", *recordings)["functions"]
        other = sum(row["before"]["calls"] != row["after"]["calls"] and
                    row["before"]["self_ns"] == row["after"]["self_ns"]
                    for row in rows)
        self.assertGreater(other, 0)
        text = self.clew("diff", "--sort=self", *recordings).stdout
        self.assertRegex(text, rf"\n{other} of them ha(s|ve) another number "
                               r"of calls \(--sort=calls\)\n")

    def test_bad_input_is_refused(self):
        recording = self.record_as("one", self.build("one", BEFORE))
        for arguments in ([recording], [recording, "nowhere"],
                          ["nowhere", recording], [recording] * 3,
                          ["--sort=size", recording, recording]):
            done = self.clew("diff", *arguments)
            self.assertIn(done.returncode, clewtest.CLEW_FAILED)
            self.assertEqual(done.stdout, "")
            self.assertRegex(done.stderr, r"^clew diff: .+\n")


if __name__ == "__main__":
    clewtest.main()
