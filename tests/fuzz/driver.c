/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzzer in an ordinary build and under ctest:
 *
 *	NAME_fuzz ROUNDS FILE...
 *	NAME_fuzz SECONDSs FILE...
 *
 * Each file is tried unchanged, then ROUNDS times with a few damaged bytes, the
 * same ones in every run; or all in turn, until the time is over. To search for
 * new inputs, link libFuzzer instead (CLEW_LIBFUZZER, with clang).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* Damages data in place; returns the new size, which is not larger. */
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

/* Tries a copy of exactly that size: a sanitizer sees accesses beyond it. */
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

struct sample {
	uint8_t *data;
	size_t size;
};

static void try_rounds(const struct sample *samples, int count, int rounds)
{
	for (int i = 0; i < count; i++)
		for (int round = 0; round < rounds; round++)
			try_copy(samples[i].data, samples[i].size,
				 1 + round % 6);
}

static void try_until(const struct sample *samples, int count, time_t end)
{
	unsigned long rounds = 0;

	for (; time(NULL) < end; rounds++)
		for (int i = 0; i < count; i++)
			try_copy(samples[i].data, samples[i].size,
				 1 + (int)(rounds % 6));
	printf("%lu rounds\n", rounds);
}

int main(int argc, char **argv)
{
	int count = argc - 2;
	struct sample *samples;

	if (count < 1) {
		fprintf(stderr, "usage: %s ROUNDS|SECONDSs FILE...\n", argv[0]);
		return 2;
	}
	samples = calloc((size_t)count, sizeof(*samples));
	for (int i = 0; i < count; i++) {
		samples[i].data = read_file(argv[i + 2], &samples[i].size);
		if (!samples[i].data)
			return 1;
		try_copy(samples[i].data, samples[i].size, 0);
	}
	if (strchr(argv[1], 's'))
		try_until(samples, count, time(NULL) + atoi(argv[1]));
	else
		try_rounds(samples, count, atoi(argv[1]));
	for (int i = 0; i < count; i++)
		free(samples[i].data);
	free(samples);
	return 0;
}
