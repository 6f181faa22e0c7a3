/* SPDX-License-Identifier: MIT */
/* See mapped_code.h. */
#include "preload/generated/mapped_code.h"

#include "machine/address_space.h"
#include "preload/hot/native.h"
#include "preload/hot/runtime.h"
#include "preload/lookup/patches.h"
#include "preload/sys/mappings.h"
#include "preload/sys/proc_threads.h"
#include "preload/sys/sys.h"

/* A search for the mapping at `start`, then for another mapping of its file. */
struct mapping_search {
	uint64_t start;
	struct mapped_range found; /* end is 0: not found yet */
	uint64_t pc;               /* 0: not found yet */
};

static int contains(const struct mapped_range *mapping, uint64_t at)
{
	return at >= mapping->start && at < mapping->end;
}

static int find_start(void *context, const struct mapped_range *mapping)
{
	struct mapping_search *search = context;

	if (!contains(mapping, search->start))
		return 0;
	search->found = *mapping;
	return 1;
}

static int find_mapping(struct mapping_search *search, int is_named)
{
	const int maps = proc_open_own("maps", O_RDONLY);
	int err;

	if (maps < 0)
		return maps;
	err = mappings_find(maps, search->start, &search->found);
	sys_close(maps);
	if (err == -ENOTTY && is_named)
		err = mappings_each(find_start, search) == 1 ? 0 : -ENOENT;
	return err;
}

/* Returns the address of a file offset in the module's code; 0: none. */
static uint64_t pc_in_module(const struct module *module, uint64_t offset)
{
	/*
	 * A mapping begins with a whole page, so its offset may be less than
	 * that of the segment that begins in this page.
	 */
	const uint64_t in_page = PAGE_BYTES - 1;

	for (uint32_t i = 0; i < module->segment_count; i++) {
		const ElfW(Phdr) *segment = &module->segments[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
		    offset >= (segment->p_offset & ~in_page) &&
		    offset < segment->p_offset + segment->p_filesz)
			return module->base + segment->p_vaddr + offset -
			       segment->p_offset;
	}
	return 0;
}

/*
 * Returns the address of a file offset in the code of the module that contains
 * `at`, or 0. `at` may be in another segment of the module: where clew has
 * mapped hooked text over the code, the kernel does not report the module's
 * file.
 */
static uint64_t pc_by_segments(uint64_t at, uint64_t offset)
{
	for (const struct patch *p = rt.patches->first; p; p = p->next)
		if (p->is_written && at >= p->module->image.start &&
		    at < p->module->image.end)
			return pc_in_module(p->module, offset);
	return 0;
}

static int is_in_module(uint64_t page)
{
	return native_find(page) || native_find(page + PAGE_BYTES - 1);
}

static int find_module(void *context, const struct mapped_range *mapping)
{
	struct mapping_search *search = context;
	const struct mapped_range *found = &search->found;
	const uint64_t offset = found->offset + (search->start - found->start);

	if (mapping->inode != found->inode ||
	    mapping->device != found->device ||
	    contains(mapping, search->start))
		return 0;
	if (offset >= mapping->offset &&
	    offset - mapping->offset < mapping->end - mapping->start) {
		search->pc = mapping->start + (offset - mapping->offset);
		if (is_in_module(search->pc))
			return 1;
	}
	search->pc = pc_by_segments(mapping->start, offset);
	return search->pc != 0;
}

int mapped_code_find(uint64_t start, int is_named, struct wire_mapped_code *out)
{
	struct mapping_search search = { .start = start };

	if (is_in_module(start) || find_mapping(&search, is_named) ||
	    search.found.inode == 0)
		return 0;
	if (mappings_each(find_module, &search) != 1)
		search.pc = 0;
	*out = (struct wire_mapped_code){
		.start = start,
		.device = search.found.device,
		.inode = search.found.inode,
		.offset = search.found.offset + (start - search.found.start),
		.pc = search.pc,
	};
	return 1;
}
