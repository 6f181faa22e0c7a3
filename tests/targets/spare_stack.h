/* SPDX-License-Identifier: MIT */
/* An alternate signal stack with little more than the minimal size. */
#ifndef CLEW_TESTS_SPARE_STACK_H
#define CLEW_TESTS_SPARE_STACK_H

#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#define SPARE_STACK_PAGE 4096
#define SPARE_STACK_ROOM (16 * SPARE_STACK_PAGE)

/*
 * Sets an alternate stack that inaccessible pages precede. Returns whether this
 * failed.
 */
static int use_spare_stack(size_t spare_bytes)
{
	const size_t bytes = getauxval(AT_MINSIGSTKSZ) + spare_bytes;
	char *memory = mmap(NULL, SPARE_STACK_ROOM, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const size_t whole = (bytes + SPARE_STACK_PAGE - 1) &
			     ~(size_t)(SPARE_STACK_PAGE - 1);
	const stack_t stack = {
		.ss_sp = memory + SPARE_STACK_ROOM - whole,
		.ss_size = bytes,
	};

	return mprotect(memory + SPARE_STACK_ROOM - whole, whole,
			PROT_READ | PROT_WRITE) ||
	       sigaltstack(&stack, NULL);
}

#endif
