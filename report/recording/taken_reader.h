/* SPDX-License-Identifier: MIT */
/*
 * Calls that were counted while the process ran, and of which packets they were:
 * PID.SEQ.taken (wire/taken.h).
 */
#ifndef CLEW_RECORDING_TAKEN_READER_H
#define CLEW_RECORDING_TAKEN_READER_H

#include <stddef.h>
#include <stdint.h>

#include "wire/taken.h"

struct taken {
	struct wire_taken_packet *packets; /* by offset */
	size_t packet_count;
	struct wire_taken_count *counts;
	size_t count_count;
	uint64_t taken, calls, bad_words;
};

/* The file beside a part; free() it. NULL if the part is called otherwise. */
char *taken_path(const char *part_path);

/* 0, or -errno and *why; -ENOENT if there is none. taken_close() it. */
int taken_open(struct taken *taken, const char *path, char **why);
void taken_close(struct taken *taken);

/* Whether a packet's calls are in there. `taken` may be NULL. */
int taken_has(const struct taken *taken, uint64_t offset, uint64_t sequence);

#endif
