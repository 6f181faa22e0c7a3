/* SPDX-License-Identifier: MIT */
/*
 * Whether a module's memory, but for its variables, is what its file has, without
 * reading either.
 *
 * Of which file memory is the kernel tells (preload/sys/mappings.h), and of each page whether it
 * is the file's, or one that this process has written to (/proc/self/pagemap): for
 * text relocations, for a debugger's or the kernel's breakpoints, or for hooks. Whether
 * the file is the same as another time its inode tells, and its times: whoever wrote
 * to it has changed these.
 */
#ifndef CLEW_PATCH_PRISTINE_H
#define CLEW_PATCH_PRISTINE_H

#include <stdint.h>

#include "preload/modules/modules.h"
#include "preload/sys/mappings.h"

/* A module's file. No padding: it is hashed, and kept in files. */
struct pristine_file {
	uint64_t mapped_device,
		mapped_inode;   /* as struct mapped_range has it */
	uint64_t device, inode; /* as stat() has it */
	uint64_t bytes;
	int64_t changed_s, changed_ns;       /* its contents */
	int64_t attributed_s, attributed_ns; /* or anything of it */
};

/* What is mapped. Zero it. */
struct pristine {
	struct mapped_range *mappings; /* NULL: the kernel is queried */
	uint32_t count, room;
	int maps, pagemap; /* file descriptors */
	int is_open;
};

/*
 * Opens what the functions below need, which take modules that lie below `end`. 0 or
 * -errno. What is mapped of modules that have been loaded must stay as it is. Before
 * Linux 6.11 all mappings below `end` are read, into `arena`.
 */
int pristine_open(struct pristine *pristine, uint64_t end, struct arena *arena);

/* Reads all mappings below `end`, which are then used. 0 or -errno. */
int pristine_read(struct pristine *pristine, uint64_t end, struct arena *arena);

void pristine_close(struct pristine *pristine);

/* The segments that are looked at: loaded, not writable. */
int pristine_is_seen(const ElfW(Phdr) * segment);

/*
 * Which file that is. 0; -ESTALE if memory is not of this file, or code has been changed;
 * -EAGAIN if the file has changed just now, so that its times do not tell; or another
 * -errno.
 */
int pristine_find(const struct pristine *pristine, const struct module *module,
		  struct pristine_file *file);

/*
 * The pages that have been written to, in order: how many, or -E2BIG if there are more
 * than `room`.
 */
int pristine_written(const struct pristine *pristine,
		     const struct module *module, uint64_t *pages, int room);

/* Whether no page of a range has been written to. pristine->pagemap is open. */
int pristine_is_unwritten(const struct pristine *pristine,
			  const struct pc_range *range);

/* Whether that is the file that is open. */
int pristine_is_open_at(const struct pristine_file *file, int fd);

/* Whether they say the same. */
int pristine_is_same(const struct pristine_file *a,
		     const struct pristine_file *b);

#endif
