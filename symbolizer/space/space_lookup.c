/* SPDX-License-Identifier: MIT */
/*
 * Lookups in a space: first expected code, then any code, then mappings. A
 * lookup takes no lock and stores nothing, unless it is the first one in a
 * file, whose module it opens.
 */
#include "symbolizer/module.h"
#include "symbolizer/space/space.h"

/* Returns the last line at or before the offset, or NULL. */
static const struct code_line *line_of(const struct a2n_space *space,
				       uint32_t code, uint64_t offset)
{
	const struct code_line *lines = space->lines.items;
	uint32_t low = space->committed.first_line[code];
	uint32_t first = low, high = space->committed.first_line[code + 1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (lines[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low > first ? &lines[low - 1] : NULL;
}

/*
 * Fills the frame of a piece of code at a pc. Returns 1, or 0 if the code has
 * neither a name nor a line there.
 */
static size_t code_frame(const struct a2n_space *space,
			 const struct claim *claim, uint64_t pc,
			 struct a2n_frame *out)
{
	const struct pool_text *name = space->codes.items[claim->owner].name;
	const struct code_line *line =
		line_of(space, claim->owner, pc - claim->start);
	struct a2n_frame frame = { .start = claim->start };

	if (!name && !line)
		return 0;
	if (name) {
		frame.symbol = frame.name = name->text;
		frame.symbol_length = frame.name_length = name->length;
	}
	if (line && line->file) {
		frame.file = line->file->text;
		frame.file_length = line->file->length;
	}
	if (line) {
		frame.line = line->line;
		frame.discriminator = line->discriminator;
	}
	*out = frame;
	return 1;
}

static struct a2n_place place_of(const struct pieces *pieces,
				 const struct piece *piece)
{
	return (struct a2n_place){
		.start = pieces->borders[piece->first],
		.end = pieces->borders[piece->last],
		.from = pieces->claims.items[piece->claim].from,
		.to = piece->to,
	};
}

/*
 * Returns the place where a claim of code was visible at pc. If it never was,
 * because a newer claim has the same time, the place ends at its start time.
 */
static struct a2n_place claim_place(const struct pieces *pieces,
				    const struct claim *claim, uint64_t pc)
{
	const struct piece *piece = pieces_find(pieces, pc, claim->from);

	if (piece && &pieces->claims.items[piece->claim] == claim)
		return place_of(pieces, piece);
	return (struct a2n_place){ .start = claim->start,
				   .end = claim->end,
				   .from = claim->from,
				   .to = claim->from };
}

/*
 * Returns a claim of one piece of code that contains the pc: the last one that
 * began at or before that time; if there is none, the first one; NULL if the
 * code was never at the pc.
 */
static const struct claim *claim_at(const struct committed *committed,
				    uint32_t code, uint64_t pc, uint64_t time)
{
	const struct claim *stays = committed->codes.claims.items;
	const struct claim *best = NULL;

	for (uint32_t i = committed->first_claim[code];
	     i < committed->first_claim[code + 1]; i++) {
		if (pc >= stays[i].start && pc < stays[i].end &&
		    (!best || stays[i].from <= time))
			best = &stays[i];
	}
	return best;
}

static const struct claim *expected_claim(const struct a2n_space *space,
					  uint64_t pc, uint64_t time,
					  const uint64_t *expected,
					  size_t count)
{
	const struct claim *claim = NULL;

	for (size_t i = 0; i < count && !claim; i++) {
		if (expected[i] > 0 &&
		    expected[i] <= space->committed.code_count)
			claim = claim_at(&space->committed,
					 (uint32_t)(expected[i] - 1), pc, time);
	}
	return claim;
}

/* Opens the file on first use. Returns its module, or NULL and *error. */
static const struct a2n_module *open_file(struct a2n *a2n, struct file *file,
					  int *error)
{
	const struct a2n_module *module =
		atomic_load_explicit(&file->module, memory_order_acquire);
	int err = atomic_load_explicit(&file->error, memory_order_relaxed);

	if (!module && !err) {
		if (!a2n)
			err = -ENOENT;
		else if (file->path->text[0] == '[') /* "[vdso]" is no path */
			err = module_find_image(a2n, file->path->text,
						&file->build_id, &module);
		else
			err = a2n_module_open(a2n, file->path->text,
					      &file->build_id, &module);
		if (err)
			atomic_store_explicit(&file->error, err,
					      memory_order_relaxed);
		else /* pairs with the load above */
			atomic_store_explicit(&file->module, module,
					      memory_order_release);
	}
	*error = err;
	return module;
}

static size_t lookup_mapping(const struct a2n_space *space,
			     const struct claim *claim, uint64_t pc,
			     struct a2n_place *place, struct a2n_frame *frames,
			     size_t room)
{
	const struct mapped *mapped = &space->mappeds.items[claim->owner];
	uint64_t offset = mapped->file_offset + (pc - claim->start);

	if (!mapped->file)
		return 0;
	place->module = open_file(space->a2n, mapped->file, &place->error);
	if (!place->module)
		return 0;
	if (a2n_module_vaddr(place->module, offset, &place->vaddr))
		return 0;
	return a2n_module_lookup(place->module, place->vaddr, frames, room);
}

/*
 * Finds the code at pc at that time, or else the mapping, and sets *place.
 * Returns NULL if there is neither. Sets *claim to the claim of the code; NULL
 * if no code was found.
 */
static const struct piece *find(const struct committed *committed, uint64_t pc,
				uint64_t time, struct a2n_place *place,
				const struct claim **claim)
{
	const struct piece *piece = pieces_find(&committed->codes, pc, time);

	if (piece) {
		*claim = &committed->codes.claims.items[piece->claim];
		*place = place_of(&committed->codes, piece);
		return piece;
	}
	*claim = NULL;
	piece = pieces_find(&committed->mappings, pc, time);
	if (piece)
		*place = place_of(&committed->mappings, piece);
	return piece;
}

size_t a2n_space_lookup(const struct a2n_space *space, uint64_t pc,
			uint64_t time, const uint64_t *expected,
			size_t expected_count, struct a2n_place *place,
			struct a2n_frame *frames, size_t room)
{
	const struct committed *committed = &space->committed;
	const struct claim *claim =
		expected_claim(space, pc, time, expected, expected_count);
	const struct piece *piece = NULL;
	struct a2n_place found = { 0 };
	struct a2n_frame frame;
	size_t count = 0;

	if (claim)
		found = claim_place(&committed->codes, claim, pc);
	else
		piece = find(committed, pc, time, &found, &claim);
	if (claim) {
		found.code = claim->owner + UINT64_C(1);
		count = code_frame(space, claim, pc, &frame);
		if (count > 0 && room > 0)
			frames[0] = frame;
	} else if (piece) {
		count = lookup_mapping(
			space, &committed->mappings.claims.items[piece->claim],
			pc, &found, frames, room);
	}
	if (place)
		*place = found;
	return count;
}

void a2n_space_codes(const struct a2n_space *space, uint64_t time,
		     a2n_visit_range *visit, void *context)
{
	const struct pieces *codes = &space->committed.codes;
	size_t next;

	for (size_t i = 0; i + 1 < codes->border_count; i = next) {
		const struct piece *piece =
			pieces_find(codes, codes->borders[i], time);
		struct a2n_range range;
		struct a2n_frame frame;
		int count;

		next = i + 1;
		if (!piece)
			continue;
		next = piece->last;
		range = (struct a2n_range){ codes->borders[i],
					    codes->borders[piece->last] };
		count = code_frame(space, &codes->claims.items[piece->claim],
				   range.start, &frame);
		visit(context, &range, &frame, count);
	}
}
