#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A JVM verifies all of its classes and those of installed jars, rewritten."""
import glob
import os

from lib import clewtest
from lib.java import VERIFY, RewrittenCase


class Verified(RewrittenCase):
    def check(self):
        jars = sorted(path for path in glob.glob("/usr/share/java/*.jar")
                      if not os.path.islink(path))
        counts, refused, reasons = self.verify(1, jars)
        if refused:  # some jars need classes that are not installed
            plain = self.run_program(
                self.java(*VERIFY, "--add-modules=ALL-SYSTEM", "-cp",
                          self.work / "classes", "com.acme.Verifies", "1",
                          *jars), text=True)
            self.assertEqual(plain.returncode, 0, plain.stderr)
            natively = {line.split()[1] for line in plain.stdout.splitlines()
                        if line.startswith("refused ")}
            refused = [line for line in refused
                       if line.split()[1] not in natively]
        self.assertEqual(refused, [])
        self.assertGreater(counts["classes"], 20000)
        self.assertLess(sum(reasons.values()), counts["methods"] / 1000)

    def test_all_classes_are_verified_on_17(self):
        self.check()

    def test_all_classes_are_verified_on_25(self):
        self.version = 25
        self.check()


if __name__ == "__main__":
    clewtest.main()
