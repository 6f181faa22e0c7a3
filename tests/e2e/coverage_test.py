#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Code that is not covered is named, with its size."""
import truth
import wire

import clewtest
from clewtest import target


class Unknown(clewtest.Case):
    """What neither unwind information nor a symbol tells of."""

    def test_code_of_no_function_is_named(self):
        native = self.run_program([target("uncovered")], text=True)
        done = self.record([target("uncovered")], ["-v"], text=True)
        self.assertEqual(done.stdout, native.stdout)
        report = self.clew_json("report", "--json", self.recording().path)
        (gap,) = report["not_covered"]
        self.assertEqual(gap, {"module": "uncovered", "state": "hooked",
                               "unknown_code_bytes": 10})
        said = "10 bytes of code in uncovered belong to no known function"
        self.assertIn(said, done.stderr)
        self.assertIn("not covered: " + said,
                      self.details(self.recording().path))
        self.assertIn("\nmissing: 10 bytes of unknown code\n",
                      self.clew("report", self.recording().path).stdout)

    def test_it_is_listed_with_its_address(self):
        texts = {name: text for name, _, text in wire.JSON_VERDICTS}
        listing = self.clew_json("list", "--json", "--all",
                                 target("uncovered"))
        (module,) = listing["modules"]
        self.assertEqual(module["coverage"]["unknown_code_bytes"], 10)
        self.assertEqual(len([f for f in module["functions"]
                              if f["verdict"] == texts["BARE"]]), 1)

    def test_programs_without_unwind_information_are_covered(self):
        """That each call is counted, Counts.test_recursion shows."""
        for name, flavour in ("recursion", "bare0"), ("callbacks", "bare0"):
            with self.subTest(name, flavour=flavour):
                (module,) = self.clew_json(
                    "list", "--json", target(name, flavour))["modules"]
                coverage = module["coverage"]
                self.assertEqual(coverage["unknown_code_bytes"], 0)
                self.assertEqual(coverage["refused"], 0)
                self.assertGreater(coverage["hooked"], 5)

    def test_what_only_words_of_data_lead_to_is_named(self):
        """At a fixed place any number may look like a pointer."""
        argv = [target("leaves_by_table", "bare_nopie")]
        native = self.run_program(argv)
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.assert_same_behaviour(native, self.record(argv))
        (one,) = truth.read_all(self.truths)
        recording = self.recording()
        differences = truth.Comparison(one, recording.parts[0]).differences()
        self.assertGreater(len(differences), 0)
        for line in differences:
            self.assertRegex(line, r"^main;through_table;\w+: .* 0 recorded$")
        (gap,) = self.clew_json("report", "--json",
                                recording.path)["not_covered"]
        self.assertGreater(gap["unknown_code_bytes"], 100)

    def test_complete_programs_have_none(self):
        """What the compiler links into everything is left out."""
        for name, flavour in ("recursion", "O2"), ("recursion", "nopie"), \
                             ("exceptions", "O2"):
            with self.subTest(name, flavour=flavour):
                (module,) = self.clew_json(
                    "list", "--json", target(name, flavour))["modules"]
                self.assertEqual(module["coverage"]["unknown_code_bytes"], 0)


if __name__ == "__main__":
    clewtest.main()
