/* SPDX-License-Identifier: MIT */
/* Records of recordings that `clew import` has written (wire/imported.h). */
#ifndef CLEW_RECORDING_IMPORTED_READER_H
#define CLEW_RECORDING_IMPORTED_READER_H

#include "report/recording/recording_reader.h"

/* Returns whether all parts of the recording were imported. */
int recording_is_imported(const struct recording *recording);

struct recorded_import {
	enum wire_import_format format;
	uint32_t flags;   /* enum wire_import_flags */
	const char *file; /* the file's name in the chunk, not NUL-terminated */
	size_t file_bytes;
};

/* Finds the record of a part. Returns 0 if the part has no valid one. */
int import_of(const struct part_copy *part, struct recorded_import *out);

/* Returns the name of the format, such as "perf script". */
const char *import_format_text(enum wire_import_format format);

/* Returns what the numbers are, such as "the numbers are samples; ...". */
const char *import_meaning(uint32_t flags);

/*
 * Returns the origin and the meaning of the part's numbers, "imported from perf
 * script (perf.txt): the numbers are samples; ..."; the caller frees it. NULL:
 * the part has no valid record.
 */
char *import_text(const struct part_copy *part);

struct imported_name {
	uint32_t number;
	enum wire_imported_kind kind;
	/* texts in the chunk, not NUL-terminated */
	const char *module, *name;
	size_t module_bytes, name_bytes;
};

/*
 * Reads the record at *cursor, which starts as 0, and advances the cursor.
 * Returns 0 at the end, at a malformed record, and for chunks of other kinds.
 */
int imported_names_next(const struct part_chunk *chunk, size_t *cursor,
			struct imported_name *out);

#endif
