#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Libraries loaded at run time are hooked before their constructors, and
released when unloaded."""
import collections
import errno
import pathlib

from lib import callgrind, clewtest, seccomp
from lib.clewtest import needs, target


class Libraries(clewtest.Case):
    def use(self, *words, options=()):
        """Runs plugins.c. Returns the part, and {library: [base at each
        load]}."""
        program = target("plugins")
        folder = pathlib.Path(program).parent
        done = self.record([program, folder, *words], options)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        part = self.recording().parts[0]
        bases = collections.defaultdict(list)
        self.calls = {}
        for line in done.stdout.decode().splitlines():
            kind, library, *rest = line.split()
            if kind == "stubs":
                self.stubs = int(library)
                continue
            if kind == "load":
                bases[library].append(int(rest[0], 0))
            else:
                vaddr, calls = rest
                self.calls[library, int(vaddr, 0)] = int(calls)
        return part, bases

    def counted(self, part, library, vaddr):
        """Returns the calls of a function in all modules with that name."""
        name = "plugins" if library == "-" else library
        calls = part.counts()
        return sum(calls.get(context.id, 0)
                   for context in part.contexts().values()
                   for function in [part.functions.get(context.function)]
                   if function and function.module.name == name
                   and function.vaddr == vaddr)

    def assert_exact(self, part):
        self.assert_nothing_lost(part)
        self.assertTrue(self.calls)
        for (library, vaddr), calls in self.calls.items():
            with self.subTest(library=library, vaddr=hex(vaddr)):
                self.assertEqual(self.counted(part, library, vaddr), calls)

    def modules(self, part, name):
        return [m for m in part.modules if m.name == name]

    def test_library_without_new_stubs_is_counted_at_its_old_address(self):
        """A library reloaded at its old address is counted. New libraries
        cannot get stubs."""
        self.before_exec = seccomp.Filter().refuse(
            "memfd_create", errno.EPERM).install
        part, bases = self.use("an", "ah", "bh")
        (path, loads), = [(path, loads) for path, loads in bases.items()
                          if len(loads) == 2]
        self.assertEqual(loads[0], loads[1])
        for (library, vaddr), calls in self.calls.items():
            if library in (path, "-"):
                self.assertEqual(self.counted(part, library, vaddr), calls)

    def test_a_library_is_counted_if_no_memory_becomes_executable(self):
        part, _ = self.use("an", "ah", "bh")
        self.assert_exact(part)

    def test_every_way_of_loading_is_noticed(self):
        for how in "nlgdm":
            with self.subTest(how=how):
                if self.recording_path.exists():
                    self.recording_path.rename(self.work / f"before-{how}")
                part, _ = self.use("a" + how)
                self.assert_exact(part)

    def test_a_library_loaded_again_is_counted(self):
        part, bases = self.use(*["an"] * 20)
        self.assert_exact(part)
        modules = self.modules(part, "libplugin_a.so")
        self.assertEqual({m.base for m in modules},
                         set(bases["libplugin_a.so"]))
        # A library that is reloaded at its old address is the old module.
        self.assertEqual(len(modules), len(set(bases["libplugin_a.so"])))
        for module in modules:
            self.assertGreater(module.loaded_ns, 0)
            self.assertGreaterEqual(module.unloaded_ns, module.loaded_ns)

    STUBS_AT_MOST = 2 << 20  # a pile, and the stubs of the loaded modules

    def test_stubs_are_given_back(self):
        loads = 1000
        part, bases = self.use(*["ae"] * loads)
        self.assert_exact(part)
        self.assertGreater(len(set(bases["libplugin_a.so"])), loads * 0.9)
        self.assertLess(self.stubs, self.STUBS_AT_MOST)

    def test_stubs_are_given_back_beside_threads(self):
        part, _ = self.use(*["ae"] * 300, "bt", *["ae"] * 300)
        self.assert_exact(part)
        self.assertLess(self.stubs, self.STUBS_AT_MOST)

    def check_outlived(self, way):
        part, bases = self.use("a" + way)
        self.assert_exact(part)
        self.assertGreater(len(set(bases["libplugin_b.so"])), 600)
        self.assertLess(self.stubs, self.STUBS_AT_MOST)

    def test_a_stub_outlives_its_library_in_a_tail_call(self):
        self.check_outlived("c")

    def test_stub_in_an_idle_coroutine_outlives_its_library(self):
        self.check_outlived("i")

    def test_libraries_are_counted_on_a_static_stack(self):
        self.check_outlived("s")

    def test_another_library_at_the_same_address_is_counted(self):
        part, bases = self.use("an", "bn", "an", "bn")
        self.assert_exact(part)
        (one,) = set(bases["libplugin_a.so"])
        (other,) = set(bases["libplugin_b.so"])
        if one != other:
            self.skipTest("the kernel put them to different places")
        (one,) = self.modules(part, "libplugin_a.so")
        (other,) = self.modules(part, "libplugin_b.so")
        self.assertEqual(one.base, other.base)
        self.assertNotEqual(one.build_id, other.build_id)

    def test_libraries_loaded_by_threads_are_counted(self):
        part, _ = self.use("at", "bt")
        self.assert_exact(part)

    def test_libraries_load_with_the_c_library_hooked(self):
        part, _ = self.use("an", "bd", "am", "bt", options=["--libc"])
        self.assert_exact(part)

    def test_rules_apply_to_loaded_libraries(self):
        part, _ = self.use("an", "bn", options=["-M", "libplugin_b.so"])
        states = {m.name: m.state_name for m in part.modules}
        self.assertEqual(states["libplugin_a.so"], "HOOKED")
        self.assertEqual(states["libplugin_b.so"], "DESELECTED")
        (rule,) = [r for r in part.rules if "libplugin_b" in r.text]
        self.assertEqual(rule.matches, 1)


@needs("iconv")
class UnderALock(clewtest.Case):
    """iconv_open() loads converters with a libc lock held.

    libc's pattern matching takes that lock also, in all locales but "C".
    """

    CONVERT = ["iconv", "-f", "ISO-8859-1", "-t", "UTF-16LE"]

    def check(self, *options):
        self.environment["LC_ALL"] = "C.UTF-8"
        native = self.run_program(self.CONVERT, input=b"caf\xe9")
        self.assertEqual(native.stdout, "café".encode("utf-16-le"))
        recorded = self.record(self.CONVERT, options, input=b"caf\xe9",
                               timeout=60)
        self.assert_same_behaviour(native, recorded)
        part, = self.recording().parts
        self.assertTrue(any("gconv" in m.path for m in part.modules))

    def test_converters_loaded_under_a_lock_are_recorded(self):
        self.check()

    def test_rules_apply_to_libraries_loaded_under_a_lock(self):
        self.check("-m", "*", "-f", "[[:alpha:]]+", "-F", "0$")

    def test_libraries_load_under_a_lock_with_the_c_library_hooked(self):
        self.check("--libc")


HANDLED = """
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static long made;

__attribute__((noinline)) void handled(void)
{
	made++;
}

static void on_alarm(int number)
{
	handled();
}

static void *run(void *argument)
{
	return argument;
}

int main(int argc, char **argv)
{
	const int us = atoi(argv[2]);
	struct itimerval often = { { 0, us }, { 0, us } };
	struct sigaction action = { .sa_handler = on_alarm,
				    .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < atoi(argv[1]); i++) {
		void *library = dlopen(argv[3 + i % (argc - 3)], RTLD_NOW);
		pthread_t thread;

		if (!library || pthread_create(&thread, NULL, run, NULL))
			return 1;
		pthread_join(thread, NULL);
		dlclose(library);
	}
	often = (struct itimerval){ 0 };
	setitimer(ITIMER_REAL, &often, NULL);
	printf("%ld\\n", made);
	return 0;
}
"""


class Handlers(clewtest.Case):
    """Signal handlers interrupt clew while it hooks a library."""

    def setUp(self):
        super().setUp()
        built = self.run_program(["cc", "-O1", "-pthread", "-o", "handled",
                                  "-x", "c", "-"], input=HANDLED.encode())
        self.assertEqual(built.returncode, 0, built.stderr)

    def command(self, loads, often_us):
        folder = pathlib.Path(target("plugins")).parent
        return [self.work / "handled", str(loads), str(often_us),
                folder / "libplugin_a.so", folder / "libplugin_b.so"]

    def calls(self, command, *options):
        """Returns {function: row of the report}, and what the program has
        counted."""
        done = self.clew("record", "-q", *options, "-o", self.recording_path,
                         "--", *command)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.clew_json("report", "--json", "-n0",
                                self.recording_path)
        return {row["name"]: row
                for row in report["functions"]}, int(done.stdout)

    def test_handlers_within_dlopen_are_counted(self):
        for options in [], ["-m", "handled", "-m", "libc.so*", "-m",
                            "ld-linux*"]:
            with self.subTest(options):
                rows, made = self.calls(self.command(200, 100), *options)
                self.assertGreater(made, 100)
                self.assertEqual(rows["handled"]["calls"], made)

    @needs("valgrind")
    def test_calls_of_libc_by_clew_are_not_counted(self):
        """clew lists modules, for which glibc takes a lock."""
        output = self.work / "callgrind.out"
        counted, true = [], []
        for loads in 20, 60:
            command = self.command(loads, 0)
            rows, _ = self.calls(command, "-m", "libc.so*")
            lock = rows["pthread_mutex_lock"]
            counted.append(lock["calls"])
            done = self.run_program(callgrind.command(output, command))
            self.assertEqual(done.returncode, 0, done.stderr)
            true.append(callgrind.calls(callgrind.edges(output))[
                "libc.so.6", int(lock["vaddr"], 0)])
        self.assertGreater(true[1], true[0])
        self.assertEqual(counted[1] - counted[0], true[1] - true[0])


if __name__ == "__main__":
    clewtest.main()
