/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is the files of a process that records a trace
 * whose packets workers count.
 *
 *	0 .. 4		bytes of the .taken file
 *	4 .. 8		bytes of the part
 *	8 ..		the .taken file, the part, the trace
 *
 * The recording is read as `clew report` reads it.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/recording/taken_reader.h"
#include "tests/fuzz/folder.h"
#include "tests/unit/exercise.h"
#include "wire/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *path_of(const char *suffix)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/77.0%s", fuzz_folder(), suffix);
	return path;
}

/* Writes at most `bytes` bytes of the data to a file. Returns their number. */
static size_t write_file(const char *suffix, const uint8_t *data, size_t size,
			 size_t bytes)
{
	int fd = open(path_of(suffix), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		      0600);

	if (bytes > size)
		bytes = size;
	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
		abort();
	close(fd);
	return bytes;
}

/* Looks up all packets by their offsets. A refusal must have a reason. */
static void read_taken(void)
{
	struct taken taken;
	char *why = NULL;

	if (taken_open(&taken, path_of(WIRE_TAKEN_SUFFIX), &why)) {
		if (!why || !*why)
			abort();
		free(why);
		return;
	}
	for (size_t i = 0; i < taken.packet_count; i++)
		taken_has(&taken, taken.packets[i].offset, 0);
	taken_close(&taken);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t bytes[2];

	if (size < sizeof(bytes))
		return 0;
	memcpy(bytes, data, sizeof(bytes));
	data += sizeof(bytes);
	size -= sizeof(bytes);
	for (size_t i = 0; i < 2; i++) {
		const size_t written =
			write_file(i ? WIRE_PART_SUFFIX : WIRE_TAKEN_SUFFIX,
				   data, size, bytes[i]);

		data += written;
		size -= written;
	}
	write_file(WIRE_TRACE_SUFFIX, data, size, size);
	read_taken();
	exercise_recording(fuzz_folder(), 0);
	return 0;
}
