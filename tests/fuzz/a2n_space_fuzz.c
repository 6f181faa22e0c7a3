/* SPDX-License-Identifier: MIT */
/* libFuzzer entry: the input is a perf map, and is a jitdump file. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbolizer/a2n.h"

enum { PLACES = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t sink;

static void look_around(const struct a2n_space *space)
{
	struct a2n_place place;
	struct a2n_frame frame;

	for (uint64_t i = 0; i < PLACES; i++) {
		uint64_t pc = i * UINT64_C(0x28f5c28f5c28f5c);

		if (a2n_space_lookup(space, pc, i, &i, 1, &place, &frame, 1))
			sink += strlen(frame.name);
		if (a2n_space_lookup(space, 0x1000 + i, A2N_LATEST, &i, 1,
				     &place, &frame, 1))
			sink += strlen(frame.name) + frame.line;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct a2n_options options = { .flags = A2N_NO_CACHE };
	struct a2n_read counts;
	struct a2n_space *space;
	struct a2n *a2n;
	char path[64];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size ||
	    a2n_create(&options, &a2n) != 0 ||
	    a2n_space_create(a2n, &space) != 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (a2n_space_read_perf_map(space, path, 1, &counts) == 0)
		sink += counts.records;
	if (a2n_space_read_jitdump(space, path, &counts) == 0)
		sink += counts.records;
	if (a2n_space_commit(space) != 0)
		abort();
	look_around(space);
	a2n_space_destroy(space);
	a2n_destroy(a2n);
	close(fd);
	return 0;
}
