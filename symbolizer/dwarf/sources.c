/* SPDX-License-Identifier: MIT */
/* See sources.h. */
#include "symbolizer/dwarf/sources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <zlib.h>

#include "symbolizer/dwarf/download.h"
#include "symbolizer/elf/heap.h"

#define SYSTEM_DEBUG_ROOT "/usr/lib/debug"

void source_read_state(const char *path, uint64_t *bytes, uint64_t *mtime_ns)
{
	struct stat status;

	*bytes = UINT64_MAX;
	*mtime_ns = 0;
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return;
	*bytes = (uint64_t)status.st_size;
	*mtime_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000 +
		    (uint64_t)status.st_mtim.tv_nsec;
}

struct source *sources_add(struct sources *sources, const char *path)
{
	struct source *source;

	for (size_t i = 0; i < sources->count; i++) {
		if (strcmp(sources->items[i].path, path) == 0)
			return &sources->items[i];
	}
	sources->items =
		heap_reserve(sources->items, sources->count + 1,
			     &sources->capacity, sizeof(*sources->items));
	source = &sources->items[sources->count++];
	*source = (struct source){ .path = heap_printf("%s", path) };
	source_read_state(path, &source->bytes, &source->mtime_ns);
	return source;
}

static int same_build(const struct a2n_build_id *a,
		      const struct a2n_build_id *b)
{
	return a->bytes == b->bytes && memcmp(a->data, b->data, a->bytes) == 0;
}

/*
 * Opens the file at a path if it has the wanted build-id. Frees the path.
 * Returns 0 or -errno.
 */
static int try_build(struct sources *sources, char *path,
		     const struct a2n_build_id *wanted, struct elf *out,
		     struct source **source)
{
	struct source *tried = sources_add(sources, path);
	int err = tried->bytes == UINT64_MAX ? -ENOENT : elf_open(out, path);

	free(path);
	if (err)
		return err;
	if (!same_build(&out->build_id, wanted)) {
		elf_close(out);
		return -ESTALE;
	}
	*source = tried;
	return 0;
}

static char *build_id_path(const char *root, const char *directory,
			   const struct a2n_build_id *id)
{
	char hex[2 * sizeof(id->data) + 1];

	for (uint32_t i = 0; i < id->bytes; i++)
		snprintf(hex + (size_t)2 * i, 3, "%02x", id->data[i]);
	return heap_printf("%s%s/.build-id/%.2s/%s.debug", root, directory, hex,
			   hex + 2);
}

static int find_by_build_id(struct sources *sources,
			    const struct a2n_build_id *id, struct elf *out,
			    struct source **source)
{
	if (id->bytes < 2)
		return -ENOENT;
	if (try_build(sources,
		      build_id_path(sources->root, SYSTEM_DEBUG_ROOT, id), id,
		      out, source) == 0)
		return 0;
	for (size_t i = 0; sources->debug_roots && sources->debug_roots[i];
	     i++) {
		if (try_build(sources,
			      build_id_path("", sources->debug_roots[i], id),
			      id, out, source) == 0)
			return 0;
	}
	return -ENOENT;
}

/*
 * Opens the file at a path if it has the wanted build-id or, if one of both
 * files has no build-id, the CRC of the debug link. Frees the path. Returns 0
 * or -errno.
 */
static int try_crc(struct sources *sources, char *path, uint32_t crc,
		   const struct a2n_build_id *id, struct elf *out,
		   struct source **source)
{
	struct source *tried = sources_add(sources, path);
	int err = tried->bytes == UINT64_MAX ? -ENOENT : elf_open(out, path);
	uLong sum = crc32(0, NULL, 0);

	free(path);
	if (err)
		return err;
	*source = tried;
	if (id->bytes > 0 && out->build_id.bytes > 0) {
		if (same_build(&out->build_id, id))
			return 0;
	} else if (crc32_z(sum, out->bytes.at, out->bytes.bytes) == crc) {
		return 0;
	}
	elf_close(out);
	return -ESTALE;
}

static int find_by_link(struct sources *sources, struct elf *module,
			const char *path, struct elf *out,
			struct source **source)
{
	struct span bytes =
		elf_bytes(module, elf_section(module, ".gnu_debuglink"));
	struct cursor cursor = cursor_at(bytes, 0);
	const char *name = cursor_string(&cursor);
	const char *slash = strrchr(path, '/');
	int directory = slash ? (int)(slash - path) : 0;
	const char *inside;
	uint32_t crc;

	cursor_skip(&cursor, (4 - (size_t)(cursor.at - bytes.at) % 4) % 4);
	crc = cursor_u32(&cursor);
	if (cursor.is_bad || !*name || strchr(name, '/') || !slash)
		return -ENOENT;
	if (strncmp(path, sources->root, strlen(sources->root)) == 0)
		inside = path + strlen(sources->root);
	else
		inside = path;
	for (size_t i = 0; i < 3; i++) {
		char *tried =
			i == 0   ? heap_printf("%.*s/%s", directory, path, name)
			: i == 1 ? heap_printf("%.*s/.debug/%s", directory,
					       path, name)
				 : heap_printf("%s%s%.*s/%s", sources->root,
					       SYSTEM_DEBUG_ROOT,
					       directory - (int)(inside - path),
					       inside, name);

		if (strcmp(tried, path) == 0) {
			free(tried);
			continue;
		}
		if (try_crc(sources, tried, crc, &module->build_id, out,
			    source) == 0)
			return 0;
	}
	for (size_t i = 0; sources->debug_roots && sources->debug_roots[i];
	     i++) {
		if (try_crc(sources,
			    heap_printf("%s%.*s/%s", sources->debug_roots[i],
					directory - (int)(inside - path),
					inside, name),
			    crc, &module->build_id, out, source) == 0)
			return 0;
	}
	return -ENOENT;
}

/*
 * Downloads the debug file with a build-id and opens it. If downloads are not
 * allowed, or fail for a reason other than that no server has the file, sets
 * wants_download, so that a later process tries again.
 */
static int find_by_download(struct sources *sources,
			    const struct a2n_build_id *id, struct elf *out,
			    struct source **source)
{
	char *path;
	int err;

	if (id->bytes == 0)
		return -ENOENT;
	if (sources->download_seconds == 0) {
		sources->wants_download = 1;
		return -ENOENT;
	}
	err = download_debug_file(id, sources->download_seconds, &path);
	if (!err)
		err = try_build(sources, path, id, out, source);
	if (!err)
		return 0;
	sources->download_error = err;
	sources->wants_download |= err != -ENOENT;
	return -ENOENT;
}

int sources_find_debug(struct sources *sources, struct elf *module,
		       const char *path, struct elf *out,
		       struct source **source)
{
	if (find_by_build_id(sources, &module->build_id, out, source) == 0 ||
	    find_by_link(sources, module, path, out, source) == 0)
		return 0;
	if (elf_section(module, ".gnu_debuglink"))
		sources->wants_neighbour = 1;
	return find_by_download(sources, &module->build_id, out, source);
}

int sources_find_alternate(struct sources *sources, struct elf *debug,
			   const char *path, struct elf *out,
			   const char **wanted)
{
	struct span bytes =
		elf_bytes(debug, elf_section(debug, ".gnu_debugaltlink"));
	struct cursor cursor = cursor_at(bytes, 0);
	const char *name = cursor_string(&cursor);
	const char *slash = strrchr(path, '/');
	struct a2n_build_id id = { .bytes = (uint32_t)cursor_left(&cursor) };
	struct source *source;
	char *first;

	if (bytes.bytes == 0)
		return 1;
	*wanted = name;
	if (cursor.is_bad || id.bytes == 0 || id.bytes > sizeof(id.data))
		return -ENOENT;
	memcpy(id.data, cursor.at, id.bytes);
	if (name[0] == '/' || !slash)
		first = heap_printf("%s%s", sources->root, name);
	else
		first = heap_printf("%.*s/%s", (int)(slash - path), path, name);
	if (try_build(sources, first, &id, out, &source) == 0 ||
	    find_by_build_id(sources, &id, out, &source) == 0 ||
	    find_by_download(sources, &id, out, &source) == 0) {
		source->role = SOURCE_DEBUG;
		return 0;
	}
	sources->wants_neighbour = 1;
	return -ENOENT;
}
