/* SPDX-License-Identifier: MIT */
/* See elf.h. */
#include "symbolizer/elf/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "symbolizer/elf/heap.h"
#include "symbolizer/elf/notes.h"
#include "symbolizer/elf/unfold.h"

enum { MOST_SECTIONS = 1 << 20, MOST_SEGMENTS = 1 << 16 };

static int is_ours(const Elf64_Ehdr *header)
{
	return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 &&
	       header->e_ident[EI_DATA] == ELFDATA2LSB &&
	       header->e_ehsize >= sizeof(*header);
}

static struct span part_of(struct span all, uint64_t offset, uint64_t bytes)
{
	if (offset > all.bytes || bytes > all.bytes - offset)
		return (struct span){ 0 };
	return (struct span){ all.at + offset, bytes };
}

int elf_section_is_here(const struct elf_section *section)
{
	return section->header.sh_type != SHT_NOBITS &&
	       section->header.sh_size > 0;
}

static struct span raw_bytes(const struct elf *elf,
			     const struct elf_section *section)
{
	if (!elf_section_is_here(section))
		return (struct span){ 0 };
	return part_of(elf->bytes, section->header.sh_offset,
		       section->header.sh_size);
}

/*
 * The ELF header has 16 bits for the number of sections and for the index of
 * the section names. Larger values are in the fields of section 0.
 */
static void read_sections(struct elf *elf)
{
	const Elf64_Ehdr *header = &elf->header;
	uint64_t count = header->e_shnum, names = header->e_shstrndx;
	struct span table;
	Elf64_Shdr first;

	if (header->e_shoff == 0 || header->e_shentsize != sizeof(first))
		return;
	table = part_of(elf->bytes, header->e_shoff, sizeof(first));
	if (!table.at)
		return;
	memcpy(&first, table.at, sizeof(first));
	if (count == 0)
		count = first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (count > MOST_SECTIONS)
		return;
	table = part_of(elf->bytes, header->e_shoff, count * sizeof(first));
	if (!table.at)
		return;
	elf->sections = heap_zeroed(count, sizeof(*elf->sections));
	elf->section_count = count;
	for (size_t i = 0; i < count; i++)
		memcpy(&elf->sections[i].header, table.at + i * sizeof(first),
		       sizeof(first));
	table = names < count ? raw_bytes(elf, &elf->sections[names])
			      : (struct span){ 0 };
	for (size_t i = 0; i < count; i++) {
		const char *name =
			span_string(table, elf->sections[i].header.sh_name);

		elf->sections[i].name = name ? name : "";
	}
}

static void read_segments(struct elf *elf)
{
	uint64_t count = elf->header.e_phnum;
	struct span table;

	if (count == PN_XNUM && elf->section_count > 0)
		count = elf->sections[0].header.sh_info;
	if (elf->header.e_phentsize != sizeof(*elf->segments) ||
	    count > MOST_SEGMENTS)
		return;
	table = part_of(elf->bytes, elf->header.e_phoff,
			count * sizeof(*elf->segments));
	if (!table.at || count == 0)
		return;
	elf->segments = heap_zeroed(count, sizeof(*elf->segments));
	elf->segment_count = count;
	memcpy(elf->segments, table.at, table.bytes);
}

/*
 * Searches SHT_NOTE sections before PT_NOTE segments, because separate debug
 * files do not contain the bytes of segments.
 */
static void read_build_id(struct elf *elf)
{
	for (size_t i = 0; i < elf->section_count; i++) {
		const Elf64_Shdr *header = &elf->sections[i].header;

		if (header->sh_type == SHT_NOTE &&
		    notes_build_id(raw_bytes(elf, &elf->sections[i]),
				   header->sh_addralign, &elf->build_id))
			return;
	}
	for (size_t i = 0; i < elf->segment_count; i++) {
		const Elf64_Phdr *header = &elf->segments[i];

		if (header->p_type == PT_NOTE &&
		    notes_build_id(part_of(elf->bytes, header->p_offset,
					   header->p_filesz),
				   header->p_align, &elf->build_id))
			return;
	}
}

/*
 * Returns whether the file is truncated: the section headers, which are mostly
 * at its end, are missing.
 */
static int is_cut_short(const struct elf *elf)
{
	const Elf64_Ehdr *header = &elf->header;

	return header->e_shoff > 0 &&
	       !part_of(elf->bytes, header->e_shoff,
			(uint64_t)header->e_shnum * header->e_shentsize)
			.at;
}

int elf_open_bytes(struct elf *elf, struct span bytes)
{
	struct elf opened = { .bytes = bytes };

	if (bytes.bytes < sizeof(opened.header))
		return -ENOEXEC;
	memcpy(&opened.header, bytes.at, sizeof(opened.header));
	if (!is_ours(&opened.header))
		return -ENOEXEC;
	if (is_cut_short(&opened))
		return -ENODATA;
	read_sections(&opened);
	read_segments(&opened);
	read_build_id(&opened);
	*elf = opened;
	return 0;
}

int elf_open(struct elf *elf, const char *path)
{
	int fd = regular_file_open(path, O_RDONLY);
	struct stat status;
	void *bytes;
	int err;

	if (fd < 0)
		return fd == -EINVAL ? -ENOEXEC : fd;
	err = -ENOEXEC;
	if (fstat(fd, &status) != 0 || status.st_size <= 0)
		goto close;
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd,
		     0);
	err = -ENOMEM;
	if (bytes == MAP_FAILED)
		goto close;
	err = elf_open_bytes(elf,
			     (struct span){ bytes, (size_t)status.st_size });
	if (err)
		munmap(bytes, (size_t)status.st_size);
	else
		elf->is_mapped = 1;
close:
	close(fd);
	return err;
}

void elf_close(struct elf *elf)
{
	for (size_t i = 0; i < elf->section_count; i++) {
		struct elf_section *section = &elf->sections[i];

		if (section->plain.at &&
		    section->plain.at != raw_bytes(elf, section).at)
			free((void *)section->plain.at);
	}
	free(elf->sections);
	free(elf->segments);
	if (elf->is_mapped)
		munmap((void *)elf->bytes.at, elf->bytes.bytes);
	else
		free((void *)elf->bytes.at);
	*elf = (struct elf){ 0 };
}

/* Returns whether `there` is ".zdebug_x" and `wanted` is ".debug_x". */
static int is_old_style(const char *there, const char *wanted)
{
	return strncmp(there, ".z", 2) == 0 && wanted[0] == '.' &&
	       strcmp(there + 2, wanted + 1) == 0;
}

struct elf_section *elf_section(struct elf *elf, const char *name)
{
	for (size_t i = 0; i < elf->section_count; i++) {
		struct elf_section *section = &elf->sections[i];

		if (elf_section_is_here(section) &&
		    (strcmp(section->name, name) == 0 ||
		     is_old_style(section->name, name)))
			return section;
	}
	return NULL;
}

struct elf_section *elf_section_of_type(struct elf *elf, uint32_t type)
{
	for (size_t i = 0; i < elf->section_count; i++) {
		if (elf->sections[i].header.sh_type == type &&
		    elf_section_is_here(&elf->sections[i]))
			return &elf->sections[i];
	}
	return NULL;
}

/*
 * Releases the physical pages of a compressed section, which is not read again
 * after its decompression.
 */
static void forget(const struct elf *elf, struct span bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
	uintptr_t from = ((uintptr_t)bytes.at + page) & ~page;
	uintptr_t to = (uintptr_t)(bytes.at + bytes.bytes) & ~page;

	if (elf->is_mapped && from < to)
		madvise((void *)from, to - from, MADV_DONTNEED);
}

struct span elf_bytes(struct elf *elf, struct elf_section *section)
{
	struct span raw;

	if (!section || section->error)
		return (struct span){ 0 };
	if (section->plain.at)
		return section->plain;
	raw = raw_bytes(elf, section);
	if (section->header.sh_flags & SHF_COMPRESSED)
		section->error = unfold_section(raw, &section->plain);
	else if (strncmp(section->name, ".zdebug", 7) == 0)
		section->error = unfold_zdebug(raw, &section->plain);
	else
		section->plain = raw;
	if (section->plain.at != raw.at)
		forget(elf, raw);
	return section->plain;
}
