/* SPDX-License-Identifier: MIT */
/*
 * Visits the words on a thread's stacks, and the pcs at which signals have
 * interrupted the thread.
 *
 * Memory is read by a system call that fails for unmapped addresses, so stacks
 * of other threads may be read while these threads run and end.
 */
#ifndef CLEW_PATCH_STACKS_H
#define CLEW_PATCH_STACKS_H

#include <stddef.h>
#include <stdint.h>

struct memory_range {
	uint64_t start;
	uint64_t end;
};

#define STACKS_RANGE_MAX 65536

/*
 * Bytes of a stack that are read at once if there is a buffer, and pages of
 * shadow that one system call checks, eight bytes each.
 */
#define STACKS_WORDS_BYTES (UINT64_C(1) << 16)
#define STACKS_PAGES       (UINT64_C(1) << 14)
#define STACKS_ROOM_BYTES  (STACKS_WORDS_BYTES + 8 * STACKS_PAGES)

/* The readable mappings of the process, by address. */
struct stacks {
	int tid; /* the thread that called stacks_init() */
	uint32_t count;
	/* memory of STACKS_ROOM_BYTES bytes for one walk at a time, or NULL */
	uint64_t *room;
	struct memory_range ranges[STACKS_RANGE_MAX];
};

/*
 * Reads the current mappings of the process. `room` is unchanged. Returns 0;
 * -EOVERFLOW if there are too many; -EPERM if a system call filter forbids
 * reading stacks; or another -errno.
 */
int stacks_init(struct stacks *stacks);

/*
 * Calls `visit` for each word from sp to the end of that stack (is_pc false,
 * `at` is the word's address), and for each pc to which a signal handler on it
 * will return (is_pc true). Continues on other stacks that these handlers have
 * interrupted. Stops at the first result that is not 0, and returns it. Safe in
 * signal handlers.
 */
int stacks_walk(const struct stacks *stacks, uint64_t sp,
		int (*visit)(const void *context, uint64_t at, uint64_t word,
			     int is_pc),
		const void *context);

#endif
