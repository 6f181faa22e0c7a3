/* SPDX-License-Identifier: MIT */
/* See loader_cache.h. */
#include "cli/recording/loader_cache.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/regular_file.h"
#include "machine/elf_numbers.h"

#define CACHE_PATH "/etc/ld.so.cache"
#define MAGIC      "glibc-ld.so.cache1.1"

enum { MOST_BYTES = 1 << 28 };

/* Strings are at offsets from the header. */
struct loader_cache_header {
	char magic[sizeof(MAGIC) - 1];
	uint32_t entry_count;
	uint32_t string_bytes;
	uint32_t others[5];
};

struct cache_entry_record {
	int32_t flags;
	uint32_t key, value;
	uint32_t system_version;
	uint64_t processor; /* 0 if any. */
};

/*
 * Drops an older header that may precede the current one. Closes the cache if
 * there is no current one.
 */
static void keep_header(struct loader_cache *cache)
{
	char *header =
		memmem(cache->bytes, cache->size, MAGIC, sizeof(MAGIC) - 1);
	const size_t skipped = header ? (size_t)(header - cache->bytes) : 0;

	if (!header ||
	    cache->size - skipped < sizeof(struct loader_cache_header)) {
		loader_cache_close(cache);
		return;
	}
	memmove(cache->bytes, header, cache->size - skipped);
	cache->size -= skipped;
}

void loader_cache_open(struct loader_cache *cache)
{
	const int fd = regular_file_open(CACHE_PATH, O_RDONLY);
	struct stat status;

	*cache = (struct loader_cache){ 0 };
	if (fd < 0)
		return;
	if (fstat(fd, &status) == 0 && status.st_size < MOST_BYTES) {
		cache->size = (size_t)status.st_size;
		cache->bytes = memory_zeroed(cache->size + 1, 1);
		if (pread(fd, cache->bytes, cache->size, 0) ==
		    (ssize_t)cache->size)
			keep_header(cache);
		else
			loader_cache_close(cache);
	}
	close(fd);
}

void loader_cache_close(struct loader_cache *cache)
{
	free(cache->bytes);
	*cache = (struct loader_cache){ 0 };
}

const char *loader_cache_find(const struct loader_cache *cache,
			      const char *name)
{
	struct loader_cache_header header;
	size_t most;

	if (!cache->bytes)
		return NULL;
	memcpy(&header, cache->bytes, sizeof(header));
	most = (cache->size - sizeof(header)) /
	       sizeof(struct cache_entry_record);
	for (size_t i = 0; i < header.entry_count && i < most; i++) {
		struct cache_entry_record entry;

		memcpy(&entry,
		       cache->bytes + sizeof(header) + i * sizeof(entry),
		       sizeof(entry));
		if (entry.flags == MACHINE_CACHE_FLAGS && !entry.processor &&
		    entry.key < cache->size && entry.value < cache->size &&
		    strcmp(cache->bytes + entry.key, name) == 0)
			return cache->bytes + entry.value;
	}
	return NULL;
}
