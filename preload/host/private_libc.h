/* SPDX-License-Identifier: MIT */
/*
 * What private_libc.c cannot define under libc's name, because a function of that
 * name stands in front of libc's for the program (generators.c).
 */
#ifndef CLEW_HOST_PRIVATE_LIBC_H
#define CLEW_HOST_PRIVATE_LIBC_H

#include <stddef.h>
#include <sys/types.h>

/* As mmap() and munmap(), by a system call. */
void *private_mmap(void *hint, size_t bytes, int protection, int flags, int fd,
		   off_t offset);
int private_munmap(void *address, size_t bytes);

#endif
