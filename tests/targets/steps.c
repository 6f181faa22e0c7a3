/* SPDX-License-Identifier: MIT */
/*
 * steps ACT CALLS DEPTH [WORDS]: a signal arrives once before each instruction
 * of a call. ACT is what the handler does:
 *
 *	calls		functions, in new contexts
 *	phdrs		dl_iterate_phdr(), as unwinders do
 *	jumps		jumps out of the handler
 *	forks		fork(); the child continues the interrupted call
 *	bare		the same by a bare instruction
 *	grows		fork(); the child has then entered many contexts
 *	fills		makes calls of WORDS words (1) each until packets of a
 *			trace are full
 *	sinks		nests calls until they leave a trace's window
 *
 * CALLS is what it interrupts: a call that was made before (hits) or not
 * (misses), that ends in a tail call (tails), or that is made at the end of a
 * trace's packet (ends, tail_ends). The call may be on a stack at a low address
 * (low_hits, low_tails), within many others (deep_hits, deep_tails), or with
 * handlers on an alternate stack (alt_hits, alt_deep_hits). The first three
 * also exist for functions that never call any (leaf_hits, ...). There are
 * 2^(DEPTH + 1) contexts, so that their table may be large.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <setjmp.h>

#include "tests/targets/packet_room.h"
#include "tests/targets/stepper.h"

#define FUNCTIONS  4
#define NEW_DEPTH  4
#define GROW_DEPTH 10
#define IDLE       1000
#define LOW_BYTES  (1 << 20)
#define ALT_BYTES  (1 << 18)
#define DEEP       150 /* twice as many leave a window of the stack */

/*
 * If there are many instructions: the stride, and the part at the end that is
 * done without it.
 */
#define STRIDE_OF_SLOW 7
#define PART_AT_END    8

static void (*act)(void);
static int errors;
static volatile int is_child; /* created by a handler */
static int child_depth = NEW_DEPTH;
static int fill = (int)PACKET_ROOM_WORDS; /* number of calls */
static int room = -1; /* words that a packet must have left; -1: any number */
static sigjmp_buf before;

/* ---- The interrupted functions ---- */

/*
 * Does nothing. The program calls it until an unwinder, which a handler may
 * have looked like, is forgotten.
 */
static COUNTED int idle(int n)
{
	COUNT(idle);
	return n + 1;
}

#define FUNCTION(n)                                                            \
	TRUTH_TOTAL(leaf##n);                                                  \
	static COUNTED int leaf##n(int i)                                      \
	{                                                                      \
		COUNT_LISTED(leaf##n);                                         \
		return i + n + 1;                                              \
	}                                                                      \
	static COUNTED int passes##n(int i)                                    \
	{                                                                      \
		COUNT(passes##n);                                              \
		if (i < 0) /* never, but compilers do not know */              \
			i = idle(i) + idle(i + 1);                             \
		return i + n + 1;                                              \
	}                                                                      \
	static COUNTED int jumps##n(int i)                                     \
	{                                                                      \
		COUNT(jumps##n);                                               \
		return passes##n(i);                                           \
	}                                                                      \
	static COUNTED int leaf_jumps##n(int i)                                \
	{                                                                      \
		COUNT(leaf_jumps##n);                                          \
		return leaf##n(i);                                             \
	}
FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)

typedef int (*interrupted_function)(int);

static const interrupted_function functions_of[][FUNCTIONS] = {
	{ passes0, passes1, passes2, passes3 },
	{ jumps0, jumps1, jumps2, jumps3 },
	{ leaf0, leaf1, leaf2, leaf3 },
	{ leaf_jumps0, leaf_jumps1, leaf_jumps2, leaf_jumps3 },
};

/*
 * Does nothing in a process without packets. The last call that still fits may
 * be followed by a stamp of three words.
 */
static inline __attribute__((always_inline)) void leave_room(void)
{
	int left = packet_room_left(), tries = 0;

	while (left && left != room) {
		const int calls = left > room + 3 ? left - room - 3
				  : left > room   ? 1
						  : left + 1;

		if (tries++ == 4) {
			errors++;
			return;
		}

		for (volatile int i = 0; i < calls;)
			i = idle(i);
		left = packet_room_left();
	}
}

static COUNTED void lands(void)
{
	COUNT(lands);
}

/*
 * Counts an error if a result is wrong. Ends a forked child, which only needs
 * to reach this point.
 */
static void check(int is_right)
{
	if (is_child)
		_exit(is_right ? 0 : 1);
	errors += !is_right;
}

static COUNTED void call_one(int n, int (*function)(int))
{
	volatile int result = 0;

	COUNT(call_one);
	for (volatile int i = 0; i < IDLE;)
		i = idle(i);
	if (room >= 0)
		leave_room();
	if (!act && sigsetjmp(before, 1)) {
		lands();
	} else {
		STEPPER_BEGIN();
		result = function(1);
		check(result == n + 2);
	}
	STEPPER_END();
}

/* Calls below `depth` calls of one function. */
static COUNTED int dive(int depth, int n, int (*function)(int))
{
	COUNT(dive);
	volatile int sum = 1;

	if (depth > 0)
		sum += dive(depth - 1, n, function);
	else
		call_one(n, function);
	return sum;
}

static COUNTED void call_at_each_step(int n, int (*function)(int), int stride,
				      int part, int is_new, int depth)
{
	COUNT(call_at_each_step);
	for (int step = n % stride, round = 0;;
	     step += stride + step / part, round++) {
		stepper->wanted = step;
		dive(is_new ? round : depth, n, function);
		if (!stepper->was_interrupted)
			return;
	}
}

/* ---- Actions of the handler ---- */

static COUNTED int left(int depth);

static COUNTED int right(int depth)
{
	COUNT(right);
	volatile int sum = 0; /* volatile, or calls would become loops */

	if (depth > 0)
		sum = left(depth - 1) + right(depth - 1) + 1;
	return sum;
}

static COUNTED int left(int depth)
{
	COUNT(left);
	volatile int sum = 0;

	if (depth > 0)
		sum = right(depth - 1) + left(depth - 1) + 1;
	return sum;
}

static COUNTED void acts_calls(void)
{
	COUNT(acts_calls);
	left(NEW_DEPTH);
}

static COUNTED void acts_fills(void)
{
	COUNT(acts_fills);
	for (volatile int i = 0; i < fill;)
		i = idle(i);
}

static COUNTED int sinks(int depth)
{
	COUNT(sinks);
	volatile int sum = 1;

	if (depth > 0)
		sum += sinks(depth - 1);
	return sum;
}

/* The next call's word shows its depth. */
static COUNTED void acts_sinks(void)
{
	COUNT(acts_sinks);
	idle(sinks(DEEP));
}

static COUNTED int sees(struct dl_phdr_info *info, size_t bytes, void *context)
{
	COUNT(sees);
	return 1;
}

static COUNTED void acts_phdrs(void)
{
	COUNT(acts_phdrs);
	dl_iterate_phdr(sees, NULL);
	/* Not a tail call: dl_iterate_phdr() reads its return address. */
	__asm__ volatile("");
}

/* A child that was forked right before the last mark ends here. */
static COUNTED void leave_child(int signal)
{
	_exit(0);
}

/*
 * Inlined: until a bare child enters a new context, it counts in its parent's
 * tables.
 */
static inline __attribute__((always_inline)) void see_to_child(long pid)
{
	int status = -1;

	if (pid == 0) {
		is_child = 1;
		signal(SIGTRAP, leave_child);
		left(child_depth);
		return;
	}
	if (waitpid((pid_t)pid, &status, 0) == pid && !status)
		return;
	errors++;
	fprintf(stderr, "step %d: the child's status is %#x, errno %d\n",
		stepper->wanted, (unsigned int)status, errno);
}

static COUNTED void acts_forks(void)
{
	COUNT(acts_forks);
	see_to_child(fork());
}

static COUNTED void acts_grows(void)
{
	COUNT(acts_grows);
	child_depth = GROW_DEPTH;
	see_to_child(fork());
}

static COUNTED void acts_bare(void)
{
	long pid;

	COUNT(acts_bare);
	__asm__ volatile("syscall"
			 : "=a"(pid)
			 : "a"((long)SYS_fork)
			 : "rcx", "r11", "memory");
	see_to_child(pid);
}

COUNTED void on_signal(int signal);

/* The test identifies it by name, because it may be missing in contexts. */
COUNTED void on_signal(int signal)
{
	COUNT(on_signal);
	if (!act)
		siglongjmp(before, 1);
	act();
	if (!is_child)
		STEPPER_HANDLED();
}

/* ---- */

static void choose(const char *name)
{
	act = !strcmp(name, "phdrs")   ? acts_phdrs
	      : !strcmp(name, "forks") ? acts_forks
	      : !strcmp(name, "bare")  ? acts_bare
	      : !strcmp(name, "grows") ? acts_grows
	      : !strcmp(name, "calls") ? acts_calls
	      : !strcmp(name, "fills") ? acts_fills
	      : !strcmp(name, "sinks") ? acts_sinks
				       : NULL;
}

static COUNTED void interrupt_all(const char *calls)
{
	/*
	 * A stub has room; there is room for one more call; the next packet
	 * begins (twice).
	 */
	static const int rooms[FUNCTIONS] = { 22, 21, 17, 17 };
	const interrupted_function *functions =
		functions_of[(strstr(calls, "leaf") ? 2 : 0) +
			     (strstr(calls, "tail") ? 1 : 0)];
	const int is_new = strstr(calls, "misses") != NULL;
	const int is_end = strstr(calls, "ends") != NULL;
	const int is_slow = is_new || strstr(calls, "low");

	COUNT(interrupt_all);
	for (int n = 0; n < (is_new ? 1 : FUNCTIONS); n++) {
		room = is_end ? rooms[n] : -1;
		call_at_each_step(n, functions[n], is_slow ? STRIDE_OF_SLOW : 1,
				  is_end ? PART_AT_END + n : INT_MAX, is_new,
				  strstr(calls, "deep") ? DEEP : 0);
	}
}

/* Runs on a stack below the memory that the shadow covers for stubs. */
static inline __attribute__((always_inline)) void run_low(const char *calls)
{
	char *low =
		(char *)mmap(NULL, LOW_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (low == MAP_FAILED) {
		errors++;
		return;
	}
	__asm__ volatile(
		"mov %%rsp, %%rbx\n\t"
		"mov %[stack], %%rsp\n\t"
		"call *%[function]\n\t"
		"mov %%rbx, %%rsp"
		: "+D"(calls)
		: [stack] "r"(low + LOW_BYTES), [function] "r"(interrupt_all)
		: "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11",
		  "cc", "memory");
}

static COUNTED void run(const char *calls, int depth)
{
	COUNT(run);
	left(depth);
	if (strstr(calls, "low"))
		run_low(calls);
	else
		interrupt_all(calls);
}

int main(int argc, char **argv)
{
	static char stack[ALT_BYTES];
	const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_signal };
	const char *calls = argc > 2 ? argv[2] : "";

	choose(argc > 1 ? argv[1] : "");
	if (argc > 4)
		fill /= atoi(argv[4]);
	stepper_start();
	TRUTH_FORKED();
	LIST(leaf0);
	LIST(leaf1);
	LIST(leaf2);
	LIST(leaf3);
	if (strstr(calls, "alt")) {
		sigaltstack(&alternate, NULL);
		action.sa_flags |= SA_ONSTACK;
	}
	sigaction(SIGUSR1, &action, NULL);
	run(calls, argc > 3 ? atoi(argv[3]) : 10);
	printf("%s\n", stepper->signals ? "done" : "no signals");
	if (errors)
		printf("%d errors\n", errors);
	fflush(stdout);
	truth_write();
	return errors != 0;
}
