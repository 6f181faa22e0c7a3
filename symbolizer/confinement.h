/* SPDX-License-Identifier: MIT */
/*
 * A worker reads bytes that others wrote, perhaps as root. After this call it can read
 * files, use memory, and write to what is open already; it cannot execute, connect,
 * send signals to other processes, trace them, or open anything for writing. A fault in
 * a reader is then worth no more than a wrong answer.
 *
 * Below the folders of `writable`, which end with NULL, files may be made, written,
 * renamed and removed; if it is NULL, nowhere. Where the kernel has no Landlock (before
 * 5.13), a worker with such folders may write everywhere.
 */
#ifndef CLEW_SYMBOLIZER_CONFINEMENT_H
#define CLEW_SYMBOLIZER_CONFINEMENT_H

/* For good, of the calling process. 0 or -errno; then it may do what it could before. */
int confinement_enter(const char *const *writable);

/*
 * The same with fewer calls: the process can use memory and pread() from descriptors that
 * it has. It can neither write to them nor open any.
 */
int confinement_enter_closed(void);

#endif
