/* SPDX-License-Identifier: MIT */
/*
 * See method_frames.h. Derives frames from a method's descriptor: the initial
 * one, which no table contains, with the object and the arguments, which full
 * frames repeat; and the stack at a return.
 */
#include <string.h>

#include "classfile/bytecode.h"
#include "classfile/method_frames.h"

#define STATIC 0x0008

/* The rest of a descriptor, which is still to be read. */
struct type_reader {
	const char *at, *end;
};

/* Skips the next type. Returns whether there is one. */
static int skip_type(struct type_reader *reader)
{
	const char *at = reader->at;

	while (at < reader->end && *at == '[')
		at++;
	if (at < reader->end && *at == 'L')
		at = memchr(at, ';', (size_t)(reader->end - at));
	if (!at || at == reader->end)
		return 0;
	reader->at = at + 1;
	return 1;
}

/*
 * Returns the name of a type as a class: "java/lang/String" for a class, the
 * descriptor for an array.
 */
static struct classfile_name name_of(const char *from, const char *end)
{
	if (*from == 'L')
		return (struct classfile_name){ from + 1,
						(uint32_t)(end - from - 2) };
	return (struct classfile_name){ from, (uint32_t)(end - from) };
}

static uint8_t type_of(char first)
{
	switch (first) {
	case 'B':
	case 'C':
	case 'I':
	case 'S':
	case 'Z':
		return TYPE_INTEGER;
	case 'F':
		return TYPE_FLOAT;
	case 'D':
		return TYPE_DOUBLE;
	case 'J':
		return TYPE_LONG;
	case 'L':
	case '[':
		return TYPE_OBJECT;
	default:
		return TYPE_TOP; /* there is no such type */
	}
}

static uint32_t slots_of(uint8_t type)
{
	return type == TYPE_LONG || type == TYPE_DOUBLE ? 2 : 1;
}

int method_frames_first(struct method_code *code,
			const struct classfile_method *method,
			uint32_t class_number, struct class_pool *pool)
{
	const char *text = method->descriptor.text;
	struct type_reader reader = { text + 1,
				      text + method->descriptor.length };
	uint32_t count = 0, slots = 0;

	if (method->descriptor.length < 3 || *text != '(')
		return 0;
	if (!(method->access & STATIC)) {
		code->locals[count++] = (struct frame_local){
			code->states ? TYPE_THIS : TYPE_OBJECT,
			(uint16_t)(code->states ? 0 : class_number)
		};
		slots++;
	}
	while (reader.at < reader.end && *reader.at != ')') {
		const char *from = reader.at;
		struct frame_local local = { .type = type_of(*from) };

		slots += slots_of(local.type);
		if (local.type == TYPE_TOP || !skip_type(&reader) ||
		    slots > code->kept)
			return 0;
		if (local.type == TYPE_OBJECT) {
			local.of = (uint16_t)pool_class(
				pool, name_of(from, reader.at));
			if (!local.of)
				return -1;
		}
		code->locals[count++] = local;
	}
	code->frame_locals = count;
	return slots <= code->kept;
}

/* Returns the instruction that returns a value of this type. */
static uint8_t return_of(uint8_t type)
{
	switch (type) {
	case TYPE_INTEGER:
		return OP_IRETURN;
	case TYPE_LONG:
		return OP_LRETURN;
	case TYPE_FLOAT:
		return OP_FRETURN;
	case TYPE_DOUBLE:
		return OP_DRETURN;
	case TYPE_OBJECT:
		return OP_ARETURN;
	default:
		return OP_RETURN;
	}
}

int method_frames_result(struct method_code *code,
			 const struct classfile_name *descriptor,
			 struct class_pool *pool)
{
	const char *end = descriptor->text + descriptor->length;
	const char *from = memchr(descriptor->text, ')', descriptor->length);
	struct type_reader reader;
	struct method_result result = { .opcode = OP_RETURN };

	if (!from || ++from == end)
		return 0;
	if (*from != 'V') {
		result.type.type = type_of(*from);
		result.opcode = return_of(result.type.type);
		result.slots = (uint8_t)slots_of(result.type.type);
		reader = (struct type_reader){ from, end };
		if (result.type.type == TYPE_TOP || !skip_type(&reader))
			return 0;
		if (result.type.type == TYPE_OBJECT)
			result.type.of = (uint16_t)pool_class(
				pool, name_of(from, reader.at));
		if (result.type.type == TYPE_OBJECT && !result.type.of)
			return -1;
	}
	code->result = result;
	return 1;
}
