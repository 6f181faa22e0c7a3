#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests limits that a program inherits, and limits that it sets for itself.

A limit affects a recorded program as it affects a native one, and the counts
under it are exact.
"""
import errno
import resource

from lib import clewtest, seccomp
from lib.clewtest import slow, target

GIB = 1 << 30
SHADOW_BYTES = 8 << 40


def limit_by(which, limit):
    return lambda: resource.setrlimit(which, (limit, limit))


def refuse_shadow():
    seccomp.Filter().refuse_longer("mmap", 1, SHADOW_BYTES - 1,
                                   errno.ENOMEM).install()


# There is no address space for the whole shadow. The test cannot set
# vm.overcommit_memory=2, so a filter refuses the mappings that the kernel
# would.
SHADOWLESS = {
    "ulimit -v": limit_by(resource.RLIMIT_AS, 4 * GIB),
    "ulimit -d": limit_by(resource.RLIMIT_DATA, GIB),
    "overcommit": refuse_shadow,
}


class ShadowInPieces(clewtest.Case):
    """The shadow is mapped in pieces on demand, which is slower and equally
    exact."""

    def check(self, name, *arguments, images=1, options=()):
        for limit, before_exec in SHADOWLESS.items():
            with self.subTest(limit):
                self.before_exec = before_exec
                for old in self.truths.iterdir():
                    old.unlink()
                self.environment.pop("TRUTH_DIR", None)
                recording, _ = self.record_target([target(name), *arguments],
                                                  options, images)
                for part in recording.parts:
                    self.assert_nothing_lost(part)

    def test_recursion_is_counted(self):
        self.check("recursion")

    @slow
    def test_deep_recursion_is_counted(self):
        self.check("deep", "100000", options=["--fold-recursion=never"])

    def test_tail_calls_are_counted_with_a_shadow_in_pieces(self):
        self.check("tail")

    def test_signals_are_counted(self):
        self.check("signals")

    def test_threads_are_counted(self):
        self.check("threads")

    def test_exceptions_are_counted(self):
        self.check("exceptions")

    def test_jumps_are_counted(self):
        self.check("jumps")

    def test_backtraces_are_counted(self):
        self.check("backtraces")

    @slow
    def test_cancelled_threads_are_counted_with_a_shadow_in_pieces(self):
        self.check("cancel")

    def test_coroutines_are_counted(self):
        self.check("coroutines_ucontext")
        self.check("coroutines_switch")

    def test_stack_overflows_are_counted_with_a_shadow_in_pieces(self):
        self.check("overflow", "exact")
        self.check("overflow", "thread")

    def test_forks_are_counted(self):
        self.check("processes", "fork", images=13)
        self.check("processes", "forkexec", images=9)

    def test_registers_are_preserved(self):
        self.before_exec = SHADOWLESS["ulimit -v"]
        recorded = self.record([target("registers")], text=True)
        self.assertEqual((recorded.stdout, recorded.returncode),
                         ("errors 0\n", 0))
        self.assertTrue(self.recording().parts[0].counts())


class Tight(clewtest.Case):
    """A limit that leaves room for the program and a little for clew."""

    def test_program_runs_and_is_counted(self):
        self.before_exec = limit_by(resource.RLIMIT_AS, 128 << 20)
        argv = [target("recursion")]
        self.assert_same_behaviour(self.run_program(argv), self.record(argv))
        self.assertTrue(self.recording().parts[0].counts())


class Own(clewtest.Case):
    """The program sets limits while it runs."""
    SCRIPT = """
import os, resource, sys
M = 1 << 20
AS, DATA = resource.RLIMIT_AS, resource.RLIMIT_DATA
def show():
    print([resource.getrlimit(which) for which in (AS, DATA)], flush=True)
def try_to_have(size):
    try:
        bytearray(size)
        print("had", size)
    except MemoryError:
        print("had not", size)
show()
resource.setrlimit(AS, (300 * M, 400 * M))
resource.setrlimit(DATA, (250 * M, 350 * M))
show()
try_to_have(100 * M)
try_to_have(1024 * M)
print(resource.prlimit(0, AS, (200 * M, 400 * M)),
      resource.prlimit(os.getpid(), DATA, (100 * M, 300 * M)))
show()
try_to_have(10 * M)
try_to_have(600 * M)
if not os.fork():
    show()
    os._exit(0)
os.wait()
os.execv("/bin/bash", ["bash", "-c", "ulimit -v -d; ulimit -d 50000; "
         "ulimit -d; exec bash -c 'ulimit -v -d'"])
"""

    def test_limits_bind_as_they_do_natively(self):
        argv = [clewtest.PYTHON, "-c", self.SCRIPT]
        native = self.run_program(argv, text=True)
        self.assertEqual(native.stdout.count("had not"), 2, native.stderr)
        self.assert_same_behaviour(native, self.record(argv, text=True))
        for part in self.recording().parts:
            self.assertTrue(part.counts())

    def test_few_descriptors_suffice(self):
        script = ("import os, resource\n"
                  "resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))\n"
                  "n = []\n"
                  "try:\n"
                  "    while True: n.append(os.dup(0))\n"
                  "except OSError as e: print(len(n), e.errno)\n")
        argv = [clewtest.PYTHON, "-c", script]
        self.assert_same_behaviour(self.run_program(argv), self.record(argv))

    def test_a_stack_limit_is_respected(self):
        argv = ["/bin/sh", "-c", f"ulimit -s 256; {target('deep')} 2000"]
        self.assert_same_behaviour(self.run_program(argv), self.record(argv))


if __name__ == "__main__":
    clewtest.main()
