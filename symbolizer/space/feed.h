/* SPDX-License-Identifier: MIT */
/*
 * Reading a file that somebody else may be writing right now. What begins
 * behind the size that the file had when it was opened is left alone, so that
 * reading ends; what began before may be read to its end. Read, not mapped: a
 * file that is cut short under a mapping kills its reader.
 */
#ifndef CLEW_SYMBOLIZER_SPACE_FEED_H
#define CLEW_SYMBOLIZER_SPACE_FEED_H

#include <stddef.h>
#include <stdint.h>

struct feed {
	int fd;
	int err;         /* -errno of what went wrong with reading, or 0 */
	uint64_t size;   /* when it was opened */
	uint64_t offset; /* in the file, of the window's cursor */
	uint8_t *window;
	size_t capacity;
	size_t at; /* the cursor */
	size_t used;
};

/* 0, or -errno; -EINVAL for what is no regular file. Close it with the next. */
int feed_open(struct feed *feed, const char *path);
void feed_close(struct feed *feed);

/* Whether the cursor is behind what the file was, or reading failed. */
int feed_is_over(const struct feed *feed);

/* Whether the file has that many bytes from the cursor on, by now. */
int feed_has(const struct feed *feed, uint64_t bytes);

/*
 * *out is the bytes at the cursor: at least `wanted`, fewer only if the file
 * has no more. They are the caller's to change until the next call, and so is
 * the one behind them. Returns how many there are.
 */
size_t feed_peek(struct feed *feed, size_t wanted, uint8_t **out);

void feed_skip(struct feed *feed, uint64_t bytes);

/* Skips what the file system has not stored: zeros, and be it terabytes. */
void feed_skip_hole(struct feed *feed);

/* Back to the first byte. The end stays where it was. */
void feed_rewind(struct feed *feed);

#endif
