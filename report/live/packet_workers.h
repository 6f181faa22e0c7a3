/* SPDX-License-Identifier: MIT */
/*
 * Threads that count the calls of traces while their processes run: of all processes whose
 * recording is in one folder, also those that begin later. Packets are taken in any order.
 */
#ifndef CLEW_LIVE_PACKET_WORKERS_H
#define CLEW_LIVE_PACKET_WORKERS_H

struct packet_workers;

/* 0, or -errno and *why. They block all signals. */
int packet_workers_start(struct packet_workers **workers, const char *folder,
			 unsigned int count, char **why);

/*
 * Counts what is full by now, tells all processes that nobody does any more, and ends
 * them. 0, or -errno and *why: something could not be kept in the folder, so its packets
 * were left in the trace.
 */
int packet_workers_stop(struct packet_workers *workers, char **why);

#endif
