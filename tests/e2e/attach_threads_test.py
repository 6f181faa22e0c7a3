#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach` works on processes with unusual threads.

The process has many threads, or its only thread sleeps or loads modules, or its
threads exit all the time, or are where libc blocks all signals.
"""
import mmap
import os
import pathlib
import struct
import subprocess

from lib import clewtest
from lib.attached import Attached, Built
from lib.clewtest import CLEW, PYTHON, kill_with_guardian, target, until

THREADS = 500

PROGRAM = f"""
import hashlib, threading
go_on = threading.Event()
for _ in range({THREADS}):
    threading.Thread(target=go_on.wait, daemon=True).start()
print("ready", flush=True)
while True:
    assert hashlib.sha256(b"x").hexdigest().startswith("2d711642")
"""


class Many(Attached):
    # The measured time is about 2 to 4 s on a busy machine; far more if clew
    # inspects all threads whenever one stops.
    CPU_MAX_S = 8

    def test_hundreds_of_threads_are_recorded(self):
        process = self.start([PYTHON, "-c", PROGRAM], stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        tasks = f"/proc/{process.pid}/task"
        self.assertEqual(len(os.listdir(tasks)), THREADS + 1)
        controller = subprocess.Popen(
            [CLEW, "attach", "-o", self.recording_path, "--for", "20ms",
             "--time", "none", str(process.pid)], cwd=self.work,
            env=self.environment, stderr=subprocess.DEVNULL)
        self.addCleanup(controller.kill)
        _, status, usage = os.wait4(controller.pid, 0)
        controller.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(controller.returncode, 0)
        self.assertLess(usage.ru_utime + usage.ru_stime, self.CPU_MAX_S)
        self.assertEqual(len(os.listdir(tasks)), THREADS + 1)
        self.assert_as_before(process)


class InAllocator(Attached):
    """The threads are nearly always inside of the program's own allocator.
    Most calls that allocate are those of the first session."""
    PROCESSES = 4

    def test_no_call_begins_inside_an_allocator(self):
        for i in range(self.PROCESSES):
            process, memory = self.shared(f"shared{i}", [target("allocator")])
            self.detach(self.attach(process))
            rounds, again = struct.unpack_from("<2Q", memory, 8)
            self.assertEqual(again, 0, "calls began within others")
            self.assertGreater(rounds, 0)
            self.assert_as_before(process)
            process.kill()


class Asleep(Attached):
    """The thread sleeps in a stub, whose file is deleted when a new recording
    replaces the old one."""

    def test_the_same_recording_grows_in_each_session(self):
        process = self.start([target("asleep")], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, bufsize=0)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        for said in b"12345":
            process.stdin.write(bytes([said]))
            self.assertEqual(process.stdout.read(1), bytes([said]))
            self.detach(self.attach(process))
            self.assert_as_before(process)


class SharedStack(Attached):
    """All threads share one alternate signal stack, which they had set before
    clew attached."""

    def test_attach_writes_nothing_to_a_shared_stack(self):
        process = self.start([target("shared_stack"), "waits"],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             bufsize=0)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        controller = self.attach(process)
        process.stdin.write(b"\n")
        self.assertEqual(process.stdout.readline(), b"clean\n")
        self.assertEqual(process.wait(clewtest.TIMEOUT_S), 0)
        controller.wait(clewtest.TIMEOUT_S)
        part, = self.recording().parts
        self.assertGreater(len(part.samples), 0)

SHORT_LIVED = r"""
#include <pthread.h>
#include <stdio.h>
static void *live(void *argument)
{
	return argument;
}
int main(void)
{
	pthread_t threads[8];
	for (int round = 0;; round++) {
		for (int i = 0; i < 8; i++)
			if (pthread_create(&threads[i], 0, live, 0))
				return 1;
		for (int i = 0; i < 8; i++)
			if (pthread_join(threads[i], 0))
				return 1;
		if (round == 1)
			puts("round");
		fflush(stdout);
	}
}
"""


class ShortLived(Built):
    """Libc locks its list of stacks while it frees one, and dlopen() would wait
    for that lock."""

    def test_attach_works_while_threads_end_all_the_time(self):
        program = self.build("short", "-pthread", source=SHORT_LIVED)
        for _ in range(3):
            process = self.start([program], stdout=subprocess.PIPE)
            self.addCleanup(process.stdout.close)
            self.assertEqual(process.stdout.readline(), b"round\n")
            self.detach(self.attach(process))
            self.assert_as_before(process)
            process.kill()


LOADING = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <fcntl.h>
int main(int count, char **argv)
{
	/* [0]: load all the time; [1]: rounds; [2]: this thread waits */
	volatile unsigned long *words =
		mmap(0, 4096, 3, MAP_SHARED, open(argv[1], O_RDWR), 0);
	for (;; words[2] = 1)
		while (words[0]) {
			words[2] = 0;
			void *library = dlopen(argv[2], RTLD_NOW);
			if (!library)
				return 1;
			dlclose(library);
			words[1]++;
		}
}
"""


class Loading(Built):
    """The only thread is always in the loader."""

    def word(self, i):
        return struct.unpack_from("<Q", self.memory, 8 * i)[0]

    def let_load(self, is_to):
        struct.pack_into("<Q", self.memory, 0, is_to)
        rounds = self.word(1)
        if is_to:
            self.assertTrue(until(lambda: self.word(1) > rounds + 3))

    def test_process_that_always_loads_libraries_detaches(self):
        program = self.build("loading", source=LOADING)
        library = self.build("loaded.so", "-shared", "-fPIC",
                             source="int loaded(int n) { return n + 1; }")
        words = self.work / "words"
        words.write_bytes(bytes(4096))
        process = self.start([program, words, library])
        with words.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 0)
        self.addCleanup(self.memory.close)
        self.assertTrue(until(lambda: "words" in pathlib.Path(
            f"/proc/{process.pid}/maps").read_text()))
        for is_killed in False, True, False:
            controller = self.attach(process)
            self.let_load(1)
            if is_killed:
                kill_with_guardian(controller)
                done = self.clew("detach", process.pid)
                self.assertEqual(done.returncode, 0, done.stderr)
            else:
                self.detach(controller)
            self.let_load(1)
            self.let_load(0)
            self.assertTrue(until(lambda: self.word(2)))
            self.assert_as_before(process)


class LeftFrames(Attached):
    """Old signal frames remain on the stacks of waiting threads."""
    THREADS = 32

    def heard(self, line):
        self.assertEqual(self.process.stdout.readline(), line)

    def test_detaching_does_not_wait_for_abandoned_frames(self):
        self.process = self.start(
            [target("left_frames"), self.THREADS],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.process.stdin.close)
        self.addCleanup(self.process.stdout.close)
        self.heard("running\n")
        controller = self.attach(self.process, "--time=cpu", "--rate=1000")
        self.assertTrue(until(self.all_are_sampled))
        self.process.stdin.write("enough\n")
        self.process.stdin.flush()
        self.heard("waiting\n")
        self.detach(controller)
        self.assert_as_before(self.process)
        self.process.stdin.close()
        self.assertEqual(self.process.wait(), 0)

    def all_are_sampled(self):
        """Returns whether there are enough samples that each thread was
        sampled; nearly all samples are in clew's code."""
        report = self.clew_json("report", "--json", self.recording_path)
        return report["self_cost"]["samples"] > 20 * self.THREADS


class WithinLibc(Attached):
    """Threads are in libc code that blocks all signals for a moment, which clew
    must not mistake for a permanent block."""

    def setUp(self):
        super().setUp()
        self.start_to_talk(target("blocks_all"))
        self.assertEqual(self.process.stdout.readline(), "ready\n")

    def tell(self, what):
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def blocked(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        line, = (line for line in status.splitlines()
                 if line.startswith("SigBlk:"))
        return int(line.split()[1], 16)

    def test_thread_leaves_libc_while_attached(self):
        controller = self.attach(self.process)
        self.assertEqual(self.tell("look"), "blocks")
        self.assertEqual(self.tell("back"), "does not")
        self.detach(controller)
        self.assertEqual(self.blocked(), 0)
        self.assertEqual(self.tell("look"), "does not")

    def test_thread_leaves_libc_after_detaching(self):
        before = self.blocked()
        self.detach(self.attach(self.process))
        self.assertEqual(self.blocked(), before)
        self.assertEqual(self.tell("look"), "blocks")
        self.assertEqual(self.tell("back"), "does not")
        self.assertEqual(self.blocked(), 0)


if __name__ == "__main__":
    clewtest.main()
