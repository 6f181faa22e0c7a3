#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Handlers of probes are functions of a shared object that a probe calls."""
import pathlib
import re
import signal
import subprocess

from lib import clewtest
from lib.clewtest import CLEW
from lib.handlers import COUNT, HERE, Case

COMPILERS = ["gcc", "clang"]


class Registers(Case):
    def test_handler_changes_one_register(self):
        for compiler in COMPILERS:
            sums = self.handled(["--probe=plain", "--handler",
                                 f"{self.general(compiler)}:more"], "calls")
            self.assertEqual(sums, str(sum(range(COUNT)) + COUNT))
            self.assertEqual(self.probes["p1"]["hits"], COUNT)
            self.assertEqual(self.probes["p1"]["not_called"], 0)

    def test_handler_changes_all_registers(self):
        """Handlers can change all registers, including callee-saved ones and
        flags."""
        words = self.handled(["--probe", self.address("spot"), "--handler",
                              f"{self.general()}:all"], "registers").split()
        self.assertEqual(words[0], "12345677")  # ~0 plus the operand of lea
        self.assertEqual(words[1:14], 13 * ["f" * 16])
        self.assertEqual(int(words[14], 16), (0x44 ^ 0xcd5) & ~0x400)

    def test_handler_without_the_macro_is_called(self):
        sums = self.handled(["--probe=plain", "--handler",
                             f"{self.vectors()}:undeclared"], "calls")
        self.assertEqual(sums, str(2 * sum(range(COUNT))))

    def test_text_and_condition_use_registers(self):
        letters = self.handled([
            "--probe=plain%return", "--action=if $rax < 8",
            "--handler", f"{self.general()}:letter"], "calls", 12)
        native = sum(range(12))
        self.assertEqual(int(letters), native - sum(range(8)))
        self.assertEqual((self.probes["p1"]["hits"],
                          self.probes["p1"]["refused"]), (8, 4))
        # rdi still has the argument.
        letters = self.handled([
            "--probe=plain%return", "--handler",
            f"{self.general()}:letter ab c"], "calls", 8)
        self.assertEqual(int(letters), 2 * sum(map(ord, "ab c")))


class Kept(Case):
    @clewtest.unittest.skipUnless(
        re.search(r"^flags\s*:.*\bavx\b",
                  pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"),
                  re.M), "the program uses AVX")
    def test_vectors_and_errno_are_preserved(self):
        """The handler preserves all of ymm, the red zone, a full x87 stack and
        errno."""
        native = self.run_program([self.program, "vectors", "40"], text=True)
        self.assertEqual(native.stdout, "0 5\n")
        self.assertEqual(self.handled(
            ["--probe", self.address("kept"), "--handler",
             f"{self.vectors()}:spoil_all"], "vectors"), "0 5")
        self.assertEqual(self.probes["p1"]["hits"], COUNT)


class Calls(Case):
    def test_calls_of_a_handler_are_not_counted(self):
        sums = self.handled([
            "--probe=plain", "--handler", f"{self.vectors()}:calls_back",
            "--probe=helper", "--action=record arg1"], "calls")
        self.assertEqual(sums, str(sum(range(COUNT))))
        names = {row["name"] for row in self.report["functions"]}
        self.assertNotIn("helper", names)
        self.assertEqual((self.probes["p2"]["hits"],
                          self.probes["p2"]["in_handlers"]), (0, COUNT))
        text = self.details(self.recording_path)
        self.assertRegex(text, rf"lost: {COUNT} calls were not counted: made "
                               "in handlers of probes")

    def test_a_signal_handler_may_jump_out(self):
        """After the signal handler's jump, calls count and the probe is hit as
        before."""
        words = self.handled(["--probe=jumps", "--handler",
                              f"{self.vectors()}:signals"], "signals").split()
        left = range(0, COUNT, 5)
        self.assertEqual(words, [str(sum(range(COUNT)) - sum(left)),
                                 str(len(left)), str(sum(range(10)))])
        self.assertEqual((self.probes["p1"]["hits"],
                          self.probes["p1"]["in_handlers"]), (COUNT, 0))
        calls = {row["name"]: row["calls"] for row in self.report["functions"]}
        self.assertEqual((calls["jumps"], calls["plain"]), (COUNT, 10))

    def test_handler_knows_the_calling_context(self):
        self.assertEqual(self.handled(
            ["--probe=answers%return", "--handler",
             f"{self.general()}:context"], "answers"), str(COUNT))


class Crashes(Case):
    def check_named(self, text):
        self.assertRegex(text, r"probe p1.*: its handler \S+/general-gcc\.so:"
                               r"crash crashed with SIGSEGV \(address 0x18\), "
                               r"at general-gcc\.so\+0x\w+, in thread \d+\n")
        [crash] = self.probes["p1"]["crashes"]
        self.assertEqual((crash["signal"], crash["address"]),
                         (signal.SIGSEGV, 0x18))

    def test_crash_in_a_handler_names_it_and_kills(self):
        self.handled(["--probe=plain", "--handler",
                      f"{self.general()}:crash"], "calls")
        self.assertEqual(self.done.returncode, -signal.SIGSEGV)
        self.check_named(self.done.stderr)
        self.check_named(self.details(self.recording_path))
        self.assertEqual(self.probes["p1"]["hits"], 8)

    def test_program_catches_a_crash_in_a_handler(self):
        out = self.handled(["--probe=plain", "--handler",
                            f"{self.general()}:crash"], "segv")
        self.assertEqual((out, self.done.returncode), ("caught", 3))
        self.check_named(self.done.stderr)

    def test_crash_of_the_program_is_not_blamed_on_a_handler(self):
        path = self.work / "crashes.c"
        path.write_text("int main(void) { return *(volatile int *)8; }")
        self.program = self.work / "crashes"
        self.compile("gcc", "-o", self.program, path)
        self.handled(["--probe=main", "--handler",
                      f"{self.general()}:tally"], "")
        self.assertEqual(self.done.returncode, -signal.SIGSEGV)
        self.assertEqual(self.done.stderr, "")
        self.assertEqual(self.probes["p1"]["crashes"], [])


class Refused(Case):
    def refused(self, handler):
        done = self.record([self.program], ["--probe=plain", "--handler",
                                            handler], text=True)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        return done.stderr

    def test_handler_is_refused_with_a_reason(self):
        general = self.general()
        self.assertIn("none.so: No such file", self.refused("./none.so:f"))
        self.assertIn("not a shared object",
                      self.refused(f"{HERE / 'handled.c'}:f"))
        self.assertIn("exports no function f", self.refused(f"{general}:f"))
        self.assertIn("not OBJECT:FUNCTION", self.refused("no.so"))

    def test_handler_that_imports_vector_code_is_refused(self):
        path = self.work / "lies.c"
        path.write_text('#include "clew_handler.h"\n#include <string.h>\n'
                        "CLEW_HANDLER(lies) { hit->registers->rdi = "
                        "strlen(hit->text); }")
        self.compile("gcc", "-mgeneral-regs-only", "-shared", "-fPIC", "-o",
                     self.work / "lies.so", path)
        self.assertIn("its object imports strlen, which may use others",
                      self.refused("./lies.so:lies"))

    def test_forbidden_call_of_a_handler_is_named(self):
        path = self.work / "loud.c"
        path.write_text('#include "clew_handler.h"\n#include <stdio.h>\n'
                        '__attribute__((constructor)) static void begin(void)'
                        '{ puts("hello"); fflush(stdout); }\n'
                        "CLEW_HANDLER(loud) { }")
        self.compile("gcc", "-shared", "-fPIC", "-o", self.work / "loud.so",
                     path)
        out = self.handled(["--probe=plain", "--handler=./loud.so:loud"],
                           "calls")
        found = re.match(r"clew: \./loud\.so imports (.*), which handlers must "
                         "not call; see libclew-handler\\(3\\)\n$",
                         self.done.stderr)
        self.assertEqual(sorted(found[1].split(", ")),
                         ["fflush", "puts", "stdout"])
        self.assertEqual(out, f"hello\n{sum(range(COUNT))}")


class Live(Case):
    def begin(self, prefix):
        self.process = subprocess.Popen(
            [*prefix, self.program, "waits"], text=True, cwd=self.work,
            env=self.environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        self.addCleanup(self.process.stdout.close)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        self.addCleanup(self.process.stdin.close)
        self.assertEqual(self.sums(), (sum(range(COUNT)),) * 2)

    def sums(self):
        self.process.stdin.write(f"{COUNT}\n")
        self.process.stdin.flush()
        return tuple(map(int, self.process.stdout.readline().split()))

    def end(self):
        self.process.stdin.close()
        self.assertEqual(self.process.wait(), 0)
        self.read()

    def test_handlers_are_added_and_removed_at_run_time(self):
        self.begin([CLEW, "record", "-q", "--time=none", "-o",
                    self.recording_path, "--"])
        [part] = pathlib.Path(self.recording_path).glob("*.part")
        pid = part.name.split(".")[0]
        plain = (sum(range(COUNT)),) * 2
        more = (sum(range(COUNT)) + COUNT,) * 2
        for _ in range(10):
            done = self.clew("probe", "add", pid, "plain", "--handler",
                             f"{self.general()}:more")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.sums(), more)
            done = self.clew("probe", "rm", pid, "--all")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.sums(), plain)
        self.end()
        self.assertEqual(self.probes["p1"]["hits"], 10 * 2 * COUNT)
        modules = self.clew("list", self.recording_path).stdout
        self.assertRegex(modules, r"general-gcc\.so: not hooked: it contains "
                                  "the handler of a probe")

    def test_handlers_run_in_an_attached_process(self):
        self.begin([])
        pid = str(self.process.pid)
        attached = subprocess.Popen(
            [CLEW, "attach", "-q", "--time=none", "-o", self.recording_path,
             "--probe=plain", "--handler", f"{self.vectors()}:undeclared",
             pid], cwd=self.work, env=self.environment)
        self.addCleanup(attached.wait)
        self.addCleanup(attached.kill)
        clewtest.until(lambda: self.sums() == (2 * sum(range(COUNT)),) * 2)
        attached.send_signal(signal.SIGINT)
        self.assertEqual(attached.wait(), 0)
        self.assertEqual(self.sums(), (sum(range(COUNT)),) * 2)
        status = pathlib.Path(f"/proc/{pid}/status").read_text(
            encoding="utf-8")
        caught = int(re.search(r"^SigCgt:\s*(\w+)", status, re.M)[1], 16)
        for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE,
                       signal.SIGILL):
            self.assertEqual(caught >> number - 1 & 1, 0)
        self.end()
        self.assertGreater(self.probes["p1"]["hits"], 0)


if __name__ == "__main__":
    clewtest.main()
