/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is a list of fields (expression/expression.h).
 * Each valid list is evaluated, with the input itself as the memory.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expression/expression.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *memory;
static size_t memory_bytes;

static long read_input(void *to, uint64_t from, size_t bytes)
{
	if (bytes > memory_bytes || from > memory_bytes - bytes)
		return -EFAULT;
	memcpy(to, memory + from, bytes);
	return 0;
}

static uint64_t one(void)
{
	return 1;
}

static void evaluate(const struct expression *expression)
{
	uint64_t registers[MACHINE_REGISTERS], value = 0;
	const struct expression_view view = { registers, 0, one, read_input };

	for (uint64_t i = 0; i < MACHINE_REGISTERS; i++)
		registers[i] = i % 3 ? i : 0 - i;
	if (expression->count == 0)
		abort();
	expression_evaluate(expression, &view, &value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct expression_problem problem = { SIZE_MAX, NULL };
	struct expression_field field;
	size_t at = 0, before = 0;

	memcpy(text, data, size);
	memory = data;
	memory_bytes = size;
	while (at < size &&
	       expression_field_parse(text, size, &at, &field, &problem) == 0) {
		if (at <= before || field.end > at || field.start > field.end)
			abort();
		before = at;
		evaluate(&field.expression);
	}
	if (at < size && (!problem.what || problem.at > size))
		abort();
	if (expression_parse(text, size, &field.expression, &problem) == 0)
		evaluate(&field.expression);
	free(text);
	return 0;
}
