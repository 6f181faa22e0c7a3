/* SPDX-License-Identifier: MIT */
/*
 * How much memory clew takes in this process, where a control group's limit or
 * the machine's memory would have the kernel kill it.
 *
 * Whatever grows with what the program does (tables, contexts, samples, stubs of
 * modules) asks here before it grows. The answer comes from the control groups
 * (cgroup/memory_room.h): a program is left memory_room_reserve(), so that it can
 * grow as well, and tables, contexts and samples take no more than an eighth of
 * the limit, unless the user has said how much they may take. Several processes
 * of a group see each other's use.
 *
 * Reading these files takes about 0.1 ms, so each answer allows some more to be
 * taken without a look: a 16th of what is left. A process begins with 256 KiB.
 * Where nothing can be read any more (chroot()), the last answer holds.
 */
#ifndef CLEW_RECORD_MEMORY_BOUND_H
#define CLEW_RECORD_MEMORY_BOUND_H

#include <stdint.h>

/* Another process's limit may be another; nothing is taken. Before other threads. */
void memory_bound_begin(void);

/* Whether the user has said how much may be taken: then the eighth does not hold. */
void memory_bound_choose(int is_chosen);

/*
 * So many bytes of tables, contexts and samples: 0, or -EXFULL where the program
 * might lack them. Any thread, signal handlers included.
 */
int memory_bound_take(uint64_t bytes);

/* They are given back. */
void memory_bound_give(uint64_t bytes);

/* Whether so many bytes may be taken for what the user has asked for. Any thread. */
int memory_bound_allows(uint64_t bytes);

#endif
