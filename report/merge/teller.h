/* SPDX-License-Identifier: MIT */
/* State that marks and probe events of one process share. */
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

/* Returns whether events of that thread are selected. */
int teller_is_asked(const struct teller *teller, uint32_t tid);

/* Returns an event with this time stamp, context and thread. */
struct mark_event teller_event(const struct teller *teller, uint64_t tsc,
			       uint64_t id, uint32_t tid);

#endif
