/* SPDX-License-Identifier: MIT */
/*
 * The unwind information of stubs, in DWARF.
 *
 * One description covers a whole block of stubs: the offset of a pc in its
 * stub, and the kind of stub, determine the frame. There are two cases. If the
 * stub has moved the return address and waits for the function to return (or
 * executes the instructions around that), the return address is in the shadow
 * slot. If the stub has not moved the return address yet, or has restored it,
 * the return address is on the stack.
 *
 *	offset in the stub	      popped	  pushed   displaced  cold
 *		entry .......|...........|...........|........|....
 *	return address on stack    in shadow    on stack   (above)
 *
 * The displaced instructions may push words, as they would in the function. The
 * return address is then above the first word that is a pc of the block, which
 * the stub's own call has pushed.
 *
 * The CFA is the caller's rsp, as usual. libgcc alone identifies a frame by the
 * CFA of the frame below, and would confuse the function with its stub, which
 * have the same CFA. There are therefore two descriptions, and in the one for
 * libgcc the CFA is odd. (Personality routines never see the odd value: see
 * _Unwind_GetCFA in landing_jumps.c.) Other unwinders, such as the nongnu
 * libunwind, assume rsp = CFA whatever the rules say.
 *
 * Trampolines have blocks of their own, and simpler rules.
 */
#include "preload/stubs/frames_rules.h"

#include <string.h>

#include "preload/hot/shadow.h"
#include "preload/hot/trampoline.h"
#include "preload/stubs/stub_template.h"

_Static_assert(STUB_BYTES == 1 << 9, "DW_OP_lit9, DW_OP_shl");

/* DWARF 5, sections 6.4 and 7.7, and the LSB's .eh_frame */
enum {
	DW_CFA_def_cfa = 0x0c,
	DW_CFA_def_cfa_expression = 0x0f,
	DW_CFA_expression = 0x10,
	DW_CFA_val_offset = 0x14,
	DW_CFA_val_expression = 0x16,
	DW_OP_deref = 0x06,
	DW_OP_const1u = 0x08,
	DW_OP_const2u = 0x0a,
	DW_OP_const8u = 0x0e,
	DW_OP_dup = 0x12,
	DW_OP_drop = 0x13,
	DW_OP_over = 0x14,
	DW_OP_swap = 0x16,
	DW_OP_and = 0x1a,
	DW_OP_minus = 0x1c,
	DW_OP_or = 0x21,
	DW_OP_plus = 0x22,
	DW_OP_plus_uconst = 0x23,
	DW_OP_shl = 0x24,
	DW_OP_shr = 0x25,
	DW_OP_xor = 0x27,
	DW_OP_bra = 0x28,
	DW_OP_eq = 0x29,
	DW_OP_ge = 0x2a,
	DW_OP_skip = 0x2f,
	DW_OP_lit0 = 0x30,
	DW_OP_lit1 = 0x31,
	DW_OP_lit3 = 0x33,
	DW_OP_lit8 = 0x38,
	DW_OP_lit9 = 0x39,
	DW_OP_lit24 = 0x48,
	DW_OP_lit31 = 0x4f,
	DW_OP_breg7 = 0x77,
	DW_OP_breg16 = 0x80,
	DW_EH_PE_pcrel_sdata8 = 0x1c,
	DWARF_RSP = 7,
	DWARF_RETURN_ADDRESS = 16,
};

struct rules {
	uint8_t *at;
	uint64_t start; /* first address of the block */
	uint8_t odd;    /* 1 if the CFA must be odd */
	uint8_t is_for_files;
};

static void put(struct rules *rules, const void *bytes, size_t count)
{
	memcpy(rules->at, bytes, count);
	rules->at += count;
}

#define PUT(rules, ...)                                                        \
	do {                                                                   \
		const uint8_t bytes_[] = { __VA_ARGS__ };                      \
		put(rules, bytes_, sizeof(bytes_));                            \
	} while (0)

static void put_const8(struct rules *rules, uint64_t value)
{
	PUT(rules, DW_OP_const8u);
	put(rules, &value, sizeof(value));
}

/* Writes a branch operation of DWARF. land() sets its target later. */
static uint8_t *put_branch(struct rules *rules, uint8_t op)
{
	PUT(rules, op, 0, 0);
	return rules->at;
}

static void land(const struct rules *rules, uint8_t *branch)
{
	int16_t bytes = (int16_t)(rules->at - branch);

	memcpy(branch - sizeof(bytes), &bytes, sizeof(bytes));
}

static void put_branch_back(struct rules *rules, uint8_t op, const uint8_t *to)
{
	int16_t bytes = (int16_t)(to - (rules->at + 3));

	PUT(rules, op);
	put(rules, &bytes, sizeof(bytes));
}

/*
 * Begins an expression, whose length precedes it. Each expression ends with an
 * operation that has no effect, because libdw cannot branch to the end of an
 * expression.
 */
static uint8_t *begin_block(struct rules *rules)
{
	PUT(rules, 0x80, 0); /* ULEB128 in two bytes */
	return rules->at;
}

static void end_block(struct rules *rules, uint8_t *block)
{
	size_t bytes;

	if (!rules->odd)
		PUT(rules, DW_OP_plus_uconst, 0);
	bytes = (size_t)(rules->at - block);

	block[-2] = (uint8_t)(0x80 | (bytes & 0x7f));
	block[-1] = (uint8_t)(bytes >> 7);
}

/*
 * [] -> [offset of the pc in its stub; stubs of other kinds, and second parts,
 * have offsets after those of a plain stub]
 */
static void put_offset(struct rules *rules)
{
	const uint16_t mask = STUB_BYTES - 1;

	PUT(rules, DW_OP_breg16, 0, DW_OP_const2u, mask & 0xff, mask >> 8,
	    DW_OP_and);
	/* The kind is the last byte of the word that ends after it. */
	PUT(rules, DW_OP_breg16, 0, DW_OP_const2u, mask & 0xff, mask >> 8,
	    DW_OP_or, DW_OP_lit0 + mask - (STUB_KIND_AT - 7), DW_OP_minus,
	    DW_OP_deref, DW_OP_const1u, 56, DW_OP_shr, DW_OP_lit9, DW_OP_shl,
	    DW_OP_plus);
}

/* [offset, x] -> [offset, x toggled if offset >= bound] */
static void put_toggle(struct rules *rules, unsigned int bound)
{
	PUT(rules, DW_OP_over, DW_OP_const2u, bound & 0xff,
	    (uint8_t)(bound >> 8), DW_OP_ge, DW_OP_xor);
}

/*
 * Returns the first of the offsets that put_offset() computes for stubs of this
 * template.
 */
static unsigned int place_of(const struct stub_template *template)
{
	return template->kind * STUB_BYTES;
}

static void put_turns(struct rules *rules, const struct stub_template *template)
{
	for (int i = 0; i < STUB_TURNS; i++)
		put_toggle(rules, place_of(template) + template->turns[i]);
}

/* [] -> [1 if the return address is in the shadow, 0 if on the stack] */
static void put_is_in_shadow(struct rules *rules)
{
	put_offset(rules);
	PUT(rules, DW_OP_lit0);
	put_turns(rules, stub_template());
	/* Stubs may be from this session or an earlier one. */
	if (rt.sink->leaf_stub)
		put_turns(rules, rt.sink->leaf_stub);
	PUT(rules, DW_OP_swap, DW_OP_drop);
}

/* [] -> [1 if the pc is among the displaced instructions] */
static void put_is_displaced(struct rules *rules)
{
	const struct stub_template *template = stub_template();

	put_offset(rules);
	PUT(rules, DW_OP_lit0);
	put_toggle(rules, place_of(template) + template->displaced_at);
	put_toggle(rules, place_of(template) + template->displaced_end);
	PUT(rules, DW_OP_swap, DW_OP_drop);
}

/*
 * [cfa] -> [cfa], beyond the words that the displaced instructions have pushed
 */
static void put_search(struct rules *rules)
{
	uint8_t *loop, *found, *tired;

	PUT(rules, DW_OP_lit0); /* number of skipped words */
	loop = rules->at;
	PUT(rules, DW_OP_over, DW_OP_lit8 + rules->odd, DW_OP_minus,
	    DW_OP_deref, DW_OP_lit24, DW_OP_shr, DW_OP_breg16, 0, DW_OP_lit24,
	    DW_OP_shr, DW_OP_eq);
	found = put_branch(rules, DW_OP_bra);
	PUT(rules, DW_OP_swap, DW_OP_lit8, DW_OP_plus, DW_OP_swap, DW_OP_lit1,
	    DW_OP_plus, DW_OP_dup, DW_OP_lit31, DW_OP_ge);
	tired = put_branch(rules, DW_OP_bra);
	put_branch_back(rules, DW_OP_skip, loop);
	land(rules, found);
	land(rules, tired);
	PUT(rules, DW_OP_drop);
}

/*
 * Writes DWARF operations that push the CFA on DWARF's stack. rsp points to the
 * slot of the return address, or behind it if the slot was popped.
 */
static void put_cfa(struct rules *rules)
{
	uint8_t *elsewhere;

	PUT(rules, DW_OP_breg7, 8 + rules->odd);
	put_is_in_shadow(rules);
	PUT(rules, DW_OP_lit3, DW_OP_shl, DW_OP_minus);
	put_is_displaced(rules);
	PUT(rules, DW_OP_lit0, DW_OP_eq);
	elsewhere = put_branch(rules, DW_OP_bra);
	put_search(rules);
	land(rules, elsewhere);
}

/*
 * Writes operations that replace the CFA on top of DWARF's stack by the address
 * of the return address in the shadow slot. The CFA must be on an ordinary
 * stack.
 */
static void put_ordinary_slot(struct rules *rules)
{
	const uint8_t above = 8 + rules->odd; /* the slot is the CFA */

	PUT(rules, DW_OP_dup, DW_OP_plus);
	put_const8(rules, 2 * (hot_shadow_half - SHADOW_STACK_LOW - above));
	PUT(rules, DW_OP_plus);
}

/*
 * Does the same for any stack, by shadow_of() as DWARF operations, with a
 * short path for ordinary stacks. Rules for files have the short path only,
 * because the address of hot_shadow_regions differs between processes.
 */
static void put_shadow_slot(struct rules *rules)
{
	const uint8_t above = 8 + rules->odd;
	uint8_t *ordinary, *done;

	if (rules->is_for_files) {
		put_ordinary_slot(rules);
		return;
	}
	PUT(rules, DW_OP_dup);
	put_const8(rules, hot_shadow_low == SHADOW_NOWHERE
				  ? SHADOW_NOWHERE
				  : hot_shadow_low + above);
	PUT(rules, DW_OP_ge);
	ordinary = put_branch(rules, DW_OP_bra);
	PUT(rules, DW_OP_const1u, above, DW_OP_minus);
	PUT(rules, DW_OP_dup, DW_OP_const1u, SHADOW_REGION_SHIFT, DW_OP_shr,
	    DW_OP_lit3, DW_OP_shl);
	put_const8(rules, (uintptr_t)hot_shadow_regions);
	PUT(rules, DW_OP_plus, DW_OP_deref, DW_OP_over, DW_OP_const1u,
	    SHADOW_PIECE_SHIFT, DW_OP_shr, DW_OP_lit3, DW_OP_shl, DW_OP_plus,
	    DW_OP_deref, DW_OP_swap, DW_OP_lit1, DW_OP_shl, DW_OP_plus);
	done = put_branch(rules, DW_OP_skip);
	land(rules, ordinary);
	put_ordinary_slot(rules);
	land(rules, done);
}

/*
 * Writes operations that replace the CFA on top of DWARF's stack by the address
 * of the return address.
 */
static void put_return_address(struct rules *rules)
{
	uint8_t *in_shadow, *done;

	put_is_in_shadow(rules);
	in_shadow = put_branch(rules, DW_OP_bra);
	PUT(rules, DW_OP_const1u, 8 + rules->odd, DW_OP_minus);
	done = put_branch(rules, DW_OP_skip);
	land(rules, in_shadow);
	put_shadow_slot(rules);
	land(rules, done);
}

static void put_rules(struct rules *rules)
{
	uint8_t *block;

	PUT(rules, DW_CFA_def_cfa_expression);
	block = begin_block(rules);
	put_cfa(rules);
	end_block(rules, block);
	/* rsp = CFA - 1, in a form that LLVM's unwinder can read */
	if (rules->odd)
		PUT(rules, DW_CFA_val_expression, DWARF_RSP, 2, DW_OP_lit1,
		    DW_OP_minus);
	PUT(rules, DW_CFA_expression, DWARF_RETURN_ADDRESS);
	block = begin_block(rules);
	put_return_address(rules);
	end_block(rules, block);
}

/* Writes the rules for a stub that waits for its function to return. */
static void put_waiting_rules(struct rules *rules)
{
	uint8_t *block;

	PUT(rules, DW_CFA_def_cfa, DWARF_RSP, 1);
	PUT(rules, DW_CFA_val_offset, DWARF_RSP, 1);
	PUT(rules, DW_CFA_expression, DWARF_RETURN_ADDRESS);
	block = begin_block(rules);
	put_shadow_slot(rules);
	end_block(rules, block);
}

/*
 * Writes the rules for trampolines. At all their instructions rsp has the
 * caller's value. Each trampoline has a record, which begins with the return
 * address. The record's offset among the records is an eighth of the
 * trampoline's offset among the trampolines.
 */
static void put_trampoline_rules(struct rules *rules)
{
	uint8_t *block;

	PUT(rules, DW_CFA_def_cfa, DWARF_RSP, rules->odd);
	if (rules->odd)
		PUT(rules, DW_CFA_val_offset, DWARF_RSP, 1);
	PUT(rules, DW_CFA_expression, DWARF_RETURN_ADDRESS);
	block = begin_block(rules);
	PUT(rules, DW_OP_breg16, 0, DW_OP_const1u, TRAMPOLINE_CELL_BYTES - 1,
	    DW_OP_or);
	put_const8(rules, rules->start + TRAMPOLINE_CELL_BYTES - 1);
	PUT(rules, DW_OP_minus, DW_OP_lit3, DW_OP_shr);
	put_const8(rules, rt.trampoline_records);
	PUT(rules, DW_OP_plus);
	end_block(rules, block);
}

static uint8_t *begin_record(struct rules *rules)
{
	PUT(rules, 0, 0, 0, 0); /* length */
	return rules->at;
}

static void end_record(struct rules *rules, uint8_t *record)
{
	uint32_t bytes;

	while ((rules->at - record) % 8 != 4) /* DW_CFA_nop is 0 */
		PUT(rules, 0);
	bytes = (uint32_t)(rules->at - record);
	memcpy(record - 4, &bytes, sizeof(bytes));
}

static int is_of_trampolines(enum frames_rules_for audience)
{
	return audience == FRAMES_OF_TRAMPOLINES ||
	       audience == FRAMES_OF_TRAMPOLINES_FOR_LIBGCC;
}

static void put_cie(struct rules *rules, enum frames_rules_for audience)
{
	uint8_t *record = begin_record(rules);

	PUT(rules, 0, 0, 0, 0, /* marks a CIE */
	    1);                /* version */
	if (rules->is_for_files)
		PUT(rules, 'z', 'R');
	PUT(rules, 0, /* no augmentation: pointers of 8 bytes */
	    1,        /* code alignment */
	    0x7f,     /* data alignment -1 */
	    DWARF_RETURN_ADDRESS);
	if (rules->is_for_files)
		PUT(rules, 1, DW_EH_PE_pcrel_sdata8);
	if (audience == FRAMES_FOR_LIBGCC_THROWING)
		put_waiting_rules(rules);
	else if (is_of_trampolines(audience))
		put_trampoline_rules(rules);
	else
		put_rules(rules);
	end_record(rules, record);
}

static uint8_t *put_fde(struct rules *rules, const uint8_t *cie, uint64_t start,
			uint64_t bytes)
{
	uint8_t *record = begin_record(rules);
	uint32_t back = (uint32_t)(record - cie);

	put(rules, &back, sizeof(back));
	if (rules->is_for_files)
		start -= (uint64_t)(rules->at - cie);
	put(rules, &start, sizeof(start));
	put(rules, &bytes, sizeof(bytes));
	if (rules->is_for_files)
		PUT(rules, 0); /* no augmentation data */
	end_record(rules, record);
	return record - 4;
}

size_t frames_rules_write(uint8_t *at, enum frames_rules_for audience,
			  uint64_t start, uint64_t bytes)
{
	struct rules rules = { .at = at,
			       .start = start,
			       .odd = audience != FRAMES_FOR_ALL &&
				      audience != FRAMES_FOR_FILES &&
				      audience != FRAMES_OF_TRAMPOLINES,
			       .is_for_files = audience == FRAMES_FOR_FILES };
	size_t fde;

	put_cie(&rules, audience);
	fde = (size_t)(put_fde(&rules, at, start, bytes) - at);
	PUT(&rules, 0, 0, 0, 0); /* end of the section */
	return fde;
}

int frames_rules_is_waiting(uint64_t pc)
{
	const uint64_t mask = STUB_BYTES - 1;
	const uint8_t kind =
		*(const uint8_t *)((pc | mask) - mask + STUB_KIND_AT);
	const uint64_t offset = (pc + 1) & mask;

	return offset == STUB_EXIT_AT && kind == stub_template_of(kind)->kind;
}
