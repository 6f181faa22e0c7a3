/* SPDX-License-Identifier: MIT */
/* See abbrev.h. */
#include "symbolizer/dwarf/abbrev.h"

#include <stdlib.h>

#include "symbolizer/dwarf/constants.h"
#include "symbolizer/elf/heap.h"

enum { MOST_CODES = 1 << 20, MOST_ATTRIBUTES = 1 << 12, STEP_MOST = 0xffff };

int abbrev_form_bytes(uint32_t form, struct abbrev_sizes sizes)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_ref1:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return sizes.address;
	case DW_FORM_ref_addr:
		return sizes.version < 3 ? sizes.address : sizes.offset;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return sizes.offset;
	default:
		return -1;
	}
}

/*
 * Returns the enum abbrev_step_kind by which a form without a fixed size is
 * skipped; -1 if the form is unknown.
 */
static int step_of(uint32_t form)
{
	switch (form) {
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return STEP_LEB;
	case DW_FORM_string:
		return STEP_STRING;
	case DW_FORM_block1:
		return STEP_BLOCK1;
	case DW_FORM_block2:
		return STEP_BLOCK2;
	case DW_FORM_block4:
		return STEP_BLOCK4;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return STEP_BLOCK;
	default:
		return -1;
	}
}

static void skip_leb(struct cursor *cursor)
{
	while (cursor->at < cursor->end) {
		if (!(*cursor->at++ & 0x80))
			return;
	}
	cursor->is_bad = 1;
}

static void take_step(struct cursor *cursor, int kind)
{
	switch (kind) {
	case STEP_LEB:
		skip_leb(cursor);
		break;
	case STEP_STRING:
		cursor_string(cursor);
		break;
	case STEP_BLOCK1:
		cursor_skip(cursor, cursor_u8(cursor));
		break;
	case STEP_BLOCK2:
		cursor_skip(cursor, cursor_u16(cursor));
		break;
	case STEP_BLOCK4:
		cursor_skip(cursor, cursor_u32(cursor));
		break;
	case STEP_BLOCK:
		cursor_skip(cursor, cursor_uleb(cursor));
		break;
	default:
		cursor_spoil(cursor);
		break;
	}
}

void abbrev_take_steps(const struct abbrev *abbrev, struct cursor *cursor)
{
	for (size_t i = 0; i < abbrev->step_count; i++) {
		const struct abbrev_step *step = &abbrev->steps[i];

		if (step->kind == STEP_FIXED)
			cursor_skip(cursor, step->bytes);
		else
			take_step(cursor, step->kind);
	}
}

void abbrev_skip_form(struct cursor *cursor, uint32_t form,
		      struct abbrev_sizes sizes)
{
	int bytes = abbrev_form_bytes(form, sizes);

	if (bytes >= 0)
		cursor_skip(cursor, (uint64_t)bytes);
	else
		take_step(cursor, step_of(form));
}

struct builder {
	struct abbrev_step *steps;
	size_t step_count, step_capacity;
	struct abbrev_attribute *attributes;
	size_t attribute_count, attribute_capacity;
};

static void add_step(struct builder *builder, int kind, int bytes)
{
	struct abbrev_step *last =
		builder->step_count ? &builder->steps[builder->step_count - 1]
				    : NULL;

	if (kind == STEP_FIXED && last && last->kind == STEP_FIXED &&
	    last->bytes + bytes <= STEP_MOST) {
		last->bytes = (uint16_t)(last->bytes + bytes);
		return;
	}
	builder->steps =
		heap_reserve(builder->steps, builder->step_count + 1,
			     &builder->step_capacity, sizeof(*builder->steps));
	builder->steps[builder->step_count++] = (struct abbrev_step){
		.kind = (uint16_t)kind,
		.bytes = (uint16_t)bytes,
	};
}

static void add_form(struct builder *builder, uint32_t form,
		     struct abbrev_sizes sizes)
{
	int bytes = abbrev_form_bytes(form, sizes);
	int kind = bytes >= 0 ? STEP_FIXED : step_of(form);

	/* An unknown form or DW_FORM_indirect makes the cursor bad. */
	add_step(builder, kind < 0 ? STEP_INDIRECT : kind,
		 bytes >= 0 ? bytes : 0);
}

static int has_code(const struct builder *builder)
{
	for (size_t i = 0; i < builder->attribute_count; i++) {
		uint16_t name = builder->attributes[i].name;

		if (name == DW_AT_low_pc || name == DW_AT_ranges)
			return 1;
	}
	return 0;
}

static uint8_t kind_of(uint64_t tag, const struct builder *builder)
{
	if (tag == DW_TAG_inlined_subroutine)
		return ABBREV_INLINED;
	if (tag != DW_TAG_subprogram)
		return ABBREV_OTHER;
	return has_code(builder) ? ABBREV_FUNCTION_WITH_CODE : ABBREV_FUNCTION;
}

static void *keep(const void *items, size_t bytes)
{
	void *kept = heap_zeroed(bytes, 1);

	if (bytes > 0)
		memcpy(kept, items, bytes);
	return kept;
}

static void read_attributes(struct cursor *cursor, struct builder *builder,
			    struct abbrev_sizes sizes)
{
	for (;;) {
		uint64_t name = cursor_uleb(cursor);
		uint64_t form = cursor_uleb(cursor);
		int64_t constant = 0;

		if (form == DW_FORM_implicit_const)
			constant = cursor_sleb(cursor);
		if (cursor->is_bad || (name == 0 && form == 0))
			return;
		if (builder->attribute_count >= MOST_ATTRIBUTES ||
		    form > UINT16_MAX) {
			cursor_spoil(cursor);
			return;
		}
		builder->attributes = heap_reserve(
			builder->attributes, builder->attribute_count + 1,
			&builder->attribute_capacity,
			sizeof(*builder->attributes));
		builder->attributes[builder->attribute_count++] =
			(struct abbrev_attribute){
				.name = name > UINT16_MAX ? 0 : (uint16_t)name,
				.form = (uint16_t)form,
				.constant = constant,
			};
		add_form(builder, (uint32_t)form, sizes);
	}
}

static struct abbrev finish(const struct builder *builder, uint64_t tag,
			    uint8_t has_children)
{
	int is_fixed =
		builder->step_count > 0 && builder->steps[0].kind == STEP_FIXED;
	size_t steps = builder->step_count - (size_t)is_fixed;

	return (struct abbrev){
		.kind = kind_of(tag, builder),
		.has_children = has_children,
		.tag = tag > UINT16_MAX ? 0 : (uint16_t)tag,
		.fixed_bytes = is_fixed ? builder->steps[0].bytes : 0,
		.step_count = (uint16_t)steps,
		.attribute_count = (uint32_t)builder->attribute_count,
		.steps = keep(is_fixed ? builder->steps + 1 : builder->steps,
			      steps * sizeof(*builder->steps)),
		.attributes = keep(builder->attributes,
				   builder->attribute_count *
					   sizeof(*builder->attributes)),
	};
}

void abbrev_read(struct span section, uint64_t offset,
		 struct abbrev_sizes sizes, struct abbrev_table *out)
{
	struct cursor cursor = cursor_at(section, offset);
	struct builder builder = { 0 };
	size_t capacity = 0;
	uint64_t code;

	*out = (struct abbrev_table){ 0 };
	while ((code = cursor_uleb(&cursor)) != 0 && code < MOST_CODES) {
		uint64_t tag = cursor_uleb(&cursor);
		uint8_t has_children = cursor_u8(&cursor);

		builder.step_count = builder.attribute_count = 0;
		read_attributes(&cursor, &builder, sizes);
		if (cursor.is_bad)
			break;
		out->items = heap_reserve(out->items, code + 1, &capacity,
					  sizeof(*out->items));
		if (code >= out->count) {
			memset(out->items + out->count, 0,
			       (code + 1 - out->count) * sizeof(*out->items));
			out->count = code + 1;
		}
		out->items[code] = finish(&builder, tag, has_children != 0);
	}
	free(builder.steps);
	free(builder.attributes);
}
