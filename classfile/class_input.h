/* SPDX-License-Identifier: MIT */
/*
 * Reads a class file: big-endian numbers in sequence. Beyond the end all values
 * are 0, and is_short is set.
 */
#ifndef CLEW_CLASSFILE_CLASS_INPUT_H
#define CLEW_CLASSFILE_CLASS_INPUT_H

#include <stddef.h>
#include <stdint.h>

struct class_input {
	const uint8_t *at, *end;
	int is_short;
};

static inline size_t input_left(const struct class_input *input)
{
	return (size_t)(input->end - input->at);
}

/* Returns the next bytes, or NULL if there are not enough. */
static inline const uint8_t *input_take(struct class_input *input, size_t bytes)
{
	const uint8_t *at = input->at;

	if (bytes > input_left(input)) {
		input->is_short = 1;
		input->at = input->end;
		return NULL;
	}
	input->at += bytes;
	return at;
}

static inline uint8_t input_u1(struct class_input *input)
{
	const uint8_t *at = input_take(input, 1);

	return at ? *at : 0;
}

static inline uint16_t input_u2(struct class_input *input)
{
	const uint8_t *at = input_take(input, 2);

	return at ? (uint16_t)(at[0] << 8 | at[1]) : 0;
}

static inline uint32_t input_u4(struct class_input *input)
{
	const uint8_t *at = input_take(input, 4);

	return at ? (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
			       (uint32_t)at[2] << 8 | at[3]
		  : 0;
}

/* Returns a reader of the next bytes. */
static inline struct class_input input_part(struct class_input *input,
					    size_t bytes)
{
	const uint8_t *at = input_take(input, bytes);

	if (!at)
		return (struct class_input){ input->end, input->end, 1 };
	return (struct class_input){ at, at + bytes, 0 };
}

#endif
