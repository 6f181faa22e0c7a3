#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The build and the installation are as small and self-contained as promised."""
import os
import re
import shutil
import unittest

from lib import clewtest, wire
from lib.clewtest import BUILD, LIBRARY, ROOT, target

OBJECTS = sorted(path for path in (BUILD / "preload").rglob("*.o")
                 if "place_in_blocks.dir" not in path.parts)


class Library(clewtest.Case):
    def words(self, *argv):
        done = self.run_program(argv, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split() for line in done.stdout.splitlines()]

    def test_library_needs_only_the_c_library(self):
        needed = [line[-1] for line in self.words("readelf", "-dW", LIBRARY)
                  if "(NEEDED)" in line]
        self.assertEqual(needed, ["[libc.so.6]"])

    def exported(self):
        return {line[-1].split("@")[0] for line in
                self.words("nm", "-D", "--defined-only", LIBRARY)}

    def test_library_exports_its_interface_and_the_table_of_fronts(self):
        fronts = []
        for name in ("preload/host/fronts.h",
                     f"arch/{os.uname().machine}/preload/host/libunwind.h"):
            table = (ROOT / name).read_text()
            begin, end = (re.search(rf"#define \w*{which}\(", table).start()
                          for which in ("FRONTS\w*", "NEXT_ONLY"))
            fronts += re.findall(r"\bX\((\w+), \w+\)", table[begin:end])
        self.assertTrue(fronts)
        self.assertEqual(len(fronts), len(set(fronts)))
        agent = {"Agent_OnLoad", *(
            f"Java_java_lang_ClewNatives_{name}"
            for name in ("enter", "exit", "caught", "passed", "word")), *(
            f"Java_org_clew_Recorded_{name}" for name in re.findall(
                r"native \w+ (\w+)\(", (
                    ROOT / "agent/java/org/clew/Recorded.java").read_text()))
        } if any(
            "jvm" in path.relative_to(BUILD).parts
            for path in OBJECTS) else set()
        attaching = {name for header in ("attachment.h", "probe_requests.h")
                     for name in re.findall(r'"(clew_\w+)"', (
                         ROOT / "wire" / header).read_text())}
        asked = clewtest.interface()
        self.assertTrue(attaching and asked)
        self.assertEqual(self.exported(), {*fronts, *attaching, *agent,
                                           *asked})

    def test_visible_symbols_of_objects_are_exported(self):
        visible = set()
        for line in self.words("readelf", "-sW", *OBJECTS):
            if len(line) == 8 and line[4] in ("GLOBAL", "WEAK") and \
                    line[5] in ("DEFAULT", "PROTECTED") and \
                    line[6].isdigit():
                visible.add(line[7])
        self.assertTrue(visible)
        self.assertEqual(visible, self.exported())

    def test_library_has_no_writable_and_executable_segment(self):
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
