/* SPDX-License-Identifier: MIT */
/*
 * Processes that could leave no part in a recording, and said why in a file
 * beside the parts (wire/recording.h).
 */
#ifndef CLEW_RECORDING_UNRECORDED_READER_H
#define CLEW_RECORDING_UNRECORDED_READER_H

#include <stddef.h>
#include <stdint.h>

struct unrecorded {
	uint32_t pid;
	char *why; /* printable */
};

/* All there are in that directory, in the order of their starts; free them. */
struct unrecorded *unrecorded_read(const char *directory, size_t *count);
void unrecorded_free(struct unrecorded *items, size_t count);

#endif
