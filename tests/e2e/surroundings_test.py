#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""clew does not change where and how programs run, nor how they end."""
import os
import resource
import shutil
import signal
import subprocess

from lib import clewtest, seccomp, truth, wire
from lib.clewtest import PYTHON, needs, target

SQL = ["sqlite3", ":memory:", "select sum(value) from generate_series(1, 99)"]
STATUS = {"return": 1, "exit": 3, "_exit": 2, "quick_exit": 7,
          "abort": -signal.SIGABRT, "kill": -signal.SIGKILL,
          "trap": -signal.SIGILL, "thread": 6, "handlers": 5, "last": 0}


class Ends(clewtest.Case):
    """A process that ends in any manner has its native status and a complete recording."""

    def test_every_way_to_end_is_recorded(self):
        for how, status in STATUS.items():
            with self.subTest(how):
                for old in self.truths.iterdir():
                    old.unlink()
                self.environment.pop("TRUTH_DIR", None)
                recording, _ = self.record_target([target("ends"), how])
                part, = recording.parts
                self.assert_nothing_lost(part)
                self.assertEqual(
                    self.record([target("ends"), how]).returncode, status)

    def test_daemons_are_recorded(self):
        recording, _ = self.record_target([target("ends"), "daemon"],
                                          images=3)
        for part in recording.parts:
            self.assert_nothing_lost(part)


class Crowd(clewtest.Case):
    def test_ten_thousand_threads_are_recorded(self):
        argv = [target("crowd"), "10000"]
        native = self.run_program(argv)
        if native.stdout != b"10000 of 10000\n":
            self.skipTest("not so many threads here")
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.assert_same_behaviour(native, self.record(argv))
        recording = self.recording()
        self.assert_counts(recording)
        self.assert_nothing_lost(recording.parts[0])


class Environment(clewtest.Case):
    def check(self, argv, **options):
        native = self.run_program(argv, **options)
        self.assert_same_behaviour(native, self.record(argv, **options))
        calls = sum(sum(part.counts().values())
                    for part in wire.Recording(self.recording_path).parts)
        self.assertGreater(calls, 0)
        return native

    def library(self, name, code):
        """Builds a shared library from a few lines of code. Returns its path."""
        source = self.work / f"{name}.c"
        source.write_text(code, encoding="utf-8")
        library = self.work / f"{name}.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-D_GNU_SOURCE", "-o",
                        library, source], check=True)
        return library

    @needs("setarch", "sqlite3")
    def test_programs_run_without_address_randomization(self):
        self.check(["setarch", "-R", *SQL])

    @needs("cc")
    def test_programs_linked_at_odd_addresses_are_recorded(self):
        source = self.work / "odd.c"
        source.write_text("""
            #include <stdio.h>
            __attribute__((noinline)) int f(int n)
            { return n < 2 ? n : f(n - 1) + f(n - 2); }
            int main(void) { printf("%d\\n", f(15)); return 0; }
            """, encoding="utf-8")
        for number, (kind, address) in enumerate((
                ("-no-pie", "0x10000"), ("-no-pie", "0x3ff000"),
                ("-no-pie", "0x70000000"), ("-no-pie", "0x7f000000"),
                ("-pie", "0x10000"), ("-pie", "0x6f0000000"),
                ("-pie", "0x7bffffff0000"), ("-pie", "0x7e0000000000"))):
            program = self.work / f"odd{number}"
            subprocess.run(["cc", "-O1", kind,
                            "-fPIE" if kind == "-pie" else "-fno-pie",
                            f"-Wl,-Ttext-segment={address}", "-o", program,
                            source], check=True)
            with self.subTest(f"{kind} {address}"):
                native = self.check([program])
                if native.returncode:
                    continue  # The kernel has already mapped something there.
                part, = self.recording().parts
                self.assertGreater(max(part.counts().values()), 1)

    @needs("cc", "sqlite3")
    def test_auditors_and_other_preloads_work(self):
        audit = self.library("audit", """
            #include <link.h>
            unsigned la_version(unsigned v) { return v; }
            unsigned la_objopen(struct link_map *m, Lmid_t l, uintptr_t *c)
            { return LA_FLG_BINDTO | LA_FLG_BINDFROM; }
            """)
        other = self.library("other", """
            #include <stdio.h>
            __attribute__((constructor)) static void f(void)
            { puts("preloaded"); }
            """)
        self.check(["env", f"LD_AUDIT={audit}", *SQL])
        self.check(["env", f"LD_PRELOAD={other}", *SQL])
        self.check(["env", "-i", f"LD_PRELOAD={other}", shutil.which(SQL[0]),
                    *SQL[1:]])
        self.check(["env", "LD_BIND_NOW=1", *SQL])

    @needs("cc")
    def test_program_with_a_thread_before_clew_runs_unhooked(self):
        """The thread may be executing code that a hook would change, so nothing is hooked."""
        audit = self.library("audit", """
            #include <link.h>
            #include <pthread.h>
            static int see(struct dl_phdr_info *i, size_t n, void *p)
            { return 0; }
            static void *run(void *p)
            { for (;;) dl_iterate_phdr(see, 0); return p; }
            unsigned la_version(unsigned v)
            { pthread_t t; pthread_create(&t, 0, run, 0); return v; }
            """)
        argv = ["env", f"LD_AUDIT={audit}", target("abi")]
        native = self.run_program(argv)
        recorded = self.record(argv, ["-q"])
        self.assertEqual((recorded.stdout, recorded.returncode),
                         (native.stdout, clewtest.UNRECORDED))
        parts = wire.Recording(self.recording_path).parts
        self.assertEqual([(part.seq, part.state, part.why) for part in parts
                          if part.seq],
                         [(1, wire.DISABLED,
                           "another thread was started before clew, by an "
                           "LD_AUDIT library or, before glibc 2.34, by a "
                           "constructor")])

    @needs("cc")
    def test_clew_calls_no_preloaded_function(self):
        """clew does not call preloaded functions, least of all before libc is
        initialized: they may need its environment.
        """
        early = self.library("early", EARLY)
        self.environment["XDG_CACHE_HOME"] = str(self.work / "cache")
        for _ in "not cached", "cached":
            self.check(["env", f"LD_PRELOAD={early}", target("abi")])

    @needs("cc")
    def test_calls_of_clew_itself_are_not_counted(self):
        """The program replaces functions of libc that clew itself calls."""
        source, program = self.work / "own.c", self.work / "own"
        source.write_text(OWN, encoding="utf-8")
        subprocess.run(["cc", "-O1", "-fno-builtin", "-rdynamic", "-o",
                        program, source], check=True)
        for options in [], ["--libc"], ["--libc", "--no-cache"]:
            with self.subTest(options=options):
                self.record([program], options)
                calls = {row["name"]: row["calls"] for row in self.clew_json(
                    "report", "--json", "-m", "own",
                    self.recording_path)["functions"]}
                self.assertEqual({name: calls.get(name, 0) for name in
                                  ("strlen", "memcpy", "memset", "main")},
                                 {"strlen": 1000, "memcpy": 500,
                                  "memset": 0, "main": 1})

    @needs("fakeroot")
    def test_fakeroot_works(self):
        mine = self.work / "mine"
        mine.touch()
        if os.geteuid() == 0:
            os.chown(mine, 12, 34)
        native = self.check(["fakeroot", "stat", "-c", "%u:%g", mine])
        self.assertEqual(native.stdout, b"0:0\n")

    @needs("sqlite3")
    def test_huge_arguments_and_environment_work(self):
        huge = "x" * 120000
        self.environment["HUGE"] = huge
        self.check(["sqlite3", ":memory:", f"select length('{huge}')"])

    @needs("sqlite3")
    def test_long_paths_work(self):
        folder = self.work.joinpath(*["d" * 200] * 9)
        folder.mkdir(parents=True)
        shutil.copy(shutil.which("sqlite3"), folder)
        self.check([folder / "sqlite3", *SQL[1:]])

    @needs("sqlite3")
    def test_programs_in_a_removed_folder_are_recorded(self):
        self.check(["/bin/sh", "-c", 'mkdir gone; cd gone; rmdir ../gone; '
                    'exec "$@"', "sh", *SQL])

    @needs("sqlite3")
    def test_programs_with_closed_descriptors_are_recorded(self):
        self.check(["/bin/sh", "-c", 'exec <&- >&- 2>&-; exec "$@"', "sh",
                    *SQL])
        self.check([PYTHON, "-c",
                    "import os, subprocess\n"
                    "os.closerange(3, 65536)\n"
                    f"subprocess.run({SQL})\n"])

    @needs("unshare", "sqlite3")
    def test_namespaces_work(self):
        for options in "-U", "-Urpf":
            argv = ["unshare", options, *SQL]
            if self.run_program(argv).returncode:
                self.skipTest("no user namespaces here")
            self.check(argv)

    @needs("unshare")
    def test_threads_are_known_by_proc_of_an_outer_namespace(self):
        """/proc shows other thread ids than gettid() in that namespace."""
        argv = ["unshare", "-Urpf", target("threads")]
        native = self.run_program(argv)
        if native.returncode:
            self.skipTest("no user namespaces here")
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.assert_same_behaviour(native, self.record(argv))
        (counted,) = truth.read_all(self.truths)
        self.assertEqual(counted.pid, 1)
        # The child of unshare has the first part with pid 1.
        self.assert_equals_truth(counted, self.recording().part(1, 1))

    @needs("chroot", "setpriv", "sqlite3")
    def test_root_and_users_are_recorded(self):
        if os.geteuid():
            self.skipTest("only root can")
        self.check(["chroot", "/", *SQL])
        # This user cannot write the recording, but the program must still run.
        other = ["setpriv", "--reuid=65534", "--clear-groups", *SQL]
        self.check(other)
        # This user also cannot load the library, once the process executes
        # another program.
        self.environment["CLEW_LIBRARY"] = str(
            shutil.copy(clewtest.LIBRARY, self.work))
        self.check(other)

    @needs("sqlite3")
    def test_children_out_of_reach_run(self):
        """The children are set-user-id, or have an environment without LD_PRELOAD."""
        self.check(["/bin/sh", "-c", "passwd --help; LD_PRELOAD= "
                    "sqlite3 :memory: 'select 1'"])

    @needs("cc", "sqlite3")
    def test_static_children_run(self):
        """Static programs pass clew's environment variables on to their children."""
        source = self.work / "static.c"
        source.write_text("""
            #include <stdlib.h>
            int main(void) { return system("sqlite3 :memory: 'select 2'"); }
            """, encoding="utf-8")
        static = self.work / "static"
        subprocess.run(["cc", "-static", "-o", static, source], check=True)
        native = self.check(["/bin/sh", "-c", f"{static}; echo done"])
        self.assertEqual(native.stdout, b"2\ndone\n")
        names = {part.arguments[0].rsplit("/", 1)[-1]
                 for part in self.recording().parts}
        self.assertLessEqual({"sh", "sqlite3"}, names)
        self.assertNotIn("static", names)

    def test_program_runs_without_its_recording_folder(self):
        self.environment["LD_PRELOAD"] = str(clewtest.LIBRARY)
        for folder in f"{self.work}/missing", "/proc", "relative", "":
            self.environment["CLEW_DIR"] = folder
            done = self.run_program(["/bin/echo", "a"])
            self.assertEqual((done.stdout, done.stderr, done.returncode),
                             (b"a\n", b"", 0))

    def test_two_recordings_at_once_work(self):
        inner = self.work / "inner"
        argv = [clewtest.CLEW, "record", "-o", inner, "--",
                target("recursion")]
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.assertEqual(self.record(argv).returncode, 0)
        one, = truth.read_all(self.truths)
        part, = wire.Recording(inner).parts
        self.assert_equals_truth(one, part)


EARLY = """
long syscall(long number, ...);
unsigned long strlen(const char *text);
static int is_open;
static void say(const char *what)
{
    if (!is_open)
        syscall(1, 2, what, strlen(what));
}
#define F(name, number)                                                        \\
    long name(long a, long b, long c, long d, long e, long f)                  \\
    {                                                                          \\
        say(#name " was called too early\\n");                                 \\
        return syscall(number, a, b, c, d, e, f);                              \\
    }
F(read, 0) F(write, 1) F(open, 2) F(close, 3) F(fstat, 5) F(munmap, 11)
F(getpid, 39) F(rename, 82) F(unlink, 87) F(geteuid, 107)
void *mmap(void *a, long b, long c, long d, long e, long f)
{
    say("mmap was called too early\\n");
    return (void *)syscall(9, a, b, c, d, e, f);
}
__attribute__((constructor)) static void begin(void) { is_open = 1; }
"""
OWN = """
typedef unsigned long size;
size strlen(const char *text)
{
    volatile size length = 0;
    while (text[length])
        length++;
    return length;
}
void *memcpy(void *to, const void *from, size bytes)
{
    for (volatile size i = 0; i < bytes; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}
void *memset(void *at, int value, size bytes)
{
    for (volatile size i = 0; i < bytes; i++)
        ((char *)at)[i] = value;
    return at;
}
int main(void)
{
    char text[8];
    for (int i = 0; i < 500; i++) {
        memcpy(text, "seven..", 8);
        if (strlen(text) + strlen("x") != 8)
            return 1;
    }
    return 0;
}
"""
SANITIZED = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int leaf(volatile int *n) { return ++*n; }
static void *work(void *unused)
{
    volatile int *n = calloc(1, sizeof(int));
    for (int i = 0; i < 1000; i++)
        leaf(n);
    free((void *)n);
    return unused;
}
int main(int argc, char **argv)
{
    char *volatile stale = malloc(3);
    pthread_t threads[4];
    int status, sum = 0;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 8; i++)
        if (fork() == 0) {
            work(NULL);
            _exit(i);
        }
    while (wait(&status) > 0)
        sum += status;
    printf("%d\\n", sum);
    fflush(stdout);
    free(stale);
    return argc > 1 ? *stale : 3;
}
"""


class Sanitizers(clewtest.Case):
    """The runtimes of sanitizers must come first, before libc."""

    AS_ALWAYS = "env", "-u", "ASAN_OPTIONS"  # clewtest sets ASAN_OPTIONS

    def check(self, name, compiler="cc", *flags):
        source, program = self.work / "source.c", self.work / name
        source.write_text(SANITIZED, encoding="utf-8")
        built = self.run_program([compiler, "-O1", f"-fsanitize={name}",
                                  *flags, "-pthread", "-o", program, source])
        if built.returncode:
            self.skipTest(f"no {compiler} -fsanitize={name} here")
        argv = [*self.AS_ALWAYS, program]
        for options in [], ["--time=exact", "--libc"]:
            with self.subTest(options=options):
                self.assert_same_behaviour(self.run_program(argv),
                                           self.record(argv, options))
                calls = self.clew_json("report", "--json", "-m", name,
                                       self.recording_path)["functions"]
                self.assertTrue(calls)
                # Functions built with -fsanitize=thread pass their return
                # address on.
                if name != "thread":
                    self.assertIn(12000, [row["calls"] for row in calls])
        return argv

    def test_address_sanitizer_works(self):
        argv = [*self.check("address"), "stale"]
        native = self.run_program(argv, text=True)
        recorded = self.record(argv, text=True)
        self.assertEqual(recorded.returncode, native.returncode)
        self.assertIn("heap-use-after-free", native.stderr)
        self.assertIn("heap-use-after-free", recorded.stderr)

    @needs("clang")
    def test_shared_address_sanitizer_works(self):
        where = self.run_program(
            ["clang", "-print-file-name=libclang_rt.asan-x86_64.so"],
            text=True).stdout.strip()
        self.check("address", "clang", "-shared-libasan",
                   f"-Wl,-rpath,{os.path.dirname(where)}")

    def test_thread_sanitizer_works(self):
        self.check("thread")

    def test_a_linked_thread_sanitizer_works(self):
        """ThreadSanitizer allows memory only where programs usually have it."""
        for compiler, *flags in (["cc", "-static-libtsan"], ["clang", "-fPIE"],
                                 ["clang", "-no-pie"]):
            with self.subTest(compiler=compiler, flags=flags):
                self.check("thread", compiler, *flags)

    @needs("clang")
    def test_memory_sanitizer_works(self):
        self.check("memory", "clang", "-fsanitize-memory-track-origins")

    @needs("clang")
    def test_data_flow_sanitizer_works(self):
        self.check("dataflow", "clang")

    def test_undefined_behaviour_sanitizer_works(self):
        self.check("undefined")


class Notes(clewtest.Case):
    @needs("cc", "objcopy")
    def test_programs_without_a_build_id_note_are_recorded(self):
        """objcopy leaves the segment of the build-id, at address 0."""
        source, program = self.work / "plain.c", self.work / "plain"
        source.write_text("""
            int puts(const char *);
            __attribute__((noinline)) int work(int n)
            { __asm__ volatile(""); return n + puts("plain"); }
            int main(void) { return work(-3) ? 3 : 4; }
        """, encoding="ascii")
        for flags in ["-no-pie", "-fno-pie"], ["-pie", "-fpie"]:
            with self.subTest(flags):
                self.run_program(["cc", *flags, "-Wl,--build-id", "-o",
                                  program, source])
                done = self.run_program(["objcopy", "--remove-section",
                                         ".note.gnu.build-id", program])
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_same_behaviour(self.run_program([program]),
                                           self.record([program]))
                module = [m for m in self.recording().parts[0].modules
                          if m.name == "plain"][0]
                self.assertEqual(module.state_name, "HOOKED")


class Disk(clewtest.Case):
    """A full disk limits the recording, and the program does not notice."""
    LOAD = [PYTHON, "-c", "print(sum(i * i for i in range(9999)))"]

    def losses(self):
        """Returns the number of calls that are not counted, or not in their own context."""
        recording = wire.Recording(self.recording_path)
        return sum(sum(part.losses) + part.folded_calls()
                   for part in recording.parts)

    def check(self, unshare, mount, sizes):
        """Records onto small file systems; `mount` mounts one of the given size on "full"."""
        script = (f"{{ {mount}; }} >/dev/null 2>&1 || exit 77; "
                  f'{clewtest.CLEW} record -o full/out -- "$@"; '
                  "status=$?; cp -r full/out copy; umount full; exit $status")
        native = self.run_program(self.LOAD).stdout
        lost = 0
        (self.work / "full").mkdir()
        for size in sizes:
            shutil.rmtree(self.work / "copy", ignore_errors=True)
            done = self.run_program([*unshare, "sh", "-c", script, size,
                                     *self.LOAD])
            if done.returncode in (1, 77) and not done.stdout:
                self.skipTest("no such mounts here")
            with self.subTest(size):
                self.assertEqual(done.stdout, native)
                self.assertIn(done.returncode, (0, clewtest.UNRECORDED))
                self.recording_path = self.work / "copy"
                lost += self.losses()
        self.assertGreater(lost, 0)

    def check_memory(self):
        self.check(["unshare", "-Urm"], "mount -t tmpfs -o size=$0 none full",
                   ("16k", "64k", "200k", "1m", "4m"))

    def check_disk(self):
        self.check(["unshare", "-m"], "rm -f disk && truncate -s $0 disk && "
                   "mkfs.ext4 -q -m 0 disk && mount -o loop disk full",
                   ("256k", "400k", "800k", "4m"))

    @needs("unshare", "mount")
    def test_full_shared_memory_is_harmless(self):
        self.check_memory()

    @needs("unshare", "mount")
    def test_full_shared_memory_is_harmless_on_an_older_kernel(self):
        self.before_exec = seccomp.be_an_older_kernel
        self.check_memory()

    @needs("unshare", "mount", "mkfs.ext4")
    def test_a_full_disk_is_harmless(self):
        self.check_disk()

    @needs("unshare", "mount", "mkfs.ext4")
    def test_a_full_disk_is_harmless_on_an_older_kernel(self):
        self.before_exec = seccomp.be_an_older_kernel
        self.check_disk()

    def test_files_of_limited_size_end_nothing(self):
        """With a limited file size, the program gets no SIGXFSZ from clew's writes of
        parts, of analyses into an empty cache, and of the configuration.
        """
        native = self.run_program(self.LOAD)
        for size in 0, 1, 4096, 8192, 40000, 100000, 1 << 20:
            self.before_exec = lambda size=size: resource.setrlimit(
                resource.RLIMIT_FSIZE, (size, size))
            self.environment["XDG_CACHE_HOME"] = str(self.work / str(size))
            with self.subTest(size):
                done = self.record(self.LOAD)
                self.assertEqual(done.stdout, native.stdout)
                self.assertIn(done.returncode, (0, clewtest.UNRECORDED))
                self.assertLessEqual(len(done.stderr.splitlines()), 2)

    def test_a_program_does_not_get_the_signal_of_another_file(self):
        """The program blocks SIGXFSZ, lowers the limit, starts threads and loads
        libraries. Only a SIGXFSZ that its own write caused may be pending.
        """
        script = """if 1:
            import resource, signal, threading
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGXFSZ])
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
            for _ in range(50):
                thread = threading.Thread(target=sum, args=(range(9999),))
                thread.start()
                thread.join()
            import decimal, sqlite3, ctypes
            print(signal.sigpending(), decimal.Decimal(2).sqrt())
            with open("own", "wb") as own:
                try: own.write(bytes(8192)); own.flush()
                except OSError as error: print(error.errno)
                print(signal.sigpending())
                try: own.close()
                except OSError as error: print(error.errno)
            """
        native = self.run_program([PYTHON, "-c", script])
        self.assertIn(b"SIGXFSZ", native.stdout)
        self.environment["XDG_CACHE_HOME"] = str(self.work / "cache")
        done = self.record([PYTHON, "-c", script])
        self.assertEqual((done.stdout, done.returncode),
                         (native.stdout, native.returncode))

    def test_calls_beyond_a_file_size_limit_are_lost_and_counted(self):
        lost = 0
        native = self.run_program(self.LOAD)
        for kib in 100, 1000, 3000:
            self.before_exec = lambda kib=kib: resource.setrlimit(
                resource.RLIMIT_FSIZE, (kib << 10, kib << 10))
            with self.subTest(kib):
                done = self.record(self.LOAD)
                self.assertEqual(done.stdout, native.stdout)
                self.assertIn(done.returncode, (0, clewtest.UNRECORDED))
                lost += self.losses()
        self.assertGreater(lost, 0)


class Memory(clewtest.Case):
    def test_program_in_a_small_control_group_is_recorded(self):
        """The group has little memory for contexts, pages of the shadow, and tables."""
        for root, limit in (("/sys/fs/cgroup", "memory.max"),
                            ("/sys/fs/cgroup/memory",
                             "memory.limit_in_bytes")):
            if not clewtest.pathlib.Path(root, "cgroup.procs").exists():
                continue
            group = clewtest.pathlib.Path(root, f"clew-test-{os.getpid()}")
            try:
                group.mkdir()
                self.addCleanup(group.rmdir)
                (group / limit).write_text("64M", encoding="ascii")
            except OSError:
                continue
            break
        else:
            self.skipTest("no memory controller here")
        self.before_exec = lambda: (group / "cgroup.procs").write_text(
            str(os.getpid()), encoding="ascii")
        self.record_target([target("recursion")])


class ShadowStack(clewtest.Case):
    @needs("gdb")
    def test_program_with_a_shadow_stack_is_refused(self):
        """clew refuses a program with a shadow stack of the CPU (gdb simulates the
        kernel's answer).
        """
        folder = self.work / "out"
        folder.mkdir()
        script = self.work / "script"
        script.write_text(f"""
            set startup-with-shell off
            set environment LD_PRELOAD {clewtest.LIBRARY}
            set environment CLEW_DIR {folder}
            catch syscall arch_prctl
            run
            while $rdi != 0x5005
            continue
            end
            continue
            set *(long *)$rsi = 1
            set $rax = 0
            delete
            continue
            """, encoding="utf-8")
        done = self.run_program(["gdb", "-q", "-nx", "-batch", "-x", script,
                                 target("recursion")], text=True)
        part, = wire.Recording(folder).parts
        self.assertEqual(part.state, wire.DISABLED, done.stdout)
        self.assertIn("shadow stack", part.why)
        self.assertIn("exited normally", done.stdout)


if __name__ == "__main__":
    clewtest.main()
