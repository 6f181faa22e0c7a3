#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""KCachegrind's own loader reads the callgrind export correctly."""
import json
import tempfile

from lib import clewtest, exports
from lib.clewtest import needs

SHOW = clewtest.ROOT / "tests" / "e2e" / "lib" / "kcachegrind.py"


@needs("kcachegrind", "Xvfb", "dbus-run-session")
class KCachegrind(exports.Export):
    def exported(self, metric):
        """Returns (recording, its export), with no more functions than
        KCachegrind lists."""
        made = self.synthetic(contexts=40)
        return made, self.export_file("callgrind", made.path, "--metric",
                                      metric)

    def shown(self, path):
        """Returns KCachegrind's view of the file; see kcachegrind.py."""
        with tempfile.TemporaryDirectory(dir=self.work) as home:
            done = self.run_program(
                ["dbus-run-session", "--", clewtest.PYTHON, SHOW, path,
                 self.work / "shown"],
                text=True, env={**self.environment, "HOME": home,
                                "XDG_RUNTIME_DIR": home})
        if done.returncode == clewtest.SKIPPED:
            self.skipTest("no python3-dbus or at-spi2-core here")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.work / "shown").read_text(encoding="utf-8"))

    def assert_true(self, shown, made, path, measure, name):
        self.assertEqual(shown["complaints"], [])
        total = f"{made.total(measure):,}".replace(",", " ")
        self.assertEqual(shown["status"],
                         f"{path.name} [1] - Total {name} Cost: {total}")
        self.assertEqual(shown["title"], f"{path} [synthetic --size large]")
        own, inclusive = made.own(measure), made.inclusive(measure)
        calls = made.own("calls")
        wanted = {f: [inclusive[f], own[f], calls[f]] for f in inclusive}
        wanted["(all)"] = [made.total(measure), 0, 0]
        self.assertEqual(shown["functions"], wanted)

    def test_kcachegrind_shows_the_times_of_the_recording(self):
        made, path = self.exported("time")
        self.assert_true(self.shown(path), made, path, "ns", "Time (ns)")

    def test_kcachegrind_shows_the_calls_of_the_recording(self):
        made, path = self.exported("calls")
        self.assert_true(self.shown(path), made, path, "calls", "Calls")

    def test_damaged_callgrind_files_fail_these_tests(self):
        made, path = self.exported("time")
        lines = path.read_text(encoding="ascii").splitlines()
        cost = lines.index("calls=779 0") + 1
        for what, damaged in [
                ("cut off", lines[:len(lines) // 2]),
                ("a line", lines[:cost] + ["0 nonsense"] + lines[cost + 1:]),
                ("a number", lines[:cost] + ["0 1 1"] + lines[cost + 1:]),
                ("all of it", ["nonsense"])]:
            path.write_text("\n".join(damaged) + "\n", encoding="ascii")
            shown = self.shown(path)
            with self.subTest(what), \
                    self.assertRaises((self.failureException, KeyError)):
                self.assert_true(shown, made, path, "ns", "Time (ns)")


if __name__ == "__main__":
    clewtest.main()
