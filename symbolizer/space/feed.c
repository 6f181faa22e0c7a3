/* SPDX-License-Identifier: MIT */
/* See feed.h. */
#include "symbolizer/space/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"

enum { WINDOW = 64 * 1024 };

int feed_open(struct feed *feed, const char *path)
{
	struct feed new = { .fd = regular_file_open(path, O_RDONLY) };
	struct stat stat;

	if (new.fd < 0)
		return new.fd;
	if (fstat(new.fd, &stat)) {
		close(new.fd);
		return -EINVAL;
	}
	new.size = (uint64_t)stat.st_size;
	*feed = new;
	return 0;
}

void feed_close(struct feed *feed)
{
	close(feed->fd);
	free(feed->window);
}

int feed_is_over(const struct feed *feed)
{
	return feed->err || feed->offset >= feed->size;
}

int feed_has(const struct feed *feed, uint64_t bytes)
{
	struct stat stat;

	if (feed->offset <= feed->size && bytes <= feed->size - feed->offset)
		return 1;
	return fstat(feed->fd, &stat) == 0 &&
	       feed->offset <= (uint64_t)stat.st_size &&
	       bytes <= (uint64_t)stat.st_size - feed->offset;
}

/* Makes room for `wanted` bytes after the cursor, and one more. */
static int make_room(struct feed *feed, size_t wanted)
{
	size_t capacity = feed->capacity ? feed->capacity : WINDOW;
	uint8_t *window;

	if (feed->at > 0)
		memmove(feed->window, feed->window + feed->at,
			feed->used - feed->at);
	feed->used -= feed->at;
	feed->at = 0;
	while (capacity < wanted)
		capacity *= 2;
	if (capacity == feed->capacity)
		return 0;
	window = realloc(feed->window, capacity + 1);
	if (!window)
		return -ENOMEM;
	feed->window = window;
	feed->capacity = capacity;
	return 0;
}

static ssize_t read_more(struct feed *feed)
{
	ssize_t count;

	do {
		count = pread(feed->fd, feed->window + feed->used,
			      feed->capacity - feed->used,
			      (off_t)(feed->offset + feed->used));
	} while (count < 0 && errno == EINTR);
	if (count < 0)
		feed->err = -errno;
	return count;
}

size_t feed_peek(struct feed *feed, size_t wanted, uint8_t **out)
{
	ssize_t count = 1;

	if (feed->used - feed->at < wanted && !feed->err) {
		feed->err = make_room(feed, wanted);
		while (!feed->err && feed->used < wanted && count > 0) {
			count = read_more(feed);
			feed->used += count > 0 ? (size_t)count : 0;
		}
	}
	*out = feed->window ? feed->window + feed->at : NULL;
	return feed->used - feed->at;
}

void feed_skip(struct feed *feed, uint64_t bytes)
{
	size_t left = feed->used - feed->at;

	feed->at += bytes < left ? bytes : left;
	feed->offset += bytes < UINT64_MAX - feed->offset
				? bytes
				: UINT64_MAX - feed->offset;
}

void feed_skip_hole(struct feed *feed)
{
	off_t data = lseek(feed->fd, (off_t)feed->offset, SEEK_DATA);

	if (data < 0 && errno == ENXIO) /* only a hole up to the end */
		data = (off_t)feed->size;
	if (data > 0 && (uint64_t)data > feed->offset)
		feed_skip(feed, (uint64_t)data - feed->offset);
}

void feed_rewind(struct feed *feed)
{
	feed->at = feed->used = 0;
	feed->offset = 0;
}
