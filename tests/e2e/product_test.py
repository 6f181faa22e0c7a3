#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What is built and installed is as small and as self-contained as promised."""
import shutil
import unittest

import clewtest
import wire
from clewtest import BUILD, LIBRARY, ROOT, target


class Library(clewtest.Case):
    def words(self, *argv):
        done = self.run_program(argv, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split() for line in done.stdout.splitlines()]

    def test_needs_nothing_but_the_c_library(self):
        needed = [line[-1] for line in self.words("readelf", "-dW", LIBRARY)
                  if "(NEEDED)" in line]
        self.assertEqual(needed, ["[libc.so.6]"])

    def test_exports_only_what_its_map_names(self):
        exported = {line[-1].split("@")[0] for line in
                    self.words("nm", "-D", "--defined-only", LIBRARY)}
        exports = (ROOT / "preload" / "exports.map").read_text()
        wanted = set(exports.partition("local:")[0].replace(";", " ")
                     .replace("{", " ").replace("global:", " ").split())
        self.assertTrue(exported)
        self.assertEqual(exported, wanted)
        self.assertFalse([name for name in exported if name[:3] == "cs_"])

    def test_maps_nothing_writable_and_executable(self):
        for line in self.words("readelf", "-lW", LIBRARY):
            if line and line[0] in ("LOAD", "GNU_STACK"):
                flags = "".join(line[6:-1])
                self.assertTrue(flags.startswith("R"), line)
                self.assertFalse("W" in flags and "E" in flags, line)


class Installed(clewtest.Case):
    @unittest.skipUnless(shutil.which("cmake"), "no cmake here")
    def test_installed_clew_finds_its_library(self):
        prefix = self.work / "prefix"
        done = self.run_program(["cmake", "--install", BUILD, "--prefix",
                                 prefix], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        for path in "bin/clew", "share/man/man1/clew.1":
            self.assertTrue((prefix / path).is_file(), path)
        moved = self.work / "moved"
        prefix.rename(moved)
        done = self.run_program([moved / "bin" / "clew", "record", "-o",
                                 self.recording_path, "--", target("abi")],
                                text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(wire.Recording(self.recording_path).parts[0].counts())


if __name__ == "__main__":
    clewtest.main()
