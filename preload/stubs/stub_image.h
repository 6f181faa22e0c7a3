/* SPDX-License-Identifier: MIT */
/*
 * The ELF image of a block of stubs, in the block's first page.
 *
 * The image is an executable at absolute addresses. The image contains unwind
 * information, both as program headers and as sections, and a symbol that
 * covers all pcs of the block.
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
	int32_t frames; /* address of .eh_frame, relative to this field */
	uint32_t count;
	int32_t start, fde; /* relative to the header */
	uint32_t pad;
	uint8_t rules[];
};

struct stub_image {
	Elf64_Ehdr elf;
	Elf64_Phdr segments[STUB_SEGMENTS];
	Elf64_Phdr libgcc_segments[STUB_SEGMENTS];
	/* Each a struct stub_unwinding. */
	uint8_t unwinding[FRAMES_RULES_BYTES];
	uint8_t libgcc_unwinding[FRAMES_RULES_BYTES];
	uint8_t throwing_unwinding[FRAMES_RULES_BYTES / 4];
	Elf64_Sym symbols[2];
	char names[72];
	Elf64_Shdr sections[STUB_SECTIONS];
	char name[1536]; /* name of the file, or of anonymous memory */
};
_Static_assert(sizeof(struct stub_image) <= WINDOW_HEAD_BYTES,
	       "the first page");

enum stub_image_of { IMAGE_OF_STUBS, IMAGE_OF_TRAMPOLINES };

/* Writes the image for a block at `place`, except for its name. */
void stub_image_write(struct stub_image *image, uint64_t place,
		      enum stub_image_of what);

/*
 * Writes the image of a file of this size that any blocks may map, or map
 * pieces of.
 */
void stub_image_write_shared(struct stub_image *image, uint64_t file_bytes);

/*
 * Writes the image at the beginning of a file with stubs, which has `bytes`
 * bytes and may be mapped anywhere. Tools that inspect the process from outside
 * read it.
 */
void stub_image_write_file(struct stub_image *image, uint64_t bytes);

#endif
