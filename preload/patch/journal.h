/* SPDX-License-Identifier: MIT */
/*
 * In a process that clew has been attached to: all that stands in code and data
 * of modules in place of what was there, so that it can be undone from outside,
 * and at first is written from there as well (wire/attachment.h).
 *
 * Written under the loader's lock, or the patches'.
 */
#ifndef CLEW_PATCH_JOURNAL_H
#define CLEW_PATCH_JOURNAL_H

#include "preload/sys/range.h"
#include "wire/attachment.h"

/* Begin to note, if that has not begun: nothing is written yet. 0 or -ENOMEM. */
int journal_begin(void);

/* Who calls is to note only, not to write: others run through the code. */
int journal_is_ahead(void);

/* What is there now of data is what was there: the loader may have stored it. */
void journal_refresh(void);

/* From now on who notes also writes, or not. */
void journal_set_ahead(int is_ahead);

/*
 * So many bytes are to stand there; what does now is kept. Nothing where no
 * journal has begun. 0; -ENOSPC if there is no room for it.
 */
int journal_note(uint64_t at, const uint8_t *bytes, uint64_t count,
		 int is_data);

/* What is noted until this is 0 again is of no module's hooks. */
void journal_keep(int is_kept);

/* All but what is kept: other hooks will be. Nothing of them is written. */
void journal_forget_hooks(void);

/*
 * The addresses of whole pages that contain only what is noted of hooks; none if a file
 * is mapped there.
 */
struct pc_range journal_hooks(void);

/*
 * Moves a mapping with the same bytes in place of these pages, or unmaps it. Nobody notes
 * anything meanwhile.
 */
void journal_share(const struct pc_range *part, void *shared);

/* The module that was there is gone. */
void journal_forget(const struct pc_range *range);

const struct wire_text *journal_texts(uint64_t *count);

#endif
