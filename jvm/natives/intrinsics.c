/* SPDX-License-Identifier: MIT */
#include "jvm/natives/intrinsics.h"

#include <stddef.h>

#include "jvm/hotspot/hotspot.h"

/*
 * The first and last version of Java in which a method's identifier (jmethodID)
 * is the address of a pointer to the JVM's Method, and the Method contains the
 * number of its intrinsic (0: none) in two bytes, or one before WIDE_SINCE.
 */
#define OLDEST     8
#define WIDE_SINCE 9
#define NEWEST     25

/* Offsets in bytes; written when a JVM gets the agent. */
static struct {
	/* offset in a Method of the intrinsic's number; -1 if it is unknown */
	int64_t number;
	int is_wide; /* whether the number has two bytes */
	/*
	 * The following fields lead from a Method to its name. -1 or 0 if they
	 * are unknown.
	 */
	int64_t description; /* offset of the ConstMethod pointer in a Method */
	int64_t pool;  /* offset of the ConstantPool pointer in a ConstMethod */
	int64_t index; /* offset of the entry's index in a ConstMethod */
	int64_t length, text; /* offsets of fields in the entry, a Symbol */
	/* Offset of the first entry in a ConstantPool. */
	uint64_t entries_begin;
} at = { .number = -1 };

/*
 * Names of methods that have an intrinsic's number but are called like other
 * natives: the compilers of HotSpot 8 to 25 generate a call for these methods
 * of Unsafe. No other methods with these names have intrinsics.
 */
static const char *const called[] = { "park", "unpark" };

int intrinsics_learn(uint64_t machine_pc)
{
	const int version = hotspot_version(machine_pc);

	at.number = -1;
	if (version < OLDEST || version > NEWEST)
		return -1;
	at.description = hotspot_offset(machine_pc, "Method", "_constMethod");
	at.pool = hotspot_offset(machine_pc, "ConstMethod", "_constants");
	at.index = hotspot_offset(machine_pc, "ConstMethod", "_name_index");
	at.length = hotspot_offset(machine_pc, "Symbol", "_length");
	at.text = hotspot_symbol_text(machine_pc);
	at.entries_begin = hotspot_size(machine_pc, "ConstantPool");
	at.number = hotspot_offset(machine_pc, "Method", "_intrinsic_id");
	at.is_wide = version >= WIDE_SINCE;
	return at.number < 0 ? -1 : 0;
}

static const char *pointer_at(const char *from, int64_t bytes)
{
	return *(const char *const *)(from + bytes);
}

static uint16_t number_at(const char *from, int64_t bytes)
{
	return *(const uint16_t *)(from + bytes);
}

/* Returns the Symbol of the method's name, or NULL if it is unknown. */
static const char *name_of(const char *method)
{
	const char *description, *pool;

	if (at.description < 0 || at.pool < 0 || at.index < 0 ||
	    at.length < 0 || at.text < 0 || at.entries_begin == 0)
		return NULL;
	description = pointer_at(method, at.description);
	pool = pointer_at(description, at.pool);
	return pointer_at(pool + at.entries_begin,
			  number_at(description, at.index) *
				  (int64_t)sizeof(void *));
}

static int is_symbol(const char *symbol, const char *text)
{
	const uint16_t length = number_at(symbol, at.length);
	uint16_t i = 0;

	while (i < length && text[i] && symbol[at.text + i] == text[i])
		i++;
	return i == length && !text[i];
}

static int is_called(const char *method)
{
	const char *name = name_of(method);

	for (size_t i = 0; name && i < sizeof(called) / sizeof(*called); i++)
		if (is_symbol(name, called[i]))
			return 1;
	return 0;
}

int intrinsics_have(const void *method)
{
	const char *its;

	if (at.number < 0)
		return 0;
	its = *(const char *const *)method;
	return (at.is_wide ? number_at(its, at.number) : its[at.number]) != 0 &&
	       !is_called(its);
}
