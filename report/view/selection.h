/* SPDX-License-Identifier: MIT */
/* Selection of the functions that a report shows. */
#ifndef CLEW_VIEW_SELECTION_H
#define CLEW_VIEW_SELECTION_H

#include <regex.h>
#include <stdint.h>

#include "report/model/function_catalog.h"
#include "report/model/tree.h"

/* Selects functions. All members 0 select all functions. */
struct selection {
	const char *module; /* a glob for the module, or NULL */
	/*
	 * a regular expression for the function's name or a short form of it
	 * (a2n_short_name()), as they are or squeezed; or NULL
	 */
	const regex_t *function;
	const char *function_text; /* source of the regular expression */
};

/* Returns whether the selection is restricted. */
int selection_is_asked(const struct selection *selection);

/*
 * Matches a glob with a '/' against the module's path, any other against its
 * name.
 */
int selection_has_module(const struct selection *selection,
			 const struct catalog_module *module);

/* Functions of no module, such as "(folded)", match no module glob. */
int selection_has_function(const struct selection *selection,
			   struct catalog *catalog, uint32_t function);

/*
 * Returns whether is_such() accepts a short name of the function that has at
 * least such a detail (a2n_short_name()).
 */
int selection_has_short_name(struct catalog *catalog, uint32_t function,
			     enum a2n_detail least,
			     int (*is_such)(const char *name, const void *what),
			     const void *what);

/*
 * Returns one byte for each function of the catalog, 1 if selected; the caller
 * frees it.
 */
uint8_t *selection_mask(const struct selection *selection,
			struct catalog *catalog);

/*
 * Selects functions whose name is exactly `name`, with or without parameters
 * and the return type of a template. Returns NULL if there are none; the caller
 * frees the result.
 */
uint8_t *selection_named(struct catalog *catalog, const char *name);

/* Returns whether selection_named() selects this function. */
int selection_is_named(struct catalog *catalog, uint32_t function,
		       const char *name);

/*
 * Returns a name without the blanks by which spellings differ: all but those
 * between two words, as in "unsigned long". The caller frees it.
 */
char *selection_squeezed(const char *name);

/* Like selection_is_named(), but compares squeezed names. */
int selection_is_named_loosely(struct catalog *catalog, uint32_t function,
			       const char *squeezed);

/*
 * Returns whether the tree contains a selected function. Returns 1 for any tree
 * if all functions are selected.
 */
int selection_has_any(const struct selection *selection,
		      struct catalog *catalog, const struct tree *tree);

/*
 * Returns the function that the user probably meant by `name`: the shortest one
 * that contains it, or else the one with the fewest typing errors. NULL if
 * there is none.
 */
const char *selection_nearest(struct catalog *catalog, const char *name);

/*
 * Returns a function's name without parameters, as selection_named() takes it;
 * the caller frees it.
 */
char *selection_plain_name(const char *full);

#endif
