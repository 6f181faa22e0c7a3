/* SPDX-License-Identifier: MIT */
/*
 * A recording: the parts of all processes that were followed.
 *
 * If a part cannot be read, the others are read nevertheless. Such a part
 * becomes a problem: a line of text in every report, and the reason for a
 * failure status of the command (view.h). A process that could not be recorded
 * is also a problem.
 */
#ifndef CLEW_RECORDING_RECORDING_READER_H
#define CLEW_RECORDING_RECORDING_READER_H

#include <stddef.h>

#include "report/recording/part_reader.h"

/*
 * Number and total time of waits of threads until a worker had counted a
 * packet.
 */
struct packet_waits {
	uint64_t count, ns;
};

/* Losses that the user's options cause, or that are usual. */
struct expected_losses {
	/*
	 * Number of packets that were overwritten because a trace contains only
	 * the latest calls.
	 */
	uint64_t overwritten_packets;
	uint64_t short_calls; /* number of calls removed by --min-duration */
	/* Threads whose stack could not be read when clew attached. */
	uint64_t rootless_threads;
};

struct recording {
	struct part_copy *parts; /* sorted by start time */
	size_t part_count;
	size_t part_capacity;
	char **problems; /* texts "NAME: error" */
	size_t problem_count;
	size_t problem_capacity;
	/* Problems that the user's options cause, or that are usual. */
	const char **expected;
	size_t expected_count;
	size_t expected_capacity;
	/* Losses of the parts that were merged. */
	struct expected_losses losses;
	/* The first problem by which data is missing, or NULL. */
	const char *damage;
	struct packet_waits waits; /* sums over the traces that were read */
	/* Only the headers of parts are loaded until recording_bring(). */
	int has_headers_only;
};

/*
 * Opens a recording's directory, or a single part as a recording. Returns 0,
 * and the caller calls recording_close(); or -errno and *why.
 */
int recording_open(struct recording *recording, const char *path, char **why);

/*
 * Like recording_open(), but reads only the payloads of chunks whose kind is in
 * `kinds` (part_open_some()).
 */
int recording_open_some(struct recording *recording, const char *path,
			uint64_t kinds, char **why);

/*
 * Like recording_open(), but reads only the headers of a directory's parts, so
 * that not all parts need memory at the same time. recording_bring() loads a
 * part, and adds problems of the part then. One part is loaded at once, the
 * first that can be read; if there is none, the function fails.
 */
int recording_open_headers(struct recording *recording, const char *path,
			   char **why);

/*
 * Loads the whole part with this index, unless it is loaded. Returns the part;
 * or NULL if it cannot be read, and adds a problem unless it was added before.
 */
const struct part_copy *recording_bring(struct recording *recording,
					size_t index);

/*
 * Frees the part with this index except its header. Does nothing unless
 * has_headers_only is set.
 */
void recording_let_go(struct recording *recording, size_t index);

/*
 * Calls `look` with each part that can be read, in order. Parts that were not
 * in memory are freed again by recording_let_go(), so these need memory one at
 * a time if has_headers_only is set.
 */
void recording_each(struct recording *recording,
		    void (*look)(void *context, const struct part_copy *part),
		    void *context);

/*
 * Returns the part of the process image from which the part's process was
 * forked; NULL if it was not forked, or that part is not in the recording.
 */
const struct part_copy *recording_parent(const struct recording *recording,
					 const struct part_copy *part);

/*
 * Returns the time when the recording's first process started, in nanoseconds
 * (CLOCK_REALTIME).
 */
uint64_t recording_start_ns(const struct recording *recording);

/*
 * Adds a problem, an allocated text, and takes ownership of it. Does not add
 * NULL, or a text that was added before. Returns whether it was added.
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
