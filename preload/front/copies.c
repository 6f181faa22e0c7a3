/* SPDX-License-Identifier: MIT */
/*
 * See copies.h. The program may call these functions anywhere, like libc's: the
 * additions are safe in signal handlers and call no function of the program.
 */
#include "preload/front/copies.h"

#include <stdint.h>
#include <string.h>

#include "preload/host/lookup.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/thread.h"
#include "preload/stack/landing.h"
#include "preload/stack/trampolines.h"
#include "preload/sys/stack_pointer.h"
#include "preload/sys/text.h"

/*
 * Only ranges that end less than this above the caller's frame are taken to be
 * on its stack.
 */
#define NEAR_BYTES (UINT64_C(64) << 20)

/* ---- After a copy ---- */

/* The range of stack words in a copy that were replaced by trampolines. */
struct carried {
	uint64_t from, until;
	const struct trampoline *last;
	/* how many trampolines belong to the caller of the preceding one */
	int callers;
};

/*
 * If at least this many trampolines in a copy belong to the caller of the
 * trampoline before them, the copy is taken for a copy of a stack. Data of
 * another kind may contain a few trampolines, because the unused parts of a
 * struct may contain old stack words.
 */
#define CALLERS_MIN 2

static void note_trampoline(struct carried *carried, uint64_t at,
			    const struct trampoline *one)
{
	if (!carried->from)
		carried->from = at;
	carried->until = at + sizeof(at);
	if (carried->last && carried->last->slot.caller_id == one->id)
		carried->callers++;
	carried->last = one;
}

/*
 * Replaces a stub's address in a copy by a trampoline. If none can be
 * allocated, replaces it by the real return address: the thread then has a
 * wrong id for a while, which the program does not notice.
 */
static void carry(uint64_t *copy, uint64_t at, uint64_t *expected)
{
	const uint64_t word = *copy;
	const uint64_t trampoline = trampoline_of_slot(at, word, expected);
	const struct shadow_slot *shadow = shadow_of(at);

	if (trampoline)
		*copy = trampoline;
	else if (shadow && shadow->return_address)
		*copy = shadow->return_address;
}

/*
 * Replaces stubs' addresses in a copy. Only words at multiples of 8 in the
 * original are return addresses.
 */
static void inspect_copy(void *to, const void *from, size_t bytes)
{
	const uint64_t start = ((uintptr_t)from + 7) & ~UINT64_C(7);
	const uint64_t end = (uintptr_t)from + bytes;
	uint64_t copy = (uintptr_t)to + (start - (uintptr_t)from);
	struct carried carried = { 0 };
	uint64_t expected = 0;

	for (uint64_t at = start; at + 8 <= end; at += 8, copy += 8) {
		uint64_t word;

		memcpy(&word, (const void *)copy, sizeof(word));
		if (runtime_is_exit(word)) {
			carry(&word, at, &expected);
			memcpy((void *)copy, &word, sizeof(word));
		} else if (trampoline_at(word)) {
			note_trampoline(&carried, copy, trampoline_at(word));
		}
	}
	if (!carried.from || carried.from % 8)
		return;
	if (carried.callers >= CALLERS_MIN)
		landing_restored(carried.from, carried.until);
	else
		landing_perhaps_restored((uintptr_t)to, bytes);
}

/* ---- The functions ---- */

/*
 * Returns whether the range may be on the caller's stack: it ends at most
 * NEAR_BYTES above the caller's frame.
 */
static inline int is_near(const void *at, size_t bytes)
{
	return (uintptr_t)at + bytes - stack_pointer() < NEAR_BYTES;
}

/*
 * Defines two fronts of a function that copies memory, and the IFUNC resolvers
 * through which modules of the program find them.
 */
#define COPY(name, parameters, arguments)                                      \
	static void *(*real_##name)parameters;                                 \
                                                                               \
	static void *near_##name parameters                                    \
	{                                                                      \
		void *result;                                                  \
                                                                               \
		if (!is_near(from, bytes) && !is_near(to, bytes))              \
			return real_##name arguments;                          \
		result = real_##name arguments;                                \
		inspect_copy(to, from, bytes);                                 \
		return result;                                                 \
	}                                                                      \
                                                                               \
	static void *anywhere_##name parameters                                \
	{                                                                      \
		void *result = real_##name arguments;                          \
                                                                               \
		inspect_copy(to, from, bytes);                                 \
		return result;                                                 \
	}                                                                      \
                                                                               \
	static void *find_near_##name(void)                                    \
	{                                                                      \
		return (void *)near_##name;                                    \
	}                                                                      \
                                                                               \
	static void *find_anywhere_##name(void)                                \
	{                                                                      \
		return (void *)anywhere_##name;                                \
	}

#define COPY_PLAINLY(name)                                                     \
	COPY(name, (void *to, const void *from, size_t bytes),                 \
	     (to, from, bytes))
#define COPY_CHECKED(name)                                                     \
	COPY(name, (void *to, const void *from, size_t bytes, size_t room),    \
	     (to, from, bytes, room))

COPY_PLAINLY(memcpy)
COPY_PLAINLY(memmove)
COPY_PLAINLY(mempcpy)
COPY_PLAINLY(__mempcpy)
COPY_CHECKED(__memcpy_chk)
COPY_CHECKED(__memmove_chk)
COPY_CHECKED(__mempcpy_chk)

#define ROW(name)                                                              \
	{                                                                      \
#name, (void **)&real_##name, (void *)near_##name,             \
			(void *)anywhere_##name, find_near_##name,             \
			find_anywhere_##name                                   \
	}

static const struct copying functions[] = {
	ROW(memcpy),        ROW(memmove),      ROW(mempcpy),
	ROW(__mempcpy),     ROW(__memcpy_chk), ROW(__memmove_chk),
	ROW(__mempcpy_chk),
};

#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

const struct copying *copies_find(const char *name)
{
	for (size_t i = 0; i < FUNCTIONS; i++) {
		if (!same_text(name, functions[i].name))
			continue;
		if (!*functions[i].real)
			*functions[i].real = lookup_any(name);
		return *functions[i].real ? &functions[i] : NULL;
	}
	return NULL;
}
