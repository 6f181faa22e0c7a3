/* SPDX-License-Identifier: MIT */
/* See table.h. */
#include "symbolizer/space/table.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_LOG2 = 6 };

/* Returns the entry of the key, or the free entry for it. */
static struct table_entry *entry_of(const struct table *table, uint64_t key)
{
	size_t mask = ((size_t)1 << table->log2) - 1;
	size_t at = (key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15) >>
		    (64 - table->log2);

	while (table->entries[at].value && table->entries[at].key != key)
		at = (at + 1) & mask;
	return &table->entries[at];
}

static int resize(struct table *table, unsigned int log2)
{
	struct table larger = { .used = table->used, .log2 = log2 };

	larger.entries = calloc((size_t)1 << log2, sizeof(*larger.entries));
	if (!larger.entries)
		return -ENOMEM;
	for (size_t i = 0; table->entries && i < (size_t)1 << table->log2;
	     i++) {
		struct table_entry *entry = &table->entries[i];

		if (entry->value)
			*entry_of(&larger, entry->key) = *entry;
	}
	free(table->entries);
	*table = larger;
	return 0;
}

uint64_t table_find(const struct table *table, uint64_t key)
{
	return table->entries ? entry_of(table, key)->value : 0;
}

int table_set(struct table *table, uint64_t key, uint64_t value)
{
	struct table_entry *entry;
	int err = 0;

	if (!table->entries)
		err = resize(table, FIRST_LOG2);
	else if (table->used >= (size_t)1 << (table->log2 - 1))
		err = resize(table, table->log2 + 1);
	if (err)
		return err;
	entry = entry_of(table, key);
	table->used += entry->value == 0;
	*entry = (struct table_entry){ key, value };
	return 0;
}

void table_fini(struct table *table)
{
	free(table->entries);
	*table = (struct table){ 0 };
}
