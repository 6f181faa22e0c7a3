#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The name of several merged functions is marked as ambiguous, and that of aliases is not."""
import pathlib
import re
import shutil
import unittest

from lib import clewtest, symtab

SOURCE = pathlib.Path(__file__).resolve().parent / "merged.cc"
LINKERS = [name for name in ("gold", "lld") if shutil.which(f"ld.{name}")]
CALLS = {"add (= increase)": 20, "First::twice (= Second::twice)": 20,
         "Many<1>::one (= Many<2>::one, and 3 more)": 50,
         "__plain": 20, "Base::Base": 1, "Base::~Base": 1}
FULL = ["First::twice(long) (= Second::twice(long))",
        "Many<1>::one(long) (= Many<2>::one(long), and 3 more)"]


class Case(clewtest.Case):
    def build(self, *flags):
        path = self.work / "merged"
        done = self.run_program(["g++", "-O2", "-fno-ipa-sra",
                                 "-ffunction-sections", *flags,
                                 SOURCE, "-o", path])
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def rows(self, *arguments):
        return {row["name"]: row for row in self.clew_json(
            "report", "--json", "--top=0", *arguments,
            self.recording_path)["functions"]}


@unittest.skipIf(not shutil.which("g++") or not LINKERS,
                 "no linker here that merges functions")
class Merged(Case):
    def test_reports_name_the_other_functions(self):
        for linker in LINKERS:
            with self.subTest(linker=linker):
                program = self.build(f"-fuse-ld={linker}", "-Wl,--icf=all")
                self.record([program])
                text = self.clew("report", "--metric=calls", "--top=0",
                                 "--wide", self.recording_path).stdout
                for name, calls in CALLS.items():
                    self.assertRegex(text, rf"(?m)^ +{calls} .* "
                                     rf"{re.escape(name)}  \[merged\]$")
                text = self.clew("report", "--top=0", "--full-names",
                                 self.recording_path).stdout
                for name in FULL:
                    self.assertIn(f"  {name}  [merged]\n", text)
                for arguments in (
                        ["tree", "--wide"], ["list", "--all"],
                        ["export", "-F", "folded", "--metric=calls"]):
                    shown = self.clew(*arguments, self.recording_path)
                    self.assertIn("add (= increase)", shown.stdout,
                                  arguments)
                self.assertIn("add (= increase)",
                              self.clew("list", "--all", program).stdout)

    def test_json_has_the_other_names(self):
        self.record([self.build(f"-fuse-ld={LINKERS[0]}", "-Wl,--icf=all")])
        rows = self.rows()
        self.assertEqual(rows["add"]["other_names"], ["increase"])
        many = rows["Many<1>::one(long)"]
        self.assertEqual(many["other_names"], [f"Many<{i}>::one(long)"
                                               for i in range(2, 6)])
        self.assertEqual(many["other_name_count"], 4)
        for name in "__plain", "Base::Base()", "main":
            self.assertNotIn("other_names", rows[name])

    def test_a_function_is_found_by_each_of_its_names(self):
        program = self.build(f"-fuse-ld={LINKERS[0]}", "-Wl,--icf=all")
        self.record([program])
        self.assertEqual(set(self.rows("-f", "^increase$")), {"add"})
        tree = self.clew("tree", "--callers-of", "increase",
                         self.recording_path).stdout
        self.assertIn("add (= increase)", tree)
        self.record([program], ["-f", "^increase$"])
        self.assertEqual(self.rows()["add"]["calls"], 20)

    def test_traces_have_the_other_names_of_merged_functions(self):
        self.record([self.build(f"-fuse-ld={LINKERS[0]}", "-Wl,--icf=all")],
                    ["--trace"])
        self.assertIn("add() (= increase)",
                      self.clew("trace", self.recording_path).stdout)


@clewtest.needs("g++", "strip")
class Symbols(Case):
    """Symbol tables that no linker would write."""

    def test_a_hostile_table_costs_little(self):
        program = self.build("-no-pie")
        names = self.run_program(["nm", program], text=True).stdout
        at = int(re.search(r"(\w+) T add\n", names).group(1), 16)
        self.run_program(["strip", program])
        symtab.add(program, [(f"twin{i:06}", at, 8) for i in range(100000)])
        self.record([program])
        row = self.rows()["twin000000"]
        self.assertEqual(row["other_names"],
                         [f"twin{i:06}" for i in range(1, 17)])
        self.assertEqual(row["other_name_count"], 4095)
        text = self.clew("report", "--wide", self.recording_path).stdout
        self.assertIn("twin000000 (= twin000001, and 4,094 more)", text)


if __name__ == "__main__":
    clewtest.main()
