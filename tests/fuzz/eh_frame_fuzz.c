/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is an ELF file. Corpus: any small program, or the
 * golden cases of the build directory.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image/branches.h"
#include "image/functions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void *alloc(void *context, size_t bytes)
{
	return arena_alloc(context, bytes);
}

static void find(const struct image *image)
{
	struct arena arena = { 0 };
	struct functions functions;
	struct branches branches;
	struct decoder decoder;

	if (functions_find(image, &arena, &functions) == 0 &&
	    decoder_open(&decoder, alloc, &arena) == 0)
		branches_find(image, &decoder, &functions, &arena, &branches);
	arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* image_init() wants an aligned start; malloc gives that and bounds. */
	uint8_t *bytes = malloc(size ? size : 1);
	struct image image;

	memcpy(bytes, data, size);
	if (image_init(&image, bytes, size) == 0)
		find(&image);
	free(bytes);
	return 0;
}
