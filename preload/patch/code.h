/* SPDX-License-Identifier: MIT */
/*
 * Writing to code while others execute it.
 *
 * Through /proc/self/mem, so that the code need never be writable, let alone
 * writable and executable; and with the barrier that makes every processor
 * see what was written before it executes on. What goes to one page is written
 * together, because each write has to wait for the memory map's lock; the
 * bytes in between are written as they were.
 *
 * System calls only: no libc, nothing of the program's.
 */
#ifndef CLEW_PATCH_CODE_H
#define CLEW_PATCH_CODE_H

#include <stdint.h>

#define CODE_PAGE_BYTES 4096

struct code_writer {
	int fd;
	uint64_t page; /* pc; 0: none */
	uint8_t bytes[CODE_PAGE_BYTES];
};

/* 0, or -errno where the kernel does not let us do either. */
int code_open(struct code_writer *writer);
void code_close(struct code_writer *writer);

/* Each byte changes at once, in no order, until the next barrier at last. */
int code_write(struct code_writer *writer, uint64_t pc, const uint8_t *bytes,
	       uint64_t count);

/*
 * When it returns no thread of the process executes what stood there before
 * the writes that precede it. 0 or -errno.
 */
int code_barrier(struct code_writer *writer);

/*
 * Whether what has been writable may be executed afterwards. Not in a process
 * that has asked the kernel to refuse that: prctl(PR_SET_MDWE), or a filter.
 */
int code_can_be_unprotected(void);

#endif
