/* SPDX-License-Identifier: MIT */
/*
 * Which modules and functions are to be hooked, as the user's rules say (-m, -M,
 * -f, -F and --rules of clew record).
 */
#ifndef CLEW_MODULES_SELECT_H
#define CLEW_MODULES_SELECT_H

#include "preload/host/config.h"
#include "wire/verdict.h"

/*
 * MODULE_IS_HOOKED, or why the module is left out. A glob with a slash is
 * matched against the path, another against the file name. Counts matches.
 */
enum module_state select_module(const struct config *config, const char *path);

/* Whether a module is part of the C library. */
int select_is_libc(const char *path);

int select_has_function_rules(const struct config *config);

/* Whether a function of that (linker's) name stays in. Counts matches. */
int select_function(const struct config *config, const char *name);

#endif
