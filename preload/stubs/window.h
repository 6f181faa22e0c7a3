/* SPDX-License-Identifier: MIT */
/*
 * Windows: where stubs are mapped.
 *
 * A stub must be within reach of a 32-bit jump from its code, so each group of
 * modules gets blocks of 16 MiB nearby. The window map (hot_windows) has a byte
 * for each 16 MiB of address space and marks these blocks.
 *
 * Memory is never writable and executable at once. Unused memory is in a list
 * of writable spans. Sealing removes the filled pages from the spans and makes
 * them executable; freeing adds pages:
 *
 *	block	[ image | sealed, RX | filled, RW | rest of the span, RW ]
 */
#ifndef CLEW_STUBS_WINDOW_H
#define CLEW_STUBS_WINDOW_H

#include <stdint.h>

#include "preload/stubs/block.h"
#include "preload/sys/range.h"

#define WINDOW_BLOCK_MAX 256
#define WINDOW_SPAN_MAX  1024
#define WINDOW_TAKEN_MAX 256

/* The code that stubs are for. */
struct window_user {
	struct pc_range code; /* code from which jumps must reach the stubs */
	/*
	 * The whole module, to whose addresses displaced instructions may
	 * refer.
	 */
	struct pc_range image;
};

struct windows {
	/* Set before the first call: */
	/*
	 * start of the brk heap, above which blocks would be in its way; or 0
	 */
	uint64_t heap_start;
	const char *part_path; /* files are created beside it (stub_memory.h) */

	struct window_block {
		uint64_t start;
		int is_spare; /* reserved but unused, so it has no file yet */
	} blocks[WINDOW_BLOCK_MAX];
	/* unwinders read it at any time (frames_find.c) */
	uint32_t block_count;
	uint32_t announced_count; /* blocks that gdb knows (frames_gdb.c) */
	struct window_span {      /* writable memory inside of one block */
		uint64_t start;   /* page boundary */
		uint64_t next;    /* everything below is allocated */
		uint64_t backed;  /* everything below may be written */
		uint64_t end;
		int is_bare; /* freed memory, which has no file */
	} spans[WINDOW_SPAN_MAX];
	uint32_t span_count;
	/*
	 * In a process that clew has attached to: the ranges of window_take().
	 * They are freed when clew detaches, whatever is mapped there.
	 */
	struct pc_range taken[WINDOW_TAKEN_MAX];
	uint32_t taken_count;
	/*
	 * Start of the latest image, and of the latest code, for which no
	 * address nearby was free; 0 if there is none. Repeated searches are
	 * avoided thereby.
	 */
	uint64_t image_out_of_reach;
	uint64_t code_out_of_reach;
};

/*
 * Allocates writable memory for stubs within reach of the user's code, and of
 * its whole image if there is such an address outside the heap's space, because
 * displaced instructions may refer to any part of it. Returns 0, -ERANGE if no
 * address near the code is free, or -ENOMEM if nothing can be mapped. The
 * memory is executable after windows_seal().
 */
int window_alloc(struct windows *windows, const struct window_user *user,
		 uint64_t bytes, uint8_t **out);

/*
 * Takes a range of whole pages near the user's code and image, for code that
 * will be mapped there. The heads of blocks in the range are excluded. Nothing
 * else is allocated in the range. Returns 0; -EEXIST or -ERANGE if it is not
 * free or not suitable; -ENOMEM.
 */
int window_take(struct windows *windows, const struct window_user *user,
		const struct pc_range *place);

/*
 * Notes that this allocated memory, which ends on a page of its own, has stubs
 * that belong to no patch. In a process that clew has attached to, they are
 * freed when clew detaches.
 */
void windows_note_loose(struct windows *windows, uint64_t start,
			uint64_t bytes);

/*
 * Returns whether pc is in a range taken by window_take(). Such ranges are
 * stored only in a process that clew attached to.
 */
int window_is_taken(const struct windows *windows, uint64_t pc);

/*
 * Returns the part of a taken range that is in a block, without the block's
 * head. The part may be empty. Blocks are at multiples of WINDOW_BLOCK_BYTES.
 */
struct pc_range window_piece(const struct pc_range *taken, uint64_t block);

/*
 * Maps a file's code to a range of window_take(). The byte at offset i in the
 * file is mapped at place->start + i. The heads of blocks in the range stay
 * mapped instead of the file's bytes there. Returns 0, or -errno: then some of
 * the range stays unused.
 */
int window_map(const struct pc_range *place, int fd);

/*
 * Reserves one block within the user's reach, unless there is an unused one,
 * for modules that are loaded later, when the program may have used all
 * addresses. Failure is ignored.
 */
void windows_keep_spare(struct windows *windows,
			const struct window_user *user);

/*
 * Makes later allocations begin on a new page, so that they can be freed
 * independently.
 */
void windows_turn_page(struct windows *windows);

/*
 * Makes all allocated memory executable instead of writable. The rest of the
 * last page is not allocated. Returns 0 or -errno.
 */
int windows_seal(struct windows *windows);

/* Frees pages that were prepared for writing and are unused. */
void windows_trim(struct windows *windows);

/*
 * Frees sealed memory, whole pages of one block, that no thread executes or
 * will return into.
 */
void window_free(struct windows *windows, uint64_t start, uint64_t bytes);

#endif
