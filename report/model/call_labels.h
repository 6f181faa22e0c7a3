/* SPDX-License-Identifier: MIT */
/*
 * Functions of the catalog that stand for some calls of another function: those
 * from one call site, those with one combination of recorded values, or both.
 * The label of such a function holds the site and the values.
 */
#ifndef CLEW_MODEL_CALL_LABELS_H
#define CLEW_MODEL_CALL_LABELS_H

#include "report/model/function_catalog.h"
#include "report/model/mark_list.h"

/*
 * The labels that the user has requested. All members are 0 if there are none.
 */
struct label_wish {
	int has_sites; /* one label for each call site */
	/*
	 * whether call sites are named by address, so that those of one line
	 * differ
	 */
	int by_address;
	/* one label for each combination of recorded probe values */
	int has_values;
	/* whether a recording without call sites and values is no error */
	int is_optional;
	/*
	 * If both are set: one label for each value of `argument` in calls of
	 * `function`, which have the names that --probe gave them. NULL if not
	 * requested.
	 */
	const char *function, *argument;
};

struct call_label {
	uint32_t function; /* the function that is called */
	/* name of the site, such as "file.c:12"; NULL for any site */
	const char *site;
	/* index in the catalog, if by_address is set; 0 if it is unknown */
	uint32_t site_index;
	const struct mark_value *values;
	size_t value_count;
};

/*
 * Returns the function for these calls, which is created if needed. The name is
 * "NAME [VALUE=..., ...] @ SITE", without the parts that the label does not
 * have. Copies the label.
 */
uint32_t catalog_labelled(struct catalog *catalog,
			  const struct call_label *label);

/*
 * Returns a function's label, or NULL for a function without a label. The
 * pointer is valid until the next label is created.
 */
const struct call_label *catalog_label(const struct catalog *catalog,
				       uint32_t function);

#endif
