/* SPDX-License-Identifier: MIT */
/*
 * What is on the stacks of a thread: where signals have interrupted it, and
 * any words at all.
 *
 * Memory is read by a system call that fails where nothing is mapped, so that
 * stacks of other threads may be read while these run and go.
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
 * What is read of a stack at once where there is room for it, else less; and pages
 * of shadow of which mincore() tells at once, a byte each.
 */
#define STACKS_WORDS_BYTES (UINT64_C(1) << 16)
#define STACKS_PAGES       (UINT64_C(1) << 14)
#define STACKS_ROOM_BYTES  (STACKS_WORDS_BYTES + STACKS_PAGES)

/* Readable memory, in order. */
struct stacks {
	int pid; /* of this process */
	uint32_t count;
	uint64_t *room; /* STACKS_ROOM_BYTES, for one walk at a time; or NULL */
	struct memory_range ranges[STACKS_RANGE_MAX];
};

/* Look what is mapped now; the room stays. 0; -EOVERFLOW: too much; or -errno. */
int stacks_init(struct stacks *stacks);

/*
 * Call look for each word from sp to the end of that stack (is_pc false; at is
 * where it stands), and for each pc to which a signal handler on it will return (is_pc true); go on
 * likewise where these were interrupted, if that was on other stacks. Stops at
 * the first answer that is not 0, and returns it. Safe in signal handlers.
 */
int stacks_walk(const struct stacks *stacks, uint64_t sp,
		int (*look)(const void *context, uint64_t at, uint64_t word,
			    int is_pc),
		const void *context);

#endif
