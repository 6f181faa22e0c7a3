/* SPDX-License-Identifier: MIT */
/* Returns the stack pointer, with or without a frame pointer. */
#ifndef CLEW_SYS_STACK_POINTER_H
#define CLEW_SYS_STACK_POINTER_H

#include <stdint.h>

static inline uint64_t stack_pointer(void)
{
	uint64_t sp;

	__asm__("mov %%rsp, %0" : "=r"(sp));
	return sp;
}

#endif
