/* SPDX-License-Identifier: MIT */
/* Reports function names that an ELF file does not have. */
#ifndef CLEW_CLI_PROBES_MISTYPED_FUNCTION_H
#define CLEW_CLI_PROBES_MISTYPED_FUNCTION_H

#include "image/probe_spec.h"

/*
 * Returns -ENOENT and *why: the file has no function of this name, and the
 * nearest name.
 */
int mistyped_function_refuse(const struct image *image, const char *path,
			     const char *function, char **why);

/*
 * Returns a message, which the caller frees, if neither the program nor a
 * library that it needs has the function, but one has a similar name. Otherwise
 * returns NULL: the name is right, or a library that is loaded later may have
 * it.
 */
char *mistyped_function_text(const struct probe_spec *spec,
			     const char *program);

#endif
