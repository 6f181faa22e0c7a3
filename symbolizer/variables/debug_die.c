/* SPDX-License-Identifier: MIT */
/* See debug_die.h. */
#include "symbolizer/variables/debug_die.h"

#include <string.h>

#define ORIGINS_MAX 8

/* Prefix of libdwarf's substitute for a text in another file. */
#define NO_TEXT "<DW_FORM_"

Dwarf_Half debug_die_tag(Dwarf_Die die)
{
	Dwarf_Error error = NULL;
	Dwarf_Half tag = 0;

	return dwarf_tag(die, &tag, &error) == DW_DLV_OK ? tag : 0;
}

uint64_t debug_die_key(Dwarf_Die die)
{
	Dwarf_Error error = NULL;
	Dwarf_Off offset = 0;

	if (dwarf_dieoffset(die, &offset, &error) != DW_DLV_OK)
		return 0;
	return offset << 1 | (dwarf_get_die_infotypes_flag(die) ? 1 : 0);
}

static Dwarf_Attribute find(Dwarf_Die die, Dwarf_Half name)
{
	Dwarf_Error error = NULL;
	Dwarf_Attribute found;

	return dwarf_attr(die, name, &found, &error) == DW_DLV_OK ? found
								  : NULL;
}

int debug_die_number(Dwarf_Die die, Dwarf_Half name, uint64_t *out)
{
	Dwarf_Attribute found = find(die, name);
	Dwarf_Error error = NULL;
	Dwarf_Unsigned number;
	Dwarf_Signed with_sign;
	int is_there = 1;

	if (!found)
		return 0;
	if (dwarf_formudata(found, &number, &error) == DW_DLV_OK)
		*out = number;
	else if (dwarf_formsdata(found, &with_sign, &error) == DW_DLV_OK)
		*out = (uint64_t)with_sign;
	else
		is_there = 0;
	dwarf_dealloc_attribute(found);
	return is_there;
}

int debug_die_flag(Dwarf_Die die, Dwarf_Half name)
{
	Dwarf_Attribute found = find(die, name);
	Dwarf_Error error = NULL;
	Dwarf_Bool value = 0;

	if (!found)
		return 0;
	if (dwarf_formflag(found, &value, &error) != DW_DLV_OK)
		value = 0;
	dwarf_dealloc_attribute(found);
	return value != 0;
}

const char *debug_die_text(Dwarf_Die die, Dwarf_Half name)
{
	Dwarf_Attribute found = find(die, name);
	Dwarf_Error error = NULL;
	char *text = NULL;

	if (!found)
		return NULL;
	if (dwarf_formstring(found, &text, &error) != DW_DLV_OK)
		text = NULL;
	dwarf_dealloc_attribute(found);
	return text && strncmp(text, NO_TEXT, strlen(NO_TEXT)) != 0 ? text
								    : NULL;
}

Dwarf_Die debug_signature_die(struct debug_reading *reading,
			      const struct debug_signature *of)
{
	Dwarf_Error error = NULL;
	Dwarf_Die die;

	return dwarf_offdie_b(reading->debug, of->die, of->is_info, &die,
			      &error) == DW_DLV_OK
		       ? die
		       : NULL;
}

static Dwarf_Die by_signature(struct debug_reading *reading,
			      Dwarf_Attribute attribute)
{
	Dwarf_Error error = NULL;
	Dwarf_Sig8 signature;

	if (dwarf_formsig8(attribute, &signature, &error) != DW_DLV_OK)
		return NULL;
	for (size_t i = 0; i < reading->signature_count; i++) {
		const struct debug_signature *one = &reading->signatures[i];

		if (memcmp(&one->signature, &signature, sizeof(signature)) == 0)
			return debug_signature_die(reading, one);
	}
	return NULL;
}

static Dwarf_Die refer(struct debug_reading *reading, Dwarf_Die from,
		       Dwarf_Attribute attribute)
{
	Dwarf_Error error = NULL;
	Dwarf_Bool is_info = 1;
	Dwarf_Half form = 0;
	Dwarf_Off offset;
	Dwarf_Die die;

	if (dwarf_whatform(attribute, &form, &error) != DW_DLV_OK)
		return NULL;
	if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_ref_sup4 ||
	    form == DW_FORM_ref_sup8) {
		reading->has_alternate = 1;
		return NULL;
	}
	if (form == DW_FORM_ref_sig8)
		return by_signature(reading, attribute);
	if (dwarf_global_formref(attribute, &offset, &error) != DW_DLV_OK)
		return NULL;
	if (form != DW_FORM_ref_addr)
		is_info = dwarf_get_die_infotypes_flag(from);
	return dwarf_offdie_b(reading->debug, offset, is_info, &die, &error) ==
			       DW_DLV_OK
		       ? die
		       : NULL;
}

Dwarf_Die debug_die_reference(struct debug_reading *reading, Dwarf_Die die,
			      Dwarf_Half name)
{
	Dwarf_Attribute found = find(die, name);
	Dwarf_Die target;

	if (!found)
		return NULL;
	target = refer(reading, die, found);
	dwarf_dealloc_attribute(found);
	return target;
}

Dwarf_Die debug_die_origin(struct debug_reading *reading, Dwarf_Die die)
{
	Dwarf_Die origin =
		debug_die_reference(reading, die, DW_AT_abstract_origin);

	return origin ? origin
		      : debug_die_reference(reading, die, DW_AT_specification);
}

/* The DIEs on the path are not freed, since there are few. */
const char *debug_die_name(struct debug_reading *reading, Dwarf_Die die)
{
	for (int i = 0; die && i < ORIGINS_MAX; i++) {
		const char *name = debug_die_text(die, DW_AT_name);

		if (name)
			return name;
		die = debug_die_origin(reading, die);
	}
	return NULL;
}

Dwarf_Die debug_die_type(struct debug_reading *reading, Dwarf_Die die)
{
	for (int i = 0; die && i < ORIGINS_MAX; i++) {
		Dwarf_Die type = debug_die_reference(reading, die, DW_AT_type);

		if (type)
			return type;
		die = debug_die_origin(reading, die);
	}
	return NULL;
}

Dwarf_Attribute debug_die_attribute(struct debug_reading *reading,
				    Dwarf_Die die, Dwarf_Half name)
{
	for (int i = 0; die && i < ORIGINS_MAX; i++) {
		Dwarf_Attribute found = find(die, name);

		if (found)
			return found;
		die = debug_die_origin(reading, die);
	}
	return NULL;
}

/* ---- Code ---- */

static int is_in_old(struct debug_reading *reading, Dwarf_Die die,
		     Dwarf_Off offset, uint64_t vaddr)
{
	Dwarf_Addr base = reading->unit_base;
	Dwarf_Error error = NULL;
	Dwarf_Ranges *ranges;
	Dwarf_Signed count;
	int is_in = 0;

	if (dwarf_get_ranges_b(reading->debug, offset, die, NULL, &ranges,
			       &count, NULL, &error) != DW_DLV_OK)
		return 0;
	for (Dwarf_Signed i = 0; i < count; i++) {
		if (ranges[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
			base = ranges[i].dwr_addr2;
		else if (ranges[i].dwr_type == DW_RANGES_ENTRY)
			is_in |= vaddr >= base + ranges[i].dwr_addr1 &&
				 vaddr < base + ranges[i].dwr_addr2;
	}
	dwarf_dealloc_ranges(reading->debug, ranges, count);
	return is_in;
}

static int is_in_new(Dwarf_Attribute ranges, Dwarf_Half form,
		     Dwarf_Unsigned where, uint64_t vaddr)
{
	Dwarf_Rnglists_Head head;
	Dwarf_Unsigned count, offset;
	Dwarf_Error error = NULL;
	int is_in = 0;

	if (dwarf_rnglists_get_rle_head(ranges, form, where, &head, &count,
					&offset, &error) != DW_DLV_OK)
		return 0;
	for (Dwarf_Unsigned i = 0; i < count; i++) {
		Dwarf_Unsigned raw[2], start, end;
		unsigned int bytes, kind;
		Dwarf_Bool is_unavailable;

		if (dwarf_get_rnglists_entry_fields_a(
			    head, i, &bytes, &kind, &raw[0], &raw[1],
			    &is_unavailable, &start, &end, &error) != DW_DLV_OK)
			break;
		if (kind != DW_RLE_end_of_list &&
		    kind != DW_RLE_base_addressx &&
		    kind != DW_RLE_base_address && !is_unavailable)
			is_in |= vaddr >= start && vaddr < end;
	}
	dwarf_dealloc_rnglists_head(head);
	return is_in;
}

static int is_in_ranges(struct debug_reading *reading, Dwarf_Die die,
			Dwarf_Attribute ranges, uint64_t vaddr)
{
	Dwarf_Half version = 0, offset_bytes = 0, form = 0;
	Dwarf_Error error = NULL;
	Dwarf_Unsigned where;

	if (dwarf_get_version_of_die(die, &version, &offset_bytes) !=
		    DW_DLV_OK ||
	    dwarf_whatform(ranges, &form, &error) != DW_DLV_OK)
		return 0;
	if ((form == DW_FORM_rnglistx
		     ? dwarf_formudata(ranges, &where, &error)
		     : dwarf_global_formref(ranges, &where, &error)) !=
	    DW_DLV_OK)
		return 0;
	return version >= 5 ? is_in_new(ranges, form, where, vaddr)
			    : is_in_old(reading, die, where, vaddr);
}

int debug_die_covers(struct debug_reading *reading, Dwarf_Die die,
		     uint64_t vaddr)
{
	Dwarf_Attribute ranges = find(die, DW_AT_ranges);
	enum Dwarf_Form_Class class = DW_FORM_CLASS_UNKNOWN;
	Dwarf_Error error = NULL;
	Dwarf_Addr low, high;
	Dwarf_Half form;
	int is_in;

	if (ranges) {
		is_in = is_in_ranges(reading, die, ranges, vaddr);
		dwarf_dealloc_attribute(ranges);
		return is_in;
	}
	if (dwarf_lowpc(die, &low, &error) != DW_DLV_OK ||
	    dwarf_highpc_b(die, &high, &form, &class, &error) != DW_DLV_OK)
		return -1;
	if (class == DW_FORM_CLASS_CONSTANT)
		high += low;
	return vaddr >= low && vaddr < high;
}

int debug_die_children(struct debug_reading *reading, Dwarf_Die die,
		       debug_die_visit visit, void *context)
{
	Dwarf_Error error = NULL;
	Dwarf_Die child, next;
	int done;

	if (dwarf_child(die, &child, &error) != DW_DLV_OK)
		return 0;
	for (;;) {
		done = visit(context, child);
		if (done)
			return done;
		if (dwarf_siblingof_b(reading->debug, child,
				      dwarf_get_die_infotypes_flag(child),
				      &next, &error) != DW_DLV_OK)
			next = NULL;
		dwarf_dealloc_die(child);
		if (!next)
			return 0;
		child = next;
	}
}
