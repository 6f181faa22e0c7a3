/* SPDX-License-Identifier: MIT */
/*
 * switches WHERE: coroutines that switch by instructions inside functions,
 * which clew cannot find. Code after a switch calls in wrong contexts until it
 * returns. The coroutines' stacks are from malloc() (WHERE is "heap"), from
 * mmap() ("mapped"), or in the program's data ("data").
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <string.h>
#include <sys/mman.h>

#define COROUTINES  12
#define ROUNDS      60
#define STACK_BYTES 65536

struct coroutine {
	void *sp;
	unsigned int seed;
	int is_done;
};

static struct coroutine coroutines[COROUTINES], main_coroutine;
static struct coroutine *running;
static char data[COROUTINES][STACK_BYTES] __attribute__((aligned(4096)));
static volatile int sum;

/*
 * Switches below the red zone: saves sp and registers that cannot be declared
 * as clobbered.
 */
TRUTH_INLINE void switch_to(struct coroutine *from, struct coroutine *to)
{
	const uint32_t here = TRUTH_HERE;

	__asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
			 "push %%rbp\n\t"
			 "push %%rbx\n\t"
			 "lea 1f(%%rip), %%rax\n\t"
			 "push %%rax\n\t"
			 "mov %%rsp, (%0)\n\t"
			 "mov (%1), %%rsp\n\t"
			 "pop %%rax\n\t"
			 "jmp *%%rax\n"
			 "1:\n\t"
			 "pop %%rbx\n\t"
			 "pop %%rbp\n\t"
			 "lea 128(%%rsp), %%rsp"
			 : "+D"(from), "+S"(to)
			 :
			 : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12",
			   "r13", "r14", "r15", "memory", "cc");
	TRUTH_HERE = here;
}

static unsigned int draw(struct coroutine *self)
{
	self->seed = self->seed * 1103515245U + 12345U;
	return self->seed >> 16;
}

static COUNTED void leaf(int n)
{
	ENTER(leaf);
	sum += n;
	LEAVE();
}

static COUNTED void dive(struct coroutine *self, int depth)
{
	ENTER(dive);
	leaf(depth);
	if (depth > 0) {
		dive(self, depth - 1);
		if (draw(self) % 4 == 0)
			switch_to(self, &main_coroutine);
		leaf(1);
	} else {
		switch_to(self, &main_coroutine);
		leaf(2);
	}
	LEAVE();
}

static COUNTED void begin(void)
{
	struct coroutine *const self = running;

	ENTER_ROOT(begin);
	for (int i = 0; i < ROUNDS; i++)
		dive(self, (int)(draw(self) % 6));
	self->is_done = 1;
	switch_to(self, &main_coroutine);
	__builtin_trap();
}

static COUNTED void resume(struct coroutine *to)
{
	ENTER(resume);
	running = to;
	switch_to(&main_coroutine, to);
	LEAVE();
}

static char *stack_of(const char *where, int n)
{
	void *mapped;

	if (!strcmp(where, "data"))
		return data[n];
	if (!strcmp(where, "heap"))
		return malloc(STACK_BYTES);
	mapped = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return mapped == MAP_FAILED ? NULL : mapped;
}

static int make(const char *where, int n)
{
	char *stack = stack_of(where, n);
	uintptr_t *top;

	if (!stack)
		return 0;
	top = (uintptr_t *)(((uintptr_t)stack + STACK_BYTES - 64) &
			    ~(uintptr_t)15);
	*--top = 0; /* begin() has no caller */
	*--top = (uintptr_t)begin;
	coroutines[n].sp = top;
	coroutines[n].seed = (unsigned int)n * 77 + 1;
	return 1;
}

static COUNTED void run(void)
{
	int left = COROUTINES;

	ENTER(run);
	while (left > 0)
		for (int i = 0; i < COROUTINES; i++) {
			if (coroutines[i].is_done)
				continue;
			resume(&coroutines[i]);
			left -= coroutines[i].is_done;
		}
	LEAVE();
}

int main(int argc, char **argv)
{
	for (int i = 0; i < COROUTINES; i++)
		if (!make(argc > 1 ? argv[1] : "mapped", i))
			return 1;
	run();
	printf("%d\n", sum);
	fflush(stdout);
	truth_write();
	return 0;
}
