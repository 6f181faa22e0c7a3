/* SPDX-License-Identifier: MIT */
/* See imports.h. */
#include "preload/front/imports.h"

#include <stddef.h>

#include "machine/address_space.h"
#include "machine/elf_numbers.h"
#include "preload/front/copies.h"
#include "preload/front/fronts_found.h"
#include "preload/host/fronts.h"
#include "preload/patch/journal.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"

#define VERSION_HIDDEN 0x8000
#define LIBRARIES_MAX  4096

/*
 * The tables of a module's dynamic section; members are 0 if a table is
 * missing.
 */
struct import_tables {
	const Elf64_Sym *symbols;
	const char *strings;
	/* for each symbol, the number of its version in `needed` */
	const Elf64_Half *versions;
	const Elf64_Verneed *needed;
	uint64_t relocations, relocation_bytes;
	/*
	 * Size of the relative relocations at the beginning, which have no
	 * symbol.
	 */
	uint64_t relative_bytes;
	uint64_t plt_relocations, plt_relocation_bytes;
};

/*
 * Returns the run-time address for a value in the dynamic section. The loader
 * adds the base to these values, except in memory that it cannot write.
 */
static uint64_t address(const struct module *module, uint64_t value)
{
	return value < module->base ? value + module->base : value;
}

static void take_entry(const struct module *module, const Elf64_Dyn *entry,
		       struct import_tables *tables)
{
	const uint64_t value = entry->d_un.d_val;

	switch (entry->d_tag) {
	case DT_SYMTAB:
		tables->symbols = (const void *)address(module, value);
		break;
	case DT_STRTAB:
		tables->strings = (const void *)address(module, value);
		break;
	case DT_VERSYM:
		tables->versions = (const void *)address(module, value);
		break;
	case DT_VERNEED:
		tables->needed = (const void *)address(module, value);
		break;
	case DT_RELA:
		tables->relocations = address(module, value);
		break;
	case DT_RELASZ:
		tables->relocation_bytes = value;
		break;
	case DT_RELACOUNT:
		tables->relative_bytes = value * sizeof(Elf64_Rela);
		break;
	case DT_JMPREL:
		tables->plt_relocations = address(module, value);
		break;
	case DT_PLTRELSZ:
		tables->plt_relocation_bytes = value;
		break;
	}
}

static int find_tables(const struct module *module,
		       struct import_tables *tables)
{
	*tables = (struct import_tables){ 0 };
	for (uint32_t i = 0; i < module->segment_count; i++) {
		const Elf64_Dyn *entry =
			(const void *)(module->base +
				       module->segments[i].p_vaddr);

		if (module->segments[i].p_type != PT_DYNAMIC)
			continue;
		for (; entry->d_tag != DT_NULL; entry++)
			take_entry(module, entry, tables);
	}
	return tables->symbols && tables->strings;
}

typedef int (*relocation_visit)(void *context,
				const struct import_tables *tables,
				Elf64_Rela *relocation, const char *name);

/* Visits relocations that need the address of another module's symbol. */
static int visit_table(const struct import_tables *tables, uint64_t at,
		       uint64_t bytes, relocation_visit visit, void *context)
{
	Elf64_Rela *relocation = (Elf64_Rela *)at;
	const Elf64_Rela *end = relocation + bytes / sizeof(*relocation);
	int result = 0;

	for (; at && relocation < end && !result; relocation++) {
		const uint64_t type = ELF64_R_TYPE(relocation->r_info);
		const Elf64_Sym *symbol =
			&tables->symbols[ELF64_R_SYM(relocation->r_info)];

		if (type != RELOCATION_PLT && type != RELOCATION_GOT &&
		    type != RELOCATION_ADDRESS)
			continue;
		if (symbol->st_name && symbol->st_shndx == SHN_UNDEF)
			result = visit(context, tables, relocation,
				       tables->strings + symbol->st_name);
	}
	return result;
}

/*
 * Skips the relative relocations, nine of ten in a large library, if the module
 * contains their number (DT_RELACOUNT).
 */
static int visit_relocations(const struct import_tables *tables,
			     relocation_visit visit, void *context)
{
	const uint64_t skipped =
		tables->relative_bytes < tables->relocation_bytes
			? tables->relative_bytes
			: tables->relocation_bytes;

	return tables->relocations
		       ? visit_table(tables, tables->relocations + skipped,
				     tables->relocation_bytes - skipped, visit,
				     context)
		       : 0;
}

static int visit_imports(const struct module *module, relocation_visit visit,
			 void *context)
{
	struct import_tables tables;
	int result;

	if (!find_tables(module, &tables))
		return 0;
	result = visit_table(&tables, tables.plt_relocations,
			     tables.plt_relocation_bytes, visit, context);
	return result ? result : visit_relocations(&tables, visit, context);
}

/* ---- What imports show: longjmp(), switches of stacks, mmap() ---- */

/* The functions of fronts.h whose import shows something about a module. */
enum { JUMPS = 1, SWITCHES = 2, MAPS = 4 };

static const struct {
	const char *name;
	int traits;
} shown[] = {
#define ROW_NOTHING(name)
#define ROW_JUMPS(name)    { #name, JUMPS },
#define ROW_SWITCHES(name) { #name, SWITCHES },
#define ROW_MAPS(name)     { #name, MAPS },
#define X(name, traits)    ROW_##traits(name)
	FRONTS(X) NEXT_ONLY(X)
#undef X
};

/*
 * Returns which of the `wanted` properties a module has if it imports this
 * name, or 0.
 */
static int traits(const char *name, int wanted)
{
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		if (shown[i].traits & wanted && same_text(name, shown[i].name))
			return shown[i].traits;
	return 0;
}

/*
 * State of a search. Relocations of the same symbol usually follow each other,
 * so the last name is not examined again.
 */
struct noting {
	const char *last; /* name */
	int found;
};

static int note_jump(void *context, const struct import_tables *tables,
		     Elf64_Rela *relocation, const char *name)
{
	struct noting *noting = context;

	if (name != noting->last)
		noting->found |= traits(name, JUMPS | SWITCHES);
	noting->last = name;
	return noting->found & SWITCHES;
}

enum imports_jumps imports_jumps(const struct module *module)
{
	struct noting noting = { 0 };

	visit_imports(module, note_jump, &noting);
	if (noting.found & SWITCHES)
		return IMPORTS_SWITCH;
	return noting.found ? IMPORTS_JUMP : IMPORTS_NO_JUMP;
}

static int note_map(void *context, const struct import_tables *tables,
		    Elf64_Rela *relocation, const char *name)
{
	struct noting *noting = context;

	if (name != noting->last)
		noting->found = traits(name, MAPS);
	noting->last = name;
	return noting->found;
}

int imports_maps(const struct module *module)
{
	struct noting noting = { 0 };

	visit_imports(module, note_map, &noting);
	return noting.found;
}

/* ---- Redirecting ---- */

struct leading {
	const struct module *module;
	int anywhere;
};

static int covers(const struct module *module, const ElfW(Phdr) * segment,
		  uint64_t at)
{
	const uint64_t start = module->base + segment->p_vaddr;

	return at >= (start & ~(PAGE_BYTES - 1)) &&
	       at < start + segment->p_memsz;
}

/*
 * Returns whether the loader makes the page of this address read-only after
 * relocation (PT_GNU_RELRO).
 */
static int is_relro(const struct module *module, const ElfW(Phdr) * segment,
		    uint64_t at)
{
	const uint64_t end = module->base + segment->p_vaddr + segment->p_memsz;

	return segment->p_type == PT_GNU_RELRO && covers(module, segment, at) &&
	       at < (end & ~(PAGE_BYTES - 1));
}

static int protection_of(const struct module *module, uint64_t at)
{
	int protection = PROT_READ;

	for (uint32_t i = 0; i < module->segment_count; i++) {
		const ElfW(Phdr) *segment = &module->segments[i];

		if (is_relro(module, segment, at))
			return PROT_READ;
		if (segment->p_type != PT_LOAD || !covers(module, segment, at))
			continue;
		protection = segment->p_flags & PF_R ? PROT_READ : 0;
		protection |= segment->p_flags & PF_W ? PROT_WRITE : 0;
		protection |= segment->p_flags & PF_X ? PROT_EXEC : 0;
	}
	return protection;
}

static int write_to(const struct module *module, void *to, const void *from,
		    size_t bytes)
{
	const uint64_t at = (uintptr_t)to;
	void *page = (void *)(at & ~(PAGE_BYTES - 1));
	const size_t page_bytes = at + bytes - (uintptr_t)page;
	const int protection = protection_of(module, at);
	int err = 0;

	if (bytes <= WIRE_ATTACH_TEXT_BYTES)
		err = journal_note(at, from, bytes, 1);
	if (err || journal_is_deferring())
		return err;
	if (protection & PROT_WRITE) {
		copy_bytes(to, from, bytes);
		return 0;
	}
	err = sys_mprotect(page, page_bytes, PROT_READ | PROT_WRITE);
	if (err)
		return err;
	copy_bytes(to, from, bytes);
	return sys_mprotect(page, page_bytes, protection);
}

/*
 * Returns whether the loader has already relocated this word, so that it
 * contains an address and no longer the value in the file. A program that is
 * loaded at its link-time address was relocated before clew started.
 */
static int is_relocated(const struct module *module, const uint64_t *word)
{
	return module->base == 0 ||
	       *word >= module->image.end - module->image.start;
}

/*
 * Redirects a relocation to the function `ours`. `find` is an IFUNC resolver
 * that returns it.
 */
static int lead(const struct module *module, Elf64_Rela *relocation,
		const void *ours, void *(*find)(void))
{
	uint64_t *word = (uint64_t *)(module->base + relocation->r_offset);
	Elf64_Rela replaced = *relocation;

	if (is_relocated(module, word))
		return write_to(module, word, &ours, sizeof(ours));
	replaced.r_info = ELF64_R_INFO(0, RELOCATION_RESOLVED);
	replaced.r_addend = (int64_t)((uintptr_t)find - module->base);
	return write_to(module, relocation, &replaced, sizeof(replaced));
}

static int lead_if_copying(void *context, const struct import_tables *tables,
			   Elf64_Rela *relocation, const char *name)
{
	const struct copying *copying = copies_find(name);
	const struct leading *leading = context;

	if (!copying)
		return 0;
	return leading->anywhere
		       ? lead(leading->module, relocation, copying->anywhere,
			      copying->find_anywhere)
		       : lead(leading->module, relocation, copying->near,
			      copying->find_near);
}

int imports_lead_copies(const struct module *module, int anywhere)
{
	struct leading leading = { module, anywhere };

	return visit_imports(module, lead_if_copying, &leading);
}

/* ---- Redirecting to fronts ---- */

/*
 * Returns the name of the library that the symbol's version requires, or NULL
 * if any library may define it.
 */
static const char *library_of(const struct import_tables *tables,
			      uint64_t symbol)
{
	const Elf64_Verneed *needed = tables->needed;
	const uint32_t version =
		tables->versions ? tables->versions[symbol] & ~VERSION_HIDDEN
				 : 0;

	for (uint32_t i = 0; version && needed && i < LIBRARIES_MAX; i++) {
		const char *at = (const char *)needed + needed->vn_aux;

		for (uint32_t j = 0; j < needed->vn_cnt; j++) {
			const Elf64_Vernaux *one = (const void *)at;

			if (one->vna_other == version)
				return tables->strings + needed->vn_file;
			at += one->vna_next;
		}
		if (!needed->vn_next)
			break;
		needed = (const void *)((const char *)needed + needed->vn_next);
	}
	return NULL;
}

static int lead_if_front(void *context, const struct import_tables *tables,
			 Elf64_Rela *relocation, const char *name)
{
	const struct leading *leading = context;
	void *(*find)(void) = fronts_finder(name);
	const char *library;

	if (!find)
		return 0;
	library = library_of(tables, ELF64_R_SYM(relocation->r_info));
	if (!library || !fronts_are_of(library))
		return 0;
	return lead(leading->module, relocation, find(), find);
}

int imports_lead_to_fronts(const struct module *module)
{
	struct leading leading = { module, 0 };

	return visit_imports(module, lead_if_front, &leading);
}
