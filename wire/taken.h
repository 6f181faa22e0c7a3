/* SPDX-License-Identifier: MIT */
/*
 * Calls that workers of `clew record` have counted while the process ran:
 * PID.SEQ.taken, beside PID.SEQ.trace with their packets. These packets have
 * been reused since, or may be.
 *
 *	struct wire_taken
 *	struct wire_taken_packet, packet_count of them, by offset
 *	struct wire_taken_count, count_count of them; several for a context
 *
 * The whole file is replaced by rename() before any of its packets may be
 * reused. Even if workers are killed, each call is either counted here or
 * its packet is still in the trace. A packet in both is recognized by its
 * sequence. A reader that copies both files while they are written must copy
 * the trace first: then packets that are in both copies are counted once, and
 * newer packets are missing in neither.
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
	uint32_t packet_bytes, count_bytes; /* size of each */
	uint64_t packet_count, count_count;
	uint64_t taken; /* packets counted in total */
	uint64_t calls; /* calls in these packets */
	/* Words in these packets that could not be decoded. */
	uint64_t bad_words;
	uint32_t workers;
	uint32_t reserved;
};
_Static_assert(sizeof(struct wire_taken) == 80, "on the wire");

/* The packet at this offset of the trace that was counted last. */
struct wire_taken_packet {
	uint64_t offset;   /* offset of its chunk */
	uint64_t sequence; /* this one and all earlier ones are counted */
};
_Static_assert(sizeof(struct wire_taken_packet) == 16, "on the wire");

struct wire_taken_count {
	uint64_t id;
	uint64_t calls; /* including tail calls */
	uint64_t tails;
	uint32_t tally;
	uint32_t function;
};
_Static_assert(sizeof(struct wire_taken_count) == 32, "on the wire");

#endif
