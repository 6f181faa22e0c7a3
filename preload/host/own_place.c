/* SPDX-License-Identifier: MIT */
/* See own_place.h. */
#include "preload/host/own_place.h"

#include <errno.h>
#include <link.h>

#include "machine/control_block.h"
#include "preload/host/lookup.h"
#include "preload/hot/thread.h"
#include "preload/hot/thread_block.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/own_code.h"
#include "preload/sys/sys.h"
#include "wire/id.h"

/*
 * How many words of a struct link_map are searched. The loader's struct is
 * larger than its declaration in <link.h>.
 */
#define MAP_WORDS 192

/* The fields of a struct link_map about the module's thread-local storage. */
struct map_storage {
	uint64_t image, image_bytes, bytes, align, first_byte;
	uint64_t offset; /* subtracted from the control block's address */
	uint64_t module; /* number of the module */
};

#define KNOWN_WORDS 5
#define MODULES_MAX 65536

int own_place_is_in_blocks(void)
{
	return (uintptr_t)&hot > thread_block();
}

static const ElfW(Phdr) * own_segment(void)
{
	const ElfW(Ehdr) *file = (const void *)own_code_start();
	const ElfW(Phdr) *segment =
		(const void *)(own_code_start() + file->e_phoff);

	for (int i = 0; i < file->e_phnum; i++, segment++)
		if (segment->p_type == PT_TLS)
			return segment;
	return NULL;
}

static int is_storage(const uint64_t *words, const struct map_storage *known)
{
	const struct map_storage *found = (const void *)words;

	return found->image == known->image &&
	       found->image_bytes == known->image_bytes &&
	       found->bytes == known->bytes && found->align == known->align &&
	       found->first_byte == known->first_byte &&
	       (!found->offset || found->offset == known->offset) &&
	       found->module && found->module < MODULES_MAX;
}

/*
 * Returns the address of l_tls_offset in the struct, or 0 if its layout is
 * unknown.
 */
static uint64_t find_offset(const struct link_map *map,
			    const struct map_storage *known)
{
	const size_t storage_words = sizeof(*known) / sizeof(uint64_t);
	uint64_t words[MAP_WORDS];
	size_t count = MAP_WORDS;

	/* The structure may end just before unmapped memory. */
	while (count >= storage_words &&
	       sys_read_memory((uintptr_t)map, words, count * sizeof(*words)))
		count--;
	for (size_t i = 0; i + storage_words <= count; i++)
		if (is_storage(words + i, known))
			return (uintptr_t)map +
			       (i + KNOWN_WORDS) * sizeof(*words);
	return 0;
}

static int set_offset(const ElfW(Phdr) * segment)
{
	const struct map_storage known = {
		.image = own_code_start() + segment->p_vaddr,
		.image_bytes = segment->p_filesz,
		.bytes = segment->p_memsz,
		.align = segment->p_align,
		.first_byte = segment->p_vaddr & (segment->p_align - 1),
		.offset = -(uint64_t)CONTROL_BLOCK_ROOM_AT,
	};
	const struct link_map *map = lookup_module(own_code_start());
	uint64_t at;

	at = map ? find_offset(map, &known) : 0;
	if (!at)
		return -ENOTSUP;
	__atomic_store_n((uint64_t *)at, known.offset, __ATOMIC_RELEASE);
	return 0;
}

/*
 * The initial values of the library's thread-local variables. All bytes behind
 * them are 0.
 */
static struct {
	uint64_t at, bytes;
} initial;

void own_place_begin_thread(void)
{
	if (own_place_is_in_blocks() && hot.multiplier != ID_MULTIPLIER)
		copy_bytes((void *)(thread_block() + CONTROL_BLOCK_ROOM_AT),
			   (const void *)initial.at, initial.bytes);
}

int own_place_begin(uint64_t *image, uint64_t *bytes)
{
	const ElfW(Phdr) *segment = own_segment();
	int err = segment && segment->p_memsz <= CONTROL_BLOCK_ROOM_BYTES
			  ? set_offset(segment)
			  : -ENOTSUP;

	if (err)
		return err;
	initial.at = own_code_start() + segment->p_vaddr;
	initial.bytes = segment->p_filesz;
	own_place_begin_thread();
	*image = initial.at;
	*bytes = initial.bytes;
	return 0;
}
