/* SPDX-License-Identifier: MIT */
/* See notes.h. */
#include "symbolizer/elf/notes.h"

#include <elf.h>

static uint64_t rounded_up(uint64_t bytes, uint64_t align)
{
	uint64_t mask = align == 8 ? 7 : 3;

	return (bytes + mask) & ~mask;
}

int notes_build_id(struct span notes, uint64_t align, struct a2n_build_id *out)
{
	struct cursor cursor = cursor_at(notes, 0);

	while (!cursor.is_bad && cursor_left(&cursor) >= sizeof(Elf64_Nhdr)) {
		uint32_t name_bytes = cursor_u32(&cursor);
		uint32_t value_bytes = cursor_u32(&cursor);
		uint32_t type = cursor_u32(&cursor);
		struct cursor name = cursor;
		struct cursor value;

		cursor_skip(&cursor, rounded_up(name_bytes, 4));
		value = cursor;
		cursor_skip(&cursor, rounded_up(value_bytes, align));
		if (type != NT_GNU_BUILD_ID || name_bytes != 4 ||
		    cursor_left(&name) < 4 || memcmp(name.at, "GNU", 4) != 0 ||
		    value_bytes == 0 || value_bytes > sizeof(out->data) ||
		    value_bytes > cursor_left(&value))
			continue;
		*out = (struct a2n_build_id){ .bytes = value_bytes };
		memcpy(out->data, value.at, value_bytes);
		return 1;
	}
	return 0;
}
