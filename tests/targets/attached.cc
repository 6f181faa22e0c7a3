// SPDX-License-Identifier: MIT
/*
 * The target of `clew attach`. Threads count their calls in memory that the
 * test shares, while the test allows it.
 *
 *	attached SHARED [threads]
 *
 * The first thread waits in the kernel and gets a signal every 10 ms, whose
 * handler makes calls. Every second one of the other threads sleeps between its
 * rounds.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <stdexcept>

#define NOINLINE __attribute__((noinline, noclone, noipa))
#ifdef __clang__
#undef NOINLINE
#define NOINLINE __attribute__((noinline, optnone))
#endif

namespace {

struct Shared {
	volatile uint64_t is_ready, may_go, errors, interruptions;
	volatile uint64_t is_idle[64];
	volatile uint64_t rounds[64], leaves[64], throws[64], jumps[64];
};

Shared *shared;

thread_local int self;

}

extern "C" {

NOINLINE int attached_leaf(int x)
{
	shared->leaves[self] = shared->leaves[self] + 1;
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

NOINLINE int attached_middle(int x)
{
	int sum = attached_leaf(x);

	return sum + attached_leaf(sum);
}

NOINLINE int attached_thrower(int x)
{
	shared->throws[self] = shared->throws[self] + 1;
	if (attached_leaf(x) == x + 1)
		throw std::runtime_error("thrown");
	return x;
}

NOINLINE int attached_catcher(int x)
{
	try {
		return attached_thrower(x);
	} catch (const std::runtime_error &) {
		return x + 1;
	}
}

NOINLINE void attached_jumper(jmp_buf *where, int x)
{
	shared->jumps[self] = shared->jumps[self] + 1;
	attached_leaf(x);
	longjmp(*where, 1);
}

NOINLINE int attached_lander(int x)
{
	jmp_buf where;

	if (!setjmp(where))
		attached_jumper(&where, x);
	return x + 1;
}

NOINLINE int attached_round(int x)
{
	int expected = x, got;

	shared->rounds[self] = shared->rounds[self] + 1;
	got = attached_middle(x);
	if (got != 2 * expected + 3)
		shared->errors = shared->errors + 1;
	if (attached_catcher(x) != x + 1 || attached_lander(x) != x + 1)
		shared->errors = shared->errors + 1;
	return got;
}

static void *run(void *number)
{
	self = (int)(intptr_t)number;
	for (int i = 0;; i = (i + 1) % 1000) {
		while (!shared->may_go) {
			shared->is_idle[self] = 1;
			usleep(200);
		}
		shared->is_idle[self] = 0;
		attached_round(i);
		if (self % 2)
			usleep(500);
	}
	return nullptr;
}

static void on_alarm(int)
{
	shared->is_idle[0] = !shared->may_go;
	if (shared->may_go)
		attached_middle(1);
}
}

int main(int argc, char **argv)
{
	const int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
	const int threads = argc > 2 ? atoi(argv[2]) : 4;
	const struct itimerval every = { { 0, 10000 }, { 0, 10000 } };
	struct sigaction action = {};
	sigset_t alarms, former;

	if (fd < 0 || ftruncate(fd, sizeof(Shared)) != 0 || threads > 63)
		return 2;
	shared = static_cast<Shared *>(mmap(nullptr, sizeof(Shared),
					    PROT_READ | PROT_WRITE, MAP_SHARED,
					    fd, 0));
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarms, &former);
	for (int i = 0; i < threads; i++) {
		pthread_t thread;

		pthread_create(&thread, nullptr, run,
			       reinterpret_cast<void *>(intptr_t{ i + 1 }));
	}
	pthread_sigmask(SIG_SETMASK, &former, nullptr);
	action.sa_handler = on_alarm;
	sigaction(SIGALRM, &action, nullptr);
	setitimer(ITIMER_REAL, &every, nullptr);
	shared->is_ready = 1;
	for (;;) {
		pause();
		shared->interruptions = shared->interruptions + 1;
	}
}
