/* SPDX-License-Identifier: MIT */
/*
 * The ways in which programs copy a slice of a stack, and what the coroutines do
 * that live in such slices.
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
	BY_PIECES, /* the inner half first; it moves when the rest comes */
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

/* [low, end) of the stack; what is saved is at the same places in `copy`. */
struct slice {
	char *low;
	char *copy;
	size_t bytes;
	size_t saved;
};

/* By pieces: the copy is moved when it grows, by nobody whom clew sees. */
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

/* ---- What coroutines do ---- */

static COUNTED void after(void)
{
	ENTER(after);
	LEAVE();
}

/* Hands over; when it comes back TRUTH_HERE is what it was. */
static void coroutine_yield(void);

/* In the place of one that was copied away while it waited, and back. */
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
	if (level % 2) /* calls from two places, which return differently */
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

/* What others do with the stack meanwhile. */
static COUNTED void trample(int depth)
{
	ENTER(trample);
	after();
	if (depth)
		trample(depth - 1);
	LEAVE();
}

#endif
