/* SPDX-License-Identifier: MIT */
/* See image/unwinder.h. */
#include "image/unwinder.h"

#include <errno.h>
#include <string.h>

/* The kinds of functions that refer to a function. */
enum {
	BY_ANYBODY = 1,
	BY_UNWINDER = 2,
	BY_OTHERS = 4,
};

struct search {
	struct code_notes *notes;
	/* 1 for each function that is a helper (see_helper()). */
	uint8_t *is_helper;
	uint8_t *referred;
};

int unwinder_lands(const uint8_t *code, uint64_t bytes)
{
	static const uint8_t returns[] = { 0x48, 0x89, 0xcc, /* mov %rcx,%rsp */
					   0xc3 };           /* ret */
	static const uint8_t jumps[] = { 0x48, 0x89, 0xcc,   /* mov %rcx,%rsp */
					 0x59,               /* pop %rcx */
					 0xff, 0xe1 };       /* jmp *%rcx */

	return (bytes >= sizeof(returns) &&
		!memcmp(code, returns, sizeof(returns))) ||
	       (bytes >= sizeof(jumps) && !memcmp(code, jumps, sizeof(jumps)));
}

unsigned int unwinder_sets_ip(const uint8_t *code, uint64_t bytes,
			      uint8_t *offset)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	/*
	 * mov %rsi,0x98(%rdi); ret: context->ra, the field after context->cfa
	 */
	static const uint8_t sets[] = { 0x48, 0x89, 0xb7, 0x98,
					0x00, 0x00, 0x00, 0xc3 };

	*offset = 0;
	if (bytes >= sizeof(endbr) && !memcmp(code, endbr, sizeof(endbr)))
		*offset = sizeof(endbr);
	return bytes == *offset + sizeof(sets) &&
			       !memcmp(code + *offset, sets, sizeof(sets))
		       ? sizeof(sets) - 1
		       : 0;
}

/*
 * Recognizes exception->private_1 = 0: movq $0, 0x10(base). Any register but
 * rsp may be the base; r12 needs a SIB byte.
 */
int unwinder_raises(const uint8_t *code, uint64_t bytes)
{
	static const uint8_t value[] = { 0x10, 0, 0, 0, 0 };
	const unsigned int modrm = 0x40;

	for (; bytes >= 4 + sizeof(value); code++, bytes--) {
		unsigned int length = 3;

		if ((code[0] & 0xfe) != 0x48 || code[1] != 0xc7 ||
		    (code[2] & 0xf8) != modrm)
			continue;
		if ((code[2] & 7) == 4 &&
		    (code[0] != 0x49 || code[length++] != 0x24))
			continue;
		if (!memcmp(code + length, value, sizeof(value)))
			return 1;
	}
	return 0;
}

int unwinder_is_here(const struct branches *branches, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (branches->notes[i].lands)
			return 1;
	return 0;
}

/*
 * Each landing function first calls a helper that reads its own return address,
 * in order to begin with its caller's frame.
 */
static void see_helper(void *context, const struct reference *one)
{
	const struct search *search = context;

	if (one->from != BRANCHES_NOBODY && search->notes[one->from].lands &&
	    search->notes[one->to].reads_return)
		search->is_helper[one->to] = 1;
}

/*
 * Functions that only inspect the stack, such as _Unwind_Backtrace(), also call
 * that helper.
 */
static void see_kin(void *context, const struct reference *one)
{
	const struct search *search = context;

	if (one->from != BRANCHES_NOBODY && search->is_helper[one->to] &&
	    search->notes[one->from].reads_return)
		search->notes[one->from].is_unwinders = 1;
}

static void see_reference(void *context, const struct reference *one)
{
	const struct search *search = context;

	search->referred[one->to] |= BY_ANYBODY;
}

/*
 * Calls by a function to which nothing refers do not matter: such a function
 * was linked in and is never called.
 */
static void see_caller(void *context, const struct reference *one)
{
	const struct search *search = context;
	uint8_t *referred = &search->referred[one->to];

	if (one->from == BRANCHES_NOBODY)
		*referred |= BY_OTHERS;
	else if (search->notes[one->from].is_unwinders)
		*referred |= BY_UNWINDER;
	else if (one->from != one->to &&
		 (search->referred[one->from] & BY_ANYBODY ||
		  search->notes[one->from].is_pointed))
		*referred |= BY_OTHERS;
}

/*
 * Marks the functions that only marked functions call. Returns whether it has
 * marked any.
 */
static int grow(const struct search *search, const struct branches *branches,
		uint32_t count)
{
	int has_grown = 0;

	for (uint32_t i = 0; i < count; i++)
		search->referred[i] &= BY_ANYBODY;
	references_walk(&branches->references, see_caller, (void *)search);
	for (uint32_t i = 0; i < count; i++) {
		struct code_notes *notes = &search->notes[i];

		if (notes->is_unwinders || notes->is_pointed ||
		    !(search->referred[i] & BY_UNWINDER) ||
		    search->referred[i] & BY_OTHERS)
			continue;
		notes->is_unwinders = 1;
		has_grown = 1;
	}
	return has_grown;
}

int unwinder_find(const struct branches *branches, uint32_t count,
		  struct arena *scratch)
{
	struct search search = { .notes = branches->notes };

	if (!unwinder_is_here(branches, count))
		return 0;
	search.is_helper = arena_alloc(scratch, count);
	search.referred = arena_alloc(scratch, count);
	if (!search.is_helper || !search.referred)
		return -ENOMEM;
	references_walk(&branches->references, see_helper, &search);
	references_walk(&branches->references, see_kin, &search);
	references_walk(&branches->references, see_reference, &search);
	for (uint32_t i = 0; i < count; i++)
		branches->notes[i].is_unwinders |=
			branches->notes[i].lands | search.is_helper[i];
	for (int depth = 0; depth < UNWINDER_DEPTH_MAX; depth++)
		if (!grow(&search, branches, count))
			break;
	return 0;
}
