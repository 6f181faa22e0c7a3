/* SPDX-License-Identifier: MIT */
/* See remote_texts.h. */
#include "cli/attach/remote_texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "cli/target/attachment_copy.h"
#include "cli/target/target_memory.h"
#include "machine/address_space.h"

#define RUN_PAGES 64

/*
 * Maximum total size of the copies of pages; remote_texts_plan() fails beyond.
 */
#define COPIES_BYTES_MAX (UINT64_C(1) << 30)

/* Orders texts by address, then by their index in the library's array. */
static int by_place(const void *a, const void *b)
{
	const struct wire_text *one = a, *other = b;

	if (one->at != other->at)
		return one->at < other->at ? -1 : 1;
	return one->number < other->number ? -1 : one->number > other->number;
}

/* ---- Runs of pages ---- */

/*
 * Adjacent pages that are written with one call. Each text lies completely in
 * one run.
 */
struct text_run {
	uint64_t start, end; /* Page addresses. */
	/* Index of the first text in the run, and index behind the last one. */
	uint64_t first, behind;
	size_t at; /* Offset of the run's pages in texts->pages. */
};

static uint64_t page_of(uint64_t at)
{
	return at & ~(PAGE_BYTES - 1);
}

static uint64_t end_of(const struct wire_text *text)
{
	return page_of(text->at + text->bytes - 1) + PAGE_BYTES;
}

static struct text_run run_from(const struct remote_texts *texts,
				uint64_t first)
{
	const struct wire_text *text = &texts->items[first];
	struct text_run run = { .start = page_of(text->at),
				.end = end_of(text),
				.first = first,
				.behind = first + 1 };

	for (; run.behind < texts->count; run.behind++) {
		text = &texts->items[run.behind];
		if (page_of(text->at) > run.end ||
		    end_of(text) - run.start > RUN_PAGES * PAGE_BYTES)
			break;
		if (end_of(text) > run.end)
			run.end = end_of(text);
	}
	return run;
}

/*
 * Allocates memory for the copies of pages. Workers that are forked later
 * (cli/attach/stack_reader.h) do not inherit this memory; otherwise each write
 * to it would make the kernel copy a page, while the process is stopped.
 */
static uint8_t *map_copy(size_t bytes)
{
	uint8_t *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		memory_exhausted();
	madvise(copy, bytes, MADV_DONTFORK);
	return copy;
}

/*
 * Divides the texts into runs of adjacent pages. Returns 0, or -EBADMSG if the
 * texts are on too many pages.
 */
static int make_runs(struct remote_texts *texts)
{
	uint64_t next = 0;
	size_t bytes = 0;

	while (next < texts->count) {
		struct text_run run = run_from(texts, next);

		next = run.behind;
		run.at = bytes;
		bytes += run.end - run.start;
		texts->runs =
			memory_grow(texts->runs, texts->run_count,
				    &texts->run_capacity, sizeof(*texts->runs));
		texts->runs[texts->run_count++] = run;
	}
	if (bytes > COPIES_BYTES_MAX)
		return -EBADMSG;
	texts->page_bytes = bytes + 1;
	texts->pages = map_copy(texts->page_bytes);
	return 0;
}

static uint8_t *place_of(const struct remote_texts *texts,
			 const struct text_run *run,
			 const struct wire_text *text)
{
	return texts->pages + run->at + (text->at - run->start);
}

static int read_run(int memory, const struct remote_texts *texts,
		    const struct text_run *run)
{
	return target_read(memory, run->start, texts->pages + run->at,
			   run->end - run->start);
}

/*
 * Reads all runs once before threads are stopped. This makes the kernel
 * allocate the pages of the copy, and map pages of code that the process has
 * not executed yet, so that the second reading is fast. The contents are read
 * again then.
 */
static void read_ahead(int memory, const struct remote_texts *texts)
{
	for (size_t i = 0; i < texts->run_count; i++)
		(void)read_run(memory, texts, &texts->runs[i]);
}

int remote_texts_plan(int memory, const struct wire_attachment *attachment,
		      struct remote_texts *texts)
{
	int err;

	*texts = (struct remote_texts){ .count = attachment->text_count };
	err = attachment_copy_texts(memory, attachment, &texts->items);
	if (err)
		return err;
	for (uint64_t i = 0; i < texts->count; i++)
		texts->items[i].number = (uint32_t)i;
	qsort(texts->items, texts->count, sizeof(*texts->items), by_place);
	err = make_runs(texts);
	if (!err)
		read_ahead(memory, texts);
	return err;
}

void remote_texts_free(struct remote_texts *texts)
{
	free(texts->items);
	free(texts->runs);
	if (texts->pages)
		munmap(texts->pages, texts->page_bytes);
	*texts = (struct remote_texts){ 0 };
}

/* ---- Writing and restoring ---- */

static int write_run(int memory, const struct remote_texts *texts,
		     const struct text_run *run)
{
	return target_write(memory, run->start, texts->pages + run->at,
			    run->end - run->start);
}

/*
 * Checks that the code of a run has the expected bytes. Returns 0, or -ETXTBSY
 * and *at. Data may differ, because the loader may have stored another address.
 */
static int check_before(const struct remote_texts *texts,
			const struct text_run *run, uint64_t *at)
{
	for (uint64_t i = run->first; i < run->behind; i++) {
		const struct wire_text *text = &texts->items[i];

		if (!text->is_data && memcmp(place_of(texts, run, text),
					     text->before, text->bytes) != 0) {
			*at = text->at;
			return -ETXTBSY;
		}
	}
	return 0;
}

/*
 * Returns whether a text is a front: code of the library itself, or data.
 * Fronts are written before hooks and restored after hooks, so that no hook is
 * ever active without its fronts, even if the controller is killed.
 */
static int is_front(const struct wire_text *text)
{
	return text->is_kept || text->is_data;
}

static int has_kind(const struct remote_texts *texts,
		    const struct text_run *run, int is_of_fronts)
{
	for (uint64_t i = run->first; i < run->behind; i++)
		if (is_front(&texts->items[i]) == is_of_fronts)
			return 1;
	return 0;
}

/* Returns whether the process's memory already equals the copy of the run. */
static int is_there(int memory, const struct remote_texts *texts,
		    const struct text_run *run)
{
	const size_t bytes = run->end - run->start;
	uint8_t *found = memory_zeroed(bytes, 1);
	const int is = target_read(memory, run->start, found, bytes) == 0 &&
		       memcmp(found, texts->pages + run->at, bytes) == 0;

	free(found);
	return is;
}

/*
 * Writes the texts of one kind in a run: fronts if is_of_fronts, otherwise
 * hooks. Returns 0 or -errno.
 */
static int write_kind(int memory, const struct remote_texts *texts,
		      const struct text_run *run, int is_of_fronts,
		      int is_shared)
{
	if (!has_kind(texts, run, is_of_fronts))
		return 0;
	for (uint64_t i = run->first; i < run->behind; i++) {
		const struct wire_text *text = &texts->items[i];

		if (is_front(text) != is_of_fronts)
			continue;
		memcpy(place_of(texts, run, text), text->after, text->bytes);
	}
	if (is_shared && is_there(memory, texts, run))
		return 0;
	return write_run(memory, texts, run);
}

int remote_texts_write_fronts(int memory, struct remote_texts *texts,
			      uint64_t *at)
{
	int err = 0;

	for (size_t i = 0; i < texts->run_count && !err; i++) {
		err = read_run(memory, texts, &texts->runs[i]);
		if (!err)
			err = check_before(texts, &texts->runs[i], at);
	}
	for (size_t i = 0; i < texts->run_count && !err; i++)
		err = write_kind(memory, texts, &texts->runs[i], 1, 0);
	return err;
}

int remote_texts_write_hooks(int memory, struct remote_texts *texts,
			     int is_shared)
{
	int err = 0;

	for (size_t i = 0; i < texts->run_count && !err; i++)
		err = write_kind(memory, texts, &texts->runs[i], 0, is_shared);
	return err;
}

/*
 * Returns whether each byte is that before or that after clew's change. If not,
 * the program has changed the code itself.
 */
static int is_ours(const uint8_t *there, const struct wire_text *text)
{
	for (int i = 0; i < text->bytes; i++)
		if (there[i] != text->after[i] && there[i] != text->before[i])
			return 0;
	return 1;
}

static int restore_kind(int memory, const struct remote_texts *texts,
			const struct text_run *run, int is_of_fronts)
{
	int err, is_changed = 0;

	if (!has_kind(texts, run, is_of_fronts))
		return 0;
	err = read_run(memory, texts, run);
	for (uint64_t i = run->behind; i > run->first && !err; i--) {
		const struct wire_text *text = &texts->items[i - 1];
		uint8_t *place = place_of(texts, run, text);

		if (is_front(text) != is_of_fronts || !is_ours(place, text))
			continue;
		is_changed |= memcmp(place, text->before, text->bytes) != 0;
		memcpy(place, text->before, text->bytes);
	}
	return err || !is_changed ? err : write_run(memory, texts, run);
}

static int restore_all(int memory, const struct remote_texts *texts,
		       int is_of_fronts)
{
	int first_err = 0;

	for (size_t i = 0; i < texts->run_count; i++) {
		int err = restore_kind(memory, texts, &texts->runs[i],
				       is_of_fronts);

		if (err && !first_err)
			first_err = err;
	}
	return first_err;
}

int remote_texts_unhook(int memory, struct remote_texts *texts)
{
	return restore_all(memory, texts, 0);
}

int remote_texts_restore(int memory, struct remote_texts *texts)
{
	const int hooks_err = remote_texts_unhook(memory, texts);
	const int err = restore_all(memory, texts, 1);

	return hooks_err ? hooks_err : err;
}

const uint8_t *remote_texts_run(const struct remote_texts *texts, size_t i,
				uint64_t *start, uint64_t *end)
{
	const struct text_run *run = &texts->runs[i];

	*start = run->start;
	*end = run->end;
	return texts->pages + run->at;
}
