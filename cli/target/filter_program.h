/* SPDX-License-Identifier: MIT */
/*
 * Evaluates a seccomp filter, a program of classic BPF that reads a struct
 * seccomp_data (linux/seccomp.h, linux/filter.h), without all of its input.
 */
#ifndef CLEW_CLI_TARGET_FILTER_PROGRAM_H
#define CLEW_CLI_TARGET_FILTER_PROGRAM_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

enum { FILTER_ARGUMENTS = 6, FILTER_NONE = -1 };

/* A system call of which at most one argument is known. */
struct filtered_call {
	int number;
	int known; /* index of the known argument, or FILTER_NONE */
	uint64_t value;
	uint64_t varying; /* mask of the argument's unknown bits */
};

/*
 * Returns the most severe action (SECCOMP_RET_*, without its data) that the
 * filter can return for the call, whatever the unknown arguments are.
 * SECCOMP_RET_KILL_PROCESS if the program is too long to be evaluated, or has
 * instructions that the kernel does not accept.
 */
uint32_t filter_program_action(const struct sock_filter *program, size_t count,
			       const struct filtered_call *call);

/* Returns the more severe one of two actions. */
uint32_t filter_worse_action(uint32_t one, uint32_t other);

#endif
