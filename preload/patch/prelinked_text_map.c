/* SPDX-License-Identifier: MIT */
/* Maps hooked text over its module. See prelinked_text.h. */
#include "preload/patch/prelinked_text.h"

#include "preload/patch/hooked_files.h"
#include "preload/sys/sys.h"

static uint64_t page_of(uint64_t pc)
{
	return pc & ~(uint64_t)(PAGE_BYTES - 1);
}

/* ---- Mapping ---- */

/* One segment, mapped from a file at its own offset. */
struct mapped_segment {
	const struct prelinked_text *text;
	int fd;
	uint64_t start, end;
	uint64_t offset; /* offset of `start` in the file */
	int protection;
};

static int map_range(const struct mapped_segment *segment, uint64_t start,
		     uint64_t end)
{
	const void *got;

	if (start >= end)
		return 0;
	got = sys_mmap((void *)start, end - start, segment->protection,
		       MAP_PRIVATE | MAP_FIXED, segment->fd,
		       (off_t)(segment->offset + (start - segment->start)));
	return sys_failed(got) ? (int)(long)got : 0;
}

/* Maps a segment, except for pages that have been written to. */
static int map_segment(const struct mapped_segment *segment)
{
	const struct prelinked_text *text = segment->text;
	uint64_t from = segment->start;
	int err = 0;

	for (int i = 0; !err && i < text->written_count; i++) {
		const uint64_t page = text->written[i];

		if (page < from || page >= segment->end)
			continue;
		err = map_range(segment, from, page);
		from = page + PAGE_BYTES;
	}
	return err ? err : map_range(segment, from, segment->end);
}

static int map_all(const struct prelinked_text *text,
		   const struct module *module, int fd)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < module->segment_count; i++) {
		/*
		 * A copy, because the original may be in the replaced memory.
		 */
		const ElfW(Phdr) segment = module->segments[i];
		const uint64_t start = module->base + segment.p_vaddr;

		if (!pristine_is_seen(&segment))
			continue;
		err = map_segment(&(struct mapped_segment){
			.text = text,
			.fd = fd,
			.start = page_of(start),
			.end = page_of(start + segment.p_memsz + PAGE_BYTES -
				       1),
			.offset = page_of(segment.p_offset),
			.protection = (segment.p_flags & PF_R ? PROT_READ : 0) |
				      (segment.p_flags & PF_X ? PROT_EXEC : 0),
		});
	}
	return err;
}

int prelinked_text_map(const struct prelinked_text *text,
		       const struct module *module)
{
	int err = map_all(text, module, text->fd);

	if (err)
		prelinked_text_unmap(text, module);
	else
		/* Only programs that map the file again need it in the list. */
		hooked_files_add(text->fd, &text->about.file, module);
	return err;
}

void prelinked_text_unmap(const struct prelinked_text *text,
			  const struct module *module)
{
	int fd = sys_open(module->path, O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return;
	if (pristine_is_open_at(&text->about.file, fd))
		map_all(text, module, fd);
	sys_close(fd);
}

/* ---- Writing ---- */

static int write_fixes(const struct prelinked_text *text,
		       struct code_writer *writer)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < text->fix_count; i++)
		err = code_write(writer, text->fixes[i].pc,
				 text->fixes[i].after, text->fixes[i].bytes);
	return err;
}

static int is_in_page(const struct patch_text *text, uint64_t page)
{
	return text->pc < page + PAGE_BYTES && text->pc + text->bytes > page;
}

/*
 * Writes the part of a patch that is in a page, relative to the patch's base.
 */
static int write_page(const struct patch *patch, struct code_writer *writer,
		      uint64_t page)
{
	const struct patch_site *site = patch_from(patch, page);
	const struct patch_site *end = patch->sites + patch->site_count;
	int err = 0;

	if (site > patch->sites)
		site--; /* the site before may extend into the page */
	for (; !err && site < end && site->text.pc < page + PAGE_BYTES; site++)
		if (is_in_page(&site->text, page))
			err = code_write(writer, patch->base + site->text.pc,
					 site->text.after, site->text.bytes);
	for (uint32_t i = 0; !err && i < patch->island_count; i++)
		if (is_in_page(&patch->islands[i], page))
			err = code_write(writer,
					 patch->base + patch->islands[i].pc,
					 patch->islands[i].after,
					 patch->islands[i].bytes);
	return err;
}

static int write_pages(const struct prelinked_text *text,
		       struct code_writer *writer, const struct patch *patch)
{
	int err = 0;

	for (int i = 0; !err && i < text->written_count; i++)
		err = write_page(patch, writer, text->written[i] - patch->base);
	return err;
}

int prelinked_text_is_other(const struct prelinked_text *text)
{
	return text->fix_count || text->written_count;
}

int prelinked_text_write(const struct prelinked_text *text,
			 struct code_writer *writer, const struct patch *chain)
{
	int err = write_fixes(text, writer);

	for (; !err && chain; chain = chain->next_of_module)
		if (chain->text == text)
			err = write_pages(text, writer, chain);
	return err;
}
