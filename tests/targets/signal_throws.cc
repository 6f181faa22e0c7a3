/* SPDX-License-Identifier: MIT */
/*
 * A handler of SIGSEGV on an alternate stack throws an exception, which the
 * caller of the interrupted function catches. Memory behind that stack cannot
 * be read.
 */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

#define NOINLINE    __attribute__((noinline))
#define STACK_BYTES (size_t{ 1 } << 16)
#define ROUNDS      3

extern "C" {

int *volatile nowhere;

NOINLINE void on_fault(int signal)
{
	throw signal;
}

NOINLINE void faults(int round)
{
	*nowhere = round;
}

/* The compiler cannot know that the function throws nothing by itself. */
void (*volatile interrupted)(int) = faults;

NOINLINE int catches(int round)
{
	try {
		printf("round %d\n", round);
		interrupted(round);
	} catch (int signal) {
		return signal == SIGSEGV;
	}
	return 0;
}
}

static void use_alternate_stack()
{
	void *memory = mmap(nullptr, 2 * STACK_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = {};

	if (memory == MAP_FAILED ||
	    mprotect(static_cast<char *>(memory) + STACK_BYTES, STACK_BYTES,
		     PROT_NONE))
		abort();
	stack.ss_sp = memory;
	stack.ss_size = STACK_BYTES;
	sigaltstack(&stack, nullptr);
}

int main()
{
	struct sigaction action = {};
	int caught = 0;

	use_alternate_stack();
	action.sa_handler = on_fault;
	action.sa_flags = SA_ONSTACK | SA_NODEFER;
	sigaction(SIGSEGV, &action, nullptr);
	for (int round = 0; round < ROUNDS; round++)
		caught += catches(round);
	printf("%d caught\n", caught);
	return 0;
}
