/* SPDX-License-Identifier: MIT */
/* See probe_list.h. */
#include "report/model/probe_list.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "match/glob.h"
#include "report/model/function_catalog.h"
#include "report/recording/probes_reader.h"

/*
 * Maximum number of locations. Only a damaged part contains a greater number.
 */
enum { PLACES_MAX = 65536 };

/* ---- Probes as the user wrote them ---- */

/*
 * Shows only the first of several addresses: "0x10,... FILE:LINE". The list of
 * locations has all of them.
 */
static char *shorten(char *text)
{
	const char *colon = probe_text_colon(text);
	char *address = text + (colon ? colon + 1 - text : 0);
	char *comma = strchr(address, ','), *blank = strchr(address, ' ');

	if (strncmp(address, "0x", 2) == 0 && comma && blank &&
	    blank - comma > 4) {
		comma[1] = comma[2] = comma[3] = '.';
		memmove(comma + 4, blank, strlen(blank) + 1);
	}
	return text;
}

/*
 * Returns the entry of a probe; creates it if needed. All processes use the
 * same numbers and texts.
 */
static struct listed_probe *enter(struct probe_list *list, uint32_t number,
				  const char *text, size_t bytes)
{
	char *printable = shorten(text_printable(memory_string(text, bytes)));
	struct listed_probe *probe;
	char name[16];

	snprintf(name, sizeof(name), "p%u", (unsigned int)number % 1000 + 1);
	for (size_t i = 0; i < list->count; i++) {
		probe = &list->items[i];
		if (strcmp(probe->name, name) == 0 &&
		    strcmp(probe->text, printable) == 0) {
			free(printable);
			return probe;
		}
	}
	list->items = memory_grow(list->items, list->count, &list->capacity,
				  sizeof(*list->items));
	probe = &list->items[list->count++];
	*probe = (struct listed_probe){ .text = printable };
	memcpy(probe->name, name, sizeof(probe->name) - 1);
	return probe;
}

/* Maps the probe numbers of a part to entries of the list. */
struct part_probes {
	size_t index[WIRE_PROBES_MAX]; /* 1 + index in the list, or 0 */
};

static void read_asked(struct probe_list *list, struct part_probes *probes,
		       const struct part_chunk *chunk)
{
	struct recorded_probe probe;
	struct listed_probe *listed;
	size_t at = 0;

	while (recorded_probe_next(chunk, &at, &probe)) {
		listed =
			enter(list, probe.number, probe.text, probe.text_bytes);
		listed->is_removed = (uint8_t)probe.is_removed;
		probes->index[probe.number] =
			(size_t)(listed - list->items) + 1;
	}
}

/*
 * Adds an action, unless the entry has it already: each process of a run
 * records all actions.
 */
static void add_action(struct listed_probe *probe,
		       const struct recorded_probe *action)
{
	char *text =
		text_printable(memory_string(action->text, action->text_bytes));

	for (size_t i = 0; i < probe->action_count; i++) {
		if (strcmp(probe->actions[i], text) != 0)
			continue;
		free(text);
		return;
	}
	probe->actions =
		memory_grow(probe->actions, probe->action_count,
			    &probe->action_capacity, sizeof(*probe->actions));
	probe->actions[probe->action_count++] = text;
}

static void read_actions(struct probe_list *list,
			 const struct part_probes *probes,
			 const struct part_chunk *chunk)
{
	struct recorded_probe action;
	size_t at = 0;

	while (recorded_probe_next(chunk, &at, &action))
		if (probes->index[action.number])
			add_action(
				&list->items[probes->index[action.number] - 1],
				&action);
}

/* ---- Results ---- */

/* Returns the name of the module whose function has this number. */
static char *module_of(const struct part_copy *part, uint32_t function)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	while (function && part_next_chunk(part, &cursor, &chunk)) {
		struct module_record record;
		char *path, *name;

		if (chunk.kind != WIRE_MODULE ||
		    !module_record_of(&chunk, &record) ||
		    function - record.module->first_function >=
			    record.function_count)
			continue;
		path = memory_string(record.path, record.path_bytes);
		name = memory_printf("%s", text_basename(text_printable(path)));
		free(path);
		return name;
	}
	return memory_string("", 0);
}

/*
 * Matches like image/probe_spec.h: a glob for the file's name, or for its path.
 */
static int may_be_in(const struct listed_probe *probe, const char *path)
{
	const char *colon = probe_text_colon(probe->text);
	char *glob;
	int is_meant;

	if (!colon)
		return 1;
	glob = memory_string(probe->text, (size_t)(colon - probe->text));
	is_meant = glob_matches_file(glob, path);
	free(glob);
	return is_meant;
}

static void read_module(struct probe_list *list,
			const struct part_probes *probes,
			const struct part_chunk *chunk)
{
	struct module_record record;
	char *path;

	if (!module_record_of(chunk, &record))
		return;
	path = memory_string(record.path, record.path_bytes);
	for (size_t i = 0; i < WIRE_PROBES_MAX; i++) {
		struct listed_probe *probe;

		if (!probes->index[i])
			continue;
		probe = &list->items[probes->index[i] - 1];
		if (!probe->has_module)
			probe->has_module = (uint8_t)may_be_in(probe, path);
	}
	free(path);
}

/*
 * Returns whether the location is listed already, as those of forked children
 * are.
 */
static int is_there(const struct listed_probe *probe,
		    const struct listed_place *place)
{
	for (size_t i = 0; i < probe->place_count; i++)
		if (probe->places[i].vaddr == place->vaddr &&
		    probe->places[i].tier == place->tier &&
		    probe->places[i].reason == place->reason &&
		    strcmp(probe->places[i].module, place->module) == 0)
			return 1;
	return 0;
}

static void add_place(struct listed_probe *probe, const struct part_copy *part,
		      const struct wire_probe_place *wire)
{
	struct listed_place place = {
		.module = module_of(part, wire->function),
		.vaddr = wire->vaddr,
		.tier = wire->tier < PROBE_TIER_COUNT ? wire->tier
						      : PROBE_BY_NONE,
		.reason = wire->reason,
	};

	if (probe->place_count == PLACES_MAX || is_there(probe, &place)) {
		free(place.module);
		return;
	}
	probe->places =
		memory_grow(probe->places, probe->place_count,
			    &probe->place_capacity, sizeof(*probe->places));
	probe->places[probe->place_count++] = place;
	probe->by_tier[place.tier]++;
	if (place.tier == PROBE_BY_NONE && !probe->reason)
		probe->reason = place.reason;
}

static void read_places(struct probe_list *list,
			const struct part_probes *probes,
			const struct part_copy *part,
			const struct part_chunk *chunk)
{
	const struct wire_probe_place *places = (const void *)chunk->payload;

	for (size_t i = 0; i < part_chunk_used(chunk) / sizeof(*places); i++)
		if (places[i].probe < WIRE_PROBES_MAX &&
		    probes->index[places[i].probe])
			add_place(&list->items[probes->index[places[i].probe] -
					       1],
				  part, &places[i]);
}

static void read_hits(struct probe_list *list, const struct part_probes *probes,
		      const struct wire_probe_hits *hits)
{
	for (size_t i = 0; hits && i < WIRE_PROBES_MAX; i++) {
		struct listed_probe *probe;

		if (!probes->index[i])
			continue;
		probe = &list->items[probes->index[i] - 1];
		probe->refused += hits[i].refused;
		probe->unknown += hits[i].unknown;
		probe->over += hits[i].over;
		probe->inside += hits[i].inside;
		probe->uncalled += hits[i].uncalled;
		probe->lost += hits[i].lost_no_space + hits[i].lost_too_many;
	}
}

static void read_crash(struct probe_list *list,
		       const struct part_probes *probes,
		       const struct part_chunk *chunk)
{
	struct recorded_crash crash;
	struct listed_probe *probe;

	if (!recorded_crash_of(chunk, &crash) ||
	    !probes->index[crash.wire->probe])
		return;
	probe = &list->items[probes->index[crash.wire->probe] - 1];
	probe->crashes =
		memory_grow(probe->crashes, probe->crash_count,
			    &probe->crash_capacity, sizeof(*probe->crashes));
	probe->crashes[probe->crash_count++] = (struct listed_crash){
		.file = text_printable(
			memory_string(crash.file, crash.file_bytes)),
		.vaddr = crash.wire->vaddr,
		.address = crash.wire->address,
		.tid = crash.wire->tid,
		.signal = crash.wire->signal,
	};
}

void probe_list_add(struct probe_list *list, const struct part_copy *part)
{
	struct part_probes probes = { { 0 } };
	struct part_chunk chunk;
	uint64_t cursor = 0;

	while (part_next_chunk(part, &cursor, &chunk))
		if (chunk.kind == WIRE_PROBES)
			read_asked(list, &probes, &chunk);
	cursor = 0;
	while (part_next_chunk(part, &cursor, &chunk)) {
		if (chunk.kind == WIRE_MODULE)
			read_module(list, &probes, &chunk);
		if (chunk.kind == WIRE_PROBE_PLACES)
			read_places(list, &probes, part, &chunk);
		if (chunk.kind == WIRE_PROBE_ACTIONS)
			read_actions(list, &probes, &chunk);
		read_hits(list, &probes, recorded_probe_hits_of(&chunk));
		read_crash(list, &probes, &chunk);
	}
}

void probe_list_fini(struct probe_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct listed_probe *probe = &list->items[i];

		for (size_t j = 0; j < probe->place_count; j++)
			free(probe->places[j].module);
		for (size_t j = 0; j < probe->action_count; j++)
			free(probe->actions[j]);
		for (size_t j = 0; j < probe->crash_count; j++)
			free(probe->crashes[j].file);
		free(probe->crashes);
		free(probe->actions);
		free(probe->places);
		free(probe->text);
	}
	free(list->items);
	*list = (struct probe_list){ 0 };
}

int probe_list_has(const struct probe_list *list, const char *value)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].name, value) == 0)
			return 1;
	return 0;
}

int listed_probe_has_action(const struct listed_probe *probe, const char *begin)
{
	for (size_t i = 0; i < probe->action_count; i++)
		if (strncmp(probe->actions[i], begin, strlen(begin)) == 0)
			return 1;
	return 0;
}

unsigned int listed_probe_places(const struct listed_probe *probe)
{
	return probe->by_tier[PROBE_BY_JUMP] + probe->by_tier[PROBE_BY_TRAP] +
	       probe->by_tier[PROBE_BY_STUB];
}

const char *listed_probe_reason(const struct listed_probe *probe)
{
	if (probe->place_count)
		return probe_reason_text(probe->reason);
	return probe_reason_text(probe->has_module ? PROBE_IS_NO_NAME
						   : PROBE_IS_NO_MODULE);
}

char *listed_crash_text(const struct listed_probe *probe,
			const struct listed_crash *crash)
{
	const char *signal = sigabbrev_np(crash->signal);
	const char *handler = "";

	for (size_t i = 0; i < probe->action_count; i++)
		if (strncmp(probe->actions[i], "call ", 5) == 0)
			handler = probe->actions[i] + 5;
	return memory_printf(
		"its handler %s crashed with SIG%s (address %#" PRIx64
		"), at %s%s%#" PRIx64 ", in thread %" PRIu32,
		handler, signal ? signal : "?", crash->address, crash->file,
		*crash->file ? "+" : "", crash->vaddr, crash->tid);
}

/*
 * Reports the first crash only, since one handler may crash in many processes.
 */
static void warn_of_crash(FILE *out, const struct listed_probe *probe,
			  const char *prefix)
{
	char *text = listed_crash_text(probe, probe->crashes);

	fprintf(out, "%sprobe %s, %s: %s\n", prefix, probe->name, probe->text,
		text);
	free(text);
}

/*
 * Returns whether neither probe of a function was placed, for the same reason.
 * --snapshot-when creates such a pair, at the function and at its return.
 */
static int is_missing_twice(const struct listed_probe *probe,
			    const struct listed_probe *next)
{
	const size_t length = strlen(probe->text);

	return strncmp(next->text, probe->text, length) == 0 &&
	       strcmp(next->text + length, "%return") == 0 &&
	       listed_probe_places(probe) == 0 &&
	       listed_probe_reason(probe) == listed_probe_reason(next);
}

void probes_warn(FILE *out, const struct probe_list *list, const char *prefix)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct listed_probe *probe = &list->items[i];

		if (listed_probe_places(probe) == 0 &&
		    !(i && is_missing_twice(probe - 1, probe)))
			fprintf(out, "%sprobe %s, %s, was not placed: %s\n",
				prefix, probe->name, probe->text,
				listed_probe_reason(probe));
		if (probe->crash_count)
			warn_of_crash(out, probe, prefix);
	}
}
