/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is a file /proc/PID/maps. The kernel writes the
 * numbers; the process chooses the names of files and the number of mappings.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/target/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
	if (!condition)
		abort();
}

static void check(const struct target_maps *maps)
{
	for (size_t i = 0; i < maps->count; i++) {
		const struct target_mapping *mapping = &maps->items[i];
		const struct target_mapping *found =
			target_find(maps, mapping->start);

		require(mapping->path && !strchr(mapping->path, '\n'));
		require(mapping->start >= mapping->end ||
			(found && found <= mapping));
	}
	target_module(maps, "libc.so.6");
	target_module(maps, "");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct target_maps maps;
	FILE *file = size ? fmemopen((void *)data, size, "r") : NULL;

	if (!file)
		return 0;
	target_parse_maps(file, &maps);
	fclose(file);
	check(&maps);
	target_free_maps(&maps);
	return 0;
}
