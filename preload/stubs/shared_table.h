/* SPDX-License-Identifier: MIT */
/*
 * Tables that are equal in several processes of one recording, such as those
 * that a server has forked.
 *
 * Each process computes a table in private memory. Then it maps a file of the
 * recording's folder that has the same bytes, and frees its own pages. The
 * file's name contains a hash of the table. The first process writes the file;
 * the others compare every byte. Pages that a process writes to later become
 * private again. The file is checked as a file of prelinked stubs is
 * (prelinked_file.h).
 */
#ifndef CLEW_STUBS_SHARED_TABLE_H
#define CLEW_STUBS_SHARED_TABLE_H

#include <stdint.h>

/* Smaller tables are not worth a mapping of their own. */
#define SHARED_TABLE_MIN_BYTES (UINT64_C(64) << 10)

/*
 * Maps a file in `dir` that has the bytes of a table, which are whole pages.
 * Returns the address of the mapping, which is writable, or NULL. Any thread
 * may call it, but not within apart_call().
 */
void *shared_table(const char *dir, const void *table, uint64_t bytes);

#endif
