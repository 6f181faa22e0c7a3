/* SPDX-License-Identifier: MIT */
/*
 * Observes changes that the program makes to text with hooks.
 *
 * Text with hooks is private memory of the process, and MADV_DONTNEED would
 * replace it by the file's contents: without hooks and, over hooked text
 * (prelinked_text.h), without this process's differences. The front of
 * madvise() therefore skips the text of modules, stubs and pads, which stay as
 * they are.
 *
 * A program that maps other memory there or writes to it may intend to change
 * the code. clew permits that and counts the hooks that it removes
 * (wire_header.overwritten_hooks), also those that are found missing when they
 * should be unhooked (patch/live.h).
 */
#ifndef CLEW_FRONT_CHANGED_TEXT_H
#define CLEW_FRONT_CHANGED_TEXT_H

#include <stdint.h>

/* Call it before the program changes a mapping there, or makes it writable. */
void changed_text_note(uint64_t start, uint64_t bytes);

/*
 * Counts the hooks that are missing now, while the process is recorded. Checks
 * nothing before the first note, or before a missing hook was found. Takes the
 * patches' lock.
 */
void changed_text_check(void);

#endif
