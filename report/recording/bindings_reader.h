/* SPDX-License-Identifier: MIT */
/* Native methods, and where their code was. */
#ifndef CLEW_RECORDING_BINDINGS_READER_H
#define CLEW_RECORDING_BINDINGS_READER_H

#include "report/recording/part_reader.h"

struct recorded_binding {
	uint64_t pc;
	uint64_t bound_ns;      /* CLOCK_REALTIME */
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

#endif
