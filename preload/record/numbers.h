/* SPDX-License-Identifier: MIT */
/*
 * The numbers of functions.
 *
 * A function is known by a number of 32 bits, of which its key is made
 * (wire/id.h). Numbers are taken in ranges, each for functions of one kind: a
 * module's code, methods of Java, ... Ranges lie anywhere among the numbers: a
 * module's lies where its build-id says, so that its functions have the same
 * keys in every process, unless something else is there in this one. Behind a
 * taken range the numbers up to the next whole block stay unused.
 *
 * Who asks about a number looks into one table of blocks, without a lock: any
 * thread, signal handlers included. Numbers are taken by any thread, atomically.
 * Only numbers of modules are ever given back, when `clew attach` has left the process:
 * what was counted under them stays in the recording.
 */
#ifndef CLEW_RECORD_NUMBERS_H
#define CLEW_RECORD_NUMBERS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/hot/recursion.h"
#include "preload/hot/tails.h"
#include "wire/id.h"
#include "wire/recording.h"

#define NUMBER_BLOCK_LOG2 12
#define NUMBER_BLOCK      (UINT32_C(1) << NUMBER_BLOCK_LOG2)
#define NUMBER_BLOCKS     (UINT32_C(1) << (32 - NUMBER_BLOCK_LOG2))

/* Lives for ever: it is found by its numbers. */
struct number_range {
	uint32_t first;
	uint32_t count; /* taken */
	enum wire_range_kind kind;
	/* The first so many are functions' that are recorded; only grows. */
	_Atomic uint32_t used;
	/* WIRE_RANGE_JAVA_STACK: the innermost method of each, stored before `used` */
	uint32_t *innermost;
	/*
	 * WIRE_RANGE_MODULE: the module's record in this process's part, NULL: there
	 * is none. Stored by whoever records it; a child's is another.
	 */
	struct wire_module *_Atomic module;
	/*
	 * When that module was unloaded, or 0; as the record says, but of this process
	 * alone, where the record may be shared with its parent.
	 */
	_Atomic uint64_t unloaded_ns;
};

/* The range that a block's numbers belong to, or NULL; stored once. */
extern const struct number_range *_Atomic number_blocks[NUMBER_BLOCKS];

/*
 * Take range->count numbers, `first` of which is stored: in the first gap that is
 * large enough at or behind the preferred block, or else from the beginning. Any
 * thread. 0, or -ENOSPC if there is none.
 */
int numbers_take(struct number_range *range, uint32_t preferred_block);

/*
 * Nobody has numbers of this range any more, nor counts under them. All threads but the
 * caller's are stopped, or none has ever counted under them.
 */
void numbers_give_back(const struct number_range *range);

/*
 * The block for what has these bytes of identity, one of NUMBER_BLOCKS: the same
 * in every process. Of FNV-1a.
 */
uint32_t numbers_preferred(const void *identity, size_t bytes);

/*
 * The module whose first function's number this is has its record there, or nowhere
 * (NULL) from now on. No effect if the number begins no range.
 */
void numbers_set_module(uint32_t first, struct wire_module *record);

/* When it was unloaded, 0: not, or it has no functions. Stored by catalog.c. */
uint64_t numbers_unloaded_ns(const struct wire_module *record);

/* How many ranges there are of modules, used ones. Looks at all blocks: slow. */
uint32_t numbers_modules(void);

/* The range in which a function has that number, or NULL. */
static inline const struct number_range *numbers_find(uint32_t number)
{
	const struct number_range *range = atomic_load_explicit(
		&number_blocks[number >> NUMBER_BLOCK_LOG2],
		memory_order_acquire);

	return range && number - range->first < atomic_load_explicit(
							&range->used,
							memory_order_acquire)
		       ? range
		       : NULL;
}

/* Whether it is the number of a Java method. */
static inline int numbers_are_java(uint32_t number)
{
	const struct number_range *range = numbers_find(number);

	return range && range->kind == WIRE_RANGE_JAVA;
}

/* The Java method that a number is of, or the innermost of a stack, or 0. */
static inline uint32_t numbers_java_method(uint32_t number)
{
	const struct number_range *range = numbers_find(number);

	if (!range)
		return 0;
	if (range->kind == WIRE_RANGE_JAVA)
		return number;
	return range->kind == WIRE_RANGE_JAVA_STACK && range->innermost
		       ? range->innermost[number - range->first]
		       : 0;
}

/* The function that is called, or jumped to, from one id to another, or 0 if none is. */
static inline uint32_t numbers_function_step(uint64_t caller, uint64_t callee)
{
	uint32_t function;

	return id_key_function(id_key_between(caller, callee), &function) &&
			       numbers_find(function)
		       ? function
		       : 0;
}

/*
 * The function that runs as `callee`, if a chain of jumps leads to it from one that has
 * been called from `caller` (hot/tails.h), or 0.
 */
static inline uint32_t numbers_function_jumped(uint64_t caller, uint64_t callee)
{
	const uint64_t owner = tails_owner(caller, callee);

	return owner != ID_ROOT && numbers_function_step(caller, owner)
		       ? tails_function(callee)
		       : 0;
}

/*
 * The function that is entered from one id to another, or 0 if none is. By recursion
 * that is folded there may be others that have called it (hot/recursion.h); by tail
 * calls, others that have jumped to it.
 */
static inline uint32_t numbers_function_between(uint64_t caller,
						uint64_t callee)
{
	uint32_t function = numbers_function_step(caller, callee);

	if (!function)
		function = numbers_function_jumped(caller, callee);
	return function ? function : recursion_function_between(caller, callee);
}

#endif
