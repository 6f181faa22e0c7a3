/* SPDX-License-Identifier: MIT */
/*
 * The file of a part, and the memory that it is mapped to.
 *
 * It is opened to be made and mapped, and closed at once (apart.h). From then
 * on it grows without a descriptor, and so also where the program closes all
 * that it finds, and after chroot() or setuid() up to the length that it has:
 *
 *	file	|header| chunk | chunk | chunk |  nothing yet, no blocks  |
 *		0			       end			bytes
 *	memory	[ segment 0   -w    |none]  [ segment 1  -w |   none	 ]
 *
 *	length	 much more than is in use, as a hole; when half of it is in
 *		 use it is doubled, by name. Cut off at the end of the process
 *	mapping	 mremap() of a page with the old length 0 maps the same page
 *		 of the file a second time, and as much as one wants behind it
 *	pages	 of what is large are written, of the first segment (page_making.h)
 *	blocks	 MADV_POPULATE_WRITE, before anything is stored there: on a
 *		 full disk it fails, where a store would raise SIGBUS. Given
 *		 back by MADV_REMOVE
 *
 * A part that nobody is to read has memory without a name in place of the file.
 */
#ifndef CLEW_RECORD_PART_FILE_H
#define CLEW_RECORD_PART_FILE_H

#include <linux/limits.h>
#include <stdint.h>

#define PART_SEGMENTS_MAX 128

struct segment {
	unsigned char *at;
	uint64_t offset; /* in the file */
	uint64_t bytes;
};

struct part_file {
	int is_private;     /* there is no file */
	uint64_t dev, ino;  /* of the file, which path must name */
	uint64_t bytes;     /* its length */
	int has_dear_pages; /* (page_making.h) */
	struct segment segments[PART_SEGMENTS_MAX]; /* in order of offset */
	uint32_t segment_count;
	char path[PATH_MAX]; /* absolute */
};

/*
 * Make DIR/PID.SEQ.part, SEQ being the first that is free, or private memory
 * where dir is NULL. 0 or -errno.
 */
int part_file_create(struct part_file *file, const char *dir, uint32_t pid,
		     uint32_t *seq);

/* The same for one beside another, whose name has this suffix instead. */
int part_file_create_beside(struct part_file *file,
			    const struct part_file *other, const char *suffix);

/*
 * Make [offset, offset + bytes), whole pages right behind what is in use, exist
 * in file and memory, and read as zeros. 0, -ENOSPC or other -errno. All
 * signals blocked.
 */
int part_file_extend(struct part_file *file, uint64_t offset, uint64_t bytes,
		     void **at);

/*
 * Have blocks for whole pages that have none, at this offset and address. They are
 * nobody's meanwhile, as zeros may be written there. 0 or -errno.
 */
int part_file_take(const struct part_file *file, uint64_t offset, void *at,
		   uint64_t bytes);

/* Pages of which the blocks are not needed; they read as zeros. */
void part_file_give_back(void *at, uint64_t bytes);

/* Cut off what is behind `bytes`. It can grow again. */
void part_file_cut(struct part_file *file, uint64_t bytes);

/* Whether both are files of one folder, and the other is still there. */
int part_file_is_beside(const struct part_file *file,
			const struct part_file *other);

/* Remove the file, of which nothing is to be kept. It stays mapped. */
void part_file_remove(const struct part_file *file);

/* Unmap it all, or all but so many bytes at its beginning. */
void part_file_unmap(struct part_file *file, uint64_t but_bytes);

/*
 * Let go of it likewise, but leave private zeros where it was mapped: in a
 * child that a signal handler forked, what that interrupted goes on, and may be
 * about to write there. The segments are then those zeros, for
 * part_file_unmap().
 */
void part_file_blank(struct part_file *file, uint64_t but_bytes);

/* The same of whole pages of a segment. 0, or -errno: nothing is mapped there. */
int part_file_blank_stretch(const struct segment *segment, uint64_t from,
			    uint64_t to);

#endif
