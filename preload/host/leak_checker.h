/* SPDX-License-Identifier: MIT */
/*
 * gperftools' heap leak checker, which runs when a program ends.
 *
 * The checker searches all memory that /proc/self/maps shows as writable for
 * pointers, also memory that is not readable there. Of a reserved shadow it would
 * read terabytes, and the page tables of these alone would take gigabytes.
 */
#ifndef CLEW_HOST_LEAK_CHECKER_H
#define CLEW_HOST_LEAK_CHECKER_H

/*
 * Returns whether the environment that the program was started with requests the
 * checker. The checker may be linked into a program without symbols, so this
 * function does not look for it.
 */
int leak_checker_is_requested(void);

#endif
