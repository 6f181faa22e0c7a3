/* SPDX-License-Identifier: MIT */
/* See texts.h. */
#include "symbolizer/elf/texts.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/elf/demangle.h"
#include "symbolizer/elf/heap.h"

enum { FARTHEST = 0xff000000 };

static uint64_t hash_of(const char *text, size_t length)
{
	uint64_t hash = length * UINT64_C(0x9e3779b97f4a7c15);
	uint64_t word;

	for (; length >= 8; length -= 8, text += 8) {
		memcpy(&word, text, 8);
		hash = (hash ^ word) * UINT64_C(0xd1342543de82ef95);
		hash ^= hash >> 29;
	}
	word = 0;
	memcpy(&word, text, length);
	hash = (hash ^ word) * UINT64_C(0xd1342543de82ef95);
	/* the key is odd, so that it is never 0, even after additions of 2 */
	return (hash ^ hash >> 32) | 1;
}

const char *texts_at(const struct texts *texts, uint32_t position)
{
	return (const char *)texts->bytes + position;
}

static int holds(const struct texts *texts, uint32_t position, const char *text,
		 size_t length)
{
	const char *there = texts_at(texts, position);

	return length < texts->count - position &&
	       memcmp(there, text, length) == 0 && there[length] == 0;
}

static uint32_t append(struct texts *texts, const char *text, size_t length)
{
	uint32_t position = (uint32_t)texts->count;
	uint8_t *to;

	texts->bytes = heap_reserve(texts->bytes, texts->count + length + 1,
				    &texts->capacity, 1);
	to = texts->bytes + texts->count;
	memcpy(to, text, length);
	to[length] = 0;
	texts->count += length + 1;
	return position;
}

static struct index_string string_at(const struct texts *texts,
				     uint32_t position)
{
	return (struct index_string){
		.at = position,
		.bytes = (uint32_t)strlen(texts_at(texts, position)),
	};
}

static int is_printable(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return 0;
	}
	return 1;
}

static uint32_t add_defused(struct texts *texts, const char *text,
			    size_t length)
{
	char *copy = heap_zeroed(length, 1);
	uint32_t position;

	for (size_t i = 0; i < length; i++)
		copy[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7f
				  ? '?'
				  : text[i];
	position = texts_add(texts, copy, length);
	free(copy);
	return position;
}

uint32_t texts_add(struct texts *texts, const char *text, size_t length)
{
	uint64_t hash;
	uint32_t *slot;

	if (length == 0 || texts->count + length > FARTHEST)
		return 0;
	if (!is_printable(text, length))
		return add_defused(texts, text, length);
	hash = hash_of(text, length);
	for (slot = map_at(&texts->by_hash, hash); *slot;
	     slot = map_at(&texts->by_hash, hash += 2)) {
		if (holds(texts, *slot, text, length))
			return *slot;
	}
	return *slot = append(texts, text, length);
}

uint32_t texts_name(struct texts *texts, const char *symbol)
{
	const char *version = symbol ? strchr(symbol, '@') : NULL;
	uint32_t text, *slot;

	if (!symbol)
		return 0;
	text = texts_add(texts, symbol,
			 version && version != symbol
				 ? (size_t)(version - symbol)
				 : strlen(symbol));
	if (!text)
		return 0;
	slot = map_at(&texts->name_by_symbol, text);
	if (*slot)
		return *slot;
	texts->names =
		heap_reserve(texts->names, texts->name_count + 1,
			     &texts->name_capacity, sizeof(*texts->names));
	texts->names[texts->name_count].symbol = string_at(texts, text);
	texts->names[texts->name_count].pretty = string_at(texts, text);
	return *slot = (uint32_t)texts->name_count++;
}

uint32_t texts_file(struct texts *texts, const char *path)
{
	uint32_t text = texts_add(texts, path, strlen(path));
	uint32_t *slot;

	if (!text)
		return 0;
	slot = map_at(&texts->file_by_path, text);
	if (*slot)
		return *slot;
	texts->files =
		heap_reserve(texts->files, texts->file_count + 1,
			     &texts->file_capacity, sizeof(*texts->files));
	texts->files[texts->file_count] = string_at(texts, text);
	return *slot = (uint32_t)texts->file_count++;
}

void texts_finish(struct texts *texts)
{
	for (size_t i = 1; i < texts->name_count; i++) {
		const char *symbol = texts_at(texts, texts->names[i].symbol.at);
		char *pretty;

		if (!demangle_is_mangled(symbol) &&
		    texts->names[i].symbol.bytes <= DEMANGLE_LONGEST)
			continue;
		pretty = a2n_demangle(symbol);
		if (pretty)
			texts->names[i].pretty =
				string_at(texts, texts_add(texts, pretty,
							   strlen(pretty)));
		free(pretty);
	}
}

void texts_init(struct texts *texts)
{
	*texts = (struct texts){ 0 };
	append(texts, "", 0); /* position 0 means "no text" */
	texts->names = heap_reserve(NULL, 1, &texts->name_capacity,
				    sizeof(*texts->names));
	texts->names[texts->name_count++] = (struct index_name){ 0 };
	texts->files = heap_reserve(NULL, 1, &texts->file_capacity,
				    sizeof(*texts->files));
	texts->files[texts->file_count++] = (struct index_string){ 0 };
}
