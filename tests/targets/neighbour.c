/* SPDX-License-Identifier: MIT */
/*
 * A coroutine's stack with a read-only page above it that is full of words like
 * those on stacks. Code that walks this stack must not use the page.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <sys/mman.h>
#include <ucontext.h>

#define STACK_BYTES (64 * 1024)
#define PAGE_BYTES  4096
#define TURNS       5

static ucontext_t main_context, other_context;
static uintptr_t waiting_word;

static COUNTED void turn(void)
{
	ENTER(turn);
	__asm__ volatile("");
	LEAVE();
}

static COUNTED void other(void)
{
	uint32_t here;

	ENTER(other);
	here = TRUTH_HERE;
	for (;;) {
		turn();
		swapcontext(&other_context, &main_context);
		TRUTH_HERE = here;
	}
}

/*
 * Reads the return address in the caller's frame, to get a word like those on
 * stacks.
 */
static COUNTED void look(const uintptr_t *frame)
{
	ENTER(look);
	waiting_word = frame[1];
	LEAVE();
}

static COUNTED int prepare(void)
{
	char *stack =
		mmap(NULL, STACK_BYTES + PAGE_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t *words = (uintptr_t *)(stack + STACK_BYTES);

	ENTER(prepare);
	look(__builtin_frame_address(0));
	if (stack == MAP_FAILED)
		return 0;
	for (size_t i = 0; i < PAGE_BYTES / sizeof(*words); i++)
		words[i] = waiting_word;
	if (mprotect(words, PAGE_BYTES, PROT_READ))
		return 0;
	getcontext(&other_context);
	other_context.uc_stack.ss_sp = stack;
	other_context.uc_stack.ss_size = STACK_BYTES;
	other_context.uc_link = &main_context;
	makecontext(&other_context, other, 0);
	LEAVE();
	return 1;
}

int main(void)
{
	uint32_t here;

	ENTER(main);
	here = TRUTH_HERE;
	if (!prepare())
		return 1;
	for (int i = 0; i < TURNS; i++) {
		swapcontext(&main_context, &other_context);
		TRUTH_HERE = here;
	}
	puts("done");
	LEAVE();
	truth_write();
	return 0;
}
