/* SPDX-License-Identifier: MIT */
/*
 * Who made memory executable: of code that nobody announces that is what there is
 * to know. The maker is the module whose code asked the kernel.
 *
 *	libruntime.so: mprotect(code, n, PROT_READ | PROT_EXEC)
 *	  -> here: [code, code + n) is libruntime.so's, from now on
 *
 * Recorded is what changes (struct wire_maker): a runtime that goes back and forth
 * between writing and executing one piece of memory is recorded once. Where there is
 * much of it, what is unmapped and made again by the same module is so, too.
 */
#ifndef CLEW_FRONT_MAKERS_H
#define CLEW_FRONT_MAKERS_H

#include <stdint.h>

/*
 * The code at pc, in a module's text or elsewhere, has made the memory executable,
 * or is about to. All of these: any thread, at any time, in a signal handler as
 * well; errno stays.
 */
void makers_note(uint64_t pc, uint64_t start, uint64_t bytes);

/* The memory is about to be unmapped, or something to be mapped over it. */
void makers_note_end(uint64_t start, uint64_t bytes);

/* What is recorded from now on goes to another part. Nobody records meanwhile. */
void makers_begin_again(void);

/*
 * Records what an earlier session has recorded and is still mapped, and the memory
 * outside of modules that was mapped from modules' files before clew attached.
 */
void makers_note_earlier(void);

/* The program gives it a name: "" takes it away. */
void makers_note_name(uint64_t start, uint64_t bytes, const char *name);

/*
 * In the maker's text, if what is at an address was made executable, and for how many
 * bytes from there on; or 0.
 */
uint64_t makers_find(uint64_t at);
uint64_t makers_find_bytes(uint64_t at);

#endif
