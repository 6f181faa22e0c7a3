/* SPDX-License-Identifier: MIT */
/*
 * The packets of one process: PID.SEQ.trace (wire/packet.h).
 *
 * Opening it looks at the beginning of each packet; what is in them is copied one
 * by one, when it is asked for, so that a trace may be larger than the memory. It
 * may still grow: what has come since it was opened is not seen, and of a packet
 * that has been used again meanwhile there is nothing.
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
	uint32_t cause; /* enum wire_packet_cause, of its first context */
};

struct trace {
	int fd;
	char *path;
	uint32_t pid, seq;
	struct packet_blocks blocks;
	uint32_t refused; /* functions without an index, which are not hooked */
	uint64_t dropped; /* packets that were used again */
	uint64_t dropped_at;           /* where that stands in the file */
	uint64_t taken_back, least_ns; /* calls that took less than that */
	uint32_t overflow;             /* enum wire_overflow */
	uint32_t given_up;             /* enum wire_given_up */
	uint32_t keeps;                /* WIRE_KEEPS_SITES, _VALUES */
	uint32_t values_lost;          /* hits of which it has no value */
	uint64_t waits, waited_ns;     /* of threads, for workers */
	struct trace_packet *packets;  /* by tally, then in their order */
	size_t count, capacity;
	int is_former; /* its packets are what this clew does not read */
	char *damage;  /* NULL, or what is wrong */
};

/* The trace beside a part; free() it. NULL if the part is called otherwise. */
char *trace_path(const char *part_path);

/*
 * Copies what is beside one part, if there is anything, to beside another, also while it is
 * written: its trace, and then what was counted of that (taken_reader.h). 0, or -errno and *why.
 */
int trace_keep(const char *from_part, const char *to_part, char **why);

/*
 * A copy was made of the trace that is open at `from`, while its process wrote: packets that
 * have been used again since are copied once more. They count as dropped, unless calls are
 * counted before that happens: what has these is copied later. 0 or -errno.
 */
int trace_settle(int from, const char *path);

/* 0, or -errno and *why; -ENOENT if there is none. */
int trace_open(struct trace *trace, const char *path, char **why);
void trace_close(struct trace *trace);

/*
 * Copies the words of a packet to words[PACKET_WORDS_MAX]; returns how many, 0 if
 * it is no longer there. Any number of threads may.
 */
size_t trace_read(const struct trace *trace, const struct trace_packet *packet,
		  uint32_t *words);

#endif
