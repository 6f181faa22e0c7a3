#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/clew-preload records with LD_PRELOAD and variables alone."""
import clewtest
import wire
from clewtest import LIBRARY, ROOT, target

WRAPPER = ROOT / "scripts" / "clew-preload"


class Preload(clewtest.Case):
    def setUp(self):
        super().setUp()
        self.environment["CLEW_LIBRARY"] = str(LIBRARY)

    def test_counts_are_exact(self):
        argv = [target("recursion")]
        native = self.run_program(argv)
        self.environment["TRUTH_DIR"] = str(self.truths)
        recorded = self.run_program([WRAPPER, *argv])
        self.assert_same_behaviour(native, recorded)
        self.assert_counts(self.recording())

    def test_older_recording_is_kept(self):
        for status in 1, 2:
            done = self.run_program([WRAPPER, "/bin/sh", "-c",
                                     f"exit {status}"])
            self.assertEqual(done.returncode, status, done.stderr)
        old = wire.Recording(self.work / "clew.out.old")
        self.assertEqual(old.parts[0].arguments[-1], "exit 1")

    def test_foreign_directory_is_left_alone(self):
        precious = self.recording_path / "precious"
        precious.parent.mkdir()
        precious.touch()
        done = self.run_program([WRAPPER, "/bin/true"], text=True)
        self.assert_one_line_error(done, "clew.out")
        self.assertTrue(precious.exists())

    def test_output_and_rules_by_variables(self):
        rules = self.work / "rules"
        rules.write_text("module recursion\n", encoding="utf-8")
        self.environment.update(CLEW_OUT="elsewhere", CLEW_RULES=str(rules))
        done = self.run_program([WRAPPER, target("recursion")])
        self.assertEqual(done.returncode, 0, done.stderr)
        part = wire.Recording(self.work / "elsewhere").parts[0]
        self.assertEqual({m.name for m in part.modules
                          if m.state_name == "HOOKED"}, {"recursion"})

    def test_the_library_may_have_any_name(self):
        """One of landings' functions jumps: ours in front is not hooked."""
        renamed = self.work / "tracer.so"
        renamed.write_bytes(LIBRARY.read_bytes())
        self.environment["CLEW_LIBRARY"] = str(renamed)
        argv = [target("landings")]
        native = self.run_program(argv)
        self.assert_same_behaviour(native, self.run_program([WRAPPER, *argv]))
        states = {m.name: m.state_name
                  for m in self.recording().parts[0].modules}
        self.assertEqual(states["tracer.so"], "SELF")

    def test_the_library_is_found_beside_it(self):
        del self.environment["CLEW_LIBRARY"]
        folder = self.work / "elsewhere"
        folder.mkdir()
        (folder / "clew-preload").write_bytes(WRAPPER.read_bytes())
        (folder / "clew-preload").chmod(0o755)
        (folder / "libclew.so").symlink_to(LIBRARY)
        done = self.run_program([folder / "clew-preload", target("abi")])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.recording()

    def test_missing_command_and_missing_library(self):
        done = self.run_program([WRAPPER], text=True)
        self.assert_one_line_error(done, "usage")
        self.environment["CLEW_LIBRARY"] = "/nowhere/libclew.so"
        done = self.run_program([WRAPPER, "/bin/true"], text=True)
        self.assert_one_line_error(done, "CLEW_LIBRARY")


if __name__ == "__main__":
    clewtest.main()
