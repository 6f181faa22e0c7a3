/* SPDX-License-Identifier: MIT */
/*
 * An ELF file as bytes: sections, segments, notes, with compressed sections
 * unfolded when they are asked for.
 *
 * Read by the worker only, so a file that shrinks under us, and the SIGBUS it
 * brings, costs a child process. 64-bit little-endian files only.
 */
#ifndef CLEW_SYMBOLIZER_INDEXER_ELF_H
#define CLEW_SYMBOLIZER_INDEXER_ELF_H

#include <elf.h>

#include "symbolizer/a2n.h"
#include "symbolizer/cursor.h"

struct elf_section {
	const char *name; /* "" if it has none */
	Elf64_Shdr header;
	struct span plain; /* its bytes once unfolded; at == NULL: not yet */
	int error;         /* why it could not be unfolded, -errno */
};

struct elf {
	struct span bytes; /* of the file */
	int is_mapped;     /* else the bytes are on the heap */
	Elf64_Ehdr header;
	struct elf_section *sections;
	size_t section_count;
	Elf64_Phdr *segments;
	size_t segment_count;
	struct a2n_build_id build_id;
};

/*
 * 0, or -errno: -ENOEXEC where it is no ELF file that we read, -ENODATA where
 * the file ends before its section headers do.
 */
int elf_open(struct elf *elf, const char *path);

/* The same of bytes on the heap, which it owns from then on if it succeeds. */
int elf_open_bytes(struct elf *elf, struct span bytes);
void elf_close(struct elf *elf);

/* By name (also with ".zdebug" for ".debug"), or NULL. */
struct elf_section *elf_section(struct elf *elf, const char *name);
struct elf_section *elf_section_of_type(struct elf *elf, uint32_t type);

/* Whether there are bytes of it in this very file. */
int elf_section_is_here(const struct elf_section *section);

/*
 * A section's bytes, unfolded; empty if there is none or it is damaged: see
 * its `error`, which is -ENOTSUP for an unknown way of compressing.
 */
struct span elf_bytes(struct elf *elf, struct elf_section *section);

#endif
