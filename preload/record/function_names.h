/* SPDX-License-Identifier: MIT */
/*
 * Functions that have nothing but a name: a runtime that generates code gives
 * each of its own a number, under which its calls are counted, and says what it
 * is called (wire/told.h).
 *
 * Any thread, signal handlers included. Not before the recorder's part is there.
 */
#ifndef CLEW_RECORD_FUNCTION_NAMES_H
#define CLEW_RECORD_FUNCTION_NAMES_H

#include "preload/record/numbers.h"
#include "preload/record/part.h"
#include "preload/record/record_stream.h"

/* What is told of numbers, each in chunks of its own. */
enum names_about {
	NAMES_TEXT,   /* WIRE_NAMES */
	NAMES_SOURCE, /* WIRE_SOURCES */
	NAMES_CALLS,  /* WIRE_CALL_PLACES */
	NAMES_COUNT
};

/* One range of a kind is filled at a time. */
struct function_names {
	struct lock lock; /* taken before the part's */
	struct number_range *filled[WIRE_RANGE_KIND_COUNT];
	struct number_range *spare; /* memory for more */
	uint32_t spare_count;
	struct record_stream records[NAMES_COUNT];
};

/*
 * A number for a function of that kind, which the recording names from then on.
 * Twice the same name gets two numbers. Of a name longer than WIRE_NAME_BYTES_MAX
 * the beginning is kept. 0: there is no room, there are no more numbers, or
 * system calls are filtered.
 */
uint32_t function_names_add(struct function_names *names, struct part *part,
			    enum wire_range_kind kind, const char *name,
			    size_t bytes);

/*
 * The number that function_names_add() gives to the next function of a kind, and with
 * it NUMBER_BLOCK or fewer that follow: as many as *left says. 0: there is none.
 */
uint32_t function_names_next(struct function_names *names, struct part *part,
			     enum wire_range_kind kind, uint32_t *left);

/*
 * What else is known of a number that function_names_add() gave: as the chunk says
 * it, at most WIRE_SOURCE_BYTES_MAX. Where there is no room it is not recorded.
 */
void function_names_tell(struct function_names *names, struct part *part,
			 enum names_about about, uint32_t number,
			 const void *bytes, size_t count);

/*
 * In a forked child, alone: its part gets the ranges, names and what else is told that
 * the child has from its parent, but none that the parent has added since. 0 or -errno.
 */
int function_names_after_fork(struct function_names *names, struct part *to,
			      const struct part *from);

#endif
