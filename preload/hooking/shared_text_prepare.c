/* SPDX-License-Identifier: MIT */
/*
 * Composes the code of modules with its hooks, and maps the files with it
 * (shared_text.h).
 */
#include <errno.h>
#include <string.h>

#include "machine/address_space.h"
#include "preload/hooking/hook_room.h"
#include "preload/hooking/shared_text.h"
#include "preload/patch/hooked_files.h"
#include "preload/patch/journal.h"
#include "preload/record/memory_bound.h"
#include "preload/stubs/prelinked_file.h"
#include "preload/sys/apart.h"
#include "preload/sys/proc.h"
#include "preload/sys/proc_threads.h"
#include "preload/sys/slices.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"
#include "wire/recording.h"

/* Modules with fewer hooked pages are not worth the mappings. */
#define PAGES_MIN   16
#define CHUNK_BYTES (UINT64_C(1) << 18)

/* State while one module is prepared. */
struct composing {
	const struct module *module;
	const char *dir;
	struct shared_text *text;
	uint8_t *code; /* all executable segments, with their hooks */
	uint64_t code_bytes;
	uint64_t sum; /* checksum of the module's file and of the texts */
	char name[PRELINKED_NAME_BYTES];
};

static uint64_t page_of(uint64_t at)
{
	return at & ~(PAGE_BYTES - 1);
}

static uint64_t page_end(uint64_t at)
{
	return page_of(at + PAGE_BYTES - 1);
}

static uint64_t bytes_of(const struct shared_segment *segment)
{
	return segment->end - segment->start;
}

/* ---- The module ---- */

static int add_segment(struct composing *composing, const ElfW(Phdr) * header)
{
	struct shared_text *text = composing->text;
	const uint64_t start = composing->module->base + header->p_vaddr;
	struct shared_segment *segment;

	if (text->segment_count == SHARED_SEGMENTS_MAX ||
	    !(header->p_flags & PF_R))
		return -ENOTSUP;
	segment = &text->segments[text->segment_count++];
	*segment = (struct shared_segment){
		.start = page_of(start),
		.end = page_end(start + header->p_memsz),
		.offset = page_of(header->p_offset),
		.protection =
			PROT_READ | (header->p_flags & PF_X ? PROT_EXEC : 0),
	};
	if (header->p_flags & PF_X)
		composing->code_bytes += bytes_of(segment);
	return 0;
}

static int find_segments(struct composing *composing)
{
	const struct module *module = composing->module;
	int err = 0;

	for (uint32_t i = 0; !err && i < module->segment_count; i++)
		if (pristine_is_seen(&module->segments[i]))
			err = add_segment(composing, &module->segments[i]);
	return err;
}

/* Returns the address in the composed code that a text changes, or NULL. */
static uint8_t *place_of(const struct composing *composing,
			 const struct wire_text *text)
{
	uint8_t *at = composing->code;

	for (uint32_t i = 0; i < composing->text->segment_count; i++) {
		const struct shared_segment *segment =
			&composing->text->segments[i];

		if (!(segment->protection & PROT_EXEC))
			continue;
		if (text->at >= segment->start &&
		    text->at + text->bytes <= segment->end)
			return at + (text->at - segment->start);
		at += bytes_of(segment);
	}
	return NULL;
}

static int is_its(const struct composing *composing,
		  const struct wire_text *text)
{
	return shared_text_has(&composing->text->image, text);
}

/*
 * Returns the number of pages that texts change. The count is exact if the
 * texts are sorted by address, which they mostly are.
 */
static uint64_t count_pages(const struct composing *composing)
{
	uint64_t count, last = 0, found = 0;
	const struct wire_text *texts = journal_texts(&count);

	for (uint64_t i = 0; i < count; i++) {
		if (!is_its(composing, &texts[i]) ||
		    page_of(texts[i].at) == last)
			continue;
		last = page_of(texts[i].at);
		found++;
	}
	return found;
}

/* Called by apart_call(), because it opens files. Returns 0 or -errno. */
static int find_file(void *argument)
{
	struct composing *composing = argument;
	struct pristine_file *file = &composing->text->file;
	struct pristine pristine = { 0 };
	struct arena arena = { 0 };
	uint64_t end = 0;
	int err =
		pristine_open(&pristine, composing->module->image.end, &arena);

	if (!err)
		err = pristine_find(&pristine, composing->module, file);
	pristine_close(&pristine);
	arena_fini(&arena);
	for (uint32_t i = 0; i < composing->text->segment_count; i++) {
		const struct shared_segment *segment =
			&composing->text->segments[i];

		if (segment->offset + bytes_of(segment) > end)
			end = segment->offset + bytes_of(segment);
	}
	if (err)
		return err;
	/*
	 * The bytes of the last page behind the end of the file read as zeros.
	 */
	if (end > page_end(file->bytes))
		return -ESTALE;
	return prelinked_file_is_worth_copying(file->bytes, end) ? 0 : -EFBIG;
}

/* ---- Code ---- */

/*
 * Copies a chunk of the module's code. The program runs between two chunks, and
 * may unload the module.
 */
static int copy_chunk(const struct composing *composing, uint8_t *to,
		      uint64_t from, uint64_t bytes)
{
	slices_rest();
	if (composing->module->is_gone)
		return -ESTALE;
	return sys_read_memory(from, to, bytes);
}

static int copy_code(const struct composing *composing)
{
	uint8_t *to = composing->code;
	int err = 0;

	for (uint32_t i = 0; i < composing->text->segment_count; i++) {
		const struct shared_segment *segment =
			&composing->text->segments[i];
		uint64_t at = segment->start;

		if (!(segment->protection & PROT_EXEC))
			continue;
		while (!err && at < segment->end) {
			const uint64_t left = segment->end - at;
			const uint64_t bytes =
				left < CHUNK_BYTES ? left : CHUNK_BYTES;

			err = copy_chunk(composing, to, at, bytes);
			to += bytes;
			at += bytes;
		}
	}
	return err;
}

static void add_sum(struct composing *composing, const struct wire_text *text)
{
	uint64_t words[3] = { text->at - composing->text->base };

	memcpy(&words[1], text->after, sizeof(text->after));
	composing->sum = prelinked_sum(composing->sum, words, sizeof(words));
}

static int write_texts(struct composing *composing)
{
	uint64_t count;
	const struct wire_text *texts = journal_texts(&count);

	composing->sum =
		prelinked_sum(PRELINKED_SUM_OF_NOTHING, &composing->text->file,
			      sizeof(composing->text->file));
	for (uint64_t i = 0; i < count; i++) {
		uint8_t *at;

		if (!is_its(composing, &texts[i]))
			continue;
		at = place_of(composing, &texts[i]);
		if (!at)
			return -ENOTSUP;
		memcpy(at, texts[i].after, texts[i].bytes);
		composing->text->has_fronts |= texts[i].is_kept;
		composing->text->text_count++;
		add_sum(composing, &texts[i]);
	}
	return 0;
}

/* ---- The hooked file ---- */

/*
 * Sets the name of the file, which contains the inode by which `clew attach`
 * finds the module (cli/target/target.c).
 */
static int name_file(struct composing *composing)
{
	const char *name = composing->module->path;
	struct text text = text_in(composing->name, sizeof(composing->name));

	for (const char *c = name; *c; c++)
		if (*c == '/')
			name = c + 1;
	text_string(&text, WIRE_STUBS_MODULE);
	text_hex(&text, composing->sum);
	text_char(&text, '-');
	text_number(&text, composing->text->file.mapped_inode);
	text_char(&text, '-');
	text_string(&text, name);
	text_string(&text, WIRE_HOOKED_SUFFIX);
	return text_was_cut(&text) ? -ENAMETOOLONG : 0;
}

static int write_code(const struct composing *composing,
		      const struct prelinked_writing *writing)
{
	const uint8_t *code = composing->code;
	int err = 0;

	for (uint32_t i = 0; !err && i < composing->text->segment_count; i++) {
		const struct shared_segment *segment =
			&composing->text->segments[i];
		uint64_t bytes = bytes_of(segment);

		if (!(segment->protection & PROT_EXEC))
			continue;
		if (segment->offset + bytes > composing->text->file.bytes)
			bytes = composing->text->file.bytes - segment->offset;
		err = prelinked_file_write(writing, code, bytes,
					   segment->offset);
		code += bytes_of(segment);
	}
	return err;
}

static int fill_file(const struct prelinked_writing *writing,
		     const void *context)
{
	const struct composing *composing = context;
	const struct pristine_file *file = &composing->text->file;
	const int fd =
		sys_open(composing->module->path, O_RDONLY | O_CLOEXEC, 0);
	int err;

	if (fd < 0)
		return fd;
	err = prelinked_file_copy(writing, fd, file->bytes);
	if (!err)
		err = write_code(composing, writing);
	if (!err && !pristine_is_open_at(file, fd))
		err = -ESTALE;
	sys_close(fd);
	return err;
}

/* ---- Mapping ---- */

static int map_ahead(uint64_t *at, const struct shared_segment *segment, int fd,
		     int protection)
{
	void *mapped = place_map(bytes_of(segment), protection,
				 MAP_PRIVATE | MAP_NORESERVE, fd,
				 (off_t)segment->offset);

	if (sys_failed(mapped))
		return (int)(long)mapped;
	*at = (uintptr_t)mapped;
	return 0;
}

static int map_hooked(struct shared_text *text, int fd)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < text->segment_count; i++)
		err = map_ahead(&text->segments[i].hooked_at,
				&text->segments[i], fd, PROT_READ);
	return err;
}

static int map_own(const struct composing *composing)
{
	struct shared_text *text = composing->text;
	const int fd =
		sys_open(composing->module->path, O_RDONLY | O_CLOEXEC, 0);
	int err = fd < 0 ? fd : 0;

	if (!err && !pristine_is_open_at(&text->file, fd))
		err = -ESTALE;
	for (uint32_t i = 0; !err && i < text->segment_count; i++)
		err = map_ahead(&text->segments[i].own_at, &text->segments[i],
				fd, PROT_NONE);
	if (fd >= 0)
		sys_close(fd);
	return err;
}

static int see_hooked(void *context, const struct mapped_range *mapping)
{
	struct shared_text *text = context;

	if (text->segments[0].hooked_at < mapping->start ||
	    text->segments[0].hooked_at >= mapping->end)
		return 0;
	text->hooked_device = mapping->device;
	text->hooked_inode = mapping->inode;
	return 1;
}

static int find_hooked(struct shared_text *text)
{
	const int maps = proc_open_own("maps", O_RDONLY);
	struct mapped_range mapping;
	int err = maps < 0 ? maps
			   : mappings_find(maps, text->segments[0].hooked_at,
					   &mapping);

	if (maps >= 0)
		sys_close(maps);
	if (!err)
		see_hooked(text, &mapping);
	else if (err == -ENOTTY)
		err = mappings_each(see_hooked, text) == 1 ? 0 : -ESTALE;
	return err;
}

/* Called by apart_call(), because it opens files. Returns 0 or -errno. */
static int open_and_map(void *argument)
{
	struct composing *composing = argument;
	struct prelinked_folder folder = { 0 };
	int err = prelinked_folder_open(&folder, composing->dir), fd;

	if (err)
		return err;
	fd = prelinked_folder_may_have_code(&folder)
		     ? prelinked_file_open_or_make(
			       &folder, composing->name, PRELINKED_TEXT,
			       page_end(composing->text->file.bytes) +
				       PRELINKED_HEAD_PAGE,
			       fill_file, composing)
		     : -EPERM;
	prelinked_folder_close(&folder);
	if (fd < 0)
		return fd;
	err = map_hooked(composing->text, fd);
	if (!err)
		err = hooked_files_add(fd, &composing->text->file,
				       composing->module);
	sys_close(fd);
	if (!err)
		err = map_own(composing);
	if (!err)
		err = find_hooked(composing->text);
	if (err)
		shared_text_forget(composing->text);
	return err;
}

/* ---- Comparing ---- */

static int compare_code(const struct composing *composing, const uint8_t *code,
			const struct shared_segment *segment)
{
	for (uint64_t at = 0; at < bytes_of(segment); at += CHUNK_BYTES) {
		const uint64_t left = bytes_of(segment) - at;

		slices_rest();
		if (composing->module->is_gone ||
		    memcmp(code + at, (const uint8_t *)segment->hooked_at + at,
			   left < CHUNK_BYTES ? left : CHUNK_BYTES) != 0)
			return -EBADMSG;
	}
	return 0;
}

/* Compares constants and all other segments that are not code. */
static int compare_rest(const struct composing *composing, uint8_t *buffer,
			const struct shared_segment *segment)
{
	int err = 0;

	for (uint64_t at = 0; !err && at < bytes_of(segment);
	     at += CHUNK_BYTES) {
		const uint64_t left = bytes_of(segment) - at;
		const uint64_t bytes = left < CHUNK_BYTES ? left : CHUNK_BYTES;

		err = copy_chunk(composing, buffer, segment->start + at, bytes);
		if (!err &&
		    memcmp(buffer, (const uint8_t *)segment->hooked_at + at,
			   bytes) != 0)
			err = -EBADMSG;
	}
	return err;
}

static int compare(const struct composing *composing, uint8_t *buffer)
{
	const uint8_t *code = composing->code;
	int err = 0;

	for (uint32_t i = 0; !err && i < composing->text->segment_count; i++) {
		const struct shared_segment *segment =
			&composing->text->segments[i];

		if (!(segment->protection & PROT_EXEC)) {
			err = compare_rest(composing, buffer, segment);
			continue;
		}
		err = compare_code(composing, code, segment);
		code += bytes_of(segment);
	}
	return err;
}

/* ---- Each module ---- */

static int compose(struct composing *composing, uint8_t *buffer)
{
	int err = apart_call(find_file, composing);

	if (!err)
		err = copy_code(composing);
	if (!err)
		err = write_texts(composing);
	if (!err)
		err = name_file(composing);
	if (err)
		return err;
	err = apart_call(open_and_map, composing);
	if (!err)
		err = compare(composing, buffer);
	if (err)
		shared_text_forget(composing->text);
	return err;
}

static int prepare(struct composing *composing)
{
	const uint64_t bytes = composing->code_bytes + CHUNK_BYTES;
	int err;

	/*
	 * The control group is charged for the file until it is written back.
	 */
	if (!memory_bound_allows(3 * composing->code_bytes))
		return -ENOMEM;
	composing->code = sys_map_private(bytes);
	if (sys_failed(composing->code))
		return -ENOMEM;
	err = compose(composing, composing->code + composing->code_bytes);
	sys_munmap(composing->code, bytes);
	return err;
}

static struct shared_text *find(uint64_t base)
{
	for (uint32_t i = 0; i < shared_texts.count; i++)
		if (shared_texts.items[i].base == base)
			return &shared_texts.items[i];
	return NULL;
}

/*
 * Returns whether an earlier preparation of the module is still valid, because
 * no text was added since. A module whose own file could not be mapped back
 * also stays as it is.
 */
static int is_settled(const struct shared_text *former,
		      const struct module *module)
{
	return former &&
	       (shared_text_is_in(former) ||
		shared_text_count(&module->image) == former->text_count);
}

static void prepare_module(const char *dir, const struct module *module)
{
	struct shared_text *former = find(module->base);
	struct shared_text text = { .base = module->base,
				    .image = module->image };
	struct composing composing = { .module = module,
				       .dir = dir,
				       .text = &text };

	if (is_settled(former, module) || find_segments(&composing) ||
	    count_pages(&composing) < PAGES_MIN)
		return;
	if (former) {
		shared_text_forget(former);
		*former = shared_texts.items[--shared_texts.count];
	}
	if (shared_texts.count < SHARED_TEXTS_MAX && !prepare(&composing))
		shared_texts.items[shared_texts.count++] = text;
}

/*
 * Returns whether the program has locked memory, or the kernel does not report
 * it.
 */
static int is_locked(void)
{
	struct proc_line locked = { .name = "VmLck", .base = 10 };

	return proc_status(0, &locked, 1) || locked.value;
}

/*
 * Locked memory of the program must not be replaced by memory that is not
 * locked.
 */
void shared_texts_prepare(const char *dir, const struct modules *modules)
{
	if (is_locked() ||
	    !hook_room_has_mappings(SHARED_TEXTS_MAX * SHARED_SEGMENTS_MAX))
		return;
	for (const struct module *m = modules->first; m; m = m->next) {
		slices_rest();
		if (!m->is_gone && m->patches)
			prepare_module(dir, m);
	}
}
