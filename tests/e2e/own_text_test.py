#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Programs may read, patch and remap the text that contains hooks (own_text.c)."""
from lib import clewtest
from lib.clewtest import target

CALLS = 1000  # calls before the change of the text, and again after it


class OwnText(clewtest.Case):
    def counted(self, way, options, flavour="O2"):
        """Returns the calls of work(), and the problems that reports show."""
        argv = [target("own_text", flavour), way]
        self.assertEqual(self.run_program(argv).returncode, 0)
        recorded = self.record(argv, options)
        self.assertEqual((recorded.returncode, recorded.stderr), (0, b""))
        self.assert_nothing_lost(self.recording().parts[0])
        shown = self.clew_json("report", "--json", self.recording_path)
        calls = {function["name"]: function["calls"]
                 for function in shown["functions"]}
        self.assertEqual(calls["punned"], 3 * CALLS if way == "patch"
                         else 2 * CALLS)
        return calls["work"], shown["problems"]

    def check(self, way, calls, *options, flavour="O2", gone=False):
        counted, problems = self.counted(way, options, flavour)
        self.assertEqual((counted, len(problems)), (calls, int(gone)),
                         problems)
        if gone:
            self.assertIn("the program overwrote 1 hook: later calls of that "
                          "function are not counted", problems[0])

    def test_discarded_text_keeps_its_hooks(self):
        for turn, options in enumerate([["--no-prelinking"], [], [],
                                        ["--time=exact"], ["--trace"]]):
            for way in "dontneed", "syscall", "all":
                with self.subTest(way=way, turn=turn):
                    self.check(way, 2 * CALLS, *options)

    def test_text_at_a_fixed_address_keeps_its_hooks(self):
        self.check("all", 2 * CALLS, "--no-prelinking", flavour="nopie")

    def test_pads_of_punned_jumps_survive_discarded_text(self):
        for options in [], ["--no-prelinking"], ["--trace"]:
            self.check("executable", 2 * CALLS, *options, flavour="nopie")
            self.check("executable", 2 * CALLS, *options)

    def test_excluded_functions_keep_their_bytes_in_hooked_text(self):
        """In mapped hooked text, an excluded function has its original bytes."""
        self.check("dontneed", 2 * CALLS)
        self.check("dontneed", 2 * CALLS)
        for way in "dontneed", "all":
            recorded = self.record([target("own_text"), way],
                                   ["-F", "^work$"])
            self.assertEqual((recorded.returncode, recorded.stderr), (0, b""))
            shown = self.clew_json("report", "--json", self.recording_path)
            self.assertNotIn("work", [function["name"] for function
                                      in shown["functions"]])

    def test_mapping_over_hooks_is_reported(self):
        self.check("remap", CALLS, gone=True)
        self.check("remap", CALLS, gone=True)
        self.check("remap", CALLS, "--no-prelinking", gone=True)

    def test_writing_over_hooks_is_reported(self):
        self.check("rewrite", CALLS, gone=True)
        self.check("rewrite", CALLS, "--no-prelinking", gone=True)

    def test_code_written_over_hooks_survives_unhooking(self):
        self.check("patch", CALLS, gone=True)
        self.check("patch", CALLS, "--no-prelinking", gone=True)
        self.check("patch", CALLS, "--no-prelinking", flavour="nopie",
                   gone=True)

    def test_hooks_in_moved_text_keep_counting(self):
        self.check("moved", 2 * CALLS)
        self.check("moved", 2 * CALLS, "--no-prelinking")


if __name__ == "__main__":
    clewtest.main()
