#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach --exe` and `--cgroup` record processes that begin later, and
programs that their processes execute."""
import contextlib
import os
import pathlib
import signal
import subprocess

from lib import clewtest
from lib.attached import PATIENCE_S, Built
from lib.clewtest import CLEW, until

# Executes lines of standard input, and answers each with a line.
SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int calls;

__attribute__((noinline)) void hot(void)
{
	calls++;
}

int main(void)
{
	char line[4096];

	printf("%d\n", getpid());
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '/') {
			execl(line, line, (char *)NULL);
			return 1;
		}
		if (!strcmp(line, "end"))
			break;
		if (!strcmp(line, "fork") && fork() > 0)
			wait(NULL);
		for (int n = atoi(line); n > 0; n--)
			hot();
		printf("%d\n", getpid());
		fflush(stdout);
	}
	return 0;
}
"""


def opened(pid):
    """Yields the files that a process has open, which it may close meanwhile."""
    for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            yield os.readlink(fd)


class Later(Built):
    def setUp(self):
        super().setUp()
        self.program = self.build(f"later{os.getpid()}", source=SOURCE)
        self.other = self.build(f"other{os.getpid()}", source=SOURCE)

    def begin(self, program=None):
        """Starts a process, whose standard input has no buffer in it."""
        process = self.start(["stdbuf", "-i0", program or self.program],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             text=True, bufsize=1)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        self.assertEqual(int(process.stdout.readline()), process.pid)
        return process

    def tell(self, process, line):
        """Returns the pid that has answered."""
        print(line, file=process.stdin)
        return int(process.stdout.readline())

    def begin_attach(self, *options):
        controller = self.start(
            [CLEW, "attach", "-o", self.recording_path, "--time=none",
             *options], stderr=subprocess.PIPE, text=True)
        self.addCleanup(controller.stderr.close)
        return controller

    def await_line(self, controller, beginning):
        read = []
        for line in controller.stderr:
            read.append(line)
            if line.startswith(f"clew attach: {beginning}"):
                return
        self.fail(f"{beginning}: {read}")

    def end(self, controller, calls):
        controller.send_signal(signal.SIGINT)
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 0, said)
        self.assert_recorded(calls)

    def assert_recorded(self, calls):
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual(report["problems"], [])
        self.assertEqual(sum(row["calls"] for row in report["functions"]
                             if row["name"] == "hot"), calls)

    def leave(self, process):
        process.stdin.close()
        self.assertEqual(process.wait(PATIENCE_S), 0)

    def test_processes_of_a_program_that_begin_later_are_recorded(self):
        first = self.begin()
        controller = self.begin_attach("--exe", self.program.name)
        self.await_line(controller, f"attached to process {first.pid}:")
        self.tell(first, 1000)
        second = self.begin()
        self.await_line(controller, f"attached to process {second.pid}:")
        self.tell(second, 500)
        self.leave(first)
        self.await_line(controller, f"process {first.pid} has exited")
        self.tell(second, 200)
        self.end(controller, 1700)
        self.assert_as_before(second)

    def test_a_program_that_a_process_executes_is_recorded(self):
        process = self.begin(self.other)
        folder = self.work / "group"
        folder.mkdir()
        (folder / "cgroup.procs").write_text(f"{process.pid}\n")
        controller = self.begin_attach("--cgroup", folder)
        self.await_line(controller, f"attached to process {process.pid}:")
        self.tell(process, 100)
        self.assertEqual(self.tell(process, self.program), process.pid)
        self.await_line(controller,
                        f"process {process.pid} has executed another program")
        self.await_line(controller, f"attached to process {process.pid}:")
        self.tell(process, 300)
        self.end(controller, 400)
        self.assert_as_before(process)

    def test_with_a_time_limit_clew_waits_for_processes(self):
        first = self.begin()
        controller = self.begin_attach("--for=1h", "--exe", self.program.name)
        self.await_line(controller, f"attached to process {first.pid}:")
        self.leave(first)
        self.await_line(controller, f"process {first.pid} has exited")
        second = self.begin()
        self.await_line(controller, f"attached to process {second.pid}:")
        self.tell(second, 70)
        self.end(controller, 70)

    def test_without_a_time_limit_clew_ends_with_the_last_process(self):
        process = self.begin()
        controller = self.begin_attach("--exe", self.program.name)
        self.await_line(controller, f"attached to process {process.pid}:")
        self.tell(process, 30)
        self.leave(process)
        controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 0)
        self.assert_recorded(30)

    def test_forked_children_are_counted_once(self):
        process = self.begin()
        controller = self.begin_attach("--exe", self.program.name)
        self.await_line(controller, f"attached to process {process.pid}:")
        self.tell(process, 100)
        child = self.tell(process, "fork")
        self.assertNotEqual(child, process.pid)
        self.tell(process, 50)
        # The controller has found the child, which is recorded already.
        self.assertTrue(until(
            lambda: f"/proc/{child}/mem" in opened(controller.pid)))
        self.tell(process, 25)
        self.assertEqual(self.tell(process, "end"), process.pid)
        self.tell(process, 10)
        self.end(controller, 185)
        self.assert_as_before(process)


if __name__ == "__main__":
    clewtest.main()
