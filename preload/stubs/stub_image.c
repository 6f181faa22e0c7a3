/* SPDX-License-Identifier: MIT */
/* See stub_image.h. */
#include "preload/stubs/stub_image.h"

#include <string.h>

#include "machine/address_space.h"
#include "machine/elf_numbers.h"
#include "preload/hot/layout.h"
#include "preload/stubs/block.h"

/* Encodings of pointers in .eh_frame_hdr (LSB). */
enum {
	PE_UDATA4 = 0x03,
	PE_PCREL_SDATA4 = 0x1b,
	PE_DATAREL_SDATA4 = 0x3b,
};

static const char names[] = "\0clew_stubs\0.text\0.eh_frame_hdr\0.eh_frame\0"
			    ".symtab\0.strtab";

enum {
	NAME_SYMBOL = 1,
	NAME_TEXT = NAME_SYMBOL + sizeof("clew_stubs"),
	NAME_HEADER = NAME_TEXT + sizeof(".text"),
	NAME_FRAMES = NAME_HEADER + sizeof(".eh_frame_hdr"),
	NAME_SYMTAB = NAME_FRAMES + sizeof(".eh_frame"),
	NAME_STRTAB = NAME_SYMTAB + sizeof(".symtab"),
};

_Static_assert(sizeof(names) <= sizeof(((struct stub_image *)0)->names),
	       "names fit");

/* The memory that an image describes. */
struct described {
	uint64_t start, bytes;
};

static void write_elf(Elf64_Ehdr *elf, uint16_t type)
{
	*elf = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     ELFDATA2LSB, EV_CURRENT },
		.e_type = type,
		.e_machine = MACHINE_ELF,
		.e_version = EV_CURRENT,
		.e_phoff = offsetof(struct stub_image, segments),
		.e_shoff = offsetof(struct stub_image, sections),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = STUB_SEGMENTS,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = STUB_SECTIONS,
		.e_shstrndx = STUB_SECTION_NAMES,
	};
}

#define UNWINDING_HEADER_BYTES offsetof(struct stub_unwinding, rules)

static void write_segments(Elf64_Phdr *segments, const struct described *all,
			   uint64_t unwinding)
{
	const uint64_t place = all->start;

	segments[0] = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_vaddr = place,
		.p_paddr = place,
		.p_filesz = all->bytes,
		.p_memsz = all->bytes,
		.p_align = PAGE_BYTES,
	};
	segments[1] = (Elf64_Phdr){
		.p_type = PT_GNU_EH_FRAME,
		.p_flags = PF_R,
		.p_offset = unwinding,
		.p_vaddr = place + unwinding,
		.p_paddr = place + unwinding,
		.p_filesz = UNWINDING_HEADER_BYTES,
		.p_memsz = UNWINDING_HEADER_BYTES,
		.p_align = 4,
	};
}

static void write_unwinding(struct stub_image *image,
			    const struct described *all, size_t at,
			    enum frames_rules_for audience)
{
	struct stub_unwinding *unwinding = (void *)((uint8_t *)image + at);
	const uint64_t from =
		audience == FRAMES_FOR_FILES ? at + UNWINDING_HEADER_BYTES : 0;
	size_t fde = frames_rules_write(unwinding->rules, audience,
					all->start - from, all->bytes);

	unwinding->version = 1;
	unwinding->frames_enc = PE_PCREL_SDATA4;
	unwinding->count_enc = PE_UDATA4;
	unwinding->table_enc = PE_DATAREL_SDATA4;
	unwinding->frames = UNWINDING_HEADER_BYTES - 4;
	unwinding->count = 1;
	unwinding->start = -(int32_t)at;
	unwinding->fde = (int32_t)(UNWINDING_HEADER_BYTES + fde);
}

static void write_symbols(struct stub_image *image, const struct described *all)
{
	memcpy(image->names, names, sizeof(names));
	image->symbols[1] = (Elf64_Sym){
		.st_name = NAME_SYMBOL,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_shndx = STUB_SECTION_TEXT,
		.st_value = all->start + WINDOW_HEAD_BYTES,
		.st_size = all->bytes - WINDOW_HEAD_BYTES,
	};
}

static Elf64_Shdr section(uint32_t name, uint32_t type, uint64_t offset,
			  uint64_t bytes)
{
	return (Elf64_Shdr){
		.sh_name = name,
		.sh_type = type,
		.sh_offset = offset,
		.sh_size = bytes,
		.sh_addralign = 8,
	};
}

#define SECTION(name, type, member)                                            \
	section(name, type, offsetof(struct stub_image, member),               \
		sizeof(((struct stub_image *)0)->member))

static void write_sections(Elf64_Shdr *sections, const struct described *all)
{
	/*
	 * The section of stubs has no contents (SHT_NOBITS), because gdb reads
	 * only this page.
	 */
	sections[STUB_SECTION_TEXT] =
		section(NAME_TEXT, SHT_NOBITS, WINDOW_HEAD_BYTES,
			all->bytes - WINDOW_HEAD_BYTES);
	sections[STUB_SECTION_HEADER] =
		SECTION(NAME_HEADER, SHT_PROGBITS, unwinding);
	sections[STUB_SECTION_HEADER].sh_size = UNWINDING_HEADER_BYTES;
	sections[STUB_SECTION_FRAMES] = section(
		NAME_FRAMES, SHT_PROGBITS,
		offsetof(struct stub_image, unwinding) + UNWINDING_HEADER_BYTES,
		FRAMES_RULES_BYTES - UNWINDING_HEADER_BYTES);
	for (int i = STUB_SECTION_TEXT; i <= STUB_SECTION_FRAMES; i++) {
		sections[i].sh_flags = SHF_ALLOC;
		sections[i].sh_addr = all->start + sections[i].sh_offset;
	}
	sections[STUB_SECTION_TEXT].sh_flags |= SHF_EXECINSTR;
	sections[STUB_SECTION_SYMBOLS] =
		SECTION(NAME_SYMTAB, SHT_SYMTAB, symbols);
	sections[STUB_SECTION_SYMBOLS].sh_link = STUB_SECTION_NAMES;
	/* Index of the first global symbol. */
	sections[STUB_SECTION_SYMBOLS].sh_info = 1;
	sections[STUB_SECTION_SYMBOLS].sh_entsize = sizeof(Elf64_Sym);
	sections[STUB_SECTION_NAMES] = SECTION(NAME_STRTAB, SHT_STRTAB, names);
}

static const struct {
	enum frames_rules_for all, libgcc, throwing;
} rules[] = {
	[IMAGE_OF_STUBS] = { FRAMES_FOR_ALL, FRAMES_FOR_LIBGCC,
			     FRAMES_FOR_LIBGCC_THROWING },
	[IMAGE_OF_TRAMPOLINES] = { FRAMES_OF_TRAMPOLINES,
				   FRAMES_OF_TRAMPOLINES_FOR_LIBGCC,
				   FRAMES_OF_TRAMPOLINES_FOR_LIBGCC },
};

/* Writes the parts of the image that tools outside the process read. */
static void write_for_all(struct stub_image *image, uint16_t type,
			  const struct described *all,
			  enum frames_rules_for audience)
{
	const size_t at = offsetof(struct stub_image, unwinding);

	write_elf(&image->elf, type);
	write_segments(image->segments, all, at);
	write_unwinding(image, all, at, audience);
	write_symbols(image, all);
	write_sections(image->sections, all);
}

void stub_image_write(struct stub_image *image, uint64_t place,
		      enum stub_image_of what)
{
	const struct described all = { place, WINDOW_BLOCK_BYTES };

	write_for_all(image, ET_EXEC, &all, rules[what].all);
	write_segments(image->libgcc_segments, &all,
		       offsetof(struct stub_image, libgcc_unwinding));
	write_unwinding(image, &all,
			offsetof(struct stub_image, libgcc_unwinding),
			rules[what].libgcc);
	write_unwinding(image, &all,
			offsetof(struct stub_image, throwing_unwinding),
			rules[what].throwing);
}

void stub_image_write_file(struct stub_image *image, uint64_t bytes)
{
	const struct described all = { 0, bytes };

	write_for_all(image, ET_DYN, &all, FRAMES_FOR_FILES);
}

void stub_image_write_shared(struct stub_image *image, uint64_t file_bytes)
{
	stub_image_write_file(image, WINDOW_BLOCK_BYTES);
	image->segments[0].p_filesz = file_bytes;
}
