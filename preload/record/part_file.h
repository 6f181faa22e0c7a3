/* SPDX-License-Identifier: MIT */
/*
 * The file of a part, and the memory that it is mapped to.
 *
 * The file is opened when it is created and mapped, and closed at once
 * (apart.h). From then on it grows without a descriptor. Therefore recording
 * continues when the program closes all descriptors, and after chroot() or
 * setuid() up to the file's present length:
 *
 *	file	|header| chunk | chunk | chunk |  unused, no blocks       |
 *		0			       end			bytes
 *	memory	[ segment 0   -w    |none]  [ segment 1  -w |   none	 ]
 *
 *	length	 Much more than is in use, as a hole. When half is in use the
 *		 length is doubled, by name. The rest is cut at the end.
 *	mapping	 mremap() of a page with old length 0 maps this page of the
 *		 file a second time, and any number of pages behind it.
 *	pages	 Large chunks in the first segment are written
 *		 (page_making.h).
 *	blocks	 MADV_POPULATE_WRITE before anything is stored: it fails on a
 *		 full disk, where a store would raise SIGBUS. MADV_REMOVE
 *		 releases blocks.
 *
 * A part that no reader will read has anonymous memory instead of the file.
 */
#ifndef CLEW_RECORD_PART_FILE_H
#define CLEW_RECORD_PART_FILE_H

#include <linux/limits.h>
#include <stdint.h>

#define PART_SEGMENTS_MAX 128

struct segment {
	unsigned char *at;
	uint64_t offset; /* offset of the segment in the file */
	uint64_t bytes;
};

struct part_file {
	int is_private; /* there is no file */
	/*
	 * Device and inode number of the file; `path` is used only while it
	 * leads to this file.
	 */
	uint64_t dev, ino;
	uint64_t bytes;     /* length of the file */
	int has_dear_pages; /* result of page_making_pays() */
	struct segment segments[PART_SEGMENTS_MAX]; /* sorted by offset */
	uint32_t segment_count;
	char path[PATH_MAX]; /* absolute path of the part */
};

/*
 * Creates DIR/PID.SEQ.part with the first free SEQ, or private memory if dir is
 * NULL. Returns 0 or -errno.
 */
int part_file_create(struct part_file *file, const char *dir, uint32_t pid,
		     uint32_t *seq);

/* Creates a file beside another, with this suffix in its name. */
int part_file_create_beside(struct part_file *file,
			    const struct part_file *other, const char *suffix);

/*
 * Extends the part in use by the pages [offset, offset + bytes) of the file,
 * which must follow the pages in use. Maps them as zeros and stores their
 * address in *at. Returns 0, -ENOSPC or another -errno. Called with all signals
 * blocked.
 */
int part_file_extend(struct part_file *file, uint64_t offset, uint64_t bytes,
		     void **at);

/*
 * Allocates disk blocks for the pages at this offset and address. The pages
 * must be unused, because zeros may be written there. Returns 0 or -errno.
 */
int part_file_take(const struct part_file *file, uint64_t offset, void *at,
		   uint64_t bytes);

/* Releases the blocks of pages, which then read as zeros. */
void part_file_give_back(void *at, uint64_t bytes);

/* Truncates the file. It can grow again afterwards. */
void part_file_cut(struct part_file *file, uint64_t bytes);

/*
 * Returns whether both files are in one folder and the other one still exists.
 */
int part_file_is_beside(const struct part_file *file,
			const struct part_file *other);

/* Removes the file, which stays mapped. */
void part_file_remove(const struct part_file *file);

/* Unmaps the file, except the first but_bytes. */
void part_file_unmap(struct part_file *file, uint64_t but_bytes);

/*
 * Releases the file like part_file_unmap(), but leaves private zeros at its
 * addresses: in a child that a signal handler has forked, the interrupted code
 * may still write there. The segments then describe these zeros.
 */
void part_file_blank(struct part_file *file, uint64_t but_bytes);

/*
 * Replaces whole pages of a segment, between these offsets in the segment, by
 * private zeros. Returns 0, or -errno if the pages are unmapped instead.
 */
int part_file_blank_stretch(const struct segment *segment, uint64_t from,
			    uint64_t to);

#endif
