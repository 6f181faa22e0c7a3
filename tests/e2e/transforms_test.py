#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""--focus, --ignore, --collapse and --fold in reports, trees and exports."""
import csv
import io
import os
import re

from lib import clewtest

PROGRAM = r"""
#include <cstdlib>
#define NOINLINE __attribute__((noinline, noclone))
static volatile int sink;
namespace lib {
NOINLINE void leaf() { sink = sink + 1; }
NOINLINE void sort(int n) { while (n--) leaf(); sink = sink + 1; }
}
NOINLINE void parse(int n) { lib::sort(n); sink = sink + 1; }
NOINLINE void store(int n) { lib::sort(n); lib::leaf(); sink = sink + 1; }
NOINLINE void walk(int n) { if (n) walk(n - 1); sink = sink + 1; }
int main() { parse(10); store(20); walk(4); return 0; }
"""
CALLS = {"lib::leaf()": 31, "lib::sort(int)": 2, "parse(int)": 1,
         "store(int)": 1, "walk(int)": 5, "main": 1}


class Transforms(clewtest.Case):
    def setUp(self):
        super().setUp()
        source, program = self.work / "program.cc", self.work / "program"
        source.write_text(PROGRAM, encoding="utf-8")
        done = self.run_program(["c++", "-O1", "-fno-optimize-sibling-calls",
                                 source, "-o", program], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.record([program], ["-m", "program", "--time=none"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.environment["XDG_CONFIG_HOME"] = str(self.work / "settings")

    def calls(self, *options):
        rows = self.clew_json("report", "--json", "-m", "program", *options,
                              self.recording_path)["functions"]
        return {row["name"]: row["calls"] for row in rows
                if row["name"] in CALLS or row["name"].endswith(")")}

    def test_the_report_is_unchanged_without_a_transform(self):
        self.assertEqual(self.calls(), CALLS)

    def test_focus_keeps_the_contexts_of_a_function(self):
        self.assertEqual(self.calls("--focus=^store"), {
            "store(int)": 1, "lib::sort(int)": 1, "lib::leaf()": 21})

    def test_shares_refer_to_the_whole_recording(self):
        """In report and tree, whatever is shown of it."""
        for option in "--focus=^store", "-f^store", "--ignore=^parse":
            shares = []
            for command in "report", "tree":
                done = self.clew(command, "-m", "program", option,
                                 self.recording_path)
                self.assertEqual(done.returncode, 0, done.stderr)
                row, = (line for line in done.stdout.splitlines()
                        if "store" in line)
                shares.append(re.search(r"[\d.]+%", row)[0])
            with self.subTest(option):
                own, below = (float(share[:-1]) for share in shares)
                whole = sum(CALLS.values())
                self.assertLess(abs(own - 100 / whole), 1)
                self.assertLess(below, 100 * 24 / whole)

    def test_functions_are_found_by_what_a_table_shows(self):
        """Short names match, and a name that is no expression matches itself."""
        for option in "--focus=^store$", "--focus=store(int)", "-f^store$":
            with self.subTest(option):
                self.assertIn("store(int)", self.calls(option))
        done = self.clew("report", "-foperator[]", self.recording_path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no function that was called matches", done.stderr)

    def test_ignore_hides_matching_functions(self):
        self.assertEqual(self.calls("--ignore=^(store|walk)"), {
            "main": 1, "parse(int)": 1, "lib::sort(int)": 1,
            "lib::leaf()": 10})

    def test_collapse_adds_up_the_callees(self):
        self.assertEqual(self.calls("--collapse=^(parse|walk)"), {
            "main": 1, "parse(int) (with callees)": 12, "store(int)": 1,
            "lib::sort(int)": 1, "lib::leaf()": 21,
            "walk(int) (with callees)": 5})

    def test_a_namespace_is_folded(self):
        for options in ([], ["-m", "program"]):
            rows = self.clew_json("report", "--json", "--fold=lib", *options,
                                  self.recording_path)["functions"]
            (lib,) = (row for row in rows if row["name"] == "(lib)")
            self.assertEqual((lib["calls"], lib["contexts"]), (33, 2))

    def test_recursion_is_folded(self):
        tree = self.clew("tree", "-q", "-m", "program", "--fold=recursion",
                         self.recording_path).stdout
        self.assertEqual(tree.count("walk"), 1)
        self.assertRegex(tree, r"\n +5 .* 5 .*walk\n")

    def test_transforms_that_match_nothing_are_mentioned(self):
        for command in (["report"], ["tree"], ["export", "-F", "folded"],
                        ["diff", self.recording_path]):
            for options, said in (
                    (["--ignore=nowhere"], "--ignore=nowhere"),
                    (["--collapse=nowhere", "--fold=nothing,lib"],
                     "--collapse=nowhere, --fold=nothing"),
                    (["--fold=module:libno*"], "--fold=module:libno*"),
                    (["--ignore=store", "--fold=lib,module:prog*,recursion"],
                     None)):
                with self.subTest(command=command, options=options):
                    done = self.clew(*command, *options, self.recording_path)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(done.stderr.splitlines(), [
                        f"clew {command[0]}: {said}: no function that was "
                        "called matches"] if said else [])

    def test_exports_are_transformed(self):
        options = ["--fold=lib", "--ignore=^walk", "-m", "program"]
        folded = self.clew("export", "-F", "folded", *options,
                           self.recording_path).stdout
        self.assertIn("main;store(int);(lib) 22\n", folded)
        self.assertNotIn("walk", folded)
        text = self.clew("export", "-F", "csv", *options,
                         self.recording_path).stdout
        rows = {row["function"]: row for row in csv.DictReader(
            io.StringIO(text))}
        self.assertEqual(rows["(lib)"]["calls"], "33")
        self.assertEqual(rows["store(int)"]["calls_below"], "23")
        for name in ("perfetto", "chrome"):
            done = self.clew("export", "-F", name, "-o", "x", "--fold=lib",
                             self.recording_path)
            self.assertEqual(done.returncode, 64)
            self.assertIn("excludes --focus, --ignore, --collapse and --fold",
                          done.stderr)

    def test_a_comparison_is_transformed(self):
        rows = self.clew_json("diff", "--json", "--fold=lib", "--sort=calls",
                              self.recording_path,
                              self.recording_path)["functions"]
        (lib,) = (row for row in rows if row["name"] == "(lib)")
        self.assertEqual((lib["before"]["calls"], lib["after"]["calls"]),
                         (33, 33))

    def test_a_view_is_saved_and_used(self):
        saved = self.calls("--focus=^store", "--fold=lib", "--save-view=mine")
        self.assertEqual(self.calls("--view=mine"), saved)
        path = self.work / "settings" / "clew" / "views" / "mine"
        self.assertEqual(path.read_text(encoding="utf-8"),
                         "module=program\nfocus=^store\nfold=lib\n")
        # An option of the command line replaces the saved one.
        self.assertIn("parse(int)", self.calls("--view=mine",
                                               "--focus=^parse"))

    def test_wrong_views_are_refused(self):
        self.calls("--focus=^store", "--save-view=mine")
        folder = self.work / "settings" / "clew" / "views"
        for name, why in (
                ("mime", f"mime: no such view in {folder}; did you mean "
                         "mine?"),
                ("../x", "../x: a view's name has letters, digits, '-', '_' "
                         "and '.'")):
            done = self.clew("report", f"--view={name}", self.recording_path)
            self.assertEqual((done.returncode, done.stdout), (64, ""))
            self.assertIn(f"clew report: --view={why}\n", done.stderr)
        for text in ("colour=red\n", "focus\n", "focus=(\n", "x" * 70000):
            (folder / "bad").write_text(text, encoding="utf-8")
            done = self.clew("report", "--view=bad", self.recording_path)
            self.assertEqual((done.returncode, done.stdout), (64, ""))
        os.remove(folder / "bad")
        os.mkfifo(folder / "bad")
        done = self.clew("report", "--view=bad", self.recording_path)
        self.assertEqual(done.returncode, 64)

    def test_no_home_folder_is_created_for_a_view(self):
        del self.environment["XDG_CONFIG_HOME"]
        home = self.work / "nobody"
        self.environment["HOME"] = str(home)
        done = self.clew("report", "--focus=^store", "--save-view=mine",
                         self.recording_path)
        self.assertEqual((done.returncode, done.stdout), (64, ""))
        self.assertIn("$HOME is no folder", done.stderr)
        self.assertFalse(home.exists())

    def test_wrong_options_are_refused(self):
        for options, status, why in (
                (["--focus=("], 64, "--focus=(: not a regular expression"),
                (["--focus=a", "--focus=b"], 64, "--focus is given twice"),
                (["--fold=lib,"], 64, "--fold=lib,: not namespaces"),
                (["--focus=zzz"], 1, "--focus matches no context")):
            done = self.clew("report", *options, self.recording_path)
            self.assertEqual((done.returncode, done.stdout), (status, ""))
            self.assertIn(why, done.stderr)


if __name__ == "__main__":
    clewtest.main()
