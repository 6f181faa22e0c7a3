/* SPDX-License-Identifier: MIT */
/*
 * place_in_blocks FROM TO: builds from libclew.so the variant whose
 * thread-local variables are in control blocks (preload/host/own_place.h). The
 * build runs this tool.
 *
 * The library accesses its variables by words that the loader fills in.
 * R_X86_64_TPOFF64 makes the loader give the module static storage, and fill in
 * the distance from the thread pointer to the variable, whose offset is the
 * addend. If no static storage is left, dlopen() fails. The tool changes these
 * relocations to R_X86_64_DTPOFF64, for which the loader fills in the addend
 * alone, and adds the storage's distance to the addend. The loader then needs
 * no static storage.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine/control_block.h"

struct library {
	unsigned char *bytes;
	size_t count;
};

static void fail(const char *what)
{
	fprintf(stderr, "place_in_blocks: %s\n", what);
	exit(1);
}

static struct library read_library(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct library library = { 0 };
	long count;

	if (!file || fseek(file, 0, SEEK_END) != 0)
		fail(path);
	count = ftell(file);
	rewind(file);
	library.count = count > 0 ? (size_t)count : 0;
	library.bytes = malloc(library.count + 1);
	if (!library.bytes || fread(library.bytes, library.count, 1, file) != 1)
		fail(path);
	fclose(file);
	return library;
}

static void write_library(const struct library *library, const char *path)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(library->bytes, library->count, 1, file) != 1 ||
	    fclose(file) != 0)
		fail(path);
}

static const Elf64_Phdr *segment_at(const struct library *library, int i)
{
	const Elf64_Ehdr *head = (const void *)library->bytes;
	const Elf64_Phdr *first =
		(const void *)(library->bytes + head->e_phoff);

	return i < head->e_phnum ? first + i : NULL;
}

static const Elf64_Phdr *segment_of(const struct library *library,
				    uint32_t type)
{
	const Elf64_Phdr *segment;

	for (int i = 0; (segment = segment_at(library, i)); i++)
		if (segment->p_type == type)
			return segment;
	fail("a segment is missing");
	return NULL;
}

static void *at(const struct library *library, uint64_t vaddr)
{
	const Elf64_Phdr *segment;

	for (int i = 0; (segment = segment_at(library, i)); i++)
		if (segment->p_type == PT_LOAD && vaddr >= segment->p_vaddr &&
		    vaddr - segment->p_vaddr < segment->p_filesz)
			return library->bytes + segment->p_offset +
			       (vaddr - segment->p_vaddr);
	fail("an address is nowhere in the file");
	return NULL;
}

static Elf64_Dyn *entry_of(const struct library *library, int64_t tag)
{
	Elf64_Dyn *entry = (void *)(library->bytes +
				    segment_of(library, PT_DYNAMIC)->p_offset);

	while (entry->d_tag != DT_NULL && entry->d_tag != tag)
		entry++;
	if (entry->d_tag != tag)
		fail("an entry of the dynamic section is missing");
	return entry;
}

static int place(Elf64_Rela *relocation)
{
	if (ELF64_R_TYPE(relocation->r_info) != R_X86_64_TPOFF64)
		return 0;
	if (ELF64_R_SYM(relocation->r_info))
		fail("a thread-local variable is not the library's own");
	relocation->r_info = ELF64_R_INFO(0, R_X86_64_DTPOFF64);
	relocation->r_addend += CONTROL_BLOCK_ROOM_AT;
	return 1;
}

static void place_all(const struct library *library)
{
	Elf64_Rela *relocations =
		at(library, entry_of(library, DT_RELA)->d_un.d_ptr);
	const uint64_t count =
		entry_of(library, DT_RELASZ)->d_un.d_val / sizeof(*relocations);
	int placed = 0;

	for (uint64_t i = 0; i < count; i++)
		placed += place(&relocations[i]);
	if (!placed)
		fail("there are no thread-local variables");
}

int main(int argc, char **argv)
{
	struct library library;

	if (argc != 3)
		fail("FROM TO");
	library = read_library(argv[1]);
	if (segment_of(&library, PT_TLS)->p_memsz > CONTROL_BLOCK_ROOM_BYTES ||
	    segment_of(&library, PT_TLS)->p_align > CONTROL_BLOCK_ALIGN)
		fail("there is no room for all thread-local variables");
	place_all(&library);
	entry_of(&library, DT_FLAGS)->d_un.d_val &= ~(uint64_t)DF_STATIC_TLS;
	write_library(&library, argv[2]);
	free(library.bytes);
	return 0;
}
