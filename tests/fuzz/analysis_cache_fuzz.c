/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is a cache file, without its checksum, which no
 * fuzzer would guess; the last 8 bytes become the right one. What is believed
 * must be sound.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/analysis_cache.h"
#include "tests/fuzz/folder.h"
#include "wire/verdict.h"

#define NAME      "/00.analysis"
#define VADDR_END UINT64_C(0x10000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As cache.c computes it. */
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

static void write_cache(const char *dir, const uint8_t *data, size_t size)
{
	uint64_t sum = checksum(data, size);
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s" NAME, dir);
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

		if (f->vaddr + f->size_bytes > VADDR_END ||
		    f->verdict >= VERDICT_COUNT ||
		    (i > 0 && f->vaddr <= f[-1].vaddr))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct analysis analysis = {
		.build_id_bytes = 1,
		.vaddr_end = VADDR_END,
	};
	struct arena arena = { 0 };

	write_cache(fuzz_folder(), data, size);
	if (analysis_cache_load(fuzz_folder(), &arena, &analysis) == 0)
		require_sound(&analysis);
	arena_fini(&arena);
	return 0;
}
