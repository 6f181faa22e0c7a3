/* SPDX-License-Identifier: MIT */
/*
 * Functions that consist of a name only: a runtime that generates code gets a
 * number for each of its functions, under which calls count, and announces its
 * name (wire/runtime_records.h).
 *
 * Any thread and any signal handler may call these functions once the
 * recorder's part exists.
 */
#ifndef CLEW_RECORD_FUNCTION_NAMES_H
#define CLEW_RECORD_FUNCTION_NAMES_H

#include "preload/record/numbers.h"
#include "preload/record/part.h"
#include "preload/record/record_stream.h"

/* The facts that are recorded about numbers; each kind has its own chunks. */
enum names_about {
	NAMES_TEXT,   /* WIRE_NAMES */
	NAMES_SOURCE, /* WIRE_SOURCES */
	NAMES_CALLS,  /* WIRE_CALL_PLACES */
	NAMES_COUNT
};

/* Numbers are taken from one range of each kind at a time. */
struct function_names {
	struct lock lock; /* taken before the part's */
	struct number_range *filled[WIRE_RANGE_KIND_COUNT];
	struct number_range *spare; /* memory for further ranges */
	uint32_t spare_count;
	struct record_stream records[NAMES_COUNT];
};

/*
 * Returns a number for a function of this kind and records its name. A name
 * that is added twice gets two numbers. A name longer than WIRE_NAME_BYTES_MAX
 * is cut. Returns 0 if there is no room, no number is left, or system calls are
 * filtered.
 */
uint32_t function_names_add(struct function_names *names, struct part *part,
			    enum wire_range_kind kind, const char *name,
			    size_t bytes);

/*
 * Returns the number that function_names_add() will give to the next function
 * of a kind. *left is how many numbers follow in a row from this one on, at
 * most NUMBER_BLOCK. Returns 0 if there is none.
 */
uint32_t function_names_next(struct function_names *names, struct part *part,
			     enum wire_range_kind kind, uint32_t *left);

/*
 * Records another fact about a number of function_names_add(), in the format of
 * the chunk, at most WIRE_SOURCE_BYTES_MAX. Drops it if there is no room.
 */
void function_names_tell(struct function_names *names, struct part *part,
			 enum names_about about, uint32_t number,
			 const void *bytes, size_t count);

/*
 * In a forked child with one thread: copies to its part the ranges, names and
 * facts that the child has from its parent, but none that the parent has added
 * since the fork. Returns 0 or -errno.
 */
int function_names_after_fork(struct function_names *names, struct part *to,
			      const struct part *from);

#endif
