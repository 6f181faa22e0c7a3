#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Programs that copy stacks work: coroutines on one stack, and
continuations."""
import subprocess
import unittest

from lib import clewtest
from lib.clewtest import needs, slow, target

GREENLETS = """
import greenlet
def rec(n, f): return f() if n == 0 else rec(n - 1, f) + 1
main = greenlet.getcurrent()
def worker(i):
    s = 0
    for k in range(30):
        s += sorted([3, 1, 2], key=lambda x: rec(
            k % 7, lambda: main.switch(x + i) or 0))[0]
    return s
all = [greenlet.greenlet(lambda i=i: worker(i)) for i in range(20)]
total = 0
while any(not g.dead for g in all):
    for g in all:
        if not g.dead: total += g.switch()
print(total)
"""

CALLCC_RUBY = """
require 'continuation'
k = nil; n = 0; s = []
[1, 2, 3].each { |x| s << callcc { |c| k = c; x } }
n += 1
k.call(n) if n < 20
p n, s
"""

CALLCC_SCHEME = """
(define k #f) (define n 0)
(for-each (lambda (x) (call/cc (lambda (c) (set! k c))) (set! n (+ n 1)))
          (sort '(1 2 3) <))
(if (< n 20) (k #f)) (display n) (newline)
(define kk #f) (define m 0)
(display (sort '(3 1 2) (lambda (a b) (call/cc (lambda (c) (set! kk c)))
                                      (< a b))))
(set! m (+ m 1)) (if (< m 5) (kk #t)) (display m) (newline)
"""


# The program occupies more memory than lies below its start address. memmove()
# and longjmp() are bound lazily.
LAZY_PROGRAM = r"""
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
char room[32 << 20];
static jmp_buf place;
__attribute__((noinline)) static void jump(int n) { longjmp(place, n); }
int main(int count, char **arguments)
{
	int times = setjmp(place);

	memcpy(room + (count << 20), arguments[0], strlen(arguments[0]));
	memmove(room + count, room, 4096 * (unsigned long)count);
	if (times < 5)
		jump(times + 1);
	printf("%d\n", times);
	return 0;
}
"""


def has_greenlet():
    return not subprocess.run(
        [clewtest.PYTHON, "-c", "import greenlet"], check=False,
        stderr=subprocess.DEVNULL).returncode


class Copies(clewtest.Case):
    def check(self, name, *arguments, options=(), flavours=("O2",)):
        """Checks that behaviour, counts and contexts equal the program's own,
        in each flavour."""
        for flavour in flavours:
            with self.subTest(f"{flavour} {' '.join(arguments)}"):
                self.environment.pop("TRUTH_DIR", None)
                for old in self.truths.iterdir():
                    old.unlink()
                recording, _ = self.record_target(
                    [target(name, flavour), *arguments],
                    ["--verify-period=1", *options])
                part = recording.parts[0]
                self.assert_nothing_lost(part)
                self.assertEqual([0] * len(part.tallies), [
                    tally.firsts_wrong for tally in part.tallies.values()])


class Jumps(Copies):
    """Copies a part of the stack between setjmp() and longjmp()."""

    def check_all(self, copying, *jumpings,
                  flavours=("O2", "O0", "Os", "O3", "cet")):
        for jumping in jumpings:
            self.check("copied_jump", copying, jumping, flavours=flavours)

    def test_stack_copied_by_memcpy_is_followed(self):
        self.check_all("memcpy", "after")
        self.check_all("memcpy", "before", "builtin",
                       flavours=("O2", "O0", "O3", "cet"))

    def test_stack_copied_by_memmove_is_followed(self):
        self.check_all("memmove", "after", "before", "builtin")

    def test_stack_copied_in_pieces_is_followed(self):
        self.check_all("pieces", "after")

    def test_stack_copied_by_bytes_is_followed(self):
        self.check_all("bytes", "after")

    def test_stack_copied_by_words_is_followed(self):
        self.check_all("words", "after")

    def test_stack_copied_by_a_string_instruction_is_followed(self):
        self.check_all("string", "after")

    def test_a_slice_of_one_frame_is_restored(self):
        flavours = "O2", "O0", "Os", "O3", "cet"
        self.check("one_frame", flavours=flavours)
        self.check("one_frame", "data", flavours=flavours)
        self.check("one_frame", "builtin", flavours=("O2", "O0", "O3", "cet"))

    def test_frames_far_apart_are_followed_in_copies(self):
        self.check("one_frame", "far", flavours=("O2", "Os", "O3", "cet"))


class Places(clewtest.Case):
    def test_trampolines_lie_in_our_range(self):
        """Trampolines never use a free range that the kernel chose, which the
        program may need."""
        done = self.record(["/bin/sh", "-c", "cat /proc/$$/maps; :"],
                           ["--jit-callers"])
        starts = [int(line.split("-")[0], 16)
                  for line in done.stdout.decode().splitlines()
                  if line.split()[1] == "r-xp"]
        self.assertTrue([  # a block of trampolines begins with its image
            start for start in starts
            for first in (0x570000000000, 0x4e0000000000, 0x3f0000000000)
            if first <= start < first + (1 << 40) and not start % (1 << 24)],
            starts)


class Neighbours(Copies):
    def test_memory_behind_a_stack_is_not_touched(self):
        self.check("neighbour")

    def test_adjacent_stacks_are_told_apart(self):
        self.check("adjoining", flavours=("O2", "O0"),
                   # no stack space for signal handlers
                   options=["--time=none"])

    def test_data_that_looks_like_a_waiting_call_stays_as_it_is(self):
        self.check("mistaken", flavours=("O2", "frame"))


class Runtimes(clewtest.Case):
    def check(self, name, program, *argv):
        (self.work / name).write_text(program, encoding="ascii")
        native = self.run_program([*argv, name])
        self.assertTrue(native.stdout)
        for options in (), ("--libc",), ("--time=exact",):
            with self.subTest(options):
                recorded = self.record([*argv, name], options)
                self.assert_same_behaviour(native, recorded)
                part, *_ = self.recording().parts
                self.assertTrue(part.counts())

    @unittest.skipUnless(has_greenlet(), "no python3-greenlet here")
    def test_greenlets_are_counted(self):
        self.check("greenlets.py", GREENLETS, clewtest.PYTHON)

    @needs("pypy3")
    @slow
    def test_greenlets_of_pypy_are_counted(self):
        self.check("greenlets.py", GREENLETS, "pypy3")

    @needs("ruby")
    def test_continuations_of_ruby_are_counted(self):
        self.check("continuations.rb", CALLCC_RUBY, "ruby")

    @needs("guile")
    def test_continuations_of_guile_are_counted(self):
        self.check("continuations.scm", CALLCC_SCHEME, "guile",
                   "--no-auto-compile")


class Lazy(clewtest.Case):
    def test_large_copies_in_lazily_bound_programs_are_followed(self):
        source, program = self.work / "lazy.c", self.work / "lazy"
        source.write_text(LAZY_PROGRAM, encoding="utf-8")
        done = self.run_program(
            ["cc", "-O1", "-fno-builtin", "-no-pie", "-fno-pie",
             "-Wl,-z,lazy", source, "-o", program], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        for options in ([], ["--libc"]):
            self.assert_same_behaviour(self.run_program([program]),
                                       self.record([program], options))


if __name__ == "__main__":
    clewtest.main()
