/* SPDX-License-Identifier: MIT */
/*
 * Values that agents in the program have counted, by name, over all processes.
 */
#ifndef CLEW_MODEL_VALUE_LIST_H
#define CLEW_MODEL_VALUE_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "wire/context_values.h"

struct value_sum {
	char *name;    /* safe to print */
	uint32_t unit; /* enum wire_unit */
	int64_t total;
	uint64_t rows; /* number of rows with a value other than 0 */
};

struct value_list {
	struct value_sum *items;
	size_t count, capacity;
};

void value_list_fini(struct value_list *list);

/* Returns the entry of a column; creates it if needed. */
struct value_sum *value_list_enter(struct value_list *list,
				   const struct wire_value_kind *kind);

/* Returns the value with that name, or NULL if there is none. */
const struct value_sum *value_list_find(const struct value_list *list,
					const char *name);

/* Returns "bytes", "ns" or "". */
const char *unit_text(uint32_t unit);

#endif
