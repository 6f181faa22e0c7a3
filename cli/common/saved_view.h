/* SPDX-License-Identifier: MIT */
/*
 * Selections and transforms that the user saved under a name, one file for
 * each: clew/views/NAME in the user's folder of settings. A line is
 * "OPTION=VALUE".
 */
#ifndef CLEW_CLI_COMMON_SAVED_VIEW_H
#define CLEW_CLI_COMMON_SAVED_VIEW_H

enum saved_option {
	SAVED_MODULE,
	SAVED_FUNCTION,
	SAVED_FOCUS,
	SAVED_IGNORE,
	SAVED_COLLAPSE,
	SAVED_FOLD,
	SAVED_OPTIONS
};

/* The names of the options, without "--". */
extern const char *const saved_option_names[SAVED_OPTIONS];

struct saved_view {
	/* NULL if the option was not given */
	const char *values[SAVED_OPTIONS];
	/* text of the file that was read, which contains the values */
	char *text;
};

/*
 * Reads a view. Options that have a value keep it. Returns 0, or -errno and
 * *why. The caller frees view->text.
 */
int saved_view_read(struct saved_view *view, const char *name, char **why);

/* Saves a view, or replaces it. Returns 0, or -errno and *why. */
int saved_view_write(const struct saved_view *view, const char *name,
		     char **why);

#endif
