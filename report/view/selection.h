/* SPDX-License-Identifier: MIT */
/* Which functions a report shows. */
#ifndef CLEW_VIEW_SELECTION_H
#define CLEW_VIEW_SELECTION_H

#include <regex.h>
#include <stdint.h>

#include "report/model/function_catalog.h"
#include "report/model/tree.h"

/* Zero-initialised, everything. */
struct selection {
	const char *module;        /* glob, or NULL */
	const regex_t *function;   /* or NULL */
	const char *function_text; /* of the regular expression */
};

/* Whether it selects some functions only. */
int selection_is_asked(const struct selection *selection);

/* A glob with a '/' is matched with the module's path, else with its name. */
int selection_has_module(const struct selection *selection,
			 const struct catalog_module *module);

/* Functions of no module, such as "(folded)", match no module glob. */
int selection_has_function(const struct selection *selection,
			   struct catalog *catalog, uint32_t function);

/* One byte for each function of the catalog, 1 if selected. free() it. */
uint8_t *selection_mask(const struct selection *selection,
			struct catalog *catalog);

/*
 * The same for functions that are called exactly `name`, with or without their
 * parameters and the type that a template returns. NULL if there are none.
 */
uint8_t *selection_named(struct catalog *catalog, const char *name);

/* Whether the selection contains a function of the tree. */
int selection_has_any(const struct selection *selection,
		      struct catalog *catalog, const struct tree *tree);

/*
 * Returns the function that the user probably meant by `name`: the shortest one that
 * contains it, or else the one with the fewest typing errors. NULL if there is none.
 */
const char *selection_nearest(struct catalog *catalog, const char *name);

/* A function's name as selection_named() takes it, without its parameters; for free(). */
char *selection_plain_name(const char *full);

#endif
