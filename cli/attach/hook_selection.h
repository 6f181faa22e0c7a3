/* SPDX-License-Identifier: MIT */
/*
 * Counts the functions of a module that a configuration selects for hooking,
 * before the library is loaded. The count is that of preload/modules/select.c,
 * or higher.
 */
#ifndef CLEW_CLI_ATTACH_HOOK_SELECTION_H
#define CLEW_CLI_ATTACH_HOOK_SELECTION_H

#include "image/analysis.h"
#include "image/arena.h"

struct hook_rule;

struct hook_selection {
	struct hook_rule *rules;
	int has_wishes[2]; /* A rule selects modules; functions. */
	int is_timed;      /* --time=exact */
	int has_java_vm;   /* --java=vm */
	struct arena arena;
};

void hook_selection_init(struct hook_selection *selection, const char *config);
void hook_selection_fini(struct hook_selection *selection);

/* Returns whether the rules select a module, by the path of its mapping. */
int hook_selection_has_module(const struct hook_selection *selection,
			      const char *path);

/*
 * Returns how many functions of an analysed module will be hooked. The module's
 * symbols are read from the file `here`.
 */
uint64_t hook_selection_count(const struct hook_selection *selection,
			      const char *path, const char *here,
			      const struct analysis *analysis);

#endif
