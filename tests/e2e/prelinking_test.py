#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Stubs and hooked text that are created once and mapped later give the same counts,
whatever the cache contains.
"""
import fcntl
import os
import resource
import shutil
import struct
import unittest

from lib import clewtest
from lib.clewtest import PYTHON, needs, slow, target
from lib.prelinked import SHOW, Case


class Counts(Case):
    """Programs that print their own numbers of calls."""

    def both_ways(self, argv, options=(), images=1):
        self.record_target(argv, options, images)
        made = self.files()
        self.assertTrue(made)
        for more in [], ["--no-prelinking"]:
            shutil.rmtree(self.recording_path)
            shutil.rmtree(self.truths)
            self.truths.mkdir()
            del self.environment["TRUTH_DIR"]
            self.record_target(argv, [*options, *more], images)
        self.assertEqual(self.files(), made)

    def test_deep_recursion_is_counted(self):
        self.both_ways([target("deep")], ["--fold-recursion=never"])

    def test_tail_calls_are_counted_with_prelinked_stubs(self):
        self.both_ways([target("tail")])

    def test_exact_times_are_right_with_prelinked_stubs(self):
        self.both_ways([target("deep")], ["--time=exact"])

    def test_children_are_counted(self):
        self.both_ways([target("processes"), "forkexec"], images=9)

    def test_the_c_library_is_counted(self):
        self.both_ways([target("deep")],
                       ["--libc", "--fold-recursion=never"])


class MappedAgain(Case):
    """Programs that map their own text a second time, from the file that
    /proc/self/maps names. The jumps in hooked text lead to the stubs from one address
    only.
    """

    def found(self, program, way):
        """Returns what the program prints about its mapping; its text is hooked text."""
        for start in "stores", "maps":
            recorded = self.record([program, way], text=True)
            self.assertEqual((recorded.returncode, recorded.stderr), (0, ""),
                             start)
            shutil.rmtree(self.recording_path)
        path, _, found = recorded.stdout.partition(" ")
        self.assertTrue(path.endswith(".hooked"), path)
        return found.strip()

    def check(self, way):
        for flavour in "O2", "nopie":
            with self.subTest(way=way, flavour=flavour):
                program = target("maps_own_file", flavour)
                native = self.run_program([program, way], text=True)
                self.assertEqual(self.found(program, way),
                                 native.stdout.partition(" ")[2].strip())

    def test_a_function_is_called_in_a_second_mapping(self):
        for way in "mmap", "mprotect", "syscall":
            self.check(way)

    def test_a_readable_mapping_has_the_bytes_of_the_program(self):
        self.check("bytes")

    def test_library_is_found_by_the_name_of_its_hooked_text(self):
        """dlopen() of the file of hooked text finds the loaded library; its functions
        can be called.
        """
        for way in "dlopen", "dlmopen":
            self.check(way)

    def test_mappings_fail_as_without_clew(self):
        self.check("refused")

    def test_hooked_text_of_a_removed_program_is_not_mapped_as_executable(self):
        program = self.work / "program"
        shutil.copy(target("maps_own_file", "O2"), program)
        self.settled(program)
        self.record([program, "mmap"])
        shutil.rmtree(self.recording_path)
        removed = self.record([program, "removed"], text=True)
        path, _, found = removed.stdout.partition(" ")
        self.assertTrue(path.endswith(".hooked"), path)
        self.assertEqual(found, "No such file or directory mapped\n")


class Cache(Case):
    """The content of the cache, and its owner."""

    def test_second_start_maps_the_stubs_of_the_first(self):
        self.assertGreater(self.show(), 1)
        made = self.files()
        self.assertGreater(self.show(), 1)
        self.assertEqual(self.files(), made)
        self.assertTrue(all(name.endswith("-0.prelinked") for name in made))

    def test_disabled_cache_is_neither_read_nor_written(self):
        for options in ["--no-prelinking"], ["--no-cache"]:
            self.assertEqual(self.show(*options), 0)
            self.assertEqual(self.files(), {})
        self.assertGreater(self.show(), 1)
        self.assertEqual(self.show("--no-prelinking"), 0)

    def test_stubs_serve_any_selection_of_functions(self):
        self.assertGreater(self.show("-f", "^PyObject_"), 1)
        made = self.files()
        self.assertGreater(self.show(), 1)
        self.assertEqual(self.files(), made)

    def test_a_probe_is_written_into_stubs(self):
        self.assertEqual(self.show("--probe", "PyObject_Call"), 0)

    def test_a_trace_has_stubs_of_its_own(self):
        self.assertEqual(self.show("--trace"), 0)

    def test_damaged_stubs_are_replaced(self):
        self.show()
        made = self.files()
        for name, spoil in self.ways_to_spoil(
                lambda data: data[:8192] + b"\xcc" * (len(data) - 8192)):
            with self.subTest(name):
                for path in self.cache.rglob("*.prelinked"):
                    spoiled = spoil(path.read_bytes())
                    path.chmod(0o600)
                    path.write_bytes(spoiled)
                    path.chmod(0o400)
                self.assertGreater(self.show(), 1)
                self.assertEqual(set(self.files()), set(made))
                self.assertFalse(set(self.files().values()) &
                                 set(made.values()))
                made = self.files()

    def test_foreign_files_in_the_cache_stay(self):
        self.show()
        precious = self.work / "precious"
        precious.write_text("mine", encoding="utf-8")
        for number, path in enumerate(sorted(self.cache.rglob("*.prelinked"))):
            path.unlink()
            if number % 2:
                path.mkdir()
            else:
                (path.parent / (path.name + ".new")).symlink_to(precious)
        self.assertEqual(self.show(), 0)
        self.assertEqual(precious.read_text(encoding="utf-8"), "mine")

    def test_cache_that_others_may_write_is_not_used(self):
        self.show()
        (self.cache / "clew").chmod(0o777)
        self.assertEqual(self.show(), 0)
        (self.cache / "clew").chmod(0o755)
        self.assertGreater(self.show(), 1)

    @unittest.skipIf(os.geteuid() != 0, "only root can give files away")
    def test_cache_of_another_user_is_not_used(self):
        self.show()
        for path in self.cache.rglob("*.prelinked"):
            os.chown(path, 65534, 65534)
        before = self.files()
        self.show()
        self.assertFalse(set(before.values()) & set(self.files().values()))
        os.chown(self.cache / "clew", 65534, 65534)
        self.assertEqual(self.show(), 0)

    def test_files_of_a_killed_writer_are_replaced(self):
        self.show()
        for path in list(self.cache.rglob("*.prelinked")):
            path.rename(f"{path}.new")
        self.assertGreater(self.show(), 1)
        self.assertFalse([name for name in self.files()
                          if name.endswith(".new")])

    def test_files_that_another_process_writes_are_not_used(self):
        self.show()
        held = []
        for path in list(self.cache.rglob("*.prelinked")):
            path.rename(f"{path}.new")
            held.append(open(f"{path}.new", "rb"))
            fcntl.flock(held[-1], fcntl.LOCK_EX)
        self.assertEqual(self.show(), 0)
        for file in held:
            file.close()
        self.assertGreater(self.show(), 1)

    def test_a_file_size_limit_prevents_prelinking(self):
        """The files exceed the size limit, so they are not created."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        self.before_exec = limit
        done = self.record([PYTHON, "-S", "-E", "-c", SHOW], text=True)
        self.assertEqual(done.stdout.split()[0], "499500")
        self.assertFalse([name for name in self.files()
                          if name.endswith(".new")])

    @unittest.skipIf(os.geteuid() != 0, "only root can mount")
    def test_full_or_noexec_disk_costs_only_prelinking(self):
        self.cache.mkdir()
        # The few functions of the python executable itself may fit.
        for option, most in ("size=200k", 1), ("noexec", 0), ("ro", 0):
            with self.subTest(option):
                done = self.run_program(
                    ["unshare", "-m", "sh", "-c",
                     'mount -t tmpfs -o "$0" none "$1" && mkdir -p "$1/clew";'
                     ' shift; "$@" && ls cache/clew >&2',
                     option, self.cache,
                     *self.record_command([PYTHON, "-S", "-E", "-c", SHOW])],
                    text=True)
                if "unshare:" in done.stderr or "mount:" in done.stderr:
                    self.skipTest("nothing may be mounted here")
                result, found, texts = done.stdout.split()
                self.assertEqual(texts, "0")
                self.assertEqual(result, "499500", done.stderr)
                self.assertLessEqual(int(found), most)
                self.assertNotIn(".new", done.stderr)
                self.recording()
                shutil.rmtree(self.recording_path)


class Text(Case):
    """Hooked text: a copy of the module's file with hooks."""

    def remade(self, made):
        """Checks that the text is rejected, created again, and mapped by the next start."""
        self.show()
        self.assertEqual(self.texts, 0)
        self.assertEqual(set(self.files("hooked")), set(made))
        self.assertFalse(set(self.files("hooked").values()) &
                         set(made.values()))
        self.show()
        self.assertGreater(self.texts, 1)

    def test_later_starts_map_the_hooked_text_of_the_first(self):
        self.show()
        self.assertEqual(self.texts, 0)
        made = self.files("hooked")
        for _ in range(3):
            self.show()
            self.assertEqual(self.texts, len(made))
            self.assertGreater(self.texts, 1)
        self.assertEqual(self.files("hooked"), made)

    def test_probes_and_disabled_prelinking_use_no_hooked_text(self):
        self.show()
        self.show("--no-prelinking")
        self.assertEqual(self.texts, 0)
        self.show("--probe", "PyObject_Call")
        self.assertEqual(self.texts, 0)

    def count(self, *options, prefix="PyLong_"):
        """Returns {name: calls} of the functions that create numbers."""
        done = self.record([PYTHON, "-S", "-E", "-c",
                            "print(sum(range(1000)))"], options, text=True)
        self.assertEqual((done.stdout, done.stderr), ("499500\n", ""))
        shown = self.clew_json("report", "--json", self.recording_path)
        shutil.rmtree(self.recording_path)
        return {item["name"]: item["calls"] for item in shown["functions"]
                if item["name"].startswith(prefix) and item["calls"]}

    def test_the_same_calls_are_counted(self):
        written = self.count("--no-prelinking")
        self.assertGreater(len(written), 5)
        for _ in range(3):
            self.assertEqual(self.count(), written)

    def test_damaged_hooked_text_is_replaced(self):
        self.show()
        for name, spoil in self.ways_to_spoil(
                lambda data: b"\xcc" * (len(data) - 4096) + data[-4096:]):
            with self.subTest(name):
                made = self.files("hooked")
                for path in self.cache.rglob("*.hooked"):
                    spoiled = spoil(path.read_bytes())
                    path.chmod(0o600)
                    path.write_bytes(spoiled)
                    path.chmod(0o400)
                self.remade(made)

    def test_hooked_text_for_other_stubs_is_replaced(self):
        self.show()
        made = self.files("hooked")
        for path in self.cache.rglob("*.prelinked"):
            path.unlink()
        self.remade(made)

    # Indexes of 8-byte words in struct prelinked_head and prelinked_text_about.
    MAKER, KEY, CHECKSUM = 4, 5, 16
    LIES = {"another library": MAKER, "another template": KEY,
            "another file": CHECKSUM + 1 + 3}

    @staticmethod
    def sum_of(words):
        result = 0xcbf29ce484222325
        for word in words:
            result = (result ^ word) * 0x100000001b3 & (1 << 64) - 1
        return result

    def lie(self, path, at):
        """Changes one word of a file and computes valid checksums, as the file's owner could."""
        seal = path.stat()
        path.chmod(0o600)
        with path.open("r+b") as file:
            file.seek(-4096, os.SEEK_END)
            words = list(struct.unpack("<512Q", file.read()))
            about = self.CHECKSUM + 1
            self.assertEqual(words[self.CHECKSUM],
                             self.sum_of(words[:self.CHECKSUM]))
            self.assertEqual(words[7], self.sum_of(words[about:about + 11]))
            words[at] ^= 0x100
            words[7] = self.sum_of(words[about:about + 11])
            words[self.CHECKSUM] = self.sum_of(words[:self.CHECKSUM])
            file.seek(-4096, os.SEEK_END)
            file.write(struct.pack("<512Q", *words))
        path.chmod(0o400)
        os.utime(path, ns=(seal.st_atime_ns, seal.st_mtime_ns))

    def test_text_of_another_module_is_not_used(self):
        self.show()
        for name, at in self.LIES.items():
            with self.subTest(name):
                made = self.files("hooked")
                for path in self.cache.rglob("*.hooked"):
                    self.lie(path, at)
                self.assertEqual(self.files("hooked"), made)
                self.remade(made)

    def test_excluded_functions_are_not_counted_in_hooked_text(self):
        counts = self.count()
        del counts["PyLong_FromLong"]
        for _ in range(2):
            self.assertEqual(self.count("-F", "^PyLong_FromLong$"), counts)
        self.show("-F", "^PyLong_FromLong$")
        self.assertGreater(self.texts, 1)

    def assert_left_out(self, pattern, is_mapped):
        """The calls of all other functions are the same as without prelinking."""
        written = self.count("-F", pattern, "--no-prelinking", prefix="Py")
        self.assertGreater(len(written), 20)
        for _ in range(2):
            self.assertEqual(self.count("-F", pattern, prefix="Py"), written)
        self.show("-F", pattern)
        self.assertEqual(self.texts > 1, is_mapped)

    def test_many_excluded_functions_are_not_counted_in_hooked_text(self):
        """The excluded functions cut the table of hooks into too many pieces, so clew
        copies the table without them.
        """
        self.show()
        made = self.files("hooked")
        left_out = {len(self.count("-F", pattern, prefix="Py"))
                    for pattern in ("^PyLong_GetInfo$", "^Py[A-K]", "^Py[A-T]")}
        self.assertEqual(len(left_out), 3)
        self.assert_left_out("^Py[A-K]", True)
        self.assert_left_out("^Py[A-T]", True)
        self.assertEqual(self.files("hooked"), made)

    def test_hooked_text_is_not_mapped_for_few_functions(self):
        """Writing a few jumps costs less than restoring the bytes of all other functions."""
        self.show()
        self.show("-f", "^PyObject_")
        self.assertEqual(self.texts, 0)
        self.show()
        self.assertGreater(self.texts, 1)

    def test_perf_names_the_file_as_well(self):
        """Hard links give the mapped files further names, as perf's own cache does."""
        self.show()
        for number, path in enumerate(self.cache.rglob("*.hooked")):
            os.link(path, self.work / str(number))
        self.show()
        self.assertGreater(self.texts, 1)

    SOURCES = {
        "library.c": "int twice(int n) { return 2 * n; }",
        "program.c": """
            #include <dlfcn.h>
            #include <stdio.h>
            #include <string.h>
            int main(void)
            {
                char line[4096];
                int sum = 0, found = 0;
                for (int turn = 0; turn < 10; turn++) {
                    void *library = dlopen("./library.so", RTLD_NOW);
                    int (*twice)(int) = (int (*)(int))dlsym(library, "twice");
                    FILE *maps = fopen("/proc/self/maps", "r");
                    while (fgets(line, sizeof(line), maps))
                        found += strstr(line, "r-x") &&
                                 strstr(line, ".hooked");
                    fclose(maps);
                    for (int i = 0; i < 100; i++)
                        sum += twice(i);
                    dlclose(library);
                }
                printf("%d %d\\n", sum, found);
                return 0;
            }
        """}

    def build(self):
        for name, text in self.SOURCES.items():
            (self.work / name).write_text(text, encoding="ascii")
        for argv in (["-shared", "-o", "library.so", "library.c"],
                     ["-o", "program", "program.c"]):
            done = self.run_program(["gcc", "-O1", "-fPIC", *argv], text=True)
            self.assertEqual((done.stderr, done.returncode), ("", 0))

    def turns(self):
        """Returns how often the library's text was mapped."""
        done = self.record(["./program"], ["-m", "library.so"], text=True)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        total, mapped = done.stdout.split()
        self.assertEqual(total, "99000")
        part, = self.recording().parts
        self.assertIn(1000, part.counts().values())
        shutil.rmtree(self.recording_path)
        return int(mapped)

    @needs("gcc")
    def test_reloaded_library_uses_its_hooked_text(self):
        self.build()
        self.turns()
        self.assertGreater(self.turns(), 0)

    @needs("gcc")
    def test_library_that_was_written_to_gets_new_hooked_text(self):
        self.build()
        library = self.work / "library.so"
        self.turns()
        self.assertGreater(self.turns(), 0)
        made = self.files("hooked")
        library.write_bytes(library.read_bytes())
        self.settled(library)
        # The first load creates the text again, if others may map it.
        self.turns()
        self.assertNotEqual(self.files("hooked"), made)
        self.assertGreater(self.turns(), 0)

    @needs("gcc")
    def test_replaced_library_with_equal_build_id_gets_new_hooked_text(self):
        """The new library has the same build-id, but another function."""
        self.build()
        library = self.work / "library.so"
        code = library.read_bytes()
        self.turns()
        self.assertGreater(self.turns(), 0)
        # This is lea (%rdi,%rdi,1),%eax, which becomes a multiplication by three.
        self.assertEqual(code.count(b"\x8d\x04\x3f"), 1)
        (self.work / "new").write_bytes(
            code.replace(b"\x8d\x04\x3f", b"\x8d\x04\x7f"))
        (self.work / "new").rename(library)
        done = self.record(["./program"], ["-m", "library.so"], text=True)
        self.assertEqual(done.stdout.split()[0], "148500")


class Places(Case):
    """Modules at various addresses."""

    before_exec = None

    @needs("setarch")
    def test_modules_at_the_same_address_share_stubs(self):
        argv = ["setarch", "-R", PYTHON, "-S", "-E", "-c", SHOW]
        found = []
        for _ in range(3):
            done = self.record(argv, ["-M", "*/setarch"], text=True)
            self.assertEqual((done.stderr, done.returncode), ("", 0))
            found.append(done.stdout)
            shutil.rmtree(self.recording_path)
        self.assertEqual(found[0].split()[2], "0")
        self.assertEqual(found[1].split()[1], found[0].split()[1])
        self.assertEqual(found[2], found[1])
        for count in found[1].split()[1:]:
            self.assertGreater(int(count), 1)

    def test_stubs_work_across_boundaries_of_blocks(self):
        """Some stubs in each 16 MiB cross a boundary of blocks."""
        for _ in range(25):
            self.show()

    SOURCES = {
        "first.c": "int twice(int n) { return 2 * n; }",
        "large.c": "char large[BYTES];",
        "program.c": """
            #include <stdio.h>
            #include <string.h>
            int twice(int n);
            extern char large[];
            int main(void)
            {
                FILE *maps = fopen("/proc/self/maps", "r");
                char line[4096];
                int sum = 0, found = 0;
                while (fgets(line, sizeof(line), maps))
                    found += strstr(line, ".prelinked") != NULL;
                for (int i = 0; i < 1000; i++)
                    sum += large[i] + twice(i);
                printf("%d %d\\n", sum, found);
                return 0;
            }
        """}

    def build(self, bytes_):
        for name, text in self.SOURCES.items():
            (self.work / name).write_text(text, encoding="ascii")
        for argv in (["-shared", "-o", "libfirst.so", "first.c"],
                     ["-shared", f"-DBYTES={bytes_}", "-o", "liblarge.so",
                      "large.c"],
                     ["-o", "program", "program.c", "-L.", "-Wl,-rpath=.",
                      "-lfirst", "-llarge"]):
            done = self.run_program(["gcc", "-O1", "-fPIC", *argv], text=True)
            self.assertEqual((done.stderr, done.returncode), ("", 0))

    @needs("gcc")
    def test_module_without_its_address_range_is_counted(self):
        """Another library's variables, below the first library, occupy the address
        range. Address randomization is off, so the test does not depend on chance.
        """
        self.before_exec = super().before_exec
        for bytes_, mapped in ("1000", "1"), ("0x50000000", "1"), \
                ("0x70000000", "0"):
            self.build(bytes_)
            for _ in range(2):
                done = self.record(["./program"], ["-m", "libfirst.so"],
                                   text=True)
                self.assertEqual((done.stderr, done.returncode), ("", 0))
                self.assertEqual(done.stdout, f"999000 {mapped}\n", bytes_)
                part, = self.recording().parts
                self.assertIn(1000, part.counts().values())
                shutil.rmtree(self.recording_path)


class Crowd(Case):
    @slow
    def test_thousand_programs_can_start_at_once(self):
        """Some processes start while the cache is still empty."""
        each, rounds = 50, 20
        works = target("processes") + " work 30 >/dev/null &"
        run = f"i=0; while [ $i -lt {each} ]; do {works} i=$((i + 1)); done"
        script = f"n=0; while [ $n -lt {rounds} ]; do {run}; wait; n=$((n + 1))"
        calls = {}
        for text, times in (script + "; done", each * rounds), \
                (works + " wait", 1):
            done = self.record(["sh", "-c", text], ["-M", "*sh"], text=True)
            self.assertEqual((done.stderr, done.returncode), ("", 0))
            shown = self.clew_json("report", "--json", self.recording_path)
            self.assertEqual((shown["problems"], shown["lost"]), ([], {}))
            calls[times] = shown["total"]["calls"]
            shutil.rmtree(self.recording_path)
        self.assertGreater(calls[1], 10)
        self.assertEqual(calls[each * rounds], calls[1] * each * rounds)
        self.assertFalse([name for name in self.files()
                          if name.endswith(".new")])


if __name__ == "__main__":
    clewtest.main()
