/* SPDX-License-Identifier: MIT */
/*
 * The only writer of code: text of modules, and sealed stubs.
 *
 * The method depends on which threads may execute the code meanwhile:
 *
 *	CODE_IS_IDLE	No thread executes any code of the module. All
 *			executable segments are writable instead of executable
 *			until code_close().
 *			While clew attaches threads may execute it: the bytes
 *			are only recorded, and written from outside (journal.h).
 *			If written memory cannot become executable again, or a
 *			segment cannot become writable, the kernel writes, as
 *			for CODE_IS_LIVE.
 *	CODE_IS_LIVE	Any thread may execute the code. It is written through
 *			/proc/self/mem, so it is never writable. A barrier makes
 *			every processor see the written bytes before it executes
 *			further code.
 *	CODE_IS_BOTH	Any thread may execute the code, which is in a stub, and
 *			/proc is not available. The page is writable and
 *			executable while it is written.
 *
 * The caller determines the order in which bytes change: see live.h for text
 * that threads execute.
 *
 * Uses only system calls: no function of libc or the program.
 */
#ifndef CLEW_PATCH_CODE_H
#define CLEW_PATCH_CODE_H

#include <stdint.h>

#include "machine/address_space.h"
#include "preload/modules/modules.h"

enum code_use { CODE_IS_IDLE, CODE_IS_LIVE, CODE_IS_BOTH };

struct code_way;

/*
 * State of one series of writes. The caller allocates it, on its stack. A
 * module has only one at a time.
 */
struct code_writer {
	const struct code_way *way;
	const struct module *module; /* with CODE_IS_IDLE, the code's module */
	int is_noted;  /* bytes are also recorded in the journal (journal.h) */
	int fd;        /* descriptor of /proc/self/mem */
	uint64_t page; /* the current page, or 0 */
	volatile uint8_t *bytes; /* where that page's bytes are written */
	uint8_t copy[PAGE_BYTES];
};

/*
 * Opens a writer. The module is used for CODE_IS_IDLE only. Returns 0, or the
 * -errno of the last method tried; then the code is executable as before.
 */
int code_open(struct code_writer *writer, enum code_use use,
	      const struct module *module);

/*
 * Ends writing. Returns 0, or -errno if a module's code did not become
 * executable again.
 */
int code_close(struct code_writer *writer);

/*
 * Writes bytes. Each byte changes atomically, in any order, at the latest at
 * the next code_barrier(). Consecutive writes to the same page are the fastest.
 */
int code_write(struct code_writer *writer, uint64_t pc, const uint8_t *bytes,
	       uint64_t count);

/*
 * Completes the preceding writes. With CODE_IS_LIVE, also waits until every
 * processor that runs a thread of the process sees them before it executes
 * further code. Returns 0 or -errno.
 */
int code_barrier(struct code_writer *writer);

#endif
