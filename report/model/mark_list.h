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

/* One that a probe kept (wire/user_probe.h). */
struct mark_value {
	const char *name; /* what was asked for, safe to print; the list's */
	uint64_t number;
	char *string;       /* NULL: there is none */
	char format;        /* enum wire_field_format */
	uint8_t is_missing; /* it could not be had */
	uint8_t is_cut;     /* a string that may go on */
};

struct mark_event {
	uint64_t time_ns; /* CLOCK_REALTIME */
	uint64_t number;
	uint32_t kind; /* enum wire_mark_kind */
	uint32_t name; /* index of sums */
	uint32_t pid, tid;
	uint32_t function; /* of the catalog, innermost; FUNCTION_NONE: none */
	/* Of an end, where its beginning is, and the other way round; 1 + index. */
	uint32_t other;
	uint32_t first_value, value_count; /* of the list's */
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
	uint64_t min_ns, median_ns, p90_ns, p99_ns, max_ns;
	uint64_t *lengths; /* of regions, sorted */
	size_t length_count, length_capacity;
};

struct mark_list {
	struct mark_sum *sums; /* in the order in which they were met */
	size_t count, capacity;
	struct mark_event *events; /* a process after the other, by time */
	size_t event_count, event_capacity;
	struct mark_value *values;
	size_t value_count, value_capacity;
	char **value_names;
	size_t value_name_count, value_name_capacity;
	uint64_t lost[WIRE_MARK_LOSS_COUNT];
};

void mark_list_fini(struct mark_list *list);

/* The number of a name, which is text of a program's. */
uint32_t mark_list_name(struct mark_list *list, const char *name);

void mark_list_add(struct mark_list *list, const struct mark_event *event);

/* What a value is called, text of a user's; it lives as long as the list. */
const char *mark_list_value_name(struct mark_list *list, const char *text,
				 size_t bytes);

/* As C writes it; free() it. */
char *mark_value_text(const struct mark_value *value);

/* Of the event that is added next: the list takes its string over. */
void mark_list_add_value(struct mark_list *list,
			 const struct mark_value *value);

/* All events by their time. To be freed. */
const struct mark_event **mark_list_by_time(const struct mark_list *list);

/* All events from this one on are of one process, and there will be no more of it. */
void mark_list_pair(struct mark_list *list, size_t from);

/* There will be no more. */
void mark_list_finish(struct mark_list *list);

/* How many regions took less than 2 to the power of `bit` ns, and not less than half. */
uint64_t mark_sum_count(const struct mark_sum *sum, unsigned int bit);

/* Why, as reports say it. */
const char *mark_loss_text(unsigned int loss);

#endif
