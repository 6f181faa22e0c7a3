#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""If a program was not recorded, clew record and the reports say why."""
import resource
import shutil

from lib import clewtest
from lib.attached import Attached, runs
from lib.clewtest import LIBRARY, PYTHON, ROOT, needs, until
from lib.isolation import make_users

HELLO = ["/bin/echo", "hello"]
LIMIT = "the limit on file size is too low (ulimit -f)"


class Reasons(clewtest.Case):
    def check(self, words, argv=tuple(HELLO), wrapper=()):
        """The program runs as without clew, and the one message gives this reason."""
        native = self.run_program([*wrapper, *argv], text=True)
        done = self.run_program([*wrapper, *self.record_command(argv)],
                                text=True)
        self.assertEqual(done.stdout, native.stdout)
        self.assertEqual(done.returncode,
                         native.returncode or clewtest.UNRECORDED)
        self.assert_one_line(done, f"{argv[0]} was not recorded: {words}")

    def limit_files(self, size):
        self.before_exec = lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                      (size, size))

    def test_a_file_size_limit_leaves_no_part(self):
        self.limit_files(1024)
        self.check(f"it cannot create the recording: {LIMIT}")

    def test_a_file_size_limit_prevents_hooking(self):
        self.limit_files(8192)
        self.check(f"clew cannot hook its functions: {LIMIT}")

    def check_disk(self, size, words):
        (self.work / "full").mkdir()
        self.recording_path = "full/out"
        mount = f"mount -t tmpfs -o size={size} none full"
        script = f"{{ {mount}; }} 2>/dev/null || exit 77; exec \"$@\""
        wrapper = ["unshare", "-Urm", "sh", "-c", script, "sh"]
        if self.run_program([*wrapper, "true"]).returncode:
            self.skipTest("no such mounts here")
        self.check(words, wrapper=wrapper)

    @needs("unshare", "mount")
    def test_a_full_disk_leaves_no_part(self):
        self.check_disk("8k", "it cannot create the recording: the disk is full")

    @needs("unshare", "mount")
    def test_a_full_disk_prevents_hooking(self):
        self.check_disk("24k", "clew cannot hook its functions: the disk is full")

    @needs("cc")
    def test_death_in_the_loader_is_a_reason(self):
        """The program dies while the loader relocates it."""
        source, program = self.work / "early.c", self.work / "early"
        source.write_text("""
            static int answer(void) { return 0; }
            static void *resolve(void)
            { *(volatile int *)8 = 1; return answer; }
            int work(void) __attribute__((ifunc("resolve")));
            int (*volatile way)(void) = work;
            int main(void) { return way(); }
        """, encoding="ascii")
        self.run_program(["cc", "-o", program, source])
        self.check_death([program], "SIGSEGV before libclew.so could start in it")

    def check_death(self, argv, words):
        native = self.run_program(argv)
        done = self.record(argv, text=True)
        self.assertLess(native.returncode, 0)
        self.assertEqual(done.returncode, native.returncode)
        self.assert_one_line(done, "was not recorded: it died of", words)

    def test_recording_removed_by_the_program_is_reported(self):
        done = self.record(["rm", "-r", self.recording_path], text=True)
        self.assertEqual(done.returncode, clewtest.UNRECORDED)
        self.assert_one_line(done, "was not recorded", "was removed while it ran")

    @needs("qemu-x86_64")
    def test_emulators_are_recorded_and_emulated_code_is_not(self):
        done = self.record(["qemu-x86_64", *HELLO], text=True)
        self.assertEqual((done.stdout, done.returncode), ("hello\n", 0))
        self.assertIn("a program was not recorded: it runs in an emulator",
                      self.details(self.recording_path))


class Notes(clewtest.Case):
    """Unrecorded programs leave a note in a file of the recording."""

    def test_each_unrecorded_program_of_a_process_is_reported(self):
        """Python is recorded; the program that it executes under a limit is not."""
        script = """if 1:
            import os, resource
            resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
            os.execv("/bin/true", ["true"])
            """
        done = self.record([PYTHON, "-c", script])
        self.assertEqual(done.returncode, 0)
        pid = self.recording().parts[0].pid
        self.assertIn(f"problem: process {pid}: a program was not recorded: "
                      f"it cannot create the recording: {LIMIT}",
                      self.details(self.recording_path))

    def test_notes_beyond_the_limit_are_counted(self):
        self.record(HELLO)
        notes = self.recording_path / "unrecorded"
        for lines, told in ((10000, None), (10001, "1 more program was"),
                            (12345, "2,345 more programs were")):
            notes.write_text("5 too small\n" * lines, encoding="ascii")
            problems = self.clew_json("report", "--json",
                                      self.recording_path)["problems"]
            more = [problem for problem in problems if "more" in problem]
            self.assertEqual(more, [told + " not recorded"] if told else [])

    def test_invalid_notes_are_skipped(self):
        self.record(HELLO)
        notes = self.recording_path / "unrecorded"
        self.assertEqual(notes.read_text(encoding="ascii").count("\n"), 1)
        plain = self.clew("report", self.recording_path)
        notes.write_bytes(b"\0\0\0\n12\n-\n99999999999999999999 no\nx y\n"
                          + b"7" * 5000 + b"\n" + bytes(range(256)))
        self.assertEqual(self.clew("report", self.recording_path).stdout,
                         plain.stdout)
        notes.write_bytes(b"5 \x1b[31mred\n6 no end")
        told = self.details(self.recording_path)
        self.assertNotIn("\x1b[31m", told)
        self.assertIn("process 5: a program was not recorded", told)
        self.assertIn("process 6: a program was not recorded: no end", told)
        notes.unlink()
        notes.mkdir()
        self.assertEqual(self.clew("report", self.recording_path).returncode,
                         0)


class BrokenLibrary(Attached):
    """If libclew.so cannot be loaded, programs run unrecorded. Without a check, the
    loader would end them or print lines of its own."""
    PROGRAM = ("sh", "-c", "echo output; exit 3")

    def setUp(self):
        super().setUp()
        self.broken = self.work / "libclew.so"
        self.environment["CLEW_LIBRARY"] = str(self.broken)

    def check_command(self, command, reason, **options):
        native = self.run_program(self.PROGRAM, text=True, **options)
        done = self.run_program(command, text=True, **options)
        self.assertEqual((done.stdout, done.returncode),
                         (native.stdout, native.returncode))
        self.assert_one_line(done, "the program runs, but it is not recorded",
                             self.broken, reason)
        self.assertFalse(self.recording_path.exists())

    def check(self, reason, wrapper=()):
        for command in (self.record_command(self.PROGRAM),
                        [ROOT / "scripts" / "clew-preload", *self.PROGRAM]):
            with self.subTest(command[0].name):
                self.check_command([*wrapper, *command], reason)

    def write(self, content):
        self.broken.write_bytes(content)

    def link(self, *arguments, source="", name="libclew.so"):
        done = self.run_program(["cc", "-shared", "-fPIC", "-x", "c", "-",
                                 "-x", "none", "-o", name, *arguments],
                                input=source.encode())
        self.assertEqual(done.returncode, 0, done.stderr[:1000])

    def test_program_runs_with_a_truncated_library(self):
        content = LIBRARY.read_bytes()
        for size, reason in ((0, "too short"), (30, "too short"),
                             (len(content) // 20, "")):
            with self.subTest(size):
                self.write(content[:size])
                self.check(reason)

    def test_program_runs_with_a_file_that_is_no_library(self):
        self.write(b"no library\n" * 1000)
        self.check("invalid ELF header")

    def test_program_runs_with_a_library_of_another_machine(self):
        content = bytearray(LIBRARY.read_bytes())
        content[4] = 1  # EI_CLASS: 32-bit
        self.write(content)
        self.check("wrong ELF class: ELFCLASS32")

    @needs("cc")
    def test_program_runs_with_a_library_for_a_newer_glibc(self):
        """A library named libc.so.6 has the version at the link, and glibc lacks
        it at run time."""
        (self.work / "versions").write_text("GLIBC_2.99 { newer; };\n")
        self.link("-Wl,-soname,libc.so.6", "-Wl,--version-script,versions",
                  "-nostdlib", source="void newer(void) {}", name="newer.so")
        self.link("newer.so", "-nostdlib",
                  source="void newer(void); void f(void) { newer(); }")
        self.check("version `GLIBC_2.99' not found")

    @needs("cc")
    def test_program_runs_with_an_undefined_symbol(self):
        self.link("-Wl,-z,now", source="void no(void); void f(void) { no(); }")
        self.check("undefined symbol: no")

    @needs("unshare", "mount")
    def test_program_runs_with_a_library_on_a_noexec_mount(self):
        folder = self.work / "noexec"
        folder.mkdir()
        self.broken = folder / "libclew.so"
        self.environment["CLEW_LIBRARY"] = str(self.broken)
        wrapper = ["unshare", "-Urm", "sh", "-ec", "mount -t tmpfs -o noexec "
                   f'none {folder}; cp {LIBRARY} {folder}; "$@"', "sh"]
        if self.run_program([*wrapper, "true"]).returncode:
            self.skipTest("no such mounts here")
        self.check("failed to map segment", wrapper)

    def test_program_runs_with_an_unreadable_library(self):
        user, = make_users(self, 1)
        shutil.copy(LIBRARY, self.broken)
        self.broken.chmod(0)
        self.work.chmod(0o777)
        self.environment["HOME"] = str(self.work)
        self.check_command(self.record_command(self.PROGRAM),
                           "Permission denied", **user.as_user)

    def test_attach_does_not_load_a_truncated_library(self):
        self.write(LIBRARY.read_bytes()[:100000])
        process = self.start(["sleep", "1000"])
        self.assertTrue(until(lambda: runs(process, "sleep")))
        done = self.clew("attach", "--for", "1ms", "-o", self.recording_path,
                         process.pid)
        self.assert_one_line_error(done, self.broken, "damaged")
        self.assertIsNone(process.poll())


if __name__ == "__main__":
    clewtest.main()
