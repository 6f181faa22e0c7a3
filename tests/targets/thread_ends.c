/* SPDX-License-Identifier: MIT */
/*
 * Threads that end within functions, in C: by pthread_exit(), cancelled in a
 * blocking read(), and cancelled asynchronously. Some frames have cleanup
 * handlers: the variant `exceptions` runs them like an exception, other
 * variants by a jump into the frame. Cleanup handlers and key destructors make
 * calls with exact contexts: a handler is called by the function that pushed
 * it, a destructor has no caller.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <pthread.h>

#define ROUNDS 10
#define DEPTH  4

enum ending { ENDS_BLOCKED, ENDS_EXITING, ENDS_SPINNING, ENDINGS };

static pthread_key_t keys[2];
static int pipe_ends[2];
static int cleanups;
static volatile int is_ready;

static COUNTED void cleaned(void)
{
	ENTER(cleaned);
	__atomic_add_fetch(&cleanups, 1, __ATOMIC_RELAXED);
	LEAVE();
}

/*
 * Calls cleaned() in the context of the function that pushed this handler
 * (`here`), because functions deeper on the stack have not left.
 */
static COUNTED void cleanup(void *here)
{
	TRUTH_HERE = (uint32_t)(uintptr_t)here;
	ENTER(cleanup);
	cleaned();
	LEAVE();
}

static COUNTED void destroy(void *value)
{
	TRUTH_HERE = 0;
	ENTER(destroy);
	cleaned();
	LEAVE();
}

static COUNTED void end(enum ending ending)
{
	char byte;

	ENTER(end);
	if (ending == ENDS_EXITING)
		pthread_exit(NULL);
	if (ending == ENDS_SPINNING) {
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
		for (;;)
			is_ready = 1;
	}
	is_ready = 1;
	(void)!read(pipe_ends[0], &byte, 1);
	LEAVE();
}

static COUNTED void descend(enum ending ending, int depth, int has_cleanups);

static COUNTED void descend_with_cleanup(enum ending ending, int depth)
{
	ENTER(descend_with_cleanup);
	pthread_cleanup_push(cleanup, (void *)(uintptr_t)TRUTH_HERE);
	descend(ending, depth, 1);
	pthread_cleanup_pop(0);
	LEAVE();
}

static COUNTED void descend(enum ending ending, int depth, int has_cleanups)
{
	ENTER(descend);
	if (!depth)
		end(ending);
	else if (has_cleanups)
		descend_with_cleanup(ending, depth - 1);
	else
		descend(ending, depth - 1, 0);
	LEAVE();
}

/* Calls cleaned() also, so that contexts of both kinds exist. */
static COUNTED void *with_cleanups(void *ending)
{
	ENTER(with_cleanups);
	pthread_setspecific(keys[0], &keys);
	pthread_setspecific(keys[1], &keys);
	cleaned();
	descend((enum ending)(uintptr_t)ending, DEPTH, 1);
	LEAVE();
	return NULL;
}

static COUNTED void *without_cleanups(void *ending)
{
	ENTER(without_cleanups);
	pthread_setspecific(keys[0], &keys);
	descend((enum ending)(uintptr_t)ending, DEPTH, 0);
	LEAVE();
	return NULL;
}

static int run(void *(*function)(void *), enum ending ending)
{
	pthread_t thread;

	is_ready = 0;
	if (pthread_create(&thread, NULL, function, (void *)(uintptr_t)ending))
		return 1;
	while (ending != ENDS_EXITING && !is_ready)
		usleep(20);
	if (ending != ENDS_EXITING)
		pthread_cancel(thread);
	return pthread_join(thread, NULL);
}

int main(void)
{
	if (pipe(pipe_ends) || pthread_key_create(&keys[0], destroy) ||
	    pthread_key_create(&keys[1], destroy))
		return 1;
	for (int i = 0; i < ROUNDS * ENDINGS; i++)
		if (run(with_cleanups, i % ENDINGS) ||
		    run(without_cleanups, i % ENDINGS))
			return 1;
	printf("cleanups %d\n", cleanups);
	truth_write();
	return 0;
}
