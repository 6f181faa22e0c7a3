/* SPDX-License-Identifier: MIT */
/*
 * Threads that count the calls of traces while their processes run: of all processes whose
 * recording is in one folder, also those that begin later. Packets are taken in any order.
 */
#ifndef CLEW_LIVE_PACKET_WORKERS_H
#define CLEW_LIVE_PACKET_WORKERS_H

#include <stdint.h>

struct packet_workers;

/*
 * Returns 0, or -errno and *why. The threads block all signals. They ask
 * `may_take`, from any of them, whether `bytes` more of memory may be taken. If
 * not, they write what they have counted, free their tables, and let the threads
 * of all processes count their calls themselves.
 */
int packet_workers_start(struct packet_workers **workers, const char *folder,
			 unsigned int count, int (*may_take)(uint64_t bytes),
			 char **why);

/*
 * Counts the packets that are full, announces to all processes that no worker
 * counts any more, and ends the threads. Returns 0, or -errno and *why: some
 * counts could not be written to the folder, so their packets remain in the trace.
 */
int packet_workers_stop(struct packet_workers *workers, char **why);

#endif
