/* SPDX-License-Identifier: MIT */
/*
 * The journal of a process that clew has attached to: all changed bytes in code
 * and data of modules, with the original bytes. `clew attach` uses it to undo
 * the changes from outside, and also to write them at first
 * (wire/attachment.h).
 *
 * Written under the loader's lock, or the lock of patches.
 */
#ifndef CLEW_PATCH_JOURNAL_H
#define CLEW_PATCH_JOURNAL_H

#include "preload/sys/range.h"
#include "wire/attachment.h"

/*
 * Begins the journal, unless it has begun; nothing is written yet. Returns 0 or
 * -ENOMEM.
 */
int journal_begin(void);

/*
 * Returns whether changes are only noted, not written, because other threads
 * execute the code.
 */
int journal_is_deferring(void);

/*
 * Records the present bytes of data as the original ones: the loader may have
 * changed them.
 */
void journal_refresh(void);

/* Sets whether changes are only noted (deferred) or also written. */
void journal_set_deferring(int is_deferring);

/*
 * Notes bytes to be written at an address, and stores the present ones. Does
 * nothing if no journal has begun. Returns 0; -ENOSPC if it is full.
 */
int journal_note(uint64_t at, const uint8_t *bytes, uint64_t count,
		 int is_data);

/*
 * Until this is 0 again, notes belong to the library itself and not to hooks.
 */
void journal_keep(int is_kept);

/* Forgets all notes of hooks, none of which is written; others will follow. */
void journal_forget_hooks(void);

/*
 * Returns the address range of whole pages that contain only notes of hooks;
 * empty if a file is mapped there.
 */
struct pc_range journal_hooks(void);

/*
 * Replaces these pages by a mapping with the same bytes, or unmaps it. No
 * thread may note anything meanwhile.
 */
void journal_share(const struct pc_range *part, void *shared);

/* Forgets notes of a module that was unloaded. */
void journal_forget(const struct pc_range *range);

const struct wire_text *journal_texts(uint64_t *count);

#endif
