/* SPDX-License-Identifier: MIT */
/*
 * Records about functions that lie in no module's file, by number
 * (WIRE_NUMBER_RECORDS).
 *
 * Each function reads the record at *cursor, which starts as 0, of a chunk of
 * its kind, and advances the cursor. It returns 0 at the end of the chunk, at a
 * malformed record, and for chunks of other kinds. The data lie in the chunk.
 */
#ifndef CLEW_RECORDING_NAMES_READER_H
#define CLEW_RECORDING_NAMES_READER_H

#include "report/recording/part_reader.h"

struct recorded_name {
	uint32_t number;
	const char *text; /* not NUL-terminated */
	size_t text_bytes;
};

int names_next(const struct part_chunk *chunk, size_t *cursor,
	       struct recorded_name *out);

/* The texts of a Java method, each with a NUL; a missing one is "". */
struct recorded_texts {
	const char *class_name; /* the class as a type signature, "La/b/C;" */
	const char *name;
	const char *signature; /* a signature like "(ILjava/lang/String;)V" */
};

struct recorded_method {
	uint32_t number;
	uint32_t left; /* enum wire_java_left, or WIRE_JAVA_NAMED */
	struct recorded_texts texts;
};

int methods_next(const struct part_chunk *chunk, size_t *cursor,
		 struct recorded_method *out);

struct recorded_stack {
	uint32_t number;
	uint32_t count;          /* number of methods, at least one */
	const uint32_t *numbers; /* numbers of the methods, outermost first */
	/* indices of the calling bytecodes, or WIRE_BYTECODE_NONE */
	const uint16_t *bytecodes;
};

int stacks_next(const struct part_chunk *chunk, size_t *cursor,
		struct recorded_stack *out);

struct recorded_source {
	uint32_t number;
	const char *path;
	const struct wire_line *lines;
	size_t line_count;
};

int sources_next(const struct part_chunk *chunk, size_t *cursor,
		 struct recorded_source *out);

/*
 * Reads the next call site in generated code, like the functions above. Returns
 * the record, or NULL at the end.
 */
const struct wire_caller *callers_next(const struct part_chunk *chunk,
				       size_t *cursor);

/*
 * Splits the bytes after a record with texts. Returns how many bytes these
 * texts have, or -1 if they exceed the bytes or a NUL is missing.
 */
ptrdiff_t recorded_texts_of(const struct wire_method_texts *texts,
			    const char *bytes, size_t count,
			    struct recorded_texts *out);

#endif
