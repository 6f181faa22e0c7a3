/* SPDX-License-Identifier: MIT */
/*
 * An ELF file of this machine, mapped read-only.
 *
 * The file may be hostile. image_open() checks the headers; everything else is
 * reached through calls that answer NULL or nothing where a structure points
 * outside of the file. Sections are a courtesy: a file whose section headers
 * are missing or damaged simply has none, for the loader does not need them.
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
	const char *section_names; /* NUL-terminated at its end */
	size_t section_names_bytes;
	uint16_t segment_count;
	uint16_t section_count;
	struct file_stamp stamp; /* of the file that was opened; else zeros */
	uint8_t is_copy;         /* image_copy.h */
};

/*
 * 0, or -errno: -ENOEXEC not this machine's ELF executable or shared object,
 * -EBADMSG damaged; others from the system.
 */
int image_open(struct image *image, const char *path);

/* Opens a regular file that is not empty: a descriptor or -errno. Sets errno. */
int image_open_file(const char *path, struct file_stamp *stamp);
void image_close(struct image *image);

/* The same over bytes in memory, 8-byte aligned, which stay the caller's. */
int image_init(struct image *image, const void *bytes, size_t size);

/*
 * File bytes of an address, to the end of its segment's; *left may be NULL.
 * NULL where nothing of the file is mapped there.
 */
const uint8_t *image_at(const struct image *image, uint64_t vaddr,
			uint64_t *left);

/* The same as a cursor, empty for unmapped addresses. */
struct bytes image_bytes_at(const struct image *image, uint64_t vaddr);

/* The first segment of that type, or NULL. */
const Elf64_Phdr *image_segment(const struct image *image, uint32_t type);

/* The section of that name, or NULL. */
const Elf64_Shdr *image_section(const struct image *image, const char *name);

/* "" for what has no name. */
const char *image_section_name(const struct image *image,
			       const Elf64_Shdr *section);

/* Contents of a section in the file: NULL if it has none, or it is damaged. */
const void *image_section_bytes(const struct image *image,
				const Elf64_Shdr *section);

/* Bounds of what the file has of all segments that are loaded. */
void image_load_range(const struct image *image, uint64_t *start,
		      uint64_t *end);

/* Bounds of the executable segments; 0 to 0 if there is none. */
void image_text_range(const struct image *image, uint64_t *start,
		      uint64_t *end);

/* GNU build-id: its bytes, or 0 if there is none that fits. */
size_t image_build_id(const struct image *image, uint8_t *out, size_t room);

#endif
