/* SPDX-License-Identifier: MIT */
/*
 * The maximal stack use of a call below its caller: fills the stack with a
 * pattern, calls, and finds what was overwritten. Each depth of the recursion
 * is a new context, so that tables are created and grow; a child of a bare
 * system call learns at its first call that it is a child. Prints one number
 * for each process.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <stddef.h>
#include <sys/wait.h>

#define LEVELS      3000
#define PAINT_BYTES 16384
#define RED_ZONE    128
#define PAINT       0x5a

static ptrdiff_t most;

static COUNTED int leaf(int n)
{
	return n ^ n >> 3;
}

static COUNTED int other_leaf(int n)
{
	return n ^ n >> 5;
}

/* Returns the number of bytes below `top` that were overwritten. */
TRUTH_INLINE ptrdiff_t written_below(const volatile unsigned char *top)
{
	const volatile unsigned char *at = top - PAINT_BYTES;

	while (at < top - RED_ZONE && *at == PAINT)
		at++;
	return top - at;
}

TRUTH_INLINE void paint_below(unsigned char *top)
{
	unsigned char *at = top - PAINT_BYTES;
	size_t bytes = PAINT_BYTES - RED_ZONE;

	__asm__ volatile("rep stosb"
			 : "+D"(at), "+c"(bytes)
			 : "a"(PAINT)
			 : "memory");
}

static COUNTED int descend(int levels)
{
	unsigned char *top;
	/* volatile, or the recursion would become a loop */
	volatile int result;

	__asm__ volatile("mov %%rsp, %0" : "=r"(top));
	paint_below(top);
	/* not in step with tables that double */
	result = levels % 3 ? leaf(levels) : 0;
	result += other_leaf(levels);
	if (written_below(top) > most)
		most = written_below(top);
	if (levels)
		result += descend(levels - 1);
	return result;
}

TRUTH_INLINE long fork_behind_everybodys_back(void)
{
	long pid;

	__asm__ volatile("syscall"
			 : "=a"(pid)
			 : "a"((long)SYS_fork)
			 : "rcx", "r11", "memory");
	return pid;
}

static COUNTED int in_child(void)
{
	return descend(10) + 1;
}

int main(void)
{
	char line[32];
	long pid;
	int length;

	descend(LEVELS);
	length = snprintf(line, sizeof(line), "%td\n", most);
	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		return 1;
	most = 0;
	pid = fork_behind_everybodys_back();
	if (pid) {
		waitpid((pid_t)pid, NULL, 0);
		return 0;
	}
	in_child();
	length = snprintf(line, sizeof(line), "%td\n", most);
	_exit(write(STDOUT_FILENO, line, (size_t)length) != length);
}
