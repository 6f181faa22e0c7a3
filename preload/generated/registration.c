/* SPDX-License-Identifier: MIT */
/*
 * See registration.h. The registered data belongs to the program and may be
 * damaged or freed. The data is therefore copied by a system call that can
 * fail, and the copy is checked.
 */
#include "preload/generated/registration.h"

#include <elf.h>
#include <errno.h>

#include "preload/generated/erlang_symbols.h"
#include "preload/generated/records.h"
#include "preload/hot/runtime.h"
#include "preload/sys/sys.h"

#define BYTES_MAX (UINT64_C(64) << 20) /* maximum size of a symbol file */

/* As declared in GDB's manual ("JIT Compilation Interface"). */
struct jit_object {
	uint64_t next, previous;
	uint64_t symbol_file, symbol_file_bytes;
};

struct jit_registration {
	uint32_t version, action;
	uint64_t relevant, first;
};

enum { ACTION_NONE, ACTION_REGISTER, ACTION_UNREGISTER };

struct registry registries[REGISTRIES_MAX];

/* ---- A symbol file ---- */

struct symbol_file {
	const unsigned char *bytes;
	uint64_t size;
	const Elf64_Shdr *sections;
	uint32_t section_count;
	uint32_t object; /* number of the object that is being recorded */
	int is_gone;     /* the object is being unregistered */
};

static int is_inside(const struct symbol_file *file, uint64_t at,
		     uint64_t bytes)
{
	return at <= file->size && bytes <= file->size - at && at % 8 == 0;
}

static int find_sections(struct symbol_file *file)
{
	const Elf64_Ehdr *head = (const void *)file->bytes;

	if (file->size < sizeof(*head) || head->e_ident[EI_MAG0] != ELFMAG0 ||
	    head->e_ident[EI_MAG1] != ELFMAG1 ||
	    head->e_ident[EI_MAG2] != ELFMAG2 ||
	    head->e_ident[EI_MAG3] != ELFMAG3 ||
	    head->e_ident[EI_CLASS] != ELFCLASS64 ||
	    head->e_shentsize != sizeof(Elf64_Shdr) ||
	    !is_inside(file, head->e_shoff, head->e_shnum * sizeof(Elf64_Shdr)))
		return -EBADMSG;
	file->sections = (const void *)(file->bytes + head->e_shoff);
	file->section_count = head->e_shnum;
	return 0;
}

/*
 * Returns the address of a symbol, or 0 if it has none. In an object file the
 * symbol's value is an offset in a section, whose header contains the address.
 */
static uint64_t address_of(const struct symbol_file *file,
			   const Elf64_Sym *symbol)
{
	const Elf64_Ehdr *head = (const void *)file->bytes;

	if (head->e_type != ET_REL || symbol->st_shndx == SHN_ABS)
		return symbol->st_value;
	if (symbol->st_shndx >= file->section_count ||
	    file->sections[symbol->st_shndx].sh_addr == 0)
		return 0;
	return file->sections[symbol->st_shndx].sh_addr + symbol->st_value;
}

/*
 * Records a function's code. Returns 0 if it has no size or no name, or if
 * there was no space.
 */
static int record_code(const struct symbol_file *file, uint64_t start,
		       uint64_t bytes, const char *name)
{
	if (bytes == 0 || *name == '\0')
		return 0;
	return file->is_gone
		       ? records_unregistered(start, file->object)
		       : records_registered(start, bytes, name, file->object);
}

/* Records the symbol if it is a function. Returns whether it was recorded. */
static int record_symbol(const struct symbol_file *file,
			 const Elf64_Sym *symbol, const char *name)
{
	const uint64_t start = address_of(file, symbol);

	if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC ||
	    symbol->st_shndx == SHN_UNDEF || !start)
		return 0;
	return record_code(file, start, symbol->st_size, name);
}

/* Records the functions of a symbol table. Returns their number. */
static uint64_t record_table(const struct symbol_file *file,
			     const Elf64_Shdr *table)
{
	const uint64_t count = table->sh_size / sizeof(Elf64_Sym);
	const Elf64_Shdr *texts;
	const Elf64_Sym *symbols;
	uint64_t recorded_count = 0;
	const char *names;

	if (table->sh_link >= file->section_count ||
	    !is_inside(file, table->sh_offset, table->sh_size))
		return 0;
	texts = &file->sections[table->sh_link];
	/* Names may begin at any offset. */
	if (texts->sh_offset > file->size || texts->sh_size == 0 ||
	    texts->sh_size > file->size - texts->sh_offset)
		return 0;
	symbols = (const void *)(file->bytes + table->sh_offset);
	names = (const char *)file->bytes + texts->sh_offset;
	if (names[texts->sh_size - 1] != '\0')
		return 0;
	for (uint64_t i = 0; i < count; i++)
		if (symbols[i].st_name < texts->sh_size)
			recorded_count += (uint64_t)record_symbol(
				file, &symbols[i], names + symbols[i].st_name);
	return recorded_count;
}

/* Returns whether the data was Erlang's, and complete. */
static int record_erlang(const struct symbol_file *file)
{
	struct erlang_symbols symbols;
	struct erlang_symbol symbol;

	if (!erlang_symbols_begin(&symbols, file->bytes, file->size))
		return 0;
	while (erlang_symbols_next(&symbols, &symbol))
		record_code(file, symbol.start, symbol.bytes, symbol.name);
	return erlang_symbols_are_over(&symbols);
}

/*
 * Returns whether any symbol was recorded, or whether the data was Erlang's and
 * complete.
 */
static int record_file(struct symbol_file *file)
{
	uint64_t recorded_count = 0;

	if (find_sections(file))
		return record_erlang(file);
	for (uint32_t i = 0; i < file->section_count; i++)
		if (file->sections[i].sh_type == SHT_SYMTAB)
			recorded_count +=
				record_table(file, &file->sections[i]);
	return recorded_count > 0;
}

/* ---- A registration ---- */

/* Copies a symbol file. Returns what record_file() returns, or 0. */
static int record_copy(const struct jit_object *entry, struct symbol_file *file)
{
	int is_recorded = 0;
	void *copy;

	if (entry->symbol_file_bytes == 0 ||
	    entry->symbol_file_bytes > BYTES_MAX)
		return 0;
	copy = sys_map_private(entry->symbol_file_bytes);
	if (sys_failed(copy))
		return 0;
	file->bytes = copy;
	file->size = entry->symbol_file_bytes;
	if (!sys_read_memory(entry->symbol_file, copy, file->size))
		is_recorded = record_file(file);
	sys_munmap(copy, file->size);
	return is_recorded;
}

/*
 * Handles one report: records the object that the descriptor refers to. The
 * other objects in the list are not read: most were reported before.
 */
static void record_entry(uint64_t descriptor_at)
{
	struct jit_registration descriptor;
	struct symbol_file file = { 0 };
	struct jit_object entry = { 0 };
	int is_read;

	if (sys_read_memory(descriptor_at, &descriptor, sizeof(descriptor)) ||
	    (descriptor.action != ACTION_REGISTER &&
	     descriptor.action != ACTION_UNREGISTER))
		return;
	is_read = !sys_read_memory(descriptor.relevant, &entry, sizeof(entry));
	file.object = (uint32_t)(descriptor.relevant >> 3) | 1;
	file.is_gone = descriptor.action == ACTION_UNREGISTER;
	if ((!is_read || !record_copy(&entry, &file)) && !file.is_gone)
		records_unread(WIRE_UNREAD_FILE);
}

void registration_stand_in(uint32_t index)
{
	const struct registry *registry = &registries[index];

	if (rt.header && rt.header->state == WIRE_RUNNING && rt.recorder &&
	    !runtime_is_filtered())
		record_entry(registry->descriptor);
	((void (*)(void))registry->divert.original)();
}
