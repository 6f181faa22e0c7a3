/* SPDX-License-Identifier: MIT */
/* See value_list.h. */
#include "report/model/value_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"

void value_list_fini(struct value_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].name);
	free(list->items);
}

const struct value_sum *value_list_find(const struct value_list *list,
					const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].name, name) == 0)
			return &list->items[i];
	return NULL;
}

struct value_sum *value_list_enter(struct value_list *list,
				   const struct wire_value_kind *kind)
{
	char *name =
		text_printable(memory_string(kind->name, strlen(kind->name)));
	const struct value_sum *there = value_list_find(list, name);

	if (there) {
		free(name);
		return &list->items[there - list->items];
	}
	list->items = memory_grow(list->items, list->count, &list->capacity,
				  sizeof(*list->items));
	list->items[list->count] =
		(struct value_sum){ .name = name, .unit = kind->unit };
	return &list->items[list->count++];
}

const char *unit_text(uint32_t unit)
{
	switch (unit) {
	case WIRE_UNIT_BYTES:
		return "bytes";
	case WIRE_UNIT_NS:
		return "ns";
	default:
		return "";
	}
}
