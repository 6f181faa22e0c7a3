#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Signals may arrive in the middle of a jump, and a jump may call functions
(targets/landings.c). A handler may also throw (targets/signal_throws.cc)."""
import collections

from lib import clewtest
from lib.clewtest import target


class Landings(clewtest.Case):
    def land(self, way, *options, flavour="O2"):
        argv = [target("landings", flavour), way]
        native = self.run_program(argv)
        self.assertEqual((native.stdout, native.returncode),
                         (b"80 handled\n", 0))
        recording, _ = self.record_target(argv, options)
        self.assert_nothing_lost(recording.parts[0])

    def test_siglongjmp_lands(self):
        self.land("siglongjmp")

    def test_siglongjmp_lands_in_unoptimized_code(self):
        self.land("siglongjmp", flavour="O0")

    def test_siglongjmp_lands_with_exact_times(self):
        self.land("siglongjmp", "--time=exact")

    def test_siglongjmp_lands_with_the_c_library_hooked(self):
        self.land("siglongjmp", "--libc", "--verify-period=1")

    def test_setcontext_lands(self):
        self.land("setcontext")

    def test_setcontext_lands_in_unoptimized_code(self):
        self.land("setcontext", flavour="O0")


class Faults(clewtest.Case):
    LANDINGS = 40

    def land(self, way="fault", options=(), flavour="O2"):
        recording, (one,) = self.record_target(
            [target("landings", flavour), way],
            ["--libc", "--verify-period=1", *options])
        (part,) = recording.parts
        self.assert_nothing_lost(part)
        self.assertEqual([tally.firsts_wrong
                          for tally in part.tallies.values()], [0])
        self.assertIn(self.LANDINGS, self.calls_of_libc(part, one, "on_fault"))

    def calls_of_libc(self, part, one, name):
        """Returns how often the function called each function of libc."""
        (vaddr,) = {vaddr for (_, vaddr), known in one.names.items()
                    if known == name}
        contexts, counts = part.contexts(), part.counts()
        calls = collections.Counter()
        for context in contexts.values():
            function = part.functions[context.function]
            above = contexts.get(context.parent)
            if above and part.functions[above.function].vaddr == vaddr and \
                    function.module.name.startswith("libc.so"):
                calls[function.vaddr] += counts[context.id]
        return calls.values()

    def test_signals_may_interrupt_a_jump_on_one_stack(self):
        self.land()

    def test_signals_may_interrupt_a_jump_in_unoptimized_code(self):
        self.land(flavour="O0")

    def test_signals_may_interrupt_a_jump_from_a_signal_stack(self):
        self.land("alternate")

    def test_signals_may_interrupt_a_jump_with_exact_times(self):
        self.land("alternate", options=["--time=exact"])


class Throws(clewtest.Case):
    """A signal handler on an alternate stack throws to the other stack."""

    def throw(self, *options):
        argv = [target("signal_throws")]
        native = self.run_program(argv)
        self.assertEqual(native.returncode, 0)
        self.assertIn(b"3 caught", native.stdout)
        self.assert_same_behaviour(native, self.record(argv, options))
        (part,) = self.recording().parts
        self.assert_nothing_lost(part)
        return part

    def test_exceptions_land_on_the_interrupted_stack(self):
        self.throw("--verify-period=1")

    def test_exceptions_land_if_the_handler_is_not_hooked(self):
        part = self.throw("--verify-period=1", "-f", "^catches$")
        self.assertEqual(list(part.counts().values()), [3])


if __name__ == "__main__":
    clewtest.main()
