/* SPDX-License-Identifier: MIT */
/* See jump_tables.h. */
#include "image/jump_tables.h"

#include "disasm/register_values.h"
#include "image/pointers.h"

/*
 * jump_tables_stay() returns 0 for functions that exceed one of these limits.
 */
#define MAX_FUNCTION_BYTES 65536
#define MAX_CROSSINGS      1024
#define MAX_STEPS_A_BYTE   64 /* limits the steps, so that the time is linear */

#define INSIDE_INSN        UINT16_MAX

/*
 * A target of jumps, with the register values that hold after each of these
 * jumps.
 */
struct crossing {
	struct values values;
	uint32_t offset;
	/* whether the flow from this crossing must still be followed */
	uint8_t waits;
};

struct jump_tables {
	const struct inquiry *q;
	const struct function *function;
	const uint8_t *code;
	unsigned int first_bytes; /* no table may lead to these bytes */
	int is_in_doubt;
	uint64_t steps_left;
	uint32_t crossing_count;
	uint32_t waiting_count;
	struct crossing crossings[MAX_CROSSINGS];
	uint16_t waiting[MAX_CROSSINGS];
	/*
	 * For each byte of the function: 1 + the index of its crossing, 0
	 * without one, or INSIDE_INSN if no instruction begins there.
	 */
	uint16_t crossing_at[MAX_FUNCTION_BYTES];
};

struct jump_tables *jump_tables_create(struct arena *arena)
{
	return arena_alloc(arena, sizeof(struct jump_tables));
}

static void add_crossing(struct jump_tables *t, uint32_t offset,
			 const struct values *values)
{
	if (t->crossing_count == MAX_CROSSINGS) {
		t->is_in_doubt = 1;
		return;
	}
	t->crossings[t->crossing_count] =
		(struct crossing){ *values, offset, 0 };
	t->crossing_at[offset] = (uint16_t)++t->crossing_count;
}

static void queue(struct jump_tables *t, uint32_t number)
{
	if (t->crossings[number].waits)
		return;
	t->crossings[number].waits = 1;
	t->waiting[t->waiting_count++] = (uint16_t)number;
}

/* Handles a path that reaches vaddr with these register values. */
static void lead(struct jump_tables *t, uint64_t vaddr,
		 const struct values *values)
{
	const uint64_t offset = vaddr - t->function->vaddr;
	uint16_t crossing;

	if (offset >= t->function->size ||
	    t->crossing_at[offset] == INSIDE_INSN) {
		t->is_in_doubt = 1;
		return;
	}
	crossing = t->crossing_at[offset];
	if (!crossing) {
		add_crossing(t, (uint32_t)offset, values);
		if (!t->is_in_doubt)
			queue(t, t->crossing_count - 1);
	} else if (values_merge(&t->crossings[crossing - 1].values, values)) {
		queue(t, crossing - 1U);
	}
}

/* Returns whether the memory at vaddr always equals the file. */
static int is_constant(const struct image *image, uint64_t vaddr)
{
	int is_loaded = 0;

	for (uint16_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = image->segments + i;

		if (segment->p_type != PT_LOAD ||
		    vaddr - segment->p_vaddr >= segment->p_memsz)
			continue;
		if (segment->p_flags & PF_W)
			return 0;
		is_loaded = 1;
	}
	return is_loaded;
}

struct table_lead {
	struct jump_tables *tables;
	const struct values *values;
	uint64_t entries_left;
};

static int lead_by_entry(void *context, uint64_t target)
{
	struct table_lead *by = context;
	struct jump_tables *t = by->tables;

	if (target - t->function->vaddr < t->first_bytes || t->steps_left == 0)
		t->is_in_doubt = 1;
	if (t->is_in_doubt)
		return 0;
	t->steps_left--;
	lead(t, target, by->values);
	return --by->entries_left > 0 && !t->is_in_doubt;
}

/* Handles an indirect jump whose target is this value: an entry of a table. */
static void lead_by_table(struct jump_tables *t, const struct value *to,
			  const struct values *values)
{
	const struct image *image = t->q->image;
	const Elf64_Ehdr *header = (const void *)image->bytes;
	struct table_lead by = { t, values, UINT64_C(1) + to->most };

	if (!is_constant(image, to->vaddr))
		t->is_in_doubt = 1;
	else if (to->kind == VALUE_TARGET)
		pointers_walk_distances(image, to->vaddr, lead_by_entry, &by);
	else if (to->kind == VALUE_WORD && header->e_type == ET_EXEC)
		pointers_walk_addresses(image, to->vaddr, lead_by_entry, &by);
	if (by.entries_left > 0)
		t->is_in_doubt = 1;
}

/*
 * Passes one instruction, to next_vaddr. Returns whether the flow may continue
 * there.
 */
static int pass(struct jump_tables *t, const uint8_t *code,
		const struct insn *insn, uint64_t next_vaddr,
		struct values *values)
{
	const uint64_t target =
		next_vaddr + (uint64_t)(int64_t)insn->branch_bytes;
	struct values taken = *values;
	struct value to;

	switch (insn->kind) {
	case INSN_JUMP:
		lead(t, target, values);
		return 0;
	case INSN_JUMP_IF:
		values_pass_jump(&taken, code, insn, 1);
		lead(t, target, &taken);
		values_pass_jump(values, code, insn, 0);
		return 1;
	case INSN_LOOP:
		*values = (struct values){ 0 };
		lead(t, target, values);
		return 1;
	case INSN_JUMP_INDIRECT:
		to = values_jump(values, code, insn);
		lead_by_table(t, &to, values);
		return 0;
	case INSN_PLAIN:
	case INSN_NOP:
	case INSN_ENDBR:
		values_step(values, code, insn, next_vaddr);
		return 1;
	case INSN_RETURN:
	case INSN_STOP:
		return 0;
	default: /* the instruction is a call, which a leaf does not contain */
		t->is_in_doubt = 1;
		return 0;
	}
}

/* Follows the flow from a crossing to its end, or to the next crossing. */
static void follow(struct jump_tables *t, const struct crossing *from)
{
	const uint64_t vaddr = t->function->vaddr, size = t->function->size;
	struct values values = from->values;
	uint64_t at = from->offset;
	struct insn insn;
	int goes_on = 1;

	while (goes_on && !t->is_in_doubt) {
		if (at >= size || t->steps_left == 0 ||
		    decode_scan(&t->q->decoder, t->code + at, size - at,
				&insn)) {
			t->is_in_doubt = 1;
			return;
		}
		t->steps_left--;
		if (t->crossing_at[at] && at != from->offset) {
			lead(t, vaddr + at, &values);
			return;
		}
		at += insn.length;
		goes_on = pass(t, t->code + at - insn.length, &insn, vaddr + at,
			       &values);
	}
}

/*
 * Finds the first bytes of instructions by decoding in order, as all readers of
 * the code do.
 */
static int find_insns(struct jump_tables *t)
{
	const uint64_t size = t->function->size;
	struct insn insn;

	for (uint64_t at = 0; at < size; at += insn.length) {
		if (decode_scan(&t->q->decoder, t->code + at, size - at, &insn))
			return 0;
		t->crossing_at[at] = 0;
		for (uint64_t i = 1; i < insn.length; i++)
			t->crossing_at[at + i] = INSIDE_INSN;
	}
	return 1;
}

int jump_tables_stay(struct jump_tables *t, const struct inquiry *q,
		     uint32_t index, unsigned int first_bytes)
{
	const struct function *function = &q->functions.list[index];
	const struct values nothing_known = { 0 };
	uint64_t left = 0;

	t->q = q;
	t->function = function;
	t->code = image_at(q->image, function->vaddr, &left);
	t->first_bytes = first_bytes;
	t->is_in_doubt = 0;
	t->steps_left = MAX_STEPS_A_BYTE * function->size;
	t->crossing_count = 0;
	t->waiting_count = 0;
	if (!t->code || function->size > left ||
	    function->size > MAX_FUNCTION_BYTES || !find_insns(t))
		return 0;
	lead(t, function->vaddr, &nothing_known);
	while (t->waiting_count > 0 && !t->is_in_doubt) {
		struct crossing *crossing =
			&t->crossings[t->waiting[--t->waiting_count]];

		crossing->waits = 0;
		follow(t, crossing);
	}
	return !t->is_in_doubt;
}
