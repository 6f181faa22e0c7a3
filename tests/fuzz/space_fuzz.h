/* SPDX-License-Identifier: MIT */
/* Helpers of the fuzzers of files that are read into a space. */
#ifndef CLEW_TESTS_FUZZ_SPACE_H
#define CLEW_TESTS_FUZZ_SPACE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbolizer/a2n.h"

/* A file without a name, and a path to it, because the readers take paths. */
struct fuzz_file {
	int fd;
	char path[32];
};

static inline struct fuzz_file fuzz_file_open(const uint8_t *data, size_t size)
{
	struct fuzz_file file = { .fd = memfd_create("fuzz", MFD_CLOEXEC) };

	if (file.fd < 0 || write(file.fd, data, size) != (ssize_t)size)
		abort();
	snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
	return file;
}

/*
 * Checks that strings end, and that ranges contain the requested address and
 * time.
 */
static inline void fuzz_look(const struct a2n_space *space, uint64_t pc,
			     uint64_t time)
{
	struct a2n_place place;
	struct a2n_frame frame;

	if (!a2n_space_lookup(space, pc, time, NULL, 0, &place, &frame, 1))
		return;
	if (pc < place.start || pc >= place.end || place.from > time)
		abort();
	if (frame.name && frame.name[frame.name_length] != '\0')
		abort();
}

static inline void fuzz_look_around(struct a2n_space *space)
{
	if (a2n_space_commit(space))
		abort();
	for (uint64_t pc = 0; pc < 0x4000; pc += 0x35) {
		fuzz_look(space, pc, A2N_LATEST);
		fuzz_look(space, pc, pc);
	}
	a2n_space_destroy(space);
}

#endif
