/* SPDX-License-Identifier: MIT */
/*
 * The journal of a process that clew has attached to. It lists all changed
 * bytes in code and data of modules with their original values. An entry is
 * called a text (struct wire_text). `clew attach` uses the journal to undo the
 * changes from outside, and also to write them at first (wire/attachment.h).
 *
 * Once the process is entered, the journal is written by the thread that has
 * the turn (hooking_turn.h), or while all other threads are stopped. Before, it
 * is written by the thread that `clew attach` has borrowed.
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
 * Returns whether changes are only added to the journal and not written,
 * because other threads execute the code.
 */
int journal_is_deferring(void);

/*
 * For texts in data: stores the present bytes as the original ones, because the
 * loader may have changed them.
 */
void journal_refresh(void);

/*
 * Sets whether changes are only added to the journal (deferred) or also
 * written.
 */
void journal_set_deferring(int is_deferring);

/*
 * Adds bytes that will be written at an address, and stores the present ones
 * with them. Does nothing before journal_begin(). Returns 0; -ENOSPC if the
 * journal is full; -EINVAL if one text cannot hold so many bytes.
 */
int journal_note(uint64_t at, const uint8_t *bytes, uint64_t count,
		 int is_data);

/*
 * Stores a pointer in data: adds it with journal_note(), and writes it unless
 * changes are deferred. Returns as journal_note() does.
 */
int journal_store(void **at, void *pointer);

/*
 * Texts that are added until journal_keep(0) belong to the library itself and
 * not to hooks.
 */
void journal_keep(int is_kept);

/*
 * Removes all texts of hooks, which must not have been written. Others will be
 * added.
 */
void journal_forget_hooks(void);

/*
 * Returns the first pages of the journal that contain only texts of hooks in
 * code; an empty range if there are none, or if a file is mapped there.
 */
struct pc_range journal_hooks(void);

/*
 * Moves the mapping `shared`, which has the same bytes, over these pages of the
 * journal. If that fails, unmaps it. No thread may write to the journal
 * meanwhile.
 */
void journal_share(const struct pc_range *part, void *shared);

/*
 * Removes the texts in this range of addresses, which belonged to a module that
 * was unloaded.
 */
void journal_forget(const struct pc_range *range);

const struct wire_text *journal_texts(uint64_t *count);

#endif
