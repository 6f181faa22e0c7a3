/* SPDX-License-Identifier: MIT */
/*
 * Making a file longer, in a process that may be forbidden to (RLIMIT_FSIZE).
 *
 * The kernel refuses with EFBIG what would be longer than the limit, and sends
 * SIGXFSZ besides, which ends a program that does not expect it. The limit can
 * be lowered at any time, so that no look at it beforehand would do.
 */
#ifndef CLEW_SYS_ENLARGE_H
#define CLEW_SYS_ENLARGE_H

#include <stddef.h>
#include <stdint.h>

/*
 * ftruncate(), truncate(), write() and pwrite(), as they are, but that the
 * program gets no SIGXFSZ: 0 or a count, or -errno. Any thread.
 */
int enlarge_file(int fd, uint64_t bytes);
int enlarge_named(const char *path, uint64_t bytes);
long enlarge_by_write(int fd, const void *buffer, size_t bytes);
long enlarge_by_pwrite(int fd, const void *buffer, size_t bytes,
		       uint64_t offset);

/* pwrite() of whole pages of zeros, of no more than 64 KiB: a count or -errno. */
long enlarge_by_zeros(int fd, uint64_t bytes, uint64_t offset);

#endif
