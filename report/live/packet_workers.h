/* SPDX-License-Identifier: MIT */
/*
 * Threads that count the calls of traces while their processes run: all
 * processes that are recorded into one folder, including later ones. Packets
 * are taken in any order.
 */
#ifndef CLEW_LIVE_PACKET_WORKERS_H
#define CLEW_LIVE_PACKET_WORKERS_H

#include <stdint.h>

struct packet_workers;

/*
 * Starts `count` threads. Returns 0, or -errno and *why. The threads block all
 * signals. Any of them calls `may_take` before they allocate `bytes` more. If
 * it returns 0, they write their counts, free their tables, and let the threads
 * of all processes count their calls themselves.
 */
int packet_workers_start(struct packet_workers **workers, const char *folder,
			 unsigned int count, int (*may_take)(uint64_t bytes),
			 char **why);

/*
 * Counts the remaining full packets, announces to all processes that no worker
 * counts any more, and ends the threads. Returns 0, or -errno and *why if some
 * counts could not be written to the folder; their packets then remain in the
 * trace.
 */
int packet_workers_stop(struct packet_workers *workers, char **why);

#endif
