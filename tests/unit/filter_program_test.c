/* SPDX-License-Identifier: MIT */
#include "tests/unit/unit.h"

#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>

#include "cli/target/filter_program.h"
#include "machine/elf_numbers.h"

#define COUNT(array)     (sizeof(array) / sizeof(*(array)))
#define NUMBER_AT        offsetof(struct seccomp_data, nr)
#define ARCH_AT          offsetof(struct seccomp_data, arch)
#define ARGUMENT_AT(i)   (offsetof(struct seccomp_data, args) + 8 * (i))
#define LOAD(offset)     BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define IF(op, value, n) BPF_JUMP(BPF_JMP | (op) | BPF_K, value, 0, n)
#define RETURN(action)   BPF_STMT(BPF_RET | BPF_K, action)

enum { MMAP = 9, READ = 0, PROGRAMS = 20000, LENGTH_MAX = 40 };

/* Denies mmap with PROT_EXEC and PROT_WRITE; kills at other architectures. */
static const struct sock_filter no_wx[] = {
	LOAD(ARCH_AT),
	IF(BPF_JEQ, MACHINE_AUDIT, 6),
	LOAD(NUMBER_AT),
	IF(BPF_JEQ, MMAP, 5),
	LOAD(ARGUMENT_AT(2)),
	BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 6),
	IF(BPF_JEQ, 6, 2),
	RETURN(SECCOMP_RET_ERRNO | 1),
	RETURN(SECCOMP_RET_KILL_PROCESS),
	RETURN(SECCOMP_RET_ALLOW),
};

static uint32_t action_of(const struct sock_filter *program, size_t count,
			  int number, int known, uint64_t value)
{
	return filter_program_action(
		program, count,
		&(struct filtered_call){ number, known, value, 0 });
}

static void known_arguments_are_compared(void **state)
{
	(void)state;
	assert_int_equal(action_of(no_wx, COUNT(no_wx), MMAP, 2, 5),
			 SECCOMP_RET_ALLOW);
	assert_int_equal(action_of(no_wx, COUNT(no_wx), MMAP, 2, 7),
			 SECCOMP_RET_ERRNO);
	assert_int_equal(action_of(no_wx, COUNT(no_wx), READ, FILTER_NONE, 0),
			 SECCOMP_RET_ALLOW);
}

static void unknown_arguments_take_both_branches(void **state)
{
	(void)state;
	assert_int_equal(action_of(no_wx, COUNT(no_wx), MMAP, FILTER_NONE, 0),
			 SECCOMP_RET_ERRNO);
	assert_int_equal(action_of(no_wx, COUNT(no_wx), MMAP, 1, 5),
			 SECCOMP_RET_ERRNO);
}

/* The permissions of a file vary, but it is never set-user-id. */
static void known_bits_are_compared(void **state)
{
	static const struct sock_filter program[] = {
		LOAD(ARGUMENT_AT(1)),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 04000),
		IF(BPF_JEQ, 04000, 1),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		LOAD(ARGUMENT_AT(1)),
		IF(BPF_JSET, 02000, 1),
		RETURN(SECCOMP_RET_TRAP),
		LOAD(ARGUMENT_AT(1)),
		BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 6),
		IF(BPF_JEQ, 8, 1),
		RETURN(SECCOMP_RET_TRACE),
		RETURN(SECCOMP_RET_ALLOW),
	};
	struct filtered_call call = { READ, 1, 0, 0777 };

	(void)state;
	assert_int_equal(filter_program_action(program, COUNT(program), &call),
			 SECCOMP_RET_ALLOW);
	call.varying = 01777;
	assert_int_equal(filter_program_action(program, COUNT(program), &call),
			 SECCOMP_RET_TRACE);
	call.varying = 03777;
	assert_int_equal(filter_program_action(program, COUNT(program), &call),
			 SECCOMP_RET_TRAP);
	call.varying = 07777;
	assert_int_equal(filter_program_action(program, COUNT(program), &call),
			 SECCOMP_RET_KILL_PROCESS);
}

static void both_halves_of_an_argument_are_known(void **state)
{
	static const struct sock_filter program[] = {
		LOAD(ARGUMENT_AT(3) + 4),
		IF(BPF_JEQ, 0x12345678, 1),
		RETURN(SECCOMP_RET_TRAP),
		RETURN(SECCOMP_RET_ALLOW),
	};

	(void)state;
	assert_int_equal(action_of(program, COUNT(program), READ, 3,
				   UINT64_C(0x12345678) << 32),
			 SECCOMP_RET_TRAP);
	assert_int_equal(action_of(program, COUNT(program), READ, 3,
				   UINT64_C(0x12345678)),
			 SECCOMP_RET_ALLOW);
}

static void the_action_that_the_kernel_takes_is_worse(void **state)
{
	static const uint32_t actions[] = {
		SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_THREAD,
		SECCOMP_RET_TRAP,         SECCOMP_RET_ERRNO,
		SECCOMP_RET_USER_NOTIF,   SECCOMP_RET_TRACE,
		SECCOMP_RET_LOG,          SECCOMP_RET_ALLOW,
	};

	(void)state;
	for (size_t i = 0; i + 1 < COUNT(actions); i++) {
		assert_int_equal(
			filter_worse_action(actions[i], actions[i + 1]),
			actions[i]);
		assert_int_equal(
			filter_worse_action(actions[i + 1], actions[i]),
			actions[i]);
	}
}

/* 60 comparisons with unknown arguments have 2^60 paths. */
static void programs_with_too_many_paths_kill(void **state)
{
	struct sock_filter program[3 * 60 + 1];

	(void)state;
	for (size_t i = 0; i < 60; i++) {
		program[3 * i] = (struct sock_filter)LOAD(ARGUMENT_AT(0));
		program[3 * i + 1] =
			(struct sock_filter)IF(BPF_JEQ, (uint32_t)i, 1);
		program[3 * i + 2] = (struct sock_filter)BPF_STMT(
			BPF_ALU | BPF_ADD | BPF_K, 1);
	}
	program[180] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	assert_int_equal(action_of(program, 181, READ, FILTER_NONE, 0),
			 SECCOMP_RET_KILL_PROCESS);
}

/* ---- Random programs, compared with a plain interpreter ---- */

/* Executes an accepted program with all its input. */
static uint32_t interpreted(const struct sock_filter *program,
			    const struct seccomp_data *data)
{
	uint32_t a = 0, x = 0, memory[BPF_MEMWORDS] = { 0 };

	for (size_t i = 0;; i++) {
		const struct sock_filter *one = &program[i];
		const uint32_t k = one->k;

		switch (one->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			memcpy(&a, (const char *)data + k, sizeof(a));
			break;
		case BPF_LD | BPF_IMM:
			a = k;
			break;
		case BPF_LD | BPF_MEM:
			a = memory[k];
			break;
		case BPF_ST:
			memory[k] = a;
			break;
		case BPF_MISC | BPF_TAX:
			x = a;
			break;
		case BPF_MISC | BPF_TXA:
			a = x;
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= k;
			break;
		case BPF_ALU | BPF_ADD | BPF_X:
			a += x;
			break;
		case BPF_ALU | BPF_RSH | BPF_K:
			a >>= k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			i += a == k ? one->jt : one->jf;
			break;
		case BPF_JMP | BPF_JGT | BPF_X:
			i += a > x ? one->jt : one->jf;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			i += a & k ? one->jt : one->jf;
			break;
		case BPF_JMP | BPF_JA:
			i += k;
			break;
		default:
			return k & SECCOMP_RET_ACTION_FULL;
		}
	}
}

static uint32_t below(uint32_t limit)
{
	return (uint32_t)rand() % limit;
}

/* Fills the program, of which the last two instructions return. */
static void make_program(struct sock_filter *program, uint32_t count)
{
	static const uint16_t codes[] = {
		BPF_LD | BPF_W | BPF_ABS,
		BPF_LD | BPF_W | BPF_ABS,
		BPF_LD | BPF_IMM,
		BPF_LD | BPF_MEM,
		BPF_ST,
		BPF_MISC | BPF_TAX,
		BPF_MISC | BPF_TXA,
		BPF_ALU | BPF_AND | BPF_K,
		BPF_ALU | BPF_ADD | BPF_X,
		BPF_ALU | BPF_RSH | BPF_K,
		BPF_JMP | BPF_JEQ | BPF_K,
		BPF_JMP | BPF_JEQ | BPF_K,
		BPF_JMP | BPF_JGT | BPF_X,
		BPF_JMP | BPF_JSET | BPF_K,
		BPF_JMP | BPF_JA,
		BPF_RET | BPF_K,
	};
	static const uint32_t actions[] = { SECCOMP_RET_ALLOW,
					    SECCOMP_RET_ERRNO,
					    SECCOMP_RET_KILL_PROCESS,
					    SECCOMP_RET_LOG };

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t left = count - i - 1;
		struct sock_filter *one = &program[i];

		*one = (struct sock_filter){
			.code = left < 2 ? BPF_RET | BPF_K
					 : codes[below(COUNT(codes))],
			.k = below(4),
		};
		if (BPF_CLASS(one->code) == BPF_RET)
			one->k = actions[below(COUNT(actions))];
		else if (one->code == (BPF_LD | BPF_W | BPF_ABS))
			one->k = 4 * below(sizeof(struct seccomp_data) / 4);
		else if (one->code == (BPF_JMP | BPF_JA))
			one->k = below(left);
		else if (BPF_CLASS(one->code) == BPF_JMP) {
			one->jt = (uint8_t)below(left);
			one->jf = (uint8_t)below(left);
		}
	}
}

/*
 * Returns how often the result was the action itself, to show that it is not
 * always the worst one.
 */
static int compare_one(void)
{
	struct sock_filter program[LENGTH_MAX];
	const uint32_t count = 2 + below(LENGTH_MAX - 2);
	struct seccomp_data data = { .arch = MACHINE_AUDIT };
	const int known = (int)below(FILTER_ARGUMENTS);
	struct filtered_call call = { (int)below(4), known, 0, 0 };
	uint32_t action, found;

	make_program(program, count);
	for (size_t i = 0; i < FILTER_ARGUMENTS; i++)
		data.args[i] = below(4) | (uint64_t)below(2) << 32;
	data.instruction_pointer = below(4);
	data.nr = call.number;
	action = interpreted(program, &data);
	call.varying = below(4);
	call.value = data.args[known] & ~call.varying;
	found = filter_program_action(program, count, &call);
	assert_int_equal(filter_worse_action(found, action), found);
	return found == action;
}

static void no_action_is_worse_than_the_result(void **state)
{
	int same = 0;

	(void)state;
	srand(1);
	for (int i = 0; i < PROGRAMS; i++)
		same += compare_one();
	assert_in_range(same, PROGRAMS / 2, PROGRAMS - 1);
}

static void any_bytes_are_survived(void **state)
{
	struct sock_filter program[LENGTH_MAX];

	(void)state;
	srand(2);
	for (int i = 0; i < PROGRAMS; i++) {
		for (size_t k = 0; k < sizeof(program); k++)
			((uint8_t *)program)[k] = (uint8_t)rand();
		action_of(program, below(LENGTH_MAX + 1), MMAP,
			  (int)below(FILTER_ARGUMENTS), below(4));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_arguments_are_compared),
		cmocka_unit_test(unknown_arguments_take_both_branches),
		cmocka_unit_test(known_bits_are_compared),
		cmocka_unit_test(both_halves_of_an_argument_are_known),
		cmocka_unit_test(the_action_that_the_kernel_takes_is_worse),
		cmocka_unit_test(programs_with_too_many_paths_kill),
		cmocka_unit_test(no_action_is_worse_than_the_result),
		cmocka_unit_test(any_bytes_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
