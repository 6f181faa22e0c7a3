/* SPDX-License-Identifier: MIT */
/* See unwritten_pages.h. */
#include "cli/attach/unwritten_pages.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/target/other_files.h"
#include "machine/address_space.h"

/*
 * Ranges of pages: each item is one from address `at` up to, but without,
 * `value`.
 */
struct page_ranges {
	struct wire_stack_word *items;
	size_t count, capacity;
};

/* The file of the mapping that was checked last. */
struct mapped_file {
	const struct target_mapping *mapping;
	int fd; /* -1 if it cannot be read. */
};

static void add_page(struct page_ranges *ranges, uint64_t page)
{
	struct wire_stack_word *last =
		ranges->count ? &ranges->items[ranges->count - 1] : NULL;

	if (last && last->value == page) {
		last->value += PAGE_BYTES;
		return;
	}
	ranges->items = memory_grow(ranges->items, ranges->count,
				    &ranges->capacity, sizeof(*ranges->items));
	ranges->items[ranges->count++] =
		(struct wire_stack_word){ page, page + PAGE_BYTES };
}

/*
 * Opens a file. Returns a descriptor, or -1 if the file cannot be opened, is
 * not a regular file, or has another inode than the mapped file.
 */
static int open_same(const char *path, const struct target_mapping *mapping)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		       st.st_ino == mapping->inode))
		return fd;
	close(fd);
	return -1;
}

/*
 * Opens the file of a mapping. Returns a descriptor or -1. Only privileged
 * users may open files in map_files; for other users the file's path is used.
 */
static int open_mapped(pid_t pid, const struct target_mapping *mapping)
{
	char *path = memory_printf("/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
				   pid, mapping->start, mapping->end);
	int fd = open_same(path, mapping);

	free(path);
	if (fd >= 0 || mapping->is_deleted)
		return fd;
	path = other_files_mapped(pid, mapping->path);
	fd = open_same(path, mapping);
	free(path);
	return fd;
}

static void close_file(struct mapped_file *file)
{
	if (file->mapping && file->fd >= 0)
		close(file->fd);
	*file = (struct mapped_file){ 0 };
}

/*
 * Opens the file of a range, unless it is open already. Returns 1; 0 if the
 * range is not read-only code of one file, is code of a copy with hooks, or the
 * file cannot be opened.
 */
static int open_file(struct mapped_file *file,
		     const struct attaching *attaching, uint64_t start,
		     uint64_t end)
{
	const struct target_mapping *mapping =
		target_find(&attaching->maps, start);

	if (!mapping || end > mapping->end || !mapping->inode ||
	    mapping->is_hooked || !mapping->is_executable ||
	    mapping->is_writable)
		return 0;
	if (file->mapping != mapping) {
		close_file(file);
		file->fd = open_mapped(attaching->pid, mapping);
		file->mapping = mapping;
	}
	return file->fd >= 0;
}

static void compare(struct page_ranges *ranges, const struct mapped_file *file,
		    const uint8_t *pages, uint64_t start, uint64_t end)
{
	uint8_t bytes[PAGE_BYTES];

	for (uint64_t at = start; at < end; at += PAGE_BYTES)
		if (pread(file->fd, bytes, sizeof(bytes),
			  (off_t)(file->mapping->offset +
				  (at - file->mapping->start))) ==
			    (ssize_t)sizeof(bytes) &&
		    memcmp(bytes, pages + (at - start), sizeof(bytes)) == 0)
			add_page(ranges, at);
}

static void find(struct page_ranges *ranges, const struct attaching *attaching,
		 const struct remote_texts *texts)
{
	struct mapped_file file = { 0 };
	uint64_t start, end;

	for (size_t i = 0; i < texts->run_count; i++) {
		const uint8_t *pages = remote_texts_run(texts, i, &start, &end);

		if (open_file(&file, attaching, start, end))
			compare(ranges, &file, pages, start, end);
	}
	close_file(&file);
}

static int send(const struct attaching *attaching,
		const struct page_ranges *ranges)
{
	const int memory = attaching->tracer.memory;
	const uint64_t count =
		ranges->count < WIRE_ATTACH_WORDS_MAX ? ranges->count : 0;
	struct wire_attachment attachment;
	char *why = NULL;
	int err = attaching_read(attaching, &attachment, &why);

	free(why);
	if (!err)
		err = target_write(memory, attachment.words, ranges->items,
				   count * sizeof(*ranges->items));
	if (!err)
		err = target_write(
			memory,
			attaching->attachment +
				offsetof(struct wire_attachment, code_count),
			&count, sizeof(count));
	return err;
}

void unwritten_pages_send(const struct attaching *attaching,
			  const struct remote_texts *texts)
{
	struct page_ranges ranges = { 0 };

	find(&ranges, attaching, texts);
	(void)send(attaching, &ranges);
	free(ranges.items);
}
