/* SPDX-License-Identifier: MIT */
/*
 * Data of one process from which both marks and probe events are converted to a
 * struct mark_event.
 */
#ifndef CLEW_MERGE_TELLER_H
#define CLEW_MERGE_TELLER_H

#include "report/merge/contexts.h"
#include "report/model/clock.h"
#include "report/model/mark_list.h"
#include "report/recording/part_threads.h"

struct teller {
	const struct part_copy *part;
	struct contexts *contexts;
	const char *thread; /* the only selected thread, or NULL */
	struct threads threads;
	struct clock clock;
};

void teller_init(struct teller *teller, const struct part_copy *part,
		 struct contexts *contexts, const char *thread);
void teller_fini(struct teller *teller);

/* Returns whether events of the thread with this id are selected. */
int teller_is_asked(const struct teller *teller, uint32_t tid);

/*
 * Returns an event with the time, context and thread that are given by time
 * stamp, id and thread id.
 */
struct mark_event teller_event(const struct teller *teller, uint64_t tsc,
			       uint64_t id, uint32_t tid);

#endif
