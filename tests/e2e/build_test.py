#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests the sources that a build needs and the version that it records."""
from lib import clewtest
from lib.clewtest import ROOT, needs


@needs("cmake", "git")
class Version(clewtest.Case):
    """Tests the version that cli/version.cmake writes for `clew --version`."""

    def setUp(self):
        super().setUp()
        self.sources = self.work / "sources"
        self.sources.mkdir()
        self.file = self.sources / "file"
        self.file.touch()
        self.environment.update(GIT_CEILING_DIRECTORIES=str(self.work),
                                GIT_CONFIG_GLOBAL="/dev/null")

    def git(self, *arguments):
        done = self.run_program(["git", "-c", "user.name=x", "-c",
                                 "user.email=x", *arguments], text=True,
                                cwd=self.sources)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def commit(self):
        self.git("add", "file")
        self.git("commit", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD")[:12]

    def version(self, sources):
        output = self.work / "version.c"
        done = self.run_program(
            ["cmake", "-DVERSION=1.2", f"-DSOURCES={sources}",
             f"-DOUTPUT={output}", "-P", ROOT / "cli/version.cmake"],
            text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return output.read_text().split('"')[1]

    def test_version_in_a_repository_names_the_commit(self):
        self.git("init")
        first = self.commit()
        self.assertEqual(self.version(self.sources), f"clew 1.2 ({first})")
        written = (self.work / "version.c").stat().st_mtime_ns
        self.git("tag", "v1")
        self.assertEqual(self.version(self.sources), f"clew 1.2 ({first})")
        self.assertEqual((self.work / "version.c").stat().st_mtime_ns,
                         written)
        second = self.commit()
        self.assertEqual(self.version(self.sources), f"clew 1.2 ({second})")
        self.file.write_text("other")
        self.assertEqual(self.version(self.sources),
                         f"clew 1.2 ({second}-dirty)")

    def test_version_outside_of_a_repository_has_no_commit(self):
        self.assertEqual(self.version(self.sources), "clew 1.2")

    def test_version_ignores_a_surrounding_repository(self):
        self.git("init")
        self.commit()
        inner = self.sources / "inner"
        inner.mkdir()
        self.assertEqual(self.version(inner), "clew 1.2")


@needs("cmake", "cc", "protoc-c", "make")
class Configured(clewtest.Case):
    def test_configuring_without_cmocka_reports_that_tests_are_omitted(self):
        done = self.run_program(["cmake", "-S", ROOT, "-B", self.work / "b",
                                 "-DCMOCKA_LIBRARY="], text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout,
                         "(?m)^-- Tests are not built, for want of libcmocka$")
        listed = self.run_program(["ctest", "--test-dir", self.work / "b",
                                   "-N"], text=True)
        self.assertIn("Total Tests: 0", listed.stdout)


if __name__ == "__main__":
    clewtest.main()
