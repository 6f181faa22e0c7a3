/* SPDX-License-Identifier: MIT */
/*
 * Enlarges a file in a process whose file size may be limited (RLIMIT_FSIZE).
 *
 * Beyond the limit the kernel returns EFBIG and also sends SIGXFSZ, which kills
 * a program that does not expect it. The limit may be lowered at any time, so
 * checking it first does not suffice.
 */
#ifndef CLEW_SYS_ENLARGE_H
#define CLEW_SYS_ENLARGE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Do what ftruncate(), truncate(), write() and pwrite() do, but the program
 * gets no SIGXFSZ. Return 0 or a count, or -errno. Any thread may call them.
 */
int enlarge_file(int fd, uint64_t bytes);
int enlarge_named(const char *path, uint64_t bytes);
long enlarge_by_write(int fd, const void *buffer, size_t bytes);
long enlarge_by_pwrite(int fd, const void *buffer, size_t bytes,
		       uint64_t offset);

/*
 * Writes whole pages of zeros, at most 64 KiB, like pwrite(). Returns a count
 * or -errno.
 */
long enlarge_by_zeros(int fd, uint64_t bytes, uint64_t offset);

#endif
