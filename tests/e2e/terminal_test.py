#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Output on a terminal: pager, colours, widths, lines."""
import os
import re

from lib import clewtest, terminal
from lib.clewtest import target

COMMANDS = ["report"], ["tree"], ["list"]


class Terminal(clewtest.Case):
    def setUp(self):
        super().setUp()
        done = self.record([target("abi")], ["--time=none"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.environment |= {"TERM": "xterm", "CLEW_PAGER": ""}

    def look(self, *arguments, columns=80):
        """Runs clew on a terminal of this width. Returns its output and its status."""
        return terminal.look(self, [clewtest.CLEW, *arguments,
                                    self.recording_path], columns)

    def test_output_to_a_pipe_has_neither_colours_nor_pager(self):
        for command in COMMANDS:
            done = self.clew(*command, self.recording_path,
                             env={**self.environment, "CLEW_PAGER": "false"})
            self.assertEqual(done.returncode, 0)
            self.assertNotIn("\33", done.stdout)
            self.assertGreater(len(done.stdout.splitlines()), 3)

    def test_the_pager_under_sudo_is_a_secure_less(self):
        """A user who may run only clew by sudo gets no shell through the pager."""
        programs = self.work / "programs"
        programs.mkdir()
        less = programs / "less"
        less.write_text("#!/bin/sh\ncat >/dev/null\n"
                        "echo secure:$LESSSECURE\n")
        less.chmod(0o755)
        self.environment |= {
            "PATH": f"{programs}:{self.environment['PATH']}",
            "CLEW_PAGER": "echo a shell", "SUDO_UID": "4242"}
        said, status = self.look("report")
        self.assertEqual((said, status), ("secure:1\n", 0))
        self.environment["CLEW_PAGER"] = ""
        self.assertIn("total:", self.look("report")[0])
        self.environment |= {"CLEW_PAGER": "echo a pager; cat",
                             "SUDO_UID": str(os.geteuid())}
        self.assertIn("a pager", self.look("report")[0])

    def test_output_on_a_terminal_is_paged(self):
        self.environment["CLEW_PAGER"] = "sed s/^/paged:/"
        for command in COMMANDS:
            said, status = self.look(*command)
            self.assertEqual(status, 0)
            self.assertTrue(said)
            self.assertEqual({line[:6] for line in said.splitlines()},
                             {"paged:"})
            said, status = self.look(*command, "--no-pager")
            self.assertNotIn("paged", said)

    def test_writing_a_page_starts_no_pager(self):
        self.environment["CLEW_PAGER"] = "sed s/^/paged:/; echo a pager ran"
        for path, status in (self.work / "diff.html", 0), ("/no/where", 1):
            said, found = self.look("diff", f"--html={path}",
                                    self.recording_path)
            self.assertEqual(found, status)
            self.assertNotIn("a pager ran", said)
            self.assertEqual(len(said.splitlines()), status)

    def test_a_pager_that_ends_early_or_is_missing_is_no_error(self):
        self.environment["CLEW_PAGER"] = "sed q"
        said, status = self.look("list", "--all")
        self.assertEqual((len(said.splitlines()), status), (1, 0))
        self.environment["CLEW_PAGER"] = "no-such-pager-anywhere"
        said, status = self.look("report")
        self.assertEqual(status, 0)
        self.assertIn("total:", said)

    def test_colours_follow_the_terminal_and_the_user(self):
        self.assertIn("\33[1m", self.look("report")[0])
        self.assertNotIn("\33[", self.look("report", "--color=never")[0])
        self.environment["NO_COLOR"] = "1"
        self.assertNotIn("\33[", self.look("report")[0])
        self.assertIn("\33[", self.look("report", "--color=always")[0])
        del self.environment["NO_COLOR"]
        self.environment["TERM"] = "dumb"
        self.assertNotIn("\33[", self.look("report")[0])
        done = self.clew("report", "--color", self.recording_path)
        self.assertIn("\33[", done.stdout)

    def test_coloured_output_has_the_same_text(self):
        for command in COMMANDS:
            plain = self.clew(*command, self.recording_path).stdout
            coloured = self.clew(*command, "--color=always",
                                 self.recording_path).stdout
            for code in "", "1", "2", "1;31", "33", "31", "32":
                coloured = coloured.replace(f"\33[{code}m", "")
            self.assertEqual(coloured, plain)

    def test_lines_fit_the_terminal(self):
        for command in COMMANDS:
            cut, _ = self.look(*command, "--color=never", columns=50)
            whole, _ = self.look(*command, "--color=never", "--wide",
                                 columns=50)
            self.assertIn(max(map(len, cut.splitlines())), (49, 50))
            self.assertGreater(max(map(len, whole.splitlines())), 50)
            # Tables omit columns; sentences are wrapped and not cut.
            for short, long in zip(cut.split("\ntotal: ")[0].splitlines(),
                                   whole.splitlines()):
                words = iter(long.split())
                for word in short.rstrip(">").split()[:-1]:
                    self.assertIn(word, words)

    def test_names_have_at_least_thirty_columns(self):
        done = self.record([target("abi")], ["--time=cpu"])
        self.assertEqual(done.returncode, 0, done.stderr)
        for command in ["report", "--top=0"], ["tree"], ["report", "-B", "main"]:
            said, _ = self.look(*command, "--color=never", columns=80)
            heading = said.splitlines()[0]
            name = re.search("(function|context|callers, the)", heading)
            self.assertLessEqual(name.start(), 50, heading)

    def test_the_footer_has_three_lines_and_fits(self):
        for command in ["report"], ["tree"]:
            said, _ = self.look(*command, "--color=never", columns=60)
            footer = said.partition("\ntotal: ")[2].splitlines()
            facts = [line for line in
                     said.partition("\ntotal: ")[2].replace("\n  ", " ")
                     .splitlines() if not line.startswith("hint: ")]
            self.assertLessEqual(len(facts), 3)
            self.assertRegex(facts[-1], r"^\d+ calls? checked against the "
                                        r"stack, 0 wrong \(more: --details\)$")
            self.assertFalse([line for line in footer if line.endswith(">")])

    def test_details_are_wrapped_to_the_width_of_the_terminal(self):
        said, _ = self.look("report", "--details", "--color=never", columns=60)
        details = said.partition("\n\nthreads: ")[2].splitlines()
        self.assertGreater(len(details), 3)
        self.assertLessEqual(max(map(len, details)), 60)
        whole = self.details(self.recording_path)
        for label in "\nhooked: ", "\nchecked: ":
            self.assertIn(label, whole)
        self.assertNotIn("\nhooked: ",
                         self.clew("report", self.recording_path).stdout)

    def test_lines_of_the_tree_use_characters_of_the_locale(self):
        self.environment["LC_ALL"] = "C.UTF-8"
        self.assertRegex(self.clew("tree", self.recording_path).stdout,
                         "\u2514\u2500 ")
        self.environment["LC_ALL"] = "C"
        self.assertTrue(
            self.clew("tree", self.recording_path).stdout.isascii())

    def test_quiet_prints_the_table_only(self):
        for command in ["report"], ["tree"]:
            loud = self.clew(*command, self.recording_path).stdout
            quiet = self.clew(*command, "--quiet", self.recording_path).stdout
            self.assertTrue(loud.startswith(quiet + "\ntotal: "))
        said, status = self.look("report", "--quiet", "--color=never")
        self.assertNotIn("total:", said)
        self.assertEqual(status, 0)

    def test_html_reports_the_written_file(self):
        said, status = self.look("html")
        self.assertEqual(status, 0)
        self.assertRegex(said, r"clew html: wrote clew\.html \(\d+\.\d MB\); "
                         r"open it in a browser\n$")

    def test_errors_list_the_known_words_of_an_option(self):
        for arguments, words in (
                (["report", "--sort=size"], "calls, self, total, per-call, "
                 "contexts, callers, callees, name, module"),
                (["report", "--sort=calls,size"], "calls, self, "),
                (["report", "--by=day"],
                 "function, context, line, address, module, thread"),
                (["diff", "--sort=size"], "self, total, calls"),
                (["export", "--format=svg"], "folded, speedscope, pprof, "),
                (["record", "--time=gmt"], "none, cpu, wall, exact")):
            done = self.clew(*arguments, self.recording_path)
            self.assertEqual(done.returncode, 64)
            self.assertIn(f": not one of {words}", done.stderr)

    def test_a_bad_choice_of_colours_is_refused(self):
        done = self.clew("report", "--color=maybe", self.recording_path)
        self.assertIn(done.returncode, clewtest.CLEW_FAILED)
        self.assertIn("--color=maybe", done.stderr.splitlines()[0])


if __name__ == "__main__":
    clewtest.main()
