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
 * Functions of equal full names, in two modules for example, keep equal short
 * names.
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
	int level; /* greater: longer */
};

/* Zero-initialised: short names of any width. One catalog for each. */
struct shown_names {
	int are_full; /* all names are catalog_marked_name() */
	/*
	 * Columns for a name and SHOWN_INLINED; 0: no limit. Longer names lose
	 * template arguments, then outer scopes or the middle. `ellipsis` takes
	 * the place of these, "..." if NULL.
	 */
	unsigned int room;
	const char *ellipsis;
	struct shown_name *items;
	size_t count, capacity;
	struct idmap by_function; /* function + 1 -> 1 + index */
	struct idmap by_text;     /* hash of the text -> 1 + index */
};

/*
 * Chooses the names of a table's functions, before its first row. The list may
 * contain a function several times. Without this call, a function that is asked
 * for later gets a longer name than an earlier one, but no equal one.
 */
void shown_names_add(struct shown_names *names, struct catalog *catalog,
		     const uint32_t *functions, size_t count);

/* Safe to print; valid until the next call for these names. */
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
