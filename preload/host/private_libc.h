/* SPDX-License-Identifier: MIT */
/*
 * Functions of libc for the library's own use, which make system calls.
 *
 * private_libc.c defines open(), read() and others under their own names,
 * hidden, so that code linked into the library calls these. Names that the
 * library exports, as fronts of libc's functions, have another name there and
 * are declared here.
 */
#ifndef CLEW_HOST_PRIVATE_LIBC_H
#define CLEW_HOST_PRIVATE_LIBC_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Do what mmap() and munmap() do, by a system call. The hint is ignored:
 * place_map() (sys/place.h) chooses the address. Writable anonymous memory gets
 * the protection SYS_PROT_OURS (sys/sys.h).
 */
void *private_mmap(void *hint, size_t bytes, int protection, int flags, int fd,
		   off_t offset);
int private_munmap(void *address, size_t bytes);

#endif
