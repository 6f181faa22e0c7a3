/* SPDX-License-Identifier: MIT */
/*
 * Calls that workers of `clew record` have counted while the process ran: PID.SEQ.taken,
 * beside PID.SEQ.trace, of whose packets they were. The packets have been used again
 * since, or may be.
 *
 *	struct wire_taken
 *	struct wire_taken_packet, so many, by offset
 *	struct wire_taken_count, so many; a context may have several
 *
 * The file is replaced as a whole, by renaming, before any of its packets may be used again.
 * So whatever becomes of the workers, a call is counted here, or its packet is still in
 * the trace; a packet that is both is told by its sequence. Who copies both while they are
 * written copies the trace first: what the copy has and the file has counted is counted once,
 * and what came in between is missing in none.
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
	uint32_t packet_bytes, count_bytes; /* of one of each */
	uint64_t packet_count, count_count;
	uint64_t taken;     /* packets that were counted, in all */
	uint64_t calls;     /* that were in them */
	uint64_t bad_words; /* in them, that could not be understood */
	uint32_t workers;
	uint32_t reserved;
};
_Static_assert(sizeof(struct wire_taken) == 80, "on the wire");

/* The packet at that place in the trace that was counted last. */
struct wire_taken_packet {
	uint64_t offset; /* of its chunk */
	uint64_t
		sequence; /* those with this one or an earlier one are counted */
};
_Static_assert(sizeof(struct wire_taken_packet) == 16, "on the wire");

struct wire_taken_count {
	uint64_t id;
	uint64_t calls; /* tail calls, too */
	uint64_t tails;
	uint32_t tally;
	uint32_t function;
};
_Static_assert(sizeof(struct wire_taken_count) == 32, "on the wire");

#endif
