/* SPDX-License-Identifier: MIT */
/*
 * timed MODE: functions that measure their own time with the time stamp
 * counter, for each way in which calls can end. Prints a line for each context
 * below main, at the end of the process:
 *
 *	PID CALLS TICKS VADDR VADDR...
 *
 * The functions are listed from the outermost on; TICKS are those between entry
 * and return without those of callees.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <pthread.h>
#include <setjmp.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define TIMED static __attribute__((noinline))
#else
/* variables that are dead by then */
#pragma GCC diagnostic ignored "-Wclobbered"
#define TIMED static __attribute__((noipa))
#endif

extern const char __ehdr_start[] __attribute__((visibility("hidden")));

struct node {
	const char *function;
	uint32_t parent;
	uint64_t calls, ticks;
};

/* Each thread has its own nodes, starting at its number. */
static const uint32_t EACH = 64;
static node nodes[4 * EACH];

/*
 * The position of a function; a function that is jumped into stores it in a
 * variable.
 */
struct place {
	uint32_t node;
	uint64_t since;
};

/* The cost of reading the counter twice and storing the result. */
static uint64_t gap;

static thread_local uint32_t here __attribute__((tls_model("initial-exec")));

INLINE uint64_t now()
{
	return __builtin_ia32_rdtsc();
}

INLINE uint32_t find(const void *function, uint32_t parent)
{
	uint32_t n = parent / EACH * EACH + 1;

	while (nodes[n].function && (nodes[n].function != function ||
				     nodes[n].parent != parent))
		n++;
	nodes[n].function = static_cast<const char *>(function);
	nodes[n].parent = parent;
	return n;
}

#define ENTER(f)                                                               \
	place me = { 0, now() };                                               \
	me.node = find(reinterpret_cast<const void *>(f), here);               \
	nodes[me.node].calls++;                                                \
	here = me.node

#define PAUSE() (nodes[me.node].ticks += now() - me.since + gap)
#define GO_ON() (here = me.node, me.since = now())
#define LEAVE() (here = nodes[me.node].parent, PAUSE())
#define CALL(call)                                                             \
	do {                                                                   \
		PAUSE();                                                       \
		call;                                                          \
		GO_ON();                                                       \
	} while (0)

INLINE void work(uint64_t ticks)
{
	uint64_t start = now();

	while (now() - start < ticks)
		;
}

static const int ROUNDS = 3000;
static const uint64_t LONG = 24000, MIDDLE = 12000, SHORT = 4000;

/* ---- Calls and returns ---- */

TIMED void leaf()
{
	ENTER(leaf);
	work(SHORT);
	LEAVE();
}

TIMED void branch(int n)
{
	ENTER(branch);
	work(MIDDLE);
	CALL(leaf());
	if (n)
		CALL(branch(n - 1));
	work(SHORT);
	CALL(leaf());
	LEAVE();
}

TIMED void calls()
{
	ENTER(calls);
	for (int i = 0; i < ROUNDS; i++) {
		work(SHORT);
		CALL(branch(i % 3));
	}
	LEAVE();
}

/* ---- Tail calls ---- */

TIMED int second(int n)
{
	ENTER(second);
	work(MIDDLE);
	LEAVE();
	return n;
}

TIMED int first(int n)
{
	ENTER(first);
	work(LONG);
	PAUSE();
	return second(n);
}

/*
 * The cost of measuring varies by 50 ticks for each call, which is small
 * compared with the work.
 */
TIMED int tails()
{
	int sum = 0;

	ENTER(tails);
	for (int i = 0; i < ROUNDS; i++) {
		CALL(sum += first(i));
		work(LONG);
	}
	LEAVE();
	return sum;
}

/* ---- Jumps ---- */

static jmp_buf landing;

TIMED void jump()
{
	ENTER(jump);
	work(MIDDLE);
	PAUSE();
	longjmp(landing, 1);
}

TIMED void before_jump()
{
	ENTER(before_jump);
	work(LONG);
	CALL(leaf());
	CALL(jump());
	LEAVE();
}

/*
 * setjmp and longjmp, and 100 ticks of clew, are small compared with the work.
 */
TIMED void jumps()
{
	ENTER(jumps);
	for (volatile int i = 0; i < ROUNDS; i = i + 1) {
		PAUSE();
		if (!setjmp(landing))
			before_jump();
		GO_ON();
		work(2 * LONG);
	}
	LEAVE();
}

/*
 * ---- Exceptions: creating and freeing them is small compared with the work
 * ----
 */

TIMED void thrower()
{
	ENTER(thrower);
	work(10 * LONG);
	PAUSE();
	throw 1;
}

TIMED void thrown_through()
{
	ENTER(thrown_through);
	work(10 * LONG);
	CALL(thrower());
	LEAVE();
}

TIMED void throws()
{
	ENTER(throws);
	for (int i = 0; i < ROUNDS / 30; i++) {
		PAUSE();
		try {
			thrown_through();
		} catch (int) {
		}
		GO_ON();
		work(10 * LONG);
	}
	LEAVE();
}

/* ---- Threads ---- */

static void *run_thread(void *number)
{
	here = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(number)) *
	       EACH;
	calls();
	return nullptr;
}

static void threads()
{
	pthread_t ids[2];

	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&ids[i], nullptr, run_thread,
			       reinterpret_cast<void *>(i + 1));
	for (pthread_t id : ids)
		pthread_join(id, nullptr);
}

/* ---- Coroutines: one, which works in `inner` whenever it runs ---- */

static ucontext_t outside, inside;
static char stack[262144];

/* Long enough that the two system calls of a swap are small in comparison. */
static const int AGAIN = 50;

TIMED void yield()
{
	ENTER(yield);
	work(AGAIN * SHORT);
	CALL(swapcontext(&inside, &outside));
	work(AGAIN * SHORT);
	LEAVE();
}

TIMED void inner()
{
	ENTER(inner);
	for (int i = 0; i < ROUNDS / AGAIN; i++) {
		work(AGAIN * LONG);
		CALL(yield());
	}
	LEAVE();
}

TIMED void outer()
{
	ENTER(outer);
	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof(stack);
	inside.uc_link = &outside;
	makecontext(&inside, inner, 0);
	for (int i = 0; i <= ROUNDS / AGAIN; i++) {
		CALL(swapcontext(&outside, &inside));
		work(AGAIN * MIDDLE);
	}
	LEAVE();
}

/* ---- Children ---- */

static void print()
{
	for (const node &leaf : nodes) {
		const node *path[EACH];
		int depth = 0;

		if (!leaf.function)
			continue;
		for (const node *n = &leaf; n->function; n = &nodes[n->parent])
			path[depth++] = n;
		printf("%d %llu %llu", static_cast<int>(getpid()),
		       static_cast<unsigned long long>(leaf.calls),
		       static_cast<unsigned long long>(leaf.ticks));
		while (depth--)
			printf(" %#llx",
			       static_cast<unsigned long long>(
				       path[depth]->function - __ehdr_start));
		printf("\n");
	}
	fflush(stdout);
}

TIMED void forks()
{
	ENTER(forks);
	work(100 * LONG);
	PAUSE();
	pid_t child = fork();

	GO_ON();
	if (child) {
		waitpid(child, nullptr, 0);
	} else {
		memset(nodes, 0, sizeof(nodes));
		me.node = find(reinterpret_cast<const void *>(forks), 0);
		here = me.node;
		/* the rest of fork() is small in comparison */
		work(1000 * LONG);
	}
	for (int i = 0; i < ROUNDS; i++) {
		work(SHORT);
		CALL(branch(0));
	}
	LEAVE();
}

/* Uses the minimum of several measurements, which contains only the cost. */
static void measure_gap()
{
	place me = { 0, 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 1000; i++) {
		uint64_t before = now();

		PAUSE();
		GO_ON();
		if (me.since - before < least)
			least = me.since - before;
	}
	gap = least / 2; /* the measurement has three readings */
	nodes[0] = {};
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	measure_gap();

	if (!strcmp(mode, "calls"))
		calls();
	else if (!strcmp(mode, "tails"))
		tails();
	else if (!strcmp(mode, "jumps"))
		jumps();
	else if (!strcmp(mode, "throws"))
		throws();
	else if (!strcmp(mode, "threads"))
		threads();
	else if (!strcmp(mode, "coroutines"))
		outer();
	else if (!strcmp(mode, "forks"))
		forks();
	else
		return 2;
	print();
	return 0;
}
