/* SPDX-License-Identifier: MIT */
/* See ere_program.h. */
#include "match/ere_program.h"

static void put(struct ere *ere, const struct ere_insn *insn)
{
	ere->program[ere->count++] = *insn;
}

static void put_fork(struct ere *ere, uint64_t over)
{
	const struct ere_insn fork = { .op = ERE_FORK,
				       .x = ere->count + 1,
				       .y = ere->count + (uint32_t)over };

	put(ere, &fork);
}

static void put_go(struct ere *ere, uint32_t to)
{
	const struct ere_insn go = { .op = ERE_GO, .x = to };

	put(ere, &go);
}

static void put_node(struct ere *ere, const struct ere_node *node);

static void put_branch(struct ere *ere, const struct ere_branch *branch)
{
	for (const struct ere_node *n = branch->first; n; n = n->next)
		put_node(ere, n);
}

static uint64_t size_of_branch(const struct ere_branch *branch)
{
	uint64_t size = 0;

	for (const struct ere_node *n = branch->first; n; n = n->next)
		size += n->size;
	return size;
}

static void put_group(struct ere *ere, const struct ere_node *group)
{
	const uint32_t end = ere->count + (uint32_t)group->size;

	for (const struct ere_branch *b = group->branch; b; b = b->next) {
		if (b->next)
			put_fork(ere, size_of_branch(b) + 2);
		put_branch(ere, b);
		if (b->next)
			put_go(ere, end);
	}
}

static void put_repeat(struct ere *ere, const struct ere_node *repeat)
{
	const uint32_t end = ere->count + (uint32_t)repeat->size;
	uint32_t loop;

	for (uint32_t i = 0; i < repeat->least; i++)
		put_node(ere, repeat->child);
	if (repeat->most == ERE_WITHOUT_LIMIT) {
		loop = ere->count;
		put_fork(ere, end - loop);
		put_node(ere, repeat->child);
		put_go(ere, loop);
		return;
	}
	for (uint32_t i = repeat->least; i < repeat->most; i++) {
		put_fork(ere, end - ere->count);
		put_node(ere, repeat->child);
	}
}

static void put_node(struct ere *ere, const struct ere_node *node)
{
	struct ere_insn insn = { .op = ERE_SET, .x = node->set };

	if (!node->size)
		return;
	switch (node->kind) {
	case ERE_NODE_GROUP:
		put_group(ere, node);
		return;
	case ERE_NODE_REPEAT:
		put_repeat(ere, node);
		return;
	case ERE_NODE_ASSERT:
		insn.op = ERE_ASSERT;
		insn.must = node->must;
		insn.must_not = node->must_not;
		break;
	case ERE_NODE_SET:
		break;
	}
	put(ere, &insn);
}

void ere_write(struct ere *ere, const struct ere_node *group)
{
	const struct ere_insn match = { .op = ERE_MATCH };

	ere->count = 0;
	put_group(ere, group);
	put(ere, &match);
}
