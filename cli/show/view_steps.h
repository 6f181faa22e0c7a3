/* SPDX-License-Identifier: MIT */
/*
 * The transforms that the user of `clew view` chooses with keys, one after the
 * other: those of --focus, --ignore and --fold (report/view/transform.h).
 */
#ifndef CLEW_CLI_SHOW_VIEW_STEPS_H
#define CLEW_CLI_SHOW_VIEW_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "report/view/session.h"

enum view_step_kind {
	STEP_FOCUS,
	STEP_HIDE,
	STEP_FOLD_MODULE,
	STEP_FOLD_RECURSION,
};

/*
 * Steps contain names, because numbers of functions and modules change when the
 * recording is read again.
 */
struct view_step {
	enum view_step_kind kind;
	/* full name of the function or name of the module; or NULL */
	char *name;
};

/* All members are 0 if there is no step. */
struct view_steps {
	struct view_step *items;
	size_t count, capacity;
};

/*
 * Adds a step for a function, which STEP_FOLD_RECURSION ignores. Returns 0, or
 * -ENOENT if STEP_FOLD_MODULE is for a function that belongs to no module.
 */
int view_steps_add(struct view_steps *steps, enum view_step_kind kind,
		   struct catalog *catalog, uint32_t function);

/* Removes the last step. */
void view_steps_drop(struct view_steps *steps);

void view_steps_fini(struct view_steps *steps);

/*
 * Returns a text such as "focus: parse; fold recursion"; the caller frees it.
 */
char *view_steps_text(const struct view_steps *steps);

/*
 * Creates the tree after steps[from] and all later steps, and adds functions to
 * the catalog. Returns 0; or -ENODATA without a tree if no context remains.
 */
int view_steps_apply(const struct view_steps *steps, size_t from,
		     struct catalog *catalog, const struct tree *tree,
		     struct tree *out);

#endif
