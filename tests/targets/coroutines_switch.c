/* SPDX-License-Identifier: MIT */
/*
 * Coroutines by a switch of its own, as every coroutine library has one: the
 * switching function is hooked like any other, and returns elsewhere.
 */
#define TRUTH_MAIN
#include "tests/targets/coroutines.h"

/* Saves the callee-saved registers, leaves sp in *save, goes on at `load`. */
void switch_stack(void **save, void *load);

__asm__(".text\n"
	".p2align 4\n"
	".globl switch_stack\n"
	".type switch_stack, @function\n"
	"switch_stack:\n"
	".cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %r12\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %r13\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %r14\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %r15\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %r14\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %r13\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %r12\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rbp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size switch_stack, . - switch_stack\n");

#define SAVED_REGISTERS 6

static void *main_sp;
static void *sps[COROUTINES];
static int running;

TRUTH_INLINE void switch_counted(void **save, void *load)
{
	uint32_t here = TRUTH_HERE;

	ENTER(switch_stack);
	switch_stack(save, load);
	TRUTH_HERE = here;
}

TRUTH_INLINE void coroutine_yield(void)
{
	switch_counted(&sps[running], main_sp);
}

/* What a new coroutine returns to out of switch_stack; never returns. */
static COUNTED void start(void)
{
	uint32_t here;

	ENTER_ROOT(start);
	here = TRUTH_HERE;
	coroutine_main();
	TRUTH_HERE = here;
	coroutine_yield();
	__builtin_trap();
}

/* As switch_stack would have left it, with a return address to start. */
TRUTH_INLINE void *initial_sp(char *stack)
{
	void **sp = (void **)(void *)(stack + STACK_BYTES);

	*--sp = NULL; /* start's own return address, and the alignment */
	*--sp = (void *)start;
	for (int i = 0; i < SAVED_REGISTERS; i++)
		*--sp = NULL;
	return sp;
}

int main(void)
{
	ENTER(main);
	for (int i = 0; i < COROUTINES; i++) {
		char *stack = coroutine_stack(i);

		if (!stack)
			return 1;
		sps[i] = initial_sp(stack);
	}
	for (int turn = 0; turn <= YIELDS; turn++)
		for (int i = 0; i < COROUTINES; i++) {
			running = i;
			switch_counted(&main_sp, sps[i]);
			after();
		}
	puts("done");
	LEAVE();
	truth_write();
	return 0;
}
