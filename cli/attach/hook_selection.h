/* SPDX-License-Identifier: MIT */
/*
 * How many functions of a module a configuration selects for hooking, found before
 * the process has the library: as preload/modules/select.c will decide, or more.
 */
#ifndef CLEW_CLI_ATTACH_HOOK_SELECTION_H
#define CLEW_CLI_ATTACH_HOOK_SELECTION_H

#include "image/analysis.h"
#include "image/arena.h"

struct hook_rule;

struct hook_selection {
	struct hook_rule *rules;
	int has_wishes[2]; /* some rule selects modules, functions */
	int is_timed;      /* --time=exact */
	int has_java_vm;   /* --java=vm */
	struct arena arena;
};

void hook_selection_init(struct hook_selection *selection, const char *config);
void hook_selection_fini(struct hook_selection *selection);

/* Whether the rules leave a module in, by the path that it is mapped from. */
int hook_selection_has_module(const struct hook_selection *selection,
			      const char *path);

/*
 * How many functions of it, as it is analysed, are hooked; `here` is where its
 * symbols can be read.
 */
uint64_t hook_selection_count(const struct hook_selection *selection,
			      const char *path, const char *here,
			      const struct analysis *analysis);

#endif
