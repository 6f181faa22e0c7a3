#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Real bash and zsh complete the options of this clew."""
import os
import pty
import re
import select
import shlex
import subprocess
import time

from lib import clewtest, helptext
from lib.clewtest import CLEW, ROOT, needs

FOLDER = ROOT / "completion"
HERE = ROOT / "tests" / "e2e"


class Shell(clewtest.Case):
    """Tests that both shells must pass."""

    def setUp(self):
        super().setUp()
        self.environment["PATH"] = f"{CLEW.parent}:{os.environ['PATH']}"
        self.environment["HOME"] = str(self.work)

    def ask(self, argv):
        done = self.run_program(argv, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return set(done.stdout.splitlines())


class Common:
    """Common tests. complete(WORD...) returns the offers for the last word."""

    def help(self, *words):
        return self.clew(*words, "--help=all").stdout

    def commands(self):
        return [name for name, _ in helptext.commands(self.clew("help").stdout)]

    def values(self, *words):
        """Returns the offers without blanks and slashes, which depend on the
        shell."""
        return {one.rstrip(" /") for one in self.complete(*words)}

    def make_recording(self, path):
        (self.work / path).mkdir(parents=True)
        (self.work / path / "1.0.part").touch()
        (self.work / path / "config").touch()

    def test_commands_complete(self):
        self.assertEqual(self.complete(""), {*self.commands(), "help"})
        self.assertEqual(self.complete("re"), {"record", "report"})
        self.assertEqual(self.complete("help", "d"),
                         {"detach", "diff", "dump"})

    def test_options_are_those_of_help_and_no_other(self):
        for command in self.commands():
            with self.subTest(command=command):
                told = helptext.words(helptext.options(self.help(command)))
                long = {word for word in told if word[:2] == "--"}
                offered = {word.rstrip("=") for word in
                           self.complete(command, "--")}
                self.assertEqual(offered, long)
                offered = {word.rstrip("=") for word in
                           self.complete(command, "-")}
                self.assertEqual(offered, told)

    def test_choices_complete(self):
        for command, option, wanted in (
                ("report", "--by=", "function context line address module thread process "
                 "jni jni-env java"),
                ("report", "--metric=", "calls time"),
                ("report", "--color=", "auto always never"),
                ("tree", "--group=", "process thread"),
                ("diff", "--sort=", "self total calls"),
                ("a2n", "--style=", "addr2line llvm"),
                ("a2n", "--list=", "symbols lines"),
                ("record", "--help=", "all"),
                ("status", "--help=", "all")):
            with self.subTest(option=option):
                self.assertEqual(self.values(command, option),
                                 set(wanted.split()))
        self.assertEqual(self.values("report", "--by", "m"), {"module"})
        self.assertEqual(self.values("tree", "-g", ""), {"process", "thread"})
        self.assertEqual(self.values("report", "--by=th"), {"thread"})

    def test_kinds_of_time_complete(self):
        said = self.clew("record", "--time=?", "--", "true").stderr
        known = re.search(r"not one of (.*)", said)[1].split(", ")
        self.assertIn("cpu", known)
        self.assertEqual(self.values("record", "--time="), set(known))

    def test_formats_complete(self):
        said = self.help("export").partition("Formats:\n")[2]
        known = {name for name in re.findall(r"^  ([\w-]+) ", said,
                                             re.MULTILINE)}
        self.assertIn("folded", known)
        self.assertEqual(self.values("export", "--format="), known)
        self.assertEqual(self.values("export", "-F", "fo"), {"folded"})

    def test_sort_keys_complete(self):
        said = self.clew("report", "--sort=?").stderr
        known = set(re.search(r"not one of (.*)", said)[1].split(", "))
        self.assertIn("per-call", known)
        self.assertEqual(self.values("report", "--sort="), known)

    def test_recordings_complete(self):
        for path in "clew.out", "clew.out.old", "deep/one.out":
            self.make_recording(path)
        (self.work / "other").mkdir()
        (self.work / "a file").touch()
        for command in "view", "report", "tree", "html", "dump":
            with self.subTest(command=command):
                self.assertEqual(self.values(command, ""),
                                 {"clew.out", "clew.out.old"})
        self.assertEqual(self.values("diff", "clew.out", "clew.out."),
                         {"clew.out.old"})
        self.assertEqual(self.values("export", "-F", "csv", "--inlines", ""),
                         {"clew.out", "clew.out.old"})
        self.assertEqual(self.values("report", "d"), {"deep"})
        self.assertEqual({path.rpartition("/")[2] for path in
                          self.values("report", "deep/")}, {"one.out"})
        self.assertEqual({path.rpartition("/")[2] for path in
                          self.values("report", "clew.out/")}, {"1.0.part"})

    def test_second_recording_is_not_completed(self):
        self.make_recording("clew.out")
        self.assertNotIn("clew.out", self.values("report", "clew.out", ""))

    def test_files_complete(self):
        (self.work / "some.rules").touch()
        (self.work / "some.folder").mkdir()
        for words in (["record", "--rules="], ["record", "--rules", ""],
                      ["list", ""], ["a2n", "-e", ""],
                      ["cache", "warm", ""]):
            with self.subTest(words=words):
                self.assertLessEqual({"some.rules"},
                                     self.values(*words[:-1], words[-1]))
        self.assertIn("some.folder", self.values("a2n", "--root="))
        self.assertNotIn("some.rules", self.values("a2n", "--root="))

    def test_cache_commands_are_completed(self):
        self.assertEqual(self.complete("cache", ""), {"ls", "prune", "warm"})

    def test_programs_to_record_complete(self):
        for words in (["record", "--"], ["record"],
                      ["record", "-q", "-o", "x", "--time=cpu", "--"]):
            with self.subTest(words=words):
                self.assertIn("true", self.complete(*words, "tru"))
        # The command's options are not clew's.
        self.assertNotIn("--libc", self.complete("record", "true", "--li"))
        self.assertNotIn("--libc", self.complete("record", "--", "true",
                                                 "--li"))
        (self.work / "argument").touch()
        self.assertIn("argument", self.complete("record", "--", "cat", "arg"))

    def test_unknown_commands_complete_nothing(self):
        self.assertEqual(self.complete("frobnicate", "--"), set())


@needs("bash")
class Bash(Common, Shell):
    def complete(self, *words):
        return self.ask(["bash", "--norc", HERE / "complete.bash",
                         FOLDER / "clew.bash", "clew", *words])

    def test_a_process_completes_instead_of_a_file(self):
        (self.work / "1.file").touch()
        self.assertLessEqual({"1", "1.file"}, self.complete("list", "1"))

    def test_several_sort_keys_complete(self):
        self.assertEqual(self.complete("report", "--sort=calls,na"),
                         {"calls,name"})

    def type(self, text, wanted):
        """Returns bash's version of text that is typed on a terminal."""
        leader, follower = pty.openpty()
        shell = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "-i"], stdin=follower,
            stdout=follower, stderr=follower, cwd=self.work,
            env={**self.environment, "TERM": "dumb", "PS1": "ready> ",
                 "INPUTRC": "/dev/null"})
        os.close(follower)
        self.addCleanup(os.close, leader)
        self.addCleanup(shell.wait)
        self.addCleanup(shell.kill)
        script = shlex.quote(str(FOLDER / "clew.bash"))
        self.read_until(leader, "ready> ")
        os.write(leader, f"source {script}; echo so''urced\n".encode())
        self.read_until(leader, "sourced")
        os.write(leader, text.encode())
        self.read_until(leader, wanted)

    def read_until(self, terminal, wanted):
        said, deadline = "", time.monotonic() + clewtest.TIMEOUT_S
        while wanted not in said:
            left = deadline - time.monotonic()
            self.assertTrue(left > 0 and select.select([terminal], [], [],
                                                       left)[0], said)
            said += os.read(terminal, 4096).decode(errors="replace")

    def test_completion_works_on_a_terminal(self):
        self.make_recording("a recording")
        self.type("clew rep\t--met\tti\ta\t",
                  "clew report --metric=time a\\ recording/")


@needs("zsh")
class Zsh(Common, Shell):
    def complete(self, *words):
        line = " ".join(["clew", *words])
        offered = self.ask(["zsh", "-f", HERE / "complete.zsh", FOLDER, line])
        # bash escapes the `?` of -?, which is a pattern
        return {one.replace("\\?", "?") for one in offered}


if __name__ == "__main__":
    clewtest.main()
