/* SPDX-License-Identifier: MIT */
/* Recorded processes, as `clew status` finds them. */
#ifndef CLEW_CLI_CMD_STATUS_H
#define CLEW_CLI_CMD_STATUS_H

#include <stdio.h>

#include "cli/target/live_process.h"
#include "report/merge/part_totals.h"

/* A process after the second reading. */
struct status {
	struct live_process process;
	uint64_t read_ns; /* Time of the latest reading (CLOCK_MONOTONIC). */
	struct part_totals totals;
	struct wire_header header; /* header of the part */
	uint64_t calls_per_s;
	uint64_t bytes; /* Size of the process's part. */
	int is_gone;
};

/*
 * Prints all processes as a table. `room` is the width of the terminal's lines,
 * or 0 for no limit.
 */
void status_print_table(FILE *out, const struct status *items, size_t count,
			unsigned int room);

/* Prints all processes in Prometheus' text format. */
void status_print_metrics(FILE *out, const struct status *items, size_t count);

#endif
