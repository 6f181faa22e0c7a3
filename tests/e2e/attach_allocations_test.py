#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""clew-alloc attach counts the allocations of a running process, as many as the
process makes."""
import collections
import pathlib
import subprocess

from lib import clewtest
from lib.attached import Attached
from lib.clewtest import BUILD, CLEW, ROOT, kill_with_guardian

SCRIPT = ROOT / "scripts" / "clew-alloc"
LIBRARY = BUILD / "alloc" / "libclew-alloc.so"
THREADS = 3
# Each thread executes the requests "FUNCTION COUNT", and answers "done".
PROGRAM = r"""
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLACE __attribute__((noipa))
#define THREADS 3
#define ROOM 100000

struct worker {
	sem_t wake;
	void *kept[ROOM];
	int kept_count;
};

static struct worker workers[THREADS];
static sem_t finished;
static char function[32];
static int count;

PLACE static void give(void *block)
{
	free(block);
}

PLACE void allocates(struct worker *own)
{
	own->kept[own->kept_count++] = malloc(100);
}

PLACE void releases(struct worker *own)
{
	give(own->kept[--own->kept_count]);
}

PLACE void resizes(struct worker *own)
{
	void **block = &own->kept[own->kept_count - 1];

	*block = realloc(*block, 300);
}

/* Three blocks, all of which are freed; realloc() maps and unmaps memory. */
PLACE void churns(struct worker *own)
{
	void *volatile block = realloc(NULL, 10);

	block = realloc(block, 200000);
	block = realloc(block, 400000);
	give(block);
}

PLACE void aligns(struct worker *own)
{
	void *block = NULL;

	if (posix_memalign(&block, 8, 64) != 0)
		abort();
	give(block);
	give(memalign(8, 10));
	give(aligned_alloc(64, 128));
	give(calloc(10, 10));
	give(strdup(function));
}

PLACE void maps(struct worker *own)
{
	char *pages = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	munmap(pages, 4096);
}

/* Calls malloc() as a compiler may that knows which registers it changes. */
PLACE void keeps(struct worker *own)
{
	unsigned long changed;

	__asm__ volatile(
		"mov %%rsp, %%rbx\n\t"
		"lea -128(%%rsp), %%rsp\n\t"
		"and $-16, %%rsp\n\t"
		"push %%rbx\n\t" /* the stack is not aligned */
		"mov $101, %%ecx\n\tmov $102, %%edx\n\tmov $103, %%esi\n\t"
		"mov $104, %%r8d\n\tmov $105, %%r9d\n\tmov $106, %%r10d\n\t"
		"mov $107, %%r11d\n\tmovq %%r11, %%xmm0\n\t"
		"movq %%r11, %%xmm15\n\tmov $100, %%edi\n\t"
		"call malloc\n\t"
		"mov %%rbx, %%rsp\n\tmovq %%xmm0, %%rax\n\t"
		"movq %%xmm15, %%rdi\n\txor %%rdi, %%rax\n\t"
		"xor %%r11, %%rdi\n\tor %%rdi, %%rax\n\t"
		"xor $101, %%rcx\n\tor %%rcx, %%rax\n\t"
		"xor $102, %%rdx\n\tor %%rdx, %%rax\n\t"
		"xor $103, %%rsi\n\tor %%rsi, %%rax\n\t"
		"xor $104, %%r8\n\tor %%r8, %%rax\n\t"
		"xor $105, %%r9\n\tor %%r9, %%rax\n\t"
		"xor $106, %%r10\n\tor %%r10, %%rax\n\t"
		"xor $107, %%r11\n\tor %%r11, %%rax"
		: "=a"(changed)
		:
		: "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
		  "xmm0", "xmm15", "memory", "cc");
	if (changed)
		abort();
}

PLACE void forks(struct worker *own)
{
	const pid_t child = fork();

	if (child == 0) {
		allocates(own);
		allocates(own);
		releases(own);
		while (own->kept_count)
			releases(own);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

PLACE void executes(struct worker *own)
{
	static const struct {
		const char *name;
		void (*call)(struct worker *);
	} functions[] = {
#define ROW(name) { #name, name }
		ROW(allocates), ROW(releases), ROW(resizes), ROW(churns),
		ROW(aligns), ROW(maps), ROW(forks), ROW(keeps),
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		for (int j = 0; j < count; j++)
			if (!strcmp(function, functions[i].name))
				functions[i].call(own);
}

static void *work(void *worker)
{
	struct worker *own = worker;

	for (;; sem_post(&finished)) {
		sem_wait(&own->wake);
		executes(own);
	}
	return NULL;
}

static char in[4096];

int main(void)
{
	setvbuf(stdin, in, _IOFBF, sizeof(in));
	setvbuf(stdout, NULL, _IONBF, 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;

		sem_init(&workers[i].wake, 0, 0);
		pthread_create(&thread, NULL, work, &workers[i]);
	}
	while (scanf("%31s %d", function, &count) == 2) {
		for (int i = 0; i < THREADS; i++)
			sem_post(&workers[i].wake);
		for (int i = 0; i < THREADS; i++)
			sem_wait(&finished);
		write(1, "done\n", 5);
	}
	return 0;
}
"""
# An allocator in the program itself, which never reuses memory.
OWN_ALLOCATOR = r"""
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

static _Alignas(64) char memory[1 << 28];
static _Atomic size_t used;

static void *take(size_t alignment, size_t bytes)
{
	const size_t whole = (bytes + 16 + 2 * alignment + 15) & ~(size_t)15;
	char *at = &memory[atomic_fetch_add(&used, whole)] + 16;

	at = (char *)(((uintptr_t)at + alignment - 1) & -alignment);
	((size_t *)at)[-1] = bytes;
	return at;
}

void *malloc(size_t bytes) { return take(16, bytes); }
void free(void *at) { __asm__ volatile("nop; nop; nop; nop; nop" :: "r"(at)); }
void *calloc(size_t count, size_t each) { return malloc(count * each); }
void *memalign(size_t a, size_t bytes) { return take(a < 16 ? 16 : a, bytes); }
void *aligned_alloc(size_t a, size_t bytes) { return memalign(a, bytes); }
int posix_memalign(void **out, size_t alignment, size_t bytes)
{
	*out = memalign(alignment, bytes);
	return 0;
}
void *realloc(void *at, size_t bytes)
{
	void *to = malloc(bytes);

	if (at)
		memcpy(to, at, ((size_t *)at)[-1] < bytes ? ((size_t *)at)[-1]
							  : bytes);
	free(at);
	return to;
}
"""


def allocator_with(code):
    """Returns an allocator with this assembly as its malloc()."""
    return OWN_ALLOCATOR.replace(
        "void *malloc(size_t bytes) { return take(16, bytes); }", r"""
__attribute__((used)) static void *own_malloc(size_t bytes)
{
	return take(16, bytes);
}
__asm__(".globl malloc\n.type malloc, @function\nmalloc: """ + code + r"""\n"
	".size malloc, .-malloc\n"
	".globl other\n.type other, @function\nother:\n"
	"2: jmp own_malloc\n.size other, .-other");
void *malloc(size_t bytes);
""")


# A malloc() that changes no register except that of its result.
SAVING = allocator_with(
    r"push %rbp\nmov %rsp, %rbp\npush %rcx\npush %rdx\npush %rsi\npush %rdi\n"
    r"push %r8\npush %r9\npush %r10\npush %r11\nand $-16, %rsp\n"
    r"call own_malloc\nlea -64(%rbp), %rsp\npop %r11\npop %r10\npop %r9\n"
    r"pop %r8\npop %rdi\npop %rsi\npop %rdx\npop %rcx\npop %rbp\nret")

# A malloc() that is too short for a jump, and one with a loop that begins in its
# first five bytes, as pthread_rwlock_tryrdlock() of glibc 2.36 has.
UNDIVERTED = (
    allocator_with("jmp 2f"),
    allocator_with(r"xor %eax, %eax\n1: inc %eax\ncmp $3, %eax\njne 1b\n"
                   r"jmp 2f"))



class Allocations(Attached):
    def setUp(self):
        super().setUp()
        self.environment.update(CLEW=str(CLEW), CLEW_ALLOC=str(LIBRARY))

    def begin(self, allocator=""):
        done = self.run_program(
            ["gcc", "-O1", "-g", "-fno-builtin", "-rdynamic", "-o", "program",
             "-x", "c", "-", "-lpthread"], input=(PROGRAM + allocator).encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.start_to_talk(self.work / "program")

    def request(self, *requests):
        for request in requests:
            self.process.stdin.write(f"{request}\n")
            self.process.stdin.flush()
            self.assertEqual(self.process.stdout.readline(), "done\n")

    def begin_session(self, *options):
        return self.attach(self.process, f"--agent={LIBRARY}", *options)

    def values(self, *options):
        report = self.clew_json("report", "--json", *options,
                                self.recording_path)
        self.assertEqual(report["problems"], [])
        return {value["name"]: value["total"] for value in report["values"]}

    def own(self, value, *options):
        """Returns {function: value without its callees}; strdup() counts for
        its caller."""
        report = self.clew_json("report", "--json", f"--value={value}",
                                *options, self.recording_path)
        values = collections.Counter()
        for row in report["functions"]:
            name = "aligns" if "strdup" in row["name"] else row["name"]
            if row["self_value"]:
                values[name] += row["self_value"]
        return values

    def check(self, *options):
        """Records a session, in which blocks are freed that the process has
        allocated before it."""
        self.request("allocates 40", "resizes 1")
        controller = self.begin_session(*options)
        self.request("allocates 50", "releases 60", "resizes 1", "resizes 1",
                     "allocates 70", "churns 10", "aligns 10", "maps 3")
        self.detach(controller)
        self.assert_as_before(self.process)
        self.request("releases 5", "allocates 1")
        values = self.values()
        self.assertEqual({value: self.own(value) for value in (
            "allocations", "live", "live_bytes", "mappings", "mapped_bytes")},
            {value: {name: THREADS * number for name, number in of.items()}
             for value, of in {
                 "allocations": {"allocates": 120, "resizes": 2, "churns": 30,
                                 "aligns": 50},
                 "live": {"allocates": 70, "resizes": 1},
                 "live_bytes": {"allocates": 7000, "resizes": 300},
                 "mappings": {"maps": 3},
                 "mapped_bytes": {"maps": 3 * 4096}}.items()})
        self.assertEqual(self.own("freed_before"),
                         {"give": THREADS * 10, "resizes": THREADS})
        self.assertEqual(
            sum(number for name, number in values.items()
                if name.startswith("freed") and name != "freed_before"),
            values["allocations"] - values["live"])
        self.assertEqual(values["untracked"], 0)

    def test_allocations_of_each_session_are_counted(self):
        self.begin()
        for options in ((), ("--time=none",), ("--time=exact",), ("--libc",),
                        ("--trace",), ()):
            with self.subTest(options):
                self.check(*options)

    def test_a_session_without_the_agent_counts_no_allocations(self):
        self.begin()
        self.check()
        controller = self.attach(self.process)
        self.request("allocates 10")
        self.detach(controller)
        self.assert_as_before(self.process)
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertFalse(report.get("values"))
        self.check()

    def test_an_allocator_of_the_program_is_counted(self):
        self.begin(OWN_ALLOCATOR)
        for _ in range(2):
            self.check("-F", "^(take|.*alloc|free|memalign|posix_memalign)$")

    def test_callers_that_know_the_allocator_keep_their_registers(self):
        self.begin(SAVING)
        self.request("keeps 10")
        for _ in range(2):
            controller = self.begin_session()
            self.request("keeps 10")
            self.detach(controller)
            self.assertEqual(self.own("allocations"), {"keeps": 10 * THREADS})
            self.request("keeps 10")

    def test_an_allocator_that_cannot_be_diverted_is_refused(self):
        for allocator in UNDIVERTED:
            self.begin(allocator)
            done = self.clew("attach", "-o", self.recording_path,
                             f"--agent={LIBRARY}", self.process.pid)
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot interpose malloc()", done.stderr)
            self.assert_as_before(self.process)
            self.request("allocates 10")
            controller = self.attach(self.process)
            self.request("allocates 10")
            self.detach(controller)
            self.assert_as_before(self.process)

    def test_a_forked_child_counts_apart(self):
        self.begin()
        self.request("allocates 4")
        controller = self.begin_session()
        self.request("allocates 3", "forks 1")
        self.detach(controller)
        parts = self.recording().parts
        self.assertEqual(len(parts), 1 + THREADS)
        for part in parts:
            process = f"--process={part.pid}"
            with self.subTest(process):
                is_child = part.pid != self.process.pid
                values = self.values(process)
                self.assertEqual(values["allocations"],
                                 2 if is_child else 3 * THREADS)
                self.assertEqual(values["live"],
                                 0 if is_child else 3 * THREADS)
                self.assertEqual(values["freed_before"], 7 if is_child else 0)

    def test_a_killed_controller_leaves_no_diverted_allocator(self):
        self.begin()
        kill_with_guardian(self.begin_session())
        self.request("allocates 3")
        done = self.clew("detach", self.process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_as_before(self.process)
        self.request("allocates 3", "releases 6")
        self.assertEqual(self.values()["live"], 3 * THREADS)
        self.check()

    def anonymous_kb(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("RssAnon:")[1].split()[0])

    def test_memory_does_not_grow_with_sessions(self):
        self.begin()
        self.request("allocates 20000")
        kept = []
        for _ in range(8):
            controller = self.begin_session("--time=none")
            self.request("allocates 20000", "releases 20000")
            self.detach(controller)
            kept.append(self.anonymous_kb())
        self.assertLess(max(kept[3:]), kept[2] + 200, kept)

    def test_the_script_attaches(self):
        self.begin()
        script = subprocess.Popen(
            [SCRIPT, "attach", "-o", self.recording_path,
             str(self.process.pid)], cwd=self.work, env=self.environment,
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(script.stderr.close)
        self.addCleanup(script.wait)
        self.addCleanup(script.kill)
        self.assertIn("attached to", script.stderr.readline())
        self.request("allocates 4")
        self.detach(script)
        self.assertEqual(self.own("live"), {"allocates": 4 * THREADS})
        done = self.run_program([SCRIPT, "attach"], text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("clew-alloc attach [OPTION...] PID", done.stderr)

    def test_other_files_are_refused(self):
        for name, why in (("/none", "No such file"),
                          (BUILD / "preload" / "libclew.so", "exports no"),
                          (ROOT / "LICENSE", "not a shared object")):
            with self.subTest(name):
                done = self.clew("attach", f"--agent={name}", "1")
                self.assertEqual(done.returncode, 64)
                self.assertIn(why, done.stderr)


if __name__ == "__main__":
    clewtest.main()
