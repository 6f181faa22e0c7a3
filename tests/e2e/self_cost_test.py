#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reports show, for each module, the time that clew took before the program began."""
import os
import re

from lib import clewtest
from lib.clewtest import PYTHON, target


class Starts(clewtest.Case):
    def setUp(self):
        super().setUp()
        self.environment["XDG_CACHE_HOME"] = str(self.work / "cache")

    def costs_of(self, command):
        self.assertEqual(self.record(command, ["--time=none"]).returncode, 0)
        cost = self.clew_json("report", "--json",
                              self.recording_path)["self_cost"]
        modules = {module["path"]: module for module in cost["modules"]}
        self.assertEqual(len(modules), len(cost["modules"]))
        self.assertLessEqual(sum(m["start_ns"] for m in cost["modules"]),
                             cost["start_cpu_ns"])
        for module in cost["modules"]:
            self.assertGreater(module["analysis_ns"], 0)
            self.assertLessEqual(module["uncached"], module["loads"])
        return cost, modules

    def hooked(self):
        return {module["path"] for module in self.clew_json(
            "list", "--json", self.recording_path)["modules"]
            if module["state"] == "hooked"}

    def test_each_hooked_module_has_its_share(self):
        command = [PYTHON, "-S", "-c", "pass"]
        _, first = self.costs_of(command)
        self.assertEqual(set(first), self.hooked())
        for module in first.values():
            self.assertEqual((module["loads"], module["uncached"]), (1, 1))
            self.assertGreater(module["patch_ns"], 0)
        _, second = self.costs_of(command)
        self.assertEqual({m["uncached"] for m in second.values()}, {0})
        self.assertEqual(set(second), set(first))

    def test_later_libraries_are_not_part_of_the_start(self):
        _, modules = self.costs_of([PYTHON, "-c", "import _ctypes"])
        late = [m for path, m in modules.items() if "_ctypes" in path]
        self.assertEqual([m["start_ns"] for m in late], [0])
        self.assertGreater(modules[os.path.realpath(PYTHON)]["start_ns"], 0)

    def test_children_that_fork_are_hooked_already(self):
        _, modules = self.costs_of([target("processes"), "fork"])
        self.assertEqual(modules[target("processes")]["loads"], 1)

    def test_each_executed_program_is_hooked(self):
        plain = target("deep")
        cost, modules = self.costs_of(["sh", "-c", f"{plain}; {plain}; :"])
        self.assertEqual(modules[plain]["loads"], 2)
        text = self.details(self.recording_path)
        said = re.search("clew itself: .* of CPU time before the programs of "
                         r"\d processes began \((.*)\), not included above",
                         text)
        named = [os.path.basename(module["path"])
                 for module in cost["modules"]][:3]
        self.assertEqual([one.split()[0] for one in said[1].split(", ")],
                         named)


if __name__ == "__main__":
    clewtest.main()
