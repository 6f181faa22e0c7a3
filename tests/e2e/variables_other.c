/* SPDX-License-Identifier: MIT */
/* Defines types and variables that variables.c only declares. */
struct opaque {
	int ignored, number;
	struct opaque *self;
};

struct opaque *opaque_new(int number);

struct opaque *opaque_new(int number)
{
	static struct opaque made;

	made = (struct opaque){ .ignored = 1, .number = number, .self = &made };
	return &made;
}
