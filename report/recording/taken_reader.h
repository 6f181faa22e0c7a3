/* SPDX-License-Identifier: MIT */
/*
 * Reads PID.SEQ.taken (wire/taken.h): calls that workers of `clew record` have
 * counted while the process ran, and the packets that contained these calls.
 */
#ifndef CLEW_RECORDING_TAKEN_READER_H
#define CLEW_RECORDING_TAKEN_READER_H

#include <stddef.h>
#include <stdint.h>

#include "wire/taken.h"

struct taken {
	struct wire_taken_packet *packets; /* sorted by offset */
	size_t packet_count;
	struct wire_taken_count *counts;
	size_t count_count;
	uint64_t taken, calls, bad_words;
};

/*
 * Returns the path of the file that belongs to a part, which the caller frees;
 * NULL if the part's name does not end with WIRE_PART_SUFFIX.
 */
char *taken_path(const char *part_path);

/*
 * Reads a file. Returns 0, and the caller calls taken_close(); or -errno and
 * *why; -ENOENT if there is no file.
 */
int taken_open(struct taken *taken, const char *path, char **why);
void taken_close(struct taken *taken);

/*
 * Returns whether the calls of the packet with this offset and sequence, or of
 * a later packet at this offset, were counted. `taken` may be NULL.
 */
int taken_has(const struct taken *taken, uint64_t offset, uint64_t sequence);

#endif
