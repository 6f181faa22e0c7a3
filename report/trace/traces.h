/* SPDX-License-Identifier: MIT */
/* The processes of a recording whose calls were written down one by one. */
#ifndef CLEW_TRACE_TRACES_H
#define CLEW_TRACE_TRACES_H

#include "report/merge/merge.h"
#include "report/merge/numbering.h"
#include "report/model/clock.h"
#include "report/recording/part_threads.h"
#include "report/recording/recording_reader.h"
#include "report/recording/trace_reader.h"

struct traced_process {
	const struct part_copy *part;
	struct trace trace;
	struct numbering numbering;
	struct threads threads;
	struct clock clock;
};

struct traces {
	struct catalog *catalog;
	const char *thread; /* the only one that is asked for, or NULL */
	uint64_t start_ns;  /* of the first process of all, CLOCK_REALTIME */
	struct traced_process *processes;
	size_t count;
};

/*
 * Opens those of whom `whose` wants. What is odd about one becomes a problem of the
 * recording, which must outlive the traces, like the catalog. -ENODATA and *why if
 * there are none.
 */
int traces_open(struct traces *traces, struct recording *recording,
		struct catalog *catalog, const struct whose *whose, char **why);
void traces_close(struct traces *traces);

/* Whether that thread is asked for. */
int traces_want(const struct traces *traces,
		const struct traced_process *process, uint32_t tid);

/* In the catalog: a function that the process has numbered so. */
uint32_t traced_function(const struct traced_process *process, uint32_t number);

/* "" if nobody knows. */
const char *traced_thread_name(const struct traced_process *process,
			       uint32_t tid);

#endif
