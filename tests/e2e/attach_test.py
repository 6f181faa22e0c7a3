#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach` counts calls of a running process for a while, and restores
it."""
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import time

from lib import clewtest
from lib.attached import (PATIENCE_S, Attached, CountingTarget,
                          ManyThreadsCase)
from lib.clewtest import (CLEW, PYTHON, kill_with_guardian, needs, slow,
                          target, until)


class Counts(CountingTarget):
    def test_exceptions_jumps_and_signals_are_counted_exactly(self):
        self.check_exact_counts()

    def test_attached_process_folds_recursion(self):
        self.is_recorded_exactly("--time", "none", "--fold-recursion")

    def test_attached_process_is_counted_with_each_kind_of_time(self):
        for kind in ("cpu", "wall", "exact"):
            with self.subTest(kind):
                self.is_recorded_exactly("--time", kind)

    def test_tallies_of_waiting_threads_end_with_their_session(self):
        """A session by the wall clock makes tallies for threads that wait."""
        self.hold()
        for _ in range(2):
            controller = self.attach(self.process, "--time", "wall")
            self.assertTrue(until(lambda: self.clew(
                "dump", self.recording_path).stdout.count("\ntally number=") >
                self.THREADS))
            self.detach(controller)
            self.is_recorded_exactly("--time", "exact")

    def test_counts_are_bounded_under_load(self):
        """Attaches and detaches while all threads run; the counts lie within
        bounds."""
        self.let_go()
        for _ in range(3):
            before = self.counted()
            controller = self.attach(self.process)
            at_least = self.counted()
            self.let_go()
            now = self.counted()
            self.detach(controller)
            after, calls = self.counted(), self.calls(may_throw=True)
            for name in after:
                self.assertGreaterEqual(calls[name] + self.THREADS,
                                        now[name] - at_least[name], name)
                self.assertLessEqual(calls[name],
                                     after[name] - before[name], name)
            self.assert_as_before(self.process)
        self.assertEqual(self.word(2), 0, "wrong answers")

    def test_process_survives_a_killed_controller(self):
        self.check_killed_controller()

    def test_controller_may_be_killed_at_any_moment(self):
        self.check_killed_at_any_moment()

    def test_a_process_that_never_began_ran_for_no_time(self):
        """The controller is killed while it prepares the process."""
        for _ in range(3):
            shutil.rmtree(self.recording_path, ignore_errors=True)
            controller = subprocess.Popen(
                [CLEW, "attach", "-o", self.recording_path,
                 str(self.process.pid)], cwd=self.work, env=self.environment,
                stderr=subprocess.DEVNULL)
            self.assertTrue(until(
                lambda: list(self.recording_path.glob("*.part"))))
            kill_with_guardian(controller)
            self.clew("detach", self.process.pid)
            (part,) = self.recording_path.glob("*.part")
            words = dict(word.split("=", 1) for word in self.clew(
                "dump", part).stdout.split() if "=" in word)
            self.assertLess(int(words["latest_ns"]) - int(words["first_ns"]),
                            PATIENCE_S * 10**9)
            self.assert_as_before(self.process)

    def test_two_attaches_at_once_are_refused(self):
        controller = self.attach(self.process)
        other = self.clew("attach", "-o", self.work / "other",
                          self.process.pid)
        self.assert_one_line_error(other, "another clew", self.process.pid)
        self.assert_one_line_error(self.clew("detach", self.process.pid),
                                   "another clew")
        self.detach(controller)

    def test_controller_reports_the_exit_of_the_process(self):
        controller = self.attach(self.process, "--time", "none")
        self.let_go()
        self.process.kill()
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 0, said)
        self.assertIn("has exited", said)
        self.assertGreater(self.calls()["attached_leaf"], 200)


class ManyThreads(ManyThreadsCase):
    @slow
    def test_64_threads_survive_repeated_sessions(self):
        self.check_repeated_sessions()


class BusyThreads(ManyThreadsCase):
    """Nine threads get more CPU time each than 64 do, so samples occur at more
    points."""
    CYCLES = 15
    THREADS = 8

    @slow
    def test_nine_threads_survive_repeated_sessions(self):
        self.check_repeated_sessions()


def deep(top, levels):
    """Returns the contexts below a recursion that was entered once before the
    session and once during it."""
    calls = {}
    for _ in range(levels):
        top += ("inside_deep",)
        calls[top] = 1
        calls[top + ("inside_leaf",)] = 2
    return {**calls, top + ("inside_hold",): 1}


def recursion(top):
    top += ("inside_recursion",)
    return {top: 1, top + ("inside_leaf",): 2, **deep(top, 21)}


class Inside(Attached):
    """Active functions are the calling context of their callees, and return
    normally."""
    RULES = ("-f", "^(inside_.*|main)$")
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.process, self.memory = self.shared("inside", [target("inside")])
        self.assertTrue(until(lambda: self.word(4) == 6))

    def word(self, i):
        return struct.unpack_from("<Q", self.memory, 8 * i)[0]

    def go_on(self):
        """Lets all threads return from their active functions, and call once
        more."""
        struct.pack_into("<Q", self.memory, 8, 1)
        self.assertTrue(until(lambda: self.word(3) == 6))
        self.assertEqual(self.word(2), 0, "wrong answers")

    def attach(self, process, *options):
        return super().attach(process, *self.RULES, *options)

    def contexts(self):
        """Returns {path: calls}; a function that was already active has
        none."""
        tree = self.clew_json("tree", "--json", self.recording_path)
        self.assertEqual(tree["problems"], [])
        self.assertEqual(tree["lost"], {})
        self.assertEqual(tree["confidence"]["diverged"], 0)
        names = [f["name"] for f in tree["functions"]]
        paths = {0: ()}
        found = {}
        for node in tree["contexts"]:
            paths[node["id"]] = paths[node["parent"]] + \
                (names[node["function"]],)
            if paths[node["id"]][-1].startswith(("main", "inside_")):
                found[paths[node["id"]]] = node["calls"]
        return found

    @staticmethod
    def expected():
        """Returns the expected contexts. A function whose destructors an
        exception runs keeps its return address, so until it returns its callees
        count below its caller."""
        run = ("inside_run",)
        handled = run + ("inside_signalled",)
        caught = run + ("inside_catcher",)
        cleaned = run + ("inside_outer", "inside_cleaned")
        landed = run + ("inside_lander",)
        return {
            run: 0, run + ("inside_leaf",): 5, **recursion(run),
            handled: 1, handled + ("inside_leaf",): 2,
            handled + ("inside_handler",): 1,
            **deep(handled + ("inside_handler",), 3),
            caught: 1, caught + ("inside_leaf",): 4,
            caught + ("inside_thrower",): 1,
            caught + ("inside_thrower", "inside_hold"): 1,
            cleaned[:2]: 1, cleaned[:2] + ("inside_leaf",): 5,
            cleaned: 1, cleaned + ("inside_raiser",): 1,
            cleaned + ("inside_leaf",): 1, cleaned + ("inside_hold",): 1,
            landed: 1, landed + ("inside_leaf",): 2,
            landed + ("inside_jumper",): 1,
            landed + ("inside_jumper", "inside_hold"): 1,
            ("main",): 0, ("main",) + run: 0,
            ("main",) + run + ("inside_leaf",): 1, **recursion(("main",) + run),
        }

    WAITS = "inside_run", "inside_outer", "inside_hold"

    def is_recorded_whole(self, *options):
        controller = self.attach(self.process, *options)
        self.go_on()
        self.detach(controller)
        found = self.contexts()
        # A sample may hit the function that waits when clew attaches.
        if "none" not in options:
            self.assertEqual(found.pop(self.WAITS, 0), 0)
        self.assertEqual(found, self.expected())
        self.assert_as_before(self.process)

    def test_active_functions_return_in_all_ways(self):
        self.is_recorded_whole("--time", "none")

    def test_sampled_active_functions_return_in_all_ways(self):
        self.is_recorded_whole("--time", "wall")

    def test_active_functions_agree_with_verification(self):
        self.is_recorded_whole("--time", "cpu", "--verify-period", "1")
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertGreater(report["confidence"]["verified"], 100)

    def test_active_functions_have_exact_times_since_attaching(self):
        """Functions that were already active have their time from the
        attachment on."""
        controller = self.attach(self.process, "--time", "exact")
        start_ns = time.monotonic_ns()
        waited_ns = 50_000_000
        self.assertTrue(until(
            lambda: time.monotonic_ns() - start_ns > waited_ns))
        self.go_on()
        self.detach(controller)
        self.assertEqual(self.contexts(), {
            **self.expected(), ("inside_run", "inside_outer", "inside_hold"): 0})
        tree = self.clew_json("tree", "--json", self.recording_path)
        for node in (n for n in tree["contexts"] if not n["parent"]):
            self.assertEqual(node["calls"], 0)
            self.assertGreater(node["below_ns"], waited_ns)

    def test_active_functions_survive_repeated_sessions(self):
        """A detached process has no addresses of clew on its stacks."""
        for _ in range(3):
            self.detach(self.attach(self.process, "--time", "none"))
            self.assertEqual(self.contexts(), {})
        controller = self.attach(self.process, "--time", "none")
        self.go_on()
        self.detach(controller)
        self.assertEqual(self.contexts(), self.expected())

    def test_functions_that_are_never_left_allow_detaching(self):
        self.detach(self.attach(self.process, "--time", "none"))
        self.go_on()
        self.assert_as_before(self.process)

    def test_active_functions_survive_a_killed_controller(self):
        controller = self.attach(self.process, "--time", "none")
        kill_with_guardian(controller)
        self.go_on()
        done = self.clew("detach", self.process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.contexts(), self.expected())
        self.assert_as_before(self.process)

    def test_active_functions_survive_a_controller_killed_at_any_moment(self):
        for i in range(12):
            controller = subprocess.Popen(
                [CLEW, "attach", "-o", self.recording_path, *self.RULES,
                 str(self.process.pid)], cwd=self.work, env=self.environment,
                stderr=subprocess.DEVNULL)
            try:
                controller.wait(.01 * (i + 1))
            except subprocess.TimeoutExpired:
                kill_with_guardian(controller)
            if i % 2:
                self.clew("detach", self.process.pid)
        self.go_on()
        self.clew("detach", self.process.pid)
        self.assert_as_before(self.process)


class Blocked(Attached):
    def test_waiting_system_calls_continue(self):
        """No call returns early or with a spurious signal; each signal arrives
        once."""
        process, memory = self.shared("blocked", [target("blocked")])

        def word(i):
            return struct.unpack_from("<Q", memory, 8 * i)[0]

        sent = 0
        for _ in range(3):
            controller = self.attach(process, "--time", "none")
            for _ in range(10):
                os.kill(process.pid, signal.SIGRTMIN + 1)
                sent += 1
            self.detach(controller)
        waits = [word(4 + i) for i in range(6)]
        self.assertTrue(until(lambda: all(
            word(4 + i) > waits[i] + 1 for i in range(6))))
        self.assertEqual(word(1), 0, f"way {word(2)}, errno {word(3)}")
        self.assertTrue(until(lambda: word(12) == sent),
                        f"{word(12)} of {sent} signals")
        self.assert_as_before(process)


PYTHON_LOAD = """
import hashlib, os, signal, sys
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
asked = []
signal.signal(signal.SIGUSR1, lambda *_: asked.append(1))
rounds = 0
while True:
    assert fib(12) == 144
    assert hashlib.sha256(b"x").hexdigest().startswith("2d711642")
    try: [][rounds]
    except IndexError: pass
    if asked:
        import _decimal
        assert str(_decimal.Decimal(1) / 4) == "0.25"
        asked.pop()
        child = os.fork()
        if not child:
            os._exit(fib(10))
        assert os.waitpid(child, 0)[1] >> 8 == 55
        print("asked", flush=True)
    rounds += 1
    if rounds == 5:
        print("ready", flush=True)
"""

READS_LIBC = """
import mmap, sys
def mappings():
    return [line.split() for line in open("/proc/self/maps")
            if line.endswith("/libc.so.6\\n")]
loaded, kept = mappings()[0], []
file = open(loaded[-1], "rb")
while mappings()[0] == loaded:
    kept.append(mmap.mmap(file.fileno(), 1 << 20, prot=mmap.PROT_READ,
                          offset=int(sys.argv[1])))
print("ready", flush=True)
sys.stdin.read()
"""


class Programs(Attached):
    def test_program_that_maps_its_c_library_as_data_is_recorded(self):
        for offset in "0", "4096":
            with self.subTest(offset=offset):
                process = self.start([PYTHON, "-c", READS_LIBC, offset],
                                     stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE)
                self.addCleanup(process.stdin.close)
                self.addCleanup(process.stdout.close)
                self.assertEqual(process.stdout.readline(), b"ready\n")
                self.detach(self.attach(process))
                self.assert_as_before(process)

    def test_process_with_the_file_names_of_an_older_glibc_is_recorded(self):
        """Before glibc 2.34, the name libc.so.6 is a symbolic link."""
        libc = next(line.split()[-1] for line in open("/proc/self/maps")
                    if line.endswith("/libc.so.6\n"))
        shutil.copy(libc, self.work / "libc-2.31.so")
        (self.work / "libc.so.6").symlink_to("libc-2.31.so")
        process = self.start(
            [PYTHON, "-c", "print('ready', flush=True); input()"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**self.environment, "LD_LIBRARY_PATH": str(self.work)})
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        maps = pathlib.Path(f"/proc/{process.pid}/maps").read_text()
        self.assertIn("/libc-2.31.so\n", maps)
        self.assertNotIn("/libc.so.6\n", maps)
        self.detach(self.attach(process))
        self.assert_as_before(process)

    def test_libraries_and_children_of_an_attached_python_are_recorded(self):
        """A library loaded during the session is hooked, and a child is
        recorded."""
        process = self.start([PYTHON, "-c", PYTHON_LOAD],
                             stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        controller = self.attach(process)
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(process.stdout.readline(), b"asked\n")
        self.detach(controller)
        report = self.clew_json("report", "--json", self.recording_path)
        modules = {pathlib.Path(f.get("module", "")).name.split(".")[0]
                   for f in report["functions"]}
        self.assertIn("_decimal", modules)
        self.assertEqual(report["total"]["processes"], 2)
        self.assert_as_before(process)
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(process.stdout.readline(), b"asked\n")
        self.assertIsNone(process.poll())

    def test_suspended_coroutine_throws_after_detaching(self):
        """The suspended coroutine is on no thread's stack, and throws after
        clew has detached."""
        source, program = self.work / "coroutine.cc", self.work / "coroutine"
        source.write_text(COROUTINE)
        built = self.run_program(["c++", "-O1", "-o", program, source])
        self.assertEqual(built.returncode, 0, built.stderr)
        for argv in ([program], [program, "in .bss"]):
            with self.subTest(argv):
                process = self.start(argv, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE)
                self.addCleanup(process.stdin.close)
                self.addCleanup(process.stdout.close)
                self.assertEqual(process.stdout.readline(), b"suspended\n")
                for _ in range(3):
                    controller = self.attach(process)
                    self.resume(process)
                    self.detach(controller)
                    self.assert_as_before(process)
                    self.resume(process)

    def resume(self, process):
        process.stdin.write(b"\n")
        process.stdin.flush()
        for line in (b"caught\n", b"suspended\n"):
            self.assertEqual(process.stdout.readline(), line)

    def test_a_process_can_execute_another_program(self):
        self.executes("read line; exec sleep 1000")

    def test_a_session_ends_while_another_program_is_loaded(self):
        """The loader of the new program waits for a library."""
        os.mkfifo(self.work / "library")
        self.executes("read line; LD_PRELOAD=$PWD/library exec sleep 1000")

    def executes(self, script):
        process = self.start(["sh", "-c", f"echo ready; {script}"],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        controller = self.attach(process)
        process.stdin.write(b"\n")
        process.stdin.flush()
        self.assertTrue(until(lambda: "sleep" in os.readlink(
            f"/proc/{process.pid}/exe") or "coreutils" in os.readlink(
                f"/proc/{process.pid}/exe")))
        controller.send_signal(signal.SIGINT)
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 0, said)
        self.assertIn("executed another program", said)
        self.assertIsNone(process.poll())

    @needs("redis-server", "redis-cli")
    def test_redis_answers_under_load_while_attached(self):
        server, socket = self.redis()
        load = self.start(
            ["redis-benchmark", "-s", socket, "-q", "-c", "8", "-n",
             "100000000", "-t", "set,get"], stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        self.addCleanup(load.stderr.close)

        def answer(*words):
            return self.run_program(["redis-cli", "-s", socket, *words],
                                    text=True).stdout.strip()

        for i in range(3):
            controller = self.attach(server)
            self.assertEqual(answer("set", "key", i), "OK")
            self.assertEqual(answer("get", "key"), str(i))
            self.detach(controller)
            self.assert_as_before(server)
            self.assertGreater(self.calls().get("processCommand", 0), 1)
        self.assertIsNone(load.poll())


COROUTINE = """
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <ucontext.h>

static ucontext_t first, second;
static char memory[262144];

__attribute__((noinline)) static void descend(int depth)
{
	if (depth)
		descend(depth - 1);
	else
		swapcontext(&second, &first);
	if (depth == 2)
		throw 3;
}

static void run()
{
	for (;;)
		try {
			descend(4);
		} catch (int) {
			std::puts("caught");
			std::fflush(stdout);
		}
}

int main(int count, char **)
{
	getcontext(&second);
	second.uc_stack.ss_size = sizeof(memory);
	second.uc_stack.ss_sp =
		count > 1 ? memory
			  : mmap(nullptr, sizeof(memory),
				 PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	makecontext(&second, run, 0);
	do {
		swapcontext(&first, &second);
		std::puts("suspended");
		std::fflush(stdout);
	} while (std::getchar() != EOF);
}
"""

if __name__ == "__main__":
    clewtest.main()
