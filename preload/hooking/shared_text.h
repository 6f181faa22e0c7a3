/* SPDX-License-Identifier: MIT */
/*
 * Hooked code that processes of one session share.
 *
 * A code page that hooks are written to becomes private memory of each process.
 * Processes that run the same files at the same addresses get the same bytes,
 * for example those that were forked from one another. Before `clew attach`
 * stops the threads, the library therefore composes each module's code with its
 * hooks, and searches the recording's folder for a file with these bytes. The
 * first process writes that file: a copy of the module's file with the hooks in
 * it. The others compare every byte. While all threads are stopped, the file is
 * moved over all segments that are not writable:
 *
 *	module	[ headers | code | constants ]	from the hooked file
 *		[ variables ]			the module's own, unchanged
 *	ahead	[ the module's own file ]	mapped, not accessible
 *
 * The controller (`clew attach`) then compares runs of pages with the bytes
 * that it would have written, and writes those that differ. When the controller
 * detaches, the library first moves the module's own file back. A module stays
 * private if the program has written to a page of it, or if memory or mappings
 * are scarce.
 *
 * mremap() replaces a mapping under the lock of the process's memory: a thread
 * that runs meanwhile, because the controller was killed, sees either file.
 */
#ifndef CLEW_HOOKING_SHARED_TEXT_H
#define CLEW_HOOKING_SHARED_TEXT_H

#include "preload/modules/modules.h"
#include "preload/patch/pristine.h"
#include "wire/attachment.h"

/*
 * Composes the hooked code of each module and maps the file with it, after the
 * module's texts (changed bytes, struct wire_text) were added to the journal.
 * Runs in slices (slices.h).
 */
void shared_texts_prepare(const char *dir, const struct modules *modules);

/* Unmaps the files of modules that are not mapped from a hooked file. */
void shared_texts_forget(void);

/* ---- While all threads are stopped, in one of them ---- */

/*
 * Checks which modules have not changed since they were prepared. Must run
 * before anything is written.
 */
void shared_texts_check(void);

/*
 * Moves the hooked files over the unchanged modules, after the library has
 * written the texts that it writes itself. Returns the number of mapped
 * segments.
 */
uint64_t shared_texts_map(void);

/*
 * Maps the modules' own files again. Before the controller restores the texts,
 * this is done for segments that have not been written to; afterwards
 * (is_afterwards), for segments whose bytes equal the file.
 */
void shared_texts_unmap(int is_afterwards);

/*
 * Returns whether a part of the range is in a segment that is still mapped from
 * a hooked file.
 */
int shared_texts_meet(const struct pc_range *range);

/* ---- For the files that implement this ---- */

#define SHARED_TEXTS_MAX    128
#define SHARED_SEGMENTS_MAX 6

struct shared_segment {
	uint64_t start, end; /* page addresses */
	uint64_t offset;     /* offset in both files */
	int protection;
	/*
	 * Where the hooked file and the module's own file are mapped ahead; 0:
	 * not mapped.
	 */
	uint64_t hooked_at, own_at;
	int is_shared; /* the hooked file is mapped at `start` */
	int is_seen;   /* whether the last check found the expected mapping */
};

struct shared_text {
	uint64_t base; /* load bias of the module */
	struct pc_range image;
	struct pristine_file file;            /* file of the module */
	uint64_t hooked_device, hooked_inode; /* as in struct mapped_range */
	/* Number of the module's texts in the journal when it was prepared. */
	uint64_t text_count;
	uint64_t found_count; /* number of these texts at the last check */
	int has_fronts;       /* whether some of the texts are not hooks */
	int is_ready; /* whether the last check found the module unchanged */
	struct shared_segment segments[SHARED_SEGMENTS_MAX];
	uint32_t segment_count;
};

/* Written with the loader's lock held, or while all threads are stopped. */
extern struct shared_texts {
	struct shared_text items[SHARED_TEXTS_MAX];
	uint32_t count;
} shared_texts;

/* Returns whether a text of the journal changes code of the module. */
int shared_text_has(const struct pc_range *image, const struct wire_text *text);

/* Returns the number of texts of the journal that change the module's code. */
uint64_t shared_text_count(const struct pc_range *image);

/* Returns whether a segment of the module is mapped from the hooked file. */
int shared_text_is_in(const struct shared_text *text);

/* Unmaps both files from where they are mapped ahead. */
void shared_text_forget(struct shared_text *text);

#endif
