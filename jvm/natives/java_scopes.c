/* SPDX-License-Identifier: MIT */
/*
 * An nmethod has a table of PcDescs, in order of address. The PcDesc of a pc
 * contains the offset of a scope in a stream of numbers. The scope describes
 * the innermost method at the pc: {offset of the caller's scope or 0, index of
 * the method, bytecode + 1, ...} (nmethod.hpp, scopeDesc.cpp and unsigned5.hpp
 * in HotSpot's sources, since 17). As long as the nmethod has a frame on a
 * stack, all this data exists.
 */
#include "jvm/natives/java_scopes.h"

#include <stddef.h>

#include "jvm/hotspot/hotspot.h"
#include "jvm/natives/java_stack.h"

#define NUMBER_BYTES_MAX 5
/*
 * If a byte has at least this value, the next byte belongs to the same number.
 */
#define LAST_BYTE_BELOW 192
#define DIGIT_BITS      6

/* The release of Java from which on each byte of a number is greater by one. */
#define RELEASE_NONZERO 20

/* Offsets are in bytes. */
static struct {
	int is_known;
	/*
	 * Whether an nmethod's tables are not beside its code (since Java 24).
	 */
	int is_apart;
	uint32_t least_byte;
	uint64_t method; /* offset in an nmethod of the Method pointer */
	uint64_t code;   /* offset in an nmethod of the start of its code */
	uint64_t pcs;
	uint64_t pcs_end; /* if is_apart, also the start of the scopes' data */
	uint64_t data;    /* used unless is_apart: an address */
	uint64_t metadata;
	uint64_t immutable, immutable_bytes; /* only if is_apart */
	uint64_t mutable, mutable_bytes;     /* only if is_apart */
	uint64_t pc, scope;                  /* offsets of fields in a PcDesc */
	uint64_t desc_bytes;
	/* Offset of the ConstMethod pointer in a Method. */
	uint64_t const_method;
	/* Offset of the bytecodes' size in a ConstMethod. */
	uint64_t code_bytes;
	uint64_t const_method_bytes;
} layout;

/* The tables of an nmethod, as addresses. */
struct code_scopes {
	uint64_t code;
	uint64_t pcs, pcs_end;
	uint64_t data, data_end;
	uint64_t metadata, metadata_end;
};

static uint64_t word_at(uint64_t at)
{
	return *(const uint64_t *)at;
}

static uint64_t int_at(uint64_t at)
{
	return (uint64_t)(int64_t) * (const int32_t *)at;
}

static struct code_scopes scopes_of(uint64_t nmethod)
{
	uint64_t immutable, mutable;

	if (!layout.is_apart)
		return (struct code_scopes){
			.code = word_at(nmethod + layout.code),
			.pcs = nmethod + int_at(nmethod + layout.pcs),
			.pcs_end = nmethod + int_at(nmethod + layout.pcs_end),
			.data = word_at(nmethod + layout.data),
			.data_end = nmethod + int_at(nmethod + layout.pcs),
			.metadata = nmethod + int_at(nmethod + layout.metadata),
			.metadata_end = word_at(nmethod + layout.data),
		};
	immutable = word_at(nmethod + layout.immutable);
	mutable = word_at(nmethod + layout.mutable);
	return (struct code_scopes){
		.code = nmethod + int_at(nmethod + layout.code),
		.pcs = immutable + int_at(nmethod + layout.pcs),
		.pcs_end = immutable + int_at(nmethod + layout.pcs_end),
		.data = immutable + int_at(nmethod + layout.pcs_end),
		.data_end =
			immutable + int_at(nmethod + layout.immutable_bytes),
		.metadata = mutable + int_at(nmethod + layout.metadata),
		.metadata_end =
			mutable + int_at(nmethod + layout.mutable_bytes),
	};
}

/*
 * Returns the offset, in the stream, of the scope that belongs to a pc, or 0 if
 * there is none.
 */
static uint64_t scope_at(const struct code_scopes *scopes, uint64_t pc)
{
	const int64_t wanted = (int64_t)(pc - scopes->code);
	uint64_t low = 0,
		 high = (scopes->pcs_end - scopes->pcs) / layout.desc_bytes;

	if (scopes->pcs_end < scopes->pcs)
		return 0;
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;
		const uint64_t desc = scopes->pcs + middle * layout.desc_bytes;
		const int64_t found = (int64_t)int_at(desc + layout.pc);

		if (found == wanted)
			return int_at(desc + layout.scope);
		if (found < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

/*
 * Reads a number at *at and moves *at behind it. Returns 0 if there is no valid
 * number.
 */
static uint64_t read_number(const struct code_scopes *scopes, uint64_t *at)
{
	uint64_t number = 0;

	for (int i = 0; i < NUMBER_BYTES_MAX; i++) {
		uint32_t byte;

		if (*at < scopes->data || *at >= scopes->data_end)
			return 0;
		byte = *(const uint8_t *)(*at)++;
		if (byte < layout.least_byte)
			return 0;
		number += (uint64_t)(byte - layout.least_byte)
			  << (DIGIT_BITS * i);
		if (byte < LAST_BYTE_BELOW)
			break;
	}
	return (uint32_t)number;
}

/*
 * Returns the address of the Method with an index, which begins at 1; 0 if
 * there is none.
 */
static uint64_t metadata_at(const struct code_scopes *scopes, uint64_t index)
{
	const uint64_t at = scopes->metadata + 8 * (index - 1);

	return index && at >= scopes->metadata && at < scopes->metadata_end
		       ? word_at(at)
		       : 0;
}

/*
 * Converts a scope's number, bytecode + 1, to the index of the bytecode. For a
 * call without a bytecode the result is 0, as in the JVM's own stacks.
 */
static int32_t bytecode_of(uint64_t number)
{
	return number ? (int32_t)(number - 1) : 0;
}

/*
 * Stores the calls in a frame of compiled code, innermost first. Returns their
 * number; 0 if they cannot be determined.
 */
static uint32_t read_compiled(const struct java_frame *frame,
			      struct java_call *calls, uint32_t room)
{
	const struct code_scopes scopes = scopes_of(frame->code);
	uint64_t scope = scope_at(&scopes, frame->pc);
	uint32_t count = 0;

	while (scope && count < room) {
		uint64_t at = scopes.data + scope;
		const uint64_t outer = read_number(&scopes, &at);

		calls[count].method =
			metadata_at(&scopes, read_number(&scopes, &at));
		calls[count].bytecode = bytecode_of(read_number(&scopes, &at));
		/* The compiler writes the scopes of callers first. */
		if (!calls[count++].method || outer >= scope)
			return 0;
		scope = outer;
	}
	return count;
}

static uint32_t read_interpreted(const struct java_frame *frame,
				 struct java_call *call)
{
	const uint64_t fixed = word_at(frame->method + layout.const_method);
	const uint64_t index =
		frame->bytecode - (fixed + layout.const_method_bytes);

	call->method = frame->method;
	call->bytecode = frame->bytecode ? (int32_t)index : SCOPES_NATIVE;
	return !frame->bytecode ||
	       index < *(const uint16_t *)(fixed + layout.code_bytes);
}

static uint32_t read_frame(const struct java_frame *frame,
			   struct java_call *calls, uint32_t room)
{
	if (!frame->code)
		return read_interpreted(frame, calls);
	if (!frame->is_stub)
		return read_compiled(frame, calls, room);
	*calls = (struct java_call){ word_at(frame->code + layout.method),
				     SCOPES_NATIVE };
	return 1;
}

uint32_t java_scopes_read(const struct java_frames *frames,
			  struct java_call *calls, uint32_t room)
{
	uint32_t count = 0;

	if (!layout.is_known)
		return 0;
	for (uint32_t i = 0; i < frames->count && count < room; i++) {
		const uint32_t more = read_frame(&frames->frames[i],
						 calls + count, room - count);

		if (!more)
			return 0;
		count += more;
	}
	return count;
}

/* ---- HotSpot's descriptions of itself ---- */

struct scope_field {
	uint64_t *to;
	const char *type, *field;
};

/*
 * Stores the offsets of fields. Returns 0 if the JVM does not describe one of
 * them.
 */
static int learn(uint64_t pc, const struct scope_field *wanted, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const int64_t offset =
			hotspot_offset(pc, wanted[i].type, wanted[i].field);

		if (offset < 0)
			return 0;
		*wanted[i].to = (uint64_t)offset;
	}
	return 1;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int learn_common(uint64_t pc)
{
	static const struct scope_field wanted[] = {
		{ &layout.pcs, "nmethod", "_scopes_pcs_offset" },
		{ &layout.pc, "PcDesc", "_pc_offset" },
		{ &layout.scope, "PcDesc", "_scope_decode_offset" },
		{ &layout.const_method, "Method", "_constMethod" },
		{ &layout.code_bytes, "ConstMethod", "_code_size" },
	};
	const int release = hotspot_version(pc);

	layout.desc_bytes = hotspot_size(pc, "PcDesc");
	layout.const_method_bytes = hotspot_size(pc, "ConstMethod");
	layout.least_byte = release >= RELEASE_NONZERO;
	return release && layout.desc_bytes && layout.const_method_bytes &&
	       learn(pc, wanted, COUNT(wanted));
}

static int learn_together(uint64_t pc)
{
	static const struct scope_field wanted[] = {
		{ &layout.method, "CompiledMethod", "_method" },
		{ &layout.code, "CodeBlob", "_code_begin" },
		{ &layout.pcs_end, "nmethod", "_dependencies_offset" },
		{ &layout.data, "CompiledMethod", "_scopes_data_begin" },
		{ &layout.metadata, "nmethod", "_metadata_offset" },
	};

	return learn(pc, wanted, COUNT(wanted));
}

static int learn_apart(uint64_t pc)
{
	static const struct scope_field wanted[] = {
		{ &layout.method, "nmethod", "_method" },
		{ &layout.code, "CodeBlob", "_code_offset" },
		{ &layout.pcs_end, "nmethod", "_scopes_data_offset" },
		{ &layout.metadata, "CodeBlob", "_relocation_size" },
		{ &layout.immutable, "nmethod", "_immutable_data" },
		{ &layout.immutable_bytes, "nmethod", "_immutable_data_size" },
		{ &layout.mutable, "CodeBlob", "_mutable_data" },
		{ &layout.mutable_bytes, "CodeBlob", "_mutable_data_size" },
	};

	return learn(pc, wanted, COUNT(wanted));
}

void java_scopes_learn(uint64_t machine_pc)
{
	if (!learn_common(machine_pc))
		return;
	layout.is_apart = learn_apart(machine_pc);
	layout.is_known = layout.is_apart || learn_together(machine_pc);
}
