#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Stacks that are copied: coroutines on one stack, and continuations."""
import clewtest
from clewtest import target


class Copies(clewtest.Case):
    def check(self, name, *arguments, options=(), flavours=("O2",)):
        """Same behaviour, counts and contexts equal the program's own."""
        for flavour in flavours:
            with self.subTest(f"{flavour} {' '.join(arguments)}"):
                self.environment.pop("TRUTH_DIR", None)
                for old in self.truths.iterdir():
                    old.unlink()
                recording, _ = self.record_target(
                    [target(name, flavour), *arguments], options)
                self.assert_nothing_lost(recording.parts[0])


class Jumps(Copies):
    """setjmp and longjmp, with the slice copied in between."""

    def check_all(self, copying, *jumpings,
                  flavours=("O2", "O0", "Os", "O3", "cet")):
        for jumping in jumpings:
            self.check("copied_jump", copying, jumping, flavours=flavours)

    def test_by_memcpy(self):
        self.check_all("memcpy", "after")
        self.check_all("memcpy", "before", "builtin",
                       flavours=("O2", "O0", "O3", "cet"))

    def test_by_memmove(self):
        self.check_all("memmove", "after", "before", "builtin")

    def test_in_pieces(self):
        self.check_all("pieces", "after")

    def test_by_bytes(self):
        self.check_all("bytes", "after")

    def test_by_words(self):
        self.check_all("words", "after")

    def test_by_a_string_instruction(self):
        self.check_all("string", "after")


if __name__ == "__main__":
    clewtest.main()
