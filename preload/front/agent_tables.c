/* SPDX-License-Identifier: MIT */
/* See agent_tables.h. */
#include "preload/front/agent_tables.h"

#include <stddef.h>

#include "agent/agent_table.h"
#include "preload/host/lookup.h"
#include "preload/patch/journal.h"
#include "preload/sys/own_code.h"

/*
 * The names, by which this library's own functions are found: symbol order
 * would find those of libclew-agent.
 */
static const char *const names[] = {
#define X(name) #name,
	AGENT_FUNCTIONS(X)
#undef X
};

static uint64_t *words_of(struct agent_table *table)
{
	return (uint64_t *)(table + 1) - AGENT_FUNCTION_COUNT;
}

void agent_tables_lend(const struct link_map *map, int is_lent)
{
	struct agent_table *table = lookup_in_map(map, "libclew_agent_table");

	if (!table || table->version != AGENT_TABLE_VERSION ||
	    table->count != AGENT_FUNCTION_COUNT)
		return;
	for (uint32_t i = 0; i < AGENT_FUNCTION_COUNT; i++)
		words_of(table)[i] =
			is_lent ? (uintptr_t)lookup_in(own_code_start(),
						       names[i])
				: 0;
}

static struct agent_table *find_table(const struct module *module)
{
	const uint64_t at =
		(uintptr_t)lookup_in(module->base, "libclew_agent_table");

	if (at < module->image.start || at % sizeof(void *) ||
	    at + sizeof(struct agent_table) > module->image.end)
		return NULL;
	return (struct agent_table *)at;
}

void agent_tables_meet(const struct module *module)
{
	struct agent_table *table;
	uint64_t *words;

	if (module->base == own_code_start())
		return;
	table = find_table(module);
	if (!table || table->version != AGENT_TABLE_VERSION)
		return;
	words = words_of(table);
	for (uint32_t i = 0; i < AGENT_FUNCTION_COUNT && i < table->count; i++)
		if (journal_store((void **)&words[i],
				  lookup_in(own_code_start(), names[i])))
			return;
}
