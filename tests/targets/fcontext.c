/* SPDX-License-Identifier: MIT */
/*
 * Coroutines with the switches of fcontext.h; the argument selects the switch.
 *
 * One thread starts them. Two threads resume them at once and then exchange
 * theirs. Coroutines yield from deep recursion, resume each other, and end by
 * switching away for good. Each has its own truth tree.
 */
#define TRUTH_MAIN
#define TRUTH_NODES (1 << 14)
#include "tests/targets/coroutine_stacks.h"

#include <pthread.h>
#include <string.h>

#include "tests/targets/fcontext.h"

#define DEPTH  40
#define ROUNDS 3 /* of each thread, before the exchange */

static const struct way {
	const char *name;
	jump_fn jump;
} ways[] = {
	{ "named", jump_fcontext },
	{ "popping", popping_jump },
	{ "loading", loading_jump },
	{ "unseen", unseen_jump },
};
static const struct way *way;

struct routine {
	void *context;          /* while it does not run */
	void *resumer;          /* while it runs */
	struct routine *helper; /* another coroutine that it resumes */
	uint32_t here;          /* its TRUTH_HERE while it does not run */
	uint32_t has_ended;
	uint64_t sum;
};

static struct routine routines[COROUTINES], helpers[COROUTINES];
static pthread_barrier_t barrier;

static COUNTED void after(void)
{
	ENTER(after);
	LEAVE();
}

TRUTH_INLINE struct transfer switch_to(void *to, void *data)
{
	uint32_t here = TRUTH_HERE;
	struct transfer transfer;

	truth_enter((const char *)(uintptr_t)way->jump, way->name);
	transfer = way->jump(to, data);
	TRUTH_HERE = here;
	return transfer;
}

TRUTH_INLINE void yield(struct routine *routine)
{
	routine->here = TRUTH_HERE;
	routine->resumer = switch_to(routine->resumer, NULL).context;
}

TRUTH_INLINE void resume(struct routine *routine)
{
	routine->context = switch_to(routine->context, routine).context;
}

/* Runs on the routine's stack, instead of the switch by which it yielded. */
static COUNTED struct transfer on_top(struct transfer transfer)
{
	struct routine *routine = transfer.data;

	TRUTH_HERE = routine->here;
	ENTER(on_top);
	after();
	routine->sum += 1000;
	LEAVE();
	return transfer;
}

TRUTH_INLINE void resume_on_top(struct routine *routine)
{
	uint32_t here = TRUTH_HERE;

	ENTER(ontop_fcontext);
	routine->context =
		ontop_fcontext(routine->context, routine, on_top).context;
	TRUTH_HERE = here;
}

/* Deep in the stack, every call is below the frames from before the switch. */
static COUNTED void sink(struct routine *routine, int depth)
{
	ENTER(sink);
	if (depth > 0)
		sink(routine, depth - 1);
	if (depth % 8 == 0) {
		yield(routine);
		after();
	}
	routine->sum += (uint64_t)depth;
	if (routine->helper && depth % 10 == 0 && !routine->helper->has_ended) {
		resume(routine->helper);
		after();
	}
	LEAVE();
}

static COUNTED void routine_main(struct transfer transfer)
{
	struct routine *routine = transfer.data;

	ENTER_ROOT(routine_main);
	routine->resumer = transfer.context;
	after();
	sink(routine, DEPTH);
	after();
	sink(routine, DEPTH / 4);
	routine->has_ended = 1;
	switch_to(routine->resumer, NULL);
	__builtin_trap();
}

static COUNTED int routine_create(struct routine *routine, int number)
{
	char *stack = coroutine_stack(number);

	ENTER(routine_create);
	if (stack) {
		ENTER(make_fcontext);
		routine->context = make_fcontext(stack + STACK_BYTES,
						 STACK_BYTES, routine_main);
		LEAVE();
	}
	LEAVE();
	return stack != NULL;
}

/*
 * Resumes every second one; the number of times does not depend on the order of
 * threads.
 */
static COUNTED void resume_half(int first, int round)
{
	ENTER(resume_half);
	for (int i = first; i < COROUTINES; i += 2) {
		if (routines[i].has_ended)
			continue;
		if (way->jump == jump_fcontext && round == 1)
			resume_on_top(&routines[i]);
		else
			resume(&routines[i]);
		after();
	}
	LEAVE();
}

static COUNTED void *thread_main(void *argument)
{
	int half = argument != NULL;

	ENTER(thread_main);
	for (int exchange = 0; exchange < 4; exchange++) {
		for (int round = 0; round < ROUNDS; round++)
			resume_half(half, round);
		pthread_barrier_wait(&barrier);
		half = !half;
	}
	after();
	LEAVE();
	return NULL;
}

TRUTH_INLINE const struct way *way_named(const char *name)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(ways[i].name, name) == 0)
			return &ways[i];
	return NULL;
}

TRUTH_INLINE int create_all(void)
{
	for (int i = 0; i < COROUTINES; i++) {
		routines[i].helper = &helpers[i];
		if (!routine_create(&routines[i], i) ||
		    !routine_create(&helpers[i], 1 + i % 3))
			return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	uint64_t sum = 0;

	ENTER(main);
	way = way_named(argc > 1 ? argv[1] : "named");
	if (!way || !create_all() || pthread_barrier_init(&barrier, NULL, 2))
		return 1;
	resume_half(0, 0);
	if (pthread_create(&thread, NULL, thread_main, routines))
		return 1;
	thread_main(NULL);
	pthread_join(thread, NULL);
	for (int i = 0; i < COROUTINES; i++)
		sum += routines[i].sum + helpers[i].sum + routines[i].has_ended;
	printf("done %llu\n", (unsigned long long)sum);
	LEAVE();
	truth_write();
	return 0;
}
