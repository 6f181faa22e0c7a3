/* SPDX-License-Identifier: MIT */
/*
 * A loaded module (executable or shared object) before it is hooked: whether it
 * will be hooked, and its functions, from its file.
 *
 * Called under the loader's lock, as hook_update().
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
	struct number_range *numbers; /* of its functions; NULL: it has none */
	struct prelinked prelinked;   /* existing prelinked stubs */
	/*
	 * -errno of finding or making the prelinked stubs; 0 also if this was
	 * not attempted
	 */
	int prelinked_err;
	struct prelinked_text *text; /* the module's hooked text, or NULL */
	int has_kept_text;           /* the text was stored just now */
	struct patch *patch;         /* NULL: nothing is hooked */
	struct wire_hooking cost;    /* base and loaded_ns are set at the end */
};

/*
 * Decides whether the module will be hooked, and sets its state; if so, finds
 * its functions. is_late: the program already runs.
 */
void candidate_analyse(struct candidate *candidate, const struct config *config,
		       struct arena *scratch, int is_late);

/*
 * Assigns numbers to its functions, and records module and functions. Numbers
 * are allocated in `kept`. now_ns: the time, or 0 in the first pass of a
 * session. Returns 0 or -errno.
 */
int candidate_record(struct candidate *candidate, const struct config *config,
		     struct arena *scratch, struct arena *kept,
		     uint64_t now_ns);

/* Records the CPU time of hooking, for a list of candidates. */
void candidates_record_costs(const struct candidate *first, uint64_t now_ns);

#endif
