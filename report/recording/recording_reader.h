/* SPDX-License-Identifier: MIT */
/*
 * A recording: the parts of all processes that were followed.
 *
 * A part that cannot be read does not spoil the others: it becomes a problem,
 * a line of text that every report shows, and a command that showed what is left
 * fails (view.h). So does a process that could not be recorded and says why.
 */
#ifndef CLEW_RECORDING_RECORDING_READER_H
#define CLEW_RECORDING_RECORDING_READER_H

#include <stddef.h>

#include "report/recording/part_reader.h"

/* How often threads waited until workers had counted packets, and how long in all. */
struct packet_waits {
	uint64_t count, ns;
};

/* What expected conditions leave out. */
struct expected_losses {
	uint64_t overwritten_packets; /* a trace keeps only the latest calls */
	uint64_t short_calls;         /* that --min-duration removed */
	uint64_t
		rootless_threads; /* whose stack could not be read on attaching */
};

struct recording {
	struct part_copy *parts; /* in order of their start */
	size_t part_count;
	size_t part_capacity;
	char **problems; /* "NAME: what is wrong" */
	size_t problem_count;
	size_t problem_capacity;
	/* Of these, the conditions that were asked for or are usual. */
	const char **expected;
	size_t expected_count;
	size_t expected_capacity;
	struct expected_losses losses; /* of what was merged */
	/* One of the problems, the first to say that something is missing; NULL. */
	const char *damage;
	struct packet_waits waits; /* of the traces that were looked at */
	int has_headers_only; /* of parts that nobody has brought: see below */
};

/* `path` is a recording's directory or one part. 0, or -errno and *why. */
int recording_open(struct recording *recording, const char *path, char **why);

/* The same, but what chunks of other kinds hold need not be there (part_open_some()). */
int recording_open_some(struct recording *recording, const char *path,
			uint64_t kinds, char **why);

/*
 * The same, but of a directory's parts only headers are there, until each is brought, so
 * that no more of them need be in memory than are worked on. What is wrong with a part is a
 * problem from then on. The first that can be read is there already; if there is none,
 * that is an error.
 */
int recording_open_headers(struct recording *recording, const char *path,
			   char **why);

/* All of a part. NULL: it cannot be read, which is a problem. */
const struct part_copy *recording_bring(struct recording *recording,
					size_t index);

/* It is not needed any more, but for its header. */
void recording_let_go(struct recording *recording, size_t index);

/* The part of the process that this one was forked from; NULL: none is there. */
const struct part_copy *recording_parent(const struct recording *recording,
					 const struct part_copy *part);

/* When the first of its processes began: CLOCK_REALTIME. */
uint64_t recording_start_ns(const struct recording *recording);

/*
 * Adds a problem, which the recording frees. One that it has already, and NULL, is not
 * added. Returns whether it was.
 */
int recording_note(struct recording *recording, char *problem);

/*
 * The same for a condition that was asked for or is usual, such as a trace that keeps
 * only the latest calls: reports do not call it a problem.
 */
int recording_note_expected(struct recording *recording, char *text);
int recording_is_expected(const struct recording *recording, size_t problem);

void recording_close(struct recording *recording);

#endif
