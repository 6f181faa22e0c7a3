/* SPDX-License-Identifier: MIT */
/* See pristine.h. */
#include "preload/patch/pristine.h"

#include <errno.h>
#include <string.h>

#include "machine/address_space.h"
#include "preload/sys/pagemap.h"
#include "preload/sys/proc_threads.h"
#include "preload/sys/sys.h"

#define AT_FIRST      256
#define PAGES_AT_ONCE 512

/* bits of an entry in /proc/PID/pagemap */
#define PAGE_IS_A_FILES (UINT64_C(1) << 61)

static uint64_t page_of(uint64_t pc)
{
	return pc & ~(uint64_t)(PAGE_BYTES - 1);
}

static uint64_t page_end(uint64_t pc)
{
	return page_of(pc + PAGE_BYTES - 1);
}

/* ---- Mappings ---- */

struct view_growth {
	struct pristine *pristine;
	uint64_t end;
	struct arena *arena;
};

static int grow(struct pristine *pristine, struct arena *arena)
{
	const uint32_t room = pristine->room ? 2 * pristine->room : AT_FIRST;
	struct mapped_range *grown = arena_alloc(arena, room * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	if (pristine->count)
		memcpy(grown, pristine->mappings,
		       pristine->count * sizeof(*grown));
	pristine->mappings = grown;
	pristine->room = room;
	return 0;
}

static int gather(void *context, const struct mapped_range *mapping)
{
	const struct view_growth *gathering = context;
	struct pristine *pristine = gathering->pristine;
	int err = 0;

	if (mapping->start >= gathering->end)
		return 1;
	if (pristine->count == pristine->room)
		err = grow(pristine, gathering->arena);
	if (!err)
		pristine->mappings[pristine->count++] = *mapping;
	return err;
}

int pristine_read(struct pristine *pristine, uint64_t end, struct arena *arena)
{
	struct view_growth gathering = { pristine, end, arena };
	const int err = mappings_each(gather, &gathering);

	return err < 0 ? err : 0;
}

static int open_mappings(struct pristine *pristine, uint64_t end,
			 struct arena *arena)
{
	struct mapped_range some;

	pristine->maps = proc_open_own("maps", O_RDONLY);
	if (pristine->maps < 0)
		return pristine->maps;
	if (!mappings_find(pristine->maps, (uintptr_t)&some, &some))
		return 0;
	return pristine_read(pristine, end, arena);
}

int pristine_open(struct pristine *pristine, uint64_t end, struct arena *arena)
{
	int err;

	pristine->pagemap = proc_open_own("pagemap", O_RDONLY);
	if (pristine->pagemap < 0)
		return pristine->pagemap;
	err = open_mappings(pristine, end, arena);
	pristine->is_open = !err;
	if (!err)
		return 0;
	if (pristine->maps >= 0)
		sys_close(pristine->maps);
	sys_close(pristine->pagemap);
	return err;
}

void pristine_close(struct pristine *pristine)
{
	if (!pristine->is_open)
		return;
	sys_close(pristine->maps);
	sys_close(pristine->pagemap);
	pristine->is_open = 0;
}

static const struct mapped_range *read_at(const struct pristine *pristine,
					  uint64_t pc)
{
	uint32_t low = 0, high = pristine->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (pristine->mappings[middle].end <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low < pristine->count && pristine->mappings[low].start <= pc
		       ? &pristine->mappings[low]
		       : NULL;
}

/*
 * Returns the mapping that contains pc; all members are 0 if nothing is mapped
 * there.
 */
static struct mapped_range mapping_at(const struct pristine *pristine,
				      uint64_t pc)
{
	const struct mapped_range *read =
		pristine->mappings ? read_at(pristine, pc) : NULL;
	struct mapped_range found = { 0 };

	if (read)
		return *read;
	if (pristine->is_open && !pristine->mappings)
		mappings_find(pristine->maps, pc, &found);
	return found;
}

/* ---- Segments ---- */

int pristine_is_seen(const ElfW(Phdr) * segment)
{
	return segment->p_type == PT_LOAD && segment->p_memsz &&
	       !(segment->p_flags & PF_W);
}

static struct pc_range range_of(const struct module *module,
				const ElfW(Phdr) * segment)
{
	const uint64_t start = module->base + segment->p_vaddr;

	return (struct pc_range){ page_of(start),
				  page_end(start + segment->p_memsz) };
}

/*
 * Returns whether the segment is mapped from one file without gaps. Stores the
 * file's device and inode number in *file, or compares them if they are set.
 */
static int is_of_file(const struct pristine *pristine,
		      const struct module *module, const ElfW(Phdr) * segment,
		      struct pristine_file *file)
{
	const struct pc_range range = range_of(module, segment);
	const struct mapped_range mapping = mapping_at(pristine, range.start);

	if (mapping.end < range.end || !mapping.inode || mapping.is_shared ||
	    mapping.protection & PROT_WRITE ||
	    segment->p_filesz != segment->p_memsz ||
	    mapping.offset + (range.start - mapping.start) !=
		    page_of(segment->p_offset))
		return 0;
	if (!file->mapped_inode) {
		file->mapped_device = mapping.device;
		file->mapped_inode = mapping.inode;
	}
	return mapping.device == file->mapped_device &&
	       mapping.inode == file->mapped_inode;
}

/*
 * Returns whether all inspected segments are mapped from the same file.
 * Segments that are not inspected must not be executable.
 */
static int all_are_of_file(const struct pristine *pristine,
			   const struct module *module,
			   struct pristine_file *file)
{
	for (uint32_t i = 0; i < module->segment_count; i++) {
		const ElfW(Phdr) *segment = &module->segments[i];

		if (segment->p_type != PT_LOAD || !segment->p_memsz)
			continue;
		if (pristine_is_seen(segment)
			    ? !is_of_file(pristine, module, segment, file)
			    : segment->p_flags & PF_X)
			return 0;
	}
	return file->mapped_inode != 0;
}

/* ---- The file ---- */

static void take_status(struct pristine_file *file, const struct stat *st)
{
	file->device = st->st_dev;
	file->inode = st->st_ino;
	file->bytes = (uint64_t)st->st_size;
	file->changed_s = st->st_mtim.tv_sec;
	file->changed_ns = st->st_mtim.tv_nsec;
	file->attributed_s = st->st_ctim.tv_sec;
	file->attributed_ns = st->st_ctim.tv_nsec;
}

/*
 * Returns whether the file's times are so old that any later write will change
 * them. The kernel stores the time of the clock's last tick, and some file
 * systems store only seconds.
 */
static int is_settled(const struct pristine_file *file,
		      const struct timespec *now)
{
	if (!file->attributed_ns)
		return now->tv_sec > file->attributed_s + 1;
	return now->tv_sec > file->attributed_s ||
	       (now->tv_sec == file->attributed_s &&
		now->tv_nsec > file->attributed_ns);
}

static int find_status(const char *path, struct pristine_file *file)
{
	struct timespec now;
	struct stat st;
	int err = (int)sys_call(SYS_clock_gettime, CLOCK_REALTIME_COARSE,
				(long)&now, 0, 0, 0, 0);

	if (!err)
		err = (int)sys_call(SYS_newfstatat, AT_FDCWD, (long)path,
				    (long)&st, 0, 0, 0);
	if (err)
		return err;
	take_status(file, &st);
	return is_settled(file, &now) ? 0 : -EAGAIN;
}

int pristine_is_open_at(const struct pristine_file *file, int fd)
{
	struct pristine_file now = *file;
	struct stat st;

	if (sys_fstat(fd, &st))
		return 0;
	take_status(&now, &st);
	return pristine_is_same(&now, file);
}

int pristine_is_same(const struct pristine_file *a,
		     const struct pristine_file *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* ---- Pages ---- */

struct written_pages {
	uint64_t *pages;
	int count, room;
};

static int is_written(uint64_t entry)
{
	return (entry & PAGEMAP_IS_THERE) && !(entry & PAGE_IS_A_FILES);
}

static int add_written(struct written_pages *written, uint64_t page)
{
	if (written->count && written->pages[written->count - 1] == page)
		return 0; /* two segments share the page */
	if (written->count == written->room)
		return -E2BIG;
	written->pages[written->count++] = page;
	return 0;
}

static int compare_range(const struct pristine *pristine,
			 const struct pc_range *range,
			 struct written_pages *written)
{
	uint64_t entries[PAGES_AT_ONCE];

	for (uint64_t at = range->start; at < range->end;) {
		const uint64_t left = (range->end - at) / PAGE_BYTES;
		const uint64_t count =
			left < PAGES_AT_ONCE ? left : PAGES_AT_ONCE;
		const int err =
			pagemap_read(pristine->pagemap, at, count, entries);

		if (err)
			return err;
		for (uint64_t i = 0; i < count; i++, at += PAGE_BYTES)
			if (is_written(entries[i]) && add_written(written, at))
				return -E2BIG;
	}
	return 0;
}

/*
 * Lists the pages that were written to, in inspected segments that have these
 * flags.
 */
static int find_written(const struct pristine *pristine,
			const struct module *module, uint32_t flags,
			struct written_pages *written)
{
	int err = pristine->is_open ? 0 : -ENOSYS;

	for (uint32_t i = 0; !err && i < module->segment_count; i++) {
		const ElfW(Phdr) *segment = &module->segments[i];
		const struct pc_range range = range_of(module, segment);

		if (pristine_is_seen(segment) &&
		    (segment->p_flags & flags) == flags)
			err = compare_range(pristine, &range, written);
	}
	return err;
}

int pristine_written(const struct pristine *pristine,
		     const struct module *module, uint64_t *pages, int room)
{
	struct written_pages written = { .pages = pages, .room = room };
	int err = find_written(pristine, module, 0, &written);

	return err ? err : written.count;
}

int pristine_is_unwritten(const struct pristine *pristine,
			  const struct pc_range *range)
{
	struct written_pages none = { .room = 0 };

	return !compare_range(pristine, range, &none);
}

int pristine_find(const struct pristine *pristine, const struct module *module,
		  struct pristine_file *file)
{
	struct written_pages none = { .room = 0 };
	int err;

	*file = (struct pristine_file){ 0 };
	if (!all_are_of_file(pristine, module, file))
		return -ESTALE;
	err = find_status(module->path, file);
	if (err)
		return err;
	if (file->inode != file->mapped_inode)
		/* the file was replaced, or has two inode numbers */
		return -ESTALE;
	err = find_written(pristine, module, PF_X, &none);
	return err == -E2BIG ? -ESTALE : err;
}
