/* SPDX-License-Identifier: MIT */
/*
 * Calls that workers of `clew record` have counted while the process ran, in
 * the file PID.SEQ.taken. The packets of these calls are or were in
 * PID.SEQ.trace; the process may have reused them since. The file contains:
 *
 *	struct wire_taken
 *	struct wire_taken_packet, packet_count elements, by offset
 *	struct wire_taken_count, count_count elements; several for a context
 *
 * Workers replace the whole file by rename(), and only then let the process
 * reuse the packets whose calls the new file contains. Even if workers are
 * killed, each call that they took is counted in this file, or its packet is
 * still in the trace, or both. A packet whose calls are in both is recognized
 * by its sequence. A reader that copies both files while they change must copy
 * the trace first: then no packet is missing in both copies.
 */
#ifndef CLEW_WIRE_TAKEN_H
#define CLEW_WIRE_TAKEN_H

#include <stdint.h>

#define WIRE_TAKEN_SUFFIX  ".taken"
#define WIRE_TAKEN_MAGIC   "clewtkn\n"
#define WIRE_TAKEN_VERSION 1

struct wire_taken {
	uint8_t magic[8];
	uint32_t version;
	uint32_t header_bytes;
	uint32_t pid, seq;
	/*
	 * Size of one struct wire_taken_packet and one struct wire_taken_count.
	 */
	uint32_t packet_bytes, count_bytes;
	uint64_t packet_count, count_count;
	uint64_t taken; /* total number of packets whose calls were counted */
	uint64_t calls; /* number of calls in these packets */
	/* Words in these packets that could not be decoded. */
	uint64_t bad_words;
	uint32_t workers;
	uint32_t reserved;
};
_Static_assert(sizeof(struct wire_taken) == 80, "on the wire");

/* The last packet that was counted among those at one offset of the trace. */
struct wire_taken_packet {
	uint64_t offset; /* offset of its chunk */
	/*
	 * The packet's sequence number. The calls of this packet and of all
	 * earlier ones at the offset are counted.
	 */
	uint64_t sequence;
};
_Static_assert(sizeof(struct wire_taken_packet) == 16, "on the wire");

struct wire_taken_count {
	uint64_t id;
	uint64_t calls; /* number of calls, tail calls included */
	uint64_t tails;
	uint32_t tally;
	uint32_t function;
};
_Static_assert(sizeof(struct wire_taken_count) == 32, "on the wire");

#endif
