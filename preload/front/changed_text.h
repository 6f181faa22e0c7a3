/* SPDX-License-Identifier: MIT */
/*
 * What the program does to text that hooks have been written to.
 *
 * Such text is the process's own memory, and MADV_DONTNEED gives it up for what the
 * file has: hooks would be gone, and where hooked text is mapped (prelinked_text.h)
 * what is other in this process. The front of madvise() therefore passes over the
 * text of modules, and over stubs and pads: what is there stays.
 *
 * Who maps something else there, or writes to it, may mean to change what is
 * executed. It is let be, and the hooks that are gone by it are counted
 * (wire_header.overwritten_hooks), and so are those that are found to be gone when they
 * are to be taken out (patch/live.h).
 */
#ifndef CLEW_FRONT_CHANGED_TEXT_H
#define CLEW_FRONT_CHANGED_TEXT_H

#include <stdint.h>

/* Before the program changes what is mapped there, or makes it writable. */
void changed_text_note(uint64_t start, uint64_t bytes);

/*
 * Count the hooks that are gone now; nothing is looked at before a note, or before one
 * was found. While the process is recorded. Takes the patches' lock.
 */
void changed_text_look(void);

#endif
