/* SPDX-License-Identifier: MIT */
/*
 * Reads which processes could not create a part, and why, from the file
 * WIRE_UNRECORDED_NAME (wire/recording.h).
 */
#ifndef CLEW_RECORDING_UNRECORDED_READER_H
#define CLEW_RECORDING_UNRECORDED_READER_H

#include <stddef.h>
#include <stdint.h>

struct unrecorded {
	uint32_t pid;
	char *why; /* safe to print */
};

/*
 * Returns the first entries of a recording's file, at most 10,000, in the
 * file's order, and their number in *count. *more becomes the number of further
 * entries. The caller calls unrecorded_free().
 */
struct unrecorded *unrecorded_read(const char *directory, size_t *count,
				   size_t *more);
void unrecorded_free(struct unrecorded *items, size_t count);

#endif
