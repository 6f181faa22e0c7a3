#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""If the controller of `clew attach` dies, its guardian detaches all
processes."""
import os
import pathlib
import random
import resource
import signal
import struct
import subprocess

from lib import clewtest
from lib.attached import PATIENCE_S, Attached, changed_code, children
from lib.clewtest import CLEW, slow, target, until
from lib.families import Family, Grouped

SESSIONS, SESSIONS_OF_SLOW = 10, 200
FATAL = (signal.SIGKILL, signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT)


def name_of(pid):
    return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()


class Guarded(Attached):
    def counting(self, name="shared", threads=4):
        """Returns (a process that checks its own results, its shared
        memory)."""
        process, memory = self.shared(name, [target("attached"), threads])
        struct.pack_into("<Q", memory, 8, 1)
        return process, memory

    def guardian(self, controller):
        return next(pid for pid in children(controller.pid)
                    if name_of(pid) == "clew-guardian")

    def assert_goes_on(self, memory):
        """Asserts that the process makes calls and that each result is
        right."""
        def rounds():
            return sum(struct.unpack_from("<64Q", memory, 8 * 68))
        before = rounds()
        self.assertTrue(until(lambda: rounds() > before + 100))
        self.assertEqual(struct.unpack_from("<Q", memory, 16)[0], 0)

    def assert_detached(self, *processes):
        """Asserts that the guardian detaches the processes soon, without any
        other action."""
        for process in processes:
            self.assertTrue(until(lambda p=process: self.is_as_before(p)),
                            "it stays attached")
            self.assert_one_line_error(self.clew("detach", process.pid),
                                       "not attached")
            self.assert_as_before(process)

    def is_as_before(self, process):
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        if "TracerPid:\t0\n" not in status or \
                changed_code(process.pid):
            return False
        shown = self.clew("status").stdout
        return not any(line.split()[:1] == [str(process.pid)]
                       for line in shown.splitlines())


class OneProcess(Guarded):
    def test_any_fatal_signal_of_the_controller_detaches(self):
        process, memory = self.counting()
        for number in FATAL:
            controller = self.attach(process)
            controller.send_signal(number)
            said = controller.stderr.read()  # includes output of the guardian
            self.assertEqual(controller.wait(PATIENCE_S), -number)
            self.assertIn(f"clew attach (process {controller.pid}) ended "
                          "without detaching", said)
            self.assertIn(f"detached from process {process.pid}", said)
            self.assert_detached(process)
            self.assert_goes_on(memory)
            self.assertGreater(self.calls(may_throw=True)["attached_leaf"], 0)

    def test_a_controller_without_memory_detaches(self):
        process, memory = self.counting()
        # malloc() returns freed memory to the kernel at once.
        self.environment |= {"MALLOC_TRIM_THRESHOLD_": "0",
                             "MALLOC_MMAP_THRESHOLD_": "4096"}
        controller = self.attach(process)
        for limit in resource.RLIMIT_AS, resource.RLIMIT_DATA:
            resource.prlimit(controller.pid, limit, (0, 0))
        controller.send_signal(signal.SIGINT)
        said = controller.stderr.read()
        controller.wait(PATIENCE_S)
        self.assert_detached(process)
        self.assert_goes_on(memory)
        self.assertIn("out of memory", said)
        self.assertIn(f"detached from process {process.pid}", said)

    def test_a_guardian_that_is_killed_changes_nothing(self):
        process, memory = self.counting()
        controller = self.attach(process)
        os.kill(self.guardian(controller), signal.SIGKILL)
        self.detach(controller)
        self.assert_as_before(process)
        self.assert_goes_on(memory)

    def test_a_killed_process_group_is_detached(self):
        process, memory = self.counting()
        controller = subprocess.Popen(
            [CLEW, "attach", "-o", self.recording_path, str(process.pid)],
            cwd=self.work, env=self.environment, stderr=subprocess.PIPE,
            text=True, start_new_session=True)
        self.addCleanup(controller.stderr.close)
        self.assertIn("attached to", controller.stderr.readline())
        os.killpg(controller.pid, signal.SIGKILL)
        controller.wait(PATIENCE_S)
        self.assert_detached(process)
        self.assert_goes_on(memory)

    def test_a_guardian_ends_with_its_controller(self):
        process, _ = self.counting()
        controller = self.attach(process)
        guardian = self.guardian(controller)
        self.detach(controller)
        self.assertFalse(pathlib.Path(f"/proc/{guardian}").exists())

    def test_signals_of_a_terminal_end_the_controller_as_before(self):
        """^C goes to the process group, which does not contain the guardian."""
        process, memory = self.counting()
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            controller = subprocess.Popen(
                [CLEW, "attach", "-o", self.recording_path, str(process.pid)],
                cwd=self.work, env=self.environment, stderr=subprocess.PIPE,
                text=True, start_new_session=True)
            self.assertIn("attached to", controller.stderr.readline())
            os.killpg(controller.pid, number)
            said = controller.stderr.read()
            controller.stderr.close()
            self.assertEqual(controller.wait(PATIENCE_S), 0, said)
            self.assertNotIn("without detaching", said)
            self.assert_as_before(process)
        self.assert_goes_on(memory)


class SeveralProcesses(Guarded):
    def test_all_of_a_session_are_detached(self):
        processes, memories = zip(*(self.counting(f"shared{i}", 2)
                                    for i in range(6)))
        controller = subprocess.Popen(
            [CLEW, "attach", "-o", self.recording_path,
             *(str(p.pid) for p in processes)], cwd=self.work,
            env=self.environment, stderr=subprocess.PIPE, text=True)
        self.addCleanup(controller.stderr.close)
        self.assertIn("attached to", controller.stderr.readline())
        controller.kill()
        controller.wait(PATIENCE_S)
        self.assert_detached(*processes)
        for memory in memories:
            self.assert_goes_on(memory)


class Forked(Grouped):
    def test_child_forked_while_attached_is_detached(self):
        family = Family(self, "one", 2)
        controller = self.group("--children", family.pids()[0])
        family.let_go()
        family.grow()
        controller.kill()
        said = controller.stderr.read()
        self.assertIn("without detaching", said)
        self.assert_left(family.pids())


class AtRandomMoments(Guarded):
    def lose_none(self, sessions):
        seed = int.from_bytes(os.urandom(4), "little")
        self.addCleanup(lambda: print("seed", seed))
        moments = random.Random(seed)
        process, memory = self.counting()
        for _ in range(sessions):
            controller = subprocess.Popen(
                [CLEW, "attach", "-q", "-o", self.recording_path, "--for",
                 "50ms", str(process.pid)], cwd=self.work,
                env=self.environment, stderr=subprocess.PIPE, text=True)
            try:
                controller.wait(moments.uniform(.005, .5))
            except subprocess.TimeoutExpired:
                controller.kill()
            said = controller.stderr.read()
            controller.stderr.close()
            controller.wait(PATIENCE_S)
            self.assertNotIn("still attached", said)
            self.assert_detached(process)
            self.assert_goes_on(memory)

    def test_controllers_that_are_killed_lose_no_target(self):
        self.lose_none(SESSIONS)

    @slow
    def test_200_controllers_that_are_killed_lose_no_target(self):
        self.lose_none(SESSIONS_OF_SLOW)


if __name__ == "__main__":
    clewtest.main()
