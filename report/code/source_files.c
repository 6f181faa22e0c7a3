/* SPDX-License-Identifier: MIT */
/* See source_files.h. */
#include "report/code/source_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/regular_file.h"

enum { TAB_COLUMNS = 8 };

int source_files_replace(struct source_files *files, const char *text)
{
	const char *equals = strchr(text, '=');

	if (!equals || equals == text)
		return -EINVAL;
	if (files->path_count == SOURCE_PATHS_MAX)
		return -ENOSPC;
	files->paths[files->path_count++] = (struct source_path){
		.from = text,
		.from_length = (size_t)(equals - text),
		.to = equals + 1,
	};
	return 0;
}

/* ---- Lines ---- */

/*
 * Appends a line to the file's text, with tabs as blanks. The text has the room
 * that room_of() returns.
 */
static size_t add_line(struct source_file *file, size_t at, const char *from,
		       size_t bytes)
{
	const size_t start = at;

	for (size_t i = 0; i < bytes && at - start < SOURCE_LINE_BYTES_MAX;
	     i++) {
		if (from[i] != '\t') {
			file->text[at++] = from[i] ? from[i] : '?';
			continue;
		}
		do
			file->text[at++] = ' ';
		while ((at - start) % TAB_COLUMNS);
	}
	if (at > start && file->text[at - 1] == '\r')
		at--;
	file->text[at++] = '\0';
	text_printable(file->text + start);
	return at;
}

/* The memory that the lines of a file need. */
struct line_room {
	size_t text_bytes; /* upper bound */
	size_t lines;
};

static size_t line_bytes(const struct line_room *room)
{
	return room->text_bytes + room->lines * sizeof(uint32_t);
}

/*
 * Returns the memory that a file's lines may need. A line needs no more than
 * its limit, one tab, and a NUL.
 */
static struct line_room room_of(const char *bytes, size_t count)
{
	const size_t most = SOURCE_LINE_BYTES_MAX + TAB_COLUMNS;
	struct line_room room = { .lines = 1 };
	size_t line = 0;

	for (size_t i = 0; i < count; i++) {
		if (bytes[i] != '\n') {
			line += bytes[i] == '\t' ? TAB_COLUMNS : 1;
			continue;
		}
		room.text_bytes += (line < most ? line : most) + 1;
		room.lines++;
		line = 0;
	}
	room.text_bytes += (line < most ? line : most) + 1;
	return room;
}

static void split_lines(struct source_file *file, const char *bytes,
			size_t count, const struct line_room *room)
{
	size_t at = 0;
	const char *from = bytes, *end = bytes + count;

	file->text = memory_zeroed(room->text_bytes, 1);
	file->lines = memory_zeroed(room->lines, sizeof(*file->lines));
	while (from < end) {
		const char *next = memchr(from, '\n', (size_t)(end - from));
		const char *stop = next ? next : end;

		file->lines[file->line_count++] = (uint32_t)at;
		at = add_line(file, at, from, (size_t)(stop - from));
		from = next ? next + 1 : end;
	}
}

/* ---- Files ---- */

static char *explain(const char *path, int err)
{
	return text_printable(memory_printf(
		"%s: %s", path,
		err == -EINVAL    ? "not a regular file"
		: err == -EFBIG   ? "larger than 16 MiB"
		: err == -ENOBUFS ? "not read: the source files exceed 256 "
				    "MiB in total"
				  : strerror(-err)));
}

static int read_bytes(int fd, char *bytes, size_t count)
{
	size_t at = 0;

	while (at < count) {
		const ssize_t got =
			pread(fd, bytes + at, count - at, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return (int)at; /* the file was truncated meanwhile */
		at += (size_t)got;
	}
	return (int)at;
}

/* Returns the path of an open file, or "" if it is unknown. */
static char *path_of(int fd)
{
	char link[32], path[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path));
	return memory_string(path, length > 0 ? (size_t)length : 0);
}

/* Stores the lines. Returns 0, or -ENOBUFS if all files have too many. */
static int add_lines(struct source_files *files, struct source_file *file,
		     const char *bytes, size_t count)
{
	const struct line_room room = room_of(bytes, count);

	if (line_bytes(&room) > SOURCE_TOTAL_BYTES_MAX - files->bytes)
		return -ENOBUFS;
	files->bytes += line_bytes(&room);
	split_lines(file, bytes, count, &room);
	return 0;
}

/* Reads the lines of a file. Returns 0 or -errno. */
static int read_file(struct source_file *file, struct source_files *files,
		     const char *path, const char *module)
{
	const int fd = regular_file_open(path, O_RDONLY);
	struct stat status, built;
	char *bytes;
	int count, err;

	if (fd < 0)
		return fd;
	if (fstat(fd, &status) != 0 || status.st_size > SOURCE_BYTES_MAX) {
		close(fd);
		return -EFBIG;
	}
	bytes = memory_zeroed((size_t)status.st_size + 1, 1);
	count = read_bytes(fd, bytes, (size_t)status.st_size);
	err = count < 0 ? count : add_lines(files, file, bytes, (size_t)count);
	if (!err) {
		file->is_newer = stat(module, &built) == 0 &&
				 status.st_mtime > built.st_mtime;
		file->path = text_printable(memory_string(path, strlen(path)));
		file->resolved = path_of(fd);
	}
	close(fd);
	free(bytes);
	return err;
}

/* Returns the name with a replaced beginning, or NULL if it has another one. */
static char *replaced(const struct source_path *path, const char *name)
{
	const char *rest = name + path->from_length;

	if (strncmp(name, path->from, path->from_length) != 0)
		return NULL;
	if (*rest && *rest != '/' && path->from[path->from_length - 1] != '/')
		return NULL;
	return memory_printf("%s%s", path->to, rest);
}

/* Reads the file at the first replaced name that leads to one. */
static int read_replaced(struct source_file *file, struct source_files *files,
			 const char *module)
{
	int err = -ENOENT;

	for (size_t i = 0; i < files->path_count && err; i++) {
		char *path = replaced(&files->paths[i], file->name);

		if (!path)
			continue;
		err = read_file(file, files, path, module);
		if (err) {
			free(file->why);
			file->why = explain(path, err);
		}
		free(path);
	}
	return err;
}

static int read_downloaded(struct source_file *file, struct source_files *files,
			   struct catalog *catalog,
			   const struct catalog_module *module)
{
	char *path;
	int err;

	if (files->is_offline || !catalog->a2n || *file->name != '/')
		return -ENOENT;
	err = a2n_download_source(catalog->a2n, &module->build_id, file->name,
				  &path);
	/* A server that does not answer is not queried again for each file. */
	files->is_offline = err && err != -ENOENT;
	if (err)
		return err;
	err = read_file(file, files, path, module->path);
	free(path);
	file->is_newer = 0; /* the downloaded file belongs to this build */
	free(file->resolved);
	file->resolved = NULL;
	return err;
}

static void fill(struct source_file *file, struct source_files *files,
		 struct catalog *catalog, uint32_t module)
{
	static const struct catalog_module none = { .path = "" };
	const struct catalog_module *owner =
		module == CATALOG_NO_MODULE ? &none : &catalog->modules[module];
	int err = read_replaced(file, files, owner->path);

	if (err)
		err = read_file(file, files, file->name, owner->path);
	if (err && !file->why)
		file->why = explain(file->name, err);
	if (err)
		err = read_downloaded(file, files, catalog, owner);
	if (!err) {
		free(file->why);
		file->why = NULL;
	}
}

const struct source_file *source_files_find(struct source_files *files,
					    struct catalog *catalog,
					    uint32_t module, const char *name)
{
	const uint64_t hash =
		hash_add(hash_add(HASH_START, &module, sizeof(module)), name,
			 strlen(name));
	uint64_t key = hash_key(hash);
	uint64_t *slot = idmap_at(&files->by_name, key);
	struct source_file *file;

	while (*slot && strcmp(files->items[*slot - 1]->name, name) != 0)
		slot = idmap_at(&files->by_name, key += 2);
	if (*slot)
		return files->items[*slot - 1];
	file = memory_zeroed(1, sizeof(*file));
	file->name = memory_string(name, strlen(name));
	files->items = memory_grow(files->items, files->count, &files->capacity,
				   sizeof(struct source_file *));
	files->items[files->count++] = file;
	*slot = files->count;
	fill(file, files, catalog, module);
	return file;
}

const char *source_line(const struct source_file *file, uint32_t line)
{
	if (line == 0 || line > file->line_count)
		return NULL;
	return file->text + file->lines[line - 1];
}

void source_files_fini(struct source_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		struct source_file *file = files->items[i];

		free(file->name);
		free(file->path);
		free(file->why);
		free(file->resolved);
		free(file->text);
		free(file->lines);
		free(file);
	}
	free(files->items);
	idmap_fini(&files->by_name);
}
