/* SPDX-License-Identifier: MIT */
#include "report/merge/told_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/model/java_name.h"
#include "report/recording/bindings_reader.h"

/* What HotSpot calls its own. */
#define INTERPRETER "Interpreter"

#define LEAD_NS     100000000

static uint32_t function_of(struct catalog *catalog,
			    const struct recorded_code *code)
{
	uint32_t function;
	char *name;

	if (code->kind != WIRE_CODE_JAVA)
		return catalog_named(catalog, KIND_GENERATED, CATALOG_NO_MODULE,
				     strcmp(code->name, INTERPRETER) == 0
					     ? "(interpreter)"
					     : code->name);
	name = java_name_of(code->class_name, code->name, code->signature);
	function = catalog_named(catalog, KIND_JAVA, CATALOG_NO_MODULE, name);
	free(name);
	return function;
}

/* Objects may overlap, and go in any order. */
static uint64_t key_of(const struct recorded_code *code)
{
	return code->start ^ (uint64_t)code->object << 32;
}

/* `ids`: of what began at an address last. Code came `lead` ticks before its time. */
static void enter(struct told_code *told, struct catalog *catalog,
		  const struct recorded_code *code, uint64_t lead,
		  struct idmap *ids)
{
	const uint64_t early = code->kind == WIRE_CODE_REGISTERED ? 0 : lead;
	const uint64_t time = code->tsc > early ? code->tsc - early : 0;
	const struct a2n_code piece = { .start = code->start,
					.bytes = code->code_bytes,
					.name = code->name };
	uint64_t id;

	if (code->start == 0 || code->kind > WIRE_CODE_REGISTERED)
		return;
	if (code->kind == WIRE_CODE_GONE) {
		const uint64_t *known = idmap_find(ids, key_of(code));

		if (known)
			a2n_space_remove(told->space, *known, code->tsc);
	} else if (a2n_space_add(told->space, &piece, time, &id) == 0) {
		*idmap_at(ids, key_of(code)) = id;
		*idmap_at(&told->functions, id) = function_of(catalog, code);
	}
}

static uint64_t lead_of(const struct clock *clock)
{
	const double ticks_per_ns =
		clock->ns ? (double)clock->ticks / (double)clock->ns : 0;

	return (uint64_t)((double)LEAD_NS * ticks_per_ns);
}

void told_code_init(struct told_code *told, struct catalog *catalog,
		    const struct part_copy *part, const struct clock *clock)
{
	const uint64_t lead = lead_of(clock);
	struct idmap ids = { 0 };
	struct part_chunk chunk;
	uint64_t cursor = 0;

	*told = (struct told_code){ 0 };
	while (part_next_chunk(part, &cursor, &chunk)) {
		struct recorded_code code;
		size_t at = 0;

		if (chunk.kind != WIRE_CODES ||
		    (!told->space && a2n_space_create(NULL, &told->space) != 0))
			continue;
		while (codes_next(&chunk, &at, &code)) {
			enter(told, catalog, &code, lead, &ids);
			if (code.kind != WIRE_CODE_UNREAD)
				continue;
			told->unread++;
			told->why_unread = code.object;
		}
	}
	idmap_fini(&ids);
	if (told->space && a2n_space_commit(told->space) != 0) {
		a2n_space_destroy(told->space);
		told->space = NULL;
	}
}

void told_code_fini(struct told_code *told)
{
	if (told->space)
		a2n_space_destroy(told->space);
	idmap_fini(&told->functions);
}

uint32_t told_code_function(const struct told_code *told, uint64_t pc,
			    uint64_t tsc)
{
	struct a2n_place place = { 0 };
	struct a2n_frame frame;
	const uint64_t *function;

	if (!told->space ||
	    a2n_space_lookup(told->space, pc, tsc, NULL, 0, &place, &frame,
			     1) == 0 ||
	    place.code == 0)
		return 0;
	function = idmap_find(&told->functions, place.code);
	return function ? (uint32_t)*function : 0;
}
