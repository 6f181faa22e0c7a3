/* SPDX-License-Identifier: MIT */
/*
 * The one writer of code: text of modules, and stubs that are sealed.
 *
 * How it is written depends on who may execute it meanwhile:
 *
 *	CODE_IS_IDLE	nobody, in the whole module. Its executable segments
 *			are writable instead of executable until code_close().
 *			Where clew is being attached, somebody: then it is noted
 *			only, and written from outside (journal.h).
 *			Where what has been writable may not be executed any
 *			more, or a segment may not be written, through the
 *			kernel, as the next one.
 *	CODE_IS_LIVE	any thread. Through /proc/self/mem: the code need
 *			never be writable. A barrier makes every processor see
 *			what was written before it executes on.
 *	CODE_IS_BOTH	any thread, in stubs, where /proc is not to be had: a
 *			page is writable and executable while it is written.
 *
 * The order in which bytes change is the caller's affair: live.h for text that
 * threads run through.
 *
 * System calls only: no libc, nothing of the program's.
 */
#ifndef CLEW_PATCH_CODE_H
#define CLEW_PATCH_CODE_H

#include <stdint.h>

#include "machine/address_space.h"
#include "preload/modules/modules.h"

enum code_use { CODE_IS_IDLE, CODE_IS_LIVE, CODE_IS_BOTH };

struct code_way;

/* On the stack of whoever writes; one at a time for a module. */
struct code_writer {
	const struct code_way *way;
	const struct module *module; /* CODE_IS_IDLE: whose code it is */
	int is_noted;                /* in the journal (journal.h) */
	int fd;                      /* of /proc/self/mem */
	uint64_t page;               /* the one being written; 0: none */
	volatile uint8_t *bytes;     /* where that is written */
	uint8_t copy[PAGE_BYTES];
};

/*
 * The module is for CODE_IS_IDLE only. 0; or -errno of the last way that was
 * tried, and the code is executable as before.
 */
int code_open(struct code_writer *writer, enum code_use use,
	      const struct module *module);

/* 0, or -errno if a module's code did not become executable again. */
int code_close(struct code_writer *writer);

/*
 * Each byte changes at once, in no order, until the next barrier at last. What
 * goes to one page is better written together.
 */
int code_write(struct code_writer *writer, uint64_t pc, const uint8_t *bytes,
	       uint64_t count);

/*
 * When it returns no thread of the process executes what stood there before
 * the writes that precede it. 0 or -errno.
 */
int code_barrier(struct code_writer *writer);

#endif
