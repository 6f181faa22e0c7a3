#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew` and `--help` fit on a screen; for a mistyped word clew suggests the
nearest match."""
import re

from lib import clewtest, helptext

COLUMNS, LINES, FIRST = 80, 45, 10
TEXT_MAX = 70  # characters of an option's description
FIRST_HEADING = "Most useful options:"


class Texts(clewtest.Case):
    def commands(self):
        return [name for name, _ in helptext.commands(self.clew("help").stdout)]

    def help(self, command, option="--help"):
        done = self.clew(command, option)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def assert_narrow(self, text):
        wide = [line for line in text.splitlines() if len(line) > COLUMNS]
        self.assertEqual(wide, [])

    def first(self, text):
        """Returns the options below the first heading."""
        return helptext.options(
            text.partition(FIRST_HEADING + "\n")[2].partition("\n\n")[0])

    def test_clew_alone_prints_five_lines_with_three_commands(self):
        done = self.clew()
        self.assertEqual((done.returncode, done.stdout), (64, ""))
        self.assertEqual(len(done.stderr.splitlines()), 5)
        self.assertEqual(len(re.findall(r"^  clew \w+", done.stderr,
                                        re.MULTILINE)), 3)
        self.assertIn("clew --help", done.stderr)
        self.assert_narrow(done.stderr)

    def test_list_of_commands_is_narrow(self):
        for words in ["help"], ["--help"], ["-?"], ["--help=all"]:
            done = self.clew(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assert_narrow(done.stdout)
            self.assertIn("record", dict(helptext.commands(done.stdout)))

    def test_help_of_each_command_fits_on_a_screen(self):
        for command in self.commands():
            with self.subTest(command=command):
                brief = self.help(command)
                self.assertLessEqual(len(brief.splitlines()), LINES)
                self.assert_narrow(brief)
                self.assert_narrow(self.help(command, "--help=all"))
                self.assertEqual(self.help(command, "-?"), brief)

    def test_short_help_is_complete(self):
        for command in self.commands():
            with self.subTest(command=command):
                brief = self.help(command)
                whole = self.help(command, "--help=all")
                if len(whole.splitlines()) <= LINES:
                    self.assertEqual(brief, whole)
                else:
                    self.assertIn(f"clew {command} --help=all", brief)

    def test_each_option_is_named_in_the_brief_help(self):
        for command in self.commands():
            with self.subTest(command=command):
                every = helptext.options(self.help(command, "--help=all"))
                named = set(re.findall(r"--[\w-]+", self.help(command)))
                self.assertLessEqual(
                    {word for word in helptext.words(every)
                     if word.startswith("--")}, named)

    def test_help_begins_with_at_most_ten_options(self):
        for command in self.commands():
            with self.subTest(command=command):
                brief = self.help(command)
                whole = self.help(command, "--help=all")
                count = len(helptext.options(whole)) - 3  # except help's own
                if count <= FIRST:
                    self.assertNotIn(FIRST_HEADING, whole)
                    continue
                self.assertEqual(len(self.first(brief)), FIRST)
                self.assertEqual(self.first(whole), self.first(brief))
                before = brief.partition(FIRST_HEADING)[0]
                self.assertEqual(helptext.options(before), set())

    def test_options_of_record_are_listed_by_purpose(self):
        headings = re.findall(r"^(\w.*):$", self.help("record", "--help=all"),
                              re.MULTILINE)
        self.assertEqual(headings, [
            "Most useful options", "Output", "What to count", "Time", "Traces",
            "Snapshots", "Probes", "Java", "Limits", "Help"])

    def test_descriptions_of_options_are_short(self):
        for command in self.commands():
            lines = self.help(command, "--help=lines")
            for line in re.findall(r"^ +-.*", lines, re.MULTILINE):
                with self.subTest(command=command, line=line):
                    self.assertLess(len(line.lstrip().partition("  ")[2]),
                                    TEXT_MAX)
            self.assertEqual(helptext.options(lines), helptext.options(
                self.help(command, "--help=all")))

    def test_usage_lines_are_short(self):
        for command in self.commands():
            text = self.help(command, "--usage")
            self.assertTrue(text.startswith(f"Usage: clew {command} "))

    def test_unknown_help_lists_are_refused(self):
        self.assert_usage_error(self.clew("record", "--help=everything"),
                                "--help=everything", "all")

    def test_help_that_cannot_be_written_fails(self):
        done = self.run_program(
            ["sh", "-c", f"exec {clewtest.CLEW} record --help >/dev/full"],
            text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write", done.stderr)


class Suggestions(clewtest.Case):
    def assert_suggested(self, words, suggestion):
        done = self.clew(*words)
        self.assert_usage_error(done, f"did you mean {suggestion}?")

    def test_misspelt_commands_get_suggestions(self):
        for word, meant in (("recrod", "record"), ("repor", "report"),
                            ("exprot", "export"), ("a2m", "a2n"),
                            ("snap", "snapshot")):
            with self.subTest(word=word):
                self.assert_suggested([word], f"`clew {meant}`")
                self.assert_suggested(["help", word], f"`clew help {meant}`")

    def test_a_program_is_no_mistyped_command(self):
        self.assert_suggested(["cat", "a file"], "`clew record -- cat a file`")
        self.assert_suggested(["quite-another", "x"],
                              "`clew record -- quite-another x`")

    def test_misspelt_options_get_suggestions(self):
        for words, meant in (
                (["record", "--trase", "--", "true"], "--trace"),
                (["record", "--ouptut=x", "true"], "--output"),
                (["record", "-o", "x", "--libk", "true"], "--libc"),
                (["attach", "--childern", "1"], "--children"),
                (["report", "clew.out", "--sotr=calls"], "--sort"),
                (["tree", "--caller-of=f"], "--callers-of"),
                (["probe", "add", "1", "f", "--actoin=snapshot"], "--action"),
                (["report", "--hlep"], "--help")):
            with self.subTest(words=words):
                self.assert_suggested(words, meant)

    def test_misspelt_verbs_of_probe_get_suggestions(self):
        for word, meant in ("ad", "add"), ("lss", "ls"), ("mr", "rm"):
            self.assert_suggested(["probe", word, "1", "f"],
                                  f"`clew probe {meant}`")

    def test_odd_options_get_no_suggestion(self):
        for option in "--frobnicate", "-Z":
            done = self.clew("report", option)
            self.assert_usage_error(done, f"{option}: unknown option")
            self.assertNotIn("did you mean", done.stderr)

    def test_options_of_the_program_are_not_checked(self):
        for words in (["--", "true", "--trase"], ["true", "--trase"],
                      ["-o", "rec", "true", "--trase"]):
            with self.subTest(words=words):
                self.assertEqual(self.clew("record", *words).returncode, 0)

    def test_long_options_can_be_abbreviated(self):
        done = self.clew("record", "--outp=rec", "--verb", "--", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.work / "rec").is_dir())
        done = self.clew("report", "--he")
        self.assertEqual(done.returncode, 0)
        self.assert_usage_error(self.clew("report", "--j"), "ambiguous")

    def test_misspelt_values_get_suggestions(self):
        for words, meant in (
                (["report", "--by=modul"], "module"),
                (["report", "--sort=self,cals"], "calls"),
                (["report", "--metric=tiem"], "time"),
                (["report", "--color=nevr"], "never"),
                (["tree", "--group=threads"], "thread"),
                (["tree", "--context=sites"], "site"),
                (["export", "-F", "flded"], "folded"),
                (["diff", "--sort=totla", "a", "b"], "total"),
                (["top", "--by=modul", "1"], "module"),
                (["a2n", "--style=lvm"], "llvm"),
                (["a2n", "--list=symbol"], "symbols"),
                (["record", "--time=wal", "true"], "wall"),
                (["record", "--clock=tik", "true"], "tick"),
                (["record", "--java=native", "true"], "natives"),
                (["record", "--on-overflow=droop-oldest", "true"],
                 "drop-oldest"),
                (["record", "--snapshot-on=USR3", "true"], "USR1"),
                (["trace", "--slowest=f", "--against=medain"], "median"),
                (["cache", "prnue"], "prune")):
            with self.subTest(words=words):
                self.assert_suggested(words, meant)


if __name__ == "__main__":
    clewtest.main()
