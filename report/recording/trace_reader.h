/* SPDX-License-Identifier: MIT */
/*
 * The packets of one process: PID.SEQ.trace (wire/packet.h).
 *
 * Opening a trace reads only the beginning of each packet. The calls of a
 * packet are read on request, so a trace may be larger than memory. The process
 * may still write the trace: later packets are not seen, and a packet that was
 * reused meanwhile reads as empty.
 */
#ifndef CLEW_RECORDING_TRACE_READER_H
#define CLEW_RECORDING_TRACE_READER_H

#include <stddef.h>
#include <stdint.h>

#include "report/recording/packet_reader.h"

struct trace_packet {
	uint64_t offset; /* of its chunk, in the file */
	uint64_t sequence, tsc;
	uint64_t id;    /* of its first context */
	uint32_t tally; /* as in the part */
	uint32_t tid;
	uint32_t cause; /* enum wire_packet_cause of its first context */
};

struct trace {
	int fd;
	char *path;
	uint32_t pid, seq;
	struct packet_blocks blocks;
	uint32_t refused; /* functions without an index; they are not hooked */
	uint64_t dropped; /* packets that were overwritten */
	uint64_t dropped_at; /* offset of that counter in the file */
	/* calls shorter than least_ns, which were removed */
	uint64_t taken_back, least_ns;
	uint32_t overflow;            /* enum wire_overflow */
	uint32_t given_up;            /* enum wire_given_up */
	uint32_t keeps;               /* contents: WIRE_KEEPS_SITES, _VALUES */
	uint32_t values_lost;         /* probe hits whose values are missing */
	uint64_t waits, waited_ns;    /* waits of threads for workers */
	struct trace_packet *packets; /* by tally, then by sequence */
	size_t count, capacity;
	int is_former; /* in a former format that is not readable */
	char *damage;  /* NULL, or an error text */
};

/*
 * Returns the path of the trace next to a part, which the caller frees. NULL if
 * the part's name has another suffix.
 */
char *trace_path(const char *part_path);

/*
 * Copies the trace of one part, if it exists, and then its counted calls
 * (taken_reader.h) next to another part. The process may still write them.
 * Returns 0, or -errno and *why.
 */
int trace_keep(const char *from_part, const char *to_part, char **why);

/*
 * Repairs a copy at `path` of the trace that is open at `from`, if the process
 * wrote while it was copied: packets that were reused meanwhile are copied
 * again. These packets count as dropped only if the trace overwrites uncounted
 * packets; otherwise the file of counted calls, which is copied later, contains
 * their calls. Returns 0 or -errno.
 */
int trace_settle(int from, const char *path);

/* Returns 0, or -errno and *why; -ENOENT if there is no trace. */
int trace_open(struct trace *trace, const char *path, char **why);
void trace_close(struct trace *trace);

/*
 * Copies the words of a packet to words[PACKET_WORDS_MAX]. Returns their
 * number; 0 if the packet was reused. Safe for concurrent calls.
 */
size_t trace_read(const struct trace *trace, const struct trace_packet *packet,
		  uint32_t *words);

#endif
