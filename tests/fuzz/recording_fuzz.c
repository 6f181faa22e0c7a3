/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is a part of a recording. The reader gets it as a
 * file in memory, since the reader opens files only.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	int fd = memfd_create("part", MFD_CLOEXEC);
	char path[32];

	if (fd < 0 || pwrite(fd, bytes, length, 0) != (ssize_t)length)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	exercise_recording(path, 1);
	close(fd);
	return 0;
}
