/* SPDX-License-Identifier: MIT */
/* See arena.h. */
#include "image/arena.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define ALIGNMENT   16
#define BLOCK_BYTES ((size_t)256 << 10)

/* The head of each block. */
struct block_head {
	unsigned char *older;
	size_t bytes;
};
_Static_assert(sizeof(struct block_head) % ALIGNMENT == 0, "keeps alignment");

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

static int add_block(struct arena *arena, size_t bytes)
{
	struct block_head head = { .older = arena->block };
	void *block;

	head.bytes = round_up(bytes + sizeof(head), BLOCK_BYTES);
	block = mmap(NULL, head.bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (block == MAP_FAILED)
		return 0;
	memcpy(block, &head, sizeof(head));
	arena->block = block;
	arena->block_bytes = head.bytes;
	arena->used_bytes = sizeof(head);
	return 1;
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
	void *memory;

	if (bytes > SIZE_MAX / 2)
		return NULL;
	bytes = round_up(bytes ? bytes : 1, ALIGNMENT);
	if (bytes > arena->block_bytes - arena->used_bytes &&
	    !add_block(arena, bytes))
		return NULL;
	memory = arena->block + arena->used_bytes;
	arena->used_bytes += bytes;
	/*
	 * The memory is zero: the kernel has just mapped it, or arena_clear()
	 * has cleared it.
	 */
	return memory;
}

void *arena_memory(void *arena, size_t bytes)
{
	return arena_alloc(arena, bytes);
}

void arena_clear(struct arena *arena)
{
	struct block_head head;

	if (!arena->block)
		return;
	memcpy(&head, arena->block, sizeof(head));
	/* there are several blocks: more memory was needed than usual */
	if (head.older) {
		arena_fini(arena);
		return;
	}
	memset(arena->block + sizeof(head), 0,
	       arena->used_bytes - sizeof(head));
	arena->used_bytes = sizeof(head);
}

void arena_fini(struct arena *arena)
{
	while (arena->block) {
		struct block_head head;

		memcpy(&head, arena->block, sizeof(head));
		munmap(arena->block, head.bytes);
		arena->block = head.older;
	}
	*arena = (struct arena){ 0 };
}
