/* SPDX-License-Identifier: MIT */
/* See compiled_methods.h. */
#include "jvm/natives/compiled_methods.h"

#include <stddef.h>

#include "jvm/hotspot/hotspot.h"
#include "jvm/natives/java_stack.h"

#define NOT_MIDWAY (-1) /* HotSpot's InvocationEntryBci */

/* Offsets in an nmethod, in bytes. */
static struct {
	int32_t version; /* version of Java; 0 if the JVM is unknown */
	uint64_t name, compile_id, entry_bytecode;
	uint64_t code, verified;
} methods;

static uint64_t word_at(uint64_t at)
{
	return *(const uint64_t *)at;
}

static int32_t int_at(uint64_t at)
{
	return *(const int32_t *)at;
}

/*
 * Returns the offset of a field in an nmethod, or -1. The field may belong to
 * nmethod or to one of its base classes, which depends on the version.
 */
static int64_t offset_of(uint64_t pc, const char *field)
{
	static const char *const types[] = { "nmethod", "CompiledMethod",
					     "CodeBlob" };
	int64_t offset = -1;

	for (size_t i = 0; i < 3 && offset < 0; i++)
		offset = hotspot_offset(pc, types[i], field);
	return offset;
}

static int has_other_compiler(uint64_t pc)
{
	static const char *const options[] = { "EnableJVMCI",
					       "UseJVMCICompiler" };

	for (size_t i = 0; i < 2; i++) {
		const unsigned char *is_used = hotspot_option(pc, options[i]);

		if (is_used && *is_used)
			return 1;
	}
	return 0;
}

static int learn_offsets(uint64_t pc, int is_17)
{
	const struct {
		uint64_t *to;
		const char *field;
	} wanted[] = {
		{ &methods.name, "_name" },
		{ &methods.compile_id, "_compile_id" },
		{ &methods.entry_bytecode, "_entry_bci" },
		{ &methods.code, is_17 ? "_code_begin" : "_code_offset" },
		{ &methods.verified,
		  is_17 ? "_verified_entry_point" : "_verified_entry_offset" },
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		const int64_t offset = offset_of(pc, wanted[i].field);

		if (offset < 0)
			return -1;
		*wanted[i].to = (uint64_t)offset;
	}
	return 0;
}

int compiled_methods_learn(uint64_t machine_pc)
{
	const int version = hotspot_version(machine_pc);

	methods.version = 0;
	if ((version != 17 && version != 25) ||
	    has_other_compiler(machine_pc) ||
	    learn_offsets(machine_pc, version == 17))
		return -1;
	methods.version = version;
	return 0;
}

static void read_entry(struct compiled_method *method)
{
	const uint64_t at = method->record;

	if (methods.version == 17) {
		method->code = word_at(at + methods.code);
		method->verified = word_at(at + methods.verified);
		return;
	}
	method->code = at + (uint32_t)int_at(at + methods.code);
	method->verified =
		method->code + *(const uint16_t *)(at + methods.verified);
}

int compiled_methods_find(uint64_t code, struct compiled_method *out)
{
	const uint64_t record = methods.version ? java_stack_blob(code) : 0;
	const char *name =
		record ? (const char *)word_at(record + methods.name) : NULL;

	/*
	 * Accepts only "nmethod": a "native nmethod" is the wrapper of a native
	 * method.
	 */
	if (!name || name[0] != 'n' || name[1] != 'm')
		return -1;
	out->record = record;
	out->compile_id = int_at(record + methods.compile_id);
	out->is_entered_midway =
		int_at(record + methods.entry_bytecode) != NOT_MIDWAY;
	read_entry(out);
	return out->code == code && out->verified >= code ? 0 : -1;
}

int compiled_methods_is_there(const struct compiled_method *method)
{
	struct compiled_method now;

	return !compiled_methods_find(method->code, &now) &&
	       now.record == method->record &&
	       now.compile_id == method->compile_id;
}
