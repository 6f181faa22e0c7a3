#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach` reads the system call filters of a process before it enters.

It attaches if they let through each call that clew makes in the process.
"""
import errno
import pathlib
import re
import subprocess

from lib import clewtest, isolation, seccomp, units
from lib.attached import Attached, CountingTarget
from lib.clewtest import PYTHON, ROOT, slow

SESSIONS = 20
AVOIDABLE = re.findall(r"(?m)^\tX\((\w+)\)",
                       (ROOT / "wire/avoidable.h").read_text())
CALL = re.compile(r"\bSYS_([a-z0-9_]+)")

# Files that only name or repeat calls of the program itself, or make calls at
# the start of a program, at its exec or in a worker that clew starts.
OTHERS = re.compile(r"(arch/\w+/)?preload/(front/|session/init\.c|"
                    r"patch/(quiesce|pc_query)\.c|sys/system_call\.h)")

# A thread installs a filter that kills the process at process_vm_readv(),
# and waits.
FILTERED_THREAD = """
import sys, threading, time
sys.path.insert(0, {folder!r})
from lib import seccomp
def filtered():
    seccomp.Filter().kill("process_vm_readv").install()
    print("filtered", flush=True)
    time.sleep(1000)
threading.Thread(target=filtered, daemon=True).start()
time.sleep(1000)
"""

STRICT = r"""
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(void)
{
	char byte;
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	return read(0, &byte, 1) != 1;
}
"""


class LikeDockers(CountingTarget):
    def filter(self):
        return seccomp.like_dockers()

    def start(self, argv, **options):
        return super().start(argv, preexec_fn=self.filter().install, **options)

    def test_counts_are_exact(self):
        self.check_exact_counts()

    def test_a_filtered_process_is_counted_with_each_kind_of_time(self):
        for kind in ("cpu", "wall", "exact"):
            with self.subTest(kind):
                self.is_recorded_exactly("--time", kind)

    def test_the_process_survives_many_sessions(self):
        self.survive(SESSIONS)

    def survive(self, sessions):
        self.let_go()
        for _ in range(sessions):
            self.detach(self.attach(self.process))
            self.let_go()
        self.assertEqual(self.word(2), 0, "wrong answers")
        self.assert_as_before(self.process)

    def test_a_killed_controller_is_replaced(self):
        self.check_killed_controller()

    @slow
    def test_the_process_survives_two_hundred_sessions(self):
        self.survive(10 * SESSIONS)


class LikeRediss(LikeDockers):
    """The filters of Debian's redis-server.service."""

    def filter(self):
        if not units.are_known():
            self.skipTest("no systemd or redis-server here")
        return units.redis()


class LikeMemcacheds(LikeRediss):
    """The filters of Debian's memcached.service."""

    def filter(self):
        super().filter()
        return units.memcached()


class Avoided(LikeDockers):
    """A filter kills at each call that clew can do without."""

    def filter(self):
        return seccomp.Filter().kill(*AVOIDABLE)


class Changed(CountingTarget):
    """Code is changed while threads run behind a filter."""

    def start(self, argv, **options):
        return super().start(
            argv, preexec_fn=seccomp.like_dockers().install, **options)

    def test_a_live_probe_is_hit(self):
        self.let_go()
        controller = self.attach(self.process)
        done = self.clew("probe", "add", self.process.pid, "attached_leaf")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.let_go()
        self.detach(controller)
        probe, = self.clew_json("report", "--json",
                                self.recording_path)["probes"]
        self.assertGreater(probe["hits"], 200)
        self.assert_as_before(self.process)

    def test_a_budget_leaves_functions_out(self):
        self.let_go()
        controller = self.attach(self.process, "--budget=1%")
        for _ in range(20):
            self.let_go()
        self.detach(controller)
        self.assertIn("left out:", self.details(self.recording_path))
        self.assert_as_before(self.process)


class Refused(Attached):
    def waiting(self, chosen):
        """Starts a process that waits behind this filter."""
        process = self.start(["cat"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, preexec_fn=chosen.install)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        process.stdin.write(b"!")
        process.stdin.flush()
        process.stdout.read(1)  # This byte shows that the loader is done.
        return process

    def assert_refused(self, process, *words):
        done = self.clew("attach", "--for=1s", "-o", self.recording_path,
                         process.pid)
        self.assert_one_line_error(done, "seccomp filter", *words)
        self.assertFalse(self.recording_path.exists())
        self.assert_as_before(process)

    def test_the_first_call_that_is_not_let_through_is_named(self):
        for chosen, words in (
                (seccomp.Filter().kill("process_vm_readv"),
                 ["may kill it at the system call process_vm_readv"]),
                (seccomp.Filter().refuse("getrusage", errno.EPERM),
                 ["refuses the system call getrusage"])):
            with self.subTest(words):
                self.assert_refused(self.waiting(chosen), *words)

    def test_filters_of_one_thread_count(self):
        process = self.start(
            [PYTHON, "-c", FILTERED_THREAD.format(
                folder=str(ROOT / "tests" / "e2e"))], stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), b"filtered\n")
        self.assert_refused(process, "process_vm_readv")

    def test_only_root_can_read_a_filter(self):
        user, = isolation.make_users(self, 1)
        self.work.chmod(0o777)
        process = self.start(["sleep", "1000"], user=user.uid, group=user.gid,
                             preexec_fn=seccomp.like_dockers().install)
        done = subprocess.run(
            [clewtest.CLEW, "attach", "--for=1s", "-o", self.recording_path,
             str(process.pid)], user=user.uid, group=user.gid, cwd=self.work,
            env=self.environment, capture_output=True, text=True, check=False)
        self.assert_one_line_error(done, "seccomp filter", "cannot read",
                                   "it takes root")
        self.assert_as_before(process)

    def test_the_strict_mode_is_refused(self):
        source = self.work / "strict.c"
        source.write_text(STRICT)
        program = self.work / "strict"
        self.run_program(["cc", "-o", program, source])
        process = self.start([program], stdin=subprocess.PIPE)
        self.addCleanup(process.stdin.close)
        status = pathlib.Path(f"/proc/{process.pid}/status")
        self.assertTrue(clewtest.until(
            lambda: "Seccomp:\t1\n" in status.read_text()))
        self.assert_one_line_error(
            self.clew("attach", "--for=1s", process.pid), "strict mode")
        self.assertIsNone(process.poll())


class Listed(clewtest.Case):
    def test_each_call_of_the_library_is_checked(self):
        checked = set(re.findall(
            r"\{ (?:CALL|WITH|BITS)\((\w+)",
            (ROOT / "cli/target/own_calls.c").read_text()))
        for path in (ROOT / "arch").glob("*/machine/own_system_calls.h"):
            checked |= set(re.findall(r"call\((\w+)\)", path.read_text()))
        made = {}
        for path in [*(ROOT / "preload").rglob("*.[ch]"),
                     *(ROOT / "arch").glob("*/preload/**/*.[chS]")]:
            name = str(path.relative_to(ROOT))
            if OTHERS.match(name):
                continue
            for call in CALL.findall(path.read_text()):
                made.setdefault(call, name)
        self.assertEqual({call: name for call, name in made.items()
                          if call not in checked}, {})

    def test_the_flags_of_the_librarys_task_are_checked(self):
        checked, made = (
            set(re.findall(r"\bCLONE_\w+", (ROOT / path).read_text()))
            for path in ("cli/target/own_calls.c", "preload/sys/task.c"))
        self.assertEqual(checked, made)


if __name__ == "__main__":
    clewtest.main()
