#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""In a process with very many libraries, clew's work grows linearly with their number."""
import hashlib
import os
import re
import signal
import subprocess

from lib import clewtest
from lib.attached import Attached, children
from lib.clewtest import CLEW, needs, slow, unless_sanitized

LIBRARY = """
    __attribute__((noipa)) long leaf(long n) { return n * n + 3 * n + 1; }
    long run(long n) { return leaf(n) + leaf(n + 1); }
"""

# Calls run() of each library once for each line that it reads.
PROGRAM = """
    #include <dlfcn.h>
    #include <stdio.h>
    #include <stdlib.h>
    int main(int argc, char **argv)
    {
        int n = atoi(argv[1]);
        long (**run)(long) = calloc((size_t)n, sizeof(*run)), sum = 0;
        char text[64];

        for (int i = 0; i < n; i++) {
            snprintf(text, sizeof(text), "./lib%05d.so", i);
            run[i] = dlsym(dlopen(text, RTLD_NOW), "run");
        }
        puts("ready");
        fflush(stdout);
        while (fgets(text, sizeof(text), stdin)) {
            for (int i = 0; i < n; i++)
                sum += run[i](i);
            printf("%ld\\n", sum);
            fflush(stdout);
        }
        return 0;
    }
"""


@needs("gcc")
class ManyLibraries(Attached):
    def build(self, count):
        """Builds `count` libraries, which differ in their names and build-ids."""
        (self.work / "library.c").write_text(LIBRARY)
        (self.work / "program.c").write_text(PROGRAM)
        for argv in (["-shared", "-fPIC", "-Wl,-soname,lib#####.so",
                      "-Wl,--build-id=sha1", "-o", "library", "library.c"],
                     ["-o", "program", "program.c", "-ldl"]):
            done = self.run_program(["gcc", "-O2", *argv])
            self.assertEqual(done.returncode, 0, done.stderr)
        library = (self.work / "library").read_bytes()
        note = library.index(b"\3\0\0\0GNU\0") + 8
        for i in range(count):
            build_id = hashlib.sha1(b"%d" % i).digest()
            copy = library[:note] + build_id + library[note + 20:]
            (self.work / f"lib{i:05}.so").write_bytes(
                copy.replace(b"lib#####.so", b"lib%05d.so" % i))
        self.count = count

    def begin(self, count):
        self.build(count)
        self.start_to_talk(self.work / "program", count)
        self.assertEqual(self.process.stdout.readline(), "ready\n")

    def call_all(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.assertNotEqual(self.process.stdout.readline(), "")

    def assert_all_are_counted(self, rounds):
        report = self.clew_json("report", "--json", self.recording_path)
        calls = {}
        for function in report["functions"]:
            calls.setdefault(function["name"], []).append(function["calls"])
        self.assertEqual(calls["run"], [rounds] * self.count)
        self.assertEqual(calls["leaf"], [2 * rounds] * self.count)

    def attach_once(self, *options, wrapper=()):
        """Attaches, and calls all libraries. Returns the CPU seconds of clew."""
        controller = subprocess.Popen(
            [*wrapper, CLEW, "attach", "-o", self.recording_path, *options,
             str(self.process.pid)], cwd=self.work, env=self.environment,
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(controller.stderr.close)
        self.assertIn("attached to", controller.stderr.readline())
        self.call_all()
        clew = controller.pid
        if wrapper:
            (clew,) = children(controller.pid)
        os.kill(clew, signal.SIGINT)
        said = controller.stderr.read()
        _, status, usage = os.wait4(controller.pid, 0)
        controller.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(controller.returncode, 0, said)
        self.assert_as_before(self.process)
        self.assert_all_are_counted(1)
        return usage.ru_utime + usage.ru_stime

    @needs("strace")
    @unless_sanitized
    def test_attach_opens_each_library_a_few_times(self):
        """clew does not open a library once for each stopped thread. O_PATH is not counted."""
        self.begin(200)
        log = self.work / "log"
        self.attach_once(wrapper=["strace", "-f", "-e", "trace=openat", "-o",
                                  log])
        opened = re.findall(r"(?:map_files/|lib\d{5}\.so)(?!.*O_PATH)",
                            log.read_text())
        self.assertGreater(len(opened), 200)
        self.assertLess(len(opened), 10 * 200)

    @slow
    @unless_sanitized
    def test_attach_to_2100_libraries_takes_seconds(self):
        """Without --no-cache, storing the analyses would measure the file system."""
        self.begin(2100)
        self.assertLess(self.attach_once("--no-cache"), 16)

    def test_functions_of_200_libraries_are_recorded(self):
        self.build(200)
        done = self.record([self.work / "program", 200], input=b"\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_all_are_counted(1)

    @needs("strace")
    @unless_sanitized
    def test_dlopen_does_not_read_all_mappings(self):
        """Otherwise each dlopen() would take longer, the more libraries are loaded."""
        self.build(200)
        log = self.work / "log"
        done = self.run_program(
            ["strace", "-f", "-y", "-e", "trace=read", "-o", log, CLEW,
             "record", "-o", self.recording_path, self.work / "program",
             "200"], input=b"\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_all_are_counted(1)
        reads = re.findall(r"/maps>, .* = [1-9]", log.read_text())
        self.assertLess(len(reads), 5 * 200)


if __name__ == "__main__":
    clewtest.main()
