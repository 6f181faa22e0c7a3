/* SPDX-License-Identifier: MIT */
/*
 * What differs between C libraries. The functions find out by weak symbols
 * which C library this process has: glibc or musl. One build of a library that
 * uses them serves both, because musl's loader takes a dependency on libc.so.6
 * for itself and ignores symbol versions. libc/jump_buffer.h, in arch/, has the
 * layout of jmp_buf.
 */
#ifndef CLEW_LIBC_LIBC_H
#define CLEW_LIBC_LIBC_H

#include <link.h>

/* Returns whether the process has musl. Any thread may call it at any time. */
int libc_is_musl(void);

/* Returns the loader's data for debuggers, which contains its modules. */
const struct r_debug *libc_debug(void);

/*
 * Registers functions for all later calls of fork(): `before` and `in_parent`
 * run in the parent, `in_child` in the child. A function may be NULL. Returns 0
 * or an error number.
 */
int libc_watch_forks(void (*before)(void), void (*in_parent)(void),
		     void (*in_child)(void));

/*
 * Returns whether this process's version of the C library stores the modules
 * where libc_each_module() reads them.
 */
int libc_modules_are_readable(void);

typedef int (*libc_visit)(struct dl_phdr_info *info, size_t bytes,
			  void *context);

/*
 * Calls `visit` for each module of the program's namespace until it does not
 * return 0, and returns the last result, as `iterate`, libc's
 * dl_iterate_phdr(), does. The name of the program is "", and that of the vDSO
 * begins with "linux-".
 *
 * The loader's callback for debuggers may call this function. musl's
 * dl_iterate_phdr() would wait there for the lock of its own thread, and is not
 * called; musl unloads no modules, so the list can be read without the lock.
 */
int libc_each_module(int (*iterate)(libc_visit visit, void *context),
		     libc_visit visit, void *context);

#endif
