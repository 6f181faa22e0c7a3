/* SPDX-License-Identifier: MIT */
/*
 * Writes a class file to memory of the caller. Without memory nothing is
 * written, and is_full is set.
 */
#ifndef CLEW_CLASSFILE_CLASS_OUTPUT_H
#define CLEW_CLASSFILE_CLASS_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "classfile/classfile.h"

struct class_output {
	const struct classfile_caller *caller;
	uint8_t *data;
	size_t used, room;
	int is_full;
};

/* Makes room for `bytes` more bytes. Returns whether there is room. */
int output_make_room(struct class_output *output, size_t bytes);

void output_bytes(struct class_output *output, const void *data, size_t bytes);

static inline int output_has_room(struct class_output *output, size_t bytes)
{
	return bytes <= output->room - output->used && !output->is_full;
}

static inline void output_u1(struct class_output *output, uint32_t value)
{
	if (output_has_room(output, 1) || output_make_room(output, 1))
		output->data[output->used++] = (uint8_t)value;
}

static inline void output_u2(struct class_output *output, uint32_t value)
{
	if (!output_has_room(output, 2) && !output_make_room(output, 2))
		return;
	output->data[output->used++] = (uint8_t)(value >> 8);
	output->data[output->used++] = (uint8_t)value;
}

void output_u4(struct class_output *output, uint32_t value);

/* Overwrite 2 or 4 bytes at an offset. */
void output_set_u2(struct class_output *output, size_t at, uint32_t value);
void output_set_u4(struct class_output *output, size_t at, uint32_t value);

#endif
