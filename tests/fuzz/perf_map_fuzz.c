/* SPDX-License-Identifier: MIT */
/* libFuzzer entry: the input is a perf map. */
#include "tests/fuzz/space_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_file file = fuzz_file_open(data, size);
	struct a2n_space *space;

	if (a2n_space_create(NULL, &space) ||
	    a2n_space_read_perf_map(space, file.path, 0, NULL))
		abort();
	fuzz_look_around(space);
	close(file.fd);
	return 0;
}
