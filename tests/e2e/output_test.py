#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Real programs print the same bytes, and end with the same status, with clew."""
import pathlib
import re
import resource
import subprocess

from lib import clewtest, wire
from lib.clewtest import PYTHON, needs, slow

CAP_IPC_LOCK = 14  # linux/capability.h
PYTHON_LOAD = """
import collections, hashlib, json, re, threading
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
class Node:
    def __init__(self, k): self.k, self.l, self.r = k, None, None
def insert(t, k):
    if t is None: return Node(k)
    if k < t.k: t.l = insert(t.l, k)
    else: t.r = insert(t.r, k)
    return t
def walk(t):
    if t: yield from walk(t.l); yield t.k; yield from walk(t.r)
x, t = 12345, None
for _ in range(3000):
    x = (x * 1103515245 + 12345) % 2**31
    t = insert(t, x)
keys = list(walk(t))
print(fib(20), len(keys), keys == sorted(keys))
text = json.dumps({str(k): [k, k / 7, None, "x" * (k % 9)] for k in keys})
print(hashlib.sha256(text.encode()).hexdigest(), len(json.loads(text)))
print(collections.Counter(re.findall(r"[1-9]+", text)).most_common(3))
def raises(n):
    if n == 0: raise ValueError("deep")
    raises(n - 1)
try: raises(500)
except ValueError as e: print(e)
out = []
threads = [threading.Thread(target=lambda n=n: out.append(fib(n)))
           for n in range(12)]
for th in threads: th.start()
for th in threads: th.join()
print(sorted(out))
"""

SQL_LOAD = """
create table t(id integer primary key, name text, v real);
with recursive n(i) as (select 1 union all select i+1 from n where i<20000)
insert into t select i, 'name' || (i * 7919 % 1000), i / 7.0 from n;
create index byname on t(name);
select count(*), sum(v), min(name), max(name) from t;
select name, count(*) c, group_concat(id) from t group by name
  order by c desc, name limit 3;
select a.id, b.id from t a join t b on a.name = b.name and a.id < b.id
  order by 1, 2 limit 5;
update t set v = v * 2 where id % 3 = 0;
delete from t where name like '%99';
select count(*), round(sum(v), 3) from t;
pragma integrity_check;
select * from nosuch;
"""

LUA_LOAD = """
local function fib(n) if n < 2 then return n end
  return fib(n - 1) + fib(n - 2) end
print(fib(22))
local t = {}
for i = 1, 20000 do t[i] = (i * 7919) % 10007 end
table.sort(t, function(a, b) return a < b end)
print(t[1], t[#t], #t)
print(("x"):rep(1000):gsub("x", {x = "yz"}):len())
local co = coroutine.wrap(function() for i = 1, 1000 do
  coroutine.yield(i * i) end end)
local s = 0
for _ = 1, 1000 do s = s + co() end
print(s)
print(pcall(function() error({code = 7}) end))
print(select(2, pcall(error, "plain")))
""".replace("print(pcall(function() error({code = 7}) end))",
            "print((pcall(function() error({code = 7}) end)))")


class SameOutput(clewtest.Case):
    def check(self, argv, least_calls, **options):
        native = self.run_program(argv, **options)
        recorded = self.record(argv, **options)
        self.assert_same_behaviour(native, recorded)
        self.assertTrue(native.stdout)
        part = self.recording().parts[0]
        self.assertGreater(sum(part.counts().values()), least_calls)
        self.assert_nothing_lost(part)

    def test_python3_prints_the_same(self):
        self.environment["PYTHONHASHSEED"] = "0"
        self.check([PYTHON, "-c", PYTHON_LOAD], 1000000)

    def test_python3_prints_the_same_with_the_c_library_hooked(self):
        self.environment["PYTHONHASHSEED"] = "0"
        argv = [PYTHON, "-c", PYTHON_LOAD]
        native = self.run_program(argv)
        self.assert_same_behaviour(native, self.record(argv, ["--libc"]))

    @needs("sqlite3")
    def test_sqlite3_prints_the_same(self):
        self.check(["sqlite3", ":memory:"], 1000000,
                   input=SQL_LOAD.encode())

    @needs("luajit")
    def test_luajit_without_its_jit_prints_the_same(self):
        self.check(["luajit", "-joff", "-e", LUA_LOAD], 100000)

    @needs("luajit")
    def test_luajit_prints_the_same(self):
        self.check(["luajit", "-e", LUA_LOAD], 1000)

    @needs("git")
    def test_git_prints_the_same(self):
        self.check(["git", "diff", "--no-index", "--stat", "-p",
                    clewtest.ROOT / "wire", clewtest.ROOT / "scripts"], 1000)

    @needs("gdb")
    @slow
    def test_gdb_prints_the_same(self):
        self.check(["gdb", "-batch", "-nx", "-ex", "python print(6 * 7)",
                    "-ex", "info functions ^malloc$", "/bin/true"], 100000)


REDIS_COMMANDS = """\
SET a 1
INCR a
LPUSH l 1 2 3 4 5
LRANGE l 0 -1
ZADD z 1 one 2 two 3 three
ZRANGEBYSCORE z 1 2 WITHSCORES
HSET h f1 v1 f2 v2
HGETALL h
EVAL "local s = 0 for i = 1, 1000 do s = s + i end return s" 0
SORT l DESC
OBJECT ENCODING l
PFADD p a b c d
PFCOUNT p
GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania
GEODIST g Palermo Catania
XADD x 1-1 field value
XRANGE x - +
NOSUCHCOMMAND
SAVE
DBSIZE
"""


@needs("redis-server", "redis-cli")
class Redis(clewtest.Case):
    def session(self, name, wrap):
        """Returns the output of redis-cli and the exit status of the server."""
        home = self.work / name
        home.mkdir()
        socket = home / "socket"
        server = subprocess.Popen(
            [str(a) for a in wrap(["redis-server", "--port", "0",
                                   "--unixsocket", socket, "--dir", home,
                                   "--save", "", "--io-threads", "2",
                                   "--io-threads-do-reads", "yes"])],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=self.environment, cwd=self.work)
        try:
            for line in server.stdout:
                if b"ready to accept connections" in line:
                    break
            answers = self.run_program(["redis-cli", "-s", socket],
                                       input=REDIS_COMMANDS.encode())
            self.run_program(["redis-cli", "-s", socket, "SHUTDOWN",
                              "NOSAVE"])
            server.stdout.read()
            status = server.wait(clewtest.TIMEOUT_S)
        finally:
            server.kill()
            server.stdout.close()
            server.wait()
        return answers.stdout, status

    def test_redis_gives_the_same_answers(self):
        native = self.session("native", lambda argv: argv)
        recorded = self.session("recorded", self.record_command)
        self.assertEqual(native, recorded)
        self.assertIn(b"166274.1516", native[0])
        part = self.recording().parts[0]
        self.assertEqual(part.state, wire.ENDED)
        self.assertGreater(sum(part.counts().values()), 10000)


class Hazards(clewtest.Case):
    """Programs that earlier versions of clew's hooks have killed."""

    def same(self, compiler, source, *options):
        path = self.work / ("source.cc" if compiler == "g++" else "source.c")
        path.write_text(source, encoding="utf-8")
        program = self.work / "program"
        done = self.run_program([compiler, "-O2", "-o", program, path,
                                 *options])
        self.assertEqual(done.returncode, 0, done.stderr)
        native = self.run_program([program])
        recorded = self.record([program])
        self.assert_same_behaviour(native, recorded)

    def test_a_private_unwinder_works(self):
        """The program's own unwinder is stripped, and reads its return addresses."""
        self.same("g++", """
            #include <cstdio>
            #include <stdexcept>
            __attribute__((noinline)) int deep(int n)
            {
                if (n == 0) throw std::runtime_error("deep");
                return deep(n - 1) + 1;
            }
            int main()
            {
                int caught = 0;
                for (int i = 0; i < 100; i++)
                    try { deep(10); } catch (std::exception &) { caught++; }
                std::printf("%d\\n", caught);
            }""", "-static-libgcc", "-static-libstdc++", "-s")

    def test_private_unwinder_works_while_unhooked(self):
        """Unhooking also removes the probe that detects landings, until the hooks are back."""
        self.same("g++", """
            #include <cstdio>
            extern "C" __attribute__((weak)) int clew_unhook(), clew_hook();
            #define KEPT extern "C" __attribute__((noipa))
            static volatile int sum;
            KEPT void after_landing() { sum++; }
            KEPT void deep(int n)
            {
                if (n == 0) {
                    if (clew_unhook) sum += clew_unhook();
                    throw 1;
                }
                deep(n - 1);
                sum++;
            }
            KEPT void lands()
            {
                try { deep(5); } catch (int) {
                    if (clew_hook) sum += clew_hook();
                    after_landing();
                }
                after_landing();
                sum++;
            }
            int main()
            {
                for (int i = 0; i < 10; i++) lands();
                std::printf("%d\\n", sum);
            }""", "-static-libgcc", "-static-libstdc++", "-rdynamic")
        paths = self.clew("export", "-F", "folded", "--metric", "calls",
                          self.recording_path).stdout
        self.assertEqual([line for line in paths.splitlines()
                          if "after_landing" in line],
                         ["main;lands;after_landing 20"])

    def test_program_whose_malloc_needs_main_runs(self):
        """Lisps that manage their own memory are built with such a malloc()."""
        self.same("gcc", """
            #include <stddef.h>
            #include <string.h>
            #include <unistd.h>
            static char memory[1 << 20], *end;
            void *malloc(size_t bytes)
            {
                char *at = end;
                if (!at) _exit(99);
                end += (bytes + 15) & ~(size_t)15;
                return at;
            }
            void free(void *at) { if (!end) _exit(98); }
            void *calloc(size_t count, size_t bytes)
            {
                return memset(malloc(count * bytes), 0, count * bytes);
            }
            void *realloc(void *old, size_t bytes)
            {
                void *at = malloc(bytes);
                return old ? memcpy(at, old, bytes) : at;
            }
            int main(void)
            {
                end = memory;
                free(malloc(10));
                return 7;
            }""", "-fno-builtin")

    def check_emulated(self, *emulator):
        """Memory for a shadow would take an emulator too much time and space."""
        argv = [*emulator, "/usr/bin/printf", "%s", "emulated"]
        native = self.run_program(argv)
        self.assertEqual(native.stdout, b"emulated")
        self.assert_same_behaviour(native, self.record(argv))

    @needs("qemu-x86_64")
    def test_a_program_below_qemu_runs(self):
        self.check_emulated("qemu-x86_64")

    @needs("valgrind")
    def test_a_program_below_valgrind_runs(self):
        self.check_emulated("valgrind", "-q", "--tool=none")

    def locks(self, how):
        self.same("gcc", f"""
            #include <stdio.h>
            #include <stdlib.h>
            #include <sys/mman.h>
            int main(void)
            {{
                printf("%d\\n", mlockall({how}));
                printf("%d\\n", malloc(1 << 20) != NULL);
                return 0;
            }}""")

    def test_program_that_locks_its_memory_runs(self):
        """mlockall() must not make the terabytes of the shadow resident."""
        status = pathlib.Path("/proc/self/status").read_text()
        may = int(re.search(r"CapEff:\s*(\w+)", status)[1], 16)
        limit, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
        if not may >> CAP_IPC_LOCK & 1 and limit != resource.RLIM_INFINITY:
            self.skipTest("the shadow exceeds the limit: docs/known-limits.md")
        self.locks("MCL_CURRENT | MCL_FUTURE")

    def test_program_that_locks_future_memory_runs(self):
        """Every user may lock future mappings."""
        self.locks("MCL_FUTURE")

    def test_fork_without_handlers_runs(self):
        """A child that is created by a bare system call gets its own part."""
        self.same("gcc", """
            #include <stdio.h>
            #include <sys/syscall.h>
            #include <sys/wait.h>
            #include <unistd.h>
            static volatile int kept;
            __attribute__((noipa)) static int leaf(int n)
            {
                kept = n;
                return kept + 1;
            }
            __attribute__((noipa)) static int other(int n)
            {
                kept = n;
                return kept + 2;
            }
            int main(void)
            {
                int sum = leaf(1);
                long child = syscall(SYS_fork);
                sum += child ? leaf(2) : other(3);
                if (child) waitpid((pid_t)child, NULL, 0);
                printf("%d\\n", sum);
                return 0;
            }""")
        parts = self.recording().parts
        self.assertEqual(len(parts), 2)
        self.assertEqual(sum(sum(part.counts().values()) for part in parts), 4)

    def test_coroutines_by_longjmp_run(self):
        """A coroutine that yields by longjmp() is not abandoned."""
        self.same("gcc", """
            #include <setjmp.h>
            #include <stdio.h>
            #include <ucontext.h>
            static jmp_buf main_env, coroutine_env;
            static ucontext_t main_context, context;
            static char stack[65536];
            static int rounds;
            __attribute__((noinline)) static void yield(void)
            {
                if (!_setjmp(coroutine_env)) _longjmp(main_env, 1);
            }
            __attribute__((noinline)) static void work(int depth)
            {
                if (depth) work(depth - 1);
                yield();
                rounds++;
            }
            static void body(void)
            {
                work(5);
                _longjmp(main_env, 2);
            }
            int main(void)
            {
                int said;
                getcontext(&context);
                context.uc_stack.ss_sp = stack;
                context.uc_stack.ss_size = sizeof(stack);
                makecontext(&context, body, 0);
                said = _setjmp(main_env);
                if (said == 0) setcontext(&context);
                if (said == 1) _longjmp(coroutine_env, 1);
                printf("%d %d\\n", said, rounds);
                return 0;
            }""")


class Verified(clewtest.Case):
    """Ids always agree with the stack, also if the C library is hooked."""

    def check(self, source):
        path = self.work / "source.c"
        path.write_text(source, encoding="utf-8")
        program = self.work / "program"
        done = self.run_program(["gcc", "-O2", "-o", program, path])
        self.assertEqual(done.returncode, 0, done.stderr)
        native = self.run_program([program])
        recorded = self.record([program], ["--libc", "--verify-period", "1"])
        self.assert_same_behaviour(native, recorded)
        for part in self.recording().parts:
            self.assert_nothing_lost(part)
        tallies = self.recording().parts[0].tallies.values()
        self.assertGreater(sum(t.verified for t in tallies), 100)

    @needs("luajit")
    def test_exceptions_with_an_opaque_personality_are_caught(self):
        """luajit's errors unwind C functions; most handlers are further out."""
        script = self.work / "errors.lua"
        script.write_text("""
            local function fails(depth)
                if depth == 0 then error("bottom") end
                return fails(depth - 1) + 1
            end
            local caught = 0
            for i = 1, 2000 do
                local lines = string.gsub("abc", ".", function(letter)
                    local is_fine, why = pcall(table.sort, {3, 2, 1},
                        function(left, right) return fails(i % 7) end)
                    caught = caught + (is_fine and 0 or 1)
                    return letter
                end)
            end
            print(caught)
        """, encoding="utf-8")
        argv = ["luajit", "-joff", script]
        native = self.run_program(argv)
        self.assertEqual(native.stdout, b"6000\n", native.stderr)
        recorded = self.record(argv, ["--libc", "--verify-period", "20"])
        self.assert_same_behaviour(native, recorded)
        tallies = self.recording().parts[0].tallies.values()
        self.assertGreater(sum(t.verified for t in tallies), 1000)
        self.assertEqual([t.diverged for t in tallies if t.diverged], [])

    # Two stacks, and a switch in functions where clew does not see it.
    SWITCHING = """
        #include <stdio.h>
        static void *place[5], *main_sp, *body_sp;
        static char stack[65536] __attribute__((aligned(16)));
        static long calls;
        #define COUNTED __attribute__((noipa)) static void
        static inline __attribute__((always_inline))
        void hand_over(void **save, void *load)
        {
            __asm__ volatile("push %%rbp; push %%rbx; lea 1f(%%rip), %%rax;"
                "push %%rax; mov %%rsp, (%0); mov %1, %%rsp;"
                "pop %%rax; jmp *%%rax; 1: pop %%rbx; pop %%rbp"
                : "+D"(save), "+S"(load) : : "rax", "rcx", "rdx", "r8",
                "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory");
        }
        COUNTED step(void) { calls++; }
        COUNTED body(void);
        COUNTED turn(void);
        int main(void)
        {
            void **top = (void **)(stack + sizeof(stack) - 16);
            calls++;
            top[0] = body;
            body_sp = top;
            for (int i = 0; i < 100; i++) turn();
            printf("%ld\\n", calls);
            return 0;
        }
    """

    def count_calls(self, source):
        """Checks that the calls that the program prints are counted. Returns the part."""
        path = self.work / "source.c"
        path.write_text(self.SWITCHING + source, encoding="utf-8")
        program = self.work / "program"
        done = self.run_program(["gcc", "-O2", "-mno-red-zone", "-o", program,
                                 path])
        self.assertEqual(done.returncode, 0, done.stderr)
        native = self.run_program([program])
        self.assertEqual(native.returncode, 0)
        recorded = self.record([program], ["--verify-period", "1"])
        self.assert_same_behaviour(native, recorded)
        part = self.recording().parts[0]
        self.assertEqual(sum(part.counts().values()), int(native.stdout))
        self.assertEqual(list(part.losses), [0] * len(part.losses))
        return part

    def test_jumps_into_functions_are_counted(self):
        """clew sees these landings, and the switches do not change ids."""
        part = self.count_calls("""
            COUNTED body(void)
            {
                for (calls++;; step()) hand_over(&body_sp, main_sp);
            }
            COUNTED deep(int n)
            {
                calls++;
                if (!n) __builtin_longjmp(place, 1);
                deep(n - 1);
                __asm__ volatile("");
            }
            COUNTED turn(void)
            {
                calls++;
                if (!__builtin_setjmp(place)) deep(10);
                step();
                hand_over(&main_sp, body_sp);
                step();
            }""")
        self.assertEqual(sum(t.diverged for t in part.tallies.values()), 0)

    def test_unseen_switch_of_stacks_is_reported(self):
        """Calls after the switch count in the context of the function that switched."""
        part = self.count_calls("""
            COUNTED yield(void)
            {
                calls++;
                hand_over(&body_sp, main_sp);
                __asm__ volatile("");
            }
            COUNTED body(void)
            {
                for (calls++;; step()) yield();
            }
            COUNTED turn(void)
            {
                calls++;
                hand_over(&main_sp, body_sp);
                step();
                __asm__ volatile(""); /* a tail call would put it right */
            }""")
        diverged = sum(t.diverged for t in part.tallies.values())
        self.assertGreater(diverged, 50)
        shown = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual(shown["confidence"]["diverged"], diverged)
        both = shown["confidence"], shown["confidence"]["contexts"]
        wrong = sum(one["collisions"] + one["diverged"] for one in both)
        self.assertIn("stack divergences)", self.details(self.recording_path))
        self.assertRegex(self.clew("report", self.recording_path).stdout,
                         rf"\n[\d,]+ calls checked against the stack, "
                         rf"{wrong:,} wrong ")

    def test_longjmp_is_verified(self):
        self.check("""
            #include <setjmp.h>
            #include <stdlib.h>
            static jmp_buf place;
            __attribute__((noipa)) static void deep(int n)
            {
                if (n == 0) longjmp(place, 1);
                deep(n - 1);
                __asm__ volatile("");
            }
            int main(void)
            {
                for (volatile int i = 0; i < 100; i++) {
                    if (!setjmp(place)) deep(10);
                    free(malloc(10));
                }
                return 0;
            }""")

    def test_posix_spawn_is_verified(self):
        self.check("""
            #include <spawn.h>
            #include <sys/wait.h>
            extern char **environ;
            int main(void)
            {
                char *argv[] = { "true", 0 };
                for (int i = 0; i < 10; i++) {
                    pid_t child;
                    if (posix_spawnp(&child, "true", 0, 0, argv, environ))
                        return 1;
                    waitpid(child, 0, 0);
                }
                return 0;
            }""")


if __name__ == "__main__":
    clewtest.main()
