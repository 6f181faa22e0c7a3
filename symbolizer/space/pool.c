/* SPDX-License-Identifier: MIT */
/* See pool.h. */
#include "symbolizer/space/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 * 1024 };

struct pool_chunk {
	struct pool_chunk *next;
	size_t used; /* number of bytes */
	_Alignas(uint64_t) char bytes[];
};

static char printable(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f ? '?' : c;
}

static uint64_t hash_of(const char *text, size_t length)
{
	uint64_t hash = length;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)printable(text[i])) *
		       UINT64_C(0x100000001b3);
	return hash ^ hash >> 29;
}

static int is_same(const struct pool_text *known, const char *text,
		   size_t length)
{
	if (known->length != length)
		return 0;
	for (size_t i = 0; i < length; i++) {
		if (known->text[i] != printable(text[i]))
			return 0;
	}
	return 1;
}

static void *allocate(struct pool *pool, size_t bytes)
{
	struct pool_chunk *chunk = pool->chunks;
	void *memory;

	bytes = (bytes + 7) & ~(size_t)7;
	if (bytes > pool->left) {
		size_t room = bytes > CHUNK ? bytes : CHUNK;

		chunk = malloc(sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		chunk->next = pool->chunks;
		chunk->used = 0;
		pool->chunks = chunk;
		pool->left = room;
	}
	memory = chunk->bytes + chunk->used;
	chunk->used += bytes;
	pool->left -= bytes;
	return memory;
}

static struct pool_text *copy(struct pool *pool, const char *text,
			      size_t length)
{
	struct pool_text *new = NULL;

	if (length < UINT32_MAX)
		new = allocate(pool, sizeof(*new) + length + 1);
	if (!new)
		return NULL;
	new->length = (uint32_t)length;
	for (size_t i = 0; i < length; i++)
		new->text[i] = printable(text[i]);
	new->text[length] = '\0';
	return new;
}

/* If two texts have the same hash, only the first one is shared. */
const struct pool_text *pool_add(struct pool *pool, const char *text,
				 size_t length)
{
	uint64_t hash = hash_of(text, length);
	const struct pool_text *known =
		(const struct pool_text *)(uintptr_t)table_find(&pool->texts,
								hash);

	if (known && is_same(known, text, length))
		return known;
	if (known)
		return copy(pool, text, length);
	known = copy(pool, text, length);
	if (!known || table_set(&pool->texts, hash, (uintptr_t)known))
		return NULL;
	return known;
}

void pool_fini(struct pool *pool)
{
	struct pool_chunk *next;

	for (struct pool_chunk *chunk = pool->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	table_fini(&pool->texts);
	*pool = (struct pool){ 0 };
}
