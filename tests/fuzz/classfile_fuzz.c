/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is a class file. Fails if the rewriter refuses a
 * class that it has rewritten as malformed, because a JVM would also refuse it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "classfile/classfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void *blocks[4096];
static size_t block_count;

static void *take(void *context, size_t bytes)
{
	if (block_count == sizeof(blocks) / sizeof(blocks[0]))
		return NULL;
	return blocks[block_count++] = malloc(bytes);
}

/* Chooses small and large numbers, and leaves some methods unchanged. */
static int64_t choose(void *context, const struct classfile_method *method)
{
	uint32_t *state = context;
	const uint32_t text = method->name.length + method->descriptor.length +
			      method->class_name.length;

	*state = *state * 1664525 + 1013904223 + text;
	return *state >> 29 == 0 ? -1 : (int32_t)(*state >> 15);
}

static int64_t choose_changed(void *context,
			      const struct classfile_method *method)
{
	return 1;
}

/* Reads each byte, so that a sanitizer sees all of them. */
static void read_all(const struct classfile_result *result)
{
	volatile uint8_t sum = 0;

	for (size_t i = 0; i < result->bytes; i++)
		sum = (uint8_t)(sum + result->data[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct classfile_tracker numbered = {
		.class_name = "T",
		.enter = { "enter", "(I)V" },
		.exit = { "exit", "()V" },
		.code_limit = 8000,
	};
	static const struct classfile_tracker keeping = {
		.class_name = "T",
		.enter = { "enter", "(I)J" },
		.exit = { "exit", "(J)V" },
		.caught = { "caught", "(JI)V" },
	};
	const struct classfile_tracker *tracker =
		size & 1 ? &numbered : &keeping;
	uint32_t state = 1;
	struct classfile_caller caller = { &state, take, choose, NULL };
	struct classfile_result result = { 0 };

	if (!classfile_rewrite(data, size, tracker, &caller, &result) &&
	    result.data) {
		struct classfile_result again = { 0 };

		read_all(&result);
		caller.choose = choose_changed;
		if (classfile_rewrite(result.data, result.bytes, tracker,
				      &caller, &again) == CLASSFILE_MALFORMED)
			abort();
		read_all(&again);
	}
	while (block_count > 0)
		free(blocks[--block_count]);
	return 0;
}
