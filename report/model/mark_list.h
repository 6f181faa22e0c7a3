/* SPDX-License-Identifier: MIT */
/*
 * Moments and regions that programs told, by name, and each of them.
 *
 * A region is what lies between a beginning and the end of the same name and number:
 * the thread's last beginning that has no end yet, or else another thread's.
 */
#ifndef CLEW_MODEL_MARK_LIST_H
#define CLEW_MODEL_MARK_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "wire/mark_records.h"

struct mark_event {
	uint64_t time_ns; /* CLOCK_REALTIME */
	uint64_t number;
	uint32_t kind; /* enum wire_mark_kind */
	uint32_t name; /* index of sums */
	uint32_t pid, tid;
	uint32_t function; /* of the catalog, innermost; FUNCTION_NONE: none */
	/* Of an end, where its beginning is, and the other way round; 1 + index. */
	uint32_t other;
};

/* What there is of a name. */
struct mark_sum {
	char *name; /* safe to print */
	uint64_t moments;
	uint64_t regions; /* that have ended */
	uint64_t open;    /* that have not */
	uint64_t ends;    /* of none */
	/* With those that are in others of the name counted once. */
	uint64_t total_ns;
	uint64_t self_ns; /* without regions in it, of the same thread */
	uint64_t min_ns, median_ns, max_ns;
	uint64_t *lengths; /* of regions, sorted */
	size_t length_count, length_capacity;
};

struct mark_list {
	struct mark_sum *sums; /* in the order in which they were met */
	size_t count, capacity;
	struct mark_event *events; /* a process after the other, by time */
	size_t event_count, event_capacity;
	uint64_t lost[WIRE_MARK_LOSS_COUNT];
};

void mark_list_fini(struct mark_list *list);

/* The number of a name, which is text of a program's. */
uint32_t mark_list_name(struct mark_list *list, const char *name);

void mark_list_add(struct mark_list *list, const struct mark_event *event);

/* All events from this one on are of one process, and there will be no more of it. */
void mark_list_pair(struct mark_list *list, size_t from);

/* There will be no more. */
void mark_list_finish(struct mark_list *list);

/* Why, as reports say it. */
const char *mark_loss_text(unsigned int loss);

#endif
