/* SPDX-License-Identifier: MIT */
/*
 * The user's probes of a recording, over all processes: their locations, and
 * how each is reached. Hits are values (value_list.h) with the probe's name.
 */
#ifndef CLEW_MODEL_PROBE_LIST_H
#define CLEW_MODEL_PROBE_LIST_H

#include <stdio.h>

#include "report/recording/part_reader.h"
#include "wire/user_probe.h"

/*
 * A location of a probe in a module, or a location where it could not be set.
 */
struct listed_place {
	char *module; /* file name; "" if the module has no functions */
	uint64_t vaddr;
	uint8_t tier;   /* enum probe_tier */
	uint8_t reason; /* enum probe_reason */
};

/* A crash of a handler that a probe calls. */
struct listed_crash {
	char *file; /* file whose code crashed, or "" */
	uint64_t vaddr, address;
	uint32_t tid;
	uint8_t signal;
};

struct listed_probe {
	char name[8]; /* name of the probe, such as "p1" */
	char *text;   /* text of the probe as the user wrote it */
	struct listed_place *places;
	size_t place_count, place_capacity;
	/* number of locations by tier */
	unsigned int by_tier[PROBE_TIER_COUNT];
	/* enum probe_reason: why the first location without a tier has none */
	uint8_t reason;
	/* whether the probe is removed in the process that was read last */
	uint8_t is_removed;
	/* whether a module was loaded that may contain the probe's location */
	uint8_t has_module;
	char **actions; /* its actions, one text each, as the user wrote them */
	size_t action_count, action_capacity;
	/*
	 * Numbers of hits, as in struct wire_probe_hits, which says which of
	 * them the probe's value counts as well.
	 */
	uint64_t refused, unknown, over;
	uint64_t inside;
	uint64_t lost;     /* counted hits whose values could not be recorded */
	uint64_t uncalled; /* counted hits whose handler was not loaded */
	struct listed_crash *crashes;
	size_t crash_count, crash_capacity;
};

struct probe_list {
	struct listed_probe *items;
	size_t count, capacity;
};

/* Adds a part to a list, which starts zero-initialised. */
void probe_list_add(struct probe_list *list, const struct part_copy *part);
void probe_list_fini(struct probe_list *list);

/* Returns whether a value with this name counts a probe's hits. */
int probe_list_has(const struct probe_list *list, const char *value);

/* Returns the number of locations at which the probe is set. */
unsigned int listed_probe_places(const struct listed_probe *probe);

/* Returns whether an action of the probe begins with this text. */
int listed_probe_has_action(const struct listed_probe *probe,
			    const char *begin);

/* Returns why the probe is not set at any location. */
const char *listed_probe_reason(const struct listed_probe *probe);

/*
 * Returns "its handler ./h.so:fn crashed with SIGSEGV (address ...), at ..., in
 * thread ..."; the caller frees it.
 */
char *listed_crash_text(const struct listed_probe *probe,
			const struct listed_crash *crash);

/*
 * Prints one line for each probe that no process has set (one for both probes
 * of a --snapshot-when), and one for each probe whose handler crashed.
 */
void probes_warn(FILE *out, const struct probe_list *list, const char *prefix);

#endif
