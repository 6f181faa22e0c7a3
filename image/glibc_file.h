/* SPDX-License-Identifier: MIT */
/* Names of glibc's files. */
#ifndef CLEW_IMAGE_GLIBC_FILE_H
#define CLEW_IMAGE_GLIBC_FILE_H

/*
 * Returns whether a path belongs to the library of glibc with this soname: the
 * loader, libc, libdl or libpthread. Before glibc 2.34, the soname is a
 * symbolic link to a file whose name contains the version. /proc/PID/maps and
 * /proc/PID/exe contain that name: libc-2.31.so for libc.so.6.
 *
 * For other sonames, returns whether the file has that name.
 */
int glibc_file_is(const char *path, const char *soname);

#endif
