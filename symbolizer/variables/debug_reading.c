/* SPDX-License-Identifier: MIT */
/* See debug_reading.h. */
#include "symbolizer/variables/debug_reading.h"

#include <errno.h>
#include <string.h>

#include "symbolizer/elf/heap.h"

/* ---- Sections ---- */

/* Section 0 is empty, as in ELF files. */
static const char *const section_names[] = {
	"",
	".debug_info",
	".debug_abbrev",
	".debug_str",
	".debug_line",
	".debug_line_str",
	".debug_loc",
	".debug_loclists",
	".debug_ranges",
	".debug_rnglists",
	".debug_addr",
	".debug_str_offsets",
	".debug_types",
};
enum { SECTIONS = sizeof(section_names) / sizeof(*section_names) };

/* libdwarf may read past the end of damaged data. */
#define SLACK_BYTES 64

struct debug_sections {
	Dwarf_Obj_Access_Interface_a interface;
	unsigned int count;
	const char *names[SECTIONS]; /* names of the file's sections */
	struct span bytes[SECTIONS];
};

static int get_section(void *object, debug_section_index index,
		       Dwarf_Obj_Access_Section_a *out, int *error)
{
	const struct debug_sections *sections = object;

	(void)error;
	if (index >= sections->count)
		return DW_DLV_NO_ENTRY;
	memset(out, 0, sizeof(*out));
	out->as_name = sections->names[index];
	out->as_size = sections->bytes[index].bytes;
	return DW_DLV_OK;
}

static int load_section(void *object, debug_section_index index,
			Dwarf_Small **out, int *error)
{
	const struct debug_sections *sections = object;

	(void)error;
	if (index >= sections->count || !sections->bytes[index].bytes)
		return DW_DLV_NO_ENTRY;
	*out = (Dwarf_Small *)sections->bytes[index].at;
	return DW_DLV_OK;
}

static debug_byte_order get_order(void *object)
{
	(void)object;
	return DEBUG_LITTLE_ENDIAN;
}

static Dwarf_Small get_length_bytes(void *object)
{
	(void)object;
	return 4;
}

static Dwarf_Small get_pointer_bytes(void *object)
{
	(void)object;
	return 8;
}

static Dwarf_Unsigned get_count(void *object)
{
	const struct debug_sections *sections = object;

	return sections->count;
}

static const Dwarf_Obj_Access_Methods_a methods = {
	.om_get_section_info = get_section,
	.om_get_byte_order = get_order,
	.om_get_length_size = get_length_bytes,
	.om_get_pointer_size = get_pointer_bytes,
	.om_get_section_count = get_count,
	.om_load_section = load_section,
};

static struct span copy_of(struct span bytes)
{
	uint8_t *copy;

	if (!bytes.bytes)
		return bytes;
	copy = heap_zeroed(1, bytes.bytes + SLACK_BYTES);
	memcpy(copy, bytes.at, bytes.bytes);
	return (struct span){ copy, bytes.bytes };
}

/* ---- Units ---- */

static int is_skeleton(Dwarf_Die die)
{
	Dwarf_Error error = NULL;
	Dwarf_Bool there = 0;

	if (dwarf_hasattr(die, DW_AT_GNU_dwo_name, &there, &error) ==
		    DW_DLV_OK &&
	    there)
		return 1;
	return dwarf_hasattr(die, DW_AT_dwo_name, &there, &error) ==
		       DW_DLV_OK &&
	       there;
}

static void add_unit(struct debug_reading *reading, Dwarf_Half version)
{
	struct debug_unit unit = { .version = version };
	Dwarf_Error error = NULL;
	Dwarf_Half tag = 0;
	Dwarf_Die die;

	if (dwarf_siblingof_b(reading->debug, NULL, 1, &die, &error) !=
	    DW_DLV_OK)
		return;
	if (is_skeleton(die))
		reading->is_split = 1;
	if (dwarf_tag(die, &tag, &error) == DW_DLV_OK &&
	    dwarf_dieoffset(die, &unit.die, &error) == DW_DLV_OK &&
	    (tag == DW_TAG_compile_unit || tag == DW_TAG_partial_unit)) {
		reading->units = heap_reserve(
			reading->units, reading->unit_count + 1,
			&reading->unit_room, sizeof(*reading->units));
		reading->units[reading->unit_count++] = unit;
	}
	dwarf_dealloc_die(die);
}

static void add_signature(struct debug_reading *reading,
			  const struct debug_signature *added)
{
	reading->signatures = heap_reserve(
		reading->signatures, reading->signature_count + 1,
		&reading->signature_room, sizeof(*reading->signatures));
	reading->signatures[reading->signature_count++] = *added;
}

/* Lists the units of .debug_info or .debug_types. Returns 0 or -EBADMSG. */
static int list_units(struct debug_reading *reading, Dwarf_Bool is_info)
{
	Dwarf_Unsigned offset = 0, next = 0;

	for (;; offset = next) {
		struct debug_signature of_type = { .is_info = is_info };
		Dwarf_Unsigned length, type_offset = 0;
		Dwarf_Half version, address, bytes, extension, type;
		Dwarf_Off abbrevs;
		Dwarf_Error error = NULL;
		const int done = dwarf_next_cu_header_d(
			reading->debug, is_info, &length, &version, &abbrevs,
			&address, &bytes, &extension, &of_type.signature,
			&type_offset, &next, &type, &error);

		if (done == DW_DLV_NO_ENTRY)
			return 0;
		if (done != DW_DLV_OK)
			return -EBADMSG;
		if (is_info && type != DW_UT_type && type != DW_UT_split_type) {
			add_unit(reading, version);
			continue;
		}
		of_type.die = offset + type_offset;
		add_signature(reading, &of_type);
	}
}

int debug_reading_open(struct debug_reading *reading, struct elf *elf)
{
	struct debug_sections *sections = heap_zeroed(1, sizeof(*sections));
	Dwarf_Error error = NULL;
	int has_types = 0, done;

	sections->names[sections->count++] = section_names[0];
	for (int i = 1; i < SECTIONS; i++) {
		struct elf_section *section =
			elf_section(elf, section_names[i]);
		const struct span bytes = elf_bytes(elf, section);

		if (section && section->error)
			return section->error;
		if (!bytes.bytes)
			continue;
		has_types |= strcmp(section_names[i], ".debug_types") == 0;
		sections->names[sections->count] = section_names[i];
		sections->bytes[sections->count++] = copy_of(bytes);
	}
	if (sections->count < 2 || sections->names[1] != section_names[1])
		return 1;
	sections->interface =
		(Dwarf_Obj_Access_Interface_a){ sections, &methods };
	done = dwarf_object_init_b(&sections->interface, NULL, NULL,
				   DW_GROUPNUMBER_ANY, &reading->debug, &error);
	if (done == DW_DLV_NO_ENTRY)
		return 1;
	if (done != DW_DLV_OK || list_units(reading, 1) != 0)
		return -EBADMSG;
	return has_types ? list_units(reading, 0) : 0;
}

int debug_reading_wants(const struct debug_reading *reading, const char *name)
{
	const struct variables_request *request = reading->request;

	for (size_t i = 0; i < request->name_count; i++)
		if (strcmp(request->names[i], name) == 0)
			return 1;
	return !request->name_count;
}
