/* SPDX-License-Identifier: MIT */
/*
 * What runs a fuzzer in an ordinary build and under ctest:
 *
 *	NAME_fuzz ROUNDS FILE...
 *
 * Each file is tried as it is, then ROUNDS times with a few bytes damaged, the
 * same ones in every run. To search for new inputs, link libFuzzer instead
 * (CLEW_LIBFUZZER, with clang).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t state = 1;

static uint64_t random_below(uint64_t limit)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407U;
	return (state >> 32) % limit;
}

/* Numbers that parsers get wrong. */
static uint64_t odd_number(void)
{
	static const uint64_t numbers[] = {
		0,    1,       4,        7,          8,         0x7f,
		0x80, 0xff,    0x100,    0x7fff,     0xffff,    0x10000,
		4096, 1 << 20, 1U << 31, UINT32_MAX, INT64_MAX, UINT64_MAX,
	};

	return numbers[random_below(sizeof(numbers) / sizeof(numbers[0]))];
}

/* Damages data in place; the new size, not larger. */
static size_t damage(uint8_t *data, size_t size)
{
	uint64_t number = odd_number();
	size_t width = (size_t)1 << random_below(4);
	/* half of the time where headers are */
	size_t near = size > 1024 && random_below(2) ? 1024 : size;
	size_t at = random_below(near);

	switch (random_below(8)) {
	case 0:
		return random_below(size) + 1;
	case 1:
		data[at] ^= (uint8_t)(1U << random_below(8));
		return size;
	case 2:
		data[at] = (uint8_t)random_below(256);
		return size;
	case 3: /* one piece of it over another */
		width = 1 + random_below(64);
		if (at + width <= size)
			memmove(data + at,
				data + random_below(size - width + 1), width);
		return size;
	default:
		at -= at % width;
		if (at + width <= size)
			memcpy(data + at, &number, width);
		return size;
	}
}

/* A copy of its own size, so that a sanitizer sees every step beyond it. */
static void try_copy(const uint8_t *data, size_t size, int damages)
{
	uint8_t *work = malloc(size ? size : 1);
	uint8_t *exact;

	memcpy(work, data, size);
	for (int i = 0; i < damages && size > 0; i++)
		size = damage(work, size);
	exact = realloc(work, size ? size : 1);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	long length;

	if (!file || fseek(file, 0, SEEK_END) || (length = ftell(file)) < 0 ||
	    fseek(file, 0, SEEK_SET))
		goto out;
	*size = (size_t)length;
	data = malloc(*size + 1);
	if (data && fread(data, 1, *size, file) != *size) {
		free(data);
		data = NULL;
	}
out:
	if (!data)
		perror(path);
	if (file)
		fclose(file);
	return data;
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[1]) : 0;

	if (argc < 3) {
		fprintf(stderr, "usage: %s ROUNDS FILE...\n", argv[0]);
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		size_t size;
		uint8_t *data = read_file(argv[i], &size);

		if (!data)
			return 1;
		try_copy(data, size, 0);
		for (int round = 0; round < rounds; round++)
			try_copy(data, size, 1 + round % 6);
		free(data);
	}
	return 0;
}
