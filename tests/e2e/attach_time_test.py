#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""With `clew attach --time=cpu` and `--time=wall`, threads that call no hooked
function have their time."""
import os
import pathlib
import signal
import subprocess
import time

from lib import clewtest, wire
from lib.attached import Attached
from lib.clewtest import until

# One thread calls, one only computes, one blocks all signals, and one waits.
PROGRAM = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
static volatile long sum, other;
__attribute__((noipa)) void step(void)
{
	for (int i = 0; i < 1000; i++)
		sum += i;
}
__attribute__((noipa)) void *caller(void *name)
{
	prctl(PR_SET_NAME, name);
	for (;;)
		step();
}
__attribute__((noipa)) void *spinner(void *name)
{
	prctl(PR_SET_NAME, name);
	for (;;)
		other++;
}
__attribute__((noipa)) void *blocker(void *name)
{
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, 0);
	return spinner(name);
}
__attribute__((noipa)) void woken(void)
{
	puts("woken");
	fflush(stdout);
}
__attribute__((noipa)) void *waiter(void *name)
{
	prctl(PR_SET_NAME, name);
	for (;;) {
		pause();
		woken();
	}
}
__attribute__((noipa)) void on_signal(int signal)
{
}
int main(void)
{
	pthread_t thread;
	signal(SIGUSR1, on_signal);
	pthread_create(&thread, 0, caller, "caller");
	pthread_create(&thread, 0, spinner, "spinner");
	pthread_create(&thread, 0, blocker, "blocker");
	pthread_create(&thread, 0, waiter, "waiter");
	puts("ready");
	fflush(stdout);
	return waiter("first") != 0;
}
"""

ENOUGH_NS = 300_000_000


def cpu_ns(pid):
    """Returns {thread name: its CPU time}."""
    used = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            name = (task / "comm").read_text().strip()
            used[name] = int((task / "schedstat").read_text().split()[0])
        except (FileNotFoundError, ProcessLookupError):
            pass  # clew's own thread has exited
    return used


class Time(Attached):
    def setUp(self):
        super().setUp()
        built = self.run_program(["cc", "-O1", "-pthread", "-o", "spins", "-x",
                                  "c", "-"], input=PROGRAM.encode())
        self.assertEqual(built.returncode, 0, built.stderr)
        self.process = self.start([self.work / "spins"],
                                  stdout=subprocess.PIPE)
        self.addCleanup(self.process.stdout.close)
        self.assertEqual(self.process.stdout.readline(), b"ready\n")
        self.assertTrue(until(lambda: {"caller", "spinner", "blocker",
                                       "waiter"} <= cpu_ns(
                                           self.process.pid).keys()))

    def sampled_ns(self, part, is_blocked=False):
        """Returns {thread name: CPU time, or time of waits, that its samples
        represent}."""
        names = {tally: name for _, tally, name in part.threads}
        found = {}
        for sample in part.samples:
            if bool(sample.flags & wire.BLOCKED) == is_blocked:
                name = names[sample.tally]
                found[name] = found.get(name, 0) + sample.weight_ns
        return found

    def use_some(self):
        """Waits until each computing thread has used a given amount of CPU time
        more."""
        before = cpu_ns(self.process.pid)

        def have():
            now = cpu_ns(self.process.pid)
            return all(now[name] - before[name] > ENOUGH_NS
                       for name in ("caller", "spinner"))
        self.assertTrue(until(have))
        return before, cpu_ns(self.process.pid)

    def is_sampled(self, *options):
        at_most = cpu_ns(self.process.pid)
        controller = self.attach(self.process, *options)
        begin, end = self.use_some()
        self.detach(controller)
        now = cpu_ns(self.process.pid)
        self.assert_as_before(self.process)
        self.assertEqual(
            pathlib.Path(f"/proc/{self.process.pid}/timers").read_text(), "")
        part, = self.recording().parts
        sampled = self.sampled_ns(part)
        for name in ("caller", "spinner"):
            self.assertGreater(sampled[name],
                               0.85 * (end[name] - begin[name]), name)
            self.assertLess(sampled[name],
                            1.1 * (now[name] - at_most[name]), name)
        return part

    def test_threads_that_call_nothing_have_their_cpu_time(self):
        """Attaches twice, as timers of an earlier session must not
        interfere."""
        for _ in range(2):
            part = self.is_sampled("--time", "cpu")
            self.assertNotIn("blocker", self.sampled_ns(part))
            self.blocker_is_unsampled(part)
            report = self.clew_json("report", "--json", self.recording_path)
            self.assertIn("spinner", [f["name"] for f in report["functions"]])

    def blocker_is_unsampled(self, part):
        """Asserts that all CPU time of this thread is reported as time without
        samples."""
        unsampled = self.sampled_ns(part, is_blocked=True)
        self.assertGreater(unsampled["blocker"], ENOUGH_NS / 4)
        self.assertRegex(
            self.clew("report", self.recording_path).stdout,
            r"missing: .*samples for \d+ % of the time, in ")

    def test_idle_threads_have_their_cpu_time_with_a_budget(self):
        self.is_sampled("--time", "cpu", "--budget", "50%")

    def test_threads_that_call_nothing_have_their_wall_time(self):
        for _ in range(2):
            begin = time.monotonic()
            part = self.is_sampled("--time", "wall")
            at_most_ns = (time.monotonic() - begin) * 1e9
            self.waits_are_sampled(part, at_most_ns)

    def waits_are_sampled(self, part, at_most_ns):
        """Asserts that waits are sampled in the waiting functions, also of
        threads that never run."""
        waits = self.sampled_ns(part, is_blocked=True)
        for name in ("waiter", "first"):
            self.assertGreater(waits[name], ENOUGH_NS, name)
            self.assertLess(waits[name], at_most_ns, name)
        self.assertEqual(sum(name == "waiter" for _, _, name in part.threads),
                         1)
        self.assertGreater(self.sampled_ns(part)["blocker"], ENOUGH_NS / 4)
        waiter, = [f for f in self.clew_json("report", "--json",
                                             self.recording_path)["functions"]
                   if f["name"] == "waiter"]
        self.assertGreater(waiter["total_ns"], 2 * ENOUGH_NS)

    def test_a_thread_that_waited_goes_on_in_its_context(self):
        """The thread takes over the tally in which its wait was recorded."""
        controller = self.attach(self.process, "--time", "wall")
        self.use_some()
        self.process.send_signal(signal.SIGUSR1)
        self.assertEqual(self.process.stdout.readline(), b"woken\n")
        self.use_some()
        self.detach(controller)
        self.assert_as_before(self.process)
        part, = self.recording().parts
        self.assertEqual([name for *_, name in part.threads].count("first"), 1)
        tree = self.clew("tree", self.recording_path).stdout
        self.assertRegex(tree, r" main\n.* `- waiter\n(.*[|].*\n)*.* 1 +`- woken\n")

    def test_clews_own_thread_ends_soon(self):
        """clew's thread that starts the timers exits when all of them exist."""
        tasks = f"/proc/{self.process.pid}/task"
        count = len(os.listdir(tasks))
        controller = self.attach(self.process)
        self.assertTrue(until(lambda: len(os.listdir(tasks)) == count))
        self.detach(controller)
        self.assertEqual(len(os.listdir(tasks)), count)


# Loads a library, which takes some milliseconds, for each line of input, and
# answers with the number of waits that a signal has interrupted.
WAITS = """
import ctypes, importlib, struct, sys
libc, interrupted = ctypes.CDLL(None), 0
wanted = ctypes.create_string_buffer(struct.pack("ihh", 0, 1, 0))
print(0, flush=True)
while True:
    if libc.poll(wanted, 1, -1) < 0:
        interrupted += 1
        continue
    name = sys.stdin.readline()
    if not name:
        break
    importlib.import_module(name.strip())
    print(interrupted, flush=True)
"""
MODULES = ("_bz2", "_lzma", "_json", "_decimal", "_hashlib", "_ssl", "_sqlite3",
           "mmap", "_multiprocessing", "_asyncio", "_curses", "readline",
           "_queue", "resource", "termios", "_posixshmem")


class Waits(Attached):
    def test_no_sample_interrupts_a_wait(self):
        """clew works in a waiting thread when it attaches and detaches. Samples
        of this work must not arrive afterwards, when the thread waits again:
        poll() would return EINTR."""
        self.start_to_talk(clewtest.PYTHON, "-u", "-c", WAITS)
        self.process.stdout.readline()
        for module in MODULES:
            controller = self.attach(self.process)
            print(module, file=self.process.stdin, flush=True)
            self.process.stdout.readline()
            self.detach(controller)
        print("sys", file=self.process.stdin, flush=True)
        self.assertEqual(self.process.stdout.readline(), "0\n")


if __name__ == "__main__":
    clewtest.main()
