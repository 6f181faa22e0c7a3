/* SPDX-License-Identifier: MIT */
#include "jvm/hotspot.h"

#include <link.h>

#include "preload/host/lookup.h"
#include "preload/sys/text.h"

/* A table, and where in its entries what we want is, as its machine says. */
struct struct_table {
	const char *entries;
	uint64_t stride, type_at, field_at, address_at;
};

static uint64_t word_at(const void *at)
{
	return at ? *(const uint64_t *)at : 0;
}

static struct struct_table find_table(uint64_t base)
{
#define WORD(name) word_at(lookup_in(base, "gHotSpotVMStruct" name))
	return (struct struct_table){
		.entries = (const char *)WORD("s"),
		.stride = WORD("EntryArrayStride"),
		.type_at = WORD("EntryTypeNameOffset"),
		.field_at = WORD("EntryFieldNameOffset"),
		.address_at = WORD("EntryAddressOffset"),
	};
#undef WORD
}

uint64_t hotspot_static(uint64_t machine_pc, const char *type,
			const char *field)
{
	const struct link_map *map = lookup_module(machine_pc);
	struct struct_table table;

	if (!map)
		return 0;
	table = find_table(map->l_addr);
	if (!table.entries || !table.stride || !table.address_at)
		return 0;
	for (const char *entry = table.entries;; entry += table.stride) {
		const char *its_type =
			*(const char *const *)(entry + table.type_at);
		const char *its_field =
			*(const char *const *)(entry + table.field_at);

		if (!its_type || !its_field)
			return 0;
		if (same_text(its_type, type) && same_text(its_field, field))
			return word_at(*(
				const void *const *)(entry + table.address_at));
	}
}
