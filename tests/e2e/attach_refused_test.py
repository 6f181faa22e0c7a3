#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""When clew cannot attach, one line reports the reason and a remedy."""
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import unittest

from lib import clewtest
from lib.attached import Attached, children, program, runs, state
from lib.clewtest import CLEW, PYTHON, needs, until
from lib.isolation import make_users

NOBODY = 65534

REPLACED = """
#include <stdio.h>
#include <unistd.h>
#ifdef OTHER
__attribute__((noinline)) int before(int n)
{
	return n < 2 ? n : before(n - 1) + 7 * before(n - 2);
}
#endif
__attribute__((noinline)) int leaf(int n)
{
	__asm__("");
	return n + 1;
}
int main(void)
{
#ifdef OTHER
	before(20);
#endif
	for (int i = 0;;) {
		i = leaf(i);
		puts("round");
		fflush(stdout);
		usleep(1000);
	}
}
"""


FIRST_ENDS = """
import ctypes, threading, time
for _ in range(2):
    threading.Thread(target=time.sleep, args=(1000,)).start()
ctypes.CDLL(None).syscall(60, 0)
"""

FIRST_ENDS_LATER = """
import ctypes, sys, threading, time
threading.Thread(target=time.sleep, args=(1000,)).start()
sys.stdin.read()
ctypes.CDLL(None).syscall(60, 0)
"""

MAY_START_NO_THREAD = """
import resource, threading, time
threading.Thread(target=time.sleep, args=(1000,)).start()
most = resource.getrlimit(resource.RLIMIT_NPROC)[1]
for now in 0, most:
    resource.setrlimit(resource.RLIMIT_NPROC, (now, most))
    print(now, flush=True)
    input()
"""


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


UNHOOKABLE = """
#include <unistd.h>
__asm__(".globl odd\\n.type odd, @function\\n"
	"odd: .cfi_startproc\\n.byte 6, 6\\nret\\n.cfi_endproc\\n"
	".size odd, . - odd\\n");
int main(void)
{
	for (;;)
		pause();
}
"""


class Unhooked(Attached):
    def start_unhookable(self):
        """Starts a program whose function begins with invalid instructions."""
        built = self.run_program(["cc", "-x", "c", "-", "-o", "odd"],
                                 input=UNHOOKABLE.encode())
        self.assertEqual(built.returncode, 0, built.stderr)
        process = self.start([self.work / "odd"])
        self.assertTrue(until(lambda: runs(process, "odd")))
        return process

    def test_a_process_without_functions_to_hook_exits_with_2(self):
        """With --quiet, that line is the only output."""
        process = self.start_unhookable()
        for options in ((), ("-q",)):
            with self.subTest(options):
                done = self.clew("attach", *options, "-f", "^odd$", "--for",
                                 "1ms", "-o", self.recording_path,
                                 process.pid)
                self.assertEqual(done.returncode, 2, done.stderr)
                lines = [line for line in done.stderr.splitlines()
                         if "functions could be hooked, so no calls were "
                         "counted; the reason of most: " in line]
                self.assertEqual(len(lines), 1, done.stderr)
                if options:
                    self.assertEqual(done.stderr.splitlines(), lines)
                self.assert_as_before(process)


class Starting(Attached):
    """clew waits for processes that are still starting."""

    def test_process_without_a_mapped_c_library_is_refused(self):
        """The loader blocks while it prints its library search to a full
        pipe."""
        read, write = os.pipe()
        self.addCleanup(os.close, read)
        os.set_blocking(write, False)
        try:
            while os.write(write, b"x" * 4096):
                pass
        except BlockingIOError:
            pass
        os.set_blocking(write, True)
        process = self.start(["sleep", "1000"], stderr=write, env={
            **self.environment, "LD_DEBUG": "libs"})
        os.close(write)
        self.assertTrue(until(lambda: runs(process, "sleep")))
        maps = pathlib.Path(f"/proc/{process.pid}/maps")
        self.assertNotIn("libc.so.6", maps.read_text())
        controller = self.start(
            [CLEW, "attach", "--for", "0s", "-o", self.recording_path,
             process.pid], stderr=subprocess.PIPE, text=True)
        self.addCleanup(controller.stderr.close)
        self.assertTrue(until(
            lambda: controller.poll() is not None or "nanosleep" in
            pathlib.Path(f"/proc/{controller.pid}/wchan").read_text()))
        while "libc.so.6" not in maps.read_text():
            os.read(read, 65536)
        drain = threading.Thread(target=lambda: all(
            iter(lambda: os.read(read, 65536), b"")), daemon=True)
        drain.start()
        said = controller.stderr.read()
        self.assertEqual(controller.wait(60), 0, said)
        self.assert_as_before(process)
        process.kill()
        drain.join()

    def is_attached(self, process):
        """Returns False if the process executed another program during the
        attempt."""
        done = self.clew("attach", "--for", "0s", "-o", self.recording_path,
                         process.pid)
        if done.returncode:
            self.assertIn("it has executed another program", done.stderr)
        return done.returncode == 0

    def test_program_that_executes_often_is_attached(self):
        script = self.work / "again"
        script.write_text('#!/bin/sh\ntest "$1" = 0 && exec sleep 1000\n'
                          'exec "$0" $(($1 - 1))\n', encoding="ascii")
        script.chmod(0o755)
        for _ in range(5):
            process = self.start([script, "100"])
            self.assertTrue(until(lambda: self.is_attached(process)))
            self.assertIsNone(process.poll())
            process.kill()


class Refused(Attached):
    """One line reports the reason, and the process is unchanged."""

    def assert_refused(self, pid, *words):
        done = self.clew("attach", "--for", "0s", "-o", self.recording_path,
                         pid)
        self.assert_one_line_error(done, pid, *words)

    def sleeper(self, **options):
        return self.start(["sleep", "1000"], **options)

    def test_a_missing_process_is_refused(self):
        gone = self.start(["true"])
        gone.wait()
        self.assert_refused(gone.pid, "no such process")

    def test_options_of_clew_record_alone_are_refused(self):
        rules = self.work / "rules"
        for word in ("no-prelinking", "no-children", "snapshot-on USR2",
                     "probe main"):
            with self.subTest(word):
                rules.write_text(word + "\n", encoding="ascii")
                done = self.clew("attach", f"--rules={rules}", "1")
                self.assert_usage_error(done, word.split()[0] + ": ")

    def test_invalid_arguments_are_refused(self):
        for words in (["attach"], ["attach", "x"], ["attach", "-3"],
                      ["attach", "1", "x"], ["attach", "--children"],
                      ["attach", "--for", "x", "1"],
                      ["attach", "--for", "nan", "1"],
                      ["attach", "--calls", "0", "1"],
                      ["attach", "--calls", "x", "1"],
                      ["detach"], ["detach", "x"]):
            with self.subTest(words):
                done = self.clew(*words)
                self.assertEqual(done.returncode, 64, done.stderr)

    def test_stopped_process_is_refused(self):
        process = self.sleeper()
        process.send_signal(signal.SIGSTOP)
        self.assertTrue(until(lambda: state(process.pid) == "T"))
        self.assert_refused(process.pid, "stopped",
                            f"kill -CONT {process.pid}")

    def test_static_programs_are_refused(self):
        source = self.work / "static.c"
        source.write_text("int pause(void); int main(void) { pause(); }\n")
        built = self.run_program(["cc", "-static", "-o", "static", source])
        if built.returncode:
            self.skipTest("no static C library here")
        self.assert_refused(self.start([self.work / "static"]).pid,
                            "statically linked", "without -static")

    @needs("gofmt")
    def test_go_programs_are_refused(self):
        """gofmt waits for its input."""
        process = self.start(["gofmt"], stdin=subprocess.PIPE,
                             stdout=subprocess.DEVNULL)
        self.addCleanup(process.stdin.close)
        self.assertTrue(until(lambda: runs(process, "gofmt")))
        self.assert_refused(process.pid, "Go program", "pprof")

    @needs("musl-gcc")
    def test_musl_is_refused(self):
        built = self.run_program(
            ["musl-gcc", "-x", "c", "-", "-o", "other"],
            input=b"#include <unistd.h>\nint main(void) { char byte;"
                  b"while (read(0, &byte, 1) == 1) write(1, &byte, 1); }\n")
        self.assertEqual(built.returncode, 0, built.stderr)
        program = self.work / "other"
        process = self.start([program], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
        self.assertTrue(until(lambda: runs(process, "other")))
        self.assert_refused(process.pid, "musl", "clew record")
        self.assertNotIn(
            "libclew", pathlib.Path(f"/proc/{process.pid}/maps").read_text())
        self.assertEqual(process.communicate(b"lives"), (b"lives", None))
        self.assertEqual(process.returncode, 0)

    def test_process_started_by_the_loader_is_refused(self):
        loader = next(pathlib.Path("/lib64").glob("ld-linux-*"), None)
        if not loader:
            self.skipTest("no loader there")
        process = self.start([loader, shutil.which("sleep"), "1000"])
        self.assertTrue(until(lambda: runs(process, loader.resolve().name)))
        self.assert_refused(process.pid, "start the program directly")

    def test_a_zombie_is_refused(self):
        process = self.start(["true"])
        self.assertTrue(until(lambda: state(process.pid) == "Z"))
        self.assert_refused(process.pid, "has exited", os.getpid())

    @needs("gdb")
    def test_process_that_ends_while_attaching_is_reported(self):
        """gdb stops clew at a system call and kills the target there.

        The calls are the first ones by which clew inspects the process, locks
        it and stops it.
        """
        for call in "pidfd_open", "fcntl", "ptrace":
            for is_asked_for in False, True:
                with self.subTest(call=call, is_asked_for=is_asked_for):
                    parent = self.start(
                        ["sh", "-c", "sleep 1000 & " +
                         "wait; " * is_asked_for + "exec sleep 1000"])
                    self.assertTrue(until(lambda: any(
                        program(pid) == "sleep"
                        for pid in children(parent.pid))))
                    (pid,) = children(parent.pid)
                    self.addCleanup(kill, pid)
                    self.assertTrue(until(lambda: state(pid) == "S"))
                    said = self.killed_at(call, pid, is_asked_for)
                    self.assertRegex(
                        said, rf"\Aclew attach: cannot attach to process {pid}: "
                        r"(it has exited.*|it is exiting|"
                        r"there is no such process)\n\Z")

    def killed_at(self, call, pid, is_asked_for):
        """Returns the output of `clew attach`; gdb waits until the process has
        exited."""
        until_then = (f"while [ -e /proc/{pid} ]" if is_asked_for else
                      f"while ! grep -q '^State:.Z' /proc/{pid}/status")
        said = self.work / "said"
        done = self.run_program(
            ["gdb", "-nx", "-batch", "-ex", f"catch syscall {call}", "-ex",
             f"run attach --for 0s -o {self.recording_path} {pid} 2>{said}",
             "-ex", f"shell kill -9 {pid}; {until_then}; do sleep .01; done",
             "-ex", "delete", "-ex", "continue", "-ex",
             "print $_exitcode", CLEW], text=True)
        self.assertIn("$1 = 1\n", done.stdout, done.stderr)
        return said.read_text(encoding="utf-8")

    def test_a_thread_id_is_refused(self):
        process = self.start([PYTHON, "-c", "import threading, time\n"
                              "threading.Thread(target=time.sleep, "
                              "args=(1000,)).start()\n"])
        tasks = pathlib.Path(f"/proc/{process.pid}/task")
        self.assertTrue(until(lambda: len(list(tasks.iterdir())) == 2))
        tid = max(int(task.name) for task in tasks.iterdir())
        self.assert_refused(tid, f"thread of process {process.pid}")

    def test_process_of_32_bits_is_refused(self):
        built = self.run_program(
            ["cc", "-m32", "-nostdlib", "-static", "-x", "c", "-", "-o",
             "narrow"], input=b"void _start(void) { __asm__ volatile("
            b"\"1: mov $29, %eax; int $0x80; jmp 1b\"); }\n")  # pause
        if built.returncode:
            self.skipTest("the compiler makes none")
        process = self.start([self.work / "narrow"])
        self.assertTrue(until(lambda: program(process.pid) == "narrow"))
        self.assert_refused(process.pid, "32-bit")

    def test_process_without_its_first_thread_is_refused(self):
        """The main thread exits; the other two of the three continue."""
        process = self.start([PYTHON, "-c", FIRST_ENDS])
        self.assertTrue(until(lambda: state(process.pid) == "Z"))
        self.assert_refused(process.pid, "main thread has exited")

    def test_detaching_says_that_the_first_thread_has_exited(self):
        process = self.start([PYTHON, "-c", FIRST_ENDS_LATER],
                             stdin=subprocess.PIPE)
        self.assertTrue(until(lambda: len(list(pathlib.Path(
            f"/proc/{process.pid}/task").iterdir())) == 2))
        controller = self.attach(process)
        process.stdin.close()
        self.assertTrue(until(lambda: state(process.pid) == "Z"))
        controller.terminate()
        self.assertIn("cannot detach from process "
                      f"{process.pid}: its main thread has exited while other "
                      "threads run", controller.stderr.read())

    def test_process_at_its_limit_of_threads_is_refused(self):
        """haproxy's workers are such processes: they have threads and are not
        root."""
        self.work.chmod(0o755)
        process = self.start([PYTHON, "-c", MAY_START_NO_THREAD],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             text=True,
                             **({} if os.geteuid() else {"user": NOBODY}))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        self.assertEqual(process.stdout.readline(), "0\n")
        self.assert_refused(process.pid, "prlimit --nproc")
        print(file=process.stdin, flush=True)
        self.assertNotEqual(process.stdout.readline(), "0\n")
        done = self.clew("attach", "--for", "0s", "-o", self.recording_path,
                         process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipIf(os.geteuid(), "wants to be root")
    @needs("unshare", "nsenter")
    def test_process_without_memory_is_refused(self):
        """The init process of a PID namespace has no memory any more; it waits
        for a process whose parent does not reap it."""
        outer = self.start(["unshare", "-p", "-f", "sleep", "1000"])
        self.assertTrue(until(lambda: children(outer.pid)))
        (first,) = children(outer.pid)
        self.addCleanup(kill, first)
        self.assertTrue(until(lambda: program(first) == "sleep"))
        entered = self.start(["nsenter", "-t", first, "-p", "sleep", "1000"])
        self.assertTrue(until(lambda: children(entered.pid)))
        entered.send_signal(signal.SIGSTOP)
        self.assertTrue(until(lambda: state(entered.pid) == "T"))
        os.kill(first, signal.SIGKILL)
        self.assertTrue(until(lambda: not program(first)))
        self.assert_refused(first, "is exiting")
        done = self.clew("attach", "--for", "0s", "-o", self.recording_path,
                         "--children", outer.pid)
        self.assertEqual((done.returncode, str(first) in done.stderr),
                         (0, False), done.stderr)
        entered.send_signal(signal.SIGCONT)

    @unittest.skipIf(os.geteuid(), "wants to be root")
    @needs("unshare")
    def test_processes_with_children_in_another_pid_namespace_are_refused(self):
        """/proc belongs to the children's namespace; clew can attach to the
        children."""
        process = self.start(["unshare", "-p", "-f", "--mount-proc",
                              "--kill-child", "sleep", "1000"])
        self.assertTrue(until(lambda: children(process.pid)))
        (child,) = children(process.pid)
        self.assertTrue(until(lambda: program(child) == "sleep"))
        self.assert_refused(process.pid, "a PID namespace",
                            "attach to the children")

    def test_missing_thread_local_storage_is_refused(self):
        """The control block has no room either. clew prints the loader's own
        message, and the program does not see it."""
        library = self.work / "greedy.so"
        self.assertEqual(self.run_program(
            ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library],
            input=b"__thread char x[1200] "
                  b"__attribute__((tls_model(\"initial-exec\")));"
                  b"char *greedy(void) {"
                  b" __asm__ volatile(\"movb $1, %fs:200\"); return x; }\n"
        ).returncode, 0)
        program = (
            "import ctypes, sys\n"
            "ctypes.CDLL(sys.argv[1]).greedy()\n"
            "dlerror = ctypes.CDLL(None).dlerror\n"
            "dlerror.restype = ctypes.c_char_p\n"
            "print('ready', flush=True)\n"
            "sys.stdin.readline()\n"
            "print(dlerror(), flush=True)\n")
        process = self.start([PYTHON, "-c", program, library],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        self.assert_refused(process.pid, "static TLS",
                            "already in use")
        process.stdin.write(b"\n")
        process.stdin.flush()
        self.assertEqual(process.stdout.readline(), b"None\n")

    @needs("strace")
    def test_traced_process_is_refused(self):
        # A process that outlives a failed test must not hold the test's output
        # open.
        tracer = self.start(["strace", "-o", "/dev/null", "sleep", "1000"],
                            stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
        found = []

        def is_there():
            """Returns the sleep process: strace has other children before
            it."""
            for pid in children(tracer.pid):
                status = pathlib.Path(f"/proc/{pid}/status")
                try:
                    if "Name:\tsleep\n" in status.read_text():
                        found.append(pid)
                except (FileNotFoundError, ProcessLookupError):
                    pass  # it has exited, before or during the read
            return found

        self.assertTrue(until(is_there))
        self.addCleanup(os.kill, found[0], signal.SIGKILL)
        self.assert_refused(found[0], str(tracer.pid), "(strace) traces it")

    def test_a_kernel_thread_is_refused(self):
        if not pathlib.Path("/proc/2/status").exists() or \
                "Kthread:\t1" not in pathlib.Path("/proc/2/status").read_text():
            self.skipTest("none is to be seen here")
        self.assert_refused(2, "kernel")

    def test_replaced_program_is_identified_by_its_build_id(self):
        """The mapped file counts: it is identified by its build-id, and refused
        without one."""
        for build_id, refused in (("sha1", False), ("none", True)):
            with self.subTest(build_id):
                source, program = self.work / "p.c", self.work / "program"
                source.write_text(REPLACED)

                def build(name, *options, build_id=build_id):
                    self.run_program(
                        ["cc", "-O1", f"-Wl,--build-id={build_id}", *options,
                         "-o", name, source])

                build(program)
                process = self.start([program], stdout=subprocess.PIPE)
                self.addCleanup(process.stdout.close)
                self.assertEqual(process.stdout.readline(), b"round\n")
                build(self.work / "other", "-DOTHER")
                (self.work / "other").rename(program)
                if refused:
                    self.assert_refused(process.pid, "replaced", "program")
                else:
                    self.detach(self.attach(process))
                for _ in range(3):
                    self.assertEqual(process.stdout.readline(), b"round\n")
                self.assertIsNone(process.poll())

    def locker(self, flags):
        """Starts a process that calls mlockall() with these flags."""
        process = self.start(
            [PYTHON, "-c", "import ctypes, time\n"
             f"print(ctypes.CDLL(None).mlockall({flags}), flush=True)\n"
             "time.sleep(1000)\n"], stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        if process.stdout.readline() != b"0\n":
            self.skipTest("may not lock memory")
        return process

    def test_process_that_locks_new_memory_is_refused(self):
        """mlockall() would make the library's reserved memory resident."""
        process = self.locker(3)
        self.assert_refused(process.pid, "mlockall")
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        locked = status.split("VmLck:")[1].split()[0]
        self.assertLess(int(locked), 1 << 22)

    def test_process_that_locks_used_memory_is_recorded(self):
        """With MCL_ONFAULT only memory that is used becomes resident."""
        process = self.locker(7)
        self.detach(self.attach(process))
        self.assert_as_before(process)

    def test_process_of_another_user_is_refused(self):
        """Only root may attach to other users' processes
        (attach_group_test.py)."""
        if os.geteuid():
            self.skipTest("wants to be root")
        if self.run_program(["test", "-x", CLEW], user=65534).returncode:
            self.skipTest("clew is where others cannot come")
        process = self.sleeper()
        done = self.clew("attach", process.pid, user=65534, cwd="/")
        self.assert_one_line_error(done, process.pid, "belongs to root")

    def test_refusal_by_the_kernel_names_the_allowed_users(self):
        """The process was started by root and has changed its user, as daemons
        do."""
        (user,) = make_users(self, 1)
        process = self.start(
            [PYTHON, "-c", "import os, sys, time\n"
             "os.setgroups([])\n"
             "os.setgid(int(sys.argv[2]))\n"
             "os.setuid(int(sys.argv[1]))\n"
             "print('changed', flush=True)\n"
             "time.sleep(1000)\n", user.uid, user.gid],
            stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), b"changed\n")
        if self.run_program(["test", "-x", CLEW], **user.as_user).returncode:
            self.skipTest("clew is where others cannot come")
        done = self.clew("attach", process.pid, cwd="/", **user.as_user)
        self.assert_one_line_error(done, process.pid, "Permission denied; "
                                   "run clew as root: ", "changed its user ID")
        done = self.run_program(
            ["setpriv", "--bounding-set", "-sys_ptrace", CLEW, "attach",
             process.pid], text=True)
        self.assert_one_line_error(done, process.pid, "Permission denied; "
                                   "clew needs the capability CAP_SYS_PTRACE")

    def test_process_recorded_from_its_start_is_refused(self):
        recorder = self.start([CLEW, "record", "-o", self.work / "first",
                               "--", PYTHON, "-c", "import time\n"
                               "print('runs', flush=True)\n"
                               "time.sleep(1000)\n"],
                              stdout=subprocess.PIPE)
        self.addCleanup(recorder.stdout.close)
        self.assertEqual(recorder.stdout.readline(), b"runs\n")
        (pid,) = children(recorder.pid)
        self.addCleanup(os.kill, pid, signal.SIGKILL)
        self.assert_refused(pid, "since its start")


if __name__ == "__main__":
    clewtest.main()
