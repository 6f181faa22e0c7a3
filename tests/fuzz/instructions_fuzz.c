/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is an ELF file, whose code a worker decodes. The
 * worker may refuse the file, but it may not crash.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/code/instructions.h"
#include "report/code/jump_arrows.h"
#include "tests/fuzz/folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A refused allocation is an answer for the reader, and no finding. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:detect_leaks=0";
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
	const int fd =
		open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

/* Reads each text, and all rows of the drawing. */
static void check(const struct instructions *code)
{
	struct jump_arrows arrows;
	size_t length = 0;

	for (size_t i = 0; i < code->count; i++)
		length += strlen(instruction_text(code, &code->items[i])) +
			  strlen(code->texts + code->items[i].import);
	jump_arrows_init(&arrows, code);
	for (size_t i = 0; i < code->count; i++)
		for (size_t j = arrows.lanes; j < ARROW_LANES; j++)
			if (arrows.rows[i].cells[j] != CELL_EMPTY)
				abort();
	jump_arrows_fini(&arrows);
	if (code->count > 0 && length == 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct vaddr_range ranges[] = {
		{ 0, 0x1000 },
		{ 0x1000, 0x2000 },
		{ 0x400000, 0x402000 },
		{ UINT64_MAX - 16, UINT64_MAX },
	};
	const struct a2n_build_id any = { 0 };
	struct instructions code;
	char path[512];
	char *why;

	snprintf(path, sizeof(path), "%s/module", fuzz_folder());
	write_file(path, data, size);
	if (instructions_read(path, &any, ranges,
			      sizeof(ranges) / sizeof(*ranges), &code,
			      &why) == 0) {
		check(&code);
		instructions_fini(&code);
		return 0;
	}
	if (strstr(why, "crashed"))
		abort();
	free(why);
	return 0;
}
