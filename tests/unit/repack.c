/* SPDX-License-Identifier: MIT */
/*
 * repack pack PART			packs a part in its file
 * repack unpack PART PLAIN		writes a part that is not packed
 *
 * For tests, the corpus of the fuzzers, and the kept recordings. Exits with 1
 * and an error message on failure.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/recording/part_packing.h"

static int pack(const struct part_copy *part)
{
	const int fd = open(part->path, O_RDWR | O_CLOEXEC);
	const int err = part_pack(part, fd);

	close(fd);
	if (err)
		fprintf(stderr, "repack: %s: %s\n", part->path, strerror(-err));
	return err != 0;
}

static int unpack(const struct part_copy *part, const char *plain)
{
	char *why;

	if (part_save(part, plain, &why) == 0)
		return 0;
	fprintf(stderr, "repack: %s\n", why);
	free(why);
	return 1;
}

int main(int argc, char **argv)
{
	const int is_pack = argc == 3 && strcmp(argv[1], "pack") == 0;
	struct part_copy part;
	char *why;
	int status = 1;

	if (!is_pack && (argc != 4 || strcmp(argv[1], "unpack") != 0)) {
		fprintf(stderr, "usage: repack pack PART\n"
				"       repack unpack PART PLAIN\n");
		return 2;
	}
	if (part_open(&part, argv[2], &why) != 0) {
		fprintf(stderr, "repack: %s\n", why);
		free(why);
		return 1;
	}
	if (part.damage)
		fprintf(stderr, "repack: %s: %s\n", argv[2], part.damage);
	else
		status = is_pack ? pack(&part) : unpack(&part, argv[3]);
	part_close(&part);
	return status;
}
