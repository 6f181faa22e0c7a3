/* SPDX-License-Identifier: MIT */
/*
 * What language runtimes told clew while they ran: where Java's native methods have
 * their code (WIRE_BINDINGS), and what code was generated (WIRE_CODES).
 */
#ifndef CLEW_RECORDING_BINDINGS_READER_H
#define CLEW_RECORDING_BINDINGS_READER_H

#include "report/recording/part_reader.h"

struct recorded_binding {
	uint64_t pc;
	uint64_t bound_ns; /* CLOCK_REALTIME */
	uint32_t number;   /* that it counts as; 0: as its code does */
	int is_intrinsic;  /* the machine may have code of its own for it */
	const char *class_name; /* as its signature has it: "La/b/C;" */
	const char *name;
	const char *signature; /* "(ILjava/lang/String;)V" */
};

/*
 * The binding at *cursor, 0 at first, of a WIRE_BINDINGS chunk; 0: no more. Its texts
 * are the chunk's, and terminated; "" where one is missing.
 */
int bindings_next(const struct part_chunk *chunk, size_t *cursor,
		  struct recorded_binding *out);

struct recorded_code {
	uint64_t start;
	uint64_t tsc;
	uint64_t code_bytes;
	uint32_t object;
	enum wire_code_kind kind;
	/* WIRE_CODE_JAVA: as above; WIRE_CODE_OTHER: `name` alone. */
	const char *class_name;
	const char *name;
	const char *signature;
};

/* Likewise, of a WIRE_CODES chunk. */
int codes_next(const struct part_chunk *chunk, size_t *cursor,
	       struct recorded_code *out);

#endif
