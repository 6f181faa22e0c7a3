/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is a cache file. The last 8 bytes are replaced by
 * the correct checksum, which no fuzzer would guess. The file is read for the
 * module that its header describes, so that the checks behind the header are
 * reached. All accepted data must be sound.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/analysis_cache.h"
#include "image/cache_path.h"
#include "tests/fuzz/folder.h"
#include "wire/verdict.h"

/* Where the header describes its module (image/analysis_cache.c). */
#define BUILD_ID_BYTES_AT 20
#define BUILD_ID_AT       24
#define CONTENT_AT        56
#define RANGE_AT          88
#define DESCRIBED_BYTES   104

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Computes the checksum like image/analysis_cache.c. */
static uint64_t checksum(const uint8_t *data, size_t bytes)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t at = 0; at + 8 <= bytes; at += 8) {
		uint64_t word;

		memcpy(&word, data + at, 8);
		hash = (hash ^ word) * UINT64_C(0x100000001b3);
	}
	return hash;
}

static struct analysis described_by(const uint8_t *data)
{
	struct analysis analysis = { 0 };

	memcpy(&analysis.build_id_bytes, data + BUILD_ID_BYTES_AT, 4);
	memcpy(analysis.build_id, data + BUILD_ID_AT, 32);
	memcpy(&analysis.content, data + CONTENT_AT, sizeof(struct content));
	memcpy(&analysis.vaddr_start, data + RANGE_AT, 8);
	memcpy(&analysis.vaddr_end, data + RANGE_AT + 8, 8);
	return analysis;
}

static void write_cache(const char *path, const uint8_t *data, size_t size)
{
	uint64_t sum = checksum(data, size);
	int fd;

	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size ||
	    write(fd, &sum, sizeof(sum)) != sizeof(sum))
		abort();
	close(fd);
}

static void require_sound(const struct analysis *analysis)
{
	for (uint32_t i = 0; i < analysis->function_count; i++) {
		const struct wire_function *f = &analysis->functions[i];

		if (f->vaddr + f->size_bytes > analysis->vaddr_end ||
		    f->verdict >= VERDICT_COUNT ||
		    (i > 0 && f->vaddr <= f[-1].vaddr))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	struct analysis analysis;
	struct cache_path path;

	if (size < DESCRIBED_BYTES)
		return 0;
	analysis = described_by(data);
	if (cache_path_of(&path, fuzz_folder(), &analysis))
		return 0;
	write_cache(path.text, data, size);
	if (analysis_cache_load(fuzz_folder(), &arena, &analysis) == 0)
		require_sound(&analysis);
	unlink(path.text);
	arena_fini(&arena);
	return 0;
}
