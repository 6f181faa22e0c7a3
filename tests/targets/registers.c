/* SPDX-License-Identifier: MIT */
/*
 * Every register must arrive at a callee as the caller set it, and return as
 * the callee set it: all general registers, the flags on return, all xmm
 * registers. Checked in known contexts, in new ones, while tables grow, below
 * tail calls, in threads, and in handlers on a stack in .bss.
 */
#define TRUTH_MAIN
#include "tests/targets/registers.h"
#include "tests/targets/truth.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#define RSP    4
#define ROUNDS 20000
#define LEVELS 3000

static void (*const callees[])(void) = {
	torture_plain, torture_endbr,  torture_rip_relative,
	torture_tail,  torture_branch, torture_tail_indirect,
	torture_nops,  torture_stack,  torture_call_first,
};
#define CALLEES (sizeof(callees) / sizeof(callees[0]))

static const char *const names[] = {
	"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
	"r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15",
};

static int errors;

static uint64_t random_next(uint64_t *seed)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static void randomize(struct state *state, uint64_t *seed)
{
	for (int i = 0; i < GPRS; i++)
		state->gpr[i] = random_next(seed);
	for (int i = 0; i < XMMS; i++) {
		state->xmm[i][0] = random_next(seed);
		state->xmm[i][1] = random_next(seed);
	}
	state->flags = random_next(seed) & ARITHMETIC;
}

static void complain(const char *where, const char *what, size_t callee)
{
	/* one error fails the test, a few explain it */
	if (__atomic_fetch_add(&errors, 1, __ATOMIC_RELAXED) < 20)
		printf("callee %zu: %s differs %s\n", callee, what, where);
}

static void compare(const struct state *set, const struct state *seen,
		    const char *where, size_t callee)
{
	for (int i = 0; i < GPRS; i++)
		if (i != RSP && set->gpr[i] != seen->gpr[i])
			complain(where, names[i], callee);
	if (memcmp(set->xmm, seen->xmm, sizeof(set->xmm)) != 0)
		complain(where, "an xmm register", callee);
}

static void check(uint64_t *seed, size_t callee)
{
	randomize(&torture_given, seed);
	randomize(&torture_reply, seed);
	torture_callee = (void *)(uintptr_t)callees[callee];
	torture_call();
	compare(&torture_given, &torture_found, "at entry", callee);
	compare(&torture_reply, &torture_result, "on return", callee);
	if ((torture_reply.flags ^ torture_result.flags) & ARITHMETIC)
		complain("on return", "a flag", callee);
	if (torture_found.rsp + sizeof(void *) != torture_given.rsp)
		complain("at entry", "rsp", callee);
	if (torture_result.rsp != torture_given.rsp)
		complain("on return", "rsp", callee);
}

/* Every level is a new context for all callees. */
static COUNTED int descend(int levels, uint64_t *seed)
{
	for (size_t i = 0; i < CALLEES; i++)
		check(seed, i);
	return levels ? descend(levels - 1, seed) + 1 : 0;
}

static COUNTED void *run(void *argument)
{
	uint64_t seed = (uint64_t)(uintptr_t)argument;

	for (int i = 0; i < ROUNDS; i++)
		check(&seed, random_next(&seed) % CALLEES);
	return (void *)(uintptr_t)descend(LEVELS, &seed);
}

static COUNTED void on_signal(int signal)
{
	uint64_t seed = (uint64_t)signal;

	for (int i = 0; i < ROUNDS; i++)
		check(&seed, random_next(&seed) % CALLEES);
	descend(20, &seed);
}

int main(void)
{
	static char alternate[64 * 1024];
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	struct sigaction action;
	pthread_t threads[3];

	run((void *)1);
	for (uintptr_t i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)(i + 2)))
			return 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	action.sa_flags = SA_ONSTACK;
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);

	printf("errors %d\n", errors);
	return errors ? 1 : 0;
}
