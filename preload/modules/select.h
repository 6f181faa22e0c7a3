/* SPDX-License-Identifier: MIT */
/*
 * Selects modules and functions by the user's rules (-m, -M, -f, -F and --rules
 * of clew record).
 */
#ifndef CLEW_MODULES_SELECT_H
#define CLEW_MODULES_SELECT_H

#include "preload/host/config.h"
#include "wire/verdict.h"

/*
 * Returns MODULE_IS_HOOKED, or the reason why the module is not hooked: the
 * rules exclude it, it contains a probe's handler, or it is a module that is
 * not hooked unless requested (libc) or never (the loader). A glob with a slash
 * is matched against the path, any other against the file name. Adds 1 to
 * rule->matches of each rule that matches.
 */
enum module_state select_module(const struct config *config, const char *path);

/* Returns whether a module is part of the C library. */
int select_is_libc(const char *path);

int select_has_function_rules(const struct config *config);

/*
 * Returns whether the rules select a function with this symbol name. Adds 1 to
 * rule->matches of each rule that matches.
 */
int select_function(const struct config *config, const char *name);

#endif
