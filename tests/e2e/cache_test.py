#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Recordings need not analyze the files that `clew cache warm` has analyzed
before."""
import ctypes
import fcntl
import os
import pathlib
import pty
import re
import resource
import shutil
import subprocess

from lib import clewtest
from lib.clewtest import CLEW, PYTHON, needs, target


class Warm(clewtest.Case):
    def setUp(self):
        super().setUp()
        self.environment["XDG_CACHE_HOME"] = str(self.work / "cache")
        self.folder = self.work / "cache" / "clew"

    def analyses(self):
        return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns)
                for path in self.folder.glob("*.analysis")}

    def warm(self, *arguments):
        """Returns the files that it names, in order, and the result for
        each."""
        done = self.clew("cache", "warm", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return dict(line.split(": ", 1) for line in done.stdout.splitlines())

    def test_recording_after_warming_analyses_nothing(self):
        for program in (["/bin/true"], [PYTHON, "-S", "-c", "pass"]):
            with self.subTest(program[0]):
                self.warm("--no-indexes", program[0])
                before = self.analyses()
                self.assertTrue(before)
                self.assertEqual(self.record(program).returncode, 0)
                self.assertEqual(self.analyses(), before)

    def kept(self):
        return {path.name: path.stat().st_mtime_ns
                for kind in ("prelinked", "hooked")
                for path in self.folder.glob(f"*.{kind}")}

    def test_recording_after_warming_maps_stubs_and_text(self):
        # Otherwise the distance between stubs and modules could vary by chance.
        self.before_exec = lambda: ctypes.CDLL(None).personality(0x40000)
        program = os.path.realpath("/bin/cat")
        maps = "/proc/self/maps"
        found = self.warm("--no-indexes", "--no-loading", "cat")
        self.assertNotIn("stubs", found[program])
        self.assertEqual(self.kept(), {})
        found = self.warm("--no-indexes", "cat")
        self.assertTrue(found[program].endswith("; stubs and text"), found)
        before = self.kept()
        self.assertGreater(len(before), 1)
        done = self.record([program, maps], text=True)
        self.assertRegex(done.stdout, r"r-xp .*\.hooked\n")
        self.assertEqual(self.kept(), before)

    def test_stubs_and_text_that_are_not_used_are_pruned(self):
        self.warm("cat")
        before = self.kept()
        self.assertGreater(len(before), 1)
        self.assertIn("0 files removed", self.clew("cache", "prune").stdout)
        self.assertEqual(self.kept(), before)
        old = self.folder / min(before)
        os.utime(old, ns=(1, old.stat().st_mtime_ns))
        self.assertIn("1 file removed", self.clew("cache", "prune").stdout)
        self.assertEqual(len(self.kept()), len(before) - 1)
        self.clew("cache", "prune", "--all")
        self.assertEqual(list(self.folder.glob("*.*")), [])

    def test_prune_removes_files_of_former_versions(self):
        self.warm("--no-indexes", "cat")
        before = sorted(self.folder.glob("*.*"))
        digest = "0123456789abcdef" * 4
        for name in ("0123456789abcdef0123.analysis", "content-12.analysis",
                     f"content-{digest[:32]}-0.hooked", "0123-1.prelinked"):
            (self.folder / name).write_bytes(b"old")
        self.assertIn("4 files removed", self.clew("cache", "prune").stdout)
        self.assertEqual(sorted(self.folder.glob("*.*")), before)

    def test_prune_reads_the_folders_of_other_users(self):
        self.warm("--no-indexes", "cat")
        for name in "user-12345", "others", "session-abcdef":
            (self.folder / name).mkdir()
            shutil.copy(min(self.folder.glob("*.analysis")),
                        self.folder / name)
        self.clew("cache", "prune")
        self.assertTrue((self.folder / "user-12345").exists())
        self.clew("cache", "prune", "--all")
        self.assertEqual([path.name for path in self.folder.iterdir()],
                         ["a2n"])

    @needs("gcc")
    def test_warming_runs_no_code_of_the_program(self):
        source, program = self.work / "program.c", self.work / "program"
        source.write_text('#include <stdio.h>\n'
                          '__attribute__((constructor)) static void begin(void)'
                          '{ fopen("begun", "w"); }\n'
                          'int main(void) { fopen("ran", "w"); return 0; }\n',
                          encoding="ascii")
        self.run_program(["gcc", "-o", program, source])
        self.environment["TMPDIR"] = str(self.work / "temporary")
        (self.work / "temporary").mkdir()
        for limit in ((), (resource.RLIMIT_FSIZE, 1024),
                      (resource.RLIMIT_FSIZE, 16384),
                      (resource.RLIMIT_AS, 20480000),
                      (resource.RLIMIT_NPROC, 1), (resource.RLIMIT_NOFILE, 6)):
            with self.subTest(limit):
                self.warm_within(program, limit)
        self.assertEqual(self.record([program]).returncode, 0)
        self.assertTrue((self.work / "begun").exists())

    def warm_within(self, program, limit):
        """Asserts that clew runs no part of the program, reports whether it
        cached stubs, and leaves no temporary files."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.before_exec = lambda: limit and resource.setrlimit(
            limit[0], (limit[1], limit[1]))
        done = self.clew("cache", "warm", "--no-indexes", program)
        self.before_exec = None
        self.assertFalse((self.work / "begun").exists())
        self.assertFalse((self.work / "ran").exists())
        self.assertEqual(list((self.work / "temporary").iterdir()), [])
        stubs = [name for name in self.kept() if name.endswith("prelinked")]
        self.assertEqual("; stubs" in done.stdout, bool(stubs))
        self.assertEqual(done.returncode, 0 if stubs else 1)
        if not stubs:
            self.assertRegex(done.stderr, "(it|its stubs) could not be stored")

    @needs("gcc")
    def test_no_loader_that_a_program_names_runs(self):
        """Only the loader's name is that of glibc's loader; the kernel would
        run it."""
        loader = self.work / "ld-linux-x86-64.so.2"
        (self.work / "loader.c").write_text(
            'static long call(long number, const void *a, long b) { long r; '
            'asm volatile("syscall" : "=a"(r) : "a"(number), "D"(a), "S"(b) '
            ': "rcx", "r11", "memory"); return r; }\n'
            f'void _start(void) {{ call(85, "{self.work}/ran", 0600); '
            'for (;;) call(60, 0, 0); }\n')  # creat(2), exit(2)
        (self.work / "program.c").write_text("int main(void) { return 0; }")
        for argv in (["-static", "-nostdlib", "-fno-stack-protector",
                      "-o", loader, "loader.c"],
                     ["-o", "program", "program.c",
                      f"-Wl,--dynamic-linker={loader}"]):
            done = self.run_program(["gcc", *argv])
            self.assertEqual(done.returncode, 0, done.stderr)
        self.warm("--no-indexes", "./program")
        self.assertFalse((self.work / "ran").exists())
        self.run_program(["./program"])
        self.assertTrue((self.work / "ran").exists())

    @needs("gcc")
    def test_stubs_fit_programs_with_thread_local_storage(self):
        """Static TLS of the program lies before clew's own, and stubs contain
        the offset."""
        self.before_exec = lambda: ctypes.CDLL(None).personality(0x40000)
        source, program = self.work / "program.c", self.work / "program"
        for size, alignment in ((1, 1), (40, 64), (5000, 16), (64, 4096),
                                (1, 256)):
            with self.subTest(size=size, alignment=alignment):
                source.write_text(
                    f"static _Thread_local _Alignas({alignment}) char"
                    f" some[{size}];\n"
                    "int main(int n, char **v) { some[n - 1] = (char)n; "
                    "return some[n - 1] - 1 + !v; }", encoding="ascii")
                self.run_program(["gcc", "-o", program, source])
                shutil.rmtree(self.folder, ignore_errors=True)
                self.warm("--no-indexes", program)
                before = self.kept()
                self.assertTrue(before)
                self.assertEqual(self.record([program]).returncode, 0)
                self.assertEqual(self.kept(), before)

    def test_warming_without_the_library_makes_no_stubs(self):
        library = self.work / "library"
        library.mkdir()
        self.environment["CLEW_LIBRARY"] = str(library / "none.so")
        done = self.clew("cache", "warm", "--no-indexes", "/bin/true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no stubs are created: ", done.stderr)
        self.assertEqual(self.kept(), {})

    def test_warming_reads_the_libraries_that_the_loader_lists(self):
        listed = self.run_program(["ldd", PYTHON], text=True).stdout
        wanted = {os.path.realpath(path)
                  for path in re.findall(r"(/\S+) \(0x", listed)}
        self.assertTrue(wanted)
        found = self.warm("--no-indexes", "-j", "3", PYTHON)
        self.assertEqual(set(found), wanted | {os.path.realpath(PYTHON)})
        for said in found.values():
            self.assertRegex(said, r"^([\d,]+ functions|no code)"
                             r"(; stubs and text)?$")

    @needs("gcc")
    def test_no_auditor_that_a_file_names_runs(self):
        (self.work / "audit.c").write_text(
            '#include <stdio.h>\n'
            'unsigned la_version(unsigned version)'
            f'{{ fopen("{self.work}/ran", "w"); return version; }}\n')
        (self.work / "program.c").write_text("int main(void) { return 0; }")
        for argv in (["-shared", "-fPIC", "-o", "audit.so", "audit.c"],
                     [f"-Wl,--audit={self.work}/audit.so", "-o", "program",
                      "program.c"]):
            done = self.run_program(["gcc", *argv])
            self.assertEqual(done.returncode, 0, done.stderr)
        for options in ([], ["--no-loading"], ["--no-libraries"]):
            self.warm("--no-indexes", *options, "./program")
            self.assertFalse((self.work / "ran").exists(), options)
        self.run_program(["./program"])
        self.assertTrue((self.work / "ran").exists(), "the loader runs it")

    def compile(self, *argv):
        done = self.run_program(["gcc", "-fPIC", "-Wl,--no-as-needed",
                                 "-Wl,--allow-shlib-undefined", *argv],
                                text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    @needs("gcc")
    def test_libraries_are_found_as_the_loader_finds_them(self):
        """DT_RPATH also applies to a library's dependencies; DT_RUNPATH does
        not."""
        (self.work / "empty.c").write_text("")
        (self.work / "main.c").write_text("int main(void) { return 0; }")
        for folder in "a", "b":
            (self.work / folder).mkdir()
        for path, more in (("a/libfar.so", []), ("a/libtwice.so", []),
                           ("b/libtwice.so", []),
                           ("b/libnear.so", ["-La", "-lfar"]),
                           ("libpath.so", [])):
            self.compile("-shared", "-o", path, "empty.c", *more)
        for tags in "disable", "enable":
            for folders in "/nowhere:$ORIGIN/a:${ORIGIN}/b", "$ORIGIN/b":
                program = self.work / f"{tags}-{len(folders)}"
                self.compile("-o", program, "main.c", "-Lb", "-lnear",
                             "-ltwice", f"{self.work}/libpath.so",
                             f"-Wl,--{tags}-new-dtags,-rpath,{folders}")
                listed = self.run_program(["ldd", program], text=True).stdout
                done = self.clew("cache", "warm", "--no-indexes",
                                 "--no-loading", program)
                self.assertEqual(
                    {line.split(": ")[0] for line in done.stdout.splitlines()},
                    {str(program), *map(os.path.realpath, re.findall(
                        r"(/\S+) \(0x", listed))})
                self.assertEqual("libfar.so => not found" in listed,
                                 "does not find libfar.so" in done.stderr)

    def test_second_warming_finds_all_in_the_cache(self):
        plain = target("deep")
        first = self.warm(plain)
        self.assertRegex(first[plain], r"^[\d,]+ functions; [\d,]+ symbols, ")
        self.assertNotIn("already cached", first[plain])
        second = self.warm(plain)
        for said in second.values():
            self.assertEqual(said.count(", already cached"), 2)
        self.assertIn(plain, self.clew("cache", "ls").stdout)

    def test_warming_begins_with_the_largest_file(self):
        self.warm("--no-libraries", "--no-indexes", "-j", "1", target("deep"),
                  PYTHON)
        small, large = (path.stat() for path in sorted(
            self.folder.glob("*.analysis"),
            key=lambda path: path.stat().st_size))
        self.assertLessEqual(large.st_mtime_ns, small.st_mtime_ns)

    def test_warming_a_script_reads_its_interpreter(self):
        (self.work / "env").write_text("#!/usr/bin/env -S python3 -S\n")
        (self.work / "unset").write_text(
            "#!/usr/bin/env -S -u ls A=1 -C / python3 -S\n")
        (self.work / "plain").write_text(f"#! {PYTHON} -S\n")
        (self.work / "twice").write_text(f"#!{self.work}/plain\n")
        self.environment["PATH"] = "/usr/bin:/bin"
        for script in "env", "unset", "plain", "twice":
            with self.subTest(script):
                found = self.warm("--no-libraries", "--no-indexes",
                                  self.work / script)
                self.assertEqual(list(found), [os.path.realpath(PYTHON)])

    def test_warming_finds_a_program_by_name(self):
        self.environment["PATH"] = "/usr/bin:/bin"
        self.assertEqual(
            list(self.warm("--no-libraries", "--no-indexes", "python3")),
            [os.path.realpath(PYTHON)])
        (self.work / "python3").write_bytes(
            pathlib.Path(target("deep")).read_bytes())
        self.assertEqual(
            list(self.warm("--no-libraries", "--no-indexes", "python3")),
            [str(self.work / "python3")])

    @needs("gcc")
    def test_warming_reports_a_missing_library(self):
        (self.work / "gone.c").write_text("int gone(void) { return 0; }\n")
        (self.work / "here.c").write_text(
            "int gone(void);\nint main(void) { return gone(); }\n")
        for argv in (["gcc", "-shared", "-fPIC", "-o", "libgone.so",
                      "gone.c"],
                     ["gcc", "-Wl,--build-id=none", "-o", "here", "here.c",
                      "-L.", "-lgone"]):
            self.assertEqual(self.run_program(argv).returncode, 0)
        (self.work / "libgone.so").unlink()
        done = self.clew("cache", "warm", "--no-indexes", "./here")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr,
                         "clew cache: the dynamic loader does not find libgone.so\n")
        self.assertIn(f"{self.work}/here: ", done.stdout)
        self.assertTrue(self.analyses())

    def test_unreadable_programs_are_refused(self):
        (self.work / "empty").write_bytes(b"")
        (self.work / "damaged").write_bytes(
            pathlib.Path(target("deep")).read_bytes()[:5000])
        for name, said in (("nonsuch", "No such file or directory"),
                           ("empty", "not a 64-bit ELF file"),
                           ("/etc/passwd", "not a 64-bit ELF file"),
                           ("damaged", "damaged"), ("/", None)):
            with self.subTest(name):
                done = self.clew("cache", "warm", name, "/bin/true")
                self.assertEqual(done.returncode, 1)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                if said:
                    self.assertIn(f"{name}: {said}", done.stderr)
                self.assertIn("/true: ", done.stdout)
        self.environment["XDG_CACHE_HOME"] = "/proc/nowhere"
        done = self.clew("cache", "warm", "/bin/true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing can be stored in", done.stderr)

    def test_several_processes_warm_at_once(self):
        running = [subprocess.Popen(
            [CLEW, "cache", "warm", "--no-indexes", PYTHON],
            env=self.environment, cwd=self.work, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(4)]
        for one in running:
            said, errors = one.communicate()
            self.assertEqual((one.returncode, errors), (0, ""))
            self.assertIn("python3", said)
        self.assertEqual(
            [path.name for path in self.folder.iterdir()
             if path.suffix not in (".analysis", ".stamp", ".prelinked",
                                    ".hooked")], [])


class Homeless(clewtest.Case):
    """A daemon's home directory may not exist, and clew must not create it."""

    def test_missing_home_folder_is_not_created(self):
        home = self.work / "home"
        self.environment["HOME"] = str(home)
        self.environment.pop("XDG_CACHE_HOME", None)
        done = self.record([target("deep")])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        done = self.clew("report", self.recording_path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertFalse(home.exists())
        home.mkdir()
        self.assertEqual(self.record([target("deep")]).returncode, 0)
        self.clew("report", self.recording_path)
        folder = home / ".cache" / "clew"
        self.assertTrue(list(folder.glob("*.analysis")))
        self.assertTrue(list(folder.glob("a2n/*/*.a2n")))


class Reading(clewtest.Case):
    """Files that are not in the cache are analyzed before the program
    starts."""

    def setUp(self):
        super().setUp()
        self.environment["XDG_CACHE_HOME"] = str(self.work / "cache")
        self.warm("--no-libraries")
        name, = (self.work / "cache" / "clew").glob("*.analysis")
        self.warm()
        name.unlink()
        self.claim = pathlib.Path(f"{name}.claim")

    def warm(self, *options):
        done = self.clew("cache", "warm", "--no-indexes", *options,
                         target("deep"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_terminal_shows_the_awaited_file(self):
        """Another process analyzes the file until clew has printed its line."""
        leader, follower = pty.openpty()
        with open(self.claim, "wb") as holder:
            fcntl.flock(holder, fcntl.LOCK_EX)
            process = subprocess.Popen(
                [CLEW, "record", "-o", self.recording_path, "--", "sh", "-c",
                 f"exec {target('deep')}"], cwd=self.work,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=follower, env=self.environment)
            os.close(follower)
            said = b""
            while (b"analysing deep, which takes longer the first time\r\n"
                   not in said):
                said += os.read(leader, 4096)
            self.claim.unlink()
        try:
            while chunk := os.read(leader, 4096):
                said += chunk
        except OSError:  # EIO: the last follower is closed
            pass
        os.close(leader)
        self.assertEqual(process.wait(clewtest.TIMEOUT_S), 0)
        self.assertEqual(said.count(b"analysing"), 1)
        self.assertIn(b" calls in ", said)

if __name__ == "__main__":
    clewtest.main()
