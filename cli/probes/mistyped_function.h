/* SPDX-License-Identifier: MIT */
/* Reports function names that ELF files do not have. */
#ifndef CLEW_CLI_PROBES_MISTYPED_FUNCTION_H
#define CLEW_CLI_PROBES_MISTYPED_FUNCTION_H

#include "cli/recording/needed_libraries.h"
#include "image/probe_spec.h"

/*
 * Returns -ENOENT and *why: a message that the file has no function of this
 * name, with up to three similar names.
 */
int mistyped_function_refuse(const struct image *image, const char *path,
			     const char *function, char **why);

/*
 * Returns "did you mean A, B or C?" with up to three similar names of functions
 * in these files, or NULL. The caller frees it.
 */
char *mistyped_function_question(const struct needed_libraries *files,
				 const char *function);

#endif
