/* SPDX-License-Identifier: MIT */
/* See roots.h. */
#include "report/merge/roots.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"

/*
 * Returns the program's name from the first string of its command line. This
 * string is a path, or a title that the program has set, such as "nginx: master
 * process nginx -c /etc/n.conf". In a title the text after the last slash is no
 * name.
 */
static char *name_of(const char *called)
{
	const char *title = strstr(called, ": ");
	const char *slash = strchr(called, '/');

	if (title && slash && title < slash)
		return memory_string(called, (size_t)(title - called));
	return memory_printf("%s", text_basename(called));
}

static char *program_of(const struct part_copy *part)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	while (part_next_chunk(part, &cursor, &chunk)) {
		if (chunk.kind == WIRE_PROCESS &&
		    memchr(chunk.payload, '\0', chunk.used_bytes))
			return name_of((const char *)chunk.payload);
	}
	return memory_printf("?");
}

/*
 * Returns a text like " of run 2" for a part that `clew merge` has written,
 * otherwise "". The caller frees it.
 */
static char *run_name(const struct part_copy *part)
{
	return part->run ? memory_printf(" of run %" PRIu32, part->run)
			 : memory_string("", 0);
}

static char *group_name(const struct roots *roots, const struct thread *thread,
			size_t followers)
{
	char *run = run_name(roots->part), *program, *name;

	if (roots->whose->grouping == GROUP_PROCESS) {
		program = program_of(roots->part);
		name = memory_printf("%s (%" PRIu32 "%s)", program,
				     roots->part->header->pid, run);
		free(program);
	} else if (followers > 0)
		name = memory_printf("%s (%" PRIu32 "%s and %zu more)",
				     thread->name, thread->tid, run, followers);
	else
		name = memory_printf("%s (%" PRIu32 "%s)", thread->name,
				     thread->tid, run);
	free(run);
	return name;
}

static uint32_t root_for(struct roots *roots, const struct thread *thread,
			 size_t followers)
{
	uint32_t function;
	char *name;

	if (roots->whose->grouping == GROUP_NONE)
		return TREE_ROOT;
	name = group_name(roots, thread, followers);
	function = catalog_named(roots->catalog, KIND_GROUP, CATALOG_NO_MODULE,
				 name);
	free(name);
	return tree_child(roots->tree, TREE_ROOT, function);
}

static int wants(const struct roots *roots, const struct thread *thread)
{
	return !roots->whose->thread || thread_is(thread, roots->whose->thread);
}

void roots_select(struct roots *roots, struct merged *merged)
{
	const struct threads *threads = &roots->threads;
	struct idmap users = { 0 }; /* threads by tally number + 1 */
	uint64_t matches = 0, sharers = 0;

	for (size_t i = 0; i < threads->count; i++)
		++*idmap_at(&users, (uint64_t)threads->items[i].tally + 1);
	for (size_t i = 0; i < threads->count; i++) {
		const struct thread *thread = &threads->items[i];
		uint64_t key = (uint64_t)thread->tally + 1;
		uint64_t *root = idmap_at(&roots->of_tally, key);

		if (!wants(roots, thread))
			continue;
		matches++;
		if (*root)
			continue;
		sharers += *idmap_find(&users, key);
		*root = root_for(roots, thread, *idmap_find(&users, key) - 1) +
			(uint64_t)1;
	}
	idmap_fini(&users);
	merged->threads += matches;
	merged->follow_ups += sharers - matches;
}

uint64_t roots_of(struct roots *roots, uint32_t tally)
{
	static const struct thread nobody = { .name = "(no thread)" };
	uint64_t *root = idmap_at(&roots->of_tally, (uint64_t)tally + 1);

	if (*root == 0 && !roots->whose->thread)
		*root = root_for(roots, &nobody, 0) + (uint64_t)1;
	return *root;
}

int roots_want_anybody(const struct roots *roots)
{
	if (roots->whose->pid && roots->whose->pid != roots->part->header->pid)
		return 0;
	for (size_t i = 0; i < roots->threads.count; i++) {
		if (wants(roots, &roots->threads.items[i]))
			return 1;
	}
	return !roots->whose->thread;
}

int roots_want_everything(const struct roots *roots)
{
	return !roots->whose->thread && roots->whose->grouping == GROUP_NONE;
}

void roots_init(struct roots *roots, const struct part_copy *part,
		const struct whose *whose, struct catalog *catalog,
		struct tree *tree)
{
	*roots = (struct roots){
		.part = part,
		.whose = whose,
		.catalog = catalog,
		.tree = tree,
	};
	threads_init(&roots->threads, part);
}

void roots_fini(struct roots *roots)
{
	threads_fini(&roots->threads);
	idmap_fini(&roots->of_tally);
}
