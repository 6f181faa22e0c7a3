/* SPDX-License-Identifier: MIT */
/* Modules that are not hooked unless the user asks for them, or never. */
#ifndef CLEW_IMAGE_SPECIAL_MODULES_H
#define CLEW_IMAGE_SPECIAL_MODULES_H

#include <stdint.h>

#include "wire/verdict.h"

/* What becomes of a module by its file's name, without rules: hooked, or why not. */
enum module_state special_module_state(const char *path);

/*
 * What becomes of a module by its enum trait: hooked, or why not. Only V8's depends on
 * whether the module was loaded before clew was (is_late).
 */
enum module_state module_state_of_traits(uint32_t traits, int is_late);

/* Whether a module in that state is hooked by no option or rule. */
static inline int module_state_is_final(enum module_state state)
{
	return state != MODULE_IS_HOOKED && state != MODULE_IS_LIBC &&
	       state != MODULE_IS_JAVA_VM;
}

#endif
