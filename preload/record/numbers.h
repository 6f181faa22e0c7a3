/* SPDX-License-Identifier: MIT */
/*
 * The numbers of functions.
 *
 * A function has a number of 32 bits, from which its key is computed
 * (wire/id.h). Numbers are taken in ranges, each for functions of one kind: a
 * module's code, Java methods and so on. The position of a module's range
 * follows from its build-id, so that its functions have the same numbers in
 * every process, unless another range is at this position already. The numbers
 * behind a range, up to the next whole block, stay unused.
 *
 * A table of blocks leads from a number to its range without a lock, in any
 * thread and any signal handler. Any thread may take numbers. Only the numbers
 * of modules are ever released, after `clew attach` has detached or if they
 * were never used; their counts remain in the recording.
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

/*
 * A range of numbers. Its memory is freed no earlier than two sessions later
 * (release_former()), because lookups hold no lock.
 */
struct number_range {
	uint32_t first;
	uint32_t count; /* how many numbers are taken */
	enum wire_range_kind kind;
	/*
	 * How many of the first numbers belong to recorded functions; only
	 * grows.
	 */
	_Atomic uint32_t used;
	/*
	 * WIRE_RANGE_JAVA_STACK: the innermost method of each stack, stored
	 * before `used`.
	 */
	uint32_t *innermost;
	/*
	 * WIRE_RANGE_MODULE: the module's record in this process's part, or
	 * NULL. Stored when it is recorded; a child has another record.
	 */
	struct wire_module *_Atomic module;
	/*
	 * When the module was unloaded, or 0. Unlike the record, which a child
	 * may share with its parent, this is valid for this process.
	 */
	_Atomic uint64_t unloaded_ns;
};

/*
 * For each block of numbers, the range that it belongs to, or NULL. An element
 * changes only when its block is taken or given back.
 */
extern const struct number_range *_Atomic number_blocks[NUMBER_BLOCKS];

/*
 * Takes range->count numbers and stores range->first. Searches for a large
 * enough gap from the preferred block on, then from the first block on. Returns
 * 0, or -ENOSPC if there is none. Any thread may call this function.
 */
int numbers_take(struct number_range *range, uint32_t preferred_block);

/*
 * Releases the numbers of a range. Nothing may be counted under them any more:
 * all other threads are stopped, or the numbers were never used.
 */
void numbers_give_back(const struct number_range *range);

/*
 * Returns a block number below NUMBER_BLOCKS for a module with this identity
 * (its build-id, for example): a hash (FNV-1a) that is the same in every
 * process.
 */
uint32_t numbers_preferred(const void *identity, size_t bytes);

/*
 * Sets the record of the module whose first function has this number; NULL:
 * none. Has no effect if no range begins with the number.
 */
void numbers_set_module(uint32_t first, struct wire_module *record);

/*
 * Returns when the module was unloaded. Returns 0 if it is still loaded or has
 * no functions.
 */
uint64_t numbers_unloaded_ns(const struct wire_module *record);

/* Returns the number of used ranges of modules. Reads all blocks: slow. */
uint32_t numbers_modules(void);

/* Returns the range of a function's number, or NULL. */
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

/* Returns whether a number belongs to a Java method. */
static inline int numbers_are_java(uint32_t number)
{
	const struct number_range *range = numbers_find(number);

	return range && range->kind == WIRE_RANGE_JAVA;
}

/*
 * Returns the Java method with this number, or the innermost method of the Java
 * stack with this number, or 0.
 */
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

/*
 * Returns the function that has the id `callee` if the function with the id
 * `caller` calls it or jumps to it, or 0.
 */
static inline uint32_t numbers_function_step(uint64_t caller, uint64_t callee)
{
	uint32_t function;

	return id_key_function(id_key_between(caller, callee), &function) &&
			       numbers_find(function)
		       ? function
		       : 0;
}

/*
 * Returns the function that has the id `callee` if it was reached by tail calls
 * from a function that `caller` has called (hot/tails.h), or 0.
 */
static inline uint32_t numbers_function_jumped(uint64_t caller, uint64_t callee)
{
	const uint64_t owner = tails_owner(caller, callee);

	return owner != ID_ROOT && owner != callee &&
			       (numbers_function_step(caller, owner) ||
				recursion_function_between(caller, owner))
		       ? tails_function(callee)
		       : 0;
}

/*
 * Returns the function that has the id `callee` if `caller` can be the id in
 * its shadow slot, or 0. Where recursion is folded there may be further calls in
 * between (hot/recursion.h), and with tail calls further jumps.
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
