/* SPDX-License-Identifier: MIT */
/* The processes of a recording that have a trace. */
#ifndef CLEW_TRACE_TRACES_H
#define CLEW_TRACE_TRACES_H

#include "report/merge/merge.h"
#include "report/merge/numbering.h"
#include "report/model/clock.h"
#include "report/recording/part_threads.h"
#include "report/recording/recording_reader.h"
#include "report/recording/trace_reader.h"

/*
 * A recording may have thousands of processes, so a process stores little:
 * after traces_open(), neither its part nor the file of its trace is loaded.
 */
struct traced_process {
	/* Only its header may be loaded; see traces_bring_part(). */
	const struct part_copy *part;
	struct trace trace; /* after trace_let_go() */
	/* Use only numbering_function(): the rest points into the part. */
	struct numbering numbering;
	struct threads threads;
	struct clock clock;
	/* In a snapshot, the thread whose call caused it, or 0. */
	uint32_t snapshot_tid;
};

struct traces {
	struct catalog *catalog;
	/* name or id of the selected threads, or NULL for all */
	const char *thread;
	/* CLOCK_REALTIME at the start of the first process */
	uint64_t start_ns;
	struct recording *recording;
	struct traced_process *processes;
	size_t count;
};

/*
 * Opens the traces that `whose` selects. Inconsistencies become problems of the
 * recording. The recording and the catalog must outlive the traces. Returns 0,
 * or -ENODATA and *why if there are no traces.
 */
int traces_open(struct traces *traces, struct recording *recording,
		struct catalog *catalog, const struct whose *whose, char **why);
void traces_close(struct traces *traces);

/*
 * Loads the part of a process. Returns NULL, and notes a problem, if it cannot
 * be read. The caller calls traces_let_part_go() afterwards.
 */
const struct part_copy *traces_bring_part(const struct traces *traces,
					  const struct traced_process *process);
void traces_let_part_go(const struct traces *traces,
			const struct traced_process *process);

/* Returns the number of packets of older calls that were overwritten. */
uint64_t traces_overwritten(const struct traces *traces);

/* Returns whether the thread is selected. */
int traces_want(const struct traces *traces,
		const struct traced_process *process, uint32_t tid);

/* Returns the catalog's function for a function number of the process. */
uint32_t traced_function(const struct traced_process *process, uint32_t number);

/* Returns "" if the name is unknown. */
const char *traced_thread_name(const struct traced_process *process,
			       uint32_t tid);

#endif
