/* SPDX-License-Identifier: MIT */
/* Checked records of the user's probes (wire/user_probe.h). */
#ifndef CLEW_RECORDING_PROBES_READER_H
#define CLEW_RECORDING_PROBES_READER_H

#include "report/recording/part_reader.h"
#include "wire/user_probe.h"

/* The text of a probe or of one of its actions. Not NUL-terminated. */
struct recorded_probe {
	uint32_t number; /* below WIRE_PROBES_MAX */
	const char *text;
	size_t text_bytes;
	int is_removed;
};

/*
 * Reads the record at *at, which starts as 0, of a WIRE_PROBES or
 * WIRE_PROBE_ACTIONS chunk and advances *at. Returns 0 at the end and at a
 * malformed record.
 */
int recorded_probe_next(const struct part_chunk *chunk, size_t *at,
			struct recorded_probe *out);

/* The description of a recorded value. The text is not NUL-terminated. */
struct recorded_field {
	const struct wire_probe_field *wire;
	const char *text;
	size_t text_bytes;
};

/*
 * Reads a record of WIRE_PROBE_FIELDS, like recorded_probe_next(). The probe,
 * index and format are in range.
 */
int recorded_field_next(const struct part_chunk *chunk, size_t *at,
			struct recorded_field *out);

struct recorded_probe_events {
	/*
	 * The first of `count` events, each of event_bytes bytes. Some events
	 * are free.
	 */
	const unsigned char *first;
	uint32_t count;
	uint32_t event_bytes;
	uint32_t probe; /* below WIRE_PROBES_MAX */
};

/*
 * Returns whether a chunk is a WIRE_PROBE_EVENTS that contains all events which
 * its header claims. Sets *out only if it is.
 */
int recorded_probe_events_of(const struct part_chunk *chunk,
			     struct recorded_probe_events *out);

/* A crash of a probe's handler. The file's name is not NUL-terminated. */
struct recorded_crash {
	/* The probe is below WIRE_PROBES_MAX. */
	const struct wire_handler_crash *wire;
	const char *file;
	size_t file_bytes;
};

/*
 * Returns whether a chunk describes a handler that crashed. Sets *out only if
 * it does.
 */
int recorded_crash_of(const struct part_chunk *chunk,
		      struct recorded_crash *out);

/* Returns the hits of each probe, an array of WIRE_PROBES_MAX, or NULL. */
const struct wire_probe_hits *recorded_probe_hits_of(
	const struct part_chunk *chunk);

#endif
