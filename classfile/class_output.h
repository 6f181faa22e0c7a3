/* SPDX-License-Identifier: MIT */
/*
 * Writing a class file, in memory of the caller's. If there is none any more nothing is
 * written, and is_full says so.
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

void output_bytes(struct class_output *output, const void *data, size_t bytes);
void output_u1(struct class_output *output, uint32_t value);
void output_u2(struct class_output *output, uint32_t value);
void output_u4(struct class_output *output, uint32_t value);

/* Writes over what is there already, 2 or 4 bytes at an offset. */
void output_set_u2(struct class_output *output, size_t at, uint32_t value);
void output_set_u4(struct class_output *output, size_t at, uint32_t value);

#endif
