/* SPDX-License-Identifier: MIT */
/* See prelinked_text.h. */
#include "preload/patch/prelinked_text.h"

#include <errno.h>

#include "preload/sys/sys.h"

static uint64_t page_end(uint64_t bytes)
{
	return (bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

struct prelinked_text_layout prelinked_text_layout(
	const struct prelinked_text_about *about)
{
	struct prelinked_text_layout layout;

	layout.tables_at = page_end(about->file.bytes);
	layout.islands_at = layout.tables_at +
			    about->site_count * sizeof(struct patch_site);
	layout.rest_at = layout.islands_at +
			 about->island_count * sizeof(struct patch_text);
	layout.end = layout.rest_at + about->rest_count * sizeof(uint32_t);
	layout.head_at = page_end(layout.end);
	return layout;
}

/* ---- Finding ---- */

/*
 * Returns a hash of everything that the contents of a hooked text depend on,
 * except the library's build and the module's file.
 */
static uint64_t key_of(const struct prelinked_text_module *of,
		       const struct prelinked_found *stubs)
{
	const uint64_t others[] = {
		stubs->head.key,
		stubs->head.inode,
		(uint64_t)stubs->head.seal_s,
		(uint64_t)stubs->head.seal_ns,
	};

	return prelinked_sum(PRELINKED_SUM_OF_NOTHING, others, sizeof(others));
}

static int read_about(int fd, const struct prelinked_head *head,
		      struct prelinked_text_about *about)
{
	const uint64_t at =
		prelinked_head_at(PRELINKED_TEXT, head->bytes) + sizeof(*head);

	return sys_call(SYS_pread64, fd, (long)about, sizeof(*about), (long)at,
			0, 0) == sizeof(*about) &&
	       prelinked_sum(PRELINKED_SUM_OF_NOTHING, about, sizeof(*about)) ==
		       head->flags;
}

/*
 * Returns whether the tables are at the expected offsets and within the file.
 */
static int is_laid_out(const struct prelinked_head *head,
		       const struct prelinked_text_about *about,
		       uint32_t function_count)
{
	const struct prelinked_text_layout layout =
		prelinked_text_layout(about);

	return about->site_count <= function_count &&
	       about->island_count <= function_count &&
	       about->rest_count <= function_count &&
	       about->file.bytes <= head->bytes &&
	       head->function_count == function_count &&
	       head->stubs_at == layout.tables_at &&
	       head->bytes == layout.head_at + PRELINKED_HEAD_PAGE;
}

static int map_tables(struct prelinked_text *text)
{
	const struct prelinked_text_layout layout =
		prelinked_text_layout(&text->about);
	uint8_t *at;

	text->table_bytes = layout.head_at - layout.tables_at;
	if (!text->table_bytes)
		return -ENOENT;
	at = place_map(text->table_bytes, SYS_PROT_OURS, MAP_PRIVATE, text->fd,
		       (off_t)layout.tables_at);
	if (sys_failed(at))
		return (int)(long)at;
	text->sites = (struct patch_site *)at;
	at += layout.islands_at - layout.tables_at;
	text->islands = (struct patch_text *)at;
	at += layout.rest_at - layout.islands_at;
	text->rest = (const uint32_t *)at;
	return 0;
}

static int rest_is_sound(const struct prelinked_text *text, uint32_t count)
{
	for (uint32_t i = 0; i < text->about.rest_count; i++)
		if (text->rest[i] >= count)
			return 0;
	return 1;
}

static int is_its(const struct prelinked_text *text,
		  const struct prelinked_text_module *of,
		  const struct prelinked_head *head,
		  const struct pristine_file *file)
{
	return head->maker == text->maker && head->key == text->key &&
	       pristine_is_same(&text->about.file, file) &&
	       is_laid_out(head, &text->about, of->count);
}

/*
 * Opens a hooked text and its tables, if it was made from the module's present
 * file.
 */
static int open_text(struct prelinked_text *text,
		     const struct prelinked_text_module *of,
		     const struct prelinked_folder *folder,
		     const struct pristine_file *file)
{
	char name[PRELINKED_NAME_BYTES];
	struct prelinked_head head;
	int err = prelinked_name(name, of->stubs_of, text->number,
				 PRELINKED_TEXT);

	if (err)
		return err;
	text->fd = prelinked_file_open(folder, name, PRELINKED_TEXT, &head);
	if (text->fd < 0)
		return text->fd;
	err = read_about(text->fd, &head, &text->about) &&
			      is_its(text, of, &head, file)
		      ? map_tables(text)
		      : -ENOENT;
	if (!err && rest_is_sound(text, of->count))
		return 0;
	if (!err)
		sys_munmap(text->sites, text->table_bytes);
	sys_close(text->fd);
	return -ENOENT;
}

int prelinked_text_find(struct prelinked_text *text,
			const struct prelinked_text_module *of,
			const struct prelinked_found *stubs,
			const struct prelinked_folder *folder,
			const struct pristine *pristine)
{
	struct pristine_file file;
	int err = pristine_find(pristine, of->module, &file);

	*text = (struct prelinked_text){ .is_pristine = !err };
	if (err)
		return err;
	text->number = stubs->number;
	text->maker = stubs->layout.maker;
	text->key = key_of(of, stubs);
	err = open_text(text, of, folder, &file);
	text->is_found = !err;
	text->about.file = file;
	return err;
}

void prelinked_text_close(struct prelinked_text *text, int has_patches)
{
	if (!text->is_found)
		return;
	if (!has_patches)
		sys_munmap(text->sites, text->table_bytes);
	sys_close(text->fd);
	text->is_found = 0;
}
