#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Functions and contexts have the same numbers in every process."""
import shutil

from lib import clewtest


class Numbers(clewtest.Case):
    def parts(self, argv, name, options=()):
        self.recording_path = self.work / name
        done = self.record(argv, options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return clewtest.wire.Recording(self.recording_path).parts

    def firsts(self, argv, name):
        """Returns {a module's build-id: the range of its functions' numbers}."""
        part, = self.parts(argv, name, ["--libc"])
        return {module.build_id: range(module.first, module.first + module.count)
                for module in part.modules if module.count}

    def test_module_has_the_same_numbers_in_every_program(self):
        one = self.firsts([shutil.which("ls"), "/"], "ls")
        two = self.firsts([shutil.which("true")], "true")
        three = self.firsts([shutil.which("ls"), "/"], "again")
        self.assertGreater(len(one), 2)
        self.assertEqual(one, three)
        common = one.keys() & two.keys()
        self.assertTrue(common)
        for build_id in common:
            self.assertEqual(one[build_id], two[build_id])

    def test_a_context_has_the_same_id_in_every_run(self):
        target = clewtest.target("tail")
        one, two = ([set(part.contexts())
                     for part in self.parts([target], name)]
                    for name in ("first", "second"))
        self.assertTrue(one[0])
        self.assertEqual(one, two)

    def test_no_two_modules_share_a_number(self):
        for part in self.parts(["bash", "-c", "ls / | sort | uniq -c"],
                               "bash", ["--libc"]):
            taken = sorted((module.first, module.first + module.count)
                           for module in part.modules if module.count)
            for (_, end), (first, _) in zip(taken, taken[1:]):
                self.assertLessEqual(end, first)


if __name__ == "__main__":
    clewtest.main()
