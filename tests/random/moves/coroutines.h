/* SPDX-License-Identifier: MIT */
/*
 * Coroutines on stacks of their own: switched by hand or by swapcontext().
 */
#ifndef CLEW_TESTS_RANDOM_COROUTINES_H
#define CLEW_TESTS_RANDOM_COROUTINES_H

#define COROUTINE_BYTES   (256 * 1024)
#define COROUTINE_RETURNS 16

/* The state of one coroutine, on a stack of its own. */
struct coroutine {
	ucontext_t own, resumer;
	void *own_sp, *resumer_sp; /* of switch_stack() */
	char *stack;
	function body;
	int by_hand, is_mapped, is_over;
	uint32_t turns;
};

/* A separate function: clang inlines no function that calls swapcontext(). */
static PLAYED void coroutine_leave(struct coroutine *coroutine)
{
	uint32_t here;

	ENTER(coroutine_leave);
	here = TRUTH_HERE;
	if (coroutine->by_hand) {
		ENTER(switch_stack);
		switch_stack(&coroutine->own_sp, coroutine->resumer_sp);
	} else {
		swapcontext(&coroutine->own, &coroutine->resumer);
	}
	TRUTH_HERE = here;
	LEAVE();
}

TRUTH_INLINE void move_yield(void)
{
	struct surroundings outer = play.now;
	struct coroutine *coroutine = outer.coroutine;

	if (!coroutine)
		return;
	coroutine_leave(coroutine);
	play.now = outer;
}

static PLAYED void play_coroutine(void)
{
	struct coroutine *coroutine = play.now.coroutine;
	uint32_t here;

	ENTER_ROOT(play_coroutine);
	here = TRUTH_HERE;
	if (!is_over())
		coroutine->body((long)coroutine->turns);
	TRUTH_HERE = here;
	for (;;) {
		coroutine->is_over = 1;
		coroutine_leave(coroutine);
	}
}

static PLAYED void coroutine_resume(struct coroutine *coroutine)
{
	struct surroundings outer = play.now;
	uint32_t here;

	ENTER(coroutine_resume);
	here = TRUTH_HERE;
	be_apart();
	play.now.coroutine = coroutine;
	play.now.is_small = 1;
	coroutine->turns++;
	if (coroutine->by_hand) {
		ENTER(switch_stack);
		switch_stack(&coroutine->resumer_sp, coroutine->own_sp);
	} else {
		swapcontext(&coroutine->resumer, &coroutine->own);
	}
	play.now = outer;
	TRUTH_HERE = here;
	LEAVE();
}

/* A separate function: compilers inline no function that calls getcontext(). */
static PLAYED void coroutine_prepare(struct coroutine *coroutine)
{
	void **sp;

	ENTER(coroutine_prepare);
	if (coroutine->by_hand) {
		sp = (void **)(void *)(coroutine->stack + COROUTINE_BYTES);
		*--sp = NULL; /* the return address, and the alignment */
		*--sp = (void *)(uintptr_t)play_coroutine;
		sp -= SAVED_REGISTERS;
		memset(sp, 0, SAVED_REGISTERS * sizeof(*sp));
		coroutine->own_sp = sp;
		LEAVE();
		return;
	}
	getcontext(&coroutine->own);
	coroutine->own.uc_stack.ss_sp = coroutine->stack;
	coroutine->own.uc_stack.ss_size = COROUTINE_BYTES;
	coroutine->own.uc_link = NULL;
	makecontext(&coroutine->own, play_coroutine, 0);
	LEAVE();
}

/*
 * Runs a coroutine to its end, and works between its turns. This work captures
 * no slice, because the coroutine's stack would not be restored with it.
 */
TRUTH_INLINE long move_coroutine(function body, function between, int by_hand,
				 int is_mapped)
{
	struct slice *slice = play.now.slice;
	struct coroutine coroutine;
	long n = 0;

	if (play.now.is_alternate)
		return 0;
	play.now.slice = NULL;
	memset(&coroutine, 0, sizeof(coroutine));
	coroutine.body = body;
	coroutine.by_hand = by_hand;
	coroutine.is_mapped = is_mapped;
	coroutine.stack =
		is_mapped ? (char *)mmap(NULL, COROUTINE_BYTES,
					 PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
			  : (char *)malloc(COROUTINE_BYTES);
	coroutine_prepare(&coroutine);
	while (!coroutine.is_over && coroutine.turns < COROUTINE_RETURNS) {
		coroutine_resume(&coroutine);
		n += between(n);
	}
	if (!coroutine.is_mapped) /* mappings stay: an end like any other */
		free(coroutine.stack);
	play.now.slice = slice;
	return n;
}

static PLAYED void coroutine_linked(void)
{
	ENTER_ROOT(coroutine_linked);
	if (!is_over())
		play.pending(3);
	LEAVE();
}

/* The coroutine's function returns, and libc continues at uc_link. */
static PLAYED void coroutine_link(function body)
{
	char *stack = (char *)malloc(COROUTINE_BYTES);
	struct surroundings volatile outer;
	ucontext_t own, back;
	volatile uint32_t here;

	ENTER(coroutine_link);
	here = TRUTH_HERE;
	memcpy((void *)(uintptr_t)&outer, &play.now, sizeof(outer));
	be_apart();
	play.now.is_small = 1;
	play.pending = body;
	getcontext(&own);
	own.uc_stack.ss_sp = stack;
	own.uc_stack.ss_size = COROUTINE_BYTES;
	own.uc_link = &back;
	makecontext(&own, coroutine_linked, 0);
	swapcontext(&back, &own);
	memcpy(&play.now, (void *)(uintptr_t)&outer, sizeof(outer));
	TRUTH_HERE = here;
	free(stack);
	LEAVE();
}

TRUTH_INLINE long move_linked(function body, long n)
{
	if (!play.now.is_alternate)
		coroutine_link(body);
	return n;
}

#endif
