/* SPDX-License-Identifier: MIT */
#include "preload/frames.h"

#include <string.h>

#include "preload/hot/shadow.h"
#include "preload/next.h"
#include "preload/sys.h"

/* DWARF 5, sections 6.4 and 7.7, and the LSB's .eh_frame */
enum {
	DW_CFA_def_cfa = 0x0c,
	DW_CFA_expression = 0x10,
	DW_CFA_val_expression = 0x16,
	DW_OP_deref = 0x06,
	DW_OP_const1u = 0x08,
	DW_OP_const8u = 0x0e,
	DW_OP_dup = 0x12,
	DW_OP_over = 0x14,
	DW_OP_swap = 0x16,
	DW_OP_minus = 0x1c,
	DW_OP_plus = 0x22,
	DW_OP_shl = 0x24,
	DW_OP_shr = 0x25,
	DW_OP_bra = 0x28,
	DW_OP_ge = 0x2a,
	DW_OP_skip = 0x2f,
	DW_OP_lit1 = 0x31,
	DW_OP_lit3 = 0x33,
	DW_OP_lit9 = 0x39,
	DWARF_RSP = 7,
	DWARF_RETURN_ADDRESS = 16,
};

struct frame_text {
	uint8_t *at;
};

static void put(struct frame_text *text, const void *bytes, size_t count)
{
	memcpy(text->at, bytes, count);
	text->at += count;
}

static void put_byte(struct frame_text *text, uint8_t byte)
{
	put(text, &byte, 1);
}

static void put_word(struct frame_text *text, uint32_t word)
{
	put(text, &word, sizeof(word));
}

static void put_address(struct frame_text *text, uint64_t address)
{
	put(text, &address, sizeof(address));
}

static void put_const8(struct frame_text *text, uint64_t value)
{
	put_byte(text, DW_OP_const8u);
	put_address(text, value);
}

static void put_branch(struct frame_text *text, uint8_t op, int16_t bytes)
{
	put_byte(text, op);
	put(text, &bytes, sizeof(bytes));
}

/*
 * The unwinder's stack holds the CFA; leave the address of the shadow slot.
 * The arithmetic of shadow_of(), in postfix.
 */
static void put_shadow_slot(struct frame_text *text)
{
	static const uint8_t is_ordinary[] = { DW_OP_lit9, DW_OP_minus,
					       DW_OP_dup };
	static const uint8_t region_index[] = {
		DW_OP_dup, DW_OP_const1u, SHADOW_REGION_SHIFT,
		DW_OP_shr, DW_OP_lit3,    DW_OP_shl
	};
	static const uint8_t piece[] = {
		DW_OP_plus,         DW_OP_deref, DW_OP_over, DW_OP_const1u,
		SHADOW_PIECE_SHIFT, DW_OP_shr,   DW_OP_lit3, DW_OP_shl,
		DW_OP_plus,         DW_OP_deref, DW_OP_swap, DW_OP_lit1,
		DW_OP_shl,          DW_OP_plus
	};
	static const uint8_t twice[] = { DW_OP_lit1, DW_OP_shl };
	const int16_t elsewhere_bytes =
		sizeof(region_index) + 9 + sizeof(piece) + 3;
	const int16_t ordinary_bytes = sizeof(twice) + 9 + 1;

	put(text, is_ordinary, sizeof(is_ordinary));
	put_const8(text, hot_shadow_low);
	put_byte(text, DW_OP_ge);
	put_branch(text, DW_OP_bra, elsewhere_bytes);
	put(text, region_index, sizeof(region_index));
	put_const8(text, (uintptr_t)hot_shadow_regions);
	put(text, piece, sizeof(piece));
	put_branch(text, DW_OP_skip, ordinary_bytes);
	put(text, twice, sizeof(twice));
	put_const8(text, 2 * (SHADOW_HALF - SHADOW_STACK_LOW));
	put_byte(text, DW_OP_plus);
}

/* A length that is known once what it counts has been written. */
static uint8_t *begin_length(struct frame_text *text, size_t bytes)
{
	uint8_t *length = text->at;

	text->at += bytes;
	return length;
}

static void end_record(struct frame_text *text, uint8_t *length)
{
	uint32_t bytes;

	while ((text->at - length) % 8 != 4) /* DW_CFA_nop is 0 */
		put_byte(text, 0);
	bytes = (uint32_t)(text->at - length - 4);
	memcpy(length, &bytes, sizeof(bytes));
}

/*
 * CFA = rsp + 1, odd on purpose: libgcc tells frames apart by the CFA of the
 * frame below, and a stub's must not equal that of the function above it.
 * rsp = CFA - 1. (Personality routines never see the odd value, see
 * _Unwind_GetCFA in landing_jumps_x86_64.c.)
 */
static void put_rules(struct frame_text *text)
{
	static const uint8_t rsp_rule[] = {
		DW_CFA_def_cfa, DWARF_RSP, 1,          DW_CFA_val_expression,
		DWARF_RSP,      2,         DW_OP_lit1, DW_OP_minus
	};
	uint8_t *length;

	put(text, rsp_rule, sizeof(rsp_rule));
	put_byte(text, DW_CFA_expression);
	put_byte(text, DWARF_RETURN_ADDRESS);
	length = begin_length(text, 1);
	put_shadow_slot(text);
	*length = (uint8_t)(text->at - length - 1);
}

static void put_cie(struct frame_text *text)
{
	static const uint8_t head[] = {
		1,    /* version */
		0,    /* no augmentation */
		1,    /* code alignment */
		0x78, /* data alignment -8 */
		DWARF_RETURN_ADDRESS,
	};
	uint8_t *length = begin_length(text, 4);

	put_word(text, 0); /* this is a CIE */
	put(text, head, sizeof(head));
	put_rules(text);
	end_record(text, length);
}

static void put_fde(struct frame_text *text, const uint8_t *cie, uint64_t start,
		    uint64_t bytes)
{
	uint8_t *length = begin_length(text, 4);

	put_word(text, (uint32_t)(text->at - cie));
	put_address(text, start);
	put_address(text, bytes);
	end_record(text, length);
}

/* .eh_frame_hdr without a table: what is in .eh_frame is searched through. */
static void put_header(struct frame_text *text, const struct frames *frames)
{
	static const uint8_t encodings[] = {
		1,    /* version */
		0x00, /* pointer to .eh_frame: DW_EH_PE_absptr */
		0xff, /* number of FDEs: DW_EH_PE_omit */
		0xff, /* table: DW_EH_PE_omit */
	};

	put(text, encodings, sizeof(encodings));
	put_address(text, (uintptr_t)frames->section);
}

static int describe_block(struct window_block *block)
{
	struct frames *frames = sys_map_private(sizeof(*frames));
	struct frame_text text;

	if (sys_failed(frames))
		return -ENOMEM;
	text.at = frames->header;
	put_header(&text, frames);
	text.at = frames->section;
	put_cie(&text);
	put_fde(&text, frames->section, block->start, WINDOW_BLOCK_BYTES);
	put_word(&text, 0); /* end of the section */
	block->frames = frames;
	return 0;
}

int frames_describe(struct windows *windows)
{
	for (uint32_t i = 0; i < windows->block_count; i++) {
		struct window_block *block = &windows->blocks[i];
		int err = block->frames ? 0 : describe_block(block);

		if (err)
			return err;
	}
	return 0;
}

void frames_register(struct windows *windows)
{
	void (*add)(const void *);

	*(void **)&add = next_unwinder_function("__register_frame");
	if (!add)
		return;
	while (windows->registered_count < windows->block_count)
		add(windows->blocks[windows->registered_count++]
			    .frames->section);
}
