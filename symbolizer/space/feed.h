/* SPDX-License-Identifier: MIT */
/*
 * Reads a file that another process may be writing. Reading stops at the size
 * that the file had when it was opened, so that it ends; a record that begins
 * before may be read completely. The file is read and not mapped, because
 * truncation of a mapped file would kill the reader.
 */
#ifndef CLEW_SYMBOLIZER_SPACE_FEED_H
#define CLEW_SYMBOLIZER_SPACE_FEED_H

#include <stddef.h>
#include <stdint.h>

struct feed {
	int fd;
	int err;         /* -errno of a failed read, or 0 */
	uint64_t size;   /* size of the file when it was opened */
	uint64_t offset; /* offset of the cursor in the file */
	uint8_t *window;
	size_t capacity;
	size_t at; /* offset of the cursor in the window */
	size_t used;
};

/*
 * Opens a file. Returns 0 or -errno; -EINVAL if it is not a regular file. The
 * caller calls feed_close().
 */
int feed_open(struct feed *feed, const char *path);
void feed_close(struct feed *feed);

/*
 * Returns whether the cursor has reached the initial size, or reading failed.
 */
int feed_is_over(const struct feed *feed);

/* Returns whether the file now has that many bytes after the cursor. */
int feed_has(const struct feed *feed, uint64_t bytes);

/*
 * Sets *out to the bytes at the cursor, and returns their number: at least
 * `wanted`, fewer only at the end of the file or after an error. The caller may
 * change these bytes, and one byte after them, until the next call.
 */
size_t feed_peek(struct feed *feed, size_t wanted, uint8_t **out);

void feed_skip(struct feed *feed, uint64_t bytes);

/* Skips a hole, which may be terabytes of zeros. */
void feed_skip_hole(struct feed *feed);

/*
 * Moves the cursor to the first byte. Reading still stops at the size that the
 * file had when it was opened.
 */
void feed_rewind(struct feed *feed);

#endif
