#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The figures of clew-alloc equal those of a library that only counts
(counting_shim.c)."""
import signal
import struct

from lib import clewtest
from lib.clewtest import BUILD, CLEW, PYTHON, ROOT, needs, target
from lib.redis_client import run_redis

SCRIPT = ROOT / "scripts" / "clew-alloc"
SHIM = BUILD / "tests" / "targets" / "O2" / "libcounting_shim.so"
NAMES = ("allocations", "bytes", "live", "live_bytes")
USES_FIRST = """
#include <stdlib.h>
int first(void);
__attribute__((noinline)) void *allocates(void) { return malloc(100); }
int main(void)
{
	for (int i = 0; i < 50; i++)
		free(allocates());
	return !first();
}
"""


class Allocations(clewtest.Case):
    def setUp(self):
        super().setUp()
        self.shims = self.work / "shims"
        self.shims.mkdir()
        self.environment.update(
            CLEW=str(CLEW), CLEW_ALLOC=str(BUILD / "alloc" /
                                           "libclew-alloc.so"))

    def command(self, argv, options=(), *, with_shim=True):
        """Returns the command. clew-alloc calls the shim, so both see the same
        calls."""
        prefix = ["env", f"LD_PRELOAD={SHIM}", f"SHIM_DIR={self.shims}"]
        return [*(prefix if with_shim else []), SCRIPT, "-o",
                self.recording_path, *options, "--", *argv]

    def counted(self, pid):
        shim = self.shims / str(pid)
        return dict(zip(NAMES, struct.unpack("<4Q", shim.read_bytes())))

    def values(self, *options):
        report = self.clew_json("report", "--json", *options)
        return {one["name"]: one["total"] for one in report["values"]}

    def assert_equal_to_the_shim(self, processes):
        recording = self.recording()
        self.assertEqual(len(recording.parts), processes)
        for part in recording.parts:
            told = self.values(f"--process={part.pid}")
            with self.subTest(part=part.path.name):
                self.assertEqual({name: told[name] for name in NAMES},
                                 self.counted(part.pid))
                self.assertEqual(told["untracked"], 0)
                self.assertEqual(sum(count for name, count in told.items()
                                     if name.startswith("freed") and
                                     name != "freed_before"),
                                 told["allocations"] - told["live"])

    def check(self, how, status):
        program = [target("allocates"), how]
        native = self.run_program(program)
        recorded = self.run_program(self.command(program))
        self.assert_same_behaviour(native, recorded)
        self.assertEqual(native.returncode, status)
        self.assert_equal_to_the_shim(2)

    def own(self, value, *options):
        report = self.clew_json("report", "--json", f"--value={value}",
                                *options)
        return {row["name"]: row["self_value"] for row in report["functions"]
                if row["self_value"]}

    def test_another_library_may_be_initialized_first(self):
        """The loader initializes only one library before all others, and
        libpthread is that library before glibc 2.34. The constructor of
        clew-alloc then runs before that of clew."""
        library, program = self.work / "libfirst.so", self.work / "allocates"
        for argv, source in (
                (["-shared", "-fPIC", "-Wl,-z,initfirst", "-o", library],
                 "int first(void) { return 1; }"),
                (["-o", program, "-x", "none", library,
                  f"-Wl,-rpath,{self.work}"], USES_FIRST)):
            built = self.run_program(["gcc", "-x", "c", "-", *argv],
                                     input=source, text=True)
            self.assertEqual(built.returncode, 0, built.stderr)
        done = self.run_program(self.command([program], with_shim=False))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.own("allocations")["allocates"], 50)

    def test_allocations_of_cplusplus_are_counted(self):
        self.check("exit", 0)
        live = self.own("live_bytes")
        # These include leaks of the exit handler and of the child, minus the
        # blocks that they free.
        self.assertEqual(live["leaks"], 100 * (1000 + 3 * 10 + 5 + 3))
        self.assertEqual(live["aligns"], 640)
        self.assertNotIn("moves", live)
        self.assertNotIn("churns", live)
        self.assertEqual(self.own("allocations")["churns"], 2000 + 3 * 1000)
        self.assertEqual(self.own("bytes")["moves"], 70 + 55000)
        # Each context that calls the function counts.
        self.assertEqual(self.own("peak_bytes")["moves"], 10000)
        self.assertEqual(self.own("mapped_bytes")["maps"], 7 * 4096)
        self.assertEqual(self.own("mappings")["maps"], 1)

    def test_allocations_are_counted_without_an_exit(self):
        self.check("_exit", 0)
        self.assertEqual(self.own("live_bytes")["moves"], 10000)

    def test_allocations_are_counted_despite_a_crash(self):
        self.check("abort", -signal.SIGABRT)
        self.assertEqual(self.own("live_bytes")["moves"], 10000)

    def test_allocations_of_python_are_counted(self):
        """The program waits for its threads to exit, since they free memory
        after join() returns."""
        program = [PYTHON, "-c", "import json, os, threading\n"
                   "def f(): json.dumps([{str(i): i} for i in range(9999)])\n"
                   "threads = [threading.Thread(target=f) for _ in range(3)]\n"
                   "[t.start() for t in threads]; [t.join() for t in threads]\n"
                   "while len(os.listdir('/proc/self/task')) > 1: pass\n"
                   "print('done')"]
        native = self.run_program(program)
        recorded = self.run_program(self.command(program))
        self.assert_same_behaviour(native, recorded)
        self.assert_equal_to_the_shim(1)

    def test_allocations_of_an_executing_child_are_counted(self):
        done = self.run_program(self.command(
            ["/bin/sh", "-c", "/bin/echo one; exec /bin/echo two"]))
        self.assertEqual((done.stdout, done.stderr, done.returncode),
                         (b"one\ntwo\n", b"", 0))
        self.assertGreaterEqual(len(self.recording().parts), 2)
        self.assertGreater(self.values()["allocations"], 0)

    @needs("redis-server")
    def test_allocations_of_redis_are_counted(self):
        path = self.work / "redis"
        run_redis(self, self.command(
            ["redis-server", "--port", "0", "--save", "",
             "--unixsocket", path]), path)
        self.assert_equal_to_the_shim(1)

    def test_library_does_nothing_without_clew(self):
        native = self.run_program([target("allocates")])
        self.environment["LD_PRELOAD"] = self.environment["CLEW_ALLOC"]
        self.assert_same_behaviour(native,
                                   self.run_program([target("allocates")]))

    def test_library_functions_are_in_no_context(self):
        self.run_program(self.command([target("allocates")],
                                      with_shim=False))
        states = [module.state_name for part in self.recording().parts
                  for module in part.modules
                  if module.name == "libclew-alloc.so"]
        self.assertEqual(len(states), 2)
        self.assertNotIn("HOOKED", states)

    def test_usage_errors_are_reported(self):
        for arguments in [], ["true"]:
            with self.subTest(arguments=arguments):
                done = self.run_program([SCRIPT, *arguments], text=True)
                self.assertEqual(done.returncode, 2)
                self.assertIn("usage: clew-alloc", done.stderr)
        self.environment["CLEW_ALLOC"] = "/none"
        done = self.run_program([SCRIPT, "--", "true"], text=True)
        self.assertEqual(done.returncode, 127)
        self.assertIn("libclew-alloc.so was not found", done.stderr)


if __name__ == "__main__":
    clewtest.main()
