/* SPDX-License-Identifier: MIT */
/*
 * Processes that could not create a part; a file next to the parts lists their
 * reasons (wire/recording.h).
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
 * Returns all entries of a directory in the order of their starts; free them
 * with unrecorded_free().
 */
struct unrecorded *unrecorded_read(const char *directory, size_t *count);
void unrecorded_free(struct unrecorded *items, size_t count);

#endif
