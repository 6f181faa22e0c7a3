/* SPDX-License-Identifier: MIT */
/* The functions that `clew list` prints. */
#ifndef CLEW_VIEW_LIST_H
#define CLEW_VIEW_LIST_H

#include "report/view/coverage.h"

enum list_detail { LIST_REASONS, LIST_REFUSED, LIST_ALL };

struct list_view {
	struct catalog *catalog;
	enum list_detail detail;
	/* whether the list is that of a file, where nothing is hooked yet */
	int is_forecast;
	/* how often breakpoints were hit in a recording */
	uint64_t trap_hits;
	int shows_full_names;
	/* whether calls were counted in code that the JVM has compiled */
	int is_java_in_place;
	char *import; /* origin of an imported part, or NULL */
};

/*
 * Functions with expensive breakpoints or uncertain counts are few and are
 * always printed.
 */
static inline int list_shows(const struct list_view *view,
			     const struct catalog_function *function)
{
	if (view->detail == LIST_ALL || function->verdict == VERDICT_IS_TRAP ||
	    catalog_loops(function))
		return 1;
	return view->detail == LIST_REFUSED &&
	       verdict_class(function->verdict) == VERDICT_REFUSED;
}

/* Returns whether a module may have functions to print. */
static inline int list_shows_some(const struct list_view *view,
				  const struct coverage *coverage)
{
	return view->detail != LIST_REASONS || coverage->looping > 0 ||
	       coverage->by_verdict[VERDICT_IS_TRAP] > 0;
}

#endif
