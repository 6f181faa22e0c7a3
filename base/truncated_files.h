/* SPDX-License-Identifier: MIT */
/*
 * Files that other processes may truncate while they are mapped.
 *
 * Reading a page beyond the end of a mapped file raises SIGBUS. After this call
 * such a page reads as zeros, as if the file had been extended again: code that
 * reads other users' files expects any bytes. Forked processes inherit this.
 */
#ifndef CLEW_BASE_TRUNCATED_FILES_H
#define CLEW_BASE_TRUNCATED_FILES_H

void truncated_files_read_as_zeros(void);

#endif
