/* SPDX-License-Identifier: MIT */
/* See cli/attach/thread_variable.h. */
#include "cli/attach/thread_variable.h"

#include <errno.h>
#include <string.h>

#include "cli/target/target.h"

#define RETURN 0xc3

static const uint8_t landing[] = { 0xf3, 0x0f, 0x1e, 0xfa }; /* endbr64 */

/* The first `given` bytes of an instruction, and its length. */
struct known_code {
	uint8_t bytes[9];
	uint8_t given, length;
};

/*
 * A function that returns the address of a thread-local variable loads the
 * variable's offset from libc's table and adds the address of the control
 * block, or does both in the other order.
 */
static const struct known_code load_offset = { { 0x48, 0x8b, 0x05 }, 3, 7 };
static const struct known_code add_block = {
	{ 0x64, 0x48, 0x03, 0x04, 0x25, 0, 0, 0, 0 }, 9, 9
};
static const struct known_code load_block = {
	{ 0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0 }, 9, 9
};
static const struct known_code add_offset = { { 0x48, 0x03, 0x05 }, 3, 7 };

_Static_assert(THREAD_VARIABLE_CODE_BYTES == sizeof(landing) + 7 + 9 + 1,
	       "the longest code that is known");

static int is_known(const uint8_t *code, const struct known_code *known)
{
	return memcmp(code, known->bytes, known->given) == 0;
}

/*
 * Stores the end of the instruction that addresses the offset. Returns 0 or
 * -ENOTSUP.
 */
static int parse(const uint8_t *code, size_t *end)
{
	if (is_known(code, &load_offset) &&
	    is_known(code + load_offset.length, &add_block))
		*end = load_offset.length;
	else if (is_known(code, &load_block) &&
		 is_known(code + load_block.length, &add_offset))
		*end = load_block.length + add_offset.length;
	else
		return -ENOTSUP;
	return code[load_offset.length + add_block.length] == RETURN ? 0
								     : -ENOTSUP;
}

int thread_variable_find(int memory, uint64_t function, const uint8_t *bytes,
			 int64_t *offset)
{
	const uint8_t *code = bytes;
	int32_t distance;
	size_t end;
	int err;

	if (memcmp(bytes, landing, sizeof(landing)) == 0)
		code += sizeof(landing);
	err = parse(code, &end);
	if (err)
		return err;
	memcpy(&distance, code + end - sizeof(distance), sizeof(distance));
	return target_read(memory,
			   function + (uint64_t)(code - bytes) + end +
				   (uint64_t)(int64_t)distance,
			   offset, sizeof(*offset));
}
