#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Cached results from one user's files never change another user's program.

A forged file has the build-id and the size of a program, and claims that the
function `constant` begins two bytes later, in the middle of an instruction's
constant. Hooking the program by the analysis of the forged file changes the
constant.
"""
import os
import pathlib
import shutil
import subprocess

from lib import clewtest, isolation
from lib.clewtest import CLEW, LIBRARY, needs, until
from lib.forged import Elf

PROGRAM = """
    #include <stdint.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <unistd.h>

    __attribute__((noinline)) uint64_t constant(void)
    {
        uint64_t value;

        /* The constant's bytes are also instructions: six nops, ret. */
        __asm__ volatile("movabs $0x90c3909090909090, %0" : "=r"(value));
        return value;
    }

    int main(int argc, char **argv)
    {
        for (int i = argc > 1 ? atoi(argv[1]) : 1 << 30; i > 0; i--) {
            printf("%llx\\n", (unsigned long long)constant());
            fflush(stdout);
            usleep(1000);
        }
        return 0;
    }
"""
RIGHT = b"90c3909090909090"

MAPPER = """
    #include <fcntl.h>
    #include <stdio.h>
    #include <sys/mman.h>
    #include <sys/stat.h>
    #include <unistd.h>

    int main(int argc, char **argv)
    {
        struct stat status;
        int fd = open(argv[1], O_RDONLY);

        if (fstat(fd, &status) ||
            mmap(0, status.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
                 0) == MAP_FAILED)
            return 1;
        puts("mapped");
        fflush(stdout);
        for (;;)
            usleep(10000);
    }
"""


@needs("gcc")
class Case(clewtest.Case):
    def setUp(self):
        super().setUp()
        self.work.chmod(0o755)
        self.cache = self.work / "cache"
        self.environment["XDG_CACHE_HOME"] = str(self.cache)
        self.program = self.build("program", PROGRAM)
        self.mapper = self.build("mapper", MAPPER)
        self.forged = self.forge("forged", lambda elf: elf.move("constant", 2))

    def build(self, name, text):
        source, made = self.work / f"{name}.c", self.work / name
        source.write_text(text, encoding="ascii")
        done = self.run_program(
            ["gcc", "-O1", "-Wl,--build-id=0x" + name.encode().hex() * 2,
             "-o", made, source])
        self.assertEqual(done.returncode, 0, done.stderr)
        made.chmod(0o755)
        return made

    def forge(self, name, change, owner=None):
        """Creates a file with the program's build-id and size."""
        elf = Elf(self.program.read_bytes())
        change(elf)
        made = self.work / name
        made.write_bytes(elf.data)
        made.chmod(0o755)
        if owner:
            os.chown(made, owner.uid, owner.gid)
        return made

    def start(self, argv, **options):
        process = subprocess.Popen([str(a) for a in argv], cwd=self.work,
                                   env=self.environment,
                                   stdin=subprocess.DEVNULL, **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def record(self, argv, *rest, keep=False, **options):
        done = super().record(argv, *rest, **options)
        if not keep:
            shutil.rmtree(self.recording_path)
        return done

    def assert_right(self, printed):
        self.assertEqual(set(printed.split()), {RIGHT})


class Recorded(Case):
    """Tests the cache of a single user."""

    def test_equal_build_ids_share_no_analysis_stubs_or_text(self):
        for _ in range(3):
            self.record([self.forged, "1"])
        for _ in range(3):
            self.assert_right(self.record([self.program, "3"]).stdout)

    def test_forged_file_in_a_warmed_cache_serves_no_other(self):
        self.clew("cache", "warm", "--no-indexes", "--no-libraries",
                  self.forged)
        self.assert_right(self.record([self.program, "3"]).stdout)


    def test_no_stubs_or_text_of_files_that_others_can_change(self):
        other, = isolation.make_users(self, 1)
        for change in (lambda path: path.chmod(0o775),
                       lambda path: os.chown(path, other.uid, other.gid)):
            copy = self.work / "copy"
            shutil.copy(self.program, copy)
            change(copy)
            done = self.clew("cache", "warm", "--no-indexes",
                             "--no-libraries", copy)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for _ in range(3):
                self.assert_right(self.record([copy, "1"]).stdout)
            self.assertEqual([*self.cache.rglob("*.prelinked"),
                              *self.cache.rglob("*.hooked")], [])
            copy.unlink()
        for _ in range(3):
            self.assert_right(self.record([self.program, "1"]).stdout)
        # The stubs may need a second place, and then another file.
        self.assertGreater(len([*self.cache.rglob("*.hooked")]), 0)


class Named(Case):
    """Tests function names that `clew a2n` and reports read from an index."""

    def setUp(self):
        super().setUp()
        self.other_names = self.forge(
            "renamed", lambda elf: elf.rename("constant", "tnatsnoc"))
        elf = Elf(self.program.read_bytes())
        at, _ = elf.symbol("constant")
        self.vaddr = int.from_bytes(elf.data[at + 8:at + 16], "little")

    def name_in(self, path):
        done = self.clew("a2n", "-f", "-e", path, hex(self.vaddr))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()[0]

    def test_file_with_the_same_build_id_gives_no_names(self):
        for _ in range(2):
            self.assertEqual(self.name_in(self.other_names), "tnatsnoc")
            self.assertEqual(self.name_in(self.program), "constant")

    def test_report_of_a_forged_file_leaves_no_names(self):
        self.program.rename(self.work / "genuine")
        shutil.copy(self.other_names, self.program)
        self.record([self.program, "1"], keep=True)
        report = self.clew("report", self.recording_path)
        self.assertIn("tnatsnoc", report.stdout)
        shutil.rmtree(self.recording_path)
        (self.work / "genuine").rename(self.program)
        self.record([self.program, "1"], keep=True)
        report = self.clew("report", self.recording_path)
        self.assertNotIn("tnatsnoc", report.stdout)
        self.assertIn("constant", report.stdout)

    def test_another_users_file_names_nothing_by_its_build_id(self):
        """If a file is deleted, its functions are named by the index of its
        build-id."""
        one, _ = isolation.make_users(self)
        self.record([self.program, "1"], keep=True)
        self.program.unlink()
        os.chown(self.other_names, one.uid, one.gid)
        self.assertEqual(self.name_in(self.other_names), "tnatsnoc")
        report = self.clew("report", self.recording_path)
        self.assertNotIn("tnatsnoc", report.stdout)
        os.chown(self.other_names, 0, 0)
        self.assertEqual(self.name_in(self.other_names), "tnatsnoc")
        report = self.clew("report", self.recording_path)
        self.assertIn("tnatsnoc", report.stdout)

    def test_a_debug_file_beside_another_users_copy_is_ignored(self):
        """The copy has equal bytes; its debug file gives other names."""
        one, _ = isolation.make_users(self)
        folder = self.work / "folder"
        folder.mkdir()
        debug = folder / "stripped.debug"
        shutil.copy(self.other_names, debug)
        self.run_program(["objcopy", "-S", f"--add-gnu-debuglink={debug}",
                          self.program, self.work / "stripped"])
        shutil.copy(self.work / "stripped", folder / "stripped")
        for path in folder, folder / "stripped", debug:
            os.chown(path, one.uid, one.gid)
        self.assertEqual(self.name_in(folder / "stripped"), "tnatsnoc")
        self.assertNotEqual(self.name_in(self.work / "stripped"), "tnatsnoc")


class Root(Case):
    """Root attaches to processes that run other users' files."""

    def setUp(self):
        super().setUp()
        self.one, self.other = isolation.make_users(self)
        if self.run_program(["test", "-r", LIBRARY],
                            **self.one.as_user).returncode:
            self.skipTest("other users may not read the library")
        self.shared = self.work / "shared"
        self.shared.mkdir(mode=0o755)
        self.shared.chmod(0o755)
        rules = self.work / "rules"
        rules.write_text(f"cache {self.shared}\n", encoding="utf-8")
        self.options = ["--for", "300ms", "--rules", rules]

    def attach(self, pid, *options):
        """Attaches, and returns the recorded {function: calls}."""
        done = self.clew("attach", *options, "-o", self.recording_path, pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.clew_json("report", "--json", self.recording_path)
        shutil.rmtree(self.recording_path)
        return {row["name"]: row["calls"] for row in report["functions"]}

    def attach_to_forged(self, owner, *options):
        process = self.start([self.mapper, self.forged],
                             stdout=subprocess.PIPE, **owner.as_user)
        self.assertEqual(process.stdout.readline(), b"mapped\n")
        self.attach(process.pid, *options)
        process.kill()

    def attach_to_program(self, owner, *options):
        path = self.work / "printed"
        with open(path, "wb") as printed:
            process = self.start([self.program], stdout=printed,
                                 **owner.as_user)
        self.assertTrue(until(lambda: path.stat().st_size > 0))
        calls = self.attach(process.pid, *options)
        process.kill()
        process.wait()
        self.assert_right(path.read_bytes())
        self.assertGreater(calls.get("constant", 0), 0)


class Attached(Root):
    @staticmethod
    def analyses(folder):
        return sorted(folder.glob("*.analysis"))

    def test_forged_file_of_one_user_does_not_serve_another(self):
        os.chown(self.forged, self.one.uid, self.one.gid)
        self.attach_to_forged(self.one, *self.options)
        self.attach_to_program(self.other, *self.options)

    def test_files_of_users_have_folders_of_their_own(self):
        os.chown(self.forged, self.one.uid, self.one.gid)
        os.chown(self.program, self.other.uid, self.other.gid)
        self.attach_to_forged(self.one, *self.options)
        before = self.analyses(self.shared)
        self.assertEqual(
            len(self.analyses(self.shared / f"user-{self.one.uid}")), 1)
        self.attach_to_program(self.other, *self.options)
        self.assertEqual(self.analyses(self.shared), before)
        self.assertEqual(
            len(self.analyses(self.shared / f"user-{self.other.uid}")), 1)
        for path in self.shared.rglob("*"):
            self.assertEqual(path.lstat().st_uid, 0)
            self.assertFalse(path.is_file() and path.stat().st_mode & 0o22)

    def test_file_that_everyone_may_write_serves_no_other(self):
        self.forged.chmod(0o777)
        self.attach_to_forged(self.one, *self.options)
        self.assertEqual(len(self.analyses(self.shared / "others")), 1)
        self.attach_to_program(self.other, *self.options)

    def test_second_session_reads_the_analysis(self):
        os.chown(self.program, self.other.uid, self.other.gid)
        self.attach_to_program(self.other, *self.options)
        made = {path: path.stat().st_ino
                for path in self.shared.rglob("*.analysis")}
        self.attach_to_program(self.other, *self.options)
        self.assertEqual({path: path.stat().st_ino
                          for path in self.shared.rglob("*.analysis")}, made)


ENTER = """
    for folder in usr lib lib64 lib32 libx32 bin sbin etc; do
        [ -e /$folder ] || continue
        mkdir -p "$0/$folder" && mount --rbind /$folder "$0/$folder"
    done
    mkdir -p "$0/tmp" "$0/proc" && mount -t proc proc "$0/proc" &&
        exec chroot "$0" "$@"
"""


@needs("unshare")
class Container(Root):
    """The process belongs to root and has mounts, a root and process ids of its
    own."""

    def setUp(self):
        super().setUp()
        self.root = self.work / "root"
        self.root.mkdir()
        for path in self.mapper, self.forged:
            shutil.copy(path, self.root)
        self.within = ["unshare", "-m", "-p", "-f", "--kill-child"]
        if self.run_program([*self.within, "true"]).returncode:
            self.skipTest("may make no namespaces here")

    def attach_to_container(self):
        first = self.start([*self.within, "sh", "-c", ENTER, self.root,
                            "/mapper", "/forged"], stdout=subprocess.PIPE)
        self.assertEqual(first.stdout.readline(), b"mapped\n")
        children = pathlib.Path(f"/proc/{first.pid}/task/{first.pid}/children")
        pid = int(children.read_text(encoding="ascii"))
        self.attach(pid, "--for", "300ms")
        first.kill()

    def test_forged_file_of_a_container_serves_no_one(self):
        self.attach_to_container()
        self.assert_right(self.record([self.program, "3"]).stdout)

    def test_nothing_of_a_container_is_kept(self):
        self.attach_to_container()
        kept = {path.name for path in self.cache.rglob("*.analysis")}
        for path in "mapper", "forged":
            alone = self.work / path
            self.run_program([CLEW, "cache", "warm", "--no-libraries",
                              "--no-indexes", alone])
        now = {path.name for path in self.cache.rglob("*.analysis")}
        self.assertEqual(len(now - kept), 2)
        self.assertEqual(list(self.cache.rglob("session-*")), [])


if __name__ == "__main__":
    clewtest.main()
