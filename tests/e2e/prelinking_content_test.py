#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Stubs and hooked text of modules without a build-id are cached by a hash of their content.

A process never maps those of another module, even if files are replaced or changed.
"""
import os
import shutil

from lib import clewtest, prelinked
from lib.clewtest import needs

SOURCES = {
    "library.c": "int twice(int n) { return 2 * n; }",
    "program.c": """
        #include <dlfcn.h>
        #include <stdio.h>
        #include <string.h>
        static int maps(const char *permissions, const char *name)
        {
            FILE *file = fopen("/proc/self/maps", "r");
            char line[4096];
            int found = 0;
            while (fgets(line, sizeof(line), file))
                found += strstr(line, permissions) && strstr(line, name);
            fclose(file);
            return found;
        }
        int main(int argc, char **argv)
        {
            int sum = 0, stubs = 0, texts = 0;
            for (int turn = 0; turn < 10; turn++) {
                void *library = dlopen(argv[1], RTLD_NOW);
                int (*twice)(int) = (int (*)(int))dlsym(library, "twice");
                for (int i = 0; i < 100; i++)
                    sum += twice(i);
                stubs += !turn ? maps("r-x", ".prelinked") : 0;
                texts += !turn ? maps("r-x", ".hooked") : 0;
                dlclose(library);
            }
            printf("%d %d %d\\n", sum, stubs, texts);
            return 0;
        }
    """}

# lea (%rdi,%rdi,1),%eax and lea (%rdi,%rdi,2),%eax
TWICE, THRICE = b"\x8d\x04\x3f", b"\x8d\x04\x7f"
SUMS = {TWICE: 99000, THRICE: 148500}


@needs("gcc")
class Case(prelinked.Case):
    def setUp(self):
        super().setUp()
        for name, text in SOURCES.items():
            (self.work / name).write_text(text, encoding="ascii")
        for argv in (["-shared", "-o", "library.so", "library.c"],
                     ["-o", "program", "program.c"]):
            done = self.run_program(
                ["gcc", "-O1", "-fPIC", "-Wl,--build-id=none", *argv],
                text=True)
            self.assertEqual((done.stderr, done.returncode), ("", 0))
        self.program = self.work / "program"
        self.library = self.work / "library.so"

    def run_both(self, code=TWICE, program="./program",
                 library="./library.so"):
        """Records the program. Returns how many of the two modules have mapped stubs,
        and hooked text.
        """
        done = self.record([program, library],
                           ["-m", "*/" + os.path.basename(program),
                            "-m", "*/" + os.path.basename(library)], text=True)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        total, stubs, texts = (int(word) for word in done.stdout.split())
        self.assertEqual(total, SUMS[code])
        shown = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual((shown["problems"], shown["lost"]), ([], {}))
        # A library that is loaded again is the same module.
        self.assertEqual(sorted((item["name"], item["calls"])
                                for item in shown["functions"]
                                if item["name"] in ("main", "maps", "twice")),
                         [("main", 1), ("maps", 2), ("twice", 1000)])
        shutil.rmtree(self.recording_path)
        return stubs, texts

    def settled_all(self):
        self.settled(self.program)
        self.settled(self.library)

    def kept(self):
        """Returns all cached files; their names are hashes of content."""
        found = {**self.files(), **self.files("hooked")}
        for name in found:
            self.assertRegex(name, r"^[0-9a-f]{64}-[0-7]\.(prelinked|hooked)$")
        return found

    def replace(self, code):
        """Replaces the library's file by one with another function, but with the same
        name, size and time of change.
        """
        before = self.library.stat()
        new = self.work / "new"
        new.write_bytes(self.with_code(code))
        os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns))
        new.rename(self.library)
        self.assert_looks_like(before)

    def rewrite(self, code):
        """Writes another function into the library's file, with the same size and time
        of change.
        """
        before = self.library.stat()
        changed = self.with_code(code)
        with self.library.open("r+b") as file:
            file.write(changed)
        os.utime(self.library, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.assert_looks_like(before)
        self.assertEqual(self.library.stat().st_ino, before.st_ino)

    def with_code(self, code):
        data = self.library.read_bytes()
        found, = (each for each in SUMS if data.count(each))
        self.assertEqual(data.count(found), 1)
        return data.replace(found, code)

    def assert_looks_like(self, before):
        now = self.library.stat()
        self.assertEqual((now.st_size, now.st_mtime_ns),
                         (before.st_size, before.st_mtime_ns))


class Kept(Case):
    def test_second_start_maps_files_of_modules_without_build_id(self):
        self.settled_all()
        self.assertEqual(self.run_both(), (2, 0))
        made = self.kept()
        self.assertEqual(len(made), 4)
        for _ in range(3):
            self.assertEqual(self.run_both(), (2, 2))
        self.assertEqual(self.kept(), made)

    def test_warming_writes_files_for_modules_without_build_id(self):
        self.settled_all()
        done = self.clew("cache", "warm", "--no-indexes", "./program")
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        self.assertRegex(done.stdout, r"/program: .*; stubs and text\n")
        made = [path for path in self.cache.rglob("*.hooked")
                if b"/proc/self/maps" in path.read_bytes()]
        self.assertEqual(len(made), 1)
        # The text is the program's; the library is not known yet.
        self.assertEqual(self.run_both(), (2, 1))

    def test_disabled_cache_stores_nothing(self):
        for option in "--no-cache", "--no-prelinking":
            done = self.record(["./program", "./library.so"], [option],
                               text=True)
            self.assertEqual(done.stdout, "99000 0 0\n")
            self.assertEqual(self.kept(), {})
            shutil.rmtree(self.recording_path)

    def spoil(self, kind):
        """A cached file with wrong content is rejected and created again."""
        self.settled_all()
        self.run_both()
        self.assertEqual(self.run_both(), (2, 2))
        for name, spoil in self.ways_to_spoil(
                lambda data: data[:8192] + b"\xcc" * (len(data) - 8192)
                if kind == "prelinked" else
                b"\xcc" * (len(data) - 4096) + data[-4096:]):
            with self.subTest(name):
                made = self.files(kind)
                for path in self.cache.rglob(f"*.{kind}"):
                    spoiled = spoil(path.read_bytes())
                    path.chmod(0o600)
                    path.write_bytes(spoiled)
                    path.chmod(0o400)
                self.assertEqual(self.run_both(), (2, 0))
                self.assertEqual(set(self.files(kind)), set(made))
                self.assertFalse(set(self.files(kind).values()) &
                                 set(made.values()))
                self.assertEqual(self.run_both(), (2, 2))

    def test_damaged_stubs_are_written_again(self):
        self.spoil("prelinked")

    def test_damaged_text_is_written_again(self):
        self.spoil("hooked")


class Others(Case):
    """Files that look like the library's, but differ."""

    def setUp(self):
        super().setUp()
        self.settled_all()
        self.run_both()
        self.assertEqual(self.run_both(), (2, 2))

    def change(self, change):
        """Changes the library and changes it back; each version gets its own cached files."""
        made = self.kept()
        for code in THRICE, TWICE:
            change(code)
            # The library is not settled: its text may be missing, but is never
            # that of the other version.
            self.assertEqual(self.run_both(code)[0], 2)
            self.settled(self.library)
            self.run_both(code)
            self.assertEqual(self.run_both(code), (2, 2))
        now = self.kept()
        self.assertLess(set(made), set(now))
        # Only the library's text was created again, for the file that exists now.
        changed = [name for name in made if made[name] != now[name]]
        self.assertEqual(len(changed), 1)
        self.assertRegex(changed[0], r"\.hooked$")

    def test_replaced_library_with_another_content_gets_new_files(self):
        self.change(self.replace)

    def test_a_changed_library_gets_new_files(self):
        self.change(self.rewrite)

    def test_cached_files_under_exchanged_names_are_rejected(self):
        """Cached files with valid seals, but with exchanged names, are rejected."""
        folder, = {path.parent for path in self.cache.rglob("*.hooked")}
        made = self.kept()
        self.replace(THRICE)
        self.settled(self.library)
        self.run_both(THRICE)
        self.assertEqual(self.run_both(THRICE), (2, 2))
        for kind in "prelinked", "hooked":
            other, = (name for name in self.kept() if name not in made
                      if name.endswith(kind))
            # The program's functions differ from the library's, also in number.
            for name in made:
                if name.endswith(kind):
                    shutil.copy2(folder / other, folder / "kept")
                    (folder / other).unlink()
                    os.link(folder / name, folder / "new")
                    (folder / "new").rename(folder / other)
                    (folder / name).unlink()
                    (folder / "kept").rename(folder / name)
        for code in THRICE, TWICE:
            self.replace(code)
            self.settled(self.library)
            for _ in range(2):
                self.run_both(code)
            self.assertEqual(self.run_both(code), (2, 2))

    def test_a_hard_link_gets_stubs_of_its_own(self):
        """A hard link has another path, and thus its own numbers and stubs."""
        os.link(self.library, self.work / "link.so")
        os.link(self.program, self.work / "link")
        self.settled_all()
        for names in ({"library": "./link.so"}, {"program": "./link"},
                      {"program": "./link", "library": "./link.so"}, {}):
            for _ in range(2):
                self.run_both(**names)
            self.assertEqual(self.run_both(**names), (2, 2))
        made = self.kept()
        self.assertEqual(len(made), 8)
        self.assertEqual(self.run_both(library="./link.so"), (2, 2))
        self.assertEqual(self.kept(), made)

    def test_a_copy_gets_files_of_its_own(self):
        made = self.kept()
        shutil.copy2(self.library, self.work / "copy.so")
        self.settled(self.work / "copy.so")
        self.run_both(library="./copy.so")
        both = self.kept()
        self.assertEqual(len(both), len(made) + 2)
        for library in "./library.so", "./copy.so", "./library.so":
            self.assertEqual(self.run_both(library=library), (2, 2))
        self.assertEqual(self.kept(), both)
        self.assertLess(made.items(), both.items())

    def test_a_replaced_library_gets_new_files(self):
        made = self.kept()
        self.replace(TWICE)
        self.settled(self.library)
        self.run_both()
        self.assertEqual(self.run_both(), (2, 2))
        now = self.kept()
        self.assertEqual(set(now), set(made))
        self.assertEqual(len(set(now.items()) - set(made.items())), 1)

    def build_program(self, text):
        (self.work / "other.c").write_text(text, encoding="ascii")
        done = self.run_program(["gcc", "-o", "other", "other.c"], text=True)
        self.assertEqual((done.stderr, done.returncode), ("", 0))

    def count_both(self, expected):
        """Returns the sorted calls of each function `twice`, after checking the
        program's output.
        """
        done = self.record(["./other"], ["-m", "*.so"], text=True)
        self.assertEqual((done.stdout, done.stderr), (expected, ""))
        shown = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual((shown["problems"], shown["lost"]), ([], {}))
        shutil.rmtree(self.recording_path)
        return sorted(item["calls"] for item in shown["functions"]
                      if item["name"] == "twice")

    def test_module_replaced_while_unloaded_is_noticed(self):
        """The file is replaced by rename, or overwritten with its time stamp restored."""
        self.build_program("""
            #include <dlfcn.h>
            #include <stdio.h>
            #include <stdlib.h>
            int main(void)
            {
                static const char *between[] = {
                    "true", "mv renamed.so library.so",
                    "cat written.so >library.so; touch -r stamp library.so",
                    "true" };
                for (int i = 0; i < 4; i++) {
                    void *library;
                    int (*twice)(int);
                    if (system(between[i]))
                        return 1;
                    library = dlopen("./library.so", RTLD_NOW);
                    twice = (int (*)(int))dlsym(library, "twice");
                    for (int j = 0; j < i; j++)
                        twice(j);
                    printf("%d\\n", twice(1));
                    dlclose(library);
                }
                return 0;
            }""")
        original = self.library.read_bytes()
        for _ in range(3):
            self.library.write_bytes(original)
            shutil.copy2(self.library, self.work / "stamp")
            shutil.copy2(self.library, self.work / "written.so")
            (self.work / "renamed.so").write_bytes(self.with_code(THRICE))
            shutil.copystat(self.library, self.work / "renamed.so")
            self.settled(self.work / "renamed.so")
            self.settled_all()
            # A report identifies the module by its path.
            self.assertEqual(self.count_both("2\n3\n2\n2\n"), [10])

    def test_two_copies_are_modules_of_their_own(self):
        """Each copy is a module of its own, with its own functions."""
        shutil.copy2(self.library, self.work / "copy.so")
        self.build_program("""
            #include <dlfcn.h>
            #include <stdio.h>
            int main(void)
            {
                int sum = 0;
                for (int i = 0; i < 2; i++) {
                    void *library = dlopen(i ? "./copy.so" : "./library.so",
                                           RTLD_NOW);
                    int (*twice)(int) = (int (*)(int))dlsym(library, "twice");
                    for (int j = 0; j < 10 + i; j++)
                        sum += twice(j);
                }
                printf("%d\\n", sum);
                return 0;
            }""")
        for _ in range(3):
            self.assertEqual(self.count_both("200\n"), [10, 11])


if __name__ == "__main__":
    clewtest.main()
