/* SPDX-License-Identifier: MIT */
/* Declarations that the readers of jitdump records and lines share. */
#ifndef CLEW_SYMBOLIZER_SPACE_JITDUMP_H
#define CLEW_SYMBOLIZER_SPACE_JITDUMP_H

#include <string.h>

#include "symbolizer/a2n.h"
#include "symbolizer/space/feed.h"
#include "symbolizer/space/table.h"

enum {
	/*
	 * Maximum number of stored debug records; about the number of threads
	 * that compile at the same time.
	 */
	JITDUMP_PENDING = 8,
	JITDUMP_DEBUG_BYTES = 32, /* size of a debug record without lines */
};

/* A debug record whose code has not been loaded yet. */
struct jitdump_debug {
	uint64_t address;
	size_t bytes;
	char *record; /* followed by a NUL; NULL: unused */
};

struct jitdump {
	struct feed feed;
	struct a2n_space *space; /* NULL: only determine the bias */
	int is_swapped;
	/*
	 * Number of debug records whose lines all fit into their code only with
	 * the bias, and only without it.
	 */
	uint64_t with_bias;
	uint64_t without_bias;
	/*
	 * Index that the writer has given to code -> id of the code in the
	 * space.
	 */
	struct table ids;
	struct jitdump_debug pending[JITDUMP_PENDING];
	size_t next_pending;
	struct a2n_read read;
};

static inline uint64_t jitdump_u64(const struct jitdump *dump, const void *at)
{
	uint64_t number;

	memcpy(&number, at, sizeof(number));
	return dump->is_swapped ? __builtin_bswap64(number) : number;
}

static inline uint32_t jitdump_u32(const struct jitdump *dump, const void *at)
{
	uint32_t number;

	memcpy(&number, at, sizeof(number));
	return dump->is_swapped ? __builtin_bswap32(number) : number;
}

/*
 * Updates with_bias and without_bias: whether the lines of a record fit into
 * their code only with, or only without the bias.
 */
void jitdump_learn_bias(struct jitdump *dump, const struct jitdump_debug *debug,
			const struct a2n_code *code);

/* Adds the lines to code of the space. Returns 0 or -ENOMEM. */
int jitdump_add_lines(struct jitdump *dump, const struct jitdump_debug *debug,
		      const struct a2n_code *code, uint64_t id);

#endif
