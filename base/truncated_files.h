/* SPDX-License-Identifier: MIT */
/*
 * Files that other processes may truncate while they are mapped.
 *
 * An access to a page beyond the end of a mapped file raises SIGBUS. This
 * function installs a handler for SIGBUS. Afterwards such pages contain zeros,
 * as if the file had been extended again; code that reads other users' files
 * must accept any bytes anyway. Forked processes inherit the handler.
 */
#ifndef CLEW_BASE_TRUNCATED_FILES_H
#define CLEW_BASE_TRUNCATED_FILES_H

void truncated_files_read_as_zeros(void);

#endif
