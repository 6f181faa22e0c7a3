/* SPDX-License-Identifier: MIT */
/*
 * A module (executable or shared object) that has been loaded, before it is hooked:
 * whether it is to be, and which functions it has, by its file.
 *
 * Under the loader's lock, as hook_update().
 */
#ifndef CLEW_MODULES_CANDIDATE_H
#define CLEW_MODULES_CANDIDATE_H

#include "preload/host/config.h"
#include "preload/modules/catalog.h"
#include "preload/stubs/prelinked.h"

struct prelinked_text;

struct candidate {
	struct candidate *next;
	struct module *module;
	struct analysis analysis;
	struct catalog_entry entry;
	struct number_range *numbers; /* of its functions, NULL: it has none */
	struct prelinked prelinked;   /* what stubs are there for it already */
	int prelinked_err;            /* 0, or why there are none */
	struct prelinked_text *text;  /* NULL: none is there for it */
	int has_kept_text;            /* it was made now */
	struct patch *patch;          /* NULL: nothing to hook, or no memory */
	struct wire_hooking cost; /* base and loaded_ns are added in the end */
};

/*
 * Whether the module is to be hooked, which its state says then, and its
 * functions if so. is_late: the program runs already.
 */
void candidate_analyse(struct candidate *candidate, const struct config *config,
		       struct arena *scratch, int is_late);

/*
 * Give its functions their numbers, and record both. Numbers live in `kept`.
 * now_ns: 0 before main. 0 or -errno.
 */
int candidate_record(struct candidate *candidate, const struct config *config,
		     struct arena *scratch, struct arena *kept,
		     uint64_t now_ns);

/* What it took to hook them: a list of candidates. */
void candidates_record_costs(const struct candidate *first, uint64_t now_ns);

#endif
