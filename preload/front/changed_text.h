/* SPDX-License-Identifier: MIT */
/*
 * Observes changes that the program makes to text with hooks.
 *
 * Text with hooks is private memory of the process, and MADV_DONTNEED would
 * replace it by the file's contents: without hooks and, over hooked text
 * (prelinked_text.h), without this process's differences. clew's wrapper of
 * madvise() therefore skips the text of modules, stubs, trampolines and pads.
 *
 * A program that maps other memory there or writes to it may intend to change
 * the code. clew permits that and counts the hooks that are lost
 * (wire_header.overwritten_hooks), including those that a live change finds
 * overwritten (patch/live.h).
 */
#ifndef CLEW_FRONT_CHANGED_TEXT_H
#define CLEW_FRONT_CHANGED_TEXT_H

#include <stdint.h>

/*
 * Notes a range. Call it before the program changes a mapping there, or makes
 * it writable.
 */
void changed_text_note(uint64_t start, uint64_t bytes);

/*
 * Counts the hooks that are overwritten now, while the process is recorded.
 * Does nothing if no range was noted and no overwritten hook was found. Takes
 * the patches' lock.
 */
void changed_text_check(void);

#endif
