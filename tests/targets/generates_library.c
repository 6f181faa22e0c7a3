/* SPDX-License-Identifier: MIT */
/*
 * A runtime that maps memory for generated code, and checks that calls come
 * from there. -DIS_RAW: the library can also map memory by an instruction of
 * its own.
 */
#include "tests/targets/generates.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RW        (PROT_READ | PROT_WRITE)
#define RWX       (PROT_READ | PROT_WRITE | PROT_EXEC)

#define FAR_BYTES ((size_t)64 << 20)

unsigned long library_code, library_code_bytes, library_moved;

COUNTED long library_answer(long n, const unsigned long *slot)
{
	const unsigned long from = *(const volatile unsigned long *)slot;

	library_moved += from - library_code >= library_code_bytes;
	return n + 1;
}

COUNTED long library_work(long n)
{
	return n * 3 + 1;
}

static void *map(size_t bytes, int protection)
{
	return mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
}

/* Ends with a tail call. */
static COUNTED int protect(void *start, size_t bytes, int protection)
{
	return mprotect(start, bytes, protection);
}

static struct {
	void *start;
	size_t bytes;
} handlers;

static void handle(int number)
{
	mprotect(handlers.start, handlers.bytes, RWX);
}

static void *map_in_handler(size_t bytes)
{
	handlers.start = map(bytes, RW);
	handlers.bytes = bytes;
	signal(SIGUSR1, handle);
	raise(SIGUSR1);
	return handlers.start;
}

/* Maps shared memory of a file without a name. */
static void *map_twice(size_t bytes)
{
	int fd = memfd_create("code", 0);
	void *code;

	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		return NULL;
	code = mmap(NULL, bytes, RWX, MAP_SHARED, fd, 0);
	close(fd);
	return code;
}

static void *map_and_move(size_t bytes)
{
	void *code = map(bytes, RWX);
	char *room = map(2 * FAR_BYTES, PROT_NONE);

	return mremap(code, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
		      room + FAR_BYTES);
}

static void *attach(size_t bytes)
{
	int id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0700);
	void *code = id < 0 ? NULL : shmat(id, NULL, SHM_EXEC);

	shmctl(id, IPC_RMID, NULL);
	return code;
}

/* The filter allows everything, but clew cannot know that. */
static void *map_behind_a_filter(size_t bytes)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct sock_fprog program = { 1, &allow };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return NULL;
	return map(bytes, RWX);
}

/*
 * Maps memory after the limit on descriptors was set to 0, so that no file can
 * be opened.
 */
static void *map_without_descriptors(size_t bytes)
{
	const struct rlimit none = { .rlim_cur = 0, .rlim_max = 1024 };

	setrlimit(RLIMIT_NOFILE, &none);
	return map(bytes, RWX);
}

#ifdef IS_RAW
static void *map_by_instruction(size_t bytes)
{
	register long flags __asm__("r10") = MAP_PRIVATE | MAP_ANONYMOUS;
	register long fd __asm__("r8") = -1;
	register long offset __asm__("r9") = 0;
	void *code = NULL;

	__asm__ volatile("syscall"
			 : "=a"(code)
			 : "a"(SYS_mmap), "D"(0), "S"(bytes), "d"(RWX),
			   "r"(flags), "r"(fd), "r"(offset)
			 : "rcx", "r11", "memory");
	return code;
}
#else
static void *map_by_instruction(size_t bytes)
{
	return NULL;
}
#endif

void *library_map(const char *way, size_t bytes)
{
	void *code;

	if (!strcmp(way, "mmap"))
		return map(bytes, RWX);
	if (!strcmp(way, "handler"))
		return map_in_handler(bytes);
	if (!strcmp(way, "memfd"))
		return map_twice(bytes);
	if (!strcmp(way, "mremap"))
		return map_and_move(bytes);
	if (!strcmp(way, "shmat"))
		return attach(bytes);
	if (!strcmp(way, "filtered"))
		return map_behind_a_filter(bytes);
	if (!strcmp(way, "nofile"))
		return map_without_descriptors(bytes);
	if (!strcmp(way, "instruction"))
		return map_by_instruction(bytes);
	if (!strcmp(way, "syscall-mmap"))
		return (void *)syscall(SYS_mmap, NULL, bytes, RWX,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	code = map(bytes, RW);
	if (!strcmp(way, "mprotect"))
		mprotect(code, bytes, RWX);
	else if (!strcmp(way, "jump"))
		protect(code, bytes, RWX);
	else if (!strcmp(way, "pkey"))
		pkey_mprotect(code, bytes, RWX, -1);
	else if (!strcmp(way, "syscall-mprotect"))
		syscall(SYS_mprotect, code, bytes, RWX);
	else
		return NULL;
	return code;
}
