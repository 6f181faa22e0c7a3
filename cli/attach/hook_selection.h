/* SPDX-License-Identifier: MIT */
/*
 * Counts the functions of a module that a configuration selects for hooking,
 * before the library is loaded. The result is the number of functions that
 * preload/modules/select.c will select, or greater.
 */
#ifndef CLEW_CLI_ATTACH_HOOK_SELECTION_H
#define CLEW_CLI_ATTACH_HOOK_SELECTION_H

#include "image/analysis.h"
#include "image/arena.h"

struct hook_rule;

struct hook_selection {
	struct hook_rule *rules;
	/*
	 * Whether there is a rule that selects modules ([0]), functions ([1]).
	 */
	int has_wishes[2];
	int is_timed;    /* --time=exact */
	int has_java_vm; /* --java=vm */
	int has_libc;    /* --libc */
	struct arena arena;
};

void hook_selection_init(struct hook_selection *selection, const char *config);
void hook_selection_fini(struct hook_selection *selection);

/*
 * Returns whether the rules select the module with this path in the mappings.
 */
int hook_selection_has_module(const struct hook_selection *selection,
			      const char *path);

/*
 * Returns how many functions of an analysed module will be hooked at most.
 * `path` is the module's path in the mappings. The module's symbols are read
 * from the file `here`, a path that clew can open.
 */
uint64_t hook_selection_count(const struct hook_selection *selection,
			      const char *path, const char *here,
			      const struct analysis *analysis);

#endif
