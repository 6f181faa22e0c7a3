/* SPDX-License-Identifier: MIT */
/*
 * A handmade trace (wire/packet.h) with the words that the runtime would write.
 */
#ifndef CLEW_TESTS_TRACE_FILE_H
#define CLEW_TESTS_TRACE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "wire/packet.h"

struct trace_file {
	uint8_t *bytes;
	size_t size, capacity;
	size_t packet; /* offset of the current chunk; 0 means none */
	size_t words;  /* number of words in the chunk */
};

#define TRACE_FILE_FUNCTIONS 8192

/*
 * Returns the slot of a call at a depth of at most 1,023; each frame has one.
 */
static inline uint32_t trace_file_place(uint32_t depth)
{
	return WIRE_PACKET_PLACES - 1 - depth;
}

/* Functions are numbered from `first` on, TRACE_FILE_FUNCTIONS of them. */
void trace_file_init(struct trace_file *file, uint32_t pid, uint32_t seq,
		     uint32_t first);
void trace_file_fini(struct trace_file *file);

/* Begins a packet. Later words belong to it. */
void trace_file_packet(struct trace_file *file, uint32_t tally);

struct trace_file_context {
	uint32_t tid;
	uint64_t sequence, tsc;
	uint64_t around_id; /* id of the context around the functions */
	enum wire_packet_cause cause;
	const uint32_t *functions; /* outermost first */
	uint32_t count;
};

void trace_file_context(struct trace_file *file,
			const struct trace_file_context *context);

/*
 * Adds a call at a depth; 1 is the depth of the context's outermost function.
 * `index` is the function's index in the trace's numbers.
 */
void trace_file_call(struct trace_file *file, uint32_t depth, uint32_t index);
void trace_file_tail(struct trace_file *file, uint32_t depth, uint32_t index);
void trace_file_stamp(struct trace_file *file, uint64_t tsc);
void trace_file_moment(struct trace_file *file, uint64_t tsc);
void trace_file_return(struct trace_file *file, uint32_t depth, uint64_t tsc);
void trace_file_word(struct trace_file *file, uint32_t word);

void trace_file_save(struct trace_file *file, const char *path);

#endif
