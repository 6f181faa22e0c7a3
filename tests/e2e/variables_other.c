/* SPDX-License-Identifier: MIT */
/* What variables.c declares only. */
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
