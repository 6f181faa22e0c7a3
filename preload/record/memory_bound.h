/* SPDX-License-Identifier: MIT */
/*
 * Bounds the memory that clew takes in this process, so that the kernel does
 * not kill it because of clew, for the limit of a control group or for lack of
 * memory.
 *
 * Code whose memory grows with the program's activity (tables, contexts,
 * samples, stubs of modules) calls these functions before it takes more. The
 * decision depends on the limits and the present use of the process's control
 * groups (cgroup/memory_room.h). memory_room_reserve() bytes stay free for the
 * program. Tables, contexts and samples take at most an eighth of the limit,
 * unless the user has set another limit. The present use includes that of other
 * processes in the group.
 *
 * Reading the files of control groups takes about 0.1 ms. Therefore each check
 * grants more than was requested: a 16th of the remaining memory, at most 16
 * MiB. A process begins with 256 KiB. If the files are no longer readable
 * (chroot()), an eighth of the last known limit stays the bound.
 */
#ifndef CLEW_RECORD_MEMORY_BOUND_H
#define CLEW_RECORD_MEMORY_BOUND_H

#include <stdint.h>

/*
 * Resets the state in a new process, except the last known limit: a forked
 * child begins in its parent's control groups. Called before other threads
 * exist.
 */
void memory_bound_begin(void);

/*
 * Stores whether the user has set a limit. If so, the limit of an eighth does
 * not apply.
 */
void memory_bound_choose(int is_chosen);

/*
 * Takes bytes for tables, contexts and samples. Returns 0, or -EXFULL if the
 * program might then lack memory. Any thread and any signal handler may call
 * this function.
 */
int memory_bound_take(uint64_t bytes);

/* Gives back bytes that memory_bound_take() has granted. */
void memory_bound_give(uint64_t bytes);

/*
 * Returns whether this many bytes may be taken for something that the user has
 * requested explicitly. Any thread may call this function.
 */
int memory_bound_allows(uint64_t bytes);

#endif
