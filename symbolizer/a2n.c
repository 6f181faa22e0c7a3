/* SPDX-License-Identifier: MIT */
/* See a2n.h. */
#include "symbolizer/a2n.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbolizer/elf/checksum.h"
#include "symbolizer/elf/sort.h"
#include "symbolizer/index_cache.h"
#include "symbolizer/module.h"

enum { DEFAULT_SECONDS = 120 };
#define DEFAULT_BYTES (UINT64_C(4) << 30)

static char **copy_strings(const char *const *strings)
{
	size_t count = 0;
	char **copies;

	while (strings[count])
		count++;
	copies = calloc(count + 1, sizeof(*copies));
	for (size_t i = 0; copies && i < count; i++) {
		copies[i] = strdup(strings[i]);
		if (!copies[i]) {
			while (i-- > 0)
				free(copies[i]);
			free(copies);
			return NULL;
		}
	}
	return copies;
}

static void free_strings(char **strings)
{
	for (char **at = strings; at && *at; at++)
		free(*at);
	free(strings);
}

/*
 * Returns a hash of those options with which the same file gets another index;
 * 0 for the defaults.
 */
static uint64_t config_of(const struct a2n *a2n)
{
	uint64_t hash = a2n->flags & A2N_NO_DEBUG ? 1 : 0;

	if (*a2n->root)
		hash ^= checksum(a2n->root, strlen(a2n->root));
	for (char **at = a2n->debug_roots; at && *at; at++)
		hash = (hash << 1 | hash >> 63) ^ checksum(*at, strlen(*at));
	return hash;
}

static char *directory_of(const struct a2n_options *options)
{
	char *directory = options->cache ? strdup(options->cache)
					 : index_cache_default_directory();
	char *opened = index_cache_open_directory(directory);

	free(directory);
	return opened;
}

int a2n_create(const struct a2n_options *options, struct a2n **out)
{
	static const struct a2n_options defaults;
	struct a2n *a2n = calloc(1, sizeof(*a2n));

	if (!a2n)
		return -ENOMEM;
	if (!options)
		options = &defaults;
	a2n->flags = options->flags;
	a2n->limits.seconds = options->index_seconds ? options->index_seconds
						     : DEFAULT_SECONDS;
	a2n->limits.bytes =
		options->index_bytes ? options->index_bytes : DEFAULT_BYTES;
	a2n->root = strdup(options->root ? options->root : "");
	if (options->debug_roots)
		a2n->debug_roots = copy_strings(options->debug_roots);
	if (!a2n->root || (options->debug_roots && !a2n->debug_roots)) {
		free(a2n->root);
		free_strings(a2n->debug_roots);
		free(a2n);
		return -ENOMEM;
	}
	a2n->config = config_of(a2n);
	if (!(a2n->flags & A2N_NO_CACHE))
		a2n->cache = directory_of(options);
	pthread_mutex_init(&a2n->lock, NULL);
	*out = a2n;
	return 0;
}

void a2n_destroy(struct a2n *a2n)
{
	while (a2n->modules) {
		struct a2n_module *module = a2n->modules;

		a2n->modules = module->next;
		index_close(&module->index);
		free(module->path);
		free(module);
	}
	pthread_mutex_destroy(&a2n->lock);
	free_strings(a2n->debug_roots);
	free(a2n->root);
	free(a2n->cache);
	free(a2n);
}

const char *a2n_cache_directory(const struct a2n *a2n)
{
	return a2n->cache;
}

static const struct a2n_module *find_open(const struct a2n *a2n,
					  const char *path,
					  const struct a2n_build_id *wanted)
{
	for (struct a2n_module *at = a2n->modules; at; at = at->next) {
		if (strcmp(at->path, path) == 0 &&
		    at->wanted.bytes == wanted->bytes &&
		    memcmp(at->wanted.data, wanted->data, wanted->bytes) == 0)
			return at;
	}
	return NULL;
}

/*
 * Opens a module that is not open yet, under `name`. `path` is where the file
 * can be read now. Called with the lock held.
 */
static int open_module(struct a2n *a2n, const char *name, const char *path,
		       const struct a2n_build_id *wanted,
		       const struct a2n_module **out)
{
	struct a2n_module *module = calloc(1, sizeof(*module));
	int err = -ENOMEM;

	if (!module)
		return err;
	module->path = strdup(name);
	if (!module->path)
		goto free;
	module->wanted = *wanted;
	err = module_open_index(a2n, path, wanted, &module->index,
				&module->was_cached);
	if (err)
		goto free;
	module->next = a2n->modules;
	a2n->modules = module;
	*out = module;
	return 0;
free:
	free(module->path);
	free(module);
	return err;
}

static int open_rooted(struct a2n *a2n, const char *path,
		       const struct a2n_build_id *wanted,
		       const struct a2n_module **out)
{
	char *rooted;
	int err;

	if (asprintf(&rooted, "%s%s", a2n->root, path) < 0)
		return -ENOMEM;
	err = open_module(a2n, path, rooted, wanted, out);
	free(rooted);
	return err;
}

int a2n_module_open(struct a2n *a2n, const char *path,
		    const struct a2n_build_id *build_id,
		    const struct a2n_module **out)
{
	static const struct a2n_build_id any;
	const struct a2n_build_id *wanted = build_id ? build_id : &any;
	const struct a2n_module *found;
	int err = 0;

	if (wanted->bytes > sizeof(wanted->data))
		return -EINVAL;
	pthread_mutex_lock(&a2n->lock);
	found = find_open(a2n, path, wanted);
	if (found)
		*out = found;
	else
		err = open_rooted(a2n, path, wanted, out);
	pthread_mutex_unlock(&a2n->lock);
	return err;
}

/*
 * Writes the image to a memory file, because the worker and other readers need
 * a path, and opens it.
 */
static int open_image(struct a2n *a2n, const char *name, struct span image,
		      const struct a2n_build_id *build_id)
{
	const struct a2n_module *module;
	char path[32];
	int fd = memfd_create(name, MFD_CLOEXEC);
	int err = -EIO;

	if (fd < 0)
		return -errno;
	/* Not /proc/self, because the worker does not have this descriptor. */
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), fd);
	if (write(fd, image.at, image.bytes) == (ssize_t)image.bytes)
		err = open_module(a2n, name, path, build_id, &module);
	close(fd);
	return err;
}

int module_open_image(struct a2n *a2n, const char *name, struct span image,
		      const struct a2n_build_id *build_id)
{
	int err = 0;

	pthread_mutex_lock(&a2n->lock);
	if (!find_open(a2n, name, build_id))
		err = open_image(a2n, name, image, build_id);
	pthread_mutex_unlock(&a2n->lock);
	return err;
}

int module_find_image(struct a2n *a2n, const char *name,
		      const struct a2n_build_id *build_id,
		      const struct a2n_module **out)
{
	const struct a2n_module *found;

	pthread_mutex_lock(&a2n->lock);
	found = find_open(a2n, name, build_id);
	pthread_mutex_unlock(&a2n->lock);
	if (!found)
		return -ENOENT;
	*out = found;
	return 0;
}

static const char *source_of(const struct index *index, uint32_t role)
{
	/*
	 * If there are several, the last one is the separate debug file, which
	 * has more data.
	 */
	for (size_t i = index->source_count; i-- > 0;) {
		if (index->sources[i].role & role)
			return index_text(index, index->sources[i].path);
	}
	return NULL;
}

void a2n_module_info(const struct a2n_module *module,
		     struct a2n_module_info *out)
{
	const struct index *index = &module->index;

	*out = (struct a2n_module_info){
		.path = module->path,
		.build_id = { .bytes = index->header->build_id_bytes },
		.symbols_from = source_of(index, SOURCE_SYMBOLS),
		.debug_from = source_of(index, SOURCE_DEBUG),
		.index_bytes = index->size,
		.symbol_count = index->symbol_count,
		.reason = index->reason,
		.row_count = index->row_count,
		.was_cached = module->was_cached,
	};
	memcpy(out->build_id.data, index->header->build_id,
	       sizeof(out->build_id.data));
}

size_t a2n_module_lookup(const struct a2n_module *module, uint64_t vaddr,
			 struct a2n_frame *frames, size_t room)
{
	return index_lookup(&module->index, vaddr, frames, room);
}

/* A buffer for the frames of one row, which grows as needed. */
struct frames {
	struct a2n_frame *items;
	size_t room;
};

/*
 * Stores all frames of a row in *frames and returns their number; 0 also if
 * memory is short.
 */
static size_t all_frames(const struct index *index, const struct index_row *row,
			 struct frames *frames)
{
	size_t count = row->start == UINT32_MAX
			       ? 0
			       : index_row_frames(index, row, frames->items,
						  frames->room);
	struct a2n_frame *grown;

	if (count <= frames->room)
		return count;
	grown = reallocarray(frames->items, count, sizeof(*grown));
	if (!grown)
		return 0;
	frames->items = grown;
	frames->room = count;
	return index_row_frames(index, row, grown, count);
}

int a2n_module_lookup_all(const struct a2n_module *module,
			  const uint64_t *vaddrs, size_t count,
			  a2n_visit *visit, void *context)
{
	struct frames frames = { .room = 64 };
	struct index_row rows[INDEX_GROUP];

	frames.items = malloc(frames.room * sizeof(*frames.items));
	if (!frames.items)
		return -ENOMEM;
	for (size_t i = 0; i < count; i += INDEX_GROUP) {
		size_t group =
			count - i < INDEX_GROUP ? count - i : INDEX_GROUP;

		index_find_rows(&module->index, vaddrs + i, group, rows);
		for (size_t j = 0; j < group; j++) {
			size_t there =
				all_frames(&module->index, &rows[j], &frames);

			visit(context, i + j, frames.items, there);
		}
	}
	free(frames.items);
	return 0;
}

int a2n_module_vaddr(const struct a2n_module *module, uint64_t file_offset,
		     uint64_t *vaddr)
{
	const struct index *index = &module->index;

	for (size_t i = 0; i < index->segment_count; i++) {
		const struct index_segment *segment = &index->segments[i];

		if (file_offset - segment->file_offset < segment->bytes) {
			*vaddr = file_offset - segment->file_offset +
				 segment->vaddr;
			return 0;
		}
	}
	return -ENOENT;
}

int a2n_module_segment(const struct a2n_module *module, uint64_t vaddr,
		       struct a2n_segment *out)
{
	const struct index *index = &module->index;

	for (size_t i = 0; i < index->segment_count; i++) {
		const struct index_segment *segment = &index->segments[i];

		if (vaddr - segment->vaddr < segment->bytes) {
			*out = (struct a2n_segment){
				.vaddr = segment->vaddr,
				.bytes = segment->bytes,
				.file_offset = segment->file_offset,
			};
			return 0;
		}
	}
	return -ENOENT;
}

int a2n_download_source(struct a2n *a2n, const struct a2n_build_id *build_id,
			const char *file, char **path)
{
	if (build_id->bytes == 0 || build_id->bytes > sizeof(build_id->data))
		return -ENOENT;
	return module_download_source(a2n, build_id, file, path);
}

size_t a2n_module_merged(const struct a2n_module *module, uint64_t vaddr,
			 const char **names, size_t room)
{
	return index_merged_names(&module->index, vaddr, names, room);
}

void a2n_module_symbols(const struct a2n_module *module, a2n_visit_range *visit,
			void *context)
{
	const struct index *index = &module->index;

	for (size_t i = 0; i < index->symbol_count; i++) {
		uint64_t start = index->header->base + index->symbol_starts[i];
		struct a2n_range range = { start,
					   start + index->symbols[i].bytes };
		struct a2n_frame frames[64];
		size_t count = index_lookup(index, start, frames, 64);

		/*
		 * At the first byte, the outermost frame is the function
		 * itself.
		 */
		if (count > 0 && count <= 64)
			visit(context, &range, &frames[count - 1], 1);
	}
}

static uint64_t end_of(const struct index *index, struct index_rows rows)
{
	return index_rows_next(&rows) ? index->header->base + rows.row.start
				      : index->header->limit;
}

void a2n_module_rows(const struct a2n_module *module, a2n_visit_range *visit,
		     void *context)
{
	enum { ROOM = 256 };
	const struct index *index = &module->index;
	struct a2n_frame frames[ROOM];
	struct index_rows rows;

	if (!index_rows_first(index, &rows))
		return;
	do {
		struct a2n_range range = {
			.start = index->header->base + rows.row.start,
			.end = end_of(index, rows),
		};
		size_t count;

		if (!rows.row.node && !rows.row.file && !rows.row.line)
			continue;
		count = index_row_frames(index, &rows.row, frames, ROOM);
		if (count > 0 && range.start < range.end)
			visit(context, &range, frames,
			      count < ROOM ? count : ROOM);
	} while (index_rows_next(&rows));
}
