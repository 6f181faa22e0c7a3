/* SPDX-License-Identifier: MIT */
/*
 * Whether what is being recorded has as many calls as were asked for. What processes
 * count in is read, as clew status does: they do nothing for it.
 */
#ifndef CLEW_CLI_RECORDING_CALL_LIMIT_H
#define CLEW_CLI_RECORDING_CALL_LIMIT_H

#include <stddef.h>
#include <stdint.h>

struct call_limit {
	uint64_t calls;       /* 0: there is none */
	char *const *folders; /* in which it is counted */
	size_t folder_count;
	uint64_t start_ns, next_ns;
};

/* From now on, when nothing has been counted yet. */
void call_limit_begin(struct call_limit *limit, char *const *folders,
		      size_t folder_count);

/* In how many milliseconds to ask again, at most; -1: never. 0 if it is reached. */
int call_limit_look(struct call_limit *limit);

#endif
