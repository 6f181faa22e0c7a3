/* SPDX-License-Identifier: MIT */
/* See journal.h. */
#include "preload/patch/journal.h"

#include <errno.h>
#include <stddef.h>

#include "machine/address_space.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/sys.h"

static struct {
	struct wire_text *texts; /* NULL before journal_begin() */
	uint64_t count;
	int is_deferring;
	int is_kept; /* texts that are added now belong to the library itself */
	int is_shared; /* some of the journal's pages are mapped from a file */
} journal;

#define JOURNAL_BYTES (WIRE_ATTACH_TEXTS_MAX * sizeof(struct wire_text))

/*
 * Reserves address space for a journal. The kernel allocates pages on first
 * use.
 */
static void *reserve(void)
{
	return place_map(JOURNAL_BYTES, SYS_PROT_OURS,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

int journal_begin(void)
{
	void *at;

	if (journal.texts)
		return 0;
	at = reserve();
	if (sys_failed(at))
		return -ENOMEM;
	journal.texts = at;
	journal.is_deferring = 1;
	return 0;
}

int journal_is_deferring(void)
{
	return journal.texts && journal.is_deferring;
}

void journal_refresh(void)
{
	for (uint64_t i = 0; i < journal.count; i++) {
		struct wire_text *text = &journal.texts[i];

		if (text->is_data)
			copy_bytes(text->before, (const void *)text->at,
				   text->bytes);
	}
}

void journal_set_deferring(int is_deferring)
{
	journal.is_deferring = is_deferring;
}

static struct wire_text *find(uint64_t at, uint64_t count)
{
	for (uint64_t i = journal.count; i > 0; i--) {
		struct wire_text *text = &journal.texts[i - 1];

		if (text->at == at && text->bytes == count)
			return text;
	}
	return NULL;
}

/*
 * Adds a text. While changes are deferred, a second text for the same data only
 * replaces the bytes to be written, because the original bytes are known from
 * the first one.
 */
int journal_note(uint64_t at, const uint8_t *bytes, uint64_t count, int is_data)
{
	struct wire_text *text;

	if (!journal.texts)
		return 0;
	if (count > WIRE_ATTACH_TEXT_BYTES)
		return -EINVAL;
	text = journal.is_deferring && is_data ? find(at, count) : NULL;
	if (!text) {
		if (journal.count == WIRE_ATTACH_TEXTS_MAX)
			return -ENOSPC;
		text = &journal.texts[journal.count];
		*text = (struct wire_text){ .at = at,
					    .bytes = (uint8_t)count,
					    .is_data = is_data != 0,
					    .is_kept = journal.is_kept != 0 };
		copy_bytes(text->before, (const void *)at, count);
		journal.count++;
	}
	copy_bytes(text->after, bytes, count);
	return 0;
}

int journal_store(void **at, void *pointer)
{
	const int err = journal_note((uintptr_t)at, (const uint8_t *)&pointer,
				     sizeof(pointer), 1);

	if (!err && !journal_is_deferring())
		*at = pointer;
	return err;
}

void journal_keep(int is_kept)
{
	journal.is_kept = is_kept;
}

static uint64_t used_bytes(void)
{
	return journal.count * sizeof(struct wire_text);
}

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

/* Frees the pages behind the last text. */
static void trim(void)
{
	const uint64_t used = whole_pages(used_bytes());

	if (journal.texts)
		sys_madvise((char *)journal.texts + used, JOURNAL_BYTES - used,
			    MADV_DONTNEED);
}

static void move_to(void *texts, int is_shared)
{
	sys_munmap(journal.texts, JOURNAL_BYTES);
	journal.texts = texts;
	journal.is_shared = is_shared;
}

/*
 * Returns the index of the first text, from the i-th on, that belongs to hooks
 * and is in code (is_of_hooks), or that does not.
 */
static uint64_t find_kind(uint64_t i, int is_of_hooks)
{
	while (i < journal.count && (journal.texts[i].is_kept ||
				     journal.texts[i].is_data) == is_of_hooks)
		i++;
	return i;
}

struct pc_range journal_hooks(void)
{
	const uint64_t first = find_kind(0, 1), end = find_kind(first, 0);
	const uint64_t at = (uintptr_t)journal.texts;
	const uint64_t from = whole_pages(first * sizeof(struct wire_text));
	const uint64_t until =
		(end * sizeof(struct wire_text)) & ~(PAGE_BYTES - 1);

	if (journal.is_shared || from >= until)
		return (struct pc_range){ 0 };
	return (struct pc_range){ at + from, at + until };
}

void journal_share(const struct pc_range *part, void *shared)
{
	const uint64_t bytes = part->end - part->start;
	const uint64_t from = part->start - (uintptr_t)journal.texts;
	char *texts = reserve();

	if (sys_failed(texts)) {
		sys_munmap(shared, bytes);
		return;
	}
	if (sys_failed((void *)sys_call(SYS_mremap, (long)shared, (long)bytes,
					(long)bytes,
					MREMAP_MAYMOVE | MREMAP_FIXED,
					(long)texts + (long)from, 0))) {
		sys_munmap(shared, bytes);
		sys_munmap(texts, JOURNAL_BYTES);
		return;
	}
	copy_bytes(texts, journal.texts, from);
	copy_bytes(texts + from + bytes, (const void *)part->end,
		   used_bytes() - from - bytes);
	move_to(texts, 1);
}

/* Copies the journal back to private memory, if it is mapped from a file. */
static void unshare(void)
{
	void *texts = reserve();

	if (sys_failed(texts))
		return;
	copy_bytes(texts, journal.texts, used_bytes());
	move_to(texts, 0);
}

void journal_forget_hooks(void)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < journal.count; i++)
		if (journal.texts[i].is_kept)
			journal.texts[kept++] = journal.texts[i];
	journal.count = kept;
	if (journal.is_shared)
		unshare();
	trim();
}

void journal_forget(const struct pc_range *range)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < journal.count; i++) {
		const struct wire_text *text = &journal.texts[i];

		if (text->at >= range->start && text->at < range->end)
			continue;
		journal.texts[kept++] = *text;
	}
	journal.count = kept;
}

const struct wire_text *journal_texts(uint64_t *count)
{
	*count = journal.count;
	return journal.texts;
}
