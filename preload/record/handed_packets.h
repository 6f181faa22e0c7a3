/* SPDX-License-Identifier: MIT */
/*
 * Packets that are handed over to workers in another process, `clew record`, which count
 * their calls and give them back (wire/taken.h), and how long a thread waits for that.
 *
 *	owned -> offered -> taken -> counted -> owned
 *			 -> owned: the thread counts them itself
 *
 * Nobody waits for what may never come: a thread that has waited for three seconds while
 * no packet of the process came back ends that for all of them, for good, and says so in
 * the file. Signals are blocked meanwhile, and no lock is held. Packets that workers
 * have taken by then stay as they are, for the reader to tell whether they were counted.
 */
#ifndef CLEW_RECORD_HANDED_PACKETS_H
#define CLEW_RECORD_HANDED_PACKETS_H

#include "preload/record/trace.h"

enum handed {
	HANDED_COUNTED, /* by a worker: *chunk is the thread's, to be used again */
	HANDED_BACK,    /* *chunk is the thread's, which has to count it */
	HANDED_NONE,    /* there is none */
};

/*
 * The thread leaves its newest packet: the one before is for workers. The tally's
 * owner, signals blocked.
 */
void handed_packets_give(struct trace_file *trace,
			 struct tally_packets *packets);

/* A packet for the thread, after waiting if that is asked for. Likewise. */
enum handed handed_packets_find(struct trace_file *trace,
				struct tally_packets *packets,
				struct wire_chunk **chunk);

#endif
