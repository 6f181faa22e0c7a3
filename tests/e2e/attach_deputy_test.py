#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A JVM that clew may not trace runs clew itself, through its attach socket."""
import errno
import os
import pathlib
import pwd
import signal
import struct
import subprocess
import unittest

from lib import clewtest, seccomp
from lib.attached import PATIENCE_S, Attached, changed_code
from lib.clewtest import CLEW, PYTHON, needs, until
from lib.java import ALL, JavaAttached

NOBODY = pwd.getpwnam("nobody")
AS_NOBODY = ["setpriv", f"--reuid={NOBODY.pw_uid}", f"--regid={NOBODY.pw_gid}",
             "--clear-groups"]
WITH_A_RIGHT = ["--inh-caps=+net_bind_service",
                "--ambient-caps=+net_bind_service"]
# Prints a line for each SIGQUIT.
CATCHES = ("import signal, sys\n"
           "signal.signal(signal.SIGQUIT, lambda *_: print('quit', flush=True))\n"
           "print('ready', flush=True)\n"
           "while True: signal.pause()\n")


def may_not_trace():
    seccomp.Filter().refuse("ptrace", errno.EPERM).install()


def forged_counters(*, value=b"1", magic=0xcafec0c0, bytes_=64, name_at=20,
                    value_at=44, first=32):
    """Returns a file of performance counters with one entry."""
    header = struct.pack(">I", magic) + bytes([1, 2, 0, 1])
    header += struct.pack("<IIQII", 96, 0, 0, first, 1)
    entry = struct.pack("<IIIBBBBI", bytes_, name_at, 0, ord("B"), 0, 5, 1,
                        value_at)
    return (header + entry + b"sun.rt.jvmCapabilities\0".ljust(24, b"\0") +
            value).ljust(128, b"\0")


class WithDeputy(JavaAttached):
    """clew runs under a filter that refuses ptrace()."""

    def begin(self, *options, command="attach", prefix=(),
              preexec=may_not_trace):
        controller = subprocess.Popen(
            [*prefix, CLEW, command, *options, str(self.process.pid)],
            cwd=self.work, env=self.environment, stderr=subprocess.PIPE,
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
            preexec_fn=preexec)
        for clean_up in (controller.stderr.close, controller.stdout.close,
                         controller.wait, controller.kill):
            self.addCleanup(clean_up)
        return controller

    def begin_session(self, *options, **more):
        """Returns (the controller, the process that the JVM has started)."""
        controller = self.begin("-o", self.recording_path, *options, **more)
        line = controller.stderr.readline()
        self.assertIn("may not trace", line)
        self.assertIn("attached to", controller.stderr.readline())
        return controller, int(line.split()[-1])

    def run_command(self, command, *options, **more):
        controller = self.begin(*options, command=command, **more)
        out, said = controller.communicate(timeout=PATIENCE_S)
        return controller.returncode, out, said

    def end_session(self, controller):
        controller.send_signal(signal.SIGINT)
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 0, said)
        self.assertIn("detached from", said)

    def assert_quiet(self):
        super().assert_quiet()
        children = pathlib.Path(
            f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        self.assertEqual(children.read_text(), "")
        self.assertFalse(
            pathlib.Path(f"/tmp/.attach_pid{self.process.pid}").exists())

    def assert_exact(self, **more):
        before = self.counted()
        controller, _ = self.begin_session(**more)
        self.let_go()
        self.hold()
        self.end_session(controller)
        made = {caller: calls - before[caller]
                for caller, calls in self.counted().items()}
        calls, _ = self.recorded()
        self.assertEqual({caller: calls[caller] for caller in made}, made)
        self.assertGreater(made["hot"], 0)
        self.assert_quiet()


class Sessions(WithDeputy):
    @needs("javac")
    def test_sessions_are_exact(self):
        for self.version in (version for version, home in ALL.items() if home):
            # without the option JDK 21 and later print a warning
            options = ["-XX:+EnableDynamicAgentLoading"] * (self.version >= 21)
            with self.subTest(version=self.version):
                self.start_java(*options)
                for _ in range(2):
                    self.assert_exact()

    @needs("javac")
    def test_a_jvm_that_loads_no_agents_is_refused(self):
        """The JVM's own reason is shown."""
        self.version = 25
        self.start_java("-XX:-EnableDynamicAgentLoading")
        status, _, said = self.run_command("attach", "-q")
        self.assertEqual((status, said.count("\n")), (1, 1), said)
        self.assertIn("its JVM does not help", said)
        self.assertIn("agent", said)
        self.assert_quiet()

    @needs("javac", "setpriv")
    @unittest.skipIf(os.geteuid(), "only root can start programs of others")
    def test_a_jvm_with_more_rights_than_its_user_is_recorded(self):
        os.chown(self.work, NOBODY.pw_uid, NOBODY.pw_gid)
        self.environment["HOME"] = str(self.work)
        self.java = lambda *arguments: [
            *AS_NOBODY, *WITH_A_RIGHT,
            *JavaAttached.java(self, *arguments)]
        self.start_java()
        self.assert_exact(prefix=AS_NOBODY, preexec=None)

    @needs("javac")
    def test_a_killed_command_ends_the_session(self):
        self.start_java()
        controller, child = self.begin_session()
        self.let_go()
        controller.kill()
        controller.wait()
        self.assertTrue(until(
            lambda: not pathlib.Path(f"/proc/{child}").exists()))
        self.hold()
        self.assert_as_before(self.process)
        self.assertGreater(self.recorded()[0]["hot"], 0)

    @needs("javac")
    def test_a_killed_deputy_is_reported(self):
        self.start_java()
        controller, child = self.begin_session()
        self.let_go()
        os.kill(child, signal.SIGKILL)
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 1, said)
        self.assertIn(f"process {child}, which the JVM has started, ended",
                      said)
        self.assertTrue(until(lambda: changed_code(self.process.pid) == []))
        self.hold()
        self.assert_quiet()

    @needs("javac")
    def test_the_deputy_is_no_child_of_the_jvm(self):
        """The JVM gets no SIGCHLD, and none of its own calls finds the deputy."""
        self.start_java()
        controller, child = self.begin_session()
        status = pathlib.Path(f"/proc/{child}/status").read_text()
        self.assertNotIn(f"\nPPid:\t{self.process.pid}\n", status)
        self.end_session(controller)
        self.assert_quiet()

    @needs("javac")
    def test_the_end_of_the_jvm_ends_the_session(self):
        self.start_java()
        controller, _ = self.begin_session()
        self.let_go()
        self.process.kill()
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 0, said)
        self.assertIn("has exited", said)
        self.assertGreater(self.recorded()[0]["hot"], 0)

    @needs("javac")
    def test_other_commands_reach_a_recorded_jvm(self):
        self.start_java()
        controller, _ = self.begin_session()
        self.let_go()
        self.hold()
        status, _, said = self.run_command("snapshot", "-q", "-o", "copy")
        self.assertEqual((status, said), (0, ""))
        calls = {row["name"]: row["calls"] for row in self.clew_json(
            "report", "--json", self.work / "copy")["functions"]}
        self.assertGreater(sum(calls.values()), 0)
        status, out, said = self.run_command("top", "-b", "-n1")
        self.assertEqual((status, said), (0, ""))
        self.assertIn("Attached.hit", out)
        self.assertNotIn("libclew-deputy", out)
        status, _, said = self.run_command("detach")
        self.assertEqual(status, 1)
        self.assertIn("is attached to it", said)
        self.end_session(controller)
        self.assert_quiet()

    @needs("javac")
    def test_exit_status_and_errors_are_those_of_the_command(self):
        self.start_java()
        self.recording_path.mkdir()
        (self.recording_path / "mine").write_text("")
        status, _, said = self.run_command("attach", "-o", self.recording_path)
        self.assertEqual(status, 1)
        self.assertIn("is not a recording", said)
        self.assert_quiet()


class Refused(WithDeputy):
    def assert_refused(self, *expected):
        status, out, said = self.run_command("attach", "-q")
        self.assertEqual((status, out), (1, ""), said)
        self.assertEqual(said.count("\n"), 1, said)
        for text in expected:
            self.assertIn(text, said)

    @needs("javac")
    def test_a_jvm_without_an_attach_socket_prints_no_stacks(self):
        self.start_java("-XX:+DisableAttachMechanism")
        self.assert_refused("cannot be traced")
        self.assert_quiet()

    @needs("javac")
    def test_a_jvm_under_the_same_filter_is_refused(self):
        start = self.start
        self.start = lambda argv, **more: start(
            argv, **more | {"preexec_fn": may_not_trace})
        self.start_java()
        self.assert_refused("cannot be traced")
        self.assert_quiet()

    @needs("javac")
    def test_a_stopped_jvm_prints_no_stacks_later(self):
        self.start_java()
        self.process.send_signal(signal.SIGSTOP)
        self.assertTrue(until(lambda: "T (stopped)" in pathlib.Path(
            f"/proc/{self.process.pid}/status").read_text()))
        self.assert_refused("cannot attach")
        self.process.send_signal(signal.SIGCONT)
        self.let_go()
        self.hold()
        self.assert_quiet()

    @needs("javac")
    @unittest.skipIf(os.geteuid(), "only root can change owners")
    def test_a_file_of_another_user_wakes_no_jvm(self):
        """The JVM would not accept the file, and would print its stacks."""
        self.start_java()
        wish = pathlib.Path(f"/tmp/.attach_pid{self.process.pid}")
        wish.write_text("")
        self.addCleanup(wish.unlink)
        os.chown(wish, NOBODY.pw_uid, NOBODY.pw_gid)
        self.assert_refused("belongs to another user")
        self.let_go()
        self.hold()
        self.assertEqual(self.output(), "")

    def test_no_other_program_gets_sigquit(self):
        self.start_to_talk(PYTHON, "-c", CATCHES)
        self.assertEqual(self.process.stdout.readline(), "ready\n")
        folder = pathlib.Path(
            f"/tmp/hsperfdata_{pwd.getpwuid(os.geteuid()).pw_name}")
        existed = folder.exists()
        folder.mkdir(exist_ok=True)
        counters = folder / str(self.process.pid)
        forged = [b"", b"\xca\xfe", forged_counters()[:40],
                  forged_counters(value=b"0"), forged_counters(magic=0),
                  forged_counters(bytes_=0, name_at=0),
                  forged_counters(bytes_=0xffffffff, name_at=0xffffffff),
                  forged_counters(value_at=0xfffffff0),
                  forged_counters(first=0xfffffff0), os.urandom(4096)]
        for content in forged:
            with self.subTest(content=content[:80]):
                counters.write_bytes(content)
                self.assert_refused("cannot be traced")
        counters.unlink()
        counters.symlink_to("/dev/zero")
        self.assert_refused("cannot be traced")
        counters.unlink()
        if not existed:
            folder.rmdir()
        self.process.terminate()
        self.assertEqual(self.process.stdout.read(), "")


class Alone(Attached):
    def test_a_command_without_its_other_side_ends(self):
        """As if a JVM had started clew, and clew's other side were gone."""
        done = self.run_program(
            ["/bin/sh", "-c", f"CLEW_DEPUTY=1 {CLEW} --version 3</dev/null; "
             f"CLEW_DEPUTY=1 {CLEW} status 3</dev/null"], text=True)
        self.assertEqual((done.returncode, done.stdout.count("\n")), (1, 1))


if __name__ == "__main__":
    clewtest.main()
