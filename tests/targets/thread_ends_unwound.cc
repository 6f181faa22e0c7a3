/* SPDX-License-Identifier: MIT */
/*
 * thread_ends.c in C++: the frames have objects whose destructors make calls,
 * or none. The thread has a thread_local object and a key.
 */
#define TRUTH_MAIN
#define TRUTH_HAS_RUNTIME /* the compiler's function for `own` */
#include "tests/targets/scope.h"

#include <pthread.h>

namespace
{

const int ROUNDS = 10, DEPTH = 4;

enum ending { ENDS_BLOCKED, ENDS_EXITING, ENDS_SPINNING, ENDINGS };

pthread_key_t key;
int pipe_ends[2];
int cleanups;
volatile int is_ready;

COUNTED void cleaned()
{
	SCOPE(cleaned);
	__atomic_add_fetch(&cleanups, 1, __ATOMIC_RELAXED);
}

/* Functions deeper on the stack without an object have not left. */
COUNTED void cleanup(uint32_t here)
{
	TRUTH_HERE = here;
	SCOPE(cleanup);
	cleaned();
}

struct guard {
	uint32_t here = TRUTH_HERE;

	__attribute__((always_inline)) ~guard()
	{
		cleanup(here);
	}
};

COUNTED void destroy(void *)
{
	TRUTH_HERE = 0;
	SCOPE(destroy);
	cleaned();
}

COUNTED void destroy_own()
{
	TRUTH_HERE = 0;
	SCOPE(destroy_own);
	cleaned();
}

struct own {
	volatile int is_used = 0;

	__attribute__((always_inline)) ~own()
	{
		destroy_own();
	}
};

thread_local own own;

COUNTED void end(ending ending)
{
	char byte;

	ENTER(end);
	if (ending == ENDS_EXITING)
		pthread_exit(nullptr);
	if (ending == ENDS_SPINNING) {
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
		for (;;)
			is_ready = 1;
	}
	is_ready = 1;
	(void)!read(pipe_ends[0], &byte, 1);
	LEAVE();
}

COUNTED void descend(ending ending, int depth, bool has_guards)
{
	ENTER(descend);
	if (!depth) {
		end(ending);
	} else if (has_guards) {
		guard guard;

		descend(ending, depth - 1, true);
	} else {
		descend(ending, depth - 1, false);
	}
	LEAVE();
}

COUNTED void *with_guards(void *ending)
{
	ENTER(with_guards);
	pthread_setspecific(key, &key);
	cleaned();
	descend((enum ending)(uintptr_t)ending, DEPTH, true);
	LEAVE();
	return nullptr;
}

COUNTED void *without_guards(void *ending)
{
	ENTER(without_guards);
	pthread_setspecific(key, &key);
	own.is_used = 1;
	descend((enum ending)(uintptr_t)ending, DEPTH, false);
	LEAVE();
	return nullptr;
}

COUNTED void *with_both(void *ending)
{
	ENTER(with_both);
	guard guard;

	pthread_setspecific(key, &key);
	own.is_used = 1;
	descend((enum ending)(uintptr_t)ending, DEPTH, true);
	LEAVE();
	return nullptr;
}

int run(void *(*function)(void *), ending ending)
{
	pthread_t thread;

	is_ready = 0;
	if (pthread_create(&thread, nullptr, function,
			   (void *)(uintptr_t)ending))
		return 1;
	while (ending != ENDS_EXITING && !is_ready)
		usleep(20);
	if (ending != ENDS_EXITING)
		pthread_cancel(thread);
	return pthread_join(thread, nullptr);
}

} // namespace

int main()
{
	if (pipe(pipe_ends) || pthread_key_create(&key, destroy))
		return 1;
	for (int i = 0; i < ROUNDS * ENDINGS; i++) {
		ending ending = (enum ending)(i % ENDINGS);

		if (run(with_guards, ending) || run(without_guards, ending) ||
		    run(with_both, ending))
			return 1;
	}
	printf("cleanups %d\n", cleanups);
	truth_write();
	return 0;
}
