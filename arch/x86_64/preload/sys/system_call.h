/* SPDX-License-Identifier: MIT */
/* Makes a system call. Returns the kernel's result or -errno. */
#ifndef CLEW_SYS_SYSTEM_CALL_H
#define CLEW_SYS_SYSTEM_CALL_H

#include <stdint.h>
#include <sys/syscall.h>

static inline long system_call(long number, long a, long b, long c, long d,
			       long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10),
			   "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/*
 * Returns whether the system call is vfork(), in which a thread waits for a
 * child that shares its stack.
 */
static inline int system_call_is_vfork(long number)
{
	return number == SYS_vfork;
}

/*
 * Size of the system call instruction, behind which the pc of a thread in a
 * system call is.
 */
#define SYSTEM_CALL_BYTES 2

static inline int system_call_is(const uint8_t code[SYSTEM_CALL_BYTES])
{
	return code[0] == 0x0f && code[1] == 0x05;
}

#endif
