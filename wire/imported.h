/* SPDX-License-Identifier: MIT */
/*
 * Records in a recording that `clew import` has written from another tool's
 * file (recording.h). The header of such a part has the origin
 * WIRE_FROM_IMPORT.
 *
 * The contexts are in a tally, as usual. The costs of contexts are values
 * (context_values.h); the first column is the main one. Calls are in the count
 * table if the file has any (WIRE_IMPORT_CALLS). All functions have numbers in
 * one WIRE_RANGE_IMPORTED.
 */
#ifndef CLEW_WIRE_IMPORTED_H
#define CLEW_WIRE_IMPORTED_H

#include <stdint.h>

enum wire_import_format {
	WIRE_IMPORT_PERF, /* the output of perf script */
	/* folded stacks: lines with the functions of a stack and a number */
	WIRE_IMPORT_FOLDED,
	WIRE_IMPORT_CALLGRIND, /* a callgrind.out file of Valgrind */
	WIRE_IMPORT_FORMAT_COUNT
};

enum wire_import_flags {
	/* Calls were counted; otherwise their numbers are unknown. */
	WIRE_IMPORT_CALLS = 1,
	/*
	 * The file has callers and callees, and no contexts. Only the sums for
	 * each function, and for each pair of caller and callee, are exact.
	 */
	WIRE_IMPORT_ESTIMATED = 2,
	WIRE_IMPORT_SAMPLES = 4, /* the main value is a number of samples */
};

/* WIRE_IMPORT: one record; the name of the file follows, without a NUL. */
struct wire_import {
	uint32_t format; /* enum wire_import_format */
	uint32_t flags;  /* enum wire_import_flags */
};
_Static_assert(sizeof(struct wire_import) == 8, "on the wire");

enum wire_imported_kind {
	WIRE_IMPORTED_NATIVE,
	WIRE_IMPORTED_KERNEL,
	WIRE_IMPORTED_JAVA,
	WIRE_IMPORTED_GENERATED,
	WIRE_IMPORTED_INLINED,
	WIRE_IMPORTED_KIND_COUNT
};

#define WIRE_IMPORTED_BYTES_MAX 8192

/*
 * WIRE_IMPORTED_NAMES: a function. The path of its module, which may be empty,
 * and its name follow, without NULs, padded to 8.
 */
struct wire_imported_name {
	uint32_t number;
	uint32_t kind;         /* enum wire_imported_kind */
	uint32_t module_bytes; /* size of the module's path */
	/* At least 1; with the path at most WIRE_IMPORTED_BYTES_MAX. */
	uint32_t name_bytes;
};
_Static_assert(sizeof(struct wire_imported_name) == 16, "on the wire");

/* Returns the size of the record with its texts and padding. */
static inline uint64_t wire_imported_bytes(uint64_t module_bytes,
					   uint64_t name_bytes)
{
	return sizeof(struct wire_imported_name) +
	       ((module_bytes + name_bytes + 7) & ~UINT64_C(7));
}

#endif
