/* SPDX-License-Identifier: MIT */
/*
 * Counts of the pushes of a running `clew attach`, which `clew status
 * --metrics` reads. A file in memory, which only the command has open, contains
 * the counts. Readers find this file in /proc/PID/fd, and it vanishes with the
 * command.
 */
#ifndef CLEW_CLI_PUSH_PUSH_COUNTS_H
#define CLEW_CLI_PUSH_PUSH_COUNTS_H

#include <stdint.h>
#include <sys/types.h>

struct push_counts {
	char magic[8];      /* always PUSH_COUNTS_MAGIC */
	uint64_t snapshots; /* number of snapshots that were written */
	/* number of snapshots that could not be written */
	uint64_t failed_snapshots;
	uint64_t pushed;      /* number of intervals that a store accepted */
	uint64_t lost;        /* number of intervals that no store accepted */
	uint64_t pushed_at_s; /* CLOCK_REALTIME of the last success, or 0 */
};
_Static_assert(sizeof(struct push_counts) == 48, "for other processes");

#define PUSH_COUNTS_MAGIC "clewpsh1"

/*
 * Creates the file. Returns a mapping of it, or NULL. The command never unmaps
 * it.
 */
struct push_counts *push_counts_create(void);

/*
 * Reads the counts of another process. Returns 0, or -ENOENT if it has no
 * counts or they cannot be read.
 */
int push_counts_read(pid_t pid, struct push_counts *counts);

#endif
