/* SPDX-License-Identifier: MIT */
/*
 * Files with hooked text that are mapped over modules (prelinked_text.h,
 * shared_text.h).
 *
 * /proc/self/maps names such a file instead of the module's own. A program that
 * maps its own code a second time may therefore open this file. The jumps in it
 * reach their stubs from one address only. Therefore clew's wrapper of mmap()
 * maps the module's own file instead, and that of dlopen() loads it.
 */
#ifndef CLEW_PATCH_HOOKED_FILES_H
#define CLEW_PATCH_HOOKED_FILES_H

#include "preload/modules/modules.h"
#include "preload/patch/pristine.h"

/*
 * Adds the file that is open at `fd`, a copy of the module's file `own`, unless
 * the list has it. Returns 0, or -errno, for example -ENOSPC if the list is
 * full. Files are never removed, because a program may still have a descriptor.
 * One thread at a time: the holder of the turn.
 */
int hooked_files_add(int fd, const struct pristine_file *own,
		     const struct module *module);

/*
 * Opens the module's own file if `fd` is open for reading at such a file.
 * Returns a descriptor, which the caller closes; -ENODATA if `fd` is anything
 * else; another -errno if the module's file no longer exists or cannot be
 * opened. Safe in signal handlers and in a child of vfork().
 */
int hooked_files_open_own(int fd);

/*
 * Returns the path of the module if `path` names such a file, else `path`,
 * which may be NULL. For dlopen().
 */
const char *hooked_files_path(const char *path);

#endif
