/* SPDX-License-Identifier: MIT */
/* One process that told of moments: what is the same of all of them. */
#ifndef CLEW_MERGE_TELLER_H
#define CLEW_MERGE_TELLER_H

#include "report/merge/contexts.h"
#include "report/model/clock.h"
#include "report/model/mark_list.h"
#include "report/recording/part_threads.h"

struct teller {
	const struct part_copy *part;
	struct contexts *contexts;
	const char *thread; /* the only one that is asked for, or NULL */
	struct threads threads;
	struct clock clock;
};

void teller_init(struct teller *teller, const struct part_copy *part,
		 struct contexts *contexts, const char *thread);
void teller_fini(struct teller *teller);

/* Whether anybody asks for what that thread told. */
int teller_is_asked(const struct teller *teller, uint32_t tid);

/* A moment of it, whose time stamp and context are these. */
struct mark_event teller_event(const struct teller *teller, uint64_t tsc,
			       uint64_t id, uint32_t tid);

#endif
