#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Programs that query their own context (agent/clew.h) get correct answers."""
import re

from lib import clewtest
from lib.clewtest import BUILD, needs, target

LIBRARY = BUILD / "agent" / "libclew-agent.so"


class Asks(clewtest.Case):
    """The program compares each answer with its own count (targets/asks.c)."""

    def check(self, *options):
        native = self.run_program([target("asks")])
        self.assertEqual((native.stdout, native.returncode),
                         (b"absent, 0 errors\n", 0))
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.environment["ASKS_TELLS"] = "1"
        recorded = self.record([target("asks")],
                               ["--verify-period", "50", *options])
        self.assertEqual((recorded.stderr, recorded.returncode), (b"", 0))
        told = re.fullmatch(r"(\d+) contexts met, 0 errors\n",
                            recorded.stdout.decode())
        self.assertTrue(told, recorded.stdout)
        # main(), the threads and the handlers make at least this many queries.
        self.assertGreater(int(told[1]), 100)
        recording = self.recording()
        self.assert_no_problem()
        self.assert_counts(recording, images=2)

    def test_contexts_from_the_agent_are_right(self):
        self.check()

    def test_contexts_from_the_agent_are_right_beside_exact_times(self):
        self.check("--time=exact")

    def test_contexts_from_the_agent_are_right_beside_libc_hooks(self):
        self.check("--libc")


class Library(clewtest.Case):
    @needs("readelf")
    def test_agent_library_keeps_its_interface(self):
        """Symbols that programs are linked with keep existing under their
        symbol version."""
        listed = self.run_program(["readelf", "-W", "--dyn-syms", LIBRARY],
                                  text=True).stdout
        exported = set(re.findall(r"(?m) (?!UND)\S+ (clew_\w+@@\S+)$", listed))
        self.assertEqual(exported, {f"{name}@@CLEW_0.1"
                                    for name in clewtest.interface()})
        self.assertIn("libclew-agent.so.0", self.run_program(
            ["readelf", "-d", LIBRARY], text=True).stdout)


if __name__ == "__main__":
    clewtest.main()
