/* SPDX-License-Identifier: MIT */
/*
 * traits_test TRAITS FILE...: each FILE has that set of traits, whether or not
 * its section headers can be read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/traits.h"

static int check(const struct image *image, const char *path, uint32_t expected)
{
	uint32_t got = traits_of(image);

	if (got == expected)
		return 0;
	printf("  %s: %u, expected %u\n", path, got, expected);
	return 1;
}

static int check_without_sections(const struct image *image, const char *path,
				  uint32_t expected)
{
	uint8_t *bytes = malloc(image->size);
	Elf64_Ehdr *header = (Elf64_Ehdr *)bytes;
	struct image headless;
	int failures = 1;

	memcpy(bytes, image->bytes, image->size);
	header->e_shoff = 0;
	header->e_shnum = 0;
	if (!image_init(&headless, bytes, image->size))
		failures = check(&headless, path, expected);
	free(bytes);
	return failures;
}

static int check_file(const char *path, uint32_t expected)
{
	struct image image;
	int failures;

	if (image_open(&image, path)) {
		printf("  %s cannot be read\n", path);
		return 1;
	}
	failures = check(&image, path, expected);
	/* Go's trait here is a section; Go's linker also adds a note. */
	if (!(expected & TRAIT_GO))
		failures += check_without_sections(&image, path, expected);
	image_close(&image);
	return failures;
}

int main(int argc, char **argv)
{
	int failures = argc < 3;

	for (int i = 2; i < argc; i++)
		failures += check_file(argv[i],
				       (uint32_t)strtoul(argv[1], NULL, 10));
	return failures != 0;
}
