/* SPDX-License-Identifier: MIT */
/* See ere.h. */
#include "match/ere.h"

#include <errno.h>

#include "match/ere_program.h"
#include "match/ere_tree.h"

/* stands for a position that satisfies every assertion */
#define ANYWHERE 0x100

static int is_word(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || byte == '_';
}

static unsigned int place_at(const char *text, size_t at)
{
	return (at == 0 ? ERE_AT_START : 0) | (text[at] ? 0 : ERE_AT_END) |
	       (at && is_word(text[at - 1]) ? ERE_AFTER_WORD : 0) |
	       (is_word(text[at]) ? ERE_BEFORE_WORD : 0);
}

static int is_allowed(const struct ere_insn *insn, unsigned int place)
{
	return place == ANYWHERE || ((place & insn->must) == insn->must &&
				     !(place & insn->must_not));
}

static int add_thread(struct ere_threads *threads, uint32_t pc)
{
	const uint32_t where = threads->where[pc];

	if (where < threads->count && threads->list[where] == pc)
		return 0;
	threads->where[pc] = threads->count;
	threads->list[threads->count++] = pc;
	return 1;
}

/*
 * Adds a thread of the machine at `pc`, and the threads that it becomes without
 * reading a byte. Each pc is pushed once.
 */
static void add_all(struct ere *ere, struct ere_threads *threads, uint32_t pc,
		    unsigned int place)
{
	uint32_t depth = 0;

	if (add_thread(threads, pc))
		ere->stack[depth++] = pc;
	while (depth) {
		const uint32_t at = ere->stack[--depth];
		const struct ere_insn *insn = &ere->program[at];

		if ((insn->op == ERE_GO || insn->op == ERE_FORK) &&
		    add_thread(threads, insn->x))
			ere->stack[depth++] = insn->x;
		if (insn->op == ERE_FORK && add_thread(threads, insn->y))
			ere->stack[depth++] = insn->y;
		if (insn->op == ERE_ASSERT && is_allowed(insn, place) &&
		    add_thread(threads, at + 1))
			ere->stack[depth++] = at + 1;
	}
}

static int has_matched(const struct ere *ere, const struct ere_threads *threads)
{
	for (uint32_t i = 0; i < threads->count; i++)
		if (ere->program[threads->list[i]].op == ERE_MATCH)
			return 1;
	return 0;
}

static void step(struct ere *ere, const struct ere_threads *now,
		 struct ere_threads *next, uint8_t byte, unsigned int place)
{
	next->count = 0;
	for (uint32_t i = 0; i < now->count; i++) {
		const uint32_t pc = now->list[i];
		const struct ere_insn *insn = &ere->program[pc];

		if (insn->op == ERE_SET &&
		    byte_set_has(&ere->sets[insn->x], byte))
			add_all(ere, next, pc + 1, place);
	}
}

/* Finds the bytes with which a match can begin. */
static void find_first(struct ere *ere)
{
	struct ere_threads *threads = &ere->threads[0];

	threads->count = 0;
	add_all(ere, threads, 0, ANYWHERE);
	ere->has_empty = has_matched(ere, threads);
	ere->first = (struct byte_set){ 0 };
	for (uint32_t i = 0; i < threads->count; i++) {
		const struct ere_insn *insn = &ere->program[threads->list[i]];

		if (insn->op == ERE_SET)
			byte_set_unite(&ere->first, &ere->sets[insn->x]);
	}
}

/* Allocates the program, and the memory that is needed for running it. */
static int take_memory(struct ere *ere, uint32_t count, ere_alloc alloc,
		       void *context)
{
	uint32_t *memory = alloc(context, (size_t)5 * count * sizeof(*memory));

	ere->program = alloc(context, count * sizeof(*ere->program));
	if (!memory || !ere->program)
		return -ENOMEM;
	ere->stack = memory;
	for (int i = 0; i < 2; i++) {
		ere->threads[i].list = memory + (2 * i + 1) * count;
		ere->threads[i].where = memory + (2 * i + 2) * count;
	}
	return 0;
}

int ere_compile(struct ere *ere, const char *text, ere_alloc alloc,
		void *context, const char **why)
{
	struct ere_node *group;
	int err = ere_read(text, alloc, context, &group, &ere->sets, why);

	if (err)
		return err;
	if (take_memory(ere, (uint32_t)group->size + 1, alloc, context)) {
		*why = "out of memory";
		return -ENOMEM;
	}
	ere_write(ere, group);
	find_first(ere);
	return 0;
}

int ere_matches(struct ere *ere, const char *text)
{
	struct ere_threads *now = &ere->threads[0], *next = &ere->threads[1];

	now->count = 0;
	for (size_t at = 0;; at++) {
		const int begins = ere->has_empty ||
				   byte_set_has(&ere->first, (uint8_t)text[at]);
		struct ere_threads *swap = now;

		if (begins)
			add_all(ere, now, 0, place_at(text, at));
		if (has_matched(ere, now))
			return 1;
		if (!text[at])
			return 0;
		if (!now->count)
			continue;
		step(ere, now, next, (uint8_t)text[at], place_at(text, at + 1));
		now = next;
		next = swap;
	}
}
