/* SPDX-License-Identifier: MIT */
/* See file_modules.h. */
#include "preload/modules/file_modules.h"

#include <errno.h>
#include <string.h>

#include "image/image.h"
#include "machine/address_space.h"
#include "machine/elf_numbers.h"
#include "preload/sys/sys.h"

#define SEGMENTS_MAX 256
#define SPAN_MAX     (UINT64_C(1) << 36)

/*
 * These address ranges are usually free. Libraries are placed downwards, as the
 * loader does.
 */
#define PROGRAM_AT      (ADDRESS_END / 8 * 5)
#define LIBRARIES_BELOW (ADDRESS_END / 32 * 21)

static uint64_t page_of(uint64_t at)
{
	return at & ~(uint64_t)(PAGE_BYTES - 1);
}

static uint64_t page_end(uint64_t at)
{
	return page_of(at + PAGE_BYTES - 1);
}

/* ---- Reading ---- */

struct opened_file {
	int fd;
	uint16_t type;
	ElfW(Phdr) * segments; /* program headers, allocated in the arena */
	uint32_t count;
	uint64_t start, end; /* range of the loaded segments, in whole pages */
	uint64_t alignment;
};

static int read_at(int fd, void *to, uint64_t bytes, uint64_t at)
{
	const long got = sys_call(SYS_pread64, fd, (long)to, (long)bytes,
				  (long)at, 0, 0);

	return got == (long)bytes ? 0 : -ENOEXEC;
}

static int read_segments(struct opened_file *file, struct arena *arena)
{
	ElfW(Ehdr) header;
	int err = read_at(file->fd, &header, sizeof(header), 0);

	if (err)
		return err;
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_machine != MACHINE_ELF ||
	    header.e_phentsize != sizeof(ElfW(Phdr)) || !header.e_phnum ||
	    header.e_phnum > SEGMENTS_MAX)
		return -ENOEXEC;
	file->type = header.e_type;
	file->count = header.e_phnum;
	file->segments =
		arena_alloc(arena, file->count * sizeof(*file->segments));
	return file->segments ? read_at(file->fd, file->segments,
					file->count * sizeof(*file->segments),
					header.e_phoff)
			      : -ENOMEM;
}

static int find_bounds(struct opened_file *file)
{
	file->start = UINT64_MAX;
	file->alignment = PAGE_BYTES;
	for (uint32_t i = 0; i < file->count; i++) {
		const ElfW(Phdr) *segment = &file->segments[i];

		if (segment->p_type != PT_LOAD)
			continue;
		if (segment->p_filesz > segment->p_memsz ||
		    segment->p_memsz > SPAN_MAX ||
		    segment->p_vaddr > UINT64_MAX / 2 ||
		    (segment->p_vaddr - segment->p_offset) % PAGE_BYTES)
			return -ENOEXEC;
		if (segment->p_align > file->alignment &&
		    segment->p_align <= SPAN_MAX &&
		    !(segment->p_align & (segment->p_align - 1)))
			file->alignment = segment->p_align;
		if (page_of(segment->p_vaddr) < file->start)
			file->start = page_of(segment->p_vaddr);
		if (page_end(segment->p_vaddr + segment->p_memsz) > file->end)
			file->end =
				page_end(segment->p_vaddr + segment->p_memsz);
	}
	return file->end > file->start && file->end - file->start <= SPAN_MAX
		       ? 0
		       : -ENOEXEC;
}

/* ---- Mapping ---- */

static int reserve_at(uint64_t at, uint64_t bytes)
{
	const void *got = sys_mmap((void *)at, bytes, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
					   MAP_FIXED_NOREPLACE,
				   -1, 0);

	return sys_failed(got) ? (int)(long)got : 0;
}

/* Returns the upper end of the address range for the next library. */
static uint64_t below_all(const struct modules *modules)
{
	uint64_t below = LIBRARIES_BELOW;

	for (const struct module *m = modules->first; m; m = m->next)
		if (m->image.start > PROGRAM_AT + SPAN_MAX &&
		    m->image.start < below)
			below = page_of(m->image.start);
	return below;
}

/* Sets *base to the load bias. */
static int reserve(const struct opened_file *file,
		   const struct modules *modules, int is_program,
		   uint64_t *base)
{
	const uint64_t bytes = file->end - file->start;
	uint64_t at = is_program ? PROGRAM_AT : below_all(modules) - bytes;

	at = (at & ~(file->alignment - 1)) + file->start % file->alignment;
	if (file->type == ET_EXEC)
		at = file->start;
	else if (file->type != ET_DYN)
		return -ENOEXEC;
	*base = at - file->start;
	return reserve_at(at, bytes);
}

/* Maps a segment without the right to execute. */
static int map_segment(const struct opened_file *file,
		       const ElfW(Phdr) * segment, uint64_t base)
{
	const uint64_t start = page_of(base + segment->p_vaddr);
	const uint64_t end =
		page_end(base + segment->p_vaddr + segment->p_filesz);
	const int protection =
		PROT_READ | (segment->p_flags & PF_W ? PROT_WRITE : 0);
	const void *got;

	if (!segment->p_filesz)
		return 0;
	got = sys_mmap((void *)start, end - start, protection,
		       MAP_PRIVATE | MAP_FIXED, file->fd,
		       (off_t)page_of(segment->p_offset));
	return sys_failed(got) ? (int)(long)got : 0;
}

static int map_file(struct opened_file *file, const struct modules *modules,
		    int is_program, struct arena *arena, uint64_t *base)
{
	int err = read_segments(file, arena);

	if (!err)
		err = find_bounds(file);
	if (!err)
		err = reserve(file, modules, is_program, base);
	for (uint32_t i = 0; i < file->count && !err; i++)
		if (file->segments[i].p_type == PT_LOAD)
			err = map_segment(file, &file->segments[i], *base);
	return err;
}

int file_modules_add(struct modules *modules, const char *path, int is_program,
		     struct arena *arena)
{
	struct file_stamp stamp;
	struct opened_file file = { .fd = image_open_file(path, &stamp) };
	uint64_t base = 0;
	int err = file.fd < 0
			  ? file.fd
			  : map_file(&file, modules, is_program, arena, &base);

	if (file.fd >= 0)
		sys_close(file.fd);
	return err ? err
		   : modules_add(modules,
				 &(struct dl_phdr_info){
					 .dlpi_addr = base,
					 .dlpi_name = path,
					 .dlpi_phdr = file.segments,
					 .dlpi_phnum = (ElfW(Half))file.count },
				 arena);
}

/* ---- Thread-local storage ---- */

/*
 * Returns the offset of storage placed below `offset`, aligned as in glibc's
 * _dl_determine_tlsoffset().
 */
static uint64_t storage_below(uint64_t offset, const ElfW(Phdr) * storage)
{
	const uint64_t alignment = storage->p_align ? storage->p_align : 1;
	const uint64_t first = -storage->p_vaddr & (alignment - 1);

	return ((offset + storage->p_memsz - first + alignment - 1) &
		~(alignment - 1)) +
	       first;
}

static const ElfW(Phdr) * storage_of(const struct module *module)
{
	for (uint32_t i = 0; i < module->segment_count; i++)
		if (module->segments[i].p_type == PT_TLS &&
		    module->segments[i].p_memsz)
			return &module->segments[i];
	return NULL;
}

uint64_t file_modules_storage(const struct module *program,
			      const struct module *library)
{
	const ElfW(Phdr) *storage = storage_of(program);
	const ElfW(Phdr) *own = storage_of(library);
	const uint64_t above = storage ? storage_below(0, storage) : 0;
	uint64_t offset;

	if (!own)
		return 0;
	/*
	 * Free bytes above the program's storage, due to alignment, are used
	 * first.
	 */
	offset = storage_below(0, own);
	if (storage && offset <= above - storage->p_memsz)
		return offset;
	return storage_below(above, own);
}
