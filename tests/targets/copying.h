/* SPDX-License-Identifier: MIT */
/*
 * Methods by which programs copy a slice of a stack, and the work of coroutines
 * that run in such slices.
 */
#ifndef CLEW_TESTS_COPYING_H
#define CLEW_TESTS_COPYING_H

#include "tests/targets/truth.h"

#include <string.h>

#define COROUTINES 6
#define LEVELS     5

enum copy_by {
	BY_MEMCPY,
	BY_MEMMOVE,
	BY_PIECES, /* the inner half first; realloc() then moves the copy */
	BY_BYTES,
	BY_WORDS,
	BY_STRING, /* rep movsb */
};

static enum copy_by copy_by;

TRUTH_INLINE int copy_choose(const char *name)
{
	static const char *const names[] = { "memcpy", "memmove", "pieces",
					     "bytes",  "words",   "string" };

	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name)) {
			copy_by = (enum copy_by)i;
			return 1;
		}
	return 0;
}

TRUTH_INLINE void copy_slice(void *to, const void *from, size_t bytes)
{
	volatile char *byte = to;
	const volatile char *from_byte = from;
	volatile uint64_t *word = to;
	const volatile uint64_t *from_word = from;

	switch (copy_by) {
	case BY_MEMCPY:
	case BY_PIECES:
		memcpy(to, from, bytes);
		break;
	case BY_MEMMOVE:
		memmove(to, from, bytes);
		break;
	case BY_BYTES:
		while (bytes--)
			*byte++ = *from_byte++;
		break;
	case BY_WORDS:
		for (bytes /= sizeof(*word); bytes; bytes--)
			*word++ = *from_word++;
		break;
	case BY_STRING:
		__asm__ volatile("rep movsb"
				 : "+D"(to), "+S"(from), "+c"(bytes)
				 :
				 : "memory");
		break;
	}
}

/* The stack range [low, low + bytes) and its copy. */
struct slice {
	char *low;
	char *copy;
	size_t bytes;
	size_t saved;
};

/*
 * Extends the copy to `bytes` bytes. realloc() may move it, which clew does not
 * see.
 */
TRUTH_INLINE void slice_save(struct slice *slice, size_t bytes)
{
	slice->copy = realloc(slice->copy, bytes);
	copy_slice(slice->copy + slice->saved, slice->low + slice->saved,
		   bytes - slice->saved);
	slice->saved = bytes;
}

TRUTH_INLINE void slice_begin(struct slice *slice, char *low, const char *end)
{
	void *in_between = NULL;

	slice->low = low;
	slice->bytes = (size_t)(end - low);
	slice->saved = 0;
	if (copy_by == BY_PIECES) {
		slice_save(slice, slice->bytes / 16 * 8);
		in_between = malloc(1);
	}
	slice_save(slice, slice->bytes);
	free(in_between);
}

TRUTH_INLINE void slice_restore(struct slice *slice)
{
	copy_slice(slice->low, slice->copy, slice->bytes);
}

/* ---- The work of coroutines ---- */

static COUNTED void after(void)
{
	ENTER(after);
	LEAVE();
}

/* Yields. When it returns, TRUTH_HERE has its former value. */
static void coroutine_yield(void);

/*
 * A tail call from a function that was copied away and restored while it
 * waited.
 */
static COUNTED int conclude(int sum)
{
	ENTER(conclude);
	after();
	LEAVE();
	return sum;
}

static COUNTED int descend(int level)
{
	int sum = level;

	ENTER(descend);
	coroutine_yield();
	after();
	/* calls from two sites, with different return addresses */
	if (level % 2)
		sum += level > 1 ? descend(level - 1) : 0;
	else
		sum += 10 * (level > 1 ? descend(level - 1) : 0);
	coroutine_yield();
	after();
	RETURN_CALL(int, conclude(sum));
}

static int sums[COROUTINES];

static COUNTED void work(int number)
{
	ENTER(work);
	after();
	sums[number] = descend(LEVELS - number % 3);
	sums[number] += descend(number % 4 + 1);
	after();
	LEAVE();
}

/* Overwrites the stack while other coroutines wait. */
static COUNTED void trample(int depth)
{
	ENTER(trample);
	after();
	if (depth)
		trample(depth - 1);
	LEAVE();
}

#endif
