/* SPDX-License-Identifier: MIT */
/* See announced_code.h. */
#include "report/merge/announced_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/model/announced_lines.h"
#include "report/model/java_name.h"
#include "report/recording/bindings_reader.h"

/* HotSpot's name for its interpreter's code. */
#define INTERPRETER "Interpreter"

#define LEAD_NS     100000000

static uint32_t function_of(struct catalog *catalog,
			    const struct recorded_code *code)
{
	uint32_t function;
	char *name;

	if (code->kind != WIRE_CODE_JAVA)
		return catalog_named(catalog, KIND_GENERATED, CATALOG_NO_MODULE,
				     strcmp(code->texts.name, INTERPRETER) == 0
					     ? "(interpreter)"
					     : code->texts.name);
	name = java_name_of(code->texts.class_name, code->texts.name,
			    code->texts.signature);
	function = catalog_named(catalog, KIND_JAVA, CATALOG_NO_MODULE, name);
	free(name);
	return function;
}

/*
 * Returns a key for a piece of code: several registered objects may have code
 * at the same address, and be removed in any order.
 */
static uint64_t key_of(const struct recorded_code *code)
{
	return code->start ^ (uint64_t)code->object << 32;
}

/*
 * Adds a piece of code, unless its start is 0 or its kind has no code. The
 * piece is valid from `lead` ticks before its time stamp on (0 ticks for
 * registered objects). If the record says that a piece was freed, ends this
 * piece instead. `ids` maps key_of() to the latest piece with this key.
 */
static void enter(struct announced_code *announced, struct catalog *catalog,
		  const struct recorded_code *code, uint64_t lead,
		  struct idmap *ids)
{
	const uint64_t early = code->kind == WIRE_CODE_REGISTERED ? 0 : lead;
	const uint64_t time = code->tsc > early ? code->tsc - early : 0;
	const struct a2n_code piece = { .start = code->start,
					.bytes = code->code_bytes,
					.name = code->texts.name };
	uint64_t id;

	if (code->start == 0 || code->kind > WIRE_CODE_REGISTERED)
		return;
	if (code->kind == WIRE_CODE_GONE) {
		const uint64_t *known = idmap_find(ids, key_of(code));

		if (known)
			a2n_space_remove(announced->space, *known, code->tsc);
	} else if (a2n_space_add(announced->space, &piece, time, &id) == 0) {
		*idmap_at(ids, key_of(code)) = id;
		announced->pieces = memory_grow(
			announced->pieces, announced->count,
			&announced->capacity, sizeof(*announced->pieces));
		announced->pieces[announced->count++] =
			(struct announced_piece){
				.start = code->start,
				.tsc = code->tsc,
				.function = function_of(catalog, code),
			};
		*idmap_at(&announced->by_id, id) = announced->count;
	}
}

static uint64_t lead_of(const struct clock *clock)
{
	const double ticks_per_ns =
		clock->ns ? (double)clock->ticks / (double)clock->ns : 0;

	return (uint64_t)((double)LEAD_NS * ticks_per_ns);
}

void announced_code_init(struct announced_code *announced,
			 struct catalog *catalog, const struct part_copy *part,
			 const struct clock *clock)
{
	const uint64_t lead = lead_of(clock);
	struct idmap ids = { 0 };
	struct part_chunk chunk;
	uint64_t cursor = 0;

	*announced = (struct announced_code){ 0 };
	while (part_next_chunk(part, &cursor, &chunk)) {
		struct recorded_code code;
		size_t at = 0;

		if (chunk.kind == WIRE_CODE_LINES)
			code_places_add(&announced->places, &chunk);
		if (chunk.kind != WIRE_CODES ||
		    (!announced->space &&
		     a2n_space_create(NULL, &announced->space) != 0))
			continue;
		while (codes_next(&chunk, &at, &code)) {
			enter(announced, catalog, &code, lead, &ids);
			if (code.kind != WIRE_CODE_UNREAD)
				continue;
			announced->unread++;
			announced->why_unread = code.object;
		}
	}
	idmap_fini(&ids);
	if (announced->space && a2n_space_commit(announced->space) != 0) {
		a2n_space_destroy(announced->space);
		announced->space = NULL;
	}
}

void announced_code_fini(struct announced_code *announced)
{
	if (announced->space)
		a2n_space_destroy(announced->space);
	free(announced->pieces);
	idmap_fini(&announced->by_id);
	idmap_fini(&announced->sites);
	code_places_fini(&announced->places);
}

static const struct announced_piece *piece_at(
	const struct announced_code *announced, uint64_t pc, uint64_t tsc)
{
	struct a2n_place place = { 0 };
	struct a2n_frame frame;
	const uint64_t *index;

	if (!announced->space ||
	    a2n_space_lookup(announced->space, pc, tsc, NULL, 0, &place, &frame,
			     1) == 0 ||
	    place.code == 0)
		return NULL;
	index = idmap_find(&announced->by_id, place.code);
	return index ? &announced->pieces[*index - 1] : NULL;
}

uint32_t announced_code_function(const struct announced_code *announced,
				 uint64_t pc, uint64_t tsc)
{
	const struct announced_piece *piece = piece_at(announced, pc, tsc);

	return piece ? piece->function : 0;
}

/*
 * Creates a site in the catalog with the frames at an offset in a piece of
 * code. Returns 0 if there are no frames, or more than CATALOG_FRAMES. The
 * outermost frame always gets the piece's own function.
 */
static uint32_t make_site(const struct announced_code *announced,
			  struct catalog *catalog,
			  const struct numbering *numbering,
			  const struct announced_piece *piece, uint64_t offset)
{
	const struct wire_code_lines *lines =
		code_places_of(&announced->places, piece->start, piece->tsc);
	struct placed_frame placed[CATALOG_FRAMES];
	struct announced_frame frames[CATALOG_FRAMES];
	const size_t count = lines ? code_places_frames(lines, offset, placed,
							CATALOG_FRAMES)
				   : 0;

	if (count == 0 || count > CATALOG_FRAMES)
		return 0;
	for (size_t i = 0; i < count; i++)
		frames[i] = numbering_frame(numbering, placed[i].method,
					    placed[i].bytecode);
	frames[count - 1].function = piece->function;
	return announced_site(catalog, frames, count);
}

uint32_t announced_code_site(struct announced_code *announced,
			     struct catalog *catalog,
			     const struct numbering *numbering, uint64_t pc,
			     uint64_t tsc)
{
	const struct announced_piece *piece = piece_at(announced, pc, tsc);
	uint64_t offset, *slot;

	if (!piece)
		return 0;
	offset = pc - piece->start;
	slot = idmap_at(&announced->sites,
			(uint64_t)(piece - announced->pieces + 1) << 32 |
				offset);
	if (*slot == 0)
		*slot = make_site(announced, catalog, numbering, piece,
				  offset) +
			1;
	return (uint32_t)*slot - 1;
}
