/* SPDX-License-Identifier: MIT */
/* See made_code.h. */
#include "report/merge/made_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/recording/makers_reader.h"

/*
 * maximum number of processes whose records are read: the process and its
 * ancestors
 */
enum { ANCESTORS_MAX = 64 };

/*
 * A range of memory, needed while records are read: code in it may itself have
 * made other memory executable.
 */
struct made_piece {
	uint64_t start, end;
	uint64_t gone_tsc;
	uint32_t function; /* 0 if the function is unknown */
};

struct entering {
	struct made_code *made;
	struct catalog *catalog;
	const struct numbering *numbering;
	const struct clock *clock;
	struct made_piece *pieces;
	size_t count, capacity;
	/*
	 * The WIRE_MAPPED_CODE records of the current part, by a hash of start
	 * and time stamp.
	 */
	struct idmap mapped;
};

static uint32_t function_of_piece(const struct entering *entering, uint64_t pc,
				  uint64_t tsc)
{
	for (size_t i = entering->count; i > 0; i--) {
		const struct made_piece *piece = &entering->pieces[i - 1];

		if (pc >= piece->start && pc < piece->end &&
		    (piece->gone_tsc == 0 || tsc < piece->gone_tsc))
			return piece->function;
	}
	return 0;
}

/*
 * Returns the module that contained a pc at that time. If there is none,
 * returns the module at any time: in a forked child, the record of the memory
 * may be older than the child's own record of the module.
 */
static const struct numbering_module *module_of(
	const struct numbering *numbering, uint64_t pc, uint64_t time_ns)
{
	const struct numbering_module *module =
		numbering_module_at(numbering, pc, time_ns);

	return module ? module
		      : numbering_module_at(numbering, pc, NUMBERING_ANY_TIME);
}

/*
 * Returns whether the mapping's name says no more than the maker's name: it is
 * the maker's file, or clew's copy of a module with hooks.
 */
static int is_of_maker(const char *mapping, const char *maker_name)
{
	size_t bytes = strlen(mapping), suffix = strlen(WIRE_HOOKED_SUFFIX);

	return strcmp(mapping, maker_name) == 0 ||
	       (bytes > suffix &&
		strcmp(mapping + bytes - suffix, WIRE_HOOKED_SUFFIX) == 0);
}

static uint32_t function_of(struct entering *entering,
			    const struct recorded_maker *maker)
{
	struct catalog *catalog = entering->catalog;
	const struct numbering_module *module;
	const char *maker_name;
	char *mapping, *name;
	uint32_t function;

	if (maker->pc == 0)
		return 0;
	module = module_of(entering->numbering, maker->pc,
			   clock_time_ns(entering->clock, maker->tsc));
	if (!module)
		return function_of_piece(entering, maker->pc, maker->tsc);
	maker_name = catalog->modules[module->module].name;
	mapping = memory_string(maker->name, maker->name_bytes);
	if (is_of_maker(mapping, maker_name))
		*mapping = '\0';
	name = memory_printf("(generated code of %s%s%s)", maker_name,
			     *mapping ? ", " : "", mapping);
	function =
		catalog_named(catalog, KIND_GENERATED, CATALOG_NO_MODULE, name);
	free(name);
	free(mapping);
	return function;
}

/* ---- Memory that is mapped from a module's file ---- */

static uint64_t mapped_key(uint64_t start, uint64_t tsc)
{
	const uint64_t key = start ^ tsc * UINT64_C(0x9e3779b97f4a7c15);

	return key ? key : 1;
}

static void note_mapped(struct entering *entering,
			const struct part_chunk *chunk)
{
	const struct wire_mapped_code *items = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->used_bytes / sizeof(*items); i++)
		if (items[i].pc)
			*idmap_at(&entering->mapped,
				  mapped_key(items[i].start, items[i].tsc)) =
				(uintptr_t)&items[i];
}

/*
 * Returns the difference between the address of the same code in a module and
 * the mapping's address; 0: no module has this code.
 */
static uint64_t way_to_module(const struct entering *entering,
			      const struct recorded_maker *maker)
{
	const uint64_t *at = idmap_find(&entering->mapped,
					mapped_key(maker->start, maker->tsc));
	const struct wire_mapped_code *mapped;

	if (!at)
		return 0;
	mapped = (const void *)(uintptr_t)*at;
	return mapped->start == maker->start && mapped->tsc == maker->tsc
		       ? mapped->pc - mapped->start
		       : 0;
}

static void note_mapped_of(struct entering *entering,
			   const struct part_copy *part)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	idmap_fini(&entering->mapped);
	entering->mapped = (struct idmap){ 0 };
	while (part_next_chunk(part, &cursor, &chunk))
		if (chunk.kind == WIRE_MAPPED_CODE)
			note_mapped(entering, &chunk);
}

/* ---- Pieces ---- */

static void enter(struct entering *entering, const struct recorded_maker *maker)
{
	const uint32_t function = function_of(entering, maker);
	const uint64_t way = way_to_module(entering, maker);
	struct made_code *made = entering->made;
	const struct a2n_code piece = {
		.start = maker->start,
		.bytes = maker->end - maker->start,
		.name = function || way ? "made" : NULL,
	};
	uint64_t id;

	if (a2n_space_add(made->space, &piece, maker->tsc, &id))
		return;
	*idmap_at(&made->functions, id) = function;
	if (way)
		*idmap_at(&made->modules, id) = way;
	if (maker->gone_tsc)
		a2n_space_remove(made->space, id, maker->gone_tsc);
	entering->pieces =
		memory_grow(entering->pieces, entering->count,
			    &entering->capacity, sizeof(*entering->pieces));
	entering->pieces[entering->count++] = (struct made_piece){
		.start = maker->start,
		.end = maker->end,
		.gone_tsc = maker->gone_tsc,
		.function = function,
	};
}

/*
 * Adds those records of a part that were created up to the time stamp `until`.
 */
static void enter_part(struct entering *entering, const struct part_copy *part,
		       uint64_t until)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	note_mapped_of(entering, part);
	while (part_next_chunk(part, &cursor, &chunk)) {
		struct recorded_maker maker;
		size_t at = 0;

		if (chunk.kind != WIRE_MAKERS)
			continue;
		while (makers_next(&chunk, &at, &maker)) {
			if (maker.gone_tsc > until)
				maker.gone_tsc = 0;
			if (maker.start < maker.end && maker.tsc <= until)
				enter(entering, &maker);
		}
	}
}

/*
 * Adds the records of a parent's part. If only the part's header is loaded,
 * reads the records from the file.
 */
static void enter_parent(struct entering *entering,
			 const struct part_copy *part, uint64_t until)
{
	struct part_copy makers;
	char *why;

	if (!part->is_header) {
		enter_part(entering, part, until);
	} else if (part_open_some(&makers, part->path,
				  PART_KIND(WIRE_MAKERS) |
					  PART_KIND(WIRE_MAPPED_CODE),
				  &why) == 0) {
		enter_part(entering, &makers, until);
		part_close(&makers);
	} else {
		free(why);
	}
}

static void enter_with_parents(struct entering *entering,
			       const struct recording *recording,
			       const struct part_copy *part)
{
	const struct part_copy *line[ANCESTORS_MAX];
	int count = 0;

	for (; part && count < ANCESTORS_MAX; count++) {
		line[count] = part;
		part = recording_parent(recording, part);
	}
	while (--count > 0) {
		const struct wire_header *child = line[count - 1]->header;

		enter_parent(entering, line[count],
			     child->forked_tsc ? child->forked_tsc
					       : child->first.tsc);
	}
	enter_part(entering, line[0], UINT64_MAX);
}

void made_code_init(struct made_code *made, const struct recording *recording,
		    const struct part_copy *part, struct catalog *catalog,
		    const struct numbering *numbering,
		    const struct clock *clock)
{
	struct entering entering = {
		.made = made,
		.catalog = catalog,
		.numbering = numbering,
		.clock = clock,
	};

	*made = (struct made_code){ 0 };
	if (a2n_space_create(NULL, &made->space))
		return;
	enter_with_parents(&entering, recording, part);
	free(entering.pieces);
	idmap_fini(&entering.mapped);
	if (entering.count == 0 || a2n_space_commit(made->space) != 0) {
		a2n_space_destroy(made->space);
		made->space = NULL;
	}
}

void made_code_fini(struct made_code *made)
{
	if (made->space)
		a2n_space_destroy(made->space);
	idmap_fini(&made->functions);
	idmap_fini(&made->modules);
}

/*
 * Returns the value in the map for the range that contained the pc at that time
 * stamp, or 0.
 */
static uint64_t find(const struct made_code *made, const struct idmap *map,
		     uint64_t pc, uint64_t tsc)
{
	struct a2n_place place = { 0 };
	struct a2n_frame frame;
	const uint64_t *value;

	if (!made->space || a2n_space_lookup(made->space, pc, tsc, NULL, 0,
					     &place, &frame, 1) == 0)
		return 0;
	value = idmap_find(map, place.code);
	return value ? *value : 0;
}

uint32_t made_code_function(const struct made_code *made, uint64_t pc,
			    uint64_t tsc)
{
	return (uint32_t)find(made, &made->functions, pc, tsc);
}

uint64_t made_code_module_pc(const struct made_code *made, uint64_t pc,
			     uint64_t tsc)
{
	const uint64_t way = find(made, &made->modules, pc, tsc);

	return way ? pc + way : 0;
}

void made_code_mark_makers(const struct part_copy *part,
			   struct catalog *catalog,
			   const struct numbering *numbering)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	while (part_next_chunk(part, &cursor, &chunk)) {
		struct recorded_maker maker;
		size_t at = 0;

		if (chunk.kind != WIRE_MAKERS)
			continue;
		while (makers_next(&chunk, &at, &maker)) {
			const struct numbering_module *module =
				numbering_module_at(numbering, maker.pc,
						    NUMBERING_ANY_TIME);

			if (module)
				catalog->modules[module->module].is_maker = 1;
		}
	}
}
