/* SPDX-License-Identifier: MIT */
/* Modules that are hooked only if the user requests it, or never. */
#ifndef CLEW_IMAGE_SPECIAL_MODULES_H
#define CLEW_IMAGE_SPECIAL_MODULES_H

#include <stdint.h>

#include "wire/verdict.h"

/*
 * Returns the state of a module by its file name, without rules: hooked, or why
 * not.
 */
enum module_state special_module_state(const char *path);

/*
 * Returns the state of a module by its traits: hooked, or why not. V8's state
 * depends on whether the module was loaded before clew (is_late).
 */
enum module_state module_state_of_traits(uint32_t traits, int is_late);

/* Returns whether no option or rule makes clew hook a module in that state. */
static inline int module_state_is_final(enum module_state state)
{
	return state != MODULE_IS_HOOKED && state != MODULE_IS_LIBC &&
	       state != MODULE_IS_JAVA_VM;
}

#endif
