/* SPDX-License-Identifier: MIT */
/*
 * The format is declared in erts/emulator/beam/jit/beam_jit_metadata.cpp of OTP
 * 25 and later.
 */
#include "preload/generated/erlang_symbols.h"

#include <stddef.h>

enum { IS_EMULATOR, IS_MODULE };

/*
 * The name begins at the last member and may be longer than it; the next struct
 * follows the name.
 */
struct erlang_head {
	uint32_t kind;
	uint32_t unused;
	uint64_t base;
	uint32_t range_count;
	uint32_t code_bytes;
	/* length with the NUL, like all lengths in this format */
	uint16_t name_bytes;
	char name[6];
};
_Static_assert(sizeof(struct erlang_head) == 32, "as Erlang has it");

struct __attribute__((packed)) erlang_range {
	/* range of the code, relative to the module's base */
	uint32_t start, end;
	uint32_t line_count;
	uint16_t name_bytes;
	char name[2];
};
_Static_assert(sizeof(struct erlang_range) == 16, "as Erlang has it");

struct __attribute__((packed)) erlang_line {
	uint32_t start;
	uint32_t line;
	uint16_t file_bytes;
	char file[2];
};
_Static_assert(sizeof(struct erlang_line) == 12, "as Erlang has it");

/*
 * Returns the address of the next `bytes` bytes and skips them; NULL if there
 * are fewer.
 */
static const void *take(struct erlang_symbols *symbols, size_t bytes)
{
	const unsigned char *at = symbols->at;

	if ((size_t)(symbols->end - at) < bytes)
		return NULL;
	symbols->at += bytes;
	return at;
}

static int take_name(struct erlang_symbols *symbols, const char *name,
		     uint16_t bytes)
{
	return bytes > 0 && take(symbols, bytes) && name[bytes - 1] == '\0';
}

int erlang_symbols_begin(struct erlang_symbols *symbols,
			 const unsigned char *bytes, uint64_t size)
{
	const struct erlang_head *head;

	*symbols = (struct erlang_symbols){ .at = bytes, .end = bytes + size };
	head = take(symbols, sizeof(*head));
	if (!head)
		return 0;
	if (head->kind == IS_EMULATOR)
		return size == sizeof(*head);
	symbols->base = head->base;
	symbols->left = head->range_count;
	return head->kind == IS_MODULE &&
	       take_name(symbols, head->name, head->name_bytes);
}

static int pass_lines(struct erlang_symbols *symbols, uint32_t count)
{
	const struct erlang_line *line;

	for (uint32_t i = 0; i < count; i++) {
		line = take(symbols, sizeof(*line));
		if (!line || !take_name(symbols, line->file, line->file_bytes))
			return 0;
	}
	return 1;
}

int erlang_symbols_next(struct erlang_symbols *symbols,
			struct erlang_symbol *out)
{
	const struct erlang_range *range;

	if (symbols->left == 0)
		return 0;
	range = take(symbols, sizeof(*range));
	if (!range || range->end < range->start ||
	    !take_name(symbols, range->name, range->name_bytes) ||
	    !pass_lines(symbols, range->line_count))
		return 0;
	symbols->left--;
	*out = (struct erlang_symbol){
		.start = symbols->base + range->start,
		.bytes = range->end - range->start,
		.name = range->name,
	};
	return 1;
}

int erlang_symbols_are_over(const struct erlang_symbols *symbols)
{
	return symbols->left == 0 && symbols->at == symbols->end;
}
