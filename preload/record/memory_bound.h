/* SPDX-License-Identifier: MIT */
/*
 * Bounds the memory that clew takes in this process, so that the kernel does
 * not kill it for the limit of a control group or for lack of memory.
 *
 * Code that grows with the program's activity (tables, contexts, samples, stubs
 * of modules) asks here before it grows. The answer is derived from the control
 * groups (cgroup/memory_room.h). memory_room_reserve() stays free for the
 * program, and tables, contexts and samples take at most an eighth of the
 * limit, unless the user has set another limit. Several processes of a group
 * see each other's use.
 *
 * Reading the files of control groups takes about 0.1 ms. Therefore each answer
 * allows further growth without a check: a 16th of the remaining memory. A
 * process begins with 256 KiB. If the files are no longer readable (chroot()),
 * the last answer stays valid.
 */
#ifndef CLEW_RECORD_MEMORY_BOUND_H
#define CLEW_RECORD_MEMORY_BOUND_H

#include <stdint.h>

/*
 * Resets the state in a new process, whose limit may differ. Called before
 * other threads exist.
 */
void memory_bound_begin(void);

/* Sets whether the user has set a limit: then the eighth does not apply. */
void memory_bound_choose(int is_chosen);

/*
 * Takes bytes for tables, contexts and samples. Returns 0, or -EXFULL if the
 * program might lack them. Any thread and signal handler.
 */
int memory_bound_take(uint64_t bytes);

/* Gives back bytes that memory_bound_take() has granted. */
void memory_bound_give(uint64_t bytes);

/*
 * Returns whether so many bytes may be taken for something the user has
 * requested. Any thread.
 */
int memory_bound_allows(uint64_t bytes);

#endif
