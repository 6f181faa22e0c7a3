/* SPDX-License-Identifier: MIT */
/*
 * asks: queries clew (agent/clew.h) in every context and compares the answers
 * with the program's own tree of contexts (truth.h): in threads, in handlers,
 * in a forked child, at the end of a thread, and after hooks are removed and
 * set. Prints the number of wrong answers, and whether clew is absent.
 */
#define TRUTH_MAIN
/* Each run adds nodes for its threads, and a fast CPU makes many runs. */
#define TRUTH_NODES (1 << 20)
#include "tests/targets/truth.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "agent/clew.h"

#define DEPTH   5
#define ROUNDS  3
#define THREADS 4
#define ROOM    64

/* The nodes point to the truth's node where a context was first met. */
static struct clew_nodes *nodes, *of_handlers;
static _Atomic long met, errors, interrupts;
static volatile int is_raising;
static uint64_t of_worker;
static const struct truth_node *worker_truth;

#define EXPECT(what)                                                           \
	do {                                                                   \
		if (!(what)) {                                                 \
			errors++;                                              \
			if (getenv("ASKS_TELLS"))                              \
				dprintf(2, "%d: %s\n", __LINE__, #what);       \
		}                                                              \
	} while (0)

static void on_signal(int signal);

TRUTH_INLINE const struct truth_node *caller_of(const struct truth_node *node)
{
	return &truth.nodes[node->parent];
}

extern const char etext[];

/* truth.h does not count the C library, which may be hooked also. */
TRUTH_INLINE int is_ours(const void *function)
{
	return (const char *)function >= __ehdr_start &&
	       (const char *)function < etext;
}

TRUTH_INLINE int is_same(const struct truth_node *a, const struct truth_node *b)
{
	for (; a->function && a->function == b->function; b = caller_of(b))
		a = caller_of(a);
	return a->function == b->function;
}

TRUTH_INLINE void expect_stack(uint64_t id, const struct truth_node *node,
			       int is_running)
{
	struct clew_frame frames[ROOM];
	const int count = clew_stack(id, frames, ROOM);

	EXPECT(count > 0 && count < ROOM);
	EXPECT(clew_depth(id) == (uint32_t)count);
	EXPECT(clew_stack(id, NULL, 0) == count);
	for (int i = 0; i < count; i++, id = clew_parent(id)) {
		const char *site = frames[i].site;
		const char *caller = i + 1 < count ? frames[i + 1].function : 0;

		EXPECT(frames[i].id == id);
		EXPECT(!site == !is_running);
		if (!is_ours(frames[i].function))
			continue;
		if (!node->function) /* main and its callers */
			return;
		EXPECT(frames[i].function == (const void *)node->function);
		/* The return address of a handler is in the C library. */
		EXPECT(!site || !is_ours(caller) ||
		       node->function == (const char *)(uintptr_t)on_signal ||
		       (site > caller && site < caller + 4096));
		node = caller_of(node);
	}
}

TRUTH_INLINE void ask(void)
{
	const struct truth_node *const here = &truth.nodes[TRUTH_HERE], *first;
	const struct clew_here told = clew_context();

	EXPECT(clew_id() == told.id);
	if (!told.flags)
		return;
	EXPECT(told.flags == (CLEW_IS_COUNTED | CLEW_IS_RECORDED));
	first = clew_node(nodes, told.id);
	if (!first) {
		met++;
		first = clew_node_add(nodes, told.id, (void *)here);
		expect_stack(told.id, here, 1);
	}
	EXPECT(is_same(first, here));
}

static COUNTED int left(int depth);

static COUNTED int right(int depth)
{
	volatile int sum = 1;

	ENTER(right);
	ask();
	if (depth > 0)
		sum += left(depth - 1) + right(depth - 1);
	else if (is_raising)
		raise(SIGUSR1);
	ask();
	LEAVE();
	return sum;
}

static COUNTED int left(int depth)
{
	volatile int sum = 0;

	ENTER(left);
	ask();
	if (depth > 0)
		sum += right(depth - 1) + left(depth - 1);
	ask();
	LEAVE();
	return sum;
}

static COUNTED void on_signal(int signal)
{
	ENTER(on_signal);
	is_raising = 0;
	ask();
	left(1);
	ask();
	is_raising = 1;
	LEAVE();
}

/*
 * The timer's signal may interrupt any code, so only the existence of an answer
 * is checked.
 */
static COUNTED void on_timer(int signal)
{
	const int error = errno;
	struct clew_frame frames[ROOM];
	const struct clew_here told = clew_context();

	COUNT(on_timer);
	interrupts++;
	EXPECT(clew_id() == told.id);
	if (told.flags & CLEW_IS_COUNTED) {
		EXPECT(clew_stack(told.id, frames, ROOM) > 0);
		EXPECT(clew_node_add(of_handlers, told.id, &truth));
		EXPECT(clew_node(of_handlers, told.id) == &truth);
	}
	errno = error;
}

static void at_thread_end(void *told)
{
	if (clew_context().flags)
		EXPECT(clew_node(nodes, *(const uint64_t *)told));
}

static COUNTED void *work(void *key)
{
	static _Thread_local uint64_t told;

	ENTER_ROOT(work);
	told = clew_context().id;
	for (int i = 0; i < ROUNDS; i++)
		left(DEPTH);
	if (clew_context().flags) {
		of_worker = told;
		worker_truth = &truth.nodes[TRUTH_HERE];
	}
	pthread_setspecific(*(pthread_key_t *)key, &told);
	ask();
	LEAVE();
	return NULL;
}

static void ask_in_threads(void)
{
	pthread_t threads[THREADS];
	pthread_key_t key;

	pthread_key_create(&key, at_thread_end);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &key);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (of_worker) /* a context that this thread has never been in */
		expect_stack(of_worker, worker_truth, 0);
}

static COUNTED void run(void)
{
	ENTER_ROOT(run);
	for (int i = 0; i < ROUNDS; i++) {
		left(DEPTH);
		is_raising = i == 1;
	}
	LEAVE();
}

static void ask_in_child(void)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		TRUTH_FORKED();
		errors = 0;
		nodes = clew_nodes_new();
		run();
		truth_write();
		_exit(errors != 0);
	}
	EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
}

static void ask_while_a_timer_ticks(void)
{
	struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = { 0 };

	setitimer(ITIMER_REAL, &often, NULL);
	while (interrupts < 20)
		run();
	setitimer(ITIMER_REAL, &never, NULL);
}

static void ask_how_right(void)
{
	struct clew_checks checks;

	EXPECT(!clew_confidence(&checks));
	EXPECT(checks.verified > 0);
	EXPECT(!checks.collisions && !checks.diverged);
	EXPECT(checks.wrong_at_most > 2.9 / (double)checks.verified &&
	       checks.wrong_at_most < 3.1 / (double)checks.verified);
}

static void pause_and_go_on(void)
{
	EXPECT(!clew_unhook());
	EXPECT(!clew_context().flags);
	EXPECT(clew_stack(clew_context().id, NULL, 0) == -ENODEV);
	EXPECT(!clew_hook());
	EXPECT(clew_context().flags & CLEW_IS_COUNTED);
}

int main(int argc, char **argv)
{
	struct sigaction on = { .sa_handler = on_signal };

	nodes = clew_nodes_new();
	of_handlers = clew_nodes_new();
	sigaction(SIGUSR1, &on, NULL);
	on = (struct sigaction){ .sa_handler = on_timer,
				 .sa_flags = SA_RESTART };
	sigaction(SIGALRM, &on, NULL);
	run();
	ask_in_threads();
	ask_in_child();
	ask_while_a_timer_ticks();
	EXPECT(clew_stack(12345, NULL, 0) < 0);
	if (clew_context().flags) {
		ask_how_right();
		pause_and_go_on();
		printf("%ld contexts met, %ld errors\n", met, errors);
	} else {
		EXPECT(clew_stack(0, NULL, 0) == -ENODEV);
		EXPECT(clew_confidence(NULL) == -ENODEV);
		EXPECT(clew_unhook() == -ENODEV && clew_hook() == -ENODEV);
		printf("absent, %ld errors\n", errors);
	}
	fflush(stdout);
	clew_nodes_free(of_handlers);
	clew_nodes_free(nodes);
	truth_write();
	return errors != 0;
}
