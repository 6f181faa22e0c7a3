/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is an index. The checksum is replaced by the
 * correct one, which no fuzzer would guess. The reader may return nonsense, but
 * must not read outside the index.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbolizer/elf/checksum.h"
#include "symbolizer/index.h"

enum { FRAMES = 16, PLACES = 200, ROWS = 10000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t read_strings(const struct a2n_frame *frames, size_t count)
{
	size_t sum = 0;

	for (size_t i = 0; i < count && i < FRAMES; i++) {
		sum += frames[i].name ? strlen(frames[i].name) : 0;
		sum += frames[i].symbol ? strlen(frames[i].symbol) : 0;
		sum += frames[i].file ? strlen(frames[i].file) : 0;
	}
	return sum;
}

static volatile size_t sink;

static void read_around(const struct index *index)
{
	uint64_t bytes = index->header->limit - index->header->base;
	struct a2n_frame frames[FRAMES];
	struct index_rows rows;
	size_t left = ROWS;

	for (uint64_t i = 0; i < PLACES; i++)
		sink += read_strings(
			frames,
			index_lookup(index,
				     index->header->base + bytes / PLACES * i,
				     frames, FRAMES));
	for (size_t i = 0; i < index->merged_count && i < PLACES; i++) {
		const char *names[FRAMES];
		const size_t count = index_merged_names(
			index, index->header->base + index->merged[i].entry,
			names, FRAMES);

		for (size_t j = 0; j < count && j < FRAMES; j++)
			sink += strlen(names[j]);
	}
	if (!index_rows_first(index, &rows))
		return;
	do {
		sink += read_strings(frames, index_row_frames(index, &rows.row,
							      frames, FRAMES));
	} while (index_rows_next(&rows) && --left > 0);
	for (size_t i = 0; i < index->source_count; i++)
		sink += strlen(index_text(index, index->sources[i].path));
	if (index->reason)
		sink += strlen(index->reason);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct index_header header;
	struct index index;
	uint8_t *copy;
	int fd;

	if (size < sizeof(header))
		return 0;
	copy = malloc(size);
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (!copy || fd < 0)
		abort();
	memcpy(copy, data, size);
	memcpy(&header, copy, sizeof(header));
	header.file_bytes = size;
	memcpy(copy, &header, sizeof(header));
	header.checksum = checksum_of_index(copy, size);
	memcpy(copy, &header, sizeof(header));
	if (write(fd, copy, size) != (ssize_t)size)
		abort();
	if (index_open(&index, fd) == 0) {
		read_around(&index);
		index_close(&index);
	}
	close(fd);
	free(copy);
	return 0;
}
