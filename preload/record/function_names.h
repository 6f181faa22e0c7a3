/* SPDX-License-Identifier: MIT */
/*
 * Functions without code in a module, such as Java methods. A layer that knows
 * a runtime gets a number for each of the runtime's functions, under which
 * calls are counted, and records the function's name (wire/runtime_records.h).
 *
 * Any thread and any signal handler may call these functions once the
 * recorder's part exists.
 */
#ifndef CLEW_RECORD_FUNCTION_NAMES_H
#define CLEW_RECORD_FUNCTION_NAMES_H

#include "preload/record/numbers.h"
#include "preload/record/part.h"
#include "preload/record/record_stream.h"

/* The kinds of records about numbers; each kind has its own chunks. */
enum names_about {
#define ABOUT(kind, record, most) NAMES_ABOUT_##kind,
	WIRE_NUMBER_RECORDS(ABOUT)
#undef ABOUT
		NAMES_ABOUT_COUNT
};

/* The present range of numbers of each kind, and the chunks of records. */
struct function_names {
	struct lock lock; /* taken before the part's lock */
	struct number_range *filled[WIRE_RANGE_KIND_COUNT];
	struct number_range *spare; /* unused structs for further ranges */
	uint32_t spare_count;
	struct record_stream records[NAMES_ABOUT_COUNT];
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

/* A text that becomes part of a record. */
struct name_text {
	const char *text;
	size_t bytes; /* length without a NUL */
};

/*
 * Like function_names_add(), for a Java method with the texts of its class,
 * name and signature. Texts are cut if their sum exceeds WIRE_METHOD_BYTES_MAX.
 * `left` is an enum wire_java_left or WIRE_JAVA_NAMED.
 */
uint32_t function_names_add_method(struct function_names *names,
				   struct part *part, enum wire_range_kind kind,
				   const struct name_text texts[3],
				   uint32_t left);

/*
 * Like function_names_add(), for a stack of 1 to WIRE_STACK_MAX Java methods
 * with the bytecode index of the call in each.
 */
uint32_t function_names_add_stack(struct function_names *names,
				  struct part *part, const uint32_t *numbers,
				  const uint16_t *bytecodes, uint32_t count);

/* Like function_names_add(), for a call site in generated code. */
uint32_t function_names_add_caller(struct function_names *names,
				   struct part *part, uint64_t pc,
				   uint64_t tsc);

/*
 * Returns the number that the next function of this kind will get unless
 * another thread adds one before, or 0 if there is none. Sets *left to how many
 * consecutive numbers are free from this one on, at most NUMBER_BLOCK.
 */
uint32_t function_names_next(struct function_names *names, struct part *part,
			     enum wire_range_kind kind, uint32_t *left);

/*
 * Records the lines of a method that has a number. The file's path consists of
 * a folder, which may be empty or ends with a slash, and a name. Drops the
 * record if there is no room, if it exceeds WIRE_SOURCE_BYTES_MAX, or if system
 * calls are filtered.
 */
void function_names_add_source(struct function_names *names, struct part *part,
			       uint32_t number, const struct name_text path[2],
			       const struct wire_line *lines, size_t count);

/*
 * In a forked child with one thread: copies to its part the ranges and records
 * that the child has from its parent, but none of the numbers that the parent
 * has taken since the fork. Returns 0 or -errno.
 */
int function_names_after_fork(struct function_names *names, struct part *to,
			      const struct part *from);

#endif
