#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""report, tree and list show exactly the content of the recording."""
import collections
import os

from lib import clewtest, wire
from lib.clewtest import PYTHON, PYTHON_FILE, target


def function_key(entry):
    """Returns the key of a function in the JSON of report, tree or list, as lib/wire.py has it."""
    if "vaddr" not in entry:
        return entry["name"]
    return entry["module"].rsplit("/", 1)[-1], int(entry["vaddr"], 0)


class Paths:
    """Collects {path: calls}, independent of the numbers of contexts on either side."""

    def __init__(self):
        self.numbers, self.calls = {}, collections.Counter()

    def add(self, above, function, calls):
        node = self.numbers.setdefault((above, function),
                                       len(self.numbers) + 1)
        self.calls[node] += calls
        return node


class Readers(clewtest.Case):
    def record_and_read(self, argv, options=()):
        done = self.record(argv, options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.recording()

    def own_paths(self, recording, paths):
        """Adds the recording's contexts to paths."""
        for part in recording.parts:
            contexts, calls = part.contexts(), part.counts()
            at = {0: 0}
            for one in sorted(contexts.values(), key=lambda c: c.depth):
                function = part.functions[one.function]
                at[one.id] = paths.add(
                    at[one.parent], (function.module.name, function.vaddr),
                    calls.get(one.id, 0))

    def test_report_is_the_sum_over_contexts(self):
        recording = self.record_and_read([target("recursion")])
        wanted = collections.Counter()
        contexts = collections.Counter()
        for part in recording.parts:
            calls = part.counts()
            for one in part.contexts().values():
                function = part.functions[one.function]
                key = function.module.name, function.vaddr
                wanted[key] += calls.get(one.id, 0)
                contexts[key] += bool(calls.get(one.id, 0))
        report = self.clew_json("report", "--json", "-n", "0",
                                self.recording_path)
        # Rows that only have time (the kernel, functions without a hook) are
        # skipped, because a sample may be anywhere.
        rows = [row for row in report["functions"] if row["calls"]]
        self.assertEqual({function_key(row): row["calls"] for row in rows},
                         +wanted)
        self.assertEqual({function_key(row): row["contexts"] for row in rows},
                         +contexts)
        for row in report["functions"]:
            self.assertTrue(row["calls"] or row["total_ns"], row)
        self.assertEqual(report["total"]["calls"], sum(wanted.values()))

    def test_report_is_sorted_and_limited(self):
        self.record_and_read([target("recursion")])
        for options, key in ((["--metric=calls"], "calls"),
                             (["--sort=calls"], "calls"),
                             (["--sort=total"], "total_ns")):
            rows = self.clew_json("report", "--json", "-n", "5", *options,
                                  self.recording_path)["functions"]
            self.assertEqual(len(rows), 5)
            numbers = [row[key] for row in rows]
            self.assertEqual(numbers, sorted(numbers, reverse=True))

    def test_tree_is_the_recorded_one(self):
        for argv in [target("tail")], [PYTHON, "-S", "-c", "pass"], \
                [target("processes"), "fork"]:
            with self.subTest(argv[0]):
                recording = self.record_and_read(argv)
                wanted = Paths()
                self.own_paths(recording, wanted)
                tree = self.clew_json("tree", "--json", "-t", "0",
                                      self.recording_path)
                functions = [function_key(f) for f in tree["functions"]]
                found = Paths()
                found.numbers = wanted.numbers
                at = {0: 0}
                for one in tree["contexts"]:
                    at[one["id"]] = found.add(at[one["parent"]],
                                              functions[one["function"]],
                                              one["calls"])
                self.assertEqual(+found.calls, +wanted.calls)

    def test_tree_sums_go_up(self):
        self.record_and_read([target("recursion")])
        tree = self.clew_json("tree", "--json", "-t", "0", self.recording_path)
        below = collections.Counter()
        for one in reversed(tree["contexts"]):
            below[one["id"]] += one["calls"]
            below[one["parent"]] += below[one["id"]]
            self.assertEqual(one["below"], below[one["id"]])
        self.assertEqual(below[0], tree["total"]["calls"])

    def test_readers_accept_one_hundred_thousand_levels(self):
        self.record_and_read([target("deep"), "100000"],
                             ["--fold-recursion=never"])
        for command in (["tree", "-t", "0"], ["tree", "--json", "-t", "0"],
                        ["report"], ["html", "-o", "-"], ["dump"]):
            with self.subTest(command=command):
                done = self.clew(*command, self.recording_path)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_list_accounts_for_every_function(self):
        part = self.record_and_read([PYTHON, "-S", "-c", "pass"]).parts[0]
        listing = self.clew_json("list", "--json", "--all",
                                 self.recording_path)
        states = {m["path"]: m for m in listing["modules"]}
        for module in part.modules:
            if not module.count:
                continue
            with self.subTest(module=module.name):
                listed = states[module.path]
                texts = [wire.JSON_VERDICTS[f.verdict][2] for f in module.functions]
                self.assertEqual(
                    sorted((int(f["vaddr"], 0), f["verdict"])
                           for f in listed["functions"]),
                    sorted(zip((f.vaddr for f in module.functions), texts)))
                self.assertEqual(listed["coverage"]["verdicts"],
                                 dict(collections.Counter(texts)))

    def test_list_of_a_file_predicts_the_hooked_functions(self):
        part = self.record_and_read([target("tail")]).parts[0]
        module = next(m for m in part.modules if m.name == "tail")
        listing = self.clew_json("list", "--json", "--all", target("tail"))
        self.assertTrue(listing["forecast"])
        self.assertEqual(
            {int(f["vaddr"], 0): f["verdict"]
             for f in listing["modules"][0]["functions"]},
            {f.vaddr: wire.JSON_VERDICTS[f.verdict][2] for f in module.functions})

    def test_missing_recordings_are_explained(self):
        def summary_of(program, time):
            self.record([program], [f"--time={time}"])
            return self.details(self.recording_path)

        source, named = self.work / "named.c", self.work / "named"
        source.write_text("__attribute__((noinline)) int f(int n) "
                          "{ return n ? f(n - 1) + n : 0; }\n"
                          "int main(int c, char **v) { return f(c) - c; }",
                          encoding="utf-8")
        stripped = self.work / "nameless"
        for argv in (["cc", "-Og", source, "-o", named],
                     ["strip", "-o", stripped, named]):
            self.assertEqual(self.run_program(argv).returncode, 0)
        self.environment.pop("DEBUGINFOD_URLS", None)
        self.assertRegex(summary_of(stripped, "none"),
                         r"\nhint: \d+ functions with 100 % of the calls have no "
                         r"name, most of them "
                         r"in nameless; its debug symbols \(a -dbgsym package, "
                         r"or DEBUGINFOD_URLS\) name them\n")
        self.assertNotIn("no name", summary_of(named, "none"))
        self.assertNotIn("\ntime:", summary_of(named, "none"))
        # CPU samples may be rare, so a run as short as this often has none.
        for _ in range(100):
            said = summary_of(named, "cpu")
            self.assertIn("\ntime: ", said)
            if "\ntime: no sample was taken in the program, which ran " in said:
                self.assertIn("\nhint: there is no time, ", said)
                return
        self.fail("samples in each of a hundred runs")

    def test_threads_can_be_filtered(self):
        part = self.record_and_read([target("threads")]).parts[0]
        for tid, tally, _ in part.threads[:5]:
            report = self.clew_json("report", "--json", "--thread", str(tid),
                                    self.recording_path)
            self.assertEqual(report["total"]["calls"],
                             sum(part.counts([part.tallies[tally]]).values()))

    def test_modules_can_be_filtered(self):
        self.record_and_read([target("tail")])
        report = self.clew_json("report", "--json", "-m", "libtail*",
                                self.recording_path)
        modules = {row["module"].rsplit("/", 1)[-1]
                   for row in report["functions"]}
        self.assertEqual(modules, {"libtail_library.so"})

    def test_almost_every_function_of_real_programs_is_hooked(self):
        part = self.record_and_read([PYTHON, "-S", "-c", "pass"]).parts[0]
        module = next(m for m in part.modules
                      if m.name == os.path.basename(PYTHON_FILE))
        kinds = collections.Counter(wire.VERDICTS[f.verdict][1]
                                    for f in module.functions)
        self.assertGreater(kinds["HOOKED"], 5000)
        self.assertGreater(kinds["HOOKED"],
                           0.99 * (kinds["HOOKED"] + kinds["REFUSED"]))

    def test_breakpoints_are_named_and_designs_are_no_failures(self):
        listing = self.clew_json("list", "--json", "--all", PYTHON_FILE)
        (module,) = listing["modules"]
        texts = {name: text for name, _, text in wire.JSON_VERDICTS}
        trap = texts["TRAP"]
        by_design = [texts["NAMED"], texts["READS_RETURN_ADDRESS"],
                     texts["LENDS_RETURN_ADDRESS"], texts["CALLS_MCOUNT"],
                     texts["TAKES_FLAGS"], texts["UNWINDER"], texts["LANDS"]]
        coverage = module["coverage"]
        self.assertEqual(
            coverage["left_alone"],
            sum(coverage["verdicts"].get(text, 0) for text in by_design))
        self.assertEqual(coverage["eligible"],
                         coverage["hooked"] + coverage["refused"])
        trapped = {f["name"] for f in module["functions"]
                   if f["verdict"] == trap}
        brief = self.clew("list", "--full-names", PYTHON_FILE).stdout
        for name in trapped:
            self.assertIn(f"{name}: {trap}", brief)


if __name__ == "__main__":
    clewtest.main()
