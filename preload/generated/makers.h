/* SPDX-License-Identifier: MIT */
/*
 * Records which module made memory executable (the maker), because little else
 * is known about unannounced code. The maker is the module whose code called
 * the kernel.
 *
 *	libruntime.so:	mprotect(code, n, PROT_READ | PROT_EXEC)
 *		-> here: [code, code + n) is libruntime.so's from now on
 *
 * Only changes are recorded (struct wire_maker): a runtime that alternates
 * between writing and executing the same memory is recorded once. If there are
 * many records, memory that the same module unmaps and maps again is also
 * recorded once.
 */
#ifndef CLEW_GENERATED_MAKERS_H
#define CLEW_GENERATED_MAKERS_H

#include <stdint.h>

/*
 * Notes that the code at pc, in a module's text or elsewhere, makes this memory
 * executable. Any thread may call the functions of this header, except
 * makers_begin_again() and makers_note_earlier(), at any time, also in signal
 * handlers. They preserve errno.
 */
void makers_note(uint64_t pc, uint64_t start, uint64_t bytes);

/*
 * Records that memory is about to be unmapped, or replaced by another mapping.
 */
void makers_note_end(uint64_t start, uint64_t bytes);

/*
 * Called when later records will go to another part. No other thread may record
 * meanwhile.
 */
void makers_begin_again(void);

/*
 * Records memory that an earlier session recorded and that is still mapped, and
 * memory outside modules that was mapped from modules' files before clew
 * attached (at most 64 such mappings).
 */
void makers_note_earlier(void);

/* Records the name that the program gives to memory. "" removes the name. */
void makers_note_name(uint64_t start, uint64_t bytes, const char *name);

/*
 * makers_find() returns an address in the text of the module that made the
 * memory at `at` executable (or in other code that made it executable), or 0.
 * makers_find_bytes() returns how many bytes from `at` on it made executable,
 * or 0.
 */
uint64_t makers_find(uint64_t at);
uint64_t makers_find_bytes(uint64_t at);

#endif
