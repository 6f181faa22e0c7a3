/* SPDX-License-Identifier: MIT */
/*
 * Writes the sites of a module's hooks (lookup/patch_find.h), and frees
 * patches.
 */
#ifndef CLEW_PATCH_PATCH_H
#define CLEW_PATCH_PATCH_H

#include "preload/lookup/patch_find.h"
#include "preload/stubs/window.h"

/*
 * Writes the sites of a chain of patches (next_of_module) of one module, except
 * disabled ones. Call it after sealing the windows, for code that no thread
 * executes: CODE_IS_IDLE (code.h). Calls no functions outside libclew.so.
 * Returns 0 or -errno. If a write fails, the bytes that were written before are
 * restored.
 */
int patch_commit(struct patch *chain);

/* Returns whether all bytes that patch_commit() would replace are unchanged. */
int patch_fits(const struct patch *patch);

/* Returns whether there is a byte that both patches change. */
int patch_meets(const struct patch *patch, const struct patch *other);

/*
 * Frees the patch's memory, but not its stubs: threads may still return into
 * them.
 */
void patch_destroy(struct patch *patch);

/*
 * Frees the stubs. Call it when no thread is in them or can return into them
 * (quiesce.h).
 */
void patch_free_stubs(const struct patch *patch, struct windows *windows);

#endif
