/* SPDX-License-Identifier: MIT */
/*
 * Moments and regions that programs have marked: each event, and sums by name.
 *
 * A region lasts from a begin mark to the end mark with the same name and
 * number. An end belongs to the thread's latest begin without an end, or else
 * to that of another thread. Only the newest begins are searched, up to a
 * limit.
 */
#ifndef CLEW_MODEL_MARK_LIST_H
#define CLEW_MODEL_MARK_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "wire/mark_records.h"

/* A value that a probe recorded (wire/user_probe.h). */
struct mark_value {
	/* its expression, safe to print; owned by the list or the label */
	const char *name;
	uint64_t number;
	char *string;       /* NULL if the value is no string */
	char format;        /* enum wire_field_format */
	uint8_t is_missing; /* whether the probe could not read the value */
	uint8_t is_cut;     /* whether the string may be longer */
};

struct mark_event {
	uint64_t time_ns; /* CLOCK_REALTIME */
	uint64_t number;
	uint32_t kind; /* enum wire_mark_kind */
	uint32_t name; /* index in `sums` */
	uint32_t pid, tid;
	/* innermost function, as an index in the catalog, or FUNCTION_NONE */
	uint32_t function;
	/*
	 * For an end, 1 + the index of its beginning, and vice versa. 0 if
	 * there is none.
	 */
	uint32_t other;
	uint32_t first_value, value_count; /* range in the list's `values` */
};

/* The sums of all marks of one name. */
struct mark_sum {
	char *name; /* safe to print */
	uint64_t moments;
	uint64_t regions; /* number of regions that have ended */
	uint64_t open;    /* number of regions without an end */
	uint64_t ends;    /* number of ends without a beginning */
	/* Time in regions; a region inside another of its name counts once. */
	uint64_t total_ns;
	/* time in regions, without inner regions of the same thread */
	uint64_t self_ns;
	uint64_t min_ns, median_ns, p90_ns, p99_ns, max_ns;
	/* durations of regions, sorted by mark_list_finish() */
	uint64_t *lengths;
	size_t length_count, length_capacity;
};

struct mark_list {
	struct mark_sum *sums; /* in the order in which names were added */
	size_t count, capacity;
	/*
	 * One part after another, the events of each in order of time, once
	 * they are paired.
	 */
	struct mark_event *events;
	size_t event_count, event_capacity;
	struct mark_value *values;
	size_t value_count, value_capacity;
	char **value_names;
	size_t value_name_count, value_name_capacity;
	uint64_t lost[WIRE_MARK_LOSS_COUNT];
};

void mark_list_fini(struct mark_list *list);

/* Returns the index of a name, which is text from a program. */
uint32_t mark_list_name(struct mark_list *list, const char *name);

void mark_list_add(struct mark_list *list, const struct mark_event *event);

/* Returns the list's copy of a value's name, which is text from the user. */
const char *mark_list_value_name(struct mark_list *list, const char *text,
				 size_t bytes);

/*
 * Returns the value as C writes it, or "?" if it is missing; the caller frees
 * it.
 */
char *mark_value_text(const struct mark_value *value);

/*
 * Adds a value of the next event that is added; the list takes over its string.
 */
void mark_list_add_value(struct mark_list *list,
			 const struct mark_value *value);

/* Returns all events sorted by time; the caller frees the array. */
const struct mark_event **mark_list_by_time(const struct mark_list *list);

/*
 * Sorts the events from index `from` on by time, and pairs them. These must be
 * all events of one process.
 */
void mark_list_pair(struct mark_list *list, size_t from);

/* Computes the percentiles; no event may be added afterwards. */
void mark_list_finish(struct mark_list *list);

/*
 * Returns how many regions took at least 2^(bit - 1) and less than 2^bit ns;
 * for bit 0, how many took 0 ns.
 */
uint64_t mark_sum_count(const struct mark_sum *sum, unsigned int bit);

/* Returns the reason of a loss, as reports print it. */
const char *mark_loss_text(unsigned int loss);

#endif
