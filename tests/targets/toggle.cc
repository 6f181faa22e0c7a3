/* SPDX-License-Identifier: MIT */
/*
 * A program whose hooks are removed and set while it is busy.
 *
 *	toggle CASE [ROUNDS]
 *
 * Threads check their results. The program aborts if one is wrong, and prints
 * an error if a hook could not be changed. Without clew it does the same work
 * and changes nothing.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>

#include "agent/clew.h"

namespace
{

constexpr int THREADS = 8;
constexpr int DEPTH = 12;

std::atomic<bool> is_over;
bool counts = true; /* changed only while no thread calls */
decltype(&clew_hook) hook, unhook;

#define COUNT_IF(f)                                                            \
	do {                                                                   \
		if (counts)                                                    \
			COUNT(f);                                              \
	} while (0)

void check(bool is_right)
{
	if (!is_right)
		abort();
}

/* ---- Work: recursion, tail calls, exceptions, jumps ---- */

COUNTED int fib(int n)
{
	COUNT_IF(fib);
	if (n < 2)
		return n;
	/* volatile, here and below, or calls would become loops */
	volatile int sum = fib(n - 1) + fib(n - 2);
	return sum;
}

COUNTED int is_odd(int n);

COUNTED int is_even(int n)
{
	COUNT_IF(is_even);
	return n ? is_odd(n - 1) : 1;
}

COUNTED int is_odd(int n)
{
	COUNT_IF(is_odd);
	return n ? is_even(n - 1) : 0;
}

COUNTED int throws(int depth)
{
	COUNT_IF(throws);
	if (!depth)
		throw DEPTH;
	volatile int sum = throws(depth - 1) + 1;
	return sum;
}

COUNTED int catches()
{
	COUNT_IF(catches);
	try {
		return throws(DEPTH);
	} catch (int thrown) {
		return thrown;
	}
}

COUNTED int jumps_from(jmp_buf &there, int depth)
{
	COUNT_IF(jumps_from);
	if (depth == 1)
		longjmp(there, DEPTH);
	volatile int sum = depth ? jumps_from(there, depth - 1) + 1 : 0;
	return sum;
}

COUNTED int jumps()
{
	jmp_buf here;

	COUNT_IF(jumps);
	if (int value = setjmp(here))
		return value;
	return jumps_from(here, DEPTH);
}

COUNTED void work()
{
	COUNT_IF(work);
	check(fib(DEPTH) == 144);
	check(is_even(2 * DEPTH) == 1);
	check(catches() == DEPTH);
	check(jumps() == DEPTH);
}

/* A handler that also works, at any point. */
COUNTED void on_tick(int)
{
	int saved_errno = errno;

	COUNT_IF(on_tick);
	check(fib(5) == 5);
	check(is_odd(7) == 1);
	errno = saved_errno;
}

void *works(void *)
{
	do
		work();
	while (!is_over);
	return nullptr;
}

/* ---- Other threads of the process ---- */

void block_all(int how)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(how, &all, nullptr);
}

/* A thread that no signal of the program interrupts. */
void *sleeps(void *)
{
	sigset_t tick;

	sigemptyset(&tick);
	sigaddset(&tick, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &tick, nullptr);
	do {
		timespec moment = { 0, 100000 };

		check(nanosleep(&moment, nullptr) == 0);
		check(poll(nullptr, 0, 1) == 0);
	} while (!is_over);
	return nullptr;
}

/* Blocks all signals, and waits for one that was blocked before. */
void *waits(void *)
{
	sigset_t usr1;
	int signal;

	block_all(SIG_BLOCK);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	do {
		check(fib(5) == 5);
		check(sigwait(&usr1, &signal) == 0 && signal == SIGUSR1);
	} while (!is_over);
	return nullptr;
}

/* Blocks all signals, and works. */
void *works_blocked(void *unused)
{
	block_all(SIG_BLOCK);
	return works(unused);
}

/* Threads that end at once. */
void *works_once(void *)
{
	check(fib(5) == 5);
	return nullptr;
}

void *storms(void *)
{
	do {
		pthread_t threads[4];

		for (pthread_t &thread : threads)
			check(!pthread_create(&thread, nullptr, works_once,
					      nullptr));
		for (pthread_t thread : threads)
			pthread_join(thread, nullptr);
	} while (!is_over);
	return nullptr;
}

void *forks(void *)
{
	do {
		pid_t child = fork();
		int status;

		if (!child) {
			work();
			_exit(7);
		}
		check(waitpid(child, &status, 0) == child);
		check(WIFEXITED(status) && WEXITSTATUS(status) == 7);
		child = vfork();
		if (!child)
			_exit(fib(5));
		check(waitpid(child, &status, 0) == child);
		check(WIFEXITED(status) && WEXITSTATUS(status) == 5);
	} while (!is_over);
	return nullptr;
}

/* ---- Changing hooks ---- */

void change(int (*how)(void), const char *name)
{
	int err;

	do
		err = how ? how() : 0;
	while (err == -EBUSY); /* the computer is busy */
	if (err) {
		fprintf(stderr, "%s: %s\n", name, strerror(-err));
		exit(1);
	}
}

void toggle(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		change(unhook, "unhook");
		change(hook, "hook");
	}
}

void start(pthread_t *thread, void *(*what)(void *))
{
	check(!pthread_create(thread, nullptr, what, nullptr));
}

/* Runs threads that all do `what`, beside the busy ones. */
void toggle_beside(void *(*what)(void *), int rounds)
{
	pthread_t threads[THREADS];
	sigset_t usr1;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
	for (int i = 0; i < THREADS; i++)
		start(&threads[i], i < THREADS / 2 ? what : works);
	toggle(rounds);
	is_over = true;
	for (int i = 0; i < THREADS; i++) {
		if (what == waits && i < THREADS / 2)
			pthread_kill(threads[i], SIGUSR1);
		pthread_join(threads[i], nullptr);
	}
}

void all(int rounds)
{
	struct sigaction action = {};
	const timer_t none = {};
	timer_t timer = none;
	itimerspec often = { { 0, 1000000 }, { 0, 1000000 } };

	action.sa_handler = on_tick;
	sigaction(SIGALRM, &action, nullptr);
	check(!timer_create(CLOCK_MONOTONIC, nullptr, &timer));
	check(!timer_settime(timer, 0, &often, nullptr));
	toggle_beside(works, rounds);
	timer_delete(timer);
}

/* Counts must be exact between two changes of the hooks. */
void exact(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		pthread_t threads[2];

		counts = i % 2 == 0;
		is_over = true;
		for (pthread_t &thread : threads)
			start(&thread, works);
		for (pthread_t thread : threads)
			pthread_join(thread, nullptr);
		if (counts)
			change(unhook, "unhook");
		else
			change(hook, "hook");
	}
	counts = true;
}

/*
 * A thread that receives no signal, never sleeps, and calls no hooked function.
 */
std::atomic<bool> is_spinning;
int is_spun; /* an atomic's operators are functions at -O0 */

void *spins(void *)
{
	block_all(SIG_BLOCK);
	is_spinning = true;
	while (!__atomic_load_n(&is_spun, __ATOMIC_RELAXED))
		;
	return nullptr;
}

void stubborn(int)
{
	pthread_t thread;

	change(unhook, "unhook");
	start(&thread, spins);
	while (!is_spinning)
		sched_yield();
	printf("%s\n", !hook || hook() == -EBUSY ? "busy" : "changed");
	counts = false;
	work();
	__atomic_store_n(&is_spun, 1, __ATOMIC_RELAXED);
	pthread_join(thread, nullptr);
	change(hook, "hook");
	counts = true;
	work();
}

/* A handler may change hooks also, which excludes other changes. */
void from_handler(int)
{
	toggle(1);
}

void in_handler(int rounds)
{
	signal(SIGUSR2, from_handler);
	for (int i = 0; i < rounds; i++)
		raise(SIGUSR2);
	work();
}

const struct {
	const char *name;
	void (*run)(int rounds);
} cases[] = {
	{ "all", all },
	{ "exact", exact },
	{ "stubborn", stubborn },
	{ "handler", in_handler },
	{ "sleepers", [](int rounds) { toggle_beside(sleeps, rounds); } },
	{ "waiters", [](int rounds) { toggle_beside(waits, rounds); } },
	{ "blocked", [](int rounds) { toggle_beside(works_blocked, rounds); } },
	{ "storm", [](int rounds) { toggle_beside(storms, rounds); } },
	{ "forks", [](int rounds) { toggle_beside(forks, rounds); } },
};

} // namespace

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[2]) : 50;

	*(void **)&hook = dlsym(RTLD_DEFAULT, "clew_hook");
	*(void **)&unhook = dlsym(RTLD_DEFAULT, "clew_unhook");
	for (const auto &one : cases)
		if (argc > 1 && !strcmp(argv[1], one.name))
			one.run(rounds);
	printf("done\n");
	truth_write();
	return 0;
}
