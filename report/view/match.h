/* SPDX-License-Identifier: MIT */
/*
 * Matches the functions of two recordings.
 *
 * Functions of modules with the same build-id are matched by address. Functions
 * of different builds are matched by the names of module and function. A
 * module's version, as in "libz.so.1.2.13", and suffixes of clones such as
 * ".constprop.0" are ignored; so is the name of the program, if at least half
 * of its called functions have names that the other program has also. Functions
 * without names match only in the same build. Functions of one module with the
 * same name, such as static functions of several files, are one function,
 * unless both recordings are of the same build.
 */
#ifndef CLEW_VIEW_MATCH_H
#define CLEW_VIEW_MATCH_H

#include "base/idmap.h"
#include "report/model/function_catalog.h"
#include "report/model/tree.h"

struct match {
	struct catalog *from, *to;
	/*
	 * for each function of `from`, the function of `to`; 0 if it is not
	 * determined yet
	 */
	uint32_t *functions;
	/* for each module of `from`, 1 + the module of the same build, or 0 */
	uint32_t *builds;
	/*
	 * for each module of `from`, the module of `to` of the same or another
	 * version, or CATALOG_NO_MODULE
	 */
	uint32_t *homes;
	/*
	 * for each module of `to`, whether `from` has the same build and
	 * neither is a baseline
	 */
	uint8_t *same_builds;
	size_t same_builds_count;
	/* maps the hash of the names to the function of `to` */
	struct idmap named;
	/*
	 * for each function of `to`, the first with the same name; 0 if this is
	 * the function itself
	 */
	uint32_t *twins;
	size_t twins_count;
};

/*
 * Begins to match functions. Names are looked up among the functions of `tree`,
 * which belongs to `to`.
 */
void match_init(struct match *match, struct catalog *from, struct catalog *to,
		const struct tree *tree);
void match_fini(struct match *match);

/* Returns the function of `to`; adds it if there is none. */
uint32_t match_function(struct match *match, uint32_t function);

/*
 * Returns the function of `to` that stands for a function of `to`: itself, or
 * one of the same name.
 */
uint32_t match_own(const struct match *match, uint32_t function);

#endif
