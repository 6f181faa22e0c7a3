#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The commands in README.md, docs/reports.md and docs/guides print the output
shown.

If $CLEW_TRANSCRIPT is set, a test prints the full output of each command, for
new samples in a guide.
"""
import os
import unittest

from lib import clewtest, guide
from lib.clewtest import BUILD, ROOT, needs

GUIDES = ROOT / "docs" / "guides"
MOST_LINES = 120
MOST_NOT_RUN = 2


class Guides(clewtest.Case):
    def setUp(self):
        super().setUp()
        root = self.work / "root"
        done = self.run_program(["cmake", "--install", BUILD], text=True,
                                env={**self.environment, "DESTDIR": str(root)})
        self.assertEqual(done.returncode, 0, done.stderr)
        (command,) = root.rglob("bin/clew")
        self.environment |= {
            "PATH": f"{command.parent}:{os.environ['PATH']}",
            "HOME": str(self.work), "TERM": "xterm", "NO_COLOR": "1",
            "CLEW_PAGER": "", "LC_ALL": "C.UTF-8"}
        self.folder = self.work / "guide"
        self.folder.mkdir()

    def follow(self, path):
        """Writes the files of a guide and runs its commands in order."""
        text = guide.Guide(path)
        if os.geteuid() != 0 and any("clew attach" in command.text
                                     for command in text.commands()):
            self.skipTest("only root may attach everywhere")
        shell = guide.Shell(self.folder, self.environment)
        self.addCleanup(shell.close)
        for block in text.blocks:
            if block.language == "console":
                for command in block.commands():
                    if command.is_run:
                        self.run_command(shell, command)
            elif block.language != "text":
                self.assertIsNotNone(block.file_name(), block.lines[:2])
                self.write_file(block)

    def write_file(self, block):
        path = self.folder / block.file_name()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(block.lines) + "\n", encoding="utf-8")

    def run_command(self, shell, command):
        status, output = shell.run(command, clewtest.TIMEOUT_S)
        if "CLEW_TRANSCRIPT" in os.environ:
            print(f"$ {command.text}\n{output.strip()}", flush=True)
        if status is None:
            self.fail(f"does not end: {command.text}\n{output}")
        with self.subTest(command=command.text):
            self.assertEqual(status, command.status, output)
            self.assertEqual(command.unmatched(output), [], output)

    @needs("bash", "sqlite3", "redis-server", "javap")
    def test_commands_of_readme_work(self):
        self.follow(ROOT / "README.md")

    @needs("bash", "sqlite3", "jq")
    def test_commands_of_reports_work(self):
        self.follow(ROOT / "docs" / "reports.md")

    @needs("bash", "sqlite3")
    def test_commands_of_first_profile_work(self):
        self.follow(GUIDES / "first-profile.md")

    @needs("bash", "redis-server", "redis-benchmark")
    def test_commands_of_attach_in_production_work(self):
        self.follow(GUIDES / "attach-in-production.md")

    @needs("bash", "redis-server", "redis-benchmark", "unshare", "pgrep")
    def test_commands_of_containers_and_systemd_work(self):
        if self.run_program(["unshare", "-m", "-p", "-f", "true"]).returncode:
            self.skipTest("may make no namespaces here")
        self.follow(GUIDES / "containers-and-systemd.md")

    @needs("bash", "gcc")
    def test_commands_of_flight_recorder_work(self):
        self.follow(GUIDES / "flight-recorder.md")

    @needs("bash", "gcc", "java", "javac")
    def test_commands_of_java_and_jni_work(self):
        self.follow(GUIDES / "java-and-jni.md")

    @needs("bash", "gcc", "nm", "strip")
    def test_commands_of_probes_work(self):
        self.follow(GUIDES / "probes.md")

    @needs("bash", "gcc")
    def test_commands_of_allocations_and_locks_work(self):
        self.follow(GUIDES / "allocations-and-locks.md")

    @needs("bash", "gcc")
    def test_commands_of_comparing_builds_work(self):
        self.follow(GUIDES / "comparing-builds.md")

    @needs("bash", "sqlite3", "python3", "redis-server")
    def test_commands_of_stores_work(self):
        self.follow(GUIDES / "stores.md")

    @needs("bash", "gcc")
    def test_commands_of_continuous_integration_work(self):
        self.follow(GUIDES / "continuous-integration.md")


class Patterns(unittest.TestCase):
    """Lines of output that match a line of a guide, and lines that do not."""

    def matches(self, shown, printed, is_exact=False):
        return bool(guide.pattern(shown, is_exact).fullmatch(printed))

    def test_numbers_of_a_guide_may_differ(self):
        self.assertTrue(self.matches("65.4 ms  36.26% 29.1-43.9   10  f  [m]",
                                     "1,065 us 100.00% 2-4  600,003  f  [m]"))
        self.assertTrue(self.matches("at 0x12ab of ...", "at 0x7f of it all"))

    def test_words_of_a_guide_may_not_differ(self):
        self.assertFalse(self.matches("10 calls", "10 contexts"))
        self.assertFalse(self.matches("libx.so.0+0xf", "libx.so.1+0xf"))
        self.assertFalse(self.matches("f  [m]", "f  [m] and more"))

    def test_exact_counts_of_a_guide_may_not_differ(self):
        self.assertTrue(self.matches("1,000 f", "1,000  f", is_exact=True))
        self.assertFalse(self.matches("1,000 f", "1,001 f", is_exact=True))


class Pages(unittest.TestCase):
    def pages(self):
        found = sorted(GUIDES.glob("*.md"))
        self.assertGreater(len(found), 0)
        return found

    def test_each_guide_is_followed(self):
        tests = {name.removeprefix("test_").removeprefix("commands_of_")
                 .removesuffix("_work").replace("_", "-")
                 for name in dir(Guides) if name.startswith("test_")}
        self.assertEqual({page.stem for page in self.pages()} - tests, set())

    def test_each_command_is_in_a_block_that_is_run(self):
        not_run = []
        for page in (ROOT / "README.md", ROOT / "docs" / "reports.md",
                     *self.pages()):
            text = guide.Guide(page)
            self.assertEqual(text.stray_commands(), [], page.name)
            not_run += [command.text for command in text.commands()
                        if not command.is_run]
        self.assertLessEqual(len(not_run), MOST_NOT_RUN, not_run)

    def test_each_guide_is_short_and_says_where_to_read_on(self):
        for page in self.pages():
            lines = page.read_text(encoding="utf-8").splitlines()
            with self.subTest(page=page.name):
                self.assertLessEqual(len(lines), MOST_LINES)
                self.assertLessEqual(max(map(len, lines)), guide.COLUMNS)
                end = "\n".join(lines[-12:])
                self.assertIn("../../man/", end)
                self.assertIn("troubleshooting.md", end)


if __name__ == "__main__":
    clewtest.main()
