/* SPDX-License-Identifier: MIT */
/*
 * overflow exact|anywhere|thread|fatal|small: recursion until the stack ends.
 *
 * The handler, on an alternate stack, jumps out, and the program continues
 * normally. `exact` reaches the end inside the function, after it has counted
 * itself, because it uses more stack than any call. `thread` is the same on a
 * stack of 64 KiB. `anywhere` reaches the end within calls, at a different
 * position each time: the last call may be made but not counted. `fatal` has no
 * handler. `small` does not overflow, on the smallest possible stack.
 */
#define TRUTH_NODES (1 << 18)
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <alloca.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#define ROUNDS      20
#define TOUCH_BYTES 3072
#define FRAME_BYTES 400
#define SMALL_BYTES 65536

static sigjmp_buf landing;
static volatile int faults;
/* never reached, which compilers cannot know */
static volatile int bottom = INT_MAX;

static COUNTED int work(int n)
{
	ENTER(work);
	int sum = n > 0 ? work(n - 1) + n : 0;
	LEAVE();
	return sum;
}

static COUNTED void on_fault(int signal)
{
	ENTER_ROOT(on_fault);
	work(signal % 3);
	faults++;
	LEAVE();
	siglongjmp(landing, 1);
}

static COUNTED int descend(int n)
{
	volatile char frame[FRAME_BYTES];

	ENTER(descend);
	__asm__ volatile("movb $0, %c0(%%rsp)"
			 :
			 : "i"(-TOUCH_BYTES)
			 : "memory");
	frame[n % FRAME_BYTES] = (char)n;
	if (n < bottom)
		n = descend(n + 1) + frame[n % FRAME_BYTES];
	LEAVE();
	return n;
}

/* A minimal frame, so that the end may be at any position. */
static COUNTED int descend_plainly(int n)
{
	ENTER(descend_plainly);
	if (n < bottom)
		n = descend_plainly(n + 1) + 1;
	LEAVE();
	return n;
}

static COUNTED void fall(int (*function)(int), int round)
{
	uint32_t here;

	ENTER(fall);
	here = TRUTH_HERE;
	if (!sigsetjmp(landing, 1)) {
		/* a different offset from the end each time */
		volatile char *shift = alloca((size_t)round * 8);

		shift[0] = 0;
		function(0);
	}
	TRUTH_HERE = here;
	work(round % 5);
	LEAVE();
}

static COUNTED void falls(int (*function)(int))
{
	ENTER(falls);
	for (int round = 1; round <= ROUNDS; round++)
		fall(function, round);
	work(7);
	LEAVE();
}

TRUTH_INLINE void handle_faults(void *stack, size_t bytes)
{
	stack_t alternate = { .ss_sp = stack, .ss_size = bytes };
	struct sigaction action;

	sigaltstack(&alternate, NULL);
	memset(&action, 0, sizeof(action));
	action.sa_handler = on_fault;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGSEGV, &action, NULL);
}

static COUNTED void *fall_in_thread(void *unused)
{
	static char alternate[65536];

	ENTER(fall_in_thread);
	handle_faults(alternate, sizeof(alternate));
	falls(descend);
	LEAVE();
	return unused;
}

static COUNTED void *work_in_thread(void *unused)
{
	ENTER(work_in_thread);
	work(20);
	LEAVE();
	return unused;
}

TRUTH_INLINE void run_thread(void *(*function)(void *), size_t bytes)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, bytes) ||
	    pthread_create(&thread, &attributes, function, NULL))
		puts("no thread");
	else
		pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	static char alternate[65536];
	const char *mode = argc > 1 ? argv[1] : "";

	ENTER(main);
	handle_faults(alternate, sizeof(alternate));
	if (!strcmp(mode, "exact"))
		falls(descend);
	else if (!strcmp(mode, "anywhere"))
		falls(descend_plainly);
	else if (!strcmp(mode, "thread"))
		run_thread(fall_in_thread, SMALL_BYTES);
	else if (!strcmp(mode, "small"))
		run_thread(work_in_thread, PTHREAD_STACK_MIN);
	else if (!strcmp(mode, "fatal"))
		signal(SIGSEGV, SIG_DFL), descend_plainly(0);
	work(3);
	LEAVE();
	printf("%d faults\n", faults);
	truth_write();
	return 0;
}
