#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Unwinders and debuggers see the native frames of a recorded program."""
import contextlib
import os
import pathlib
import re
import resource
import select
import shutil
import signal
import subprocess
import tempfile
import unittest

from lib import clewtest
from lib.clewtest import flavours_of, needs, target

# The calls of waits.c, from the innermost on, without libc's own frames.
STACK = ["bottom", "level", "level", "level", "level", "compare", "main"]

# Space for the shadow of a stack, trampolines, and the like.
CORE_MORE = 10 << 20


def is_built(name):
    return unittest.skipUnless(pathlib.Path(target(name)).exists(),
                               f"{name} is not built: libunwind-dev is missing")


def program_frames(names):
    return [name for name in names if name in STACK]


class Inside(clewtest.Case):
    """The program unwinds its own stack, or ends because of an exception."""

    @is_built("unwinders")
    def test_every_unwinder_shows_the_same_frames(self):
        for flavour in flavours_of("unwinders"):
            for options in [], ["--libc"]:
                with self.subTest(flavour=flavour, options=options):
                    argv = [target("unwinders", flavour)]
                    native = self.run_program(argv, text=True)
                    self.assertEqual(native.stdout.count("unw_step"), 4)
                    self.assert_same_behaviour(
                        native, self.record(argv, options, text=True))
                    self.assertTrue(self.recording().parts[0].counts())

    def test_handlers_see_where_displaced_instructions_are(self):
        """If displaced instructions fault or call, the frame has the function's name."""
        for flavour in flavours_of("crashes"):
            argv = [target("crashes", flavour)]
            native = self.run_program(argv, text=True)
            self.assertEqual(native.stdout.count(" of "), 5, native.stderr)
            for name in "reads_at_once", "reads_after_push":
                self.assertEqual(native.stdout.count(f"{name} {name} "), 2)
            for options in ([], ["--time=exact"], ["--trace"],
                            ["--no-prelinking"]):
                with self.subTest(flavour=flavour, options=options):
                    self.assert_same_behaviour(
                        native, self.record(argv, options, text=True))
                    coverage = self.clew_json(
                        "report", "--json", self.recording_path)["coverage"]
                    self.assertGreater(coverage["hooked"], 3)
                    self.assertEqual(coverage["hooked"], coverage["eligible"])

    def test_an_unwinder_that_is_not_there_finds_no_frames(self):
        """The program's weak references to an unwinder find clew's wrappers, with no
        unwinder behind them.
        """
        self.look_for_an_unwinder()

    def test_unwinder_is_found_while_libraries_load(self):
        self.look_for_an_unwinder(target("libplugin_a.so"),
                                  target("libplugin_b.so"))

    def look_for_an_unwinder(self, *libraries):
        argv = [target("weak"), *libraries]
        native = self.run_program(argv)
        self.assertEqual(native.stdout, b"0 frames\n")
        self.assert_same_behaviour(native, self.record(argv))

    def test_uncaught_exceptions_end_as_they_do_natively(self):
        for flavour in flavours_of("terminates"):
            for way in "noexcept", "uncaught", "thread", "handler":
                with self.subTest(flavour=flavour, way=way):
                    argv = [target("terminates", flavour), way]
                    native = self.run_program(argv)
                    expected = 7 if way == "handler" else -signal.SIGABRT
                    self.assertEqual(native.returncode, expected)
                    recorded = self.record(argv)
                    # clew's own exit status stands for the signal.
                    self.assertEqual(native.stdout, recorded.stdout)
                    self.assertEqual(native.stderr, recorded.stderr)
                    self.assertIn(recorded.returncode,
                                  (expected, 128 - expected))


class Outside(clewtest.Case):
    """A debugger unwinds waits.c, which waits in its innermost call."""

    @contextlib.contextmanager
    def waiting(self, flavour="O2"):
        """Yields the pid of a recorded process that waits."""
        with subprocess.Popen(
                [str(a) for a in self.record_command([target("waits",
                                                             flavour)])],
                env=self.environment, cwd=self.work,
                stdout=subprocess.PIPE, text=True) as clew:
            pid = None
            try:
                ready, _, _ = select.select([clew.stdout], [], [], 60)
                self.assertTrue(ready, "the program did not get there")
                self.assertEqual(clew.stdout.readline(), "ready\n")
                pid = self.recording().parts[0].pid
                yield pid
            finally:
                if pid:
                    os.kill(pid, signal.SIGKILL)
                clew.kill()

    def look(self, argv):
        looked = self.run_program(argv, text=True, timeout=120)
        if "ptrace" in looked.stderr and "not permitted" in looked.stderr:
            self.skipTest("ptrace is not permitted here")
        self.assertTrue(looked.stdout, looked.stderr)
        return looked.stdout

    @needs("gdb")
    def test_gdb_unwinds_an_attached_process(self):
        for flavour in flavours_of("waits"):
            with self.subTest(flavour=flavour), self.waiting(flavour) as pid:
                shown = self.look(["gdb", "-batch", "-nx", "-p", str(pid),
                                   "-ex", "bt"])
                names = re.findall(r"^#\d+ .*?(?:in )?(\w+) \(", shown, re.M)
                self.assertEqual(program_frames(names), STACK, shown)

    @needs("gdb")
    def test_gdb_reads_core_files(self):
        """Core files contain all that unwinders need, and are hardly larger than native ones."""
        for flavour in flavours_of("waits"):
            native = self.core_of([target("waits", flavour)])
            for options in [], ["--no-prelinking"], ["--time=exact"]:
                with self.subTest(flavour=flavour, options=options):
                    core = self.core_of(self.record_command(
                        [target("waits", flavour)], options))
                    self.assertLess(core.stat().st_size,
                                    native.stat().st_size + CORE_MORE)
                    shown = self.look(["gdb", "-batch", "-nx", "-ex", "bt",
                                       target("waits", flavour), core])
                    names = re.findall(r"^#\d+ .*?(?:in )?(\w+) \(", shown,
                                       re.M)
                    self.assertEqual(program_frames(names), STACK, shown)

    def core_of(self, argv):
        """Returns the core file of waits, which is killed while it waits."""
        pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text(
            encoding="ascii")
        if pattern[0] in "|/":
            self.skipTest("core files go elsewhere")
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.work))

        def allow():
            hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
            resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))

        with subprocess.Popen([str(a) for a in argv], env=self.environment,
                              cwd=folder, preexec_fn=allow,
                              stdout=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            pid = process.pid if "record" not in argv else \
                self.recording().parts[0].pid
            os.kill(pid, signal.SIGQUIT)
        cores = list(folder.glob("*core*"))
        if not cores:
            self.skipTest("no core files are written here")
        return cores[0]

    @needs("gdb")
    def test_gdb_finds_the_blocks_by_its_jit_interface(self):
        """If the file of stubs is missing, gdb uses the list of its JIT interface."""
        with self.waiting() as pid:
            for file in self.recording_path.glob("*.stubs"):
                file.unlink()
            shown = self.look(["gdb", "-batch", "-nx", "-p", str(pid),
                               "-ex", "bt"])
            names = re.findall(r"^#\d+ .*?(?:in )?(\w+) \(", shown, re.M)
            self.assertEqual(program_frames(names), STACK, shown)

    @needs("gdb")
    def test_gdb_unwinds_a_program_that_it_starts(self):
        shown = self.run_program(
            ["gdb", "-batch", "-nx", "-ex", "set breakpoint pending on",
             "-ex", "set follow-fork-mode child",
             "-ex", "break bottom", "-ex", "run", "-ex", "bt", "-ex", "kill",
             "--args", *self.record_command([target("waits")])],
            text=True, timeout=120).stdout
        names = re.findall(r"^#\d+ .*?(?:in )?(\w+) \(", shown, re.M)
        self.assertEqual(program_frames(names), STACK, shown)

    @needs("eu-stack")
    def test_eu_stack_unwinds(self):
        with self.waiting() as pid:
            shown = self.look(["eu-stack", "-p", str(pid)])
            names = re.findall(r"^#\d+ +0x[0-9a-f]+ (\w+)", shown, re.M)
            self.assertEqual(program_frames(names), STACK, shown)

    @is_built("remote")
    def test_libunwind_unwinds_from_outside(self):
        with self.waiting() as pid:
            shown = self.look([target("remote"), str(pid)])
            self.assertEqual(program_frames(shown.split()), STACK, shown)

    def test_additional_frames_are_those_of_stubs(self):
        """Each hooked function has one additional frame, with a name that explains it."""
        if not pathlib.Path(target("remote")).exists():
            self.skipTest("remote is not built: libunwind-dev is missing")
        with self.waiting() as pid:
            names = self.look([target("remote"), str(pid)]).split()
            self.assertEqual(names.count("clew_stubs"), len(STACK))


@needs("setarch")
class OutsideMapped(Outside):
    """The program's text is mapped from the cache. Address randomization is off.
    Otherwise the stubs may be at another distance from the text, which needs another
    cached file.
    """

    def record_command(self, *arguments, **options):
        return ["setarch", "-R", *super().record_command(*arguments,
                                                         **options)]

    def setUp(self):
        super().setUp()
        self.environment["XDG_CACHE_HOME"] = str(self.work / "cache")

    @contextlib.contextmanager
    def waiting(self, flavour="O2"):
        with super().waiting(flavour):
            pass
        shutil.rmtree(self.recording_path)
        with super().waiting(flavour) as pid:
            maps = pathlib.Path(f"/proc/{pid}/maps").read_text("utf-8")
            self.assertRegex(maps, r"r-xp .*\.hooked\n")
            yield pid


class Perf(clewtest.Case):
    @needs("perf")
    def test_perf_takes_stacks_of_a_hooked_program(self):
        data = self.work / "perf.data"
        perf = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "200",
                "--call-graph", "dwarf", "-o", data, "--"]
        if self.run_program([*perf, "true"]).returncode:
            self.skipTest("perf may not record here")
        argv = [target("waits"), "works"]
        done = self.run_program([*perf, *self.record_command(argv)])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, b"ready\n")
        shown = self.run_program(["perf", "script", "-i", data],
                                 text=True).stdout
        self.assertIn("bottom", shown)
        self.assertTrue(self.recording().parts[0].counts())


if __name__ == "__main__":
    clewtest.main()
