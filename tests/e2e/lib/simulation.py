# SPDX-License-Identifier: MIT
"""Runs a program under clew and under callgrind, which simulates it.

callgrind executes every instruction and detects every call. For its counts to
be the truth about clew's run, both runs must do equal work. The program
therefore runs on a fixed load, from copies of its modules with equal paths, and
sameness.c removes randomness. Before callgrind's run the copies get symbols for
the functions that clew found, since callgrind needs them to detect where a
function ends.
"""
import collections
import re
import shutil

from lib import callgrind, clewtest, symtab, wire

RUNS = 6
SAMENESS = clewtest.BUILD / "tests" / "e2e" / "libsameness.so"

# `keys`: {(module name, vaddr): wire.Function} of compared functions.
Runs = collections.namedtuple("Runs", "part keys excused simulated")


def key_of(function):
    return function.module.name, function.vaddr


class Case(clewtest.Case):
    def copy_modules(self, program):
        """Copies the program and its libraries except libc's; returns the
        program's copy."""
        folder = self.work / "modules"
        folder.mkdir()
        listing = self.run_program(["ldd", program], text=True).stdout
        libraries = re.findall(r"=> (/\S+)", listing)
        for path in [program, SAMENESS, *libraries]:
            name = str(path).rsplit("/", 1)[-1]
            if not re.match(r"(libc|libm|libpthread|libdl)\.so", name):
                shutil.copy(path, folder / name)
        self.environment["LD_LIBRARY_PATH"] = str(folder)
        return folder / program.rsplit("/", 1)[-1]

    def run_with_clew(self, argv, **options):
        """Returns the program's result and the recording's part."""
        done = self.record(argv, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        part = self.recording().parts[0]
        self.assert_nothing_lost(part)
        return done, part

    def run_with_callgrind(self, argv, modules, **options):
        """Returns the program's result and {callgrind.Edge: calls}."""
        for module in modules:
            symtab.add(self.work / "modules" / module.name,
                       [(f"f_{f.vaddr:x}", f.vaddr, f.size)
                        for f in module.functions])
        output = self.work / "callgrind.out"
        done = self.run_program(callgrind.command(output, argv), **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done, callgrind.edges(output)

    def run_both(self, program, *arguments, variable="A=1", **options):
        """Runs the program on one load under clew, several times, and under
        callgrind."""
        argv = [self.copy_modules(program), *arguments]
        self.environment["LD_PRELOAD"] = str(argv[0].parent / SAMENESS.name)
        self.environment["SAMENESS"] = f"{argv[0].name}:{variable}"
        runs = [self.run_with_clew(argv, **options) for _ in range(RUNS)]
        recorded, part = runs[0]
        modules = [m for m in part.modules if m.state_name == "HOOKED"]
        simulated, edges = self.run_with_callgrind(argv, modules, **options)
        self.assertEqual(recorded.stdout, simulated.stdout)
        keys = {key_of(function): function
                for module in modules for function in module.functions
                if wire.VERDICTS[function.verdict][1] == "HOOKED"
                and module.name != SAMENESS.name}
        excused = self.resolvers(modules) | \
            self.address_dependent([self.calls(part) for _, part in runs])
        return Runs(part, keys, excused, edges)

    def calls(self, part):
        """Returns {(module name, vaddr): calls} for the functions of a part."""
        counted = collections.Counter()
        calls = part.counts()
        for context in part.contexts().values():
            function = part.functions[context.function]
            counted[key_of(function)] += calls.get(context.id, 0)
        return counted

    def address_dependent(self, runs):
        """Returns the functions whose counts differ between runs under clew.

        The kernel's choice of addresses differs between runs, and some tables
        use hashes of addresses, for example luajit's table of built-in
        functions. callgrind's run has other addresses again. There are few such
        functions.
        """
        keys = set().union(*runs)
        varying = {key for key in keys if len({run[key] for run in runs}) > 1}
        self.assertLessEqual(len(varying), 3, varying)
        return varying

    def resolvers(self, modules):
        """Returns resolvers of indirect functions. ld.so calls them while it
        relocates, before clew is loaded."""
        found = set()
        for module in modules:
            path = self.work / "modules" / module.name
            text = self.run_program(["readelf", "-rW", "--dyn-syms", path],
                                    text=True).stdout
            for match in re.finditer(
                    r"R_X86_64_IRELATIV\s+([0-9a-f]+)|"
                    r":\s+([0-9a-f]+)\s+\d+\s+IFUNC", text):
                found.add((module.name, int(match[1] or match[2], 16)))
        return found
