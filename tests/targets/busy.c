/* SPDX-License-Identifier: MIT */
/*
 * The target of `clew attach --budget`. Threads, and handlers that also block
 * SIGTRAP, call one function all the time and check that clew has no visible
 * effect.
 *
 *	busy SHARED
 *
 * In memory that the test shares it counts its calls, and how often the
 * function was hooked and then unhooked.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))
#ifdef __clang__
#undef NOINLINE
#define NOINLINE __attribute__((noinline, optnone))
#endif

#define CALLS           20000
#define FEW             100
#define ROUNDS_OF_CHILD 2000

static struct shared {
	uint64_t is_ready, errors;
	uint64_t rounds, leaves; /* calls of busy_round() and busy_leaf() */
	uint64_t times_out, interruptions;
} * shared;

static void add(uint64_t *to, uint64_t n)
{
	__atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

NOINLINE unsigned long busy_leaf(unsigned long n)
{
	return n * 3 + 1;
}

NOINLINE unsigned long busy_round(unsigned long n, unsigned long calls)
{
	add(&shared->rounds, 1);
	for (unsigned long i = 0; i < calls; i++)
		n = busy_leaf(n);
	add(&shared->leaves, calls);
	return n;
}

/*
 * Checks whether the function begins with a jump, or with a breakpoint, which
 * exists while the jump is written.
 */
static void look_at_leaf(void)
{
	static int was_hooked;
	const unsigned char first =
		*(const volatile unsigned char *)(const void *)busy_leaf;

	if (first == 0xe9)
		was_hooked = 1;
	if (first == 0xe9 || first == 0xcc || !was_hooked)
		return;
	was_hooked = 0;
	add(&shared->times_out, 1);
}

static void on_alarm(int signal)
{
	add(&shared->interruptions, 1);
	add(&shared->errors, busy_round(1, FEW) == 0);
}

/* sigaction() must return the action that the program has set. */
static void check_action(void)
{
	struct sigaction now;

	if (sigaction(SIGALRM, NULL, &now) ||
	    !sigismember(&now.sa_mask, SIGTRAP))
		add(&shared->errors, 1);
}

static void check_mask(void)
{
	sigset_t now;

	if (pthread_sigmask(SIG_SETMASK, NULL, &now) ||
	    !sigismember(&now, SIGTRAP))
		add(&shared->errors, 1);
}

static void pause_for_a_moment(void)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	nanosleep(&moment, NULL);
}

/* Blocks all signals, or only SIGTRAP. */
static void *block(void *is_all)
{
	sigset_t set;

	sigfillset(&set);
	if (!is_all) {
		sigemptyset(&set);
		sigaddset(&set, SIGTRAP);
		sigaddset(&set, SIGALRM);
	}
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	for (;;) {
		add(&shared->errors, busy_round(1, FEW) == 0);
		check_mask();
		pause_for_a_moment();
	}
	return NULL;
}

static void have_child(void)
{
	const pid_t pid = fork();
	int status = -1;

	if (pid == 0)
		_exit(busy_round(1, FEW) == 0);
	waitpid(pid, &status, 0);
	add(&shared->errors, status != 0);
}

static void begin(void)
{
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
	struct sigaction action = { .sa_handler = on_alarm,
				    .sa_flags = SA_RESTART };
	pthread_t thread;

	sigfillset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	pthread_create(&thread, NULL, block, NULL);
	pthread_create(&thread, NULL, block, shared);
	setitimer(ITIMER_REAL, &often, NULL);
}

int main(int argc, char **argv)
{
	const int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
	unsigned long n = 1;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 1;
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		return 1;
	begin();
	for (uint64_t i = 1;; i++) {
		n = busy_round(n, CALLS);
		look_at_leaf();
		check_action();
		if (i % ROUNDS_OF_CHILD == 0)
			have_child();
		shared->is_ready = 1 + n / 2;
	}
}
