// SPDX-License-Identifier: MIT
/*
 * Threads that are inside of functions when `clew attach` attaches: in a
 * recursion, below an exception handler, in a destructor that an exception
 * runs, below a setjmp, in a signal handler on an alternate stack. Each
 * continues when the test allows it, leaves in its own way, and calls again.
 *
 *	inside SHARED
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

#define NOINLINE __attribute__((noinline, noclone, noipa))
#ifdef __clang__
#undef NOINLINE
#define NOINLINE __attribute__((noinline))
#endif

namespace {

struct Shared {
	volatile uint64_t is_ready, may_go, errors, done;
	volatile uint64_t inside; /* number of threads */
};

Shared *shared;

thread_local int is_first = 1;

}

extern "C" {

/* Callers call this last, so that their other calls are no tail calls. */
NOINLINE void inside_leaf()
{
	__asm__ volatile("");
}

NOINLINE void inside_hold()
{
	if (is_first)
		__atomic_fetch_add(&shared->inside, 1, __ATOMIC_SEQ_CST);
	is_first = 0;
	while (!shared->may_go)
		usleep(200);
	__asm__ volatile("");
}

NOINLINE int inside_deep(int n)
{
	int sum = 0;

	if (n)
		sum = inside_deep(n - 1);
	else
		inside_hold();
	inside_leaf();
	return sum + n;
}

NOINLINE int inside_thrower()
{
	inside_hold();
	throw std::runtime_error("thrown");
}

NOINLINE int inside_catcher()
{
	int result = 1;

	try {
		result = inside_thrower();
	} catch (const std::runtime_error &) {
		inside_leaf();
		result = 7;
	}
	inside_leaf();
	return result;
}

struct Cleaner {
	NOINLINE ~Cleaner();
};

Cleaner::~Cleaner()
{
	inside_hold();
	inside_leaf();
}

NOINLINE int inside_raiser()
{
	throw std::runtime_error("on its way");
}

NOINLINE int inside_cleaned()
{
	Cleaner cleaner;

	return inside_raiser() + 1;
}

NOINLINE int inside_outer()
{
	int result = 1;

	try {
		result = inside_cleaned();
	} catch (const std::runtime_error &) {
		inside_leaf();
		result = 7;
	}
	inside_leaf();
	return result;
}

NOINLINE void inside_jumper(jmp_buf *where)
{
	inside_hold();
	longjmp(*where, 7);
}

NOINLINE int inside_lander()
{
	jmp_buf where;
	volatile int result = 0;

	if ((result = setjmp(where)) == 0)
		inside_jumper(&where);
	inside_leaf();
	return result;
}

NOINLINE void inside_handler(int)
{
	if (inside_deep(2) != 3)
		shared->errors = shared->errors + 1;
}

NOINLINE int inside_signalled()
{
	raise(SIGUSR1);
	inside_leaf();
	return 7;
}

NOINLINE int inside_recursion()
{
	const int sum = inside_deep(20);

	inside_leaf();
	return sum == 210 ? 7 : 0;
}

/* Runs the function twice: its first calls are active when clew attaches. */
NOINLINE void *inside_run(void *function)
{
	static char stacks[8][65536];
	static int used;
	stack_t stack = {};

	stack.ss_sp = stacks[__atomic_fetch_add(&used, 1, __ATOMIC_SEQ_CST)];
	stack.ss_size = sizeof(stacks[0]);
	sigaltstack(&stack, nullptr);
	for (int i = 0; i < 2; i++)
		if (reinterpret_cast<int (*)()>(function)() != 7)
			shared->errors = shared->errors + 1;
	inside_leaf();
	__atomic_fetch_add(&shared->done, 1, __ATOMIC_SEQ_CST);
	return nullptr;
}
}

int main(int argc, char **argv)
{
	static int (*const functions[])() = { inside_recursion, inside_catcher,
					      inside_outer, inside_lander,
					      inside_signalled };
	const int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
	struct sigaction action = {};

	if (fd < 0 || ftruncate(fd, sizeof(Shared)) != 0)
		return 2;
	shared = static_cast<Shared *>(mmap(nullptr, sizeof(Shared),
					    PROT_READ | PROT_WRITE, MAP_SHARED,
					    fd, 0));
	action.sa_handler = inside_handler;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &action, nullptr);
	for (auto function : functions) {
		pthread_t thread;

		pthread_create(&thread, nullptr, inside_run,
			       reinterpret_cast<void *>(function));
	}
	while (shared->inside < 5)
		usleep(200);
	shared->is_ready = 1;
	inside_run(reinterpret_cast<void *>(inside_recursion));
	for (;;)
		pause();
}
