/* SPDX-License-Identifier: MIT */
/*
 * Windows: where stubs live.
 *
 * A stub must be within reach of a 32-bit jump from the code it serves, so
 * each group of modules gets blocks of 16 MiB nearby. The window map
 * (hot_windows), a byte for each 16 MiB of address space, tells where they are.
 *
 * Memory is never writable and executable at once. What is free to be filled
 * is a list of writable spans; sealing takes the filled pages out of them and
 * makes those executable, freeing puts pages back:
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

/* Who wants stubs. */
struct window_user {
	struct pc_range code;  /* from where jumps must reach them */
	struct pc_range image; /* all that the code refers to: its module */
};

struct windows {
	/* Set before the first call: */
	uint64_t heap_start;   /* of the brk area, where blocks do harm; or 0 */
	const char *part_path; /* beside which to keep files (stub_memory.h) */

	struct window_block {
		uint64_t start;
		int is_spare; /* without a file, as nobody has used it yet */
	} blocks[WINDOW_BLOCK_MAX];
	uint32_t
		block_count; /* unwinders read it at any time (frames_find.c) */
	uint32_t told_count; /* gdb knows so many (frames_gdb.c) */
	struct window_span { /* writable, inside one block */
		uint64_t start;  /* of a page */
		uint64_t next;   /* handed out up to here */
		uint64_t backed; /* safe to write up to here */
		uint64_t end;
		int is_bare; /* it was freed: no file is mapped there */
	} spans[WINDOW_SPAN_MAX];
	uint32_t span_count;
	/*
	 * What window_take() was asked for in a process that was attached to: given back
	 * when it is left, whatever is mapped there.
	 */
	struct pc_range taken[WINDOW_TAKEN_MAX];
	uint32_t taken_count;
	/* Starts of an image, and of code, near which no place is free; or 0. */
	uint64_t image_out_of_reach;
	uint64_t code_out_of_reach;
};

/*
 * Writable memory for stubs within reach of the user's code, and of its image
 * where there is such a place out of the heap's way: displaced instructions
 * may refer to any of it. 0, -ERANGE if no place near the code is free, or
 * -ENOMEM if nothing can be mapped anywhere. What is written there can be
 * executed after windows_seal() only.
 */
int window_alloc(struct windows *windows, const struct window_user *user,
		 uint64_t bytes, uint8_t **out);

/*
 * That very place, whole pages, near the user's code and image, but for the heads of
 * its blocks, for code that is mapped there: nothing else is handed out of it. 0;
 * -EEXIST or -ERANGE where something else is there, or it will not do; -ENOMEM.
 */
int window_take(struct windows *windows, const struct window_user *user,
		const struct pc_range *place);

/* Whether that is in a place that was taken so. */
int window_is_taken(const struct windows *windows, uint64_t pc);

/*
 * The part of a taken place that lies in a block, behind its head; may be empty. Blocks
 * are at multiples of WINDOW_BLOCK_BYTES.
 */
struct pc_range window_piece(const struct pc_range *taken, uint64_t block);

/*
 * Map a file's code to such a place, from its beginning on, but for what the heads
 * cover. 0, or -errno: then some of the place stays unused.
 */
int window_map(const struct pc_range *place, int fd);

/*
 * Keep a block's worth of memory free within the user's reach for what is loaded
 * later, when the program may have taken all places. In vain is no error.
 */
void windows_keep_spare(struct windows *windows,
			const struct window_user *user);

/* What is handed out from here on lies in other pages. */
void windows_turn_page(struct windows *windows);

/*
 * Make what was handed out executable instead of writable. Its last page takes
 * no later stub. 0 or -errno.
 */
int windows_seal(struct windows *windows);

/* Give back pages that were made ready to be written and that nothing uses. */
void windows_trim(struct windows *windows);

/*
 * Take back sealed memory, whole pages of one block, that nothing executes or
 * will return into.
 */
void window_free(struct windows *windows, uint64_t start, uint64_t bytes);

#endif
