/* SPDX-License-Identifier: MIT */
/*
 * Checks whether a module's memory, except its variables, equals its file,
 * without reading either.
 *
 * The kernel reports which file is mapped (preload/sys/mappings.h), and for
 * each page whether it still is the file's or is a private copy that this
 * process has written to (/proc/self/pagemap): by text relocations, by a
 * debugger's or the kernel's breakpoints, or by hooks. The file's inode and
 * times show whether the file is unchanged since an earlier run.
 */
#ifndef CLEW_PATCH_PRISTINE_H
#define CLEW_PATCH_PRISTINE_H

#include <stdint.h>

#include "preload/modules/modules.h"
#include "preload/sys/mappings.h"

/*
 * A module's file. The struct has no padding, because it is hashed and stored
 * in files.
 */
struct pristine_file {
	/* device and inode as in struct mapped_range */
	uint64_t mapped_device, mapped_inode;
	uint64_t device, inode; /* those that stat() reports */
	uint64_t bytes;
	/* st_mtim: time of the last change of the contents */
	int64_t changed_s, changed_ns;
	/* st_ctim: time of the last change of anything */
	int64_t attributed_s, attributed_ns;
};

/* Data about mappings. Zero it before use. */
struct pristine {
	/* the process's mappings; if NULL, the kernel is queried */
	struct mapped_range *mappings;
	uint32_t count, room;
	int maps, pagemap; /* descriptors of files in /proc/self */
	int is_open;
};

/*
 * Opens the files in /proc that report the mappings and pages of the process.
 * The result describes modules at addresses below `end`. The mappings of loaded
 * modules must not change until pristine_close(). Before Linux 6.11, reads all
 * mappings below `end` into `arena`. Returns 0 or -errno.
 */
int pristine_open(struct pristine *pristine, uint64_t end, struct arena *arena);

/*
 * Reads all mappings below `end` into `arena`, so that the kernel need not be
 * queried for each module. Returns 0 or -errno.
 */
int pristine_read(struct pristine *pristine, uint64_t end, struct arena *arena);

void pristine_close(struct pristine *pristine);

/* Returns whether a segment is inspected: loaded and not writable. */
int pristine_is_seen(const ElfW(Phdr) * segment);

/*
 * Finds the module's file. Returns 0; -ESTALE if the memory is not mapped from
 * this file, or code was changed; -EAGAIN if the file was changed so recently
 * that its times do not prove that it is unchanged; or another -errno.
 */
int pristine_find(const struct pristine *pristine, const struct module *module,
		  struct pristine_file *file);

/*
 * Lists the pages that were written to, in order. Returns their number, -E2BIG
 * if there are more than `room`, or another -errno.
 */
int pristine_written(const struct pristine *pristine,
		     const struct module *module, uint64_t *pages, int room);

/*
 * Returns whether no page of a range was written to. pristine->pagemap must be
 * open.
 */
int pristine_is_unwritten(const struct pristine *pristine,
			  const struct pc_range *range);

/* Returns whether fd refers to that file in that state. */
int pristine_is_open_at(const struct pristine_file *file, int fd);

/* Returns whether both describe the same state of the same file. */
int pristine_is_same(const struct pristine_file *a,
		     const struct pristine_file *b);

#endif
