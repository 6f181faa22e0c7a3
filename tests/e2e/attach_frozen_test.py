#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Processes that cannot run are refused at once, and can be detached later."""
import os
import pathlib
import signal
import subprocess

from lib import clewtest
from lib.attached import PATIENCE_S, Attached, runs
from lib.clewtest import CLEW, slow, until
from lib.isolation import freezer_group


def children_of(pid):
    """Returns the children of all threads of the process."""
    return "".join(path.read_text() for path in pathlib.Path(
        f"/proc/{pid}/task").glob("*/children"))


# The only thread of this program is in exit(), where no libc function may be
# called.
ENDS = """
#include <stdlib.h>
#include <unistd.h>
static void wait_here(void)
{
	for (;;)
		pause();
}
int main(void)
{
	atexit(wait_here);
}
"""


# A thread of this program cannot be stopped after it gets the signal, as it
# waits for its vforked child.
STICKS = """
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static volatile int is_asked;
static void ask(int signal)
{
	is_asked = 1;
}
static void *stick(void *unused)
{
	while (!is_asked)
		usleep(1000);
	if (vfork() == 0)
		for (;;)
			pause();
	return unused;
}
int main(void)
{
	pthread_t thread;
	signal(SIGUSR1, ask);
	pthread_create(&thread, 0, stick, 0);
	pthread_join(thread, 0);
}
"""


class Stuck(Attached):
    @slow
    def test_status_shows_processes_that_could_not_be_detached(self):
        """The part is complete by then."""
        built = self.run_program(
            ["cc", "-x", "c", "-", "-pthread", "-o", "sticks"],
            input=STICKS.encode())
        self.assertEqual(built.returncode, 0, built.stderr)
        process = self.start([self.work / "sticks"], start_new_session=True)
        self.addCleanup(os.killpg, process.pid, signal.SIGKILL)
        self.assertTrue(until(lambda: runs(process, "sticks")))
        controller = self.attach(process)
        process.send_signal(signal.SIGUSR1)
        self.assertTrue(until(lambda: children_of(process.pid)))
        controller.send_signal(signal.SIGINT)
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 1, said)
        status = self.clew("status", process.pid)
        self.assertIn("left attached", status.stdout, status.stderr)


class Frozen(Attached):
    def setUp(self):
        super().setUp()
        self.group = freezer_group(self)

    def freeze(self, process):
        self.group.freeze()
        status = pathlib.Path(f"/proc/{process.pid}/cgroup")
        self.assertIn(self.group.folder.name, status.read_text())

    def sleeper(self):
        process = self.start(["sleep", "1000"])
        self.assertTrue(until(lambda: runs(process, "sleep")))
        self.group.join(process.pid)
        return process

    def attaching(self):
        """Returns (a process that never reaches a point where clew can attach,
        its waiting controller)."""
        built = self.run_program(
            ["cc", "-x", "c", "-", "-o", "ends"], input=ENDS.encode())
        self.assertEqual(built.returncode, 0, built.stderr)
        process = self.start([self.work / "ends"])
        self.assertTrue(until(lambda: runs(process, "ends")))
        self.group.join(process.pid)
        controller = self.start(
            [CLEW, "attach", "-o", self.recording_path, process.pid],
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(controller.stderr.close)
        status = pathlib.Path(f"/proc/{controller.pid}/status")

        def has_begun():
            """Returns whether the controller traces: it then blocks SIGCHLD."""
            words = status.read_text().split()
            blocked = int(words[words.index("SigBlk:") + 1], 16)
            return blocked >> (signal.SIGCHLD - 1) & 1
        self.assertTrue(until(has_begun))
        return process, controller

    def assert_ends_early(self, controller, *words):
        """Asserts that the controller ends long before its time limit."""
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 1, said)
        for word in words:
            self.assertIn(word, said)
        self.assertNotIn("for 10 seconds", said)

    def test_attach_and_detach_refuse_at_once(self):
        process = self.sleeper()
        self.freeze(process)
        for words in (("attach", "-o", self.recording_path), ("detach",)):
            self.assert_one_line_error(
                self.clew(*words, process.pid), process.pid,
                "its cgroup ", self.group.folder.name, " is frozen; ")
        self.group.thaw()
        self.detach(self.attach(process))
        self.assert_as_before(process)

    def test_process_frozen_while_attached_detaches_later(self):
        process = self.sleeper()
        controller = self.attach(process)
        self.freeze(process)
        controller.send_signal(signal.SIGTERM)
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 1, said)
        self.assertIn("its cgroup is frozen; thaw the cgroup, then run clew "
                      f"detach {process.pid}", said)
        status = self.clew("status", process.pid)
        self.assertIn("left attached", status.stdout, status.stderr)
        self.group.thaw()
        done = self.clew("detach", process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_as_before(process)

    def test_freezing_ends_an_attempt(self):
        process, controller = self.attaching()
        self.freeze(process)
        self.assert_ends_early(controller, " is frozen; thaw it first")
        self.group.thaw()
        self.assertIsNone(process.poll())

    def test_a_signal_ends_an_attempt(self):
        process, controller = self.attaching()
        controller.send_signal(signal.SIGTERM)
        self.assert_ends_early(controller, "interrupted")
        self.assertIsNone(process.poll())


if __name__ == "__main__":
    clewtest.main()
