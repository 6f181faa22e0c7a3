#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""clew detects a module that generates code when the module maps executable
memory.

Generated code, and functions that it calls, may inspect their return addresses.
Calls from generated code into the module that generated it therefore keep their
return addresses, and are reported as not counted.
"""
import collections
import re

from lib import clewtest
from lib.attached import Attached
from lib.clewtest import needs, target

GENERATED = 2  # WIRE_LOSS_GENERATED
CALLS = 1000


class Ways(clewtest.Case):
    """Every method to get executable memory (generates.c)."""

    def symbols(self, path):
        listing = self.run_program(["nm", "-D", path], text=True).stdout
        return {name: int(vaddr, 16) for vaddr, kind, name in
                (line.split() for line in listing.splitlines()
                 if len(line.split()) == 3) if kind == "T"}

    def counted(self, part):
        """Returns {name: calls} for all functions that the target exports."""
        names = {(module.name, vaddr): name for module in part.modules
                 if "generates" in module.name
                 for name, vaddr in self.symbols(module.path).items()}
        calls, found = part.counts(), collections.Counter()
        for context in part.contexts().values():
            function = part.functions[context.function]
            name = names.get((function.module.name, function.vaddr))
            found[name] += calls.get(context.id, 0)
        return found

    def check(self, way, flavour="O2", lost="library_answer", options=()):
        argv = [target("generates", flavour), way, CALLS]
        native = self.run_program(argv)
        if native.returncode == 77:
            self.skipTest(f"no {way} here")
        recorded = self.record(argv, options)
        self.assertEqual((recorded.returncode, recorded.stdout),
                         (native.returncode, native.stdout))
        worked = int(re.search(rb"worked (\d+)", recorded.stderr)[1])
        part, = self.recording().parts
        lost = [lost] if isinstance(lost, str) else lost
        wanted = {"library_answer": CALLS, "program_answer": CALLS,
                  "library_work": worked, **dict.fromkeys(lost, 0)}
        counted = self.counted(part)
        self.assertEqual({name: counted[name] for name in wanted}, wanted)
        losses = list(part.losses)
        self.assertEqual(losses.pop(GENERATED), CALLS * len(lost))
        self.assertEqual(sum(losses), 0)

    def test_mmap_is_noticed(self):
        self.check("mmap")

    def test_mmap_is_noticed_with_exact_times(self):
        self.check("mmap", options=["--time=exact"])

    def test_mmap_is_noticed_with_the_c_library_hooked(self):
        self.check("mmap", options=["--libc"])

    def test_mprotect_is_noticed(self):
        self.check("mprotect")

    def test_mprotect_by_a_tail_call_is_noticed(self):
        self.check("jump")

    def test_pkey_mprotect_is_noticed(self):
        self.check("pkey")

    def test_mapping_in_a_signal_handler_is_noticed(self):
        self.check("handler")

    def test_a_file_in_memory_is_noticed(self):
        self.check("memfd")

    def test_shared_memory_is_noticed(self):
        self.check("shmat")

    def test_moved_memory_is_noticed(self):
        self.check("mremap")

    def test_mapping_by_syscall_is_noticed(self):
        self.check("syscall-mmap")
        self.recording_path.rename(self.work / "first")
        self.check("syscall-mprotect")

    def test_mapping_without_descriptors_is_noticed(self):
        self.check("nofile")

    def test_mapping_behind_a_filter_is_assumed(self):
        """clew cannot watch for mappings behind a filter. All modules that
        could generate code count as generators, even the program, which
        generates none."""
        self.check("filtered", lost=("library_answer", "program_answer"))

    def test_mapping_by_a_system_call_instruction_is_noticed(self):
        self.check("instruction", flavour="raw")

    def test_program_that_generates_code_is_named(self):
        self.check("program", lost="program_answer")

    def test_library_that_generates_nothing_is_not_named(self):
        """The library makes other system calls directly. clew identifies the
        program as the generator of the code that calls it."""
        self.check("program", flavour="raw", lost="program_answer")

    def test_no_stub_is_guarded_without_need(self):
        """The mappings are those of the loader, plain ones, and a copy of
        mapped code."""
        part = self.part_of([target("generates"), "none", CALLS])
        self.assertEqual(list(part.losses), [0] * len(part.losses))

    def part_of(self, argv):
        self.assertEqual(self.record(argv).returncode, 77)
        part, = self.recording().parts
        return part


class Earlier(Attached):
    """Code that was generated before clew attached. clew does not know which
    module has generated it, so all that could count as generators."""

    def check(self, way):
        self.start_to_talk(target("generates"), way, CALLS, "wait")
        self.assertEqual(self.process.stdout.readline(), "generated\n")
        controller = self.attach(self.process, "--time=exact")
        rest = self.process.communicate("\n")[0]
        controller.wait()
        self.assertIn("moved 0", rest.splitlines())
        part, = self.recording().parts
        self.assertEqual(part.losses[GENERATED], 2 * CALLS)

    def test_private_memory_is_noticed(self):
        self.check("mmap")

    def test_a_file_in_memory_is_noticed(self):
        self.check("memfd")


class Runtimes(clewtest.Case):
    """The output is unchanged for any runtime."""

    FIB_LUA = """
        local function fib(n)
          if n < 2 then return n end return fib(n - 1) + fib(n - 2)
        end
        print(fib(27))
        for i = 1, 300 do
          pcall(function() for j = 1, 99 do if j == i then error("e") end end end)
        end
        local ffi = require "ffi"
        ffi.cdef "void qsort(void *, size_t, size_t, int (*)(int *, int *));"
        local a = ffi.new("int[100]")
        for i = 0, 99 do a[i] = i * 37 % 100 end
        local n = 0 for i = 1, 200000 do n = n + #tostring(i) end print(n)
        ffi.C.qsort(a, 100, 4, function(p, q) return p[0] - q[0] end)
        print(a[0], a[50], a[99])
        os.exit(3)
    """
    FIB_RAKU = """
        sub fib($n) { $n < 2 ?? $n !! fib($n - 1) + fib($n - 2) }
        say fib(16);
        say (gather { for 1..5 { take $_ * $_ } }).list;
        try { die "x" }; say $!.message;
        say "abc1def22".comb(/\\d+/);
        exit 3
    """
    FIB_GUILE = """
        (define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
        (display (fib 25)) (newline)
        (display (catch #t (lambda () (error "x")) (lambda (k . a) k)))
        (gc) (exit 3)
    """

    def check(self, argv, options=()):
        native = self.run_program(argv)
        self.assertTrue(native.stdout)
        self.assert_same_behaviour(native, self.record(argv, options))
        return self.recording().parts[0]

    def script(self, name, text):
        (self.work / name).write_text(text, encoding="ascii")
        return name

    @needs("luajit")
    def test_luajit_runs(self):
        part = self.check(["luajit", self.script("fib.lua", self.FIB_LUA)])
        self.assertGreater(part.losses[GENERATED], 100000)

    @needs("luajit")
    def test_luajit_that_generates_nothing_runs(self):
        script = self.script("fib.lua", self.FIB_LUA)
        part = self.check(["luajit", "-joff", script])
        self.assertEqual(part.losses[GENERATED], 0)

    @needs("raku")
    def test_moarvm_runs(self):
        self.check(["raku", self.script("fib.raku", self.FIB_RAKU)])

    @needs("guile")
    def test_guile_runs(self):
        self.check(["guile", "--no-auto-compile",
                    self.script("fib.scm", self.FIB_GUILE)])

    @needs("qemu-x86_64")
    def test_qemu_runs(self):
        self.check(["qemu-x86_64", "/bin/echo", "translated"])

    @needs("tcc")
    def test_tcc_runs(self):
        script = self.script("run.c", """
            #include <stdio.h>
            #include <stdlib.h>
            static int order(const void *a, const void *b)
            { return *(const int *)a - *(const int *)b; }
            int main(void)
            { int v[] = { 3, 1, 2 }; qsort(v, 3, sizeof(*v), order);
              printf("%d %d %d\\\\n", v[0], v[1], v[2]); return 3; }
        """)
        self.check(["tcc", "-run", script])


if __name__ == "__main__":
    clewtest.main()
