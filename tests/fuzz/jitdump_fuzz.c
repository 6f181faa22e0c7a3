/* SPDX-License-Identifier: MIT */
/* libFuzzer entry: the input is a jitdump file. */
#include <errno.h>

#include "tests/fuzz/space_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_file file = fuzz_file_open(data, size);
	struct a2n_space *space;
	int err;

	if (a2n_space_create(NULL, &space))
		abort();
	err = a2n_space_read_jitdump(space, file.path, NULL);
	if (err && err != -EBADMSG)
		abort();
	fuzz_look_around(space);
	close(file.fd);
	return 0;
}
