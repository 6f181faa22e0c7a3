/* SPDX-License-Identifier: MIT */
/*
 * Threads: one at a time or several at once, which fork, end in
 * pthread_exit() or by cancellation, and leave destructors of thread-local
 * variables and keys to run.
 */
#ifndef CLEW_TESTS_RANDOM_THREADS_H
#define CLEW_TESTS_RANDOM_THREADS_H

#define CROWD 3

struct start {
	function body;
	uint64_t random;
	long budget;
	long result;
	int forks;
	int is_crowd;   /* other threads run at the same time */
	int may_exit;   /* by pthread_exit() or cancellation */
	int has_ending; /* runs destructors at its end */
	int waits;      /* until it is cancelled */
};

#ifdef TRUTH_MAIN
pthread_key_t play_key;
#else
extern pthread_key_t play_key;
#endif

#ifdef __cplusplus
extern "C"
#endif
	int
	__cxa_thread_atexit_impl(void (*end)(void *), void *object,
				 void *module);

/* The thread has left all frames, unless it is in exit(). */
TRUTH_INLINE void threads_end(void)
{
	be_apart();
	if (play.is_ending)
		return;
	while (truth.nodes[TRUTH_HERE].parent)
		TRUTH_HERE = truth.nodes[TRUTH_HERE].parent;
}

static PLAYED void threads_destroy_key(void *value)
{
	threads_end();
	ENTER(threads_destroy_key);
	play.budget = 10;
	((struct start *)value)->body(1);
	LEAVE();
}

static PLAYED void threads_destroy_local(void *value)
{
	threads_end();
	ENTER(threads_destroy_local);
	play.budget = 10;
	((struct start *)value)->body(2);
	LEAVE();
}

TRUTH_INLINE void threads_prepare(void)
{
	pthread_key_create(&play_key, threads_destroy_key);
}

static PLAYED void *play_thread(void *data)
{
	struct start *start = (struct start *)data;

	ENTER_ROOT(play_thread);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	play.random = start->random;
	play.budget = start->budget;
	play.forks = start->forks;
	play.is_crowd = start->is_crowd;
	play.sights = start->is_crowd ? 0 : 4;
	play.now.may_exit = start->may_exit;
	play.now.may_end = !start->is_crowd;
	if (start->has_ending) {
		pthread_setspecific(play_key, start);
		__cxa_thread_atexit_impl(threads_destroy_local, start,
					 (void *)(uintptr_t)__ehdr_start);
	}
	start->result = start->body((long)(start->random % 100));
	while (start->waits) {
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
		pause();
	}
	LEAVE();
	return NULL;
}

TRUTH_INLINE void threads_make(struct start *start, function body)
{
	start->body = body;
	start->random = draw(1 << 30) + 1;
	start->budget = 300;
	start->has_ending = draw(2) == 0;
}

/* Runs a thread that begins like `start` and calls the body. */
TRUTH_INLINE long threads_run(struct start *start, function body)
{
	pthread_t thread;

	threads_make(start, body);
	if (play.threads <= 0 || play.is_crowd)
		return 0;
	play.threads--;
	if (pthread_create(&thread, NULL, play_thread, start))
		return 0;
	if (start->waits)
		pthread_cancel(thread);
	pthread_join(thread, NULL);
	return start->result;
}

TRUTH_INLINE long move_thread(function body, long n)
{
	struct start start = { 0 };

	start.forks = play.forks > 0;
	(void)n;
	return threads_run(&start, body);
}

TRUTH_INLINE long move_exiting_thread(function body, long n)
{
	struct start start = { 0 };

	start.may_exit = 1;
	(void)n;
	return threads_run(&start, body);
}

TRUTH_INLINE long move_cancelled_thread(function body, long n)
{
	struct start start = { 0 };

	start.waits = 1;
	(void)n;
	return threads_run(&start, body);
}

TRUTH_INLINE long move_crowd(function body, long n)
{
	struct start starts[CROWD] = { { 0 } };
	pthread_t threads[CROWD];
	int count = 0;

	if (play.threads <= 0 || play.is_crowd)
		return 0;
	play.threads--;
	for (int i = 0; i < CROWD; i++) {
		threads_make(&starts[i], body);
		starts[i].is_crowd = 1;
	}
	while (count < CROWD &&
	       pthread_create(&threads[count], NULL, play_thread,
			      &starts[count]) == 0)
		count++;
	while (count-- > 0) {
		pthread_join(threads[count], NULL);
		n += starts[count].result;
	}
	return n % 1000;
}

/* Ends the thread in one of three cases if it may end. */
TRUTH_INLINE void move_leave_thread(void)
{
	if (!play.now.may_exit || draw(3))
		return;
	play.is_detaching = 1;
	if (draw(2))
		pthread_exit(NULL);
	pthread_cancel(pthread_self());
	if (draw(2))
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	pthread_testcancel();
}

#ifndef __cplusplus

static PLAYED void threads_clean(void *data)
{
	TRUTH_HERE = *(uint32_t *)data;
	ENTER(threads_clean);
	LEAVE();
}

static PLAYED long threads_push(function body, long n)
{
	volatile long sum = n;
	uint32_t here;

	ENTER(threads_push);
	here = TRUTH_HERE;
	pthread_cleanup_push(threads_clean, &here);
	sum += body(n);
	pthread_cleanup_pop(1);
	LEAVE();
	return sum % 1000;
}

#else

static PLAYED long threads_push(function body, long n)
{
	ENTER(threads_push);
	{
		guard g;

		n += body(n);
	}
	LEAVE();
	return n % 1000;
}

#endif

TRUTH_INLINE long move_cleanup(function body, long n)
{
	return threads_push(body, n);
}

#endif
