/* SPDX-License-Identifier: MIT */
/*
 * gperftools' heap leak checker, which runs when a program ends.
 *
 * The checker searches all memory that /proc/self/maps shows as writable for
 * pointers, even if it is not readable. The checker would read the terabytes of
 * a reserved shadow, whose page tables alone would take gigabytes.
 */
#ifndef CLEW_HOST_LEAK_CHECKER_H
#define CLEW_HOST_LEAK_CHECKER_H

/*
 * Returns whether the program's initial environment requests the checker. The
 * checker may be linked into a program without symbols, so its functions are
 * not searched.
 */
int leak_checker_is_requested(void);

#endif
