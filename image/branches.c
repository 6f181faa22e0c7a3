/* SPDX-License-Identifier: MIT */
/*
 * See branches.h. Code is read function by function. Gaps between functions are
 * also read, because they may contain functions without unwind information.
 * Bytes that cannot be decoded are skipped one by one, which at worst finds too
 * many branches.
 */
#include "image/branches.h"

#include <errno.h>

#include "disasm/addresses.h"
#include "disasm/leap.h"
#include "disasm/padding.h"
#include "disasm/stack.h"
#include "image/code_ranges.h"
#include "image/lenders.h"
#include "image/mappers.h"
#include "image/pointers.h"
#include "image/reader_slots.h"
#include "image/readers.h"
#include "image/switches.h"
#include "image/unwinder.h"
#include "wire/verdict.h"

#define MAX_TEXT_BYTES (UINT64_C(4) << 30) /* a rel32 reaches no farther */

struct reading {
	const struct image *image;
	struct eh_frame frames;
	struct reader_watch watch;
	/*
	 * Follows the stack in code without unwind information; used only if
	 * is_followed is set.
	 */
	struct stack stack;
	int is_followed;
	struct switch_watch switching;
	struct mapper_watch mapper;
	struct reader_slots slots;
	const struct decoder *decoder;
	const struct functions *functions;
	struct branches *branches;
	struct arena *arena;
	uint32_t owner; /* index of the current function, or BRANCHES_NOBODY */
	/* whether the code that was read last continues into the next code */
	int runs_on;
	/*
	 * Tables of distances: their starts, and the functions that may own
	 * them.
	 */
	struct marks table_starts;
	struct references tables;
	/*
	 * How many further entries of tables are read. This limit keeps the
	 * time linear in the size of the code.
	 */
	uint64_t entries_left;
	/* whether the tables have more entries than a real file can have */
	int is_hostile;
	int err;
};

static void note_party(uint32_t *party, uint32_t function_number)
{
	if (*party == BRANCHES_NOBODY)
		*party = function_number;
	else if (*party != function_number)
		*party = BRANCHES_SEVERAL;
}

static void add_reference(struct reading *r, struct references *references,
			  uint32_t to)
{
	int err = references_add(references, r->arena, r->owner, to);

	if (err)
		r->err = err;
}

static void note_reference(struct reading *r, uint32_t to)
{
	add_reference(r, &r->branches->references, to);
}

static void note_jump(struct reading *r, uint32_t to)
{
	add_reference(r, &r->branches->jumps, to);
}

/*
 * Handles a branch that leaves the current function, which shows which code may
 * be a part of which function.
 */
static void note_leaving(struct reading *r, const struct insn *insn,
			 uint64_t target)
{
	struct code_notes *notes = r->branches->notes;
	uint32_t index = functions_at(r->functions, target);

	if (index == UINT32_MAX || index == r->owner)
		return;
	note_reference(r, index);
	if (r->functions->list[index].vaddr != target) {
		if (r->owner != BRANCHES_NOBODY && insn->kind != INSN_CALL)
			note_party(&notes[r->owner].jumps_into, index);
	} else if (r->owner == BRANCHES_NOBODY || insn->kind == INSN_CALL) {
		notes[index].is_called = 1;
		notes[index].is_jumped_to |= insn->kind != INSN_CALL;
	} else {
		note_party(&notes[index].jumped_from, r->owner);
		note_jump(r, index);
		notes[index].is_jumped_to |=
			!r->functions->list[r->owner].has_fde &&
			!r->functions->list[r->owner].is_found;
		notes[index].is_jcc_target |= insn->kind == INSN_JUMP_IF;
	}
}

/*
 * Handles a branch to a function, to an entry of the PLT, or through a slot:
 * notes whether it reaches a function that reads return addresses.
 */
static void note_reached(struct reading *r, const struct insn *insn,
			 const struct reader_slot *reached)
{
	struct code_notes *notes = &r->branches->notes[r->owner];
	const int is_call =
		insn->kind == INSN_CALL || insn->kind == INSN_CALL_INDIRECT;
	uint32_t index;

	switch ((enum reader_kind)reached->kind) {
	case READER_IS_NONE:
		return;
	case READER_OF_ITS_CALLER_S:
		notes->calls_mcount = 1;
		return;
	case READER_OF_ITS_OWN:
		notes->lends_return |= !is_call;
		return;
	case READER_IS_LOCAL:
		index = functions_at(r->functions, reached->vaddr);
		if (!is_call && index != UINT32_MAX && index != r->owner &&
		    r->functions->list[index].vaddr == reached->vaddr)
			note_jump(r, index);
	}
}

/*
 * Handles a jump within its function; only jumps to its first 8 bytes matter.
 */
static void note_staying(struct code_notes *notes, uint64_t offset)
{
	if (offset < 8)
		notes->loops |= (uint8_t)(1 << offset);
}

static void note_branch(struct reading *r, const struct insn *insn,
			uint64_t target)
{
	struct branches *branches = r->branches;
	const struct function *owner = NULL;

	if (r->owner != BRANCHES_NOBODY)
		owner = &r->functions->list[r->owner];
	if (owner &&
	    (insn->kind == INSN_CALL || target - owner->vaddr >= owner->size)) {
		const struct reader_slot reached =
			reader_slots_at(&r->slots, r->image, target);

		note_reached(r, insn, &reached);
		branches->notes[r->owner].may_call = 1;
		owner = NULL;
	}
	if (!marks_cover(&branches->targets, target))
		return;
	marks_set(&branches->targets, target);
	if (owner)
		note_staying(&branches->notes[r->owner], target - owner->vaddr);
	else
		note_leaving(r, insn, target);
}

/*
 * Handles a pointer in data: a function pointer, or an entry of a jump table of
 * an unknown function. A pointer does not prove that a function begins there.
 */
static void note_pointer(void *context, uint64_t vaddr)
{
	struct reading *r = context;
	uint32_t index;

	if (!marks_cover(&r->branches->targets, vaddr))
		/* outside the module's code: mostly the address of data */
		return;
	marks_set(&r->branches->targets, vaddr);
	index = functions_at(r->functions, vaddr);
	if (index != UINT32_MAX && r->functions->list[index].vaddr == vaddr)
		r->branches->notes[index].is_pointed = 1;
}

/*
 * Handles an entry of a possible jump table of the current function. Entries of
 * the table lead into that function, to its cold part, or to a possible cold
 * part: the start of something without a name.
 */
static int note_entry(void *context, uint64_t target)
{
	struct reading *r = context;
	struct branches *branches = r->branches;
	uint32_t index;

	if (r->entries_left == 0)
		r->is_hostile = 1;
	if (r->is_hostile || !marks_cover(&branches->targets, target))
		return 0;
	r->entries_left--;
	index = functions_at(r->functions, target);
	if (index == UINT32_MAX)
		return 0;
	if (index != r->owner) {
		const struct function *other = &r->functions->list[index];

		if (other->verdict != VERDICT_IS_COLD_PART &&
		    (other->vaddr != target || other->is_named))
			return 0;
		note_leaving(r, &(struct insn){ .kind = INSN_JUMP }, target);
	} else {
		note_staying(&branches->notes[index],
			     target - r->functions->list[index].vaddr);
	}
	marks_set(&branches->targets, target);
	return 1;
}

/*
 * Returns whether the first distance in the table leads into the current
 * function.
 */
static int is_own_table(const struct reading *r, uint64_t vaddr)
{
	const struct function *owner = &r->functions->list[r->owner];
	struct bytes b = image_bytes_at(r->image, vaddr);
	uint64_t target;

	if (bytes_left(&b) < 4)
		return 0;
	target = vaddr + (uint64_t)bytes_signed(&b, 4);
	return target - owner->vaddr < owner->size &&
	       functions_at(r->functions, target) == r->owner;
}

/*
 * Handles the address of a possible table of the current function. The table is
 * read when all tables are known, because it may end where another table of the
 * function begins.
 */
static void note_table(struct reading *r, uint64_t vaddr)
{
	if (is_own_table(r, vaddr))
		marks_set(&r->table_starts, vaddr);
	if (marks_cover(&r->table_starts, vaddr))
		add_reference(r, &r->tables,
			      (uint32_t)(vaddr - r->table_starts.vaddr_start));
	else
		pointers_walk_distances(r->image, vaddr, note_entry, r);
}

struct table_walk {
	struct reading *reading;
	uint64_t at; /* address of the next entry */
};

/*
 * Handles an entry of a table of distances. Returns 0 at the end of the table,
 * which may be the start of another table.
 */
static int note_distance(void *context, uint64_t target)
{
	struct table_walk *walk = context;

	walk->at += 4;
	return note_entry(walk->reading, target) &&
	       !(marks_from(&walk->reading->table_starts, walk->at) & 1);
}

static void read_table(void *context, const struct reference *one)
{
	struct reading *r = context;
	struct table_walk walk = { r, r->table_starts.vaddr_start + one->to };

	r->owner = one->from;
	pointers_walk_distances(r->image, walk.at, note_distance, &walk);
	r->owner = BRANCHES_NOBODY;
}

/* Handles an address that code takes: of code, or of a table of distances. */
static void note_address(struct reading *r, uint64_t vaddr)
{
	uint32_t index;

	if (marks_cover(&r->branches->targets, vaddr)) {
		marks_set(&r->branches->targets, vaddr);
		index = functions_at(r->functions, vaddr);
		if (index != UINT32_MAX &&
		    r->functions->list[index].vaddr == vaddr) {
			r->branches->notes[index].is_called = 1;
			note_reference(r, index);
		}
	}
	if (r->owner != BRANCHES_NOBODY)
		note_table(r, vaddr);
}

/*
 * Notes instructions that occur only in unwinders, or in other code that jumps
 * to another frame.
 */
static void note_landing_code(struct reading *r, const uint8_t *code,
			      uint64_t left, uint64_t vaddr)
{
	struct branches *branches = r->branches;
	unsigned int load_bytes, bytes = leap_read(code, left, &load_bytes);
	int err =
		bytes ? leaps_add(&branches->leaps, r->arena, vaddr, bytes) : 0;

	if (err)
		r->err = err;
	if (unwinder_lands(code, left))
		branches->notes[r->owner].lands = 1;
}

/*
 * Returns whether the instruction calls an unknown function, the kernel, or a
 * handler.
 */
static int calls_anybody(const struct insn *insn)
{
	return insn->kind == INSN_CALL_INDIRECT || insn->kind == INSN_SYSTEM ||
	       insn->kind == INSN_TRAP;
}

/*
 * Follows a function that has a symbol and no unwind information from its start
 * to the first instruction that does not continue into the next one. Notes
 * whether the function reads its return address, as a setjmp() does.
 */
static void follow_stack(struct reading *r, const uint8_t *code,
			 const struct insn *insn)
{
	switch (stack_step(r->decoder, code, insn, &r->stack)) {
	case STACK_IS_KEPT:
		r->is_followed = !insn_ends_flow(insn);
		break;
	case STACK_IS_LOOKED_AT:
		r->branches->notes[r->owner].reads_return = 1;
		r->is_followed = 0;
		break;
	case STACK_IS_UNREADABLE:
		r->is_followed = 0;
		break;
	}
}

static void note_through(struct reading *r, const struct insn *insn,
			 const uint8_t *code, uint64_t next_vaddr)
{
	const struct reader_slot reached =
		reader_slots_through(&r->slots, code, insn->length, next_vaddr);

	note_reached(r, insn, &reached);
}

static void note_load(struct reading *r, const struct insn *insn,
		      const uint8_t *code, uint64_t next_vaddr)
{
	r->branches->notes[r->owner].loads_reader |=
		reader_slots_in(&r->slots, code, insn->length, next_vaddr)
			.kind == READER_OF_ITS_OWN;
}

static void note_insn(struct reading *r, const struct insn *insn,
		      const uint8_t *code, uint64_t left, uint64_t vaddr)
{
	uint64_t next_vaddr = vaddr + insn->length;
	int32_t distance, table;

	if (r->is_followed)
		follow_stack(r, code, insn);
	if (insn->kind == INSN_PLAIN && r->owner != BRANCHES_NOBODY) {
		note_landing_code(r, code, left, vaddr);
		note_load(r, insn, code, next_vaddr);
	}
	if (insn->kind == INSN_PLAIN &&
	    switch_watch_insn(&r->switching, code, insn))
		r->branches->switches = 1;
	mapper_watch_insn(&r->mapper, code, insn);
	if (r->owner != BRANCHES_NOBODY && calls_anybody(insn))
		r->branches->notes[r->owner].may_call = 1;
	if (r->owner != BRANCHES_NOBODY && insn->kind == INSN_JUMP_INDIRECT)
		r->branches->notes[r->owner].goes_anywhere = 1;
	if (r->owner != BRANCHES_NOBODY && (insn->kind == INSN_JUMP_INDIRECT ||
					    insn->kind == INSN_CALL_INDIRECT))
		note_through(r, insn, code, next_vaddr);

	if (insn_is_direct_branch(insn)) {
		note_branch(r, insn,
			    next_vaddr + (uint64_t)(int64_t)insn->branch_bytes);
	} else if (address_is_taken(code, insn, &distance)) {
		note_address(r, next_vaddr + (uint64_t)(int64_t)distance);
	} else if (address_is_indexed(code, insn, &table)) {
		if (r->owner != BRANCHES_NOBODY)
			pointers_walk_addresses(r->image,
						(uint64_t)(int64_t)table,
						note_entry, r);
	} else if (r->watch.is_watching) {
		reader_watch_insn(&r->watch, code, insn, vaddr);
	}
}

static int note_landing(void *context, uint64_t vaddr)
{
	struct reading *r = context;
	uint64_t start = r->functions->list[r->owner].vaddr;

	marks_set(&r->branches->targets, vaddr);
	if (vaddr == start + 1)
		r->branches->notes[r->owner].lands_second = 1;
	return 0;
}

/*
 * Reads the unwind information of the function whose code comes next. Damaged
 * tables were detected before, or concern only the exception handler.
 */
static void read_unwind_info(struct reading *r)
{
	const struct function *function = &r->functions->list[r->owner];
	struct fde fde;

	r->watch.is_watching = 0;
	r->is_followed = !function->has_fde && !function->is_found;
	r->stack = (struct stack){ .height = 0, .frame = STACK_UNKNOWN };
	if (!function->has_fde ||
	    eh_frame_read(&r->frames, function->fde_vaddr, &fde))
		return;
	/*
	 * A cold part reads the return address on behalf of its function
	 * (lenders.h).
	 */
	if (fde.entry == CFI_CALLED || fde.entry == CFI_MIDWAY)
		reader_watch_begin(&r->watch, &fde);
	if (fde.lsda_vaddr) {
		r->branches->notes[r->owner].has_landings = 1;
		eh_frame_walk_landings(r->image, &fde, note_landing, r);
	}
}

/*
 * Stores whether an instruction continues into the next one. Padding does not
 * change whether the code before it continues after it.
 */
static void note_flow(struct reading *r, const struct insn *insn)
{
	if (insn->kind != INSN_NOP)
		r->runs_on = !insn_ends_flow(insn);
}

/*
 * Reads [vaddr, end), which is in one segment. Returns whether its last
 * instruction continues after it.
 */
static int read_range(struct reading *r, uint64_t vaddr, uint64_t end)
{
	uint64_t left = 0;
	const uint8_t *code = image_at(r->image, vaddr, &left);
	struct insn insn = { .kind = INSN_PLAIN };

	if (!code)
		return 1;
	if (left > end - vaddr)
		left = end - vaddr;
	mapper_watch_turn(&r->mapper);
	while (left > 0) {
		insn = (struct insn){ .kind = INSN_PLAIN, .length = 1 };
		if (r->owner == BRANCHES_NOBODY && padding_is_byte(*code))
			/*
			 * skips padding without decoding it, which would be
			 * slow
			 */
			;
		else if (decode_scan(r->decoder, code, left, &insn) == 0)
			note_insn(r, &insn, code, left, vaddr);
		else if (r->owner != BRANCHES_NOBODY)
			r->branches->notes[r->owner].is_undecodable = 1;
		if (!padding_is_byte(*code))
			note_flow(r, &insn);
		code += insn.length;
		vaddr += insn.length;
		left -= insn.length;
	}
	return !insn_ends_flow(&insn);
}

int branches_some_insn(const struct image *image, const struct decoder *decoder,
		       uint64_t vaddr, uint64_t bytes, insn_test is_like_that)
{
	uint64_t left = 0;
	const uint8_t *code = image_at(image, vaddr, &left);
	struct insn insn;

	if (left > bytes)
		left = bytes;
	for (uint64_t at = 0; at < left; at += insn.length)
		if (decode_operands(decoder, code + at, left - at, &insn) ||
		    is_like_that(&insn))
			return 1;
	return 0;
}

static int uses_stack(const struct insn *insn)
{
	return insn->uses_stack;
}

static void read_function(struct reading *r, uint32_t index)
{
	const struct function *function = &r->functions->list[index];
	struct code_notes *notes = &r->branches->notes[index];
	const struct leaps before = r->branches->leaps;

	r->owner = index;
	notes->is_run_into = (uint8_t)r->runs_on;
	if (function->is_unsized)
		notes->uses_stack = (uint8_t)branches_some_insn(
			r->image, r->decoder, function->vaddr, function->size,
			uses_stack);
	read_unwind_info(r);
	r->switching = (struct switch_watch){ 0 };
	notes->falls_out = (uint8_t)read_range(
		r, function->vaddr, function->vaddr + function->size);
	if (r->watch.is_watching)
		notes->reads_return = (uint8_t)reader_watch_end(&r->watch);
	if (notes->is_undecodable)
		/*
		 * removes the function's leaps, because unknown code may jump
		 * into them
		 */
		r->branches->leaps = before;
	r->watch.is_watching = 0;
	r->is_followed = 0;
	r->owner = BRANCHES_NOBODY;
}

/*
 * Reads a stretch of code, functions and gaps, beginning with function *next.
 */
static void read_stretch(struct reading *r, uint64_t vaddr, uint64_t end,
			 uint32_t *next)
{
	const struct functions *functions = r->functions;

	r->runs_on = 0;
	for (; *next < functions->count; ++*next) {
		const struct function *function = &functions->list[*next];

		if (function->vaddr >= end)
			break;
		if (function->is_inside)
			continue;
		if (vaddr < function->vaddr)
			read_range(r, vaddr, function->vaddr);
		if (vaddr <= function->vaddr)
			read_function(r, *next);
		vaddr = function->vaddr + function->size;
	}
	if (vaddr < end)
		read_range(r, vaddr, end);
}

struct branch_walk {
	struct reading *reading;
	uint32_t next; /* index of the next function to read */
};

static void visit_code(void *context, const struct code_range *range)
{
	struct branch_walk *walk = context;

	read_stretch(walk->reading, range->vaddr, range->end, &walk->next);
}

/*
 * Marks the starts of functions that lie inside another function, because they
 * are entered there.
 */
static void mark_inner_entries(struct branches *branches,
			       const struct functions *functions)
{
	for (uint32_t i = 0; i < functions->count; i++) {
		branches->notes[i].jumped_from = BRANCHES_NOBODY;
		branches->notes[i].jumps_into = BRANCHES_NOBODY;
		if (functions->list[i].is_inside)
			marks_set(&branches->targets, functions->list[i].vaddr);
	}
}

/*
 * Allocates marks for the starts of tables; in very large files tables are read
 * at once instead.
 */
static int mark_tables(struct reading *r, struct arena *arena)
{
	uint64_t start, end;

	image_load_range(r->image, &start, &end);
	if (end - start > UINT32_MAX)
		return 0;
	return marks_init(&r->table_starts, arena, start, end);
}

int branches_find(const struct image *image, const struct decoder *decoder,
		  const struct functions *functions, struct arena *arena,
		  struct branches *out)
{
	struct branches found = { 0 };
	struct reading r = {
		.image = image,
		.frames = { .image = image },
		.entries_left = image->size,
		.owner = BRANCHES_NOBODY,
		.decoder = decoder,
		.functions = functions,
		.branches = &found,
		.arena = arena,
	};
	struct branch_walk walk = { .reading = &r };
	uint64_t start;
	uint64_t end;

	image_text_range(image, &start, &end);
	if (end - start > MAX_TEXT_BYTES)
		return -EBADMSG;
	found.notes =
		arena_alloc(arena, functions->count * sizeof(*found.notes));
	if (!found.notes || marks_init(&found.targets, arena, start, end))
		return -ENOMEM;
	if (mark_tables(&r, arena))
		return -ENOMEM;
	if (reader_slots_find(image, arena, &r.slots))
		return -ENOMEM;
	mark_inner_entries(&found, functions);
	code_walk(image, visit_code, &walk);
	references_walk(&r.tables, read_table, &r);
	if (r.is_hostile || r.err)
		return r.is_hostile ? -EBADMSG : r.err;
	pointers_walk(image, note_pointer, &r);
	if (unwinder_find(&found, functions->count, arena))
		return -ENOMEM;
	lenders_find(image, &found, functions);
	found.may_map = r.mapper.maps;
	*out = found;
	return 0;
}
