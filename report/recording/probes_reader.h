/* SPDX-License-Identifier: MIT */
/* What the user's probes kept (wire/user_probe.h), checked. */
#ifndef CLEW_RECORDING_PROBES_READER_H
#define CLEW_RECORDING_PROBES_READER_H

#include "report/recording/part_reader.h"
#include "wire/user_probe.h"

/* The texts of a part's probes, or of what they do. Not NUL-terminated. */
struct recorded_probe {
	uint32_t number; /* below WIRE_PROBES_MAX */
	const char *text;
	size_t text_bytes;
	int is_removed;
};

/* The one at *at, 0 at first, of WIRE_PROBES or WIRE_PROBE_ACTIONS; 0: no more. */
int recorded_probe_next(const struct part_chunk *chunk, size_t *at,
			struct recorded_probe *out);

/* A value that is kept. Not NUL-terminated. */
struct recorded_field {
	const struct wire_probe_field *wire;
	const char *text;
	size_t text_bytes;
};

/* Likewise, of WIRE_PROBE_FIELDS: of a known probe, index and format. */
int recorded_field_next(const struct part_chunk *chunk, size_t *at,
			struct recorded_field *out);

struct recorded_probe_events {
	const unsigned char *first; /* event_bytes each; some are not there */
	uint32_t count;
	uint32_t event_bytes;
	uint32_t probe; /* below WIRE_PROBES_MAX */
};

/* Whether a chunk is that, and all that it says is in it; *out is set only if so. */
int recorded_probe_events_of(const struct part_chunk *chunk,
			     struct recorded_probe_events *out);

/* The file's name is not NUL-terminated. */
struct recorded_crash {
	const struct wire_handler_crash
		*wire; /* its probe below WIRE_PROBES_MAX */
	const char *file;
	size_t file_bytes;
};

/* Whether a chunk is of a handler that crashed; *out is set only if so. */
int recorded_crash_of(const struct part_chunk *chunk,
		      struct recorded_crash *out);

/* Hits of each probe, WIRE_PROBES_MAX of them, or NULL. */
const struct wire_probe_hits *recorded_probe_hits_of(
	const struct part_chunk *chunk);

#endif
