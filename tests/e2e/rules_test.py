#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Rules select modules and functions; a rule that selects nothing gives a warning."""
import os

from lib import clewtest
from lib.clewtest import PYTHON, PYTHON_FILE

# This program has symbols, since rules for functions match names.
SOURCE = """
#include <stdlib.h>
__attribute__((noipa)) int alpha(int n) { return n + 1; }
__attribute__((noipa)) int beta(int n) { return alpha(n) * 2; }
__attribute__((noipa)) int gamma_ray(int n) { return beta(n) + alpha(n); }
int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += gamma_ray(i);
	return sum != 165;
}
"""


class Rules(clewtest.Case):
    def setUp(self):
        super().setUp()
        source = self.work / "named.c"
        source.write_text(SOURCE, encoding="utf-8")
        self.named = self.work / "named"
        done = self.run_program(["gcc", "-O2", "-o", self.named, source])
        self.assertEqual(done.returncode, 0, done.stderr)

    def part(self, argv, options):
        self.recorded = self.record(argv, options, text=True)
        self.assertEqual(self.recorded.returncode, 0, self.recorded.stderr)
        return self.recording().parts[0]

    def calls(self, options):
        """Returns {name: calls} of the functions in the program `named`."""
        part = self.part([self.named], options)
        counts = part.counts()
        names = self.names()
        found = {}
        for context in part.contexts().values():
            function = part.functions[context.function]
            name = function.module.name == "named" and \
                names.get(function.vaddr)
            if name:
                found[name] = found.get(name, 0) + counts.get(context.id, 0)
        return found

    def names(self):
        listing = self.run_program(["nm", self.named], text=True).stdout
        wanted = {"alpha", "beta", "gamma_ray", "main"}
        return {int(vaddr, 16): name for vaddr, kind, name in
                (line.split() for line in listing.splitlines()
                 if len(line.split()) == 3) if name in wanted}

    def hooked_modules(self, part):
        return {m.name for m in part.modules if m.state_name == "HOOKED"}

    ALL = {"alpha": 20, "beta": 10, "gamma_ray": 10, "main": 1}

    def test_without_rules_everything_is_hooked(self):
        self.assertEqual(self.calls([]), self.ALL)

    def test_a_function_rule_selects(self):
        self.assertEqual(self.calls(["-f", "^alpha$"]), {"alpha": 20})

    def test_function_rules_add_up(self):
        self.assertEqual(self.calls(["-f", "^alpha$", "--function", "^beta"]),
                         {"alpha": 20, "beta": 10})

    def test_a_negative_function_rule_excludes(self):
        self.assertEqual(self.calls(["-F", "^(alpha|main)$"]),
                         {"beta": 10, "gamma_ray": 10})

    def test_a_module_rule_selects(self):
        part = self.part([PYTHON, "-c", "pass"], ["-m", "libz*"])
        self.assertTrue(self.hooked_modules(part))
        self.assertTrue(all(name.startswith("libz")
                            for name in self.hooked_modules(part)))

    def test_a_negative_module_rule_excludes(self):
        part = self.part([PYTHON, "-c", "pass"], ["-M", "libz*"])
        self.assertIn("DESELECTED", {m.state_name for m in part.modules
                                     if m.name.startswith("libz")})
        self.assertIn(os.path.basename(PYTHON_FILE),
                      self.hooked_modules(part))

    def test_libc_is_left_out_unless_asked_for(self):
        part = self.part([self.named], [])
        self.assertEqual({m.state_name for m in part.modules
                          if m.name == "libc.so.6"}, {"LIBC"})
        part = self.part([self.named], ["--libc"])
        self.assertIn("libc.so.6", self.hooked_modules(part))

    def test_a_file_of_rules_is_read(self):
        rules = self.work / "rules"
        rules.write_text("# only the leaf\nfunction ^alpha$\n",
                         encoding="utf-8")
        self.assertEqual(self.calls(["--rules", rules]), {"alpha": 20})

    def test_a_rule_that_matches_nothing_is_a_warning(self):
        self.calls(["-f", "^alpha$", "-f", "^omega$"])
        self.assertIn("^omega$", self.recorded.stderr)
        self.assertNotIn("^alpha$", self.recorded.stderr)
        part = self.recording().parts[0]
        self.assertEqual({rule.text.split()[-1]: rule.matches > 0
                          for rule in part.rules},
                         {"^alpha$": True, "^omega$": False})

    def test_rules_that_match_are_no_warning(self):
        self.calls(["-f", "^alpha$"])
        self.assertEqual(self.recorded.stderr, "")

    def test_a_broken_regular_expression_is_an_error(self):
        done = self.clew("record", "-f", "(((", "--", self.named)
        self.assert_usage_error(done, "(((")

    def test_a_word_that_is_no_directive_is_an_error(self):
        rules = self.work / "rules"
        rules.write_text("frobnicate 7\n", encoding="utf-8")
        done = self.clew("record", "--rules", rules, "--", self.named)
        self.assert_usage_error(done, "frobnicate")


if __name__ == "__main__":
    clewtest.main()
