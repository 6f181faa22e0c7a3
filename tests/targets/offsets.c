/* SPDX-License-Identifier: MIT */
/*
 * Calls from all positions: their return addresses have every possible lowest
 * byte.
 *
 * A stub compares that byte first to distinguish calls from tail calls; the
 * byte of its own exit must not make it count a call as something else. With
 * IS_HOST the program looks as if it hosted a JIT compiler, so its stubs are of
 * another kind.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#define ROUNDS 100

#ifdef IS_HOST
int mono_jit_init(void);

COUNTED int mono_jit_init(void)
{
	return 0;
}
#endif

static volatile long sum;

static COUNTED __attribute__((used)) void called(void)
{
	ENTER(called);
	sum++;
	LEAVE();
}

static COUNTED void call_from_everywhere(void (*function)(void))
{
	ENTER(call_from_everywhere);
	__asm__ volatile("	leaq	-136(%%rsp), %%rsp\n"
			 "	movq	%0, %%rbx\n"
			 "	.rept	256\n"
			 "	call	*%%rbx\n"
			 "	jmp	1f\n"
			 "	.skip	250\n"
			 "1:\n"
			 "	.endr\n"
			 "	leaq	136(%%rsp), %%rsp\n"
			 :
			 : "r"(function)
			 : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9",
			   "r10", "r11", "cc", "memory");
	LEAVE();
}

int main(void)
{
	ENTER(main);
	for (int i = 0; i < ROUNDS; i++)
		call_from_everywhere(called);
	printf("%ld\n", sum);
	LEAVE();
	truth_write();
	return 0;
}
