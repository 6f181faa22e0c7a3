/* SPDX-License-Identifier: MIT */
/*
 * Packets that a thread hands to workers in another process, `clew record`. The
 * workers count the calls and give the packets back (wire/taken.h).
 *
 *	owned -> offered -> taken -> counted -> owned
 *			 -> owned: the thread counts the calls itself
 *
 * Waiting is bounded: if a thread has waited for three seconds and no packet of
 * the process was freed, it ends waiting for all threads for good, and records
 * that in the file. Signals are blocked meanwhile, and no lock is held. Packets
 * that workers have taken by then are left to them; the reader finds out
 * whether they were counted.
 */
#ifndef CLEW_RECORD_HANDED_PACKETS_H
#define CLEW_RECORD_HANDED_PACKETS_H

#include "preload/record/trace.h"

enum handed {
	/* a worker has counted *chunk, which the thread now owns */
	HANDED_COUNTED,
	/* The thread owns *chunk and has to count its calls. */
	HANDED_BACK,
	HANDED_NONE, /* there was no packet */
};

/*
 * Called when the thread's newest packet is full. Offers the packet before that
 * one to workers. Called by the tally's owner with signals blocked.
 */
void handed_packets_give(struct trace_file *trace,
			 struct tally_packets *packets);

/*
 * Finds a packet for the thread, after waiting if the options request it.
 * Called by the tally's owner with signals blocked.
 */
enum handed handed_packets_find(struct trace_file *trace,
				struct tally_packets *packets,
				struct wire_chunk **chunk);

#endif
