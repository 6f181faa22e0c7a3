/* SPDX-License-Identifier: MIT */
/*
 * The functions that clew stands in front of, where the library was loaded late:
 * nobody finds ours by name then, so the entry of each of them leads to ours
 * (patch/divert.h), and what `next` says behaves as it did before.
 */
#ifndef CLEW_FRONT_ENTRIES_H
#define CLEW_FRONT_ENTRIES_H

#include "preload/modules/modules.h"
#include "preload/stubs/window.h"
#include "wire/recording.h"

/*
 * A new module, which may have some of them; `functions` are its own as recorded.
 * Once next_find() has run, under the loader's lock.
 */
void entries_meet_module(struct module *module, struct windows *windows,
			 struct wire_function *functions, uint32_t count);

/* One that ours must be in front of and is not; NULL: none. */
const char *entries_missing(void);

#endif
