/* SPDX-License-Identifier: MIT */
/*
 * A recording: the parts of all processes that were followed.
 *
 * An unreadable part does not prevent reading the others. An unreadable part
 * becomes a problem: a line of text in every report, and a failure status of
 * the command (view.h). A process that could not be recorded is also a problem.
 */
#ifndef CLEW_RECORDING_RECORDING_READER_H
#define CLEW_RECORDING_RECORDING_READER_H

#include <stddef.h>

#include "report/recording/part_reader.h"

/* Waits of threads until workers had counted packets: number and total time. */
struct packet_waits {
	uint64_t count, ns;
};

/* Losses that the user asked for or that are usual. */
struct expected_losses {
	/* a trace contains only the latest calls */
	uint64_t overwritten_packets;
	uint64_t short_calls; /* removed by --min-duration */
	/* Threads whose stack could not be read when clew attached. */
	uint64_t rootless_threads;
};

struct recording {
	struct part_copy *parts; /* sorted by start time */
	size_t part_count;
	size_t part_capacity;
	char **problems; /* "NAME: error" */
	size_t problem_count;
	size_t problem_capacity;
	/* The problems that were asked for or are usual. */
	const char **expected;
	size_t expected_count;
	size_t expected_capacity;
	struct expected_losses losses; /* of the merged parts */
	/* The first problem by which data is missing; NULL: none. */
	const char *damage;
	struct packet_waits waits; /* sums over the traces that were read */
	int has_headers_only;      /* of all parts without recording_bring() */
};

/* Opens a recording's directory or one part. Returns 0, or -errno and *why. */
int recording_open(struct recording *recording, const char *path, char **why);

/*
 * Like recording_open(), but payloads of other kinds may be missing
 * (part_open_some()).
 */
int recording_open_some(struct recording *recording, const char *path,
			uint64_t kinds, char **why);

/*
 * Like recording_open(), but reads only headers of a directory's parts, so that
 * few parts need memory at a time. recording_bring() loads a part; an error in
 * it becomes a problem then. The first readable part is loaded already; fails
 * if no part is readable.
 */
int recording_open_headers(struct recording *recording, const char *path,
			   char **why);

/* Loads a whole part. Returns NULL if it is unreadable, and adds a problem. */
const struct part_copy *recording_bring(struct recording *recording,
					size_t index);

/* Frees a part except for its header. */
void recording_let_go(struct recording *recording, size_t index);

/*
 * Returns the part from which this one was forked; NULL: not in the recording.
 */
const struct part_copy *recording_parent(const struct recording *recording,
					 const struct part_copy *part);

/* Returns CLOCK_REALTIME at which the recording's first process started. */
uint64_t recording_start_ns(const struct recording *recording);

/*
 * Adds a problem and takes ownership of it. Ignores NULL and a problem that was
 * added before. Returns whether it was added.
 */
int recording_note(struct recording *recording, char *problem);

/*
 * Like recording_note(), for a condition that was asked for or is usual, such
 * as a trace that contains only the latest calls. Reports do not call it a
 * problem.
 */
int recording_note_expected(struct recording *recording, char *text);
int recording_is_expected(const struct recording *recording, size_t problem);

void recording_close(struct recording *recording);

#endif
