/* SPDX-License-Identifier: MIT */
/*
 * The packets of one process: PID.SEQ.trace (wire/packet.h).
 *
 * Opening a trace reads only the beginning of each packet. The words of a
 * packet are read when they are needed, so a trace may be larger than memory.
 * The process may still write the trace: packets that it adds later are not
 * read, and a packet that it has reused since is read as empty.
 *
 * A recording may have thousands of traces. trace_let_go() therefore closes the
 * file of a trace and keeps the list of its packets; trace_reopen() opens the
 * file again.
 */
#ifndef CLEW_RECORDING_TRACE_READER_H
#define CLEW_RECORDING_TRACE_READER_H

#include <stddef.h>
#include <stdint.h>

#include "report/recording/packet_reader.h"

struct trace_packet {
	uint64_t offset; /* offset of the packet's chunk in the file */
	uint64_t sequence, tsc;
	uint64_t id;    /* id of its first context */
	uint32_t tally; /* number of the packet's tally */
	uint32_t tid;
	/*
	 * An enum wire_packet_cause: why the packet's first context was
	 * written.
	 */
	uint32_t cause;
};

struct trace {
	int fd; /* -1 after trace_let_go() */
	char *path;
	uint32_t pid, seq;
	struct packet_blocks *blocks; /* NULL after trace_let_go() */
	/* offset of their chunk's payload in the file, and its size */
	uint64_t blocks_at, blocks_bytes;
	/*
	 * Number of functions that were not hooked because they got no index.
	 */
	uint32_t refused;
	uint64_t dropped;    /* number of packets that were overwritten */
	uint64_t dropped_at; /* offset of the counter `dropped` in the file */
	/*
	 * Number of calls that were removed because they took less than
	 * least_ns.
	 */
	uint64_t taken_back, least_ns;
	uint32_t overflow; /* enum wire_overflow */
	uint32_t given_up; /* enum wire_given_up */
	/*
	 * Which additional data the trace contains: the bits WIRE_KEEPS_SITES
	 * and WIRE_KEEPS_VALUES.
	 */
	uint32_t keeps;
	/* number of probe hits whose values are missing */
	uint32_t values_lost;
	/*
	 * How often, and for how long in total, the program's threads have
	 * waited for a worker to count a packet, including waits that they gave
	 * up.
	 */
	uint64_t waits, waited_ns;
	struct trace_packet *packets; /* sorted by tally, then by sequence */
	size_t count, capacity;
	char *damage; /* NULL, or an error text */
};

/*
 * Returns the path of the trace that belongs to a part, which the caller frees;
 * NULL if the part's name does not end with WIRE_PART_SUFFIX.
 */
char *trace_path(const char *part_path);

/*
 * Copies the trace of the part from_part, if there is one, and then its file of
 * counted calls (taken_reader.h), to the names that belong to the part to_part.
 * The process may still write both. Returns 0, or -errno and *why.
 */
int trace_keep(const char *from_part, const char *to_part, char **why);

/*
 * Repairs a copy of a trace, at `path`, if the process has written to the
 * original meanwhile; `from` is a descriptor of the original. Packets that were
 * reused during copying are copied again, and words that were copied while they
 * were written are completed. If the trace overwrites packets
 * without counting their calls, the packets are added to the copy's number of
 * dropped ones; otherwise the file of counted calls, which is copied later,
 * contains their calls. Returns 0, also if the trace is damaged, or -errno.
 */
int trace_settle(int from, const char *path);

/*
 * Opens a trace. Returns 0, and the caller calls trace_close(); or -errno and
 * *why; -ENOENT if there is no trace.
 */
int trace_open(struct trace *trace, const char *path, char **why);
void trace_close(struct trace *trace);

/* Closes the file and frees the blocks. Packets and counts stay valid. */
void trace_let_go(struct trace *trace);

/*
 * Opens the file again and reads the blocks. Returns a descriptor that the
 * caller closes, or -errno.
 */
int trace_reopen(const struct trace *trace, struct packet_blocks *blocks);

/*
 * Copies the words of a packet to words[PACKET_WORDS_MAX]. `fd` is trace->fd or
 * the result of trace_reopen(). Returns the number of words; 0 if the packet
 * was reused since the trace was opened. Several threads may call this at the
 * same time.
 */
size_t trace_read(const struct trace *trace, int fd,
		  const struct trace_packet *packet, uint32_t *words);

#endif
