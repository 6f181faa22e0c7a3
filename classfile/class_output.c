/* SPDX-License-Identifier: MIT */
/* See class_output.h. */
#include <string.h>

#include "classfile/class_output.h"

int output_make_room(struct class_output *output, size_t bytes)
{
	size_t room = output->room ? output->room : 4096;
	uint8_t *data;

	if (output->is_full)
		return 0;
	if (bytes <= output->room - output->used)
		return 1;
	while (room - output->used < bytes && room <= SIZE_MAX / 4)
		room *= 2;
	data = room - output->used < bytes
		       ? NULL
		       : output->caller->memory(output->caller->context, room);
	if (!data) {
		output->is_full = 1;
		return 0;
	}
	if (output->used > 0)
		memcpy(data, output->data, output->used);
	output->data = data;
	output->room = room;
	return 1;
}

void output_bytes(struct class_output *output, const void *data, size_t bytes)
{
	if (bytes == 0 || !output_make_room(output, bytes))
		return;
	memcpy(output->data + output->used, data, bytes);
	output->used += bytes;
}

void output_u4(struct class_output *output, uint32_t value)
{
	output_u2(output, value >> 16);
	output_u2(output, value);
}

void output_set_u2(struct class_output *output, size_t at, uint32_t value)
{
	if (output->is_full)
		return;
	output->data[at] = (uint8_t)(value >> 8);
	output->data[at + 1] = (uint8_t)value;
}

void output_set_u4(struct class_output *output, size_t at, uint32_t value)
{
	output_set_u2(output, at, value >> 16);
	output_set_u2(output, at + 2, value);
}
