/* SPDX-License-Identifier: MIT */
/*
 * A library that is preloaded into a program under two tools, so that both runs
 * make the same calls. It removes causes of differences:
 *
 * - Random numbers are constant. luajit seeds its string hash with them.
 * - malloc() and mmap() use one fixed range of addresses. Programs hash
 *   pointers, and the number of comparisons depends on collisions.
 * - All signals seem to have their default action. Python queries each one, and
 *   valgrind keeps some for itself.
 * - The environment is empty, because each tool adds variables and Python copies
 *   them into a dictionary. SAMENESS=PROGRAM:NAME=VALUE names the program whose
 *   environment is emptied (the library is also loaded into the tools), and one
 *   variable that remains.
 *
 * The program must have one thread.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/sys/system_call.h"

#define PLACE       UINT64_C(0x300000000) /* unused under each tool */
#define PLACE_BYTES (UINT64_C(1) << 30)
#define EARLY_BYTES (UINT64_C(1) << 24) /* for ld.so and the tools */
#define PAGE_BYTES  4096

/* Precedes each allocation, which it keeps aligned. */
struct head {
	size_t class;      /* log2 of the bytes, including this header */
	struct head *next; /* in the free list of its class */
};

static char *place;
static size_t used;
static struct head *freed[64];

static void *take(size_t bytes)
{
	char *taken;

	if (!place) {
		long got =
			system_call(SYS_mmap, (long)PLACE, (long)PLACE_BYTES,
				    PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS |
					    MAP_NORESERVE | MAP_FIXED_NOREPLACE,
				    -1, 0);

		if (got != (long)PLACE)
			abort();
		place = (char *)(uintptr_t)got;
	}
	if (bytes > PLACE_BYTES - used)
		abort();
	taken = place + used;
	used += bytes;
	return taken;
}

/*
 * Returns whether the loader or the tool has allocated the memory. Such memory
 * is never freed.
 */
static int is_early(const void *memory)
{
	return used >= EARLY_BYTES &&
	       (const char *)memory < place + EARLY_BYTES;
}

void *malloc(size_t bytes)
{
	size_t class = 5;
	struct head *head;

	while ((size_t)1 << class < bytes + sizeof(*head))
		class ++;
	head = freed[class];
	if (head)
		freed[class] = head->next;
	else
		head = take((size_t)1 << class);
	head->class = class;
	return head + 1;
}

void free(void *memory)
{
	struct head *head = (struct head *)memory - 1;

	if (!memory || is_early(memory))
		return;
	head->next = freed[head->class];
	freed[head->class] = head;
}

void *calloc(size_t count, size_t bytes)
{
	void *memory = malloc(count * bytes);

	return memset(memory, 0, count * bytes);
}

void *realloc(void *memory, size_t bytes)
{
	struct head *head = (struct head *)memory - 1;
	size_t room;
	void *moved;

	if (!memory)
		return malloc(bytes);
	room = ((size_t)1 << head->class) - sizeof(*head);
	if (bytes <= room)
		return memory;
	moved = malloc(bytes);
	memcpy(moved, memory, room);
	free(memory);
	return moved;
}

/*
 * Places anonymous mappings without a fixed address in the range. Never unmaps
 * them.
 */
void *mmap(void *hint, size_t bytes, int protection, int flags, int fd,
	   off_t offset)
{
	if (flags & MAP_ANONYMOUS && !(flags & MAP_FIXED) && !hint) {
		take((size_t) - (intptr_t)used & (PAGE_BYTES - 1));
		hint = take((bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
		flags |= MAP_FIXED;
	}
	return (void *)system_call(SYS_mmap, (long)hint, (long)bytes,
				   protection, flags, fd, offset);
}

void *mmap64(void *hint, size_t bytes, int protection, int flags, int fd,
	     off_t offset)
{
	return mmap(hint, bytes, protection, flags, fd, offset);
}

ssize_t getrandom(void *buffer, size_t length, unsigned int flags)
{
	memset(buffer, 0x5a, length);
	return (ssize_t)length;
}

/* Constant, because Python hashes thread ids. */
pthread_t pthread_self(void)
{
	return (pthread_t)PLACE;
}

int __sigaction(int number, const struct sigaction *action,
		struct sigaction *old);

int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	if (action)
		return __sigaction(number, action, old);
	memset(old, 0, sizeof(*old));
	return 0;
}

/* luajit calls getrandom() by this function. */
long syscall(long number, ...)
{
	__builtin_va_list list;
	long arguments[6];
	long result;

	__builtin_va_start(list, number);
	for (int i = 0; i < 6; i++)
		arguments[i] = __builtin_va_arg(list, long);
	__builtin_va_end(list);
	if (number == SYS_getrandom)
		return getrandom((void *)arguments[0], (size_t)arguments[1], 0);
	result = system_call(number, arguments[0], arguments[1], arguments[2],
			     arguments[3], arguments[4], arguments[5]);
	if (result > -4096 && result < 0) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

/* Earlier allocations depend on the tool: begins behind them, without free lists. */
static void clean_memory(void)
{
	if (used > EARLY_BYTES)
		abort();
	take(EARLY_BYTES - used);
	memset(freed, 0, sizeof(freed));
}

static void clean_environment(void)
{
	const char *wanted = getenv("SAMENESS");
	size_t length = strlen(program_invocation_short_name);
	char *kept;

	if (!wanted || strncmp(wanted, program_invocation_short_name, length) ||
	    wanted[length] != ':')
		return;
	kept = strdup(wanted + length + 1);
	clearenv();
	if (kept && *kept)
		putenv(kept);
}

__attribute__((constructor)) static void clean(void)
{
	clean_memory();
	clean_environment();
}
