/* SPDX-License-Identifier: MIT */
/*
 * Installs the fronts if the library was loaded late. Symbol order then does
 * not find clew's functions, so the entry of each function is diverted to its
 * front (patch/divert.h), and `next` points to code that does what the function
 * did.
 */
#ifndef CLEW_FRONT_ENTRIES_H
#define CLEW_FRONT_ENTRIES_H

#include "preload/modules/modules.h"
#include "preload/stubs/window.h"
#include "wire/recording.h"

/*
 * Diverts the functions of a new module that have fronts; `functions` are the
 * module's, as recorded. Call it after next_find(), under the loader's lock.
 */
void entries_meet_module(struct module *module, struct windows *windows,
			 struct wire_function *functions, uint32_t count);

/*
 * Returns the name of a function whose front is indispensable and could not be
 * installed; NULL: none.
 */
const char *entries_missing(void);

#endif
