/* SPDX-License-Identifier: MIT */
/*
 * The ELF image of a block of stubs, in the block's first page.
 *
 * An executable at absolute addresses that has nothing but its unwind
 * information, once as program headers have it and once as sections, and a
 * symbol, so that whoever meets a stub's pc knows what it is:
 *
 *	block	[ image | stub | stub | stub ...
 */
#ifndef CLEW_STUBS_STUB_IMAGE_H
#define CLEW_STUBS_STUB_IMAGE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/hot/layout.h"
#include "preload/stubs/frames_rules.h"

enum stub_section {
	STUB_SECTION_NONE,
	STUB_SECTION_TEXT,
	STUB_SECTION_HEADER,
	STUB_SECTION_FRAMES,
	STUB_SECTION_SYMBOLS,
	STUB_SECTION_NAMES,
	STUB_SECTIONS
};

#define STUB_SEGMENTS 2

/* .eh_frame_hdr with a table of one entry, and .eh_frame */
struct stub_unwinding {
	uint8_t version, frames_enc, count_enc, table_enc;
	int32_t frames; /* from here */
	uint32_t count;
	int32_t start, fde; /* from the header */
	uint32_t pad;
	uint8_t rules[];
};

struct stub_image {
	Elf64_Ehdr elf;
	Elf64_Phdr segments[STUB_SEGMENTS];
	Elf64_Phdr libgcc_segments[STUB_SEGMENTS];
	/* each a struct stub_unwinding */
	uint8_t unwinding[FRAMES_RULES_BYTES];
	uint8_t libgcc_unwinding[FRAMES_RULES_BYTES];
	uint8_t throwing_unwinding[FRAMES_RULES_BYTES / 4];
	Elf64_Sym symbols[2];
	char names[72];
	Elf64_Shdr sections[STUB_SECTIONS];
	char name[1536]; /* of the file, or what to call it */
};
_Static_assert(sizeof(struct stub_image) <= WINDOW_HEAD_BYTES,
	       "the first page");

enum stub_image_of { IMAGE_OF_STUBS, IMAGE_OF_TRAMPOLINES };

/* Write all but the name of the image for a block at `place`. */
void stub_image_write(struct stub_image *image, uint64_t place,
		      enum stub_image_of what);

/*
 * The same for a file of that length which any block may be a mapping of, or pieces of
 * it.
 */
void stub_image_write_shared(struct stub_image *image, uint64_t file_bytes);

/*
 * The same for a file of `bytes` bytes that begins with it and has stubs in it, to be
 * mapped anywhere: for those who look from outside.
 */
void stub_image_write_file(struct stub_image *image, uint64_t bytes);

#endif
