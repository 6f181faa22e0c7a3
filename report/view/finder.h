/* SPDX-License-Identifier: MIT */
/*
 * Finds the function that a user names.
 *
 * The first of these rules that matches decides:
 *
 * 1. the full name, or that of a function that was merged with it
 *
 * 2. the name without result or parameters: "f<long>" for "long f<long>(long)"
 *
 * 3. an address: "0x12e0", "module+0x12e0"; also inside of a function
 *
 * 4. a source line: "parse.c:12"
 *
 * 5. a short name, as tables show it: "std::map<...>::find"
 *
 * 6. the last parts of a name: "find", "map::find"
 *
 * 7. a name of rules 1, 2, 5 and 6 with other blanks: "f<int,long>"
 *
 * 8. a POSIX extended regular expression
 *
 * In rules 5 and 6 template arguments and parameters may be omitted. A name may
 * end with the address of the function, as tables show it: "init [0x12e0]".
 *
 * Functions of equal names, and clones of one function, are one match.
 */
#ifndef CLEW_VIEW_FINDER_H
#define CLEW_VIEW_FINDER_H

#include "report/model/function_catalog.h"
#include "report/model/tree.h"

struct found_functions {
	/* By function of the catalog: 1 for each function that matches. */
	uint8_t *chosen;
	/*
	 * The first function of each name among those of `chosen`, those of the
	 * program before those of libraries, at most FINDER_LISTED. Suffixes of
	 * clones do not belong to the name.
	 */
	uint32_t *functions;
	size_t count;
	int is_by_regex; /* only rule 8 matched */
};

enum { FINDER_LISTED = 100 };

/*
 * Finds functions among those with candidates[function] != 0; NULL: all of the
 * catalog. Returns 0 if one function matches, -ENOTUNIQ if several do, or
 * -ESRCH. Free *out with found_fini() unless the result is -ESRCH. May look up
 * names and read debug information, so the catalog changes.
 */
int finder_find(struct catalog *catalog, const uint8_t *candidates,
		const char *text, struct found_functions *out);
void found_fini(struct found_functions *found);

/*
 * Like finder_find(), but stores only the mask of the function in *chosen,
 * which the caller frees. *chosen is NULL unless the result is 0.
 */
int finder_mask(struct catalog *catalog, const uint8_t *candidates,
		const char *text, uint8_t **chosen);

/* Returns the mask of a tree's functions, which the caller frees. */
uint8_t *finder_called(const struct catalog *catalog, const struct tree *tree);

/*
 * Returns the shortest text by which finder_find() finds only this function,
 * which the caller frees. If no name does, it is an address or the full name.
 */
char *finder_text(struct catalog *catalog, const uint8_t *candidates,
		  uint32_t function);

#endif
