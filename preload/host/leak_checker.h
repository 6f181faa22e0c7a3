/* SPDX-License-Identifier: MIT */
/*
 * gperftools' heap leak checker, which runs when a program ends.
 *
 * It reads all memory that /proc/self/maps shows as writable, whether it is
 * readable there or not, and looks for pointers in it. It would read the
 * terabytes of a reserved shadow, and its page tables alone would take gigabytes.
 */
#ifndef CLEW_HOST_LEAK_CHECKER_H
#define CLEW_HOST_LEAK_CHECKER_H

/*
 * Whether it is requested by the environment that the program was started with.
 * That it is there is not checked: it may be linked into a program without symbols.
 */
int leak_checker_is_requested(void);

#endif
