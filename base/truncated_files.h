/* SPDX-License-Identifier: MIT */
/*
 * Files that others may shorten while they are mapped.
 *
 * A page behind the end of a mapped file raises SIGBUS when it is read. From this call
 * on, such a page reads as zeros, as if the file had been extended again: what reads
 * files that others wrote expects any bytes. Processes that are forked inherit it.
 */
#ifndef CLEW_BASE_TRUNCATED_FILES_H
#define CLEW_BASE_TRUNCATED_FILES_H

void truncated_files_read_as_zeros(void);

#endif
