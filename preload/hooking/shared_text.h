/* SPDX-License-Identifier: MIT */
/*
 * Hooked code that processes of one session share.
 *
 * Code that is written to becomes private memory of each process. Processes that were
 * forked from one another get the same bytes. Before `clew attach` stops the threads,
 * the library therefore composes each module's code with its hooks, and looks for a file
 * with these bytes in the recording's folder. The first process writes that file: a copy
 * of the module's file with the hooks in it. The others compare every byte. While all
 * threads are stopped, the file is moved over all segments that are not writable.
 *
 *	module	[ headers | code | constants ]  from the hooked file, at the same offsets
 *		[ variables ]                   the module's own, as they were
 *	ahead	[ the module's own file, not accessible ] mapped, to be moved back
 *
 * The controller then compares runs of pages with what it would have written, and writes
 * those that differ. When it detaches, the library first moves the module's own file
 * back. A module stays private if anything else has written to a page of it, or if
 * memory or mappings are scarce.
 *
 * mremap() replaces a mapping under the lock of the process's memory: a thread that runs
 * meanwhile, because the controller was killed, sees either file.
 */
#ifndef CLEW_HOOKING_SHARED_TEXT_H
#define CLEW_HOOKING_SHARED_TEXT_H

#include "preload/modules/modules.h"
#include "preload/patch/pristine.h"
#include "wire/attachment.h"

/* For each module, whose texts have been noted in the journal. In slices (slices.h). */
void shared_texts_prepare(const char *dir, const struct modules *modules);

/* Unmaps the files of modules that are not mapped from a hooked file. */
void shared_texts_forget(void);

/* ---- While all threads are stopped, in one of them ---- */

/* Before anything is written: which modules are as they were when they were prepared. */
void shared_texts_check(void);

/* Maps these once the library's own texts are written. Returns how many segments are. */
uint64_t shared_texts_map(void);

/*
 * Maps the modules' own files again: before the controller restores the texts, where
 * nothing has written to a segment; or afterwards, where its bytes are those of the file.
 */
void shared_texts_unmap(int is_afterwards);

/* Whether a part of a range is in a segment that is still mapped from a hooked file. */
int shared_texts_meet(const struct pc_range *range);

/* ---- For the files that implement this ---- */

#define SHARED_TEXTS_MAX    128
#define SHARED_SEGMENTS_MAX 6

struct shared_segment {
	uint64_t start, end; /* pages */
	uint64_t offset;     /* in either file */
	int protection;
	/* Where the hooked file and the module's own are mapped ahead; 0: they are not. */
	uint64_t hooked_at, own_at;
	int is_shared; /* the hooked file is mapped at `start` */
	int is_seen;   /* by the last check */
};

struct shared_text {
	uint64_t base; /* the module's load bias */
	struct pc_range image;
	struct pristine_file file; /* the module's */
	uint64_t hooked_device,
		hooked_inode; /* as struct mapped_range has it */
	uint64_t text_count;  /* in the journal, when prepared */
	uint64_t found_count; /* ... and by the last check */
	int has_fronts;       /* texts that are restored behind all hooks */
	int is_ready;         /* by the last check */
	struct shared_segment segments[SHARED_SEGMENTS_MAX];
	uint32_t segment_count;
};

/* Written under the loader's lock, or while all threads are stopped. */
extern struct shared_texts {
	struct shared_text items[SHARED_TEXTS_MAX];
	uint32_t count;
} shared_texts;

/* Whether a text of the journal is in a module's code. */
int shared_text_has(const struct pc_range *image, const struct wire_text *text);

/* How many texts of the journal are. */
uint64_t shared_text_count(const struct pc_range *image);

/* Whether a segment of it is mapped from the hooked file. */
int shared_text_is_in(const struct shared_text *text);

/* Unmaps both files where they are mapped ahead. */
void shared_text_forget(struct shared_text *text);

#endif
