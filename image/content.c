/* SPDX-License-Identifier: MIT */
/* See content.h. */
#include "image/content.h"

#include <string.h>

#include "image/content_ranges.h"

/*
 * Adds a range to the hash. The number of bytes, which is added as well,
 * separates one range from the next.
 */
static int add_range(void *context, const uint8_t *bytes, uint64_t count)
{
	blake2b_add(context, &count, sizeof(count));
	blake2b_add(context, bytes, count);
	return 0;
}

struct content content_of(const struct image *image)
{
	const uint64_t size = image->size;
	struct content content = { { 0 } };
	struct blake2b hash;

	blake2b_begin(&hash);
	blake2b_add(&hash, &size, sizeof(size));
	if (content_ranges_walk(image, 2 * size, add_range, &hash) == 0)
		blake2b_end(&hash, content.digest);
	return content;
}

int content_is_known(const struct content *content)
{
	static const struct content none;

	return memcmp(content, &none, sizeof(none)) != 0;
}
