/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is a file to import. The fuzzer reads it in the
 * format that its first line suggests and in each format, and writes the result
 * as parts of a recording.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void remove_parts(const struct import *import, const char *directory)
{
	char path[256];

	for (size_t i = 0; i < import->process_count; i++) {
		snprintf(path, sizeof(path), "%s/%u.0" WIRE_PART_SUFFIX,
			 directory, import->processes[i].pid);
		unlink(path);
	}
}

/* Checks that parents precede their children, and that depths are right. */
static void check(const struct import *import)
{
	for (size_t i = 0; i < import->process_count; i++) {
		const struct import_process *process = &import->processes[i];

		for (size_t j = 1; j < process->count; j++) {
			const struct import_context *context =
				&process->contexts[j];

			if (context->parent >= j ||
			    context->function >= import->function_count ||
			    context->depth !=
				    process->contexts[context->parent].depth +
					    1)
				abort();
		}
	}
}

static void save(const struct import *import)
{
	char directory[] = "/tmp/clew-import-fuzz-XXXXXX";
	char *why;

	if (!mkdtemp(directory))
		abort();
	if (import_save(import, directory, "input", 1000, &why) != 0)
		free(why);
	remove_parts(import, directory);
	if (rmdir(directory) != 0)
		abort();
}

static void read_as(const uint8_t *data, size_t size,
		    enum wire_import_format format)
{
	const struct import_measure measure = { 0 };
	FILE *in = fmemopen((void *)data, size, "r");
	struct import import;
	char *why;

	if (!in)
		abort();
	import_init(&import);
	if (import_read(&import, in, format, &measure, &why) != 0)
		free(why);
	else
		save(&import);
	check(&import);
	import_fini(&import);
	fclose(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	for (int format = 0; format <= WIRE_IMPORT_FORMAT_COUNT; format++)
		read_as(data, size, (enum wire_import_format)format);
	return 0;
}
