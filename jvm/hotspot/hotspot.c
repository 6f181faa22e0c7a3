/* SPDX-License-Identifier: MIT */
/* See hotspot.h. */
#include "jvm/hotspot/hotspot.h"

#include <link.h>

#include "preload/host/lookup.h"
#include "preload/sys/text.h"

/*
 * Returns the value of a variable of 8 bytes, or 0 for NULL. WORD() finds such
 * a variable of libjvm.so by a part of its name. These variables contain the
 * addresses of the tables and describe their layout.
 */
static uint64_t word_at(const void *at)
{
	return at ? *(const uint64_t *)at : 0;
}

#define WORD(map, name) word_at(lookup_in_map(map, "gHotSpotVM" name))

static const char *text_at(const char *entry, uint64_t offset)
{
	return *(const char *const *)(entry + offset);
}

/* Returns the entry of a type's field in the table, or NULL. */
static const char *find_field(const struct link_map *map, const char *type,
			      const char *field)
{
	const uint64_t stride = WORD(map, "StructEntryArrayStride");
	const uint64_t type_at = WORD(map, "StructEntryTypeNameOffset");
	const uint64_t field_at = WORD(map, "StructEntryFieldNameOffset");
	const char *entry = (const char *)WORD(map, "Structs");

	if (!entry || !stride)
		return NULL;
	for (; text_at(entry, type_at) && text_at(entry, field_at);
	     entry += stride)
		if (same_text(text_at(entry, type_at), type) &&
		    same_text(text_at(entry, field_at), field))
			return entry;
	return NULL;
}

const void *hotspot_static_at(uint64_t machine_pc, const char *type,
			      const char *field)
{
	const struct link_map *map = lookup_module(machine_pc);
	const uint64_t at = WORD(map, "StructEntryAddressOffset");
	const char *entry = find_field(map, type, field);

	return entry && at ? *(const void *const *)(entry + at) : NULL;
}

uint64_t hotspot_static(uint64_t machine_pc, const char *type,
			const char *field)
{
	return word_at(hotspot_static_at(machine_pc, type, field));
}

int64_t hotspot_offset(uint64_t machine_pc, const char *type, const char *field)
{
	const struct link_map *map = lookup_module(machine_pc);
	const uint64_t at = WORD(map, "StructEntryOffsetOffset");
	const char *entry = find_field(map, type, field);

	return entry && at ? *(const int64_t *)(entry + at) : -1;
}

int hotspot_version(uint64_t machine_pc)
{
	const int32_t *version = hotspot_static_at(
		machine_pc, "Abstract_VM_Version", "_vm_major_version");

	/* JDK 8 is the last one with a single heap of code. */
	if (hotspot_static_at(machine_pc, "CodeCache", "_heap"))
		return 8;
	return version ? *version : 0;
}

int64_t hotspot_symbol_text(uint64_t machine_pc)
{
	const int64_t offset = hotspot_offset(machine_pc, "Symbol", "_body[0]");

	return offset < 0 ? hotspot_offset(machine_pc, "Symbol", "_body")
			  : offset;
}

const void *hotspot_option(uint64_t machine_pc, const char *name)
{
	const char *option =
		(const char *)hotspot_static(machine_pc, "JVMFlag", "flags");
	const uint64_t count =
		hotspot_static(machine_pc, "JVMFlag", "numFlags");
	const uint64_t stride = hotspot_size(machine_pc, "JVMFlag");
	const int64_t name_at = hotspot_offset(machine_pc, "JVMFlag", "_name");
	const int64_t value_at = hotspot_offset(machine_pc, "JVMFlag", "_addr");

	if (!option || !stride || name_at < 0 || value_at < 0)
		return NULL;
	for (uint64_t i = 0; i < count; i++, option += stride) {
		const char *its = text_at(option, (uint64_t)name_at);

		if (its && same_text(its, name))
			return *(const void *const *)(option + value_at);
	}
	return NULL;
}

uint64_t hotspot_size(uint64_t machine_pc, const char *type)
{
	const struct link_map *map = lookup_module(machine_pc);
	const uint64_t stride = WORD(map, "TypeEntryArrayStride");
	const uint64_t name_at = WORD(map, "TypeEntryTypeNameOffset");
	const uint64_t size_at = WORD(map, "TypeEntrySizeOffset");
	const char *entry = (const char *)WORD(map, "Types");

	if (!entry || !stride || !size_at)
		return 0;
	for (; text_at(entry, name_at); entry += stride)
		if (same_text(text_at(entry, name_at), type))
			return word_at(entry + size_at);
	return 0;
}
