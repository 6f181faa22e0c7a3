/* SPDX-License-Identifier: MIT */
/*
 * Code in memory that the program or its library has made executable burns CPU
 * time without being announced.
 *
 *	makers WAY MILLISECONDS [LIBRARY]
 *
 * Prints "PID NAME CPU_NS" for each piece that was called. NAME is the maker:
 * "program", "library" or "deep" (LIBRARY), followed by a comma and the name of
 * the mapping; "nobody" if the maker cannot be known.
 */
#include "tests/targets/makers.h"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA           0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

#define TURNS UINT64_C(1000000)
#define PAGE  4096
#define BYTES ((size_t)(2 * PAGE))
#define RW    (PROT_READ | PROT_WRITE)
#define RWX   (RW | PROT_EXEC)

/* 1: dec %rdi; jnz 1b; ret */
static const unsigned char loop[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };

static uint64_t ns;

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void burn(const char *name, unsigned char *code)
{
	const uint64_t start = cpu_ns();
	void (*piece)(uint64_t);
	uint64_t used;

	memcpy(&piece, &code, sizeof(piece));
	do {
		piece(TURNS);
		used = cpu_ns() - start;
	} while (used < ns);
	printf("%d %s %llu\n", (int)getpid(), name, (unsigned long long)used);
	fflush(stdout);
}

static void fill(unsigned char *memory)
{
	memcpy(memory, loop, sizeof(loop));
	memcpy(memory + PAGE, loop, sizeof(loop));
}

static unsigned char *map(int protection, int flags, int fd)
{
	void *memory = mmap(NULL, BYTES, protection, flags, fd, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

static unsigned char *map_plainly(int protection)
{
	unsigned char *memory =
		map(protection, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	fill(memory);
	return memory;
}

static unsigned char *library_code(void)
{
	unsigned char *memory = map_plainly(RW);

	library_protect(memory, BYTES);
	return memory;
}

/* No wrapper sees this call. */
static void map_by_instruction(unsigned char *place, size_t bytes)
{
	register long flags __asm__("r10") =
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	register long fd __asm__("r8") = -1;
	register long offset __asm__("r9") = 0;
	void *result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_mmap), "D"(place), "S"(bytes), "d"(RWX),
			   "r"(flags), "r"(fd), "r"(offset)
			 : "rcx", "r11", "memory");
	if (result != place)
		abort();
}

static void run_plain(void)
{
	burn("program", map_plainly(RWX));
	burn("library", library_code());
}

/*
 * Loads the library with RTLD_DEEPBIND, so that it finds libc's functions
 * before preloaded ones.
 */
static void run_deep(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_DEEPBIND);
	void *symbol = library ? dlsym(library, "library_protect") : NULL;
	unsigned char *memory = map_plainly(RW);
	void (*protect)(void *, size_t);

	if (!symbol)
		abort();
	memcpy(&protect, &symbol, sizeof(protect));
	protect(memory, BYTES);
	burn("deep", memory);
}

/*
 * Lets generated code make memory executable: that memory has the maker of the
 * generated code.
 */
static void run_itself(void)
{
	/* sub $8, %rsp; mov $..., %rax */
	static const unsigned char begin[] = { 0x48, 0x83, 0xec,
					       0x08, 0x48, 0xb8 };
	/* call *%rax; add $8, %rsp; ret */
	static const unsigned char end[] = { 0xff, 0xd0, 0x48, 0x83,
					     0xc4, 0x08, 0xc3 };
	unsigned char *first = library_code(), *second = map_plainly(RW);
	unsigned char *at = first + 64;
	int (*protect)(void *, size_t, int) = mprotect;
	int (*piece)(void *, size_t, int);

	memcpy(at, begin, sizeof(begin));
	memcpy(at + 6, &protect, 8);
	memcpy(at + 14, end, sizeof(end));
	memcpy(&piece, &at, sizeof(piece));
	if (piece(second, BYTES, RWX))
		abort();
	burn("library", second);
}

static void run_named(void)
{
	int fd = memfd_create("stash", 0);
	unsigned char *memory;

	if (fd < 0 || ftruncate(fd, (off_t)BYTES))
		abort();
	memory = map(RWX, MAP_SHARED, fd);
	fill(memory);
	burn("program, memfd:stash", memory);
	memory = map_plainly(RW);
	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, memory, BYTES, "early");
	library_protect(memory, BYTES);
	burn("library, early", memory);
	memory = map_plainly(RWX);
	burn("program", memory);
	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, memory, BYTES, "late");
	burn("program, late", memory);
}

/* Places code of several makers at one address, one after the other. */
static void run_reused(void)
{
	unsigned char *memory = map_plainly(RWX);

	burn("program", memory);
	munmap(memory, BYTES);
	library_map_at(memory, BYTES);
	fill(memory);
	burn("library", memory);
	munmap(memory, BYTES);
	map_by_instruction(memory, BYTES);
	fill(memory);
	burn("nobody", memory);
	library_map_at(memory, BYTES);
	fill(memory);
	burn("library", memory + PAGE);
	munmap(memory + PAGE, PAGE);
	map_by_instruction(memory + PAGE, PAGE);
	fill(memory);
	burn("nobody", memory + PAGE);
	burn("library", memory);
}

/* Writes, executes, unmaps and maps the same code again and again. */
static void run_often(void)
{
	unsigned char *memory = map_plainly(RWX);

	for (int i = 0; i < 100000; i++) {
		mprotect(memory, BYTES, RW);
		mprotect(memory, BYTES, PROT_READ | PROT_EXEC);
	}
	for (int i = 0; i < 100000; i++) {
		munmap(memory, BYTES);
		library_map_at(memory, BYTES);
	}
	fill(memory);
	burn("library", memory);
}

static void *move(void *memory, void *to)
{
	return mremap(memory, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, to);
}

static void *move_by_syscall(void *memory, void *to)
{
	return (void *)syscall(SYS_mremap, memory, BYTES, BYTES,
			       MREMAP_MAYMOVE | MREMAP_FIXED, to);
}

static void run_moved(void *(*move_it)(void *, void *))
{
	unsigned char *memory = library_code();
	char *room = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	void *moved = move_it(memory, room);

	if (moved != room)
		abort();
	/* twice, so that its time differs from that of "nobody" */
	burn("library", moved);
	burn("library", moved);
	map_by_instruction(memory, BYTES);
	fill(memory);
	burn("nobody", memory);
}

static void *attach_by_syscall(int id, const void *place, int flags)
{
	return (void *)syscall(SYS_shmat, id, place, flags);
}

static int detach_by_syscall(const void *memory)
{
	return (int)syscall(SYS_shmdt, memory);
}

/* System V shared memory */
static void run_shared(void *(*attach)(int, const void *, int),
		       int (*detach)(const void *))
{
	unsigned char *code = library_code(); /* not in the segment */
	const int id = shmget(IPC_PRIVATE, BYTES, 0700);
	unsigned char *memory = id < 0 ? NULL : attach(id, NULL, SHM_EXEC);

	if (!memory || memory == (unsigned char *)-1 ||
	    shmctl(id, IPC_RMID, NULL))
		abort();
	fill(memory);
	burn("program", memory);
	if (!detach(code))
		abort();
	burn("library", code);
	if (detach(memory))
		abort();
	map_by_instruction(memory, BYTES);
	fill(memory);
	burn("nobody", memory);
}

/*
 * Installs a filter, behind which clew does not notice new mappings, but does
 * notice removed ones.
 */
static void run_filtered(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct sock_fprog program = { 1, &allow };
	unsigned char *first = library_code(), *second = library_code();

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		abort();
	library_protect(first, BYTES);
	burn("library", first);
	if (mmap(second, BYTES, RWX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) != second)
		abort();
	fill(second);
	burn("nobody", second);
}

static int run_forked(void)
{
	unsigned char *first = library_code(), *second = library_code();
	int status = 0, ready[2];
	char byte = 0;
	pid_t child;

	if (pipe(ready))
		abort();
	child = fork();
	if (child == 0) {
		if (read(ready[0], &byte, 1) != 1)
			abort();
		burn("library", first);
		burn("library", second);
		munmap(second, BYTES);
		map_by_instruction(second, BYTES);
		fill(second);
		burn("nobody", second);
		burn("program", map_plainly(RWX));
		exit(EXIT_SUCCESS);
	}
	/* Later changes in the parent must not affect the child. */
	if (mmap(first, BYTES, RWX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) != first ||
	    write(ready[1], &byte, 1) != 1)
		abort();
	fill(first);
	burn("program", first);
	waitpid(child, &status, 0);
	return status;
}

/*
 * For each line of input: generates code, executes all code, or unmaps a piece
 * so that other code may get its address.
 */
static void run_on_demand(void)
{
	unsigned char *mine = NULL, *librarys = NULL, *other = NULL;
	char line[16];

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (strcmp(line, "make\n") == 0) {
			mine = map_plainly(RWX);
			librarys = library_code();
			other = library_code();
		} else if (strcmp(line, "unmap\n") == 0) {
			munmap(other, BYTES);
		} else {
			burn("program", mine);
			burn("library", librarys);
		}
		puts("done");
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	if (argc < 3)
		return EXIT_FAILURE;
	ns = strtoull(argv[2], NULL, 10) * 1000000;
	if (strcmp(way, "plain") == 0)
		run_plain();
	else if (strcmp(way, "itself") == 0)
		run_itself();
	else if (strcmp(way, "named") == 0)
		run_named();
	else if (strcmp(way, "reused") == 0)
		run_reused();
	else if (strcmp(way, "often") == 0)
		run_often();
	else if (strcmp(way, "moved") == 0)
		run_moved(move);
	else if (strcmp(way, "moved-by-syscall") == 0)
		run_moved(move_by_syscall);
	else if (strcmp(way, "shared") == 0)
		run_shared(shmat, shmdt);
	else if (strcmp(way, "shared-by-syscall") == 0)
		run_shared(attach_by_syscall, detach_by_syscall);
	else if (strcmp(way, "on-demand") == 0)
		run_on_demand();
	else if (strcmp(way, "filtered") == 0)
		run_filtered();
	else if (strcmp(way, "forked") == 0)
		return run_forked();
	else if (strcmp(way, "deep") == 0 && argc > 3)
		run_deep(argv[3]);
	else if (strcmp(way, "killed") == 0) {
		run_plain();
		raise(SIGKILL);
	}
	return EXIT_SUCCESS;
}
