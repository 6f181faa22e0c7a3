/* SPDX-License-Identifier: MIT */
/*
 * Functions of libc for the library's own use, which make system calls.
 *
 * private_libc.c defines open(), read() and others under their own names, hidden,
 * so that what is linked into the library calls these. One that the library
 * exports under that name, to stand in front of libc's for the program, has
 * another name there, and is declared here.
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
