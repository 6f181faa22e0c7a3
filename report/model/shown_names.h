/* SPDX-License-Identifier: MIT */
/*
 * The names by which a table shows functions.
 *
 * Names are short (catalog_short_name()), but two different functions never
 * share one. If their short names are equal, both get longer ones:
 *
 *	std::map<...>::find	Heap<Order>::push
 *	std::map<...>::find	Heap<Order>::push
 *
 *	std::map<int, Order>::find
 *	std::map<trading::Key, Order>::find
 *	Heap<Order>::push(Order const&)
 *	Heap<Order>::push(Order&&)
 *
 * Functions of one module with equal full names, such as static functions of
 * two files, get their addresses: "init [0x12e0]". Functions of equal full
 * names in two modules keep equal short names.
 */
#ifndef CLEW_MODEL_SHOWN_NAMES_H
#define CLEW_MODEL_SHOWN_NAMES_H

#include "base/idmap.h"
#include "report/model/function_catalog.h"

/* Suffix that tables write after the name of an inlined function. */
#define SHOWN_INLINED " (inlined)"

struct shown_name {
	char *text;
	uint32_t function;
	int level; /* level of the name's length; a greater level is longer */
	int has_address; /* whether the text ends with the address */
};

/*
 * The names of a table. All members 0 stand for short names of any width. Each
 * is used with one catalog only.
 */
struct shown_names {
	int are_full; /* whether all names are those of catalog_marked_name() */
	/*
	 * Columns for a name and SHOWN_INLINED; 0: no limit. Longer names,
	 * except full ones and lists of callers, lose template arguments, then
	 * outer scopes or the middle. `ellipsis` takes the place of these,
	 * "..." if NULL.
	 */
	unsigned int room;
	const char *ellipsis;
	struct shown_name *items;
	size_t count, capacity;
	struct idmap by_function; /* maps 1 + a function to 1 + the index */
	struct idmap by_text; /* maps the hash of the text to 1 + the index */
};

/*
 * Chooses the names of a table's functions, before its first row. The list may
 * contain a function several times. Without this call, a function that is
 * looked up later gets a longer name than an earlier one, but not the same
 * name.
 */
void shown_names_add(struct shown_names *names, struct catalog *catalog,
		     const uint32_t *functions, size_t count);

/*
 * Returns a name that is safe to print, and valid until the next call for these
 * names.
 */
const char *shown_name(struct shown_names *names, struct catalog *catalog,
		       uint32_t function);

/*
 * Returns the name, cut to `room` columns (0: no limit), which the caller
 * frees. Cut names may be equal.
 */
char *shown_name_within(struct shown_names *names, struct catalog *catalog,
			uint32_t function, unsigned int room);

/* Forgets all names, for the next table. */
void shown_names_fini(struct shown_names *names);

#endif
