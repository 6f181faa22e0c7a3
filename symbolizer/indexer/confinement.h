/* SPDX-License-Identifier: MIT */
/*
 * Confinement of workers: processes that read untrusted bytes, perhaps as root.
 * After confinement_enter() a worker can read files, use memory, and write to
 * open descriptors. The worker cannot execute programs, connect, send signals
 * to other processes, trace them, or open files for writing. A defect of a
 * reader can then cause only wrong answers.
 *
 * `writable` is a list of folders that ends with NULL. Below those of them that
 * can be opened, the worker may create, write, rename and remove files. NULL
 * means that there is no such folder. On kernels without Landlock (before
 * 5.13), a worker with such folders may write everywhere.
 */
#ifndef CLEW_SYMBOLIZER_INDEXER_CONFINEMENT_H
#define CLEW_SYMBOLIZER_INDEXER_CONFINEMENT_H

/*
 * Confines the calling process permanently. Returns 0, or -errno without any
 * effect.
 */
int confinement_enter(const char *const *writable);

/*
 * Allows fewer system calls: the process can use memory and pread() from its
 * descriptors. The process can neither write to them nor open files.
 */
int confinement_enter_closed(void);

#endif
