/* SPDX-License-Identifier: MIT */
/*
 * Reads what language runtimes have reported: the code of Java's native methods
 * (WIRE_BINDINGS), and generated code (WIRE_CODES).
 */
#ifndef CLEW_RECORDING_BINDINGS_READER_H
#define CLEW_RECORDING_BINDINGS_READER_H

#include "report/recording/names_reader.h"

struct recorded_binding {
	uint64_t pc;
	uint64_t bound_ns; /* CLOCK_REALTIME */
	/*
	 * Function number under which the method's calls count; 0 stands for
	 * that of the code at `pc`.
	 */
	uint32_t number;
	/* The JVM may execute its own code instead of a call. */
	int is_intrinsic;
	struct recorded_texts method;
};

/*
 * Reads the binding at *cursor, which starts as 0, of a WIRE_BINDINGS chunk and
 * advances the cursor. Returns 0 at the end and at a malformed record. The
 * texts lie in the chunk.
 */
int bindings_next(const struct part_chunk *chunk, size_t *cursor,
		  struct recorded_binding *out);

struct recorded_code {
	uint64_t start;
	uint64_t tsc;
	uint64_t code_bytes;
	uint32_t object;
	enum wire_code_kind kind;
	/* only `name` is set, unless the kind is WIRE_CODE_JAVA */
	struct recorded_texts texts;
};

/* Reads a record of a WIRE_CODES chunk, like bindings_next(). */
int codes_next(const struct part_chunk *chunk, size_t *cursor,
	       struct recorded_code *out);

#endif
