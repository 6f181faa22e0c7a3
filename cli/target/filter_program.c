/* SPDX-License-Identifier: MIT */
/*
 * See filter_program.h. Bits of a register or word that depend on an unknown
 * argument are unknown; a comparison that they decide takes both branches.
 * Jumps only lead forward, so each path ends. Filters compare few arguments of
 * one call, but a hostile one could have many paths: their instructions are
 * limited.
 */
#include "cli/target/filter_program.h"

#include <linux/seccomp.h>
#include <stdlib.h>

#include "machine/elf_numbers.h"

enum { STEPS_MAX = 200000 };

/* A word of which only some bits are known. */
struct word {
	uint32_t value; /* 0 in unknown bits */
	uint32_t known; /* mask of the known bits */
};

static const struct word unknown;

struct filter_state {
	struct word a, x, memory[BPF_MEMWORDS];
	size_t at; /* index of the next instruction */
};

struct evaluation {
	const struct sock_filter *program;
	size_t count;
	const struct filtered_call *call;
	unsigned int steps;
	uint32_t worst;
};

uint32_t filter_worse_action(uint32_t one, uint32_t other)
{
	/* The kernel compares them as signed numbers: KILL_PROCESS is least. */
	return (int32_t)one < (int32_t)other ? one : other;
}

static struct word known(uint32_t value)
{
	return (struct word){ .value = value, .known = UINT32_MAX };
}

/* Returns the word of struct seccomp_data at this offset. */
static struct word input(const struct evaluation *evaluation, uint32_t offset)
{
	const struct filtered_call *call = evaluation->call;
	const uint32_t arguments = offsetof(struct seccomp_data, args);
	uint32_t index;

	if (offset == offsetof(struct seccomp_data, nr))
		return known((uint32_t)call->number);
	if (offset == offsetof(struct seccomp_data, arch))
		return known(MACHINE_AUDIT);
	index = (offset - arguments) / 8;
	if (offset < arguments || (int)index != call->known)
		return unknown;
	index = 8 * (offset & 4);
	return (struct word){
		.value = (uint32_t)((call->value & ~call->varying) >> index),
		.known = (uint32_t)(~call->varying >> index),
	};
}

static int is_whole(struct word word)
{
	return word.known == UINT32_MAX;
}

/* Returns the bits that may be 1. */
static uint32_t possible(struct word word)
{
	return word.value | ~word.known;
}

/* Returns a word whose bits are known where its two bounds are equal. */
static struct word between(uint32_t least, uint32_t most)
{
	return (struct word){ .value = least, .known = least | ~most };
}

static struct word shifted(uint16_t code, struct word word, uint32_t bits)
{
	const uint32_t least = word.value, most = possible(word);

	if (bits >= 32)
		return known(0);
	return BPF_OP(code) == BPF_LSH ? between(least << bits, most << bits)
				       : between(least >> bits, most >> bits);
}

static struct word calculated(uint16_t code, uint32_t a, uint32_t b)
{
	switch (BPF_OP(code)) {
	case BPF_ADD:
		return known(a + b);
	case BPF_SUB:
		return known(a - b);
	case BPF_MUL:
		return known(a * b);
	case BPF_DIV:
		return known(b ? a / b : 0);
	case BPF_XOR:
		return known(a ^ b);
	default:
		return known(0U - a);
	}
}

static struct word computed(uint16_t code, struct word left, struct word right)
{
	switch (BPF_OP(code)) {
	case BPF_AND:
		return between(left.value & right.value,
			       possible(left) & possible(right));
	case BPF_OR:
		return between(left.value | right.value,
			       possible(left) | possible(right));
	case BPF_LSH:
	case BPF_RSH:
		return is_whole(right) ? shifted(code, left, right.value)
				       : unknown;
	default:
		return is_whole(left) && (is_whole(right) ||
					  BPF_OP(code) == BPF_NEG)
			       ? calculated(code, left.value, right.value)
			       : unknown;
	}
}

enum comparison_result { FALSE, TRUE, EITHER };

static enum comparison_result compared(uint16_t code, struct word a,
				       struct word b)
{
	const int are_whole = is_whole(a) && is_whole(b);

	switch (BPF_OP(code)) {
	case BPF_JEQ:
		if ((a.value ^ b.value) & a.known & b.known)
			return FALSE;
		return are_whole ? TRUE : EITHER;
	case BPF_JGT:
		return are_whole ? a.value > b.value : EITHER;
	case BPF_JGE:
		return are_whole ? a.value >= b.value : EITHER;
	default:
		if (a.value & b.value)
			return TRUE;
		return possible(a) & possible(b) ? EITHER : FALSE;
	}
}

static void run(struct evaluation *evaluation, struct filter_state state);

static void jump(struct evaluation *evaluation, struct filter_state *state,
		 const struct sock_filter *one)
{
	const struct word right =
		BPF_SRC(one->code) == BPF_X ? state->x : known(one->k);
	struct filter_state other = *state;

	if (BPF_OP(one->code) == BPF_JA) {
		state->at += one->k;
		return;
	}
	switch (compared(one->code, state->a, right)) {
	case TRUE:
		state->at += one->jt;
		return;
	case EITHER:
		other.at += one->jt;
		run(evaluation, other);
		/* fall through */
	default:
		state->at += one->jf;
	}
}

static void load(const struct evaluation *evaluation, struct word *to,
		 const struct filter_state *state,
		 const struct sock_filter *one)
{
	switch (BPF_MODE(one->code)) {
	case BPF_IMM:
		*to = known(one->k);
		break;
	case BPF_LEN:
		*to = known(sizeof(struct seccomp_data));
		break;
	case BPF_MEM:
		*to = state->memory[one->k % BPF_MEMWORDS];
		break;
	default:
		*to = input(evaluation, one->k);
	}
}

/* Executes all but jumps and returns. Returns 0 for an invalid instruction. */
static int compute(const struct evaluation *evaluation,
		   struct filter_state *state, const struct sock_filter *one)
{
	switch (BPF_CLASS(one->code)) {
	case BPF_LD:
		load(evaluation, &state->a, state, one);
		return 1;
	case BPF_LDX:
		load(evaluation, &state->x, state, one);
		return 1;
	case BPF_ST:
		state->memory[one->k % BPF_MEMWORDS] = state->a;
		return 1;
	case BPF_STX:
		state->memory[one->k % BPF_MEMWORDS] = state->x;
		return 1;
	case BPF_ALU:
		state->a = computed(
			one->code, state->a,
			BPF_SRC(one->code) == BPF_X ? state->x : known(one->k));
		return 1;
	case BPF_MISC:
		if (BPF_MISCOP(one->code) == BPF_TAX)
			state->x = state->a;
		else
			state->a = state->x;
		return 1;
	default:
		return 0;
	}
}

static void run(struct evaluation *evaluation, struct filter_state state)
{
	while (state.at < evaluation->count &&
	       evaluation->steps++ < STEPS_MAX) {
		const struct sock_filter *one =
			&evaluation->program[state.at++];

		if (BPF_CLASS(one->code) == BPF_JMP) {
			jump(evaluation, &state, one);
			continue;
		}
		if (BPF_CLASS(one->code) == BPF_RET) {
			const struct word action = BPF_RVAL(one->code) == BPF_A
							   ? state.a
							   : known(one->k);

			evaluation->worst = filter_worse_action(
				evaluation->worst,
				is_whole(action)
					? action.value & SECCOMP_RET_ACTION_FULL
					: SECCOMP_RET_KILL_PROCESS);
			return;
		}
		if (!compute(evaluation, &state, one))
			break;
	}
	evaluation->worst = SECCOMP_RET_KILL_PROCESS;
}

uint32_t filter_program_action(const struct sock_filter *program, size_t count,
			       const struct filtered_call *call)
{
	struct evaluation evaluation = { .program = program,
					 .count = count,
					 .call = call,
					 .worst = SECCOMP_RET_ALLOW };

	run(&evaluation, (struct filter_state){ 0 });
	return evaluation.worst;
}
