/* SPDX-License-Identifier: MIT */
/*
 * An ELF file: its sections, segments and notes. Compressed sections are
 * decompressed on first use.
 *
 * Only workers read ELF files, so SIGBUS from a file that shrinks ends only a
 * child process. Only 64-bit little-endian files are supported.
 */
#ifndef CLEW_SYMBOLIZER_ELF_ELF_H
#define CLEW_SYMBOLIZER_ELF_ELF_H

#include <elf.h>

#include "base/cursor.h"
#include "symbolizer/a2n.h"

struct elf_section {
	const char *name; /* the section's name, or "" if it has none */
	Elf64_Shdr header;
	/*
	 * The section's contents: on the heap if the section was compressed,
	 * otherwise in elf.bytes. .at is NULL before the first use.
	 */
	struct span plain;
	int error; /* why decompression failed, -errno */
};

struct elf {
	struct span bytes; /* the whole file */
	int is_mapped;     /* 0 if the bytes are on the heap */
	Elf64_Ehdr header;
	struct elf_section *sections;
	size_t section_count;
	Elf64_Phdr *segments;
	size_t segment_count;
	struct a2n_build_id build_id;
};

/*
 * Opens the file at `path`. Returns 0 or -errno: -ENOEXEC for an unsupported
 * file, -ENODATA if the file ends before its section headers.
 */
int elf_open(struct elf *elf, const char *path);

/* Like elf_open(), for bytes on the heap, which it owns on success. */
int elf_open_bytes(struct elf *elf, struct span bytes);
void elf_close(struct elf *elf);

/*
 * Return the first section with this name (".debug_info" also finds
 * ".zdebug_info") or type whose bytes are in the file, or NULL.
 */
struct elf_section *elf_section(struct elf *elf, const char *name);
struct elf_section *elf_section_of_type(struct elf *elf, uint32_t type);

/*
 * Returns whether the file contains the section's bytes. False for sections
 * without bytes (SHT_NOBITS), as in separate debug files.
 */
int elf_section_is_here(const struct elf_section *section);

/*
 * Returns a section's decompressed bytes, which `elf` owns. The span is empty
 * if `section` is NULL, has no bytes, or cannot be decompressed. In the last
 * case section->error is -errno: -ENOTSUP for an unknown compression.
 */
struct span elf_bytes(struct elf *elf, struct elf_section *section);

#endif
