/* SPDX-License-Identifier: MIT */
/*
 * The user's probes of a recording, over all processes: where each is, and how it is
 * reached. Their hits are values (value_list.h) by the name of the probe.
 */
#ifndef CLEW_MODEL_PROBE_LIST_H
#define CLEW_MODEL_PROBE_LIST_H

#include <stdio.h>

#include "report/recording/part_reader.h"
#include "wire/user_probe.h"

/* Where a probe is, or would be, in a module. */
struct listed_place {
	char *module; /* its file's name; "" if it has no functions */
	uint64_t vaddr;
	uint8_t tier;   /* enum probe_tier */
	uint8_t reason; /* enum probe_reason */
};

/* A handler that a probe calls has crashed, and by what signal. */
struct listed_crash {
	char *file; /* whose code did; "": none's */
	uint64_t vaddr, address;
	uint32_t tid;
	uint8_t signal;
};

struct listed_probe {
	char name[8]; /* p1 */
	char *text;   /* as it was asked for */
	struct listed_place *places;
	size_t place_count, place_capacity;
	unsigned int by_tier[PROBE_TIER_COUNT]; /* places */
	uint8_t reason;     /* the first of those that have no tier */
	uint8_t is_removed; /* in the process that was read last */
	uint8_t has_module; /* one was there that it may be in */
	char **actions;     /* lines of what it does, as they were said */
	size_t action_count, action_capacity;
	/* Hits that are not among its value (struct wire_probe_hits). */
	uint64_t refused, unknown, over;
	uint64_t inside;   /* ... but in a handler */
	uint64_t lost;     /* that are, but what was to be kept was not */
	uint64_t uncalled; /* ... whose handler was not loaded */
	struct listed_crash *crashes;
	size_t crash_count, crash_capacity;
};

struct probe_list {
	struct listed_probe *items;
	size_t count, capacity;
};

/* Zero-initialised, it is given each part. */
void probe_list_add(struct probe_list *list, const struct part_copy *part);
void probe_list_fini(struct probe_list *list);

/* Whether a value is a probe's. */
int probe_list_has(const struct probe_list *list, const char *value);

/* How many places it is at. */
unsigned int listed_probe_places(const struct listed_probe *probe);

/* Why it is nowhere. */
const char *listed_probe_reason(const struct listed_probe *probe);

/* "its handler ./h.so:fn crashed: SIGSEGV, ..."; for free(). */
char *listed_crash_text(const struct listed_probe *probe,
			const struct listed_crash *crash);

/* One line for each probe that is nowhere, in no process, and each crash. */
void probes_warn(FILE *out, const struct probe_list *list, const char *prefix);

#endif
