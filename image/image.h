/* SPDX-License-Identifier: MIT */
/*
 * An ELF file of this architecture, in memory: a read-only mapping, or a copy.
 *
 * The file may be hostile. image_open() checks the headers; all other
 * structures are accessed through functions that return NULL or nothing if a
 * structure points outside the file. Sections are optional: a file with missing
 * or damaged section headers has none, because the loader does not need them.
 */
#ifndef CLEW_IMAGE_IMAGE_H
#define CLEW_IMAGE_IMAGE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "digest/file_stamp.h"
#include "image/bytes.h"

struct image {
	const uint8_t *bytes;
	size_t size;
	const Elf64_Phdr *segments;
	const Elf64_Shdr *sections;
	/* The section with the sections' names, with a final NUL, or NULL. */
	const char *section_names;
	size_t section_names_bytes;
	uint16_t segment_count;
	uint16_t section_count;
	/* Stamp of the opened file; zeros if there is none. */
	struct file_stamp stamp;
	/* whether the bytes are a copy of the file (image_copy.h) */
	uint8_t is_copy;
};

/*
 * Opens an ELF file. Returns 0 or -errno: -ENOEXEC if it is no ELF executable
 * or shared object of this architecture, -EBADMSG if it is damaged; others from
 * the system.
 */
int image_open(struct image *image, const char *path);

/*
 * Opens a file and stores its stamp in *stamp. Returns a descriptor, which the
 * caller closes, or -errno: -ENOEXEC if the file is not regular or is empty.
 * May change errno.
 */
int image_open_file(const char *path, struct file_stamp *stamp);
void image_close(struct image *image);

/*
 * Like image_open(), for bytes in memory, 8-byte aligned, which the caller owns
 * and must not free before the image.
 */
int image_init(struct image *image, const void *bytes, size_t size);

/*
 * Returns a pointer to the file's byte that is loaded at vaddr, or NULL if
 * there is none. *left becomes the number of bytes from there to the end of the
 * segment's bytes in the file; `left` may be NULL.
 */
const uint8_t *image_at(const struct image *image, uint64_t vaddr,
			uint64_t *left);

/* Like image_at(), as a cursor, empty for unmapped addresses. */
struct bytes image_bytes_at(const struct image *image, uint64_t vaddr);

/* Returns the first segment of that type, or NULL. */
const Elf64_Phdr *image_segment(const struct image *image, uint32_t type);

/* Returns the section of that name, or NULL. */
const Elf64_Shdr *image_section(const struct image *image, const char *name);

/* Returns a section's name, or "" if it has no name. */
const char *image_section_name(const struct image *image,
			       const Elf64_Shdr *section);

/*
 * Returns a section's contents in the file; NULL if it has none, or it is
 * damaged.
 */
const void *image_section_bytes(const struct image *image,
				const Elf64_Shdr *section);

/* Returns the bounds of all loaded segments, as far as the file has them. */
void image_load_range(const struct image *image, uint64_t *start,
		      uint64_t *end);

/* Returns the bounds of the executable segments; 0 to 0 if there is none. */
void image_text_range(const struct image *image, uint64_t *start,
		      uint64_t *end);

/*
 * Reads the GNU build-id. Returns its length, or 0 if there is none that fits.
 */
size_t image_build_id(const struct image *image, uint8_t *out, size_t room);

#endif
