/* SPDX-License-Identifier: MIT */
/*
 * Data of one process from which both marks and probe events are converted to a
 * struct mark_event.
 */
#ifndef CLEW_MERGE_EVENT_READER_H
#define CLEW_MERGE_EVENT_READER_H

#include "report/merge/contexts.h"
#include "report/model/clock.h"
#include "report/model/mark_list.h"
#include "report/recording/part_threads.h"

struct event_reader {
	const struct part_copy *part;
	struct contexts *contexts;
	/* name or id of the selected threads, or NULL for all */
	const char *thread;
	struct threads threads;
	struct clock clock;
};

void event_reader_init(struct event_reader *event_reader,
		       const struct part_copy *part, struct contexts *contexts,
		       const char *thread);
void event_reader_fini(struct event_reader *event_reader);

/* Returns whether events of the thread with this id are selected. */
int event_reader_selects(const struct event_reader *event_reader, uint32_t tid);

/*
 * Returns a moment (WIRE_MARK_MOMENT) of the thread `tid` at a time stamp, in
 * the function of the context `id`, or FUNCTION_NONE without a recorded
 * context. Its name and values are not set.
 */
struct mark_event event_reader_event(const struct event_reader *event_reader,
				     uint64_t tsc, uint64_t id, uint32_t tid);

#endif
