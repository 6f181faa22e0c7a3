/* SPDX-License-Identifier: MIT */
/* See slices.h. */
#include "preload/sys/slices.h"

#include <time.h>

#include "preload/sys/sys.h"

/* Address space; pages are allocated when they are used. */
#define STACK_BYTES (UINT64_C(256) << 10)

/*
 * In slices_switch.S: saves the registers of one stack and restores those of
 * the other.
 */
void slices_switch(uint64_t *left, uint64_t entered);
uint64_t slices_first(uint64_t top, void (*function)(void));

/*
 * Written by the thread that calls slices_go_on(), and by the work itself,
 * which runs on that thread.
 */
static struct {
	unsigned char *stack; /* the work's stack; NULL if there is no work */
	void (*function)(void *);
	void *argument;
	/*
	 * stack pointers of the side that does not run: the thread's own stack,
	 * and the work's
	 */
	uint64_t outside, inside;
	uint64_t until_ns;
	int has_ended;
} work;

static uint64_t cpu_now_ns(void)
{
	return sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Runs on the work's own stack and never returns. */
static void do_work(void)
{
	work.function(work.argument);
	work.has_ended = 1;
	slices_switch(&work.inside, work.outside);
	__builtin_unreachable();
}

int slices_begin(void (*function)(void *), void *argument)
{
	unsigned char *stack = sys_map_private(STACK_BYTES);

	if (sys_failed(stack))
		return -ENOMEM;
	work.stack = stack;
	work.function = function;
	work.argument = argument;
	work.has_ended = 0;
	work.inside = slices_first((uintptr_t)stack + STACK_BYTES, do_work);
	return 0;
}

int slices_are_left(void)
{
	return work.stack != NULL;
}

int slices_go_on(uint64_t cpu_ns)
{
	work.until_ns = cpu_now_ns() + cpu_ns;
	slices_switch(&work.outside, work.inside);
	if (!work.has_ended)
		return 0;
	sys_munmap(work.stack, STACK_BYTES);
	work.stack = NULL;
	return 1;
}

/*
 * Returns whether this code runs on the work's stack. Code that is shared with
 * ordinary threads calls slices_rest() too.
 */
static int is_inside(void)
{
	const uint64_t here = (uintptr_t)__builtin_frame_address(0);
	const uint64_t stack = (uintptr_t)work.stack;

	return stack && here >= stack && here < stack + STACK_BYTES;
}

void slices_rest(void)
{
	if (is_inside() && cpu_now_ns() >= work.until_ns)
		slices_switch(&work.inside, work.outside);
}

void slices_forget(void)
{
	work.stack = NULL;
}
