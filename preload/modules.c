/* SPDX-License-Identifier: MIT */
#include "preload/modules.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "preload/sys.h"

struct finder {
	struct modules *modules;
	struct module **tail;
	struct arena *arena;
};

static const char *copy_path(struct arena *arena, const char *path,
			     size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	return copy ? memcpy(copy, path, length) : NULL;
}

/* The loader has no name for the executable. */
static const char *executable_path(struct arena *arena)
{
	char path[PATH_MAX];
	long length = sys_call(SYS_readlink, (long)"/proc/self/exe", (long)path,
			       sizeof(path), 0, 0, 0);

	return length > 0 ? copy_path(arena, path, (size_t)length)
			  : "/proc/self/exe";
}

static struct pc_range code_of(uint64_t base, const ElfW(Phdr) * segments,
			       uint32_t count)
{
	struct pc_range code = { .start = UINT64_MAX };

	for (uint32_t i = 0; i < count; i++) {
		const ElfW(Phdr) *segment = &segments[i];
		uint64_t start = base + segment->p_vaddr;
		uint64_t end = start + segment->p_memsz;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		if (start < code.start)
			code.start = start;
		if (end > code.end)
			code.end = end;
	}
	return code.end ? code : (struct pc_range){ 0 };
}

static int add_module(struct dl_phdr_info *info, size_t size, void *context)
{
	struct finder *finder = context;
	struct module *module = arena_alloc(finder->arena, sizeof(*module));

	if (!module)
		return -ENOMEM;
	module->base = info->dlpi_addr;
	module->segments = info->dlpi_phdr;
	module->segment_count = info->dlpi_phnum;
	module->code =
		code_of(module->base, module->segments, module->segment_count);
	module->path = *info->dlpi_name
			       ? copy_path(finder->arena, info->dlpi_name,
					   strlen(info->dlpi_name))
			       : executable_path(finder->arena);
	if (!module->path)
		return -ENOMEM;
	finder->modules->count++;
	*finder->tail = module;
	finder->tail = &module->next;
	return 0;
}

int modules_find(struct modules *modules, struct arena *arena)
{
	struct finder finder = { .modules = modules,
				 .tail = &modules->first,
				 .arena = arena };

	*modules = (struct modules){ 0 };
	return dl_iterate_phdr(add_module, &finder);
}

/* The GNU build-id among the notes in [at, end), or 0. */
static uint32_t find_build_id(const uint8_t *at, const uint8_t *end,
			      uint8_t out[32])
{
	while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)at;
		size_t name_bytes = (note->n_namesz + 3) & ~3UL;
		size_t bytes = (note->n_descsz + 3) & ~3UL;

		at += sizeof(*note);
		if ((size_t)(end - at) < name_bytes ||
		    (size_t)(end - at) - name_bytes < bytes)
			return 0;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(at, "GNU", 4) && note->n_descsz <= 32) {
			memcpy(out, at + name_bytes, note->n_descsz);
			return note->n_descsz;
		}
		at += name_bytes + bytes;
	}
	return 0;
}

uint32_t module_build_id(const struct module *module, uint8_t out[32])
{
	for (uint32_t i = 0; i < module->segment_count; i++) {
		const ElfW(Phdr) *segment = &module->segments[i];
		const uint8_t *at =
			(const uint8_t *)(module->base + segment->p_vaddr);
		uint32_t bytes;

		if (segment->p_type != PT_NOTE)
			continue;
		bytes = find_build_id(at, at + segment->p_memsz, out);
		if (bytes)
			return bytes;
	}
	return 0;
}

/* What a dynamic section tells of its symbols; the loader relocated it. */
struct dynamic_symbols {
	const ElfW(Sym) * symbols;
	const char *names;
	const uint32_t *gnu_hash;
};

static struct dynamic_symbols find_symbols(const struct module *module)
{
	struct dynamic_symbols found = { 0 };
	const ElfW(Dyn) *entry = NULL;

	for (uint32_t i = 0; i < module->segment_count; i++)
		if (module->segments[i].p_type == PT_DYNAMIC)
			entry = (const void *)(module->base +
					       module->segments[i].p_vaddr);
	for (; entry && entry->d_tag != DT_NULL; entry++) {
		const void *value = (const void *)entry->d_un.d_ptr;

		if (entry->d_tag == DT_SYMTAB)
			found.symbols = value;
		else if (entry->d_tag == DT_STRTAB)
			found.names = value;
		else if (entry->d_tag == DT_GNU_HASH)
			found.gnu_hash = value;
	}
	return found;
}

int module_imports(const struct module *module, const char *name)
{
	struct dynamic_symbols found = find_symbols(module);

	if (!found.symbols || !found.names || !found.gnu_hash)
		return 0;
	/* Symbols before the first hashed one are those of other modules. */
	for (uint32_t i = 1; i < found.gnu_hash[1]; i++)
		if (found.symbols[i].st_shndx == SHN_UNDEF &&
		    !strcmp(found.names + found.symbols[i].st_name, name))
			return 1;
	return 0;
}
